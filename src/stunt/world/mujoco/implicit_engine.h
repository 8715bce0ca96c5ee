// What engines share that form the step's linear system themselves, in joint coordinates:
//
//   (M + h D + h^2 K) dv = h (f - bias - k x - (d + h k) v)
//
// with v the velocity at its start, dv its change, D and K the dampers d and springs k of the joints, and x their stretch: each
// force is that at the end of the step (Baraff and Witkin 1998, "Large steps in cloth simulation", eq. 6). M is MuJoCo's. What
// contacts and joint limits add is the business of each engine.
#pragma once

#include "stunt/world/mujoco/mujoco_state.h"
#include "stunt/world/penalty/tree_matrix.h"

namespace stunt {

class ImplicitEngine : public MujocoState {
 public:
  void step() final;
  std::span<const Contact> contacts() final { return contacts_; }
  Wrench joint_reaction(int body) final;
  Vec3 body_acceleration(int body) final;
  Snapshot save() const override;
  void restore(const Snapshot& snapshot) override;

 protected:
  enum class Grip { refused, held };  // whether the engine has them
  // Throws InputError for what none of them has: tendons, equality constraints other than grips, dry friction in joints, springs and dampers
  // that are not linear, forces of a fluid.
  ImplicitEngine(const std::string& name, std::shared_ptr<const CompiledScene> scene,
                 Grip grips = Grip::refused);

  // The change of velocity in the coming step into dv_, and its contacts into contacts_, which comes empty.
  virtual void accelerate() = 0;
  // For that: M with dampers and springs in base_, the force on each degree of freedom in total_.
  void begin_step();

  // Adds a row for each of three directions: the velocity of the body's point along it, by the degrees of freedom of the
  // body's chain (`over_all`: by all), times sign.
  void add_point_rows(int body, const Vec3& point, const Vec3 directions[3], double sign, bool over_all,
                      int stride, double* rows) const;
  // m/s, at the end of the step, of what moves whatever touches it: a platform. Zero for all else.
  Vec3 prescribed_velocity(int body) const;

  TreeMatrix base_;
  std::vector<int> chain_end_;      // per body: the last degree of freedom that moves it; -1: nothing does
  std::vector<int> limits_;         // joints
  std::vector<double> total_, dv_;  // nv: N or Nm; m/s or rad/s
  std::vector<Contact> contacts_;   // of the last step

 private:
  void add_body_forces();
  void add_wrench(int body, const Vec3& force, const Vec3& torque);
  void add_dampers();
  void add_springs();
  void add_spring(int dof, double stiffness, double stretch);
  void need_reactions();
  void add_to_body(int body, const Vec3& force, const Vec3& point);
  // Time, q, v.
  void read_state(std::vector<double>& into) const;
  void write_state(const std::vector<double>& from);

  std::vector<int> platform_of_;      // per body; -1: none
  std::vector<int> springs_;          // joints
  std::vector<int> damped_;           // degrees of freedom
  std::vector<int> floating_;         // bodies with gravity compensation
  std::vector<double> now_, before_;  // states: the present one, set aside; the last step's start
  std::vector<double> bias_;          // nv
  std::vector<double> inputs_kept_;
  bool reactions_known_ = false;
  bool results_stale_ = false;  // data_ lacks what the last step computed
  bool stepped_ = false;        // there was a last step
};

}  // namespace stunt
