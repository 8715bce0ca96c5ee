#include "stunt/actor/dynamics.h"

#include <cassert>

namespace stunt {

ActorDynamics::ActorDynamics(ActorPtr actor)
    : actor_(std::move(actor)),
      model_(actor_->model()),
      data_(mj_makeData(&model_)),
      mass_matrix_(model_.nv, model_.nv),
      bias_(model_.nv),
      gravity_bias_(model_.nv),
      cacc_(6, model_.nbody) {
  set_state(actor_->rest_q(), VecX::Zero(model_.nv));
}

void ActorDynamics::set_state(const VecX& q, const VecX& v) {
  assert(q.size() == model_.nq && v.size() == model_.nv);
  mju_copy(data_->qpos, q.data(), static_cast<int>(model_.nq));
  mju_copy(data_->qvel, v.data(), static_cast<int>(model_.nv));
  positions_ = velocities_ = crb_ = mass_ = bias_done_ = gravity_done_ = bias_accelerations_ = false;
}

void ActorDynamics::need_positions() {
  if (positions_) return;
  mj_kinematics(&model_, data_.get());
  mj_comPos(&model_, data_.get());
  positions_ = true;
}

void ActorDynamics::need_velocities() {
  if (velocities_) return;
  need_positions();
  mj_comVel(&model_, data_.get());
  velocities_ = true;
}

void ActorDynamics::need_crb() {
  if (crb_) return;
  need_positions();
  mj_makeM(&model_, data_.get());
  crb_ = true;
}

// Spatial acceleration of every body for joint accelerations of zero and no gravity, by one pass from the
// root: cacc = cacc(parent) + sum over its dofs of cdof_dot v. MuJoCo's spatial vectors are (rotation,
// translation) about the centre of mass of the whole tree, at rest in the world.
void ActorDynamics::need_bias_accelerations() {
  if (bias_accelerations_) return;
  need_velocities();
  cacc_.col(0).setZero();
  for (int b = 1; b < model_.nbody; ++b) {
    cacc_.col(b) = cacc_.col(model_.body_parentid[b]);
    for (int i = 0; i < model_.body_dofnum[b]; ++i) {
      const int dof = model_.body_dofadr[b] + i;
      cacc_.col(b) +=
          Eigen::Map<const Eigen::Matrix<double, 6, 1>>(&data_->cdof_dot[6 * dof]) * data_->qvel[dof];
    }
  }
  bias_accelerations_ = true;
}

Vec3 ActorDynamics::body_position(int body) {
  need_positions();
  return vec3(&data_->xpos[3 * (body + 1)]);
}

Quat ActorDynamics::body_rotation(int body) {
  need_positions();
  return quat_from_wxyz(&data_->xquat[4 * (body + 1)]);
}

Vec3 ActorDynamics::body_angular_velocity(int body) {
  need_velocities();
  return vec3(&data_->cvel[6 * (body + 1)]);
}

Vec3 ActorDynamics::point(int body, const Vec3& local) {
  return body_position(body) + body_rotation(body) * local;
}

Vec3 ActorDynamics::point_velocity(int body, const Vec3& world) {
  need_velocities();
  const double* cvel = &data_->cvel[6 * (body + 1)];
  const Vec3 arm = world - vec3(&data_->subtree_com[3 * model_.body_rootid[body + 1]]);
  return vec3(cvel + 3) + vec3(cvel).cross(arm);
}

void ActorDynamics::point_jacobian(int body, const Vec3& world, Jacobian& J) {
  need_positions();
  J.resize(3, model_.nv);
  mj_jac(&model_, data_.get(), J.data(), nullptr, world.data(), body + 1);
}

void ActorDynamics::rotation_jacobian(int body, Jacobian& J) {
  need_positions();
  J.resize(3, model_.nv);
  const Vec3 anywhere = Vec3::Zero();
  mj_jac(&model_, data_.get(), nullptr, J.data(), anywhere.data(), body + 1);
}

// The classical acceleration of a material point from the spatial one: a = a_spatial + alpha x arm + omega x
// v.
Vec3 ActorDynamics::point_bias_acceleration(int body, const Vec3& world) {
  need_bias_accelerations();
  const Vec3 arm = world - vec3(&data_->subtree_com[3 * model_.body_rootid[body + 1]]);
  const Vec3 alpha = cacc_.col(body + 1).head<3>();
  const Vec3 omega = vec3(&data_->cvel[6 * (body + 1)]);
  return cacc_.col(body + 1).tail<3>() + alpha.cross(arm) + omega.cross(point_velocity(body, world));
}

Vec3 ActorDynamics::rotation_bias_acceleration(int body) {
  need_bias_accelerations();
  return cacc_.col(body + 1).head<3>();
}

Vec3 ActorDynamics::com() {
  need_positions();
  return vec3(&data_->subtree_com[3]);
}

Vec3 ActorDynamics::com_velocity() { return linear_momentum() / actor_->mass(); }

// The first rows of a free root's inertia are the linear momentum per velocity.
void ActorDynamics::com_jacobian(Jacobian& J) {
  J.resize(3, model_.nv);
  if (actor_->has_free_root()) {
    J = mass_matrix().topRows<3>() / actor_->mass();
    for (int i = 0; i < 3; ++i) J(i, i) -= model_.dof_armature[i] / actor_->mass();
    return;
  }
  need_positions();
  mj_jacSubtreeCom(&model_, data_.get(), J.data(), 1);
}

Vec3 ActorDynamics::com_bias_acceleration() {
  Vec3 sum = Vec3::Zero();
  for (int b = 1; b < model_.nbody; ++b) {
    sum += model_.body_mass[b] * point_bias_acceleration(b - 1, vec3(&data_->xipos[3 * b]));
  }
  return sum / actor_->mass();
}

Vec3 ActorDynamics::linear_momentum() {
  Vec3 sum = Vec3::Zero();
  for (int b = 1; b < model_.nbody; ++b) {
    need_velocities();
    sum += model_.body_mass[b] * point_velocity(b - 1, vec3(&data_->xipos[3 * b]));
  }
  return sum;
}

Vec3 ActorDynamics::angular_momentum() {
  const Vec3 centre = com();
  need_velocities();
  Vec3 sum = Vec3::Zero();
  for (int b = 1; b < model_.nbody; ++b) {
    const Vec3 position = vec3(&data_->xipos[3 * b]);
    const Mat3 axes = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&data_->ximat[9 * b]);
    const Vec3 omega = vec3(&data_->cvel[6 * b]);
    sum += axes * (vec3(&model_.body_inertia[3 * b]).asDiagonal() * (axes.transpose() * omega));
    sum += model_.body_mass[b] * (position - centre).cross(point_velocity(b - 1, position));
  }
  return sum;
}

void ActorDynamics::angular_momentum_matrix(Jacobian& A) {
  need_positions();
  A.resize(3, model_.nv);
  mj_angmomMat(&model_, data_.get(), A.data(), 1);
}

double ActorDynamics::kinetic_energy() {
  const RowMatX& M = mass_matrix();
  const Eigen::Map<const VecX> v(data_->qvel, model_.nv);
  return 0.5 * v.dot(M * v);
}

const RowMatX& ActorDynamics::mass_matrix() {
  if (!mass_) {
    need_crb();
    mj_fullM(&model_, data_.get(), mass_matrix_.data());
    mass_ = true;
  }
  return mass_matrix_;
}

const VecX& ActorDynamics::bias() {
  if (!bias_done_) {
    need_velocities();
    mj_rne(&model_, data_.get(), 0, bias_.data());
    bias_done_ = true;
  }
  return bias_;
}

// The recursion reads cvel and cdof_dot, so they are computed for zero velocity and then again on the next
// need.
const VecX& ActorDynamics::gravity_bias() {
  if (!gravity_done_) {
    need_positions();
    const int nbody = static_cast<int>(model_.nbody), nv = static_cast<int>(model_.nv);
    mju_zero(data_->cvel, 6 * nbody);
    mju_zero(data_->cdof_dot, 6 * nv);
    for (int i = 0; i < nv; ++i) gravity_bias_[i] = data_->qvel[i];  // kept while velocities are zeroed
    mju_zero(data_->qvel, nv);
    VecX::Map(data_->qfrc_bias, nv).setZero();
    mj_rne(&model_, data_.get(), 0, data_->qfrc_bias);
    for (int i = 0; i < nv; ++i) std::swap(gravity_bias_[i], data_->qfrc_bias[i]);
    mju_copy(data_->qvel, data_->qfrc_bias, nv);
    velocities_ = bias_accelerations_ = false;
    gravity_done_ = true;
  }
  return gravity_bias_;
}

void ActorDynamics::inverse_dynamics(const VecX& a, VecX& tau) {
  need_velocities();
  tau.resize(model_.nv);
  mju_copy(data_->qacc, a.data(), static_cast<int>(model_.nv));
  mj_rne(&model_, data_.get(), 1, tau.data());
  for (int i = 0; i < model_.nv; ++i) tau[i] += model_.dof_armature[i] * a[i];
}

Mat3 ActorDynamics::composite_inertia(int joint) {
  need_positions();
  const int first = actor_->joints()[joint].body + 1;
  const Vec3 anchor = vec3(&data_->xanchor[3 * joint]);
  Mat3 sum = Mat3::Zero();
  // Bodies are numbered depth first, so those below `first` follow it directly.
  for (int b = first; b < model_.nbody && (b == first || model_.body_parentid[b] >= first); ++b) {
    const Mat3 axes = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&data_->ximat[9 * b]);
    const Vec3 arm = vec3(&data_->xipos[3 * b]) - anchor;
    sum += axes * vec3(&model_.body_inertia[3 * b]).asDiagonal() * axes.transpose();
    sum += model_.body_mass[b] * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  }
  return sum;
}

}  // namespace stunt
