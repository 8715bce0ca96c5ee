// Grips on ODE: ball joints between hand and object, which come and go.
#pragma once

#include <vector>

#include "stunt/world/engine.h"
#include "stunt/world/ode/ode_model.h"

namespace stunt {

class OdeGrips {
 public:
  explicit OdeGrips(const OdeModel& model);
  OdeGrips(const OdeGrips&) = delete;
  OdeGrips& operator=(const OdeGrips&) = delete;

  void close(int grip, const Vec3& on_hand, const Vec3& on_object);
  void open(int grip);
  // After a step: what each closed grip did to the hand in it.
  void collect(std::vector<Contact>& contacts) const;
  void prepare();  // before each step

  void save(std::vector<double>& values) const { append_grips(states_, values); }
  const double* restore(const double* values);  // returns what follows

 private:
  void attach_all();
  void place(std::size_t grip);
  Vec3 held_point(std::size_t grip) const;  // m, on the object, world axes

  const OdeModel& model_;
  std::vector<GripState> states_;
  std::vector<dJointID> joints_;
  std::vector<dJointFeedback> feedback_;
  std::vector<Vec3> points_;  // m, at the start of the step
};

}  // namespace stunt
