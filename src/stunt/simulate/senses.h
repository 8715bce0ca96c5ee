// What a character senses: its own state, its contacts and what changed, as old as its senses take.
#pragma once

#include <span>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/control/surroundings.h"
#include "stunt/world/engine.h"

namespace stunt {

class Senses {
 public:
  // `delay`: in whole steps.
  Senses(const ActorSlot& slot, int delay);

  // Reads the engine and fills what the controller sees, but for the time. `pushes`: forces from nowhere, which are
  // felt like the touch of a hand.
  void read(Engine& engine, Observation& seen, std::span<const Contact> pushes = {});
  // As if it had always been as it is now.
  void settle(Engine& engine, Observation& seen);
  // Something else that the controller is told of this time.
  void add_event(const Event& event, Observation& seen);

  // The state now, without delay.
  const VecX& q() const { return instants_[newest_].q; }
  const VecX& v() const { return instants_[newest_].v; }

 private:
  struct Instant {
    VecX q, v;
    std::vector<ActorContact> contacts;
  };
  struct Touch {
    int body, other;
    bool operator==(const Touch&) const = default;
  };
  void find_events(const Instant& seen);

  ActorSlot slot_;
  std::vector<Instant> instants_;  // a ring: now, and the past that the delay needs
  std::size_t newest_ = 0;
  std::vector<Touch> touches_, touches_before_;
  std::vector<Event> events_;
};

}  // namespace stunt
