#include "stunt/reference/plant_feet.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "stunt/reference/filter.h"
#include "stunt/reference/leg.h"

namespace stunt {
namespace {

constexpr double kPivot = 0.15;            // rad: a foot that turns more than this in one stance is let turn
constexpr double kSmoothing = 9;           // Hz, of the corrections

// A curve known at some frames; the others are filled in by an S-shaped blend between the nearest known ones.
struct SparseCurve {
  explicit SparseCurve(int frames) : value(frames, Vec3::Zero()), known(frames, 0) {}
  void set(int frame, const Vec3& v) {
    value[frame] = v;
    known[frame] = 1;
  }
  void fill() {
    const int n = static_cast<int>(value.size());
    int last = -1;
    for (int i = 0; i < n; ++i) {
      if (!known[i]) continue;
      for (int k = last + 1; k < i; ++k) {
        const double x = last < 0 ? 1.0 : static_cast<double>(k - last) / (i - last);
        const double s = x * x * (3 - 2 * x);
        value[k] = last < 0 ? value[i] : Vec3((1 - s) * value[last] + s * value[i]);
      }
      last = i;
    }
    for (int k = last + 1; last >= 0 && k < n; ++k) value[k] = value[last];
  }
  void smooth(double rate_hz) {
    std::vector<double> signal(value.size());
    for (int c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < value.size(); ++i) signal[i] = value[i][c];
      low_pass(signal, rate_hz, kSmoothing);
      for (std::size_t i = 0; i < value.size(); ++i) value[i][c] = signal[i];
    }
  }
  std::vector<Vec3> value;
  std::vector<std::uint8_t> known;
};

bool any(const std::vector<std::uint8_t>& contacts, const std::vector<int>& points) {
  return std::any_of(points.begin(), points.end(), [&](int p) { return contacts[p] != 0; });
}

double yaw_of(const Quat& foot, const Leg& leg) {
  const Vec3 forward = foot * leg.forward;
  return std::atan2(forward.y(), forward.x());
}

class FootPlanter {
 public:
  FootPlanter(const ActorPtr& actor, const Leg& leg, std::vector<VecX>& q, const ContactTable& contacts, double rate)
      : actor_(*actor), dynamics_(actor), leg_(leg), q_(q), contacts_(contacts), rate_(rate), n_(static_cast<int>(q.size())) {}

  // Where the foot should be in each frame.
  void find_targets() {
    straighten_toes();
    read_feet();
    find_turns();
    flatten_toes();
    find_shifts();
  }

  // How far the hip is from a target it cannot reach (m), per frame.
  double missing(int i) {
    dynamics_.set_state(q_[i], VecX::Zero(actor_.nv()));
    return hip_drop(dynamics_.body_position(leg_.thigh), position_[i] + shift_[i], leg_.length);
  }

  void solve(int i) { reach(dynamics_, leg_, position_[i] + shift_[i], rotation_[i], q_[i]); }
  double largest_shift() const {
    double largest = 0;
    for (const Vec3& s : shift_) largest = std::max(largest, s.norm());
    return largest;
  }

 private:
  bool heel(int i) const { return any(contacts_[i], leg_.heel); }
  bool front(int i) const { return any(contacts_[i], leg_.ball) || any(contacts_[i], leg_.tip); }

  void straighten_toes() {
    toe_angle_.assign(n_, 0.0);
    for (VecX& pose : q_) bend_toes(actor_, leg_, 0, pose);
  }

  void read_feet() {
    position_.resize(n_);
    rotation_.resize(n_);
    for (int i = 0; i < n_; ++i) {
      dynamics_.set_state(q_[i], VecX::Zero(actor_.nv()));
      position_[i] = dynamics_.body_position(leg_.foot);
      rotation_[i] = dynamics_.body_rotation(leg_.foot);
    }
  }

  // Stances: runs of frames in which any point of the foot is in contact.
  template <class Visit>
  void for_each_stance(Visit visit) {
    for (int begin = 0; begin < n_;) {
      if (!heel(begin) && !front(begin)) {
        ++begin;
        continue;
      }
      int end = begin;
      while (end < n_ && (heel(end) || front(end))) ++end;
      visit(begin, end);
      begin = end;
    }
  }

  // Level soles and steady headings where the foot is flat; in between a smooth blend.
  void find_turns() {
    SparseCurve turn(n_);
    for_each_stance([&](int begin, int end) {
      double sum = 0, low = 1e9, high = -1e9;
      int flat = 0;
      double reference = 0;
      for (int i = begin; i < end; ++i) {
        if (!heel(i) || !front(i)) continue;
        if (flat == 0) reference = yaw_of(rotation_[i], leg_);
        const double yaw = std::remainder(yaw_of(rotation_[i], leg_) - reference, 2 * kPi);
        sum += yaw;
        low = std::min(low, yaw);
        high = std::max(high, yaw);
        ++flat;
      }
      if (flat == 0) return;
      const double heading = reference + sum / flat;
      const bool pivots = high - low > kPivot;
      for (int i = begin; i < end; ++i) {
        if (!heel(i) || !front(i)) continue;
        const Quat levelled = rotation_between(rotation_[i] * leg_.sole_normal, Vec3::UnitZ()) * rotation_[i];
        const double yaw = pivots ? yaw_of(rotation_[i], leg_) : heading;
        const Quat steady = yaw_rotation(std::remainder(yaw - yaw_of(levelled, leg_), 2 * kPi)) * levelled;
        turn.set(i, log_map(steady * rotation_[i].conjugate()));
      }
    });
    turn.fill();
    turn.smooth(rate_);
    for (int i = 0; i < n_; ++i) rotation_[i] = exp_map(turn.value[i]) * rotation_[i];
  }

  Vec3 point_at(int i, int point) const {
    const ContactPoint& p = actor_.contact_points()[point];
    if (p.body == leg_.foot) return position_[i] + rotation_[i] * p.position - Vec3(0, 0, p.radius);
    const ActorBody& toes = actor_.bodies()[leg_.toes];
    const Quat bend = axis_angle(leg_.toe_axis, toe_angle_[i]);
    return position_[i] + rotation_[i] * (toes.offset + toes.rest * bend * p.position) - Vec3(0, 0, p.radius);
  }
  Vec3 mean_point(int i, const std::vector<int>& points) const {
    Vec3 sum = Vec3::Zero();
    for (const int p : points) sum += point_at(i, p);
    return sum / static_cast<double>(points.size());
  }

  // The toe angle that brings the tip to the height of the ball, while the ball carries load.
  void flatten_toes() {
    if (leg_.toe_joint < 0 || leg_.tip.empty()) return;
    const ActorJoint& joint = actor_.joints()[leg_.toe_joint];
    const double lower = joint.type == JointType::ball ? -joint.upper : joint.lower;
    for (int i = 0; i < n_; ++i) {
      if (!front(i)) continue;
      const double floor = mean_point(i, leg_.ball).z();
      double& angle = toe_angle_[i];
      for (int iteration = 0; iteration < 6; ++iteration) {
        constexpr double kStep = 1e-4;
        const double height = mean_point(i, leg_.tip).z() - floor;
        angle += kStep;
        const double slope = (mean_point(i, leg_.tip).z() - floor - height) / kStep;
        angle -= kStep;
        if (std::abs(slope) < 1e-3) break;
        angle -= std::clamp(height / slope, -0.3, 0.3);
      }
      if (joint.limited) angle = std::clamp(angle, lower + 0.02, joint.upper - 0.02);
    }
    low_pass(toe_angle_, rate_, kSmoothing);
    for (int i = 0; i < n_; ++i) bend_toes(actor_, leg_, toe_angle_[i], q_[i]);
  }

  double lowest(int i) const {
    double z = 1e9;
    for (const auto* points : {&leg_.heel, &leg_.ball, &leg_.tip}) {
      for (const int p : *points) z = std::min(z, point_at(i, p).z());
    }
    return z;
  }

  // One place per stance for ball and heel, heights to the floor; through the swing a smooth blend that does not sink.
  void find_shifts() {
    SparseCurve shift(n_);
    for_each_stance([&](int begin, int end) {
      // The place of the ball: its mean while the foot is flat or, in a stance on the toes or heel only, in all of it.
      Vec3 place = Vec3::Zero(), heel_to_ball = Vec3::Zero();
      int flat = 0, ball_only = 0;
      Vec3 ball_place = Vec3::Zero();
      for (int i = begin; i < end; ++i) {
        if (heel(i) && front(i)) {
          place += mean_point(i, leg_.ball);
          heel_to_ball += mean_point(i, leg_.ball) - mean_point(i, leg_.heel);
          ++flat;
        } else if (front(i)) {
          ball_place += mean_point(i, leg_.ball);
          ++ball_only;
        }
      }
      if (flat > 0) {
        place /= flat;
        heel_to_ball /= flat;
      } else if (ball_only > 0) {
        place = ball_place / ball_only;
      }
      Vec3 heel_place = place - heel_to_ball;
      if (flat == 0 && ball_only == 0) {
        heel_place.setZero();
        for (int i = begin; i < end; ++i) heel_place += mean_point(i, leg_.heel);
        heel_place /= end - begin;
      }
      for (int i = begin; i < end; ++i) {
        Vec3 d = front(i) ? Vec3(place - mean_point(i, leg_.ball)) : Vec3(heel_place - mean_point(i, leg_.heel));
        d.z() = -lowest(i);
        shift.set(i, d);
      }
    });
    shift.fill();
    shift.smooth(rate_);
    shift_ = shift.value;
    for (int i = 0; i < n_; ++i) {
      if (shift.known[i]) {
        shift_[i].z() = -lowest(i);
      } else {
        shift_[i].z() = std::max(shift_[i].z(), -lowest(i));
      }
    }
  }

  const Actor& actor_;
  ActorDynamics dynamics_;
  const Leg& leg_;
  std::vector<VecX>& q_;
  const ContactTable& contacts_;
  double rate_;
  int n_;
  std::vector<Vec3> position_, shift_;
  std::vector<Quat> rotation_;
  std::vector<double> toe_angle_;  // rad, per frame
};

}  // namespace

PlantReport plant_feet(const ActorPtr& actor, std::vector<VecX>& q, const ContactTable& contacts, double rate_hz) {
  PlantReport report;
  const std::vector<VecX> before = q;
  const int n = static_cast<int>(q.size());
  std::vector<Leg> legs;
  for (const bool left : {true, false}) {
    if (auto leg = find_leg(*actor, left)) legs.push_back(*leg);
  }
  std::deque<FootPlanter> planters;
  for (const Leg& leg : legs) {
    planters.emplace_back(actor, leg, q, contacts, rate_hz);
    planters.back().find_targets();
    report.largest_shift = std::max(report.largest_shift, planters.back().largest_shift());
  }

  // Where a leg is too short for its target the pelvis goes down, smoothly.
  std::vector<double> drop(n, 0.0);
  for (int i = 0; i < n; ++i) {
    for (FootPlanter& planter : planters) drop[i] = std::max(drop[i], planter.missing(i));
    report.largest_drop = std::max(report.largest_drop, drop[i]);
  }
  if (report.largest_drop > 1e-4) {
    smooth_drop(drop, rate_hz);
    for (int i = 0; i < n; ++i) q[i][2] -= drop[i];
  }
  for (int i = 0; i < n; ++i) {
    for (FootPlanter& planter : planters) planter.solve(i);
  }

  double sum = 0;
  VecX change;
  int count = 0;
  for (int i = 0; i < n; i += 4) {
    difference(*actor, before[i], q[i], change);
    for (const ActorJoint& joint : actor->joints()) {
      if (joint.type == JointType::free || joint.type == JointType::slide) continue;
      if (joint.body == actor->body(Role::left_toes) || joint.body == actor->body(Role::right_toes)) continue;
      sum += change.segment(joint.v_address, joint.dofs).norm();
      ++count;
    }
  }
  report.mean_change_deg = degrees(sum / std::max(count, 1));
  return report;
}

FootErrors foot_errors(const ActorPtr& actor, const std::vector<VecX>& q, const ContactTable& contacts, double rate_hz) {
  const PointPaths points = contact_point_paths(*actor, q);
  FootErrors errors;
  double speed_sum = 0;
  int count = 0;
  std::vector<double> sunk, floats;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    double lowest[2] = {1e9, 1e9};
    for (std::size_t p = 0; p < points[i].size(); ++p) {
      if (!contacts[i][p]) continue;
      speed_sum += (points[i + 1][p] - points[i - 1][p]).head<2>().norm() * 0.5 * rate_hz;
      ++count;
      double& z = lowest[actor->contact_points()[p].left];
      z = std::min(z, points[i][p].z());
    }
    for (const double z : lowest) {
      if (z > 1e8) continue;
      sunk.push_back(std::max(0.0, -z));
      floats.push_back(std::max(0.0, z));
    }
  }
  const auto percentile = [](std::vector<double>& values) {
    if (values.empty()) return 0.0;
    const auto at = values.begin() + static_cast<long>(0.95 * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  errors.skate = count ? speed_sum / count : 0;
  errors.penetration = percentile(sunk);
  errors.floating = percentile(floats);
  return errors;
}

}  // namespace stunt
