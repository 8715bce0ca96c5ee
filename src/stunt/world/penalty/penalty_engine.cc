#include "stunt/world/penalty/penalty_engine.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "stunt/actor/mujoco_messages.h"
#include "stunt/core/error.h"
#include "stunt/world/mujoco/mujoco_state.h"
#include "stunt/world/penalty/touch_pairs.h"
#include "stunt/world/penalty/tree_matrix.h"

namespace stunt {
namespace {

constexpr int kSolves = 4;         // of one step, at most
constexpr double kSticking = 1e5;  // N s/m, along the surface where nothing slides
constexpr double kOverCone =
    1.3;  // friction may exceed its cone by this factor while a point slides faster and faster
constexpr double kLeastSpeed = 1e-9;  // m/s

void refuse_what_it_lacks(const mjModel& m) {
  const auto refuse = [](bool there, const char* what) {
    if (there) throw InputError("engine penalty", what, "a scene without, or engine mujoco");
  };
  const auto any = [](const double* values, auto count) {
    return std::any_of(values, values + count, [](double value) { return value != 0; });
  };
  refuse(m.ntendon > 0, "tendons");
  refuse(m.neq > 0, "equality constraints");
  refuse(any(m.dof_frictionloss, m.nv), "dry friction in a joint (frictionloss)");
  refuse(any(m.jnt_stiffnesspoly, mjNPOLY * m.njnt) || any(m.dof_dampingpoly, mjNPOLY * m.nv),
         "joint springs or dampers that are not linear");
  refuse(m.opt.density > 0 || m.opt.viscosity > 0, "a fluid");
}

class PenaltyEngine final : public MujocoState {
 public:
  explicit PenaltyEngine(std::shared_ptr<const CompiledScene> scene)
      : MujocoState(std::move(scene)),
        pairs_(*m_),
        base_(*m_),
        system_(*m_),
        chain_end_(m_->nbody, -1),
        platform_of_(m_->nbody, -1),
        cos_half_limit_(m_->njnt, 0.0),
        now_(1 + m_->nq + m_->nv, 0.0),
        before_(now_.size(), 0.0),
        bias_(m_->nv, 0.0),
        total_(m_->nv, 0.0),
        dv_(m_->nv, 0.0) {
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
      cos_half_limit_[joint] =
          std::cos(std::min(std::max(m_->jnt_range[2 * joint], m_->jnt_range[2 * joint + 1]), kPi) / 2);
    }
    for (int dof = 0; dof < m_->nv; ++dof) {
      if (m_->dof_damping[dof] != 0) damped_.push_back(dof);
    }
    for (int body = 1; body < m_->nbody; ++body) {
      if (m_->body_gravcomp[body] != 0) floating_.push_back(body);
    }
    touches_.reserve(256);
    points_.reserve(256);
    contacts_.reserve(256);
    stops_.reserve(limits_.size());
    inputs_kept_.reserve(body_forces_.size());
    make_room(64 * 3 * static_cast<std::size_t>(m_->nv), 48);
  }

  std::string name() const override { return "penalty"; }

  void step() override {
    read_state(before_);
    std::copy(forces_.begin(), forces_.end(), data_->qfrc_applied);
    std::copy(body_forces_.begin(), body_forces_.end(), data_->xfrc_applied);
    accelerate();
    for (int i = 0; i < m_->nv; ++i) data_->qvel[i] += dv_[i];
    mj_integratePos(m_, data_->qpos, data_->qvel, timestep());
    data_->time += timestep();
    prescribe(time());

    forget_inputs();
    forget_view();
    contacts_known_ = reactions_known_ = results_stale_ = false;
    stepped_ = true;
  }

  std::span<const Contact> contacts() override {
    if (!contacts_known_) {
      refresh_results();
      contacts_.clear();
      for (const Point& point : points_) {
        if (!stepped_ || !point.pushes) continue;
        const Touch& touch = touches_[point.touch];
        contacts_.push_back(
            {touch.body1, touch.body2, touch.point, touch.normal, force_of(point), touch.depth});
      }
      contacts_known_ = true;
    }
    return contacts_;
  }

  Wrench joint_reaction(int body) override {
    if (!stepped_ || !has_reaction(body)) return {Vec3::Zero(), Vec3::Zero()};
    need_reactions();
    return reaction_at_joint(body);
  }

  Vec3 body_acceleration(int body) override {
    if (!stepped_ || m_->body_weldid[body] == 0) return Vec3::Zero();
    need_reactions();
    return acceleration_of(body);
  }

  // The state, and what the last step started from: its results are computed again when asked for.
  Snapshot save() const override {
    Snapshot snapshot;
    auto& values = snapshot.values;
    const auto append = [&](const auto& from) { values.insert(values.end(), from.begin(), from.end()); };
    values.resize(now_.size());
    read_state(values);
    append(before_);
    values.insert(values.end(), data_->qfrc_applied, data_->qfrc_applied + m_->nv);
    values.insert(values.end(), data_->xfrc_applied, data_->xfrc_applied + 6 * m_->nbody);
    append(waiting_);
    values.push_back(stepped_);
    return snapshot;
  }

  void restore(const Snapshot& snapshot) override {
    const double* from = snapshot.values.data();
    const auto take = [&](auto* to, std::size_t count) {
      std::copy_n(from, count, to);
      from += count;
    };
    assert(snapshot.values.size() ==
           2 * now_.size() + forces_.size() + body_forces_.size() + waiting_.size() + 1);
    take(now_.data(), now_.size());
    write_state(now_);
    take(before_.data(), before_.size());
    take(data_->qfrc_applied, forces_.size());
    take(data_->xfrc_applied, body_forces_.size());
    for (char& waits : waiting_) waits = *from++ != 0;
    stepped_ = *from != 0;
    forget_inputs();
    forget_view();
    contacts_known_ = reactions_known_ = false;
    results_stale_ = true;
  }

 private:
  // A place where something touches. Rows are along the normal and two tangents, relative velocity of body 2; for a
  // single moving body along its chain, else over all degrees of freedom.
  struct Point {
    std::size_t touch;
    int dof;           // end of the chain of the only body that moves; -1 where both do
    std::size_t rows;  // where they begin in rows_
    Vec3 tangent1, tangent2;
    Vec3 drift;         // m/s, of the velocity that is not ours: a platform's
    Vec3 speed, after;  // m/s, at the start and the end of the step, in the contact's axes
    double grip;        // N s/m, of the damper along the surface
    bool pushes;
  };
  // A joint beyond its limit: a spring and damper that push back along `direction`.
  struct Stop {
    int dof, size;                     // 1, or 3 for a ball joint
    double direction[3];               // of growing depth
    double depth, stiffness, damping;  // rad or m, Nm/rad, Nm s/rad
    double speed, after;               // of growing depth, at the start and the end of the step
    bool pushes;
  };

  // The change of velocity in the coming step into dv_; contacts and forces stay in points_.
  void accelerate() {
    take_kinematics();
    mj_makeM(m_, data_.get());
    mj_rne(m_, data_.get(), 0, bias_.data());
    base_.set_mass(*data_);
    for (int i = 0; i < m_->nv; ++i) total_[i] = data_->qfrc_applied[i] - bias_[i];
    add_body_forces();
    add_dampers();
    add_springs();
    find_stops();
    find_points();
    for (int solves = 1;; ++solves) {
      solve();
      measure();
      if (solves == kSolves || !revise()) break;
    }
    for (int i = 0; i < m_->nv; ++i) data_->qacc[i] = dv_[i] / timestep();
  }

  void add_body_forces() {
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
  void add_wrench(int body, const Vec3& force, const Vec3& torque) {
    if (chain_end_[body] < 0) return;
    const Vec3 arm = vec3(data_->xipos + 3 * body) - vec3(data_->subtree_com + 3 * m_->body_rootid[body]);
    const Vec3 turn = torque + arm.cross(force);
    for (const int dof : base_.chain(chain_end_[body])) {
      const double* axis = data_->cdof + 6 * dof;
      total_[dof] += vec3(axis).dot(turn) + vec3(axis + 3).dot(force);
    }
  }

  void add_dampers() {
    for (const int dof : damped_) {
      base_.add_diagonal(dof, timestep() * m_->dof_damping[dof]);
      total_[dof] -= m_->dof_damping[dof] * data_->qvel[dof];
    }
  }

  void add_springs() {
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
  void add_spring(int dof, double stiffness, double stretch) {
    base_.add_diagonal(dof, timestep() * timestep() * stiffness);
    total_[dof] -= stiffness * (stretch + timestep() * data_->qvel[dof]);
  }

  void find_stops() {
    stops_.clear();
    for (const int joint : limits_) {
      const double *q = data_->qpos + m_->jnt_qposadr[joint], *range = m_->jnt_range + 2 * joint;
      const int dof = m_->jnt_dofadr[joint];
      if (m_->jnt_type[joint] == mjJNT_BALL) {
        const double most = std::max(range[0], range[1]);
        if (std::abs(q[0]) > cos_half_limit_[joint]) continue;  // within it
        double axis[3];
        mju_quat2Vel(axis, q, 1);
        const double angle = mju_normalize3(axis);
        if (angle > most) add_stop(joint, dof, 3, axis, angle - most);
        continue;
      }
      const double up = 1, down = -1;
      if (*q < range[0]) add_stop(joint, dof, 1, &down, range[0] - *q);
      if (*q > range[1]) add_stop(joint, dof, 1, &up, *q - range[1]);
    }
  }
  // As stiff as MuJoCo's limit at rest: its reference acceleration on the joint's own inertia, hardened by its impedance
  // (MuJoCo's documentation, "Solver parameters").
  void add_stop(int joint, int dof, int size, const double* direction, double depth) {
    const double* reference = m_->jnt_solref + mjNREF * joint;
    const double impedance = std::clamp(m_->jnt_solimp[mjNIMP * joint + 1], mjMINIMP, mjMAXIMP);
    const double hard = impedance / (1 - impedance) / m_->dof_invweight0[dof];
    Stop stop{.dof = dof,
              .size = size,
              .direction = {},
              .depth = depth,
              .stiffness = 0,
              .damping = 0,
              .speed = 0,
              .after = 0,
              .pushes = true};
    if (reference[0] > 0) {
      stop.stiffness = hard / std::pow(impedance * reference[0] * reference[1], 2);
      stop.damping = 2 * hard / (impedance * reference[0]);
    } else {
      stop.stiffness = -hard * reference[0] / (impedance * impedance);
      stop.damping = -hard * reference[1] / impedance;
    }
    for (int i = 0; i < size; ++i) {
      stop.direction[i] = direction[i];
      stop.speed += direction[i] * data_->qvel[dof + i];
    }
    stop.pushes = push_of(stop, stop.speed) > 0;
    stops_.push_back(stop);
  }
  double push_of(const Stop& stop, double speed) const {
    return stop.stiffness * (stop.depth + timestep() * speed) + stop.damping * speed;
  }

  void find_points() {
    touches_.clear();
    points_.clear();
    rows_used_ = 0;
    pairs_.find(*data_, touches_);
    const int nv = m_->nv;
    for (std::size_t i = 0; i < touches_.size(); ++i) {
      const Touch& touch = touches_[i];
      const int dof1 = chain_end_[touch.body1], dof2 = chain_end_[touch.body2];
      if (dof1 < 0 && dof2 < 0) continue;
      const bool both = dof1 >= 0 && dof2 >= 0;
      Point point{.touch = i,
                  .dof = both ? -1 : std::max(dof1, dof2),
                  .rows = rows_used_,
                  .tangent1 = touch.normal.unitOrthogonal(),
                  .tangent2 = Vec3::Zero(),
                  .drift = Vec3::Zero(),
                  .speed = Vec3::Zero(),
                  .after = Vec3::Zero(),
                  .grip = 0,
                  .pushes = false};
      point.tangent2 = touch.normal.cross(point.tangent1);
      const int stride = both ? nv : TreeMatrix::padded(static_cast<int>(base_.chain(point.dof).size()));
      make_room(rows_used_ + 3 * static_cast<std::size_t>(stride), 0);
      double* rows = &rows_[rows_used_];
      rows_used_ += 3 * static_cast<std::size_t>(stride);
      std::fill_n(rows, 3 * stride, 0.0);
      if (both) {
        fill_rows(point, touch.body1, -1, rows, stride, true);
        fill_rows(point, touch.body2, 1, rows, stride, true);
      } else {
        fill_rows(point, dof1 >= 0 ? touch.body1 : touch.body2, dof1 >= 0 ? -1 : 1, rows, stride, false);
      }
      add_drift(point, touch.body1, -1);
      add_drift(point, touch.body2, 1);
      point.speed = relative_velocity(point, data_->qvel) + point.drift;
      const double push = push_of(touch, point.speed.x());
      point.pushes = push > 0;
      point.grip = grip_for(touch, push, point.speed);
      points_.push_back(point);
    }
  }
  // Adds the velocity of the body's point, times sign, by the degrees of freedom of its chain.
  void fill_rows(const Point& point, int body, double sign, double* rows, int stride, bool over_all) const {
    const Touch& touch = touches_[point.touch];
    const Vec3 arm = touch.point - vec3(data_->subtree_com + 3 * m_->body_rootid[body]);
    const std::array<Vec3, 3> line{sign * touch.normal, sign * point.tangent1, sign * point.tangent2};
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
  void add_drift(Point& point, int body, double sign) const {
    if (platform_of_[body] < 0) return;
    const Vec3 velocity = scene_->platforms[platform_of_[body]].spec.velocity(time() + timestep());
    const Touch& touch = touches_[point.touch];
    point.drift +=
        sign * Vec3(touch.normal.dot(velocity), point.tangent1.dot(velocity), point.tangent2.dot(velocity));
  }
  Vec3 relative_velocity(const Point& point, const double* v) const {
    const double* rows = &rows_[point.rows];
    Vec3 velocity = Vec3::Zero();
    if (point.dof < 0) {
      for (int r = 0; r < 3; ++r) {
        for (int i = 0; i < m_->nv; ++i) velocity[r] += rows[r * m_->nv + i] * v[i];
      }
      return velocity;
    }
    const auto chain = base_.chain(point.dof);
    const int n = static_cast<int>(chain.size()), stride = TreeMatrix::padded(n);
    double x = 0, y = 0, z = 0;
    for (int a = 0; a < n; ++a) {
      const double value = v[chain[a]];
      x += rows[a] * value;
      y += rows[stride + a] * value;
      z += rows[2 * stride + a] * value;
    }
    return {x, y, z};
  }

  // N, along the normal, where the surfaces part with this speed at the end of the step.
  double push_of(const Touch& touch, double speed) const {
    const ContactSpec& contact = scene_->contact;
    return contact.stiffness * (touch.depth - timestep() * speed) - contact.damping * speed;
  }
  static double grip_for(const Touch& touch, double push, const Vec3& speed) {
    const double sliding = std::max(speed.tail<2>().norm(), kLeastSpeed);
    return std::min(kSticking, touch.friction * std::max(push, 0.0) / sliding);
  }
  Vec3 force_of(const Point& point) const {
    const Touch& touch = touches_[point.touch];
    return push_of(touch, point.after.x()) * touch.normal -
           point.grip * (point.after.y() * point.tangent1 + point.after.z() * point.tangent2);
  }

  void solve() {
    const double h = timestep();
    system_.copy_entries(base_);
    for (int i = 0; i < m_->nv; ++i) dv_[i] = h * total_[i];
    for (const Stop& stop : stops_) {
      if (!stop.pushes) continue;
      const double weight = h * (stop.damping + h * stop.stiffness), push = h * push_of(stop, stop.speed);
      if (stop.size == 1) {
        system_.add_diagonal(stop.dof, weight);
      } else {
        system_.add_block(stop.dof, stop.direction, weight);
      }
      for (int i = 0; i < stop.size; ++i) dv_[stop.dof + i] -= push * stop.direction[i];
    }
    int between = 0;  // rows of contacts between two moving bodies
    for (const Point& point : points_) {
      if (!point.pushes) continue;
      const double normal = h * (scene_->contact.damping + h * scene_->contact.stiffness);
      const double weight[3] = {normal, h * point.grip, h * point.grip};
      const double impulse[3] = {h * push_of(touches_[point.touch], point.speed.x()),
                                 -weight[1] * point.speed.y(), -weight[2] * point.speed.z()};
      const double* rows = &rows_[point.rows];
      if (point.dof < 0) {
        for (int r = 0; r < 3; ++r) {
          for (int i = 0; i < m_->nv; ++i) dv_[i] += impulse[r] * rows[r * m_->nv + i];
        }
        between += 3;
        continue;
      }
      system_.add_three_rows(point.dof, rows, weight);
      const auto chain = base_.chain(point.dof);
      const int n = static_cast<int>(chain.size()), stride = TreeMatrix::padded(n);
      for (int a = 0; a < n; ++a) {
        dv_[chain[a]] +=
            impulse[0] * rows[a] + impulse[1] * rows[stride + a] + impulse[2] * rows[2 * stride + a];
      }
    }
    system_.factor();
    system_.solve(dv_.data());
    if (between > 0) correct_for_contacts_between(between);
  }

  // (A + J^T C J)^-1 b = x - W S^-1 J x, with x = A^-1 b, W = A^-1 J^T, S = C^-1 + J W (Woodbury).
  void correct_for_contacts_between(int most) {
    const double h = timestep(), normal = h * (scene_->contact.damping + h * scene_->contact.stiffness);
    const int nv = m_->nv;
    make_room(0, most);
    int count = 0;
    for (const Point& point : points_) {
      if (!point.pushes || point.dof >= 0) continue;
      for (int r = 0; r < 3; ++r) {
        const double weight = r == 0 ? normal : h * point.grip;
        if (weight <= 0) continue;
        between_rows_[count] = &rows_[point.rows + static_cast<std::size_t>(r * nv)];
        between_softness_[count] = 1 / weight;
        double* column = &between_solved_[static_cast<std::size_t>(count * nv)];
        std::copy_n(between_rows_[count], nv, column);
        system_.solve(column);
        ++count;
      }
    }
    using Vector = Eigen::Map<const Eigen::VectorXd>;
    auto schur = schur_.topLeftCorner(count, count);
    auto load = load_.head(count);
    for (int i = 0; i < count; ++i) {
      const Vector row(between_rows_[i], nv);
      for (int j = 0; j <= i; ++j) {
        schur(i, j) = row.dot(Vector(&between_solved_[static_cast<std::size_t>(j * nv)], nv));
      }
      schur(i, i) += between_softness_[i];
      load[i] = row.dot(Vector(dv_.data(), nv));
    }
    Eigen::Ref<Eigen::MatrixXd> in_place(schur);
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(in_place);
    factor.solveInPlace(load);
    for (int i = 0; i < count; ++i) {
      Eigen::Map<Eigen::VectorXd>(dv_.data(), nv) -=
          load[i] * Vector(&between_solved_[static_cast<std::size_t>(i * nv)], nv);
    }
  }

  void measure() {
    for (Stop& stop : stops_) {
      stop.after = stop.speed;
      for (int i = 0; i < stop.size; ++i) stop.after += stop.direction[i] * dv_[stop.dof + i];
    }
    for (Point& point : points_) point.after = point.speed + relative_velocity(point, dv_.data());
  }

  // Whether a spring pulls, one that was left out would push, or friction exceeds its cone: the step is then to be solved
  // again.
  bool revise() {
    bool again = false;
    for (Stop& stop : stops_) {
      const bool pushes = push_of(stop, stop.after) > 0;
      again = again || pushes != stop.pushes;
      stop.pushes = pushes;
    }
    for (Point& point : points_) {
      const Touch& touch = touches_[point.touch];
      const double push = push_of(touch, point.after.x());
      const bool pushes = push > 0;
      const bool over_cone = point.grip * point.after.tail<2>().norm() > kOverCone * touch.friction * push;
      if (pushes != point.pushes || (pushes && over_cone)) {
        point.pushes = pushes;
        point.grip = grip_for(touch, push, point.after);
        again = true;
      }
    }
    return again;
  }

  // Joint forces and body accelerations of the last step: contact forces count as forces from outside.
  void need_reactions() {
    if (reactions_known_) return;
    refresh_results();
    inputs_kept_.assign(data_->xfrc_applied, data_->xfrc_applied + 6 * m_->nbody);
    for (const Point& point : points_) {
      if (!point.pushes) continue;
      const Touch& touch = touches_[point.touch];
      add_to_body(touch.body1, -force_of(point), touch.point);
      add_to_body(touch.body2, force_of(point), touch.point);
    }
    read_state(now_);
    std::copy_n(&before_[1 + static_cast<std::size_t>(m_->nq)], m_->nv, data_->qvel);
    mj_rnePostConstraint(m_, data_.get());
    write_state(now_);
    std::copy(inputs_kept_.begin(), inputs_kept_.end(), data_->xfrc_applied);
    reactions_known_ = true;
  }
  void add_to_body(int body, const Vec3& force, const Vec3& point) {
    Eigen::Map<Vec3>{data_->xfrc_applied + 6 * body} += force;
    Eigen::Map<Vec3>{data_->xfrc_applied + 6 * body + 3} +=
        (point - vec3(data_->xipos + 3 * body)).cross(force);
  }

  void refresh_results() {
    if (!results_stale_ || !stepped_) return;
    read_state(now_);
    write_state(before_);
    forget_view();
    accelerate();
    write_state(now_);
    forget_view();
    results_stale_ = false;
  }

  // Time, q, v.
  void read_state(std::vector<double>& into) const {
    into[0] = data_->time;
    std::copy_n(data_->qpos, m_->nq, &into[1]);
    std::copy_n(data_->qvel, m_->nv, &into[1 + static_cast<std::size_t>(m_->nq)]);
  }
  void write_state(const std::vector<double>& from) {
    data_->time = from[0];
    std::copy_n(&from[1], m_->nq, data_->qpos);
    std::copy_n(&from[1 + static_cast<std::size_t>(m_->nq)], m_->nv, data_->qvel);
  }

  void make_room(std::size_t row_numbers, int between) {
    if (rows_.size() < row_numbers) rows_.resize(2 * row_numbers);
    if (static_cast<int>(between_rows_.size()) < between) {
      between *= 2;
      between_rows_.resize(static_cast<std::size_t>(between));
      between_softness_.resize(static_cast<std::size_t>(between));
      between_solved_.resize(static_cast<std::size_t>(between * m_->nv));
      schur_.resize(between, between);
      load_.resize(between);
    }
  }

  TouchPairs pairs_;
  TreeMatrix base_, system_;           // without and with contacts and stops
  std::vector<int> chain_end_;         // per body: the last degree of freedom that moves it; -1: nothing does
  std::vector<int> platform_of_;       // per body; -1: none
  std::vector<int> springs_, limits_;  // joints
  std::vector<int> damped_;            // degrees of freedom
  std::vector<int> floating_;          // bodies with gravity compensation
  std::vector<double> cos_half_limit_;     // per joint, of a ball joint's largest angle
  std::vector<double> now_, before_;       // states: the present one, set aside; the last step's start
  std::vector<double> bias_, total_, dv_;  // nv: N or Nm; m/s or rad/s
  std::vector<Touch> touches_;
  std::vector<Point> points_;
  std::vector<Stop> stops_;
  std::vector<double> rows_;
  std::size_t rows_used_ = 0;
  std::vector<const double*> between_rows_;
  std::vector<double> between_softness_, between_solved_;
  Eigen::MatrixXd schur_;
  Eigen::VectorXd load_;
  std::vector<double> inputs_kept_;
  std::vector<Contact> contacts_;
  bool contacts_known_ = false, reactions_known_ = false;
  bool results_stale_ = false;  // points_ and data_ lack what the last step computed
  bool stepped_ = false;        // there was a last step
};

}  // namespace

std::unique_ptr<Engine> make_penalty_engine(std::shared_ptr<const CompiledScene> scene) {
  hook_mujoco_messages();
  refuse_what_it_lacks(*scene->model);
  return std::make_unique<PenaltyEngine>(std::move(scene));
}

}  // namespace stunt
