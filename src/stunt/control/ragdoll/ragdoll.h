// No control: the body falls as it may. What a stunt double is compared with, and what is left when all else fails.
#pragma once

#include "stunt/control/controller.h"

namespace stunt {

struct RagdollSettings {
  double damping = 0.02;  // 1/s per unit of a joint's strength: torque = -damping * limit * speed
};
void describe(Fields& fields, RagdollSettings& settings);
std::unique_ptr<Controller> make_controller(const RagdollSettings& settings, const ControllerTask& task);

class RagdollController : public Controller {
 public:
  RagdollController(const RagdollSettings& settings, ActorPtr actor)
      : settings_(settings), actor_(std::move(actor)) {}
  void reset(const Observation&) override {}
  void actuate(const Observation& now, Actuation& out) override;

 private:
  RagdollSettings settings_;
  ActorPtr actor_;
};

}  // namespace stunt
