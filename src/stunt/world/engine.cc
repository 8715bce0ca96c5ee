#include "stunt/world/engine.h"

namespace stunt {

std::vector<EngineInfo> engines() {
  return {{"mujoco", "MuJoCo: convex contact with an elliptic friction cone; the default"},
          {"ode", "Open Dynamics Engine: LCP contact with a friction pyramid, or spring contact"}};
}

}  // namespace stunt
