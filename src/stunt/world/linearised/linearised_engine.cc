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
constexpr double kMend = 0.2;        // of what is between the two places of a grip is mended in a step,
constexpr double kMendSpeed = 2;     // but no faster than this, m/s
constexpr int kUsualContacts = 32;   // room for

class LinearisedEngine final : public ImplicitEngine, public AsksForAnswer {
 public:
  explicit LinearisedEngine(std::shared_ptr<const CompiledScene> scene)
      : ImplicitEngine("linearised", std::move(scene), Grip::held),
        pairs_(*m_, "linearised"),
        lcp_(kUsualContacts, static_cast<int>(limits_.size())) {
    touches_.reserve(256);
    points_.reserve(256);
    answered_.reserve(256);
    stops_.reserve(limits_.size());
    lcp_points_.reserve(256);
    stop_gaps_.reserve(limits_.size());
    free_velocity_ = constant_ = VecX::Zero(m_->nv);
    grips_.resize(scene_->grips.size());
    holds_.resize(grips_.size());
    grip_response_.resize(grip_rows(), grip_rows());
    grip_speed_ = grip_impulses_ = VecX::Zero(grip_rows());
    grip_factor_ = Eigen::PartialPivLU<MatX>(grip_rows());
    make_room(3 * kUsualContacts + static_cast<int>(limits_.size()) + grip_rows());
  }

  std::string name() const override { return "linearised"; }
  void set_contact_answer(int actor, ContactAnswer* answer) override {
    if (answer && answering_ >= 0 && answering_ != actor)
      throw InputError("engine linearised", "two characters whose torques answer to contact forces", "one");
    if (!answer && answering_ != actor) return;
    answering_ = answer ? actor : -1;
    answer_from_ = answer;
  }

  void close_grip(int grip, const Vec3& on_hand, const Vec3& on_object) override {
    grips_[static_cast<std::size_t>(grip)] = {true, on_hand, on_object};
  }
  void open_grip(int grip) override { grips_[static_cast<std::size_t>(grip)].closed = false; }

  Snapshot save() const override {
    Snapshot snapshot = ImplicitEngine::save();
    append_grips(grips_, snapshot.values);
    snapshot.values.insert(snapshot.values.end(), lcp_.guess().begin(), lcp_.guess().end());
    snapshot.values.push_back(static_cast<double>(lcp_.guess().size()));
    return snapshot;
  }
  void restore(const Snapshot& snapshot) override {
    ImplicitEngine::restore(snapshot);
    const auto count = static_cast<std::size_t>(snapshot.values.back());
    const double* guess = snapshot.values.data() + snapshot.values.size() - 1 - count;
    lcp_.set_guess(guess, count);
    std::vector<double> one;
    append_grips({GripState{}}, one);
    take_grips(guess - one.size() * grips_.size(), grips_);
  }

 private:
  struct Point {
    std::size_t touch;
    Vec3 tangent1, tangent2;
    double sign;   // of the force on the character that answers: -1 where it is the touch's first body
    int answered;  // among the points that it answers for; -1: none of them
  };
  struct Hold {       // of a closed grip
    Vec3 point, gap;  // m, world: where it holds; of the hand's place from there
    int answered;     // as above
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
    find_holds(rows);
    // What an impulse along each row does to the velocities; the torques' answer goes with it.
    for (int r = 0; r < rows + grip_rows(); ++r) columns_.col(r) = rows_.row(r).transpose();
    if (answer_from_) ask();
    for (int r = 0; r < rows + grip_rows(); ++r) base_.solve(columns_.col(r).data());
    auto J = rows_.topRows(rows);
    auto W = columns_.leftCols(rows);
    if (!grips_.empty()) hold_on(rows);
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
    report_grips(rows);
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

  int grip_rows() const { return 3 * static_cast<int>(grips_.size()); }

  // Three rows for each grip, after the first `row` ones: the speed of the hand's place against the object's. Zero: it is open.
  void find_holds(int row) {
    make_room(row + grip_rows());
    rows_.middleRows(row, grip_rows()).setZero();
    static const Vec3 axes[3] = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    for (std::size_t i = 0; i < grips_.size(); ++i, row += 3) {
      if (!grips_[i].closed) continue;
      const int hand = scene_->grips[i].hand, object = scene_->grips[i].object;
      const auto place = [&](int body, const Vec3& on_body) {
        return Vec3(vec3(data_->xpos + 3 * body) + quat_from_wxyz(data_->xquat + 4 * body) * on_body);
      };
      const Vec3 point = place(object, grips_[i].on_object);
      holds_[i] = {point, place(hand, grips_[i].on_hand) - point, -1};
      add_point_rows(hand, point, axes, 1, true, m_->nv, &rows_(row, 0));
      if (chain_end_[object] >= 0) add_point_rows(object, point, axes, -1, true, m_->nv, &rows_(row, 0));
    }
  }

  // What holds, holds in any direction: its impulses follow from all others, L = a - B z, and are put into what those do.
  void hold_on(int rows) {
    const int count = grip_rows();
    auto J = rows_.middleRows(rows, count);
    auto W = columns_.middleCols(rows, count);
    grip_response_.noalias() = J * W;
    grip_speed_.noalias() = J * free_velocity_;
    grip_speed_ *= -1;
    grip_others_.topLeftCorner(count, rows).noalias() = J * columns_.leftCols(rows);
    for (std::size_t i = 0; i < grips_.size(); ++i) {
      const int at = 3 * static_cast<int>(i);
      if (grips_[i].closed) {
        const Vec3 mend = (kMend / timestep()) * holds_[i].gap;
        grip_speed_.segment<3>(at) += prescribed_velocity(scene_->grips[i].object) -
                                      std::min(1.0, kMendSpeed / std::max(mend.norm(), 1e-12)) * mend;
      } else {
        grip_response_.diagonal().segment<3>(at).setOnes();
      }
    }
    grip_factor_.compute(grip_response_);
    grip_impulses_ = grip_factor_.solve(grip_speed_);
    free_velocity_.noalias() += W * grip_impulses_;
    for (int r = 0; r < rows; ++r) {
      grip_speed_ = grip_factor_.solve(grip_others_.col(r).head(count));
      grip_others_.col(r).head(count) = grip_speed_;
      columns_.col(r).noalias() -= W * grip_speed_;
    }
  }
  void report_grips(int rows) {
    if (grips_.empty()) return;
    grip_impulses_.noalias() -= grip_others_.topLeftCorner(grip_rows(), rows) * impulses_.head(rows);
    for (std::size_t i = 0; i < grips_.size(); ++i) {
      if (!grips_[i].closed) continue;
      const Vec3 force = grip_impulses_.segment<3>(3 * static_cast<int>(i)) / timestep();
      contacts_.push_back({scene_->grips[i].object, scene_->grips[i].hand, holds_[i].point,
                           force.squaredNorm() > 0 ? Vec3(force.normalized()) : Vec3(Vec3::UnitZ()), force, 0,
                           static_cast<int>(i)});
    }
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
    for (std::size_t i = 0; i < grips_.size(); ++i) {
      const int hand = slot.own(scene_->grips[i].hand);
      if (!grips_[i].closed || hand < 0) continue;
      holds_[i].answered = static_cast<int>(answered_.size());
      answered_.push_back({hand, holds_[i].point});
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
    const int first_grip = 3 * static_cast<int>(points_.size()) + static_cast<int>(stops_.size());
    for (std::size_t i = 0; i < grips_.size(); ++i) {
      if (!grips_[i].closed || holds_[i].answered < 0) continue;
      columns_.block(slot.first_v, first_grip + 3 * static_cast<int>(i), slot.nv, 3) +=
          X.middleCols<3>(3 * holds_[i].answered);
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
    for (std::size_t i = 0; i < grips_.size(); ++i) {
      if (!grips_[i].closed || holds_[i].answered < 0) continue;
      VecX::Map(data_->qfrc_applied + slot.first_v, slot.nv).noalias() +=
          answer_.block(0, 3 * holds_[i].answered, slot.nv, 3) *
          (grip_impulses_.segment<3>(3 * static_cast<int>(i)) / timestep());
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
    grip_others_.resize(grip_rows(), 2 * rows);
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
  std::vector<GripState> grips_;
  std::vector<Hold> holds_;          // per grip
  MatX grip_response_;               // 3 x 3 per pair of grips: speeds by impulses
  MatX grip_others_;                 // B: grip rows x rows
  VecX grip_speed_, grip_impulses_;  // grip rows
  Eigen::PartialPivLU<MatX> grip_factor_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>
      rows_;            // J: three per point, stops, three per grip
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
