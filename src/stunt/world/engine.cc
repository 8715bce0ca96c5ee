#include "stunt/world/engine.h"

#include "stunt/core/error.h"
#include "stunt/world/bouncing.h"
#include "stunt/world/linearised/linearised_engine.h"
#include "stunt/world/mujoco/mujoco_engine.h"
#include "stunt/world/ode/ode_engine.h"
#include "stunt/world/penalty/penalty_engine.h"

namespace stunt {

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
