#include "stunt/world/linearised/linearised_engine.h"

#include <algorithm>
#include <cmath>

#include "stunt/actor/mujoco_messages.h"
#include "stunt/core/error.h"
#include "stunt/world/contact_answer.h"
#include "stunt/world/linearised/contact_lcp.h"
#include "stunt/world/mujoco/implicit_engine.h"
#include "stunt/world/penalty/touch_pairs.h"

namespace stunt {
namespace {

constexpr double kFastest = 5;       // m/s, at which something may come and not be missed
constexpr double kNear = 0.002;      // m, above the surface at the end of the step: may still be pushed down
constexpr double kRest = 1e-4;       // m, of overlap at rest: so that what rests keeps touching
constexpr double kApart = 0.2;       // of an overlap is undone in a step,
constexpr double kApartSpeed = 0.5;  // but no faster than this, m/s; rad/s for joints
constexpr double kSliding = 1e-6;    // m/s: slower has no direction
constexpr int kUsualContacts = 32;   // room for

class LinearisedEngine final : public ImplicitEngine, public AsksForAnswer {
 public:
  explicit LinearisedEngine(std::shared_ptr<const CompiledScene> scene)
      : ImplicitEngine("linearised", std::move(scene)),
        pairs_(*m_, "linearised"),
        lcp_(kUsualContacts, static_cast<int>(limits_.size())) {
    touches_.reserve(256);
    points_.reserve(256);
    answered_.reserve(256);
    stops_.reserve(limits_.size());
    lcp_points_.reserve(256);
    stop_gaps_.reserve(limits_.size());
    free_velocity_ = constant_ = VecX::Zero(m_->nv);
    make_room(3 * kUsualContacts + static_cast<int>(limits_.size()));
  }

  std::string name() const override { return "linearised"; }
  void set_contact_answer(int actor, ContactAnswer* answer) override {
    if (answer && answering_ >= 0 && answering_ != actor)
      throw InputError("engine linearised", "two characters whose torques answer to contact forces", "one");
    if (!answer && answering_ != actor) return;
    answering_ = answer ? actor : -1;
    answer_from_ = answer;
  }

  Snapshot save() const override {
    Snapshot snapshot = ImplicitEngine::save();
    snapshot.values.insert(snapshot.values.end(), lcp_.guess().begin(), lcp_.guess().end());
    snapshot.values.push_back(static_cast<double>(lcp_.guess().size()));
    return snapshot;
  }
  void restore(const Snapshot& snapshot) override {
    ImplicitEngine::restore(snapshot);
    const auto count = static_cast<std::size_t>(snapshot.values.back());
    lcp_.set_guess(snapshot.values.data() + snapshot.values.size() - 1 - count, count);
  }

 private:
  struct Point {
    std::size_t touch;
    Vec3 tangent1, tangent2;
    double sign;   // of the force on the character that answers: -1 where it is the touch's first body
    int answered;  // among the points that it answers for; -1: none of them
  };
  struct Stop {
    int dof, size;        // 1, or 3 for a ball joint
    double direction[3];  // into the allowed range
    double gap;           // rad, m: of the way that is left
  };

  void accelerate() override {
    begin_step();
    base_.factor();
    const double h = timestep();
    for (int i = 0; i < m_->nv; ++i) free_velocity_[i] = h * total_[i];
    base_.solve(free_velocity_.data());
    free_velocity_ += VecX::Map(data_->qvel, m_->nv);
    find_points();
    find_stops();
    const int points = static_cast<int>(points_.size()), stops = static_cast<int>(stops_.size()),
              rows = 3 * points + stops;
    // What an impulse along each row does to the velocities; the torques' answer goes with it.
    for (int r = 0; r < rows; ++r) columns_.col(r) = rows_.row(r).transpose();
    if (answer_from_) ask();
    for (int r = 0; r < rows; ++r) base_.solve(columns_.col(r).data());
    auto J = rows_.topRows(rows);
    auto W = columns_.leftCols(rows);
    response_.topLeftCorner(rows, rows).noalias() = J * W;
    speed_.head(rows).noalias() = J * free_velocity_;
    for (int i = 0; i < points; ++i) {
      const Touch& touch = touches_[points_[i].touch];
      const Vec3 drift = prescribed_velocity(touch.body2) - prescribed_velocity(touch.body1);
      speed_[3 * i] += drift.dot(touch.normal);
      speed_[3 * i + 1] += drift.dot(points_[i].tangent1);
      speed_[3 * i + 2] += drift.dot(points_[i].tangent2);
      lcp_points_.push_back({touch.friction, allowed(-touch.depth + kRest)});
    }
    for (const Stop& stop : stops_) stop_gaps_.push_back(allowed(stop.gap));
    lcp_.solve(response_.topLeftCorner(rows, rows), speed_.head(rows), lcp_points_, stop_gaps_,
               impulses_.head(rows));
    free_velocity_.noalias() += W * impulses_.head(rows);
    for (int i = 0; i < m_->nv; ++i) dv_[i] = free_velocity_[i] - data_->qvel[i];
    for (int i = 0; i < points; ++i) report(i);
    if (answer_from_) apply_answer();
  }

  // The speed, taken negative, with which a gap (m, rad; below zero: overlap) may close; an overlap must open.
  double allowed(double gap) const {
    return gap >= 0 ? gap / timestep() : std::max(kApart * gap / timestep(), -kApartSpeed);
  }

  void find_points() {
    touches_.clear();
    points_.clear();
    lcp_points_.clear();
    pairs_.find(*data_, touches_, kFastest * timestep());
    for (std::size_t i = 0; i < touches_.size(); ++i) {
      const Touch& touch = touches_[i];
      const int dof1 = chain_end_[touch.body1], dof2 = chain_end_[touch.body2];
      if (dof1 < 0 && dof2 < 0) continue;
      Point point{.touch = i,
                  .tangent1 = touch.normal.unitOrthogonal(),
                  .tangent2 = Vec3::Zero(),
                  .sign = 1,
                  .answered = -1};
      point.tangent2 = touch.normal.cross(point.tangent1);
      const int row = 3 * static_cast<int>(points_.size());
      make_room(row + 3 + static_cast<int>(limits_.size()));
      rows_.middleRows<3>(row).setZero();
      const Vec3 directions[3] = {touch.normal, point.tangent1, point.tangent2};
      double* rows = &rows_(row, 0);
      if (dof1 >= 0) add_point_rows(touch.body1, touch.point, directions, -1, true, m_->nv, rows);
      if (dof2 >= 0) add_point_rows(touch.body2, touch.point, directions, 1, true, m_->nv, rows);
      // Nothing that stays clear of the surface.
      const Vec3 drift = prescribed_velocity(touch.body2) - prescribed_velocity(touch.body1);
      const double closing = rows_.row(row).dot(free_velocity_) + drift.dot(touch.normal);
      if (-touch.depth + timestep() * std::min(closing, 0.0) > kNear) continue;
      turn_along_motion(point, row, drift);
      points_.push_back(point);
    }
  }

  // One of the six friction directions lies along the motion: so friction is as strong as it should be where the point slides.
  void turn_along_motion(Point& point, int row, const Vec3& drift) {
    const double along1 = rows_.row(row + 1).dot(free_velocity_) + drift.dot(point.tangent1);
    const double along2 = rows_.row(row + 2).dot(free_velocity_) + drift.dot(point.tangent2);
    const double speed = std::hypot(along1, along2);
    if (!(speed > kSliding)) return;
    const double c = along1 / speed, s = along2 / speed;
    const Vec3 tangent1 = point.tangent1, tangent2 = point.tangent2;
    point.tangent1 = c * tangent1 + s * tangent2;
    point.tangent2 = c * tangent2 - s * tangent1;
    for (int i = 0; i < m_->nv; ++i) {
      const double first = rows_(row + 1, i), second = rows_(row + 2, i);
      rows_(row + 1, i) = c * first + s * second;
      rows_(row + 2, i) = c * second - s * first;
    }
  }

  void find_stops() {
    stops_.clear();
    stop_gaps_.clear();
    for (const int joint : limits_) {
      const double *q = data_->qpos + m_->jnt_qposadr[joint], *range = m_->jnt_range + 2 * joint;
      const int dof = m_->jnt_dofadr[joint];
      if (m_->jnt_type[joint] == mjJNT_BALL) {
        double axis[3];
        mju_quat2Vel(axis, q, 1);
        const double angle = mju_normalize3(axis);
        for (double& x : axis) x = -x;
        add_stop({dof, 3, {axis[0], axis[1], axis[2]}, std::max(range[0], range[1]) - angle});
        continue;
      }
      add_stop({dof, 1, {1, 0, 0}, *q - range[0]});
      add_stop({dof, 1, {-1, 0, 0}, range[1] - *q});
    }
  }
  void add_stop(const Stop& stop) {
    double speed = 0;
    for (int i = 0; i < stop.size; ++i) speed += stop.direction[i] * free_velocity_[stop.dof + i];
    if (stop.gap + timestep() * std::min(speed, 0.0) > 0) return;
    const int row = static_cast<int>(3 * points_.size() + stops_.size());
    rows_.row(row).setZero();
    for (int i = 0; i < stop.size; ++i) rows_(row, stop.dof + i) = stop.direction[i];
    stops_.push_back(stop);
  }

  // Adds the answer of the character's torques to what impulses do, and its constant part to the free velocity.
  void ask() {
    const ActorSlot& slot = scene_->actors[static_cast<std::size_t>(answering_)];
    answered_.clear();
    for (Point& point : points_) {
      const Touch& touch = touches_[point.touch];
      for (const auto& [body, sign] : {std::pair(touch.body2, 1.0), std::pair(touch.body1, -1.0)}) {
        if (slot.own(body) < 0 || point.answered >= 0) continue;
        point.sign = sign;
        point.answered = static_cast<int>(answered_.size());
        answered_.push_back({slot.own(body), touch.point});
      }
    }
    const int count = static_cast<int>(answered_.size());
    if (answer_.cols() < 3 * count) answer_.resize(m_->nv, 6 * std::max(count, kUsualContacts));
    auto X = answer_.topLeftCorner(slot.nv, 3 * count);
    X.setZero();
    constant_.setZero();
    answer_from_->answer(answered_, X, constant_.segment(slot.first_v, slot.nv));
    VecX::Map(data_->qfrc_applied, m_->nv) += constant_;
    constant_ *= timestep();
    base_.solve(constant_.data());
    free_velocity_ += constant_;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Point& point = points_[i];
      if (point.answered < 0) continue;
      const Vec3 directions[3] = {touches_[point.touch].normal, point.tangent1, point.tangent2};
      for (int r = 0; r < 3; ++r) {
        // An impulse of 1 N s is a force of 1/h over the step, whose torque acts for h.
        columns_.col(3 * static_cast<int>(i) + r).segment(slot.first_v, slot.nv).noalias() +=
            X.middleCols<3>(3 * point.answered) * (point.sign * directions[r]);
      }
    }
  }
  // The torques that acted, for the reactions in the joints.
  void apply_answer() {
    const ActorSlot& slot = scene_->actors[static_cast<std::size_t>(answering_)];
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].answered < 0) continue;
      VecX::Map(data_->qfrc_applied + slot.first_v, slot.nv).noalias() +=
          answer_.block(0, 3 * points_[i].answered, slot.nv, 3) *
          (points_[i].sign * force_of(static_cast<int>(i)));
    }
  }

  Vec3 force_of(int i) const {  // N, on the touch's second body
    const Touch& touch = touches_[points_[i].touch];
    return (impulses_[3 * i] * touch.normal + impulses_[3 * i + 1] * points_[i].tangent1 +
            impulses_[3 * i + 2] * points_[i].tangent2) /
           timestep();
  }
  void report(int i) {
    if (impulses_.segment<3>(3 * i).isZero(0)) return;
    const Touch& touch = touches_[points_[i].touch];
    contacts_.push_back({touch.body1, touch.body2, touch.point, touch.normal, force_of(i), touch.depth});
  }

  void make_room(int rows) {
    if (rows <= rows_.rows()) return;
    rows_.conservativeResize(2 * rows, m_->nv);
    columns_.resize(m_->nv, 2 * rows);
    response_.resize(2 * rows, 2 * rows);
    speed_.resize(2 * rows);
    impulses_.resize(2 * rows);
  }

  TouchPairs pairs_;
  ContactAnswer* answer_from_ = nullptr;  // of actor answering_
  int answering_ = -1;
  ContactLcp lcp_;
  std::vector<Touch> touches_;
  std::vector<Point> points_;
  std::vector<Stop> stops_;
  std::vector<ContactLcp::Point> lcp_points_;
  std::vector<double> stop_gaps_;
  std::vector<AnsweredPoint> answered_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows_;  // J: three per point, stops
  MatX columns_;        // nv x rows: J^T + X, then M^-1 of that
  MatX response_;       // rows x rows
  MatX answer_;         // X
  VecX free_velocity_;  // at the end of the step, without contact
  VecX speed_, impulses_, constant_;
};

}  // namespace

std::unique_ptr<Engine> make_linearised_engine(std::shared_ptr<const CompiledScene> scene) {
  hook_mujoco_messages();
  if (scene->contact.mode != "constraint") {
    throw InputError("contact.mode", scene->contact.mode + " with engine linearised",
                     "engine ode or penalty");
  }
  return std::make_unique<LinearisedEngine>(std::move(scene));
}

}  // namespace stunt
