// Hands that hold on: when each grip of a scene closes, what it carries, when it lets go or slips open. The engines hold
// the two places together (Engine::close_grip); everything else is the same for all of them and is here.
#pragma once

#include <string>
#include <vector>

#include "stunt/world/engine.h"

namespace stunt {

// Copyable: a copy is a saved state.
class Grips {
 public:
  enum class Stage { waiting, holding, let_go, slipped };
  struct Grip {
    Stage stage = Stage::waiting;
    double closed_at = 0, opened_at = 0;   // s
    double nearest = 1e9, nearest_at = 0;  // m, s: of the palm to the object's surface, while it waited
    double force = 0;                      // N, smoothed over kYield
    double peak = 0;                       // N, the largest of these
    Vec3 on_hand = Vec3::Zero(), on_object = Vec3::Zero();  // m, where it took hold
  };

  explicit Grips(const CompiledScene& scene) : scene_(&scene), grips_(scene.grips.size()) {}

  // Before each step. A grip closes at the first moment between `from` and `to` in which the palm is within reach; what
  // is missing is drawn in within kDrawIn. It lets go at `to`, and opens when the force in it, smoothed over kYield, is
  // more than its strength; then it stays open.
  void update(double t, Engine& engine);
  void let_go(int actor, double t,
              Engine& engine);  // of all that a character holds; what was held may be held again

  const std::vector<Grip>& grips() const { return grips_; }
  // A sentence on each grip of a character: what it did, and what went wrong with it.
  void describe(int actor, double end, std::vector<std::string>& notes,
                std::vector<std::string>& warnings) const;

  static constexpr double kDrawIn = 0.15;  // s
  static constexpr double kYield = 0.02;   // s

 private:
  const CompiledScene* scene_;
  std::vector<Grip> grips_;
};

// The place on a body that a hand at `palm` would close around, and how far its surface is (m, 0 where it touches):
// the axis of a bar (a capsule or cylinder longer than it is thick), the surface of anything else. World axes.
struct Handhold {
  Vec3 place;
  double distance;
};
Handhold handhold(const mjModel& m, int body, const Vec3& position, const Quat& rotation, const Vec3& palm);

}  // namespace stunt
