#include "stunt/world/mujoco/implicit_engine.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr std::size_t kContactNumbers = 13;

void refuse_what_it_lacks(const std::string& name, const CompiledScene& scene, bool has_grips) {
  const mjModel& m = *scene.model;
  const auto refuse = [&](bool there, const char* what) {
    if (there) throw InputError("engine " + name, what, "a scene without, or engine mujoco");
  };
  const auto any = [](const double* values, auto count) {
    return std::any_of(values, values + count, [](double value) { return value != 0; });
  };
  refuse(m.ntendon > 0, "tendons");
  refuse(!scene.grips.empty() && !has_grips, "a grip");
  refuse(m.neq > static_cast<int>(scene.grips.size()), "equality constraints");
  refuse(any(m.dof_frictionloss, m.nv), "dry friction in a joint (frictionloss)");
  refuse(any(m.jnt_stiffnesspoly, mjNPOLY * m.njnt) || any(m.dof_dampingpoly, mjNPOLY * m.nv),
         "joint springs or dampers that are not linear");
  refuse(m.opt.density > 0 || m.opt.viscosity > 0, "a fluid");
}

}  // namespace

ImplicitEngine::ImplicitEngine(const std::string& name, std::shared_ptr<const CompiledScene> scene,
                               Grip grips)
    : MujocoState(std::move(scene)),
      base_(*m_),
      chain_end_(m_->nbody, -1),
      total_(m_->nv, 0.0),
      dv_(m_->nv, 0.0),
      platform_of_(m_->nbody, -1),
      now_(1 + m_->nq + m_->nv, 0.0),
      before_(now_.size(), 0.0),
      bias_(m_->nv, 0.0) {
  refuse_what_it_lacks(name, *scene_, grips == Grip::held);
  for (int body = 1; body < m_->nbody; ++body) {
    chain_end_[body] = m_->body_dofnum[body] > 0 ? m_->body_dofadr[body] + m_->body_dofnum[body] - 1
                                                 : chain_end_[m_->body_parentid[body]];
  }
  for (std::size_t i = 0; i < scene_->platforms.size(); ++i) {
    platform_of_[scene_->platforms[i].body] = static_cast<int>(i);
    chain_end_[scene_->platforms[i].body] = -1;  // nothing that touches it moves it
  }
  for (int joint = 0; joint < m_->njnt; ++joint) {
    if (m_->jnt_stiffness[joint] != 0) springs_.push_back(joint);
    if (m_->jnt_limited[joint]) limits_.push_back(joint);
  }
  for (int dof = 0; dof < m_->nv; ++dof) {
    if (m_->dof_damping[dof] != 0) damped_.push_back(dof);
  }
  for (int body = 1; body < m_->nbody; ++body) {
    if (m_->body_gravcomp[body] != 0) floating_.push_back(body);
  }
  contacts_.reserve(256);
  inputs_kept_.reserve(body_forces_.size());
}

void ImplicitEngine::step() {
  read_state(before_);
  std::copy(forces_.begin(), forces_.end(), data_->qfrc_applied);
  std::copy(body_forces_.begin(), body_forces_.end(), data_->xfrc_applied);
  contacts_.clear();
  accelerate();
  for (int i = 0; i < m_->nv; ++i) {
    data_->qacc[i] = dv_[i] / timestep();
    data_->qvel[i] += dv_[i];
  }
  mj_integratePos(m_, data_->qpos, data_->qvel, timestep());
  data_->time += timestep();
  prescribe(time());

  forget_inputs();
  forget_view();
  reactions_known_ = results_stale_ = false;
  stepped_ = true;
}

Wrench ImplicitEngine::joint_reaction(int body) {
  if (!stepped_ || !has_reaction(body)) return {Vec3::Zero(), Vec3::Zero()};
  need_reactions();
  return reaction_at_joint(body);
}

Vec3 ImplicitEngine::body_acceleration(int body) {
  if (!stepped_ || m_->body_weldid[body] == 0) return Vec3::Zero();
  need_reactions();
  return acceleration_of(body);
}

// The state, and what the last step started from and came to.
Snapshot ImplicitEngine::save() const {
  Snapshot snapshot;
  auto& values = snapshot.values;
  const auto append = [&](const auto& from) { values.insert(values.end(), from.begin(), from.end()); };
  values.resize(now_.size());
  read_state(values);
  append(before_);
  append(dv_);
  values.insert(values.end(), data_->qfrc_applied, data_->qfrc_applied + m_->nv);
  values.insert(values.end(), data_->xfrc_applied, data_->xfrc_applied + 6 * m_->nbody);
  append(waiting_);
  values.push_back(stepped_);
  values.push_back(static_cast<double>(contacts_.size()));
  for (const Contact& c : contacts_) {
    append(std::array<double, kContactNumbers>{static_cast<double>(c.body1), static_cast<double>(c.body2),
                                               c.depth, c.point.x(), c.point.y(), c.point.z(), c.normal.x(),
                                               c.normal.y(), c.normal.z(), c.force.x(), c.force.y(),
                                               c.force.z(), static_cast<double>(c.grip)});
  }
  return snapshot;
}

void ImplicitEngine::restore(const Snapshot& snapshot) {
  const double* from = snapshot.values.data();
  const auto take = [&](auto* to, std::size_t count) {
    std::copy_n(from, count, to);
    from += count;
  };
  take(now_.data(), now_.size());
  write_state(now_);
  take(before_.data(), before_.size());
  take(dv_.data(), dv_.size());
  take(data_->qfrc_applied, forces_.size());
  take(data_->xfrc_applied, body_forces_.size());
  for (char& waits : waiting_) waits = *from++ != 0;
  stepped_ = *from++ != 0;
  const auto count = static_cast<std::size_t>(*from++);
  contacts_.clear();
  for (std::size_t i = 0; i < count; ++i, from += kContactNumbers) {
    contacts_.push_back({static_cast<int>(from[0]), static_cast<int>(from[1]), vec3(from + 3), vec3(from + 6),
                         vec3(from + 9), from[2], static_cast<int>(from[12])});
  }
  assert(from <= snapshot.values.data() + snapshot.values.size());
  forget_inputs();
  forget_view();
  reactions_known_ = false;
  results_stale_ = true;
}

void ImplicitEngine::begin_step() {
  take_kinematics();
  mj_makeM(m_, data_.get());
  mj_rne(m_, data_.get(), 0, bias_.data());
  base_.set_mass(*data_);
  for (int i = 0; i < m_->nv; ++i) total_[i] = data_->qfrc_applied[i] - bias_[i];
  add_body_forces();
  add_dampers();
  add_springs();
}

void ImplicitEngine::add_body_forces() {
  for (int body = 1; body < m_->nbody; ++body) {
    const double* wrench = data_->xfrc_applied + 6 * body;
    if (std::any_of(wrench, wrench + 6, [](double value) { return value != 0; }))
      add_wrench(body, vec3(wrench), vec3(wrench + 3));
  }
  for (const int body : floating_) {
    const Vec3 lift = -m_->body_mass[body] * m_->body_gravcomp[body] * vec3(m_->opt.gravity);
    add_wrench(body, lift, Vec3::Zero());
  }
}

// At the body's centre of mass.
void ImplicitEngine::add_wrench(int body, const Vec3& force, const Vec3& torque) {
  if (chain_end_[body] < 0) return;
  const Vec3 arm = vec3(data_->xipos + 3 * body) - vec3(data_->subtree_com + 3 * m_->body_rootid[body]);
  const Vec3 turn = torque + arm.cross(force);
  for (const int dof : base_.chain(chain_end_[body])) {
    const double* axis = data_->cdof + 6 * dof;
    total_[dof] += vec3(axis).dot(turn) + vec3(axis + 3).dot(force);
  }
}

void ImplicitEngine::add_dampers() {
  for (const int dof : damped_) {
    base_.add_diagonal(dof, timestep() * m_->dof_damping[dof]);
    total_[dof] -= m_->dof_damping[dof] * data_->qvel[dof];
  }
}

void ImplicitEngine::add_springs() {
  for (const int joint : springs_) {
    const double* q = data_->qpos + m_->jnt_qposadr[joint];
    const double* rest = m_->qpos_spring + m_->jnt_qposadr[joint];
    int dof = m_->jnt_dofadr[joint];
    const int type = m_->jnt_type[joint];
    if (type == mjJNT_FREE) {
      for (int i = 0; i < 3; ++i) add_spring(dof++, m_->jnt_stiffness[joint], q[i] - rest[i]);
      q += 3;
      rest += 3;
    }
    if (type == mjJNT_HINGE || type == mjJNT_SLIDE) {
      add_spring(dof, m_->jnt_stiffness[joint], *q - *rest);
    } else {
      double stretch[3];
      mju_subQuat(stretch, q, rest);
      for (int i = 0; i < 3; ++i) add_spring(dof + i, m_->jnt_stiffness[joint], stretch[i]);
    }
  }
}

void ImplicitEngine::add_spring(int dof, double stiffness, double stretch) {
  base_.add_diagonal(dof, timestep() * timestep() * stiffness);
  total_[dof] -= stiffness * (stretch + timestep() * data_->qvel[dof]);
}

void ImplicitEngine::add_point_rows(int body, const Vec3& point, const Vec3 directions[3], double sign,
                                    bool over_all, int stride, double* rows) const {
  const Vec3 arm = point - vec3(data_->subtree_com + 3 * m_->body_rootid[body]);
  const std::array<Vec3, 3> line{sign * directions[0], sign * directions[1], sign * directions[2]};
  const std::array<Vec3, 3> turn{arm.cross(line[0]), arm.cross(line[1]), arm.cross(line[2])};
  int at = 0;
  for (const int dof : base_.chain(chain_end_[body])) {
    const double* axis = data_->cdof + 6 * dof;
    const int column = over_all ? dof : at++;
    for (int r = 0; r < 3; ++r) {
      rows[r * stride + column] += axis[0] * turn[r].x() + axis[1] * turn[r].y() + axis[2] * turn[r].z() +
                                   axis[3] * line[r].x() + axis[4] * line[r].y() + axis[5] * line[r].z();
    }
  }
}

Vec3 ImplicitEngine::prescribed_velocity(int body) const {
  if (platform_of_[body] < 0) return Vec3::Zero();
  return scene_->platforms[platform_of_[body]].spec.velocity(time() + timestep());
}

// Joint forces and body accelerations of the last step: contact forces count as forces from outside.
void ImplicitEngine::need_reactions() {
  if (reactions_known_) return;
  read_state(now_);
  if (results_stale_) {
    write_state(before_);
    forget_view();
    take_kinematics();
    forget_view();
    for (int i = 0; i < m_->nv; ++i) data_->qacc[i] = dv_[i] / timestep();
    results_stale_ = false;
  }
  inputs_kept_.assign(data_->xfrc_applied, data_->xfrc_applied + 6 * m_->nbody);
  for (const Contact& contact : contacts_) {
    add_to_body(contact.body1, -contact.force, contact.point);
    add_to_body(contact.body2, contact.force, contact.point);
  }
  std::copy_n(&before_[1 + static_cast<std::size_t>(m_->nq)], m_->nv, data_->qvel);
  mj_rnePostConstraint(m_, data_.get());
  write_state(now_);
  std::copy(inputs_kept_.begin(), inputs_kept_.end(), data_->xfrc_applied);
  reactions_known_ = true;
}

void ImplicitEngine::add_to_body(int body, const Vec3& force, const Vec3& point) {
  Eigen::Map<Vec3>{data_->xfrc_applied + 6 * body} += force;
  Eigen::Map<Vec3>{data_->xfrc_applied + 6 * body + 3} +=
      (point - vec3(data_->xipos + 3 * body)).cross(force);
}

void ImplicitEngine::read_state(std::vector<double>& into) const {
  into[0] = data_->time;
  std::copy_n(data_->qpos, m_->nq, &into[1]);
  std::copy_n(data_->qvel, m_->nv, &into[1 + static_cast<std::size_t>(m_->nq)]);
}

void ImplicitEngine::write_state(const std::vector<double>& from) {
  data_->time = from[0];
  std::copy_n(&from[1], m_->nq, data_->qpos);
  std::copy_n(&from[1 + static_cast<std::size_t>(m_->nq)], m_->nv, data_->qvel);
}

}  // namespace stunt
