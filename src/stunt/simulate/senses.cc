#include "stunt/simulate/senses.h"

#include <algorithm>

namespace stunt {

constexpr std::size_t kUsualContacts = 64;  // room, so that the loop allocates nothing

Senses::Senses(const ActorSlot& slot, int delay)
    : slot_(slot), instants_(static_cast<std::size_t>(delay) + 1) {
  for (Instant& instant : instants_) {
    instant.q = VecX::Zero(slot.nq);
    instant.v = VecX::Zero(slot.nv);
    instant.contacts.reserve(kUsualContacts);
  }
  touches_.reserve(kUsualContacts);
  touches_before_.reserve(kUsualContacts);
  events_.reserve(2 * kUsualContacts);
}

void Senses::read(Engine& engine, Observation& seen, std::span<const Contact> pushes) {
  newest_ = (newest_ + 1) % instants_.size();
  Instant& now = instants_[newest_];
  now.q = Eigen::Map<const VecX>(engine.q().data() + slot_.first_q, now.q.size());
  now.v = Eigen::Map<const VecX>(engine.v().data() + slot_.first_v, now.v.size());
  now.contacts.clear();
  for (const Contact& contact : engine.contacts()) {
    for_own_sides(contact, slot_, [&](int body, int other, double sign) {
      now.contacts.push_back({body, contact.point, sign * contact.normal, sign * contact.force,
                              engine.body_velocity_at(other, contact.point), engine.scene().is_support(other),
                              other, contact.grip >= 0});
    });
  }
  for (const Contact& push : pushes) {
    if (const int body = slot_.own(push.body2); body >= 0)
      now.contacts.push_back({body, push.point, push.normal, push.force, Vec3::Zero(), false, -1});
  }
  const Instant& oldest = instants_[(newest_ + 1) % instants_.size()];
  seen.q = oldest.q;
  seen.v = oldest.v;
  seen.contacts = oldest.contacts;
  find_events(oldest);
  seen.events = events_;
}

void Senses::settle(Engine& engine, Observation& seen) {
  for (std::size_t i = 0; i < instants_.size(); ++i) read(engine, seen);
  events_.clear();
  seen.events = events_;
}

void Senses::add_event(const Event& event, Observation& seen) {
  events_.push_back(event);
  seen.events = events_;
}

void Senses::find_events(const Instant& seen) {
  events_.clear();
  touches_.swap(touches_before_);
  touches_.clear();
  const auto has = [](const std::vector<Touch>& touches, const Touch& touch) {
    return std::find(touches.begin(), touches.end(), touch) != touches.end();
  };
  for (const ActorContact& contact : seen.contacts) {
    const Touch touch{contact.body, contact.other};
    if (has(touches_, touch)) continue;
    touches_.push_back(touch);
    if (!has(touches_before_, touch))
      events_.push_back({Event::Kind::contact_began, touch.body, touch.other});
  }
  for (const Touch& touch : touches_before_) {
    if (!has(touches_, touch)) events_.push_back({Event::Kind::contact_ended, touch.body, touch.other});
  }
}

}  // namespace stunt
