// The muscles of a human on any character that has a human's roles: a template (data/muscles/human.yaml) whose points are
// given on a body of known lengths, put onto the bones of this one.
//
// A point lies in the axes of its segment, (forward, lateral, up) while the body stands with its arms down, from the
// segment's own joint. Segments and what their points are scaled by (this character's length over the template's):
//
//   pelvis     from the middle of the hips        forward, up: stature; lateral: distance of the hips
//   sacrum     the pelvis, forward from the line of the spine's joints; forward, lateral: stature; up: trunk
//   vertebra   that body of the spine whose joint is the next below the point; as sacrum
//   ribs       the chest; forward, up as sacrum; lateral: distance of the shoulders
//   cervical   the neck, from its joint, forward from the line to the head; up: length of the neck
//   skull      the head, from its joint; stature
//   girdle     the collar bone, or the chest where it has none, from the shoulder; stature
//   upper_arm, forearm, thigh, shank           up: length of the bone; else stature
//   foot, toes forward: from ankle to ball; else stature
//   wrist      the forearm, from the wrist, in the hand's axes: towards the thumb, towards the back of the hand, up
//   hand       from the wrist, as wrist; stature
//
// Knees and elbows say which way is forward in a limb (they bend one way). Thumbs are taken to point forward in the rest
// pose, as they do in a T-pose with the palms down and with hanging arms.
// Lengths of fibres and tendons grow with the stature; strength with the volume of a body's muscles, mass times stature
// (Handsfield et al. 2014), over the fibres' length: with the mass alone.
#pragma once

#include <string>
#include <vector>

#include "stunt/actor/muscle/muscle.h"

namespace stunt {

// An axis about which a joint's bones and ligaments hold whatever comes: no muscle turns it.
struct HeldAxis {
  int body;   // that the joint moves
  Vec3 axis;  // unit, in the body's axes
};

struct BodyMuscles {
  std::vector<Muscle> muscles;     // "left soleus"; left and right take turns
  std::vector<std::string> parts;  // of each: "left calf"
  std::vector<Muscle> ligaments;   // that pull without effort: the plantar fascia
  // A foot turns about the axes of ankle and subtalar joint; about the third, at right angles to both, it is held.
  std::vector<HeldAxis> held;
};

// Muscles whose points all fall on one body are left out (those of the shoulder girdle where collar bones do not move), and
// all that need a part the character lacks. Empty for a character without two legs and a spine.
BodyMuscles human_muscles(const ActorPtr& actor);

}  // namespace stunt
