// Which shapes of a scene may touch, and where they do: MuJoCo's own shape-against-shape functions on a fixed list of pairs.
#pragma once

#include <string>
#include <vector>

#include "stunt/world/scene/compiled_scene.h"

namespace stunt {

struct Touch {
  int body1, body2;
  Vec3 point;    // m, midway between the surfaces
  Vec3 normal;   // unit, from body1 to body2
  double depth;  // m; below 0: that far apart
  double friction;
};

class TouchPairs {
 public:
  // Throws InputError for more pairs than can be looked through at every step.
  TouchPairs(const mjModel& model, const std::string& engine);

  // Appends all touches at the positions in `data` (mj_kinematics), and what is within `margin` (m) of one.
  void find(mjData& data, std::vector<Touch>& touches, double margin = 0) const;

 private:
  struct Pair {
    int geom1, geom2;  // the type of the first is not above that of the second
    double reach;      // m, between the centres; for a plane: above it
    bool plane;
    bool box;  // the second is one
    double friction;
  };
  void add(int geom1, int geom2, double friction);

  const mjModel& m_;
  std::string engine_;  // for messages
  std::vector<Pair> pairs_;
};

}  // namespace stunt
