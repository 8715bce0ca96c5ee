#include "stunt/control/ragdoll/ragdoll.h"

namespace stunt {

void describe(Fields& fields, RagdollSettings& settings) {
  fields("damping", settings.damping,
         {.unit = "s/rad",
          .bounds = between(0, 0.1),
          .help = "of the joints, as a part of their strength per speed: larger sinks down more slowly"});
}

std::unique_ptr<Controller> make_controller(const RagdollSettings& settings, const ControllerTask& task) {
  return std::make_unique<RagdollController>(settings, task.reference->actor());
}

void RagdollController::actuate(const Observation& now, Actuation& out) {
  // A free root has no strength, so it is not held.
  out.excitation.setZero();
  out.torque = -settings_.damping * actor_->torque_limits().cwiseProduct(now.v);
}

}  // namespace stunt
