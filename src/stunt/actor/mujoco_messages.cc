#include "stunt/actor/mujoco_messages.h"

#include <mujoco/mujoco.h>

#include <mutex>
#include <string>

#include "stunt/core/error.h"

namespace stunt {

void hook_mujoco_messages() {
  static std::once_flag once;
  std::call_once(once, [] {
    mju_user_warning = [](const char*) {};
    mju_user_error = [](const char* message) { throw RunError(std::string("MuJoCo: ") + message); };
  });
}

}  // namespace stunt
