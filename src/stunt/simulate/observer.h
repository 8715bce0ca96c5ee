// Whoever watches a simulation: recorder, judges, progress, a live picture.
#pragma once

#include "stunt/core/rotation.h"

namespace stunt {

class Simulation;

// The scene at an exact multiple of 1/rate, between two steps.
struct Moment {
  double time;       // s
  const VecX& q;     // nq of the scene
  const VecX& v;     // nv
  const VecX& rate;  // nv: acceleration over the step that the moment lies in
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void stepped(Simulation& simulation) { (void)simulation; }  // after each engine step
  virtual void sampled(Simulation& simulation, const Moment& moment) { (void)simulation, (void)moment; }
};

}  // namespace stunt
