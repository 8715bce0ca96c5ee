// Things that a character holds or wears: gloves, a racket, a blade. Each is a body of its own mass, welded to one of
// the character's.
#pragma once

#include <string>
#include <vector>

#include "stunt/actor/actor.h"
#include "stunt/core/settings.h"

namespace stunt {

// Offset and orientation are in the axes of the part: x along it, away from its joint (from the wrist to the finger
// tips); z up in the rest pose, at right angles to x (forward, where the part itself points up or down): the back of
// the hand on a character that rests in a T-pose; y = z x x. The origin is the joint.
struct Attachment {
  std::string to = "right_hand";
  std::string name;
  std::string shape = "sphere";
  Vec3 size = {0.1, 0.1, 0.1};
  double mass = 0.3;
  Vec3 offset = {0.08, 0, 0};
  Vec3 orientation_deg = Vec3::Zero();
  double friction = 1;
  double softness = 0;
  double restitution = 0;
  bool covers = false;
};
void describe(Fields& fields, Attachment& attachment);

// The character with these attached; itself where there are none. Throws InputError, among others where the arm would
// be too weak to hold it out: at every joint between the part and the trunk, the weight of everything beyond, stretched
// out level, must be within the joint's strength.
ActorPtr attach(const ActorPtr& actor, const std::vector<Attachment>& attachments);

}  // namespace stunt
