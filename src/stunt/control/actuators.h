// The stage between controller and engine: what is asked for becomes joint torques within strength. It knows no engine, so
// motors and muscles work on all of them.
#pragma once

#include <any>
#include <memory>
#include <span>

#include "stunt/actor/muscle/muscle_fibres.h"
#include "stunt/control/controller.h"
#include "stunt/core/random.h"

namespace stunt {

class Actuators {
 public:
  virtual ~Actuators() = default;
  virtual int excitations() const = 0;                            // how many a controller may give
  virtual std::span<const Muscle> muscles() const { return {}; }  // none: motors
  virtual const MuscleState* muscle_state() const { return nullptr; }
  // What the body feels of them at its true state, before the controller is asked; drive() is called at the same state.
  virtual void sense(const VecX& q, const VecX& v, Observation& seen) { (void)q, (void)v, (void)seen; }
  // `q` and `v` are the body's true state. `torque` (nv) becomes what is applied; the entries of a root that nothing
  // drives pass as they are: help from outside.
  virtual void drive(const VecX& q, const VecX& v, double timestep, const Actuation& asked, VecX& torque) = 0;
  virtual std::any save() const { return {}; }
  virtual void restore(const std::any& memory) { (void)memory; }
};

// A motor at every joint: torques as asked, or excitations from -1 to 1 times its strength, or both; limited, then with
// noise.
class Motors : public Actuators {
 public:
  // `noise`: standard deviation, as a part of each torque; `motor_noise` (Nm): the largest of an even distribution around
  // zero that is added. Both drawn at every step.
  Motors(ActorPtr actor, double noise, Random random, double motor_noise = 0);
  int excitations() const override;
  void drive(const VecX& q, const VecX& v, double timestep, const Actuation& asked, VecX& torque) override;
  std::any save() const override { return random_; }
  void restore(const std::any& memory) override { random_ = std::any_cast<Random>(memory); }

 private:
  ActorPtr actor_;
  double noise_, motor_noise_;
  Random random_;
};

}  // namespace stunt
