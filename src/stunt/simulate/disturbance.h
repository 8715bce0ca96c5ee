// Pushes and throws on a time line.
#pragma once

#include <span>
#include <vector>

#include "stunt/core/random.h"
#include "stunt/simulate/scene/scene.h"
#include "stunt/world/engine.h"

namespace stunt {

// The balls that a scene's throws, and the throws among its commands, need.
std::vector<BallSpec> balls_of(const Scene& scene);

// Copyable: a copy is a saved state.
class Disturbances {
 public:
  // Throws InputError when a name in the scene belongs to nobody. `compiled` must outlive it.
  Disturbances(const Scene& scene, const CompiledScene& compiled);

  // Before each step: starts what is due, pushes what is being pushed. Appends to `marks` (s) what starts now.
  void apply(double t, Engine& engine, std::vector<double>& marks);

  // The pushes of the last step, as contacts with the world: whoever is pushed feels it.
  std::span<const Contact> acting() const { return acting_; }

  // Once, from `spec.start` on. `where` names it in errors. Throws InputError.
  void add(const PushSpec& spec, const std::string& where);
  // A ball of that kind must be among the scene's (balls_of).
  void add(const ThrowSpec& spec, const std::string& where);

 private:
  struct Push {
    PushSpec spec;
    int body;
    int started = 0;
    Vec3 force = Vec3::Zero();  // N, this time
  };
  struct Throw {
    ThrowSpec spec;
    int actor;              // index into CompiledScene::actors
    int body;               // scene body aimed at
    std::vector<int> pool;  // scene bodies that can be thrown, in turn
    int started = 0;
  };
  Throw aimed(const ThrowSpec& spec, const std::string& where) const;
  void launch(Throw& what, Engine& engine);

  const CompiledScene* compiled_;
  GroundSpec ground_;
  double gravity_;
  Random random_;
  std::vector<BallSpec> balls_;  // of the compiled scene
  std::vector<Push> pushes_;
  std::vector<Contact> acting_;
  std::vector<Throw> throws_;
};

// The velocity of given speed with which something thrown from `from` hits `target` under gravity (the flatter of the
// two ways; at 45 degrees where the target is out of reach).
Vec3 throw_velocity(const Vec3& from, const Vec3& target, double speed, double gravity);

}  // namespace stunt
