// The same character with other masses, feet or gravity: what a controller believes may differ from what is
// simulated.
#pragma once

#include "stunt/actor/actor.h"

namespace stunt {

// Factors, where no unit is given; 1 leaves things as they are. The mass factors multiply each other, and a
// body's rotational inertia grows with its mass.
struct Variation {
  double mass = 1;             // of every body
  double legs_mass = 1;        // thighs and all below them
  double left_leg_mass = 1;    // the left thigh and all below it
  double upper_body_mass = 1;  // everything but the legs; includes the pelvis
  double inertia = 1;          // rotational, of every body about its centre of mass
  double foot_length = 1;      // of feet and toes, from the ankle forwards and backwards; their mass stays
  double gravity = 9.81;       // m/s^2, that the actor's own dynamics have (Actor::gravity)

  bool operator==(const Variation&) const = default;
};

// The actor itself where nothing varies. Bodies, joints and contact points keep their order, so q and v mean
// the same. Throws InputError where the actor has no such part.
ActorPtr vary(const ActorPtr& actor, const Variation& variation);

}  // namespace stunt
