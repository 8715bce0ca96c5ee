#include "stunt/control/parts/grip_contacts.h"

#include <algorithm>

#include "stunt/core/easing.h"

namespace stunt {

void add_grip_contacts(std::span<const ActorContact> felt, std::vector<PlanContact>& out) {
  for (const ActorContact& touch : felt) {
    if (!touch.held || !touch.support || out.size() == out.capacity()) continue;
    PlanContact contact{touch.body, touch.point};
    contact.velocity = touch.surface_velocity;
    contact.held = true;
    out.push_back(contact);
  }
}

void HeldLoads::feel(std::span<const ActorContact> contacts, double dt) {
  constexpr double kSmooth = 0.03;  // s
  for (Load& load : loads_) {
    if (load.body < 0) continue;
    const bool gone = std::none_of(contacts.begin(), contacts.end(), [&](const ActorContact& touch) {
      return touch.held && !touch.support && touch.body == load.body;
    });
    if (gone) load = {};
  }
  for (const ActorContact& touch : contacts) {
    if (!touch.held || touch.support) continue;
    auto load =
        std::find_if(loads_.begin(), loads_.end(), [&](const Load& l) { return l.body == touch.body; });
    if (load == loads_.end())
      load = std::find_if(loads_.begin(), loads_.end(), [](const Load& l) { return l.body < 0; });
    if (load == loads_.end()) return;
    load->body = touch.body;
    load->point = touch.point;
    load->force += approach(dt, kSmooth) * (touch.force - load->force);
  }
}

void HeldLoads::generalised_force(ActorDynamics& body, Jacobian& room, VecX& out) const {
  out.setZero(body.actor().nv());
  for (const Load& load : loads_) {
    if (load.body < 0) continue;
    body.point_jacobian(load.body, load.point, room);
    out.noalias() += room.transpose() * load.force;
  }
}

}  // namespace stunt
