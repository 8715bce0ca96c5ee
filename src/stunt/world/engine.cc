#include "stunt/world/engine.h"

#include "stunt/core/error.h"
#include "stunt/world/bouncing.h"
#include "stunt/world/linearised/linearised_engine.h"
#include "stunt/world/mujoco/mujoco_engine.h"
#include "stunt/world/ode/ode_engine.h"
#include "stunt/world/penalty/penalty_engine.h"

namespace stunt {

void append_grips(const std::vector<GripState>& grips, std::vector<double>& values) {
  for (const GripState& grip : grips) {
    values.push_back(grip.closed);
    values.insert(values.end(), grip.on_hand.begin(), grip.on_hand.end());
    values.insert(values.end(), grip.on_object.begin(), grip.on_object.end());
  }
}
const double* take_grips(const double* from, std::vector<GripState>& grips) {
  for (GripState& grip : grips) {
    grip = {from[0] != 0, Vec3(from[1], from[2], from[3]), Vec3(from[4], from[5], from[6])};
    from += 7;
  }
  return from;
}

void Engine::close_grip(int, const Vec3&, const Vec3&) {
  throw RunError("the engine " + name() + " has no grips");
}
void Engine::open_grip(int) {}

std::vector<EngineInfo> engines() {
  return {{"mujoco", "MuJoCo: convex contact with an elliptic friction cone; the default"},
          {"ode", "Open Dynamics Engine: LCP contact with a friction pyramid, or spring contact"},
          {"penalty", "spring contact solved implicitly, without a constraint solver: the fastest"},
          {"linearised", "the published world of modal-space control: long steps, contact by an exact LCP"}};
}

std::unique_ptr<Engine> make_engine(const std::string& name, std::shared_ptr<const CompiledScene> scene) {
  if (name == "mujoco") return with_bouncing_balls(make_mujoco_engine(std::move(scene)));
  if (name == "ode") return with_bouncing_balls(make_ode_engine(std::move(scene)));
  if (name == "penalty") return with_bouncing_balls(make_penalty_engine(std::move(scene)));
  if (name == "linearised") return with_bouncing_balls(make_linearised_engine(std::move(scene)));
  throw InputError("engine", "'" + name + "'", "one of: mujoco, ode, penalty, linearised");
}

}  // namespace stunt
