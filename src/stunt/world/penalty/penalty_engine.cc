#include "stunt/world/penalty/penalty_engine.h"

#include <algorithm>
#include <cmath>

#include "stunt/actor/mujoco_messages.h"
#include "stunt/world/mujoco/implicit_engine.h"
#include "stunt/world/penalty/touch_pairs.h"

namespace stunt {
namespace {

constexpr int kSolves = 4;         // of one step, at most
constexpr double kSticking = 1e5;  // N s/m, along the surface where nothing slides
constexpr double kOverCone =
    1.3;  // friction may exceed its cone by this factor while a point slides faster and faster
constexpr double kLeastSpeed = 1e-9;  // m/s

class PenaltyEngine final : public ImplicitEngine {
 public:
  explicit PenaltyEngine(std::shared_ptr<const CompiledScene> scene)
      : ImplicitEngine("penalty", std::move(scene)),
        pairs_(*m_, "penalty"),
        system_(*m_),
        cos_half_limit_(m_->njnt, 0.0) {
    for (int joint = 0; joint < m_->njnt; ++joint) {
      cos_half_limit_[joint] =
          std::cos(std::min(std::max(m_->jnt_range[2 * joint], m_->jnt_range[2 * joint + 1]), kPi) / 2);
    }
    touches_.reserve(256);
    points_.reserve(256);
    stops_.reserve(limits_.size());
    make_room(64 * 3 * static_cast<std::size_t>(m_->nv), 48);
  }

  std::string name() const override { return "penalty"; }

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

  void accelerate() override {
    begin_step();
    find_stops();
    find_points();
    for (int solves = 1;; ++solves) {
      solve();
      measure();
      if (solves == kSolves || !revise()) break;
    }
    for (const Point& point : points_) {
      if (!point.pushes) continue;
      const Touch& touch = touches_[point.touch];
      contacts_.push_back(
          {touch.body1, touch.body2, touch.point, touch.normal, force_of(point), touch.depth});
    }
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
      const Vec3 directions[3] = {touch.normal, point.tangent1, point.tangent2};
      if (dof1 >= 0) add_point_rows(touch.body1, touch.point, directions, -1, both, stride, rows);
      if (dof2 >= 0) add_point_rows(touch.body2, touch.point, directions, 1, both, stride, rows);
      const Vec3 drift = prescribed_velocity(touch.body2) - prescribed_velocity(touch.body1);
      point.drift = {drift.dot(directions[0]), drift.dot(directions[1]), drift.dot(directions[2])};
      point.speed = relative_velocity(point, data_->qvel) + point.drift;
      const double push = push_of(touch, point.speed.x());
      point.pushes = push > 0;
      point.grip = grip_for(touch, push, point.speed);
      points_.push_back(point);
    }
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
  TreeMatrix system_;                   // with contacts and stops
  std::vector<double> cos_half_limit_;  // per joint, of a ball joint's largest angle
  std::vector<Touch> touches_;
  std::vector<Point> points_;
  std::vector<Stop> stops_;
  std::vector<double> rows_;
  std::size_t rows_used_ = 0;
  std::vector<const double*> between_rows_;
  std::vector<double> between_softness_, between_solved_;
  Eigen::MatrixXd schur_;
  Eigen::VectorXd load_;
};

}  // namespace

std::unique_ptr<Engine> make_penalty_engine(std::shared_ptr<const CompiledScene> scene) {
  hook_mujoco_messages();
  return std::make_unique<PenaltyEngine>(std::move(scene));
}

}  // namespace stunt
