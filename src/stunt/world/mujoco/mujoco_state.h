// What engines that calculate in joint coordinates share: the state in MuJoCo's own arrays, the inputs of the next step,
// platforms that follow their motion, bodies that wait, and the kinematics of the present state when asked for.
#pragma once

#include <vector>

#include "stunt/world/engine.h"

namespace stunt {

class MujocoState : public Engine {
 public:
  const CompiledScene& scene() const final { return *scene_; }

  double time() const final { return data_->time; }
  std::span<const double> q() const final { return {data_->qpos, static_cast<std::size_t>(m_->nq)}; }
  std::span<const double> v() const final { return {data_->qvel, static_cast<std::size_t>(m_->nv)}; }
  void set_state(std::span<const double> q, std::span<const double> v) final;
  void place_free_body(int body, const Vec3& position, const Quat& rotation, const Vec3& velocity,
                       const Vec3& angular_velocity) final;
  Vec3 body_position(int body) const final;
  Quat body_rotation(int body) const final;
  Vec3 body_velocity_at(int body, const Vec3& world_point) const final;

  // Positions, velocities and axes of the present state (mj_kinematics, mj_comPos, mj_comVel of the scene's model), for
  // readers that would compute the same. Good until the state changes.
  const mjData& kinematics() const {
    need_view_velocities();
    return *view_;
  }

  std::span<double> joint_forces() final { return forces_; }
  void apply_force(int body, const Vec3& force, const Vec3& world_point) final;
  void apply_torque(int body, const Vec3& torque) final { apply(body, Vec3::Zero(), torque); }

  double timestep() const final { return m_->opt.timestep; }

 protected:
  explicit MujocoState(std::shared_ptr<const CompiledScene> scene);

  // Platforms are where their motion says; bodies that wait do not fall.
  void prescribe(double t);
  void forget_inputs();
  void forget_view() { view_positions_ = view_velocities_ = false; }
  // The kinematics of the present state into data_, out of the view where it has them.
  void take_kinematics();
  // Joint reaction and acceleration out of what mj_rnePostConstraint left in data_.
  bool has_reaction(int body) const;
  Wrench reaction_at_joint(int body) const;
  Vec3 acceleration_of(int body) const;

  std::shared_ptr<const CompiledScene> scene_;
  const mjModel* m_;
  DataPtr data_;  // the state; all else in it is as the last step left it
  std::vector<double> forces_,
      body_forces_;            // inputs of the next step: nv; 6 per body, at its centre of mass
  std::vector<char> waiting_;  // per free body

 private:
  void apply(int body, const Vec3& force, const Vec3& torque);
  // view_ holds the kinematics of the present state.
  void need_view_positions() const;
  void need_view_velocities() const;

  DataPtr view_;
  mutable bool view_positions_ = false, view_velocities_ = false;
};

}  // namespace stunt
