#include "stunt/control/controller.h"

#include "stunt/control/actuators.h"
#include "stunt/core/error.h"

namespace stunt {

std::unique_ptr<Actuators> Controller::own_actuators() const { return nullptr; }

void require_free_root(const Actor& actor, const std::string& controller) {
  if (actor.has_free_root()) return;
  throw InputError("controller", controller + " for '" + actor.name() + "', whose root is not free",
                   "a character with <freejoint/> at its root, or another controller");
}

}  // namespace stunt
