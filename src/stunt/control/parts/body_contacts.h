// Where hands, knees and trunk may push: where they touch something to stand, lie or sit on, and the reference has the same
// spot of the same body near what they touch. What moves there is not held, and should not carry. Feet are foot_contacts.h's.
#pragma once

#include <span>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/control/controller.h"
#include "stunt/control/parts/plan_contact.h"

namespace stunt {

// Appends to `out`, as far as it has room (its capacity). `body` is at the state of `felt`, `reference` at the pose that
// is asked for.
void add_body_contacts(ActorDynamics& body, std::span<const ActorContact> felt, ActorDynamics& reference,
                       std::vector<PlanContact>& out);

}  // namespace stunt
