#include "stunt/world/mujoco/mujoco_state.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "stunt/core/error.h"

namespace stunt {

MujocoState::MujocoState(std::shared_ptr<const CompiledScene> scene)
    : scene_(std::move(scene)),
      m_(scene_->model.get()),
      data_(mj_makeData(m_)),
      forces_(m_->nv, 0.0),
      body_forces_(6 * m_->nbody, 0.0),
      view_(mj_makeData(m_)) {
  if (!data_ || !view_) throw RunError("not enough memory for the simulation");
  for (const auto& body : scene_->free_bodies) waiting_.push_back(body.waiting);
  prescribe(0);
}

void MujocoState::set_state(std::span<const double> q, std::span<const double> v) {
  assert(std::ssize(q) == m_->nq && std::ssize(v) == m_->nv);
  std::copy(q.begin(), q.end(), data_->qpos);
  std::copy(v.begin(), v.end(), data_->qvel);
  prescribe(time());
  forget_view();
}

void MujocoState::place_free_body(int body, const Vec3& position, const Quat& rotation, const Vec3& velocity,
                                  const Vec3& angular_velocity) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const FreeBodySlot& slot = scene_->free_bodies[i];
    if (slot.body != body) continue;
    waiting_[i] = false;
    Eigen::Map<Vec3>{data_->qpos + slot.first_q} = position;
    quat_to_wxyz(rotation.normalized(), data_->qpos + slot.first_q + 3);
    Eigen::Map<Vec3>{data_->qvel + slot.first_v} = velocity;
    Eigen::Map<Vec3>{data_->qvel + slot.first_v + 3} = rotation.normalized().conjugate() * angular_velocity;
    forget_view();
    return;
  }
  throw InputError("place_free_body", "body " + std::to_string(body), "a free body of the scene");
}

Vec3 MujocoState::body_position(int body) const {
  need_view_positions();
  return vec3(view_->xpos + 3 * body);
}

Quat MujocoState::body_rotation(int body) const {
  need_view_positions();
  return quat_from_wxyz(view_->xquat + 4 * body);
}

Vec3 MujocoState::body_velocity_at(int body, const Vec3& world_point) const {
  if (m_->body_weldid[body] == 0) return Vec3::Zero();
  need_view_velocities();
  // cvel is (angular, linear) about the centre of mass of the body's kinematic tree.
  const double* cvel = view_->cvel + 6 * body;
  return vec3(cvel + 3) +
         vec3(cvel).cross(world_point - vec3(view_->subtree_com + 3 * m_->body_rootid[body]));
}

void MujocoState::apply_force(int body, const Vec3& force, const Vec3& world_point) {
  need_view_positions();
  apply(body, force, (world_point - vec3(view_->xipos + 3 * body)).cross(force));
}

void MujocoState::apply(int body, const Vec3& force, const Vec3& torque) {
  Eigen::Map<Vec3>{&body_forces_[6 * body]} += force;
  Eigen::Map<Vec3>{&body_forces_[6 * body + 3]} += torque;
}

void MujocoState::prescribe(double t) {
  for (const auto& platform : scene_->platforms) {
    Eigen::Map<Vec3>{data_->qpos + platform.first_q} = platform.spec.offset(t);
    Eigen::Map<Vec3>{data_->qvel + platform.first_v} = platform.spec.velocity(t);
  }
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (!waiting_[i]) continue;
    const FreeBodySlot& slot = scene_->free_bodies[i];
    std::copy_n(m_->qpos0 + slot.first_q, 7, data_->qpos + slot.first_q);
    std::fill_n(data_->qvel + slot.first_v, 6, 0.0);
  }
}

void MujocoState::forget_inputs() {
  std::fill(forces_.begin(), forces_.end(), 0.0);
  std::fill(body_forces_.begin(), body_forces_.end(), 0.0);
}

void MujocoState::take_kinematics() {
  need_view_velocities();
  const mjModel& m = *m_;
  const mjData& from = *view_;
  mjData& to = *data_;
  const auto copy = [](const double* source, auto count, double* target) {
    std::copy_n(source, count, target);
  };
  copy(from.xpos, 3 * m.nbody, to.xpos);
  copy(from.xquat, 4 * m.nbody, to.xquat);
  copy(from.xmat, 9 * m.nbody, to.xmat);
  copy(from.xipos, 3 * m.nbody, to.xipos);
  copy(from.ximat, 9 * m.nbody, to.ximat);
  copy(from.xanchor, 3 * m.njnt, to.xanchor);
  copy(from.xaxis, 3 * m.njnt, to.xaxis);
  copy(from.geom_xpos, 3 * m.ngeom, to.geom_xpos);
  copy(from.geom_xmat, 9 * m.ngeom, to.geom_xmat);
  copy(from.subtree_com, 3 * m.nbody, to.subtree_com);
  copy(from.cinert, 10 * m.nbody, to.cinert);
  copy(from.cdof, 6 * m.nv, to.cdof);
  copy(from.cvel, 6 * m.nbody, to.cvel);
  copy(from.cdof_dot, 6 * m.nv, to.cdof_dot);
}

bool MujocoState::has_reaction(int body) const {
  return m_->body_jntnum[body] > 0 && m_->jnt_type[m_->body_jntadr[body]] != mjJNT_FREE;
}

Wrench MujocoState::reaction_at_joint(int body) const {
  // cfrc_int is (torque, force) about the centre of mass of the kinematic tree.
  const double* spatial = data_->cfrc_int + 6 * body;
  const Vec3 arm =
      vec3(data_->subtree_com + 3 * m_->body_rootid[body]) - vec3(data_->xanchor + 3 * m_->body_jntadr[body]);
  const Vec3 force = vec3(spatial + 3);
  return {force, vec3(spatial) + arm.cross(force)};
}

Vec3 MujocoState::acceleration_of(int body) const {
  double acceleration
      [6];  // rotation, translation; MuJoCo counts gravity as an acceleration of the world upwards
  mj_objectAcceleration(m_, data_.get(), mjOBJ_BODY, body, acceleration, 0);
  return vec3(acceleration + 3) + vec3(m_->opt.gravity);
}

void MujocoState::need_view_positions() const {
  if (view_positions_) return;
  std::copy_n(data_->qpos, m_->nq, view_->qpos);
  mj_kinematics(m_, view_.get());
  view_positions_ = true;
}

void MujocoState::need_view_velocities() const {
  if (view_velocities_) return;
  need_view_positions();
  std::copy_n(data_->qvel, m_->nv, view_->qvel);
  mj_comPos(m_, view_.get());
  mj_comVel(m_, view_.get());
  view_velocities_ = true;
}

}  // namespace stunt
