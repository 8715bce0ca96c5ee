// How a controller's torques answer to contact forces within a step (Jain and Liu 2011, eq. 27: dI = X_f df).
//
// Most engines take torques as they are given. One that solves for contact forces in a linearised step can let the torques depend
// on them: engine `linearised` asks (AsksForAnswer). A controller has an answer if it is a ContactAnswer; the others are not asked.
#pragma once

#include <span>

#include "stunt/core/rotation.h"

namespace stunt {

// Where something may push the character in the coming step.
struct AnsweredPoint {
  int body;    // of the actor
  Vec3 point;  // m, world
};

class ContactAnswer {
 public:
  virtual ~ContactAnswer() = default;
  virtual bool answers() const { return true; }  // as it is set up
  // torque += constant + X f, with f the forces on the character at the points (N, world axes, three each).
  // `X` (nv x 3 points) and `constant` (nv) come zeroed; their rows of a free root must stay so.
  virtual void answer(std::span<const AnsweredPoint> points, Eigen::Ref<MatX> X,
                      Eigen::Ref<VecX> constant) = 0;
};

class AsksForAnswer {
 public:
  virtual ~AsksForAnswer() = default;
  // Whose torques answer from now on; null: that character's do not any more. Throws InputError for a second character.
  virtual void set_contact_answer(int actor, ContactAnswer* answer) = 0;
};

}  // namespace stunt
