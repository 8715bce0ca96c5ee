// Pushes and throws on a time line.
#pragma once

#include <vector>

#include "stunt/core/random.h"
#include "stunt/world/engine.h"

namespace stunt {

class Disturbances {
 public:
  // Throws InputError when a name in the scene belongs to nobody.
  Disturbances(const Scene& scene, const CompiledScene& compiled);

  // Before each step: starts what is due, pushes what is being pushed. Appends to `marks` (s) what starts now.
  void apply(double t, Engine& engine, std::vector<double>& marks);

 private:
  struct Push {
    PushSpec spec;
    int body;
    int started = 0;
  };
  struct Throw {
    ThrowSpec spec;
    int actor;              // index into CompiledScene::actors
    int body;               // scene body aimed at
    std::vector<int> pool;  // scene bodies that can be thrown, in turn
    int started = 0;
  };
  void launch(Throw& what, Engine& engine);

  const CompiledScene& compiled_;
  GroundSpec ground_;
  double gravity_;
  Random random_;
  std::vector<Push> pushes_;
  std::vector<Throw> throws_;
};

// A body of an actor by its role ("chest") or its own name; -1 where there is none.
int find_body(const Actor& actor, const std::string& role_or_name);

// The velocity of given speed with which something thrown from `from` hits `target` under gravity (the flatter of the
// two ways; at 45 degrees where the target is out of reach).
Vec3 throw_velocity(const Vec3& from, const Vec3& target, double speed, double gravity);

}  // namespace stunt
