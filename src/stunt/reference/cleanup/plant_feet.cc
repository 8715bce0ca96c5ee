#include "stunt/reference/cleanup/plant_feet.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "stunt/core/easing.h"
#include "stunt/reference/cleanup/body_height.h"
#include "stunt/reference/cleanup/smooth_correction.h"
#include "stunt/reference/legs/leg.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

constexpr double kPivot = 0.2;      // rad: a standing foot that turns more than this pivots
constexpr double kPivotTime = 0.1;  // s, that a pivot takes
constexpr double kFade = 0.1;       // s, in which a correction comes and goes

// How far a foot that should be level and down may be off. A captured one is off by degrees and centimetres.
struct Tolerance {
  double level, tilted;  // rad: up to the first a flat foot is level, from the second on it is left as it is
  double down, up;       // m, likewise: on the floor, lifted
};
constexpr Tolerance kCaptured{0.04, 0.15, 0.005, 0.025}, kPlantedBefore{0.01, 0.05, 0.003, 0.01};

constexpr double kTakeOff = 0.1;  // s, around a flight
constexpr double kTouch = 0.002;  // m
constexpr double kNear = 0.3;     // s, around a frame: what is normal for it

// Nothing of a small x, all of a large one.
double settled(double x, double none, double all) {
  return x * quintic_ease((std::abs(x) - none) / (all - none));
}

bool any(const std::vector<std::uint8_t>& contacts, const std::vector<int>& points) {
  return std::any_of(points.begin(), points.end(), [&](int p) { return contacts[p] != 0; });
}

// The points of a heel touch together, and so do those of ball and toes: these lie flat as long as the ball
// is down.
void group(const Leg& leg, ContactTable& contacts) {
  for (auto& frame : contacts) {
    const bool heel = any(frame, leg.heel), ball = any(frame, leg.ball);
    for (const int p : leg.heel) frame[p] = heel;
    for (const int p : leg.ball) frame[p] = ball;
    for (const int p : leg.tip) frame[p] = ball;
  }
}

class FootPlanter {
 public:
  FootPlanter(const ActorPtr& actor, const Leg& leg, std::vector<VecX>& q, ContactTable& contacts,
              double rate, const Tolerance& tolerance)
      : actor_(*actor),
        dynamics_(actor),
        rest_(VecX::Zero(actor->nv())),
        leg_(leg),
        q_(q),
        contacts_(contacts),
        rate_(rate),
        tolerance_(tolerance),
        curve_(static_cast<int>(q.size()), rate),
        n_(static_cast<int>(q.size())) {
    find_where_alone();
  }

  // Where the foot should be in each frame.
  void find_targets() {
    for (VecX& pose : q_) bend_toes(actor_, leg_, 0, pose);
    read_feet();
    part_pivots();
    turn_feet();
    flatten_toes();
    move_feet();
  }

  // By how much (m) the body is too high for the leg to reach a standing foot; negative: it may go up as far. A foot
  // that swings gives way instead.
  double too_high(int i) {
    if (!stands(i)) return -1;
    dynamics_.set_state(q_[i], rest_);
    return hip_excess(dynamics_.body_position(leg_.thigh), position_[i], leg_.length);
  }

  // Captured ankles go beyond any limit; feet that stand have to.
  void solve(int i) {
    FootPose target{position_[i], rotation_[i]};
    if (!stands(i)) {
      dynamics_.set_state(q_[i], rest_);
      target.position = within_reach(dynamics_.body_position(leg_.thigh), position_[i], leg_.length);
    }
    put_foot(dynamics_, leg_, target, q_[i], AtLimits::go_on);
  }
  double largest_shift() const { return largest_shift_; }

 private:
  bool heel(int i) const { return any(contacts_[i], leg_.heel); }
  bool ball(int i) const { return any(contacts_[i], leg_.ball); }
  bool stands(int i) const { return heel(i) || ball(i); }
  bool flat(int i) const { return heel(i) && ball(i); }

  void read_feet() {
    position_.resize(n_);
    rotation_.resize(n_);
    for (int i = 0; i < n_; ++i) {
      dynamics_.set_state(q_[i], rest_);
      const FootPose foot = foot_pose(dynamics_, leg_);
      position_[i] = foot.position;
      rotation_[i] = foot.rotation;
    }
  }

  struct Run {
    int begin, end;  // frames
  };
  template <class Condition>
  std::vector<Run> runs(Run within, Condition condition) const {
    std::vector<Run> found;
    for (int begin = within.begin; begin < within.end;) {
      int end = begin;
      while (end < within.end && condition(end)) ++end;
      if (end > begin) found.push_back({begin, end});
      begin = std::max(end, begin + 1);
    }
    return found;
  }
  // Any point of the foot in contact; heel and ball both.
  std::vector<Run> stances() const {
    return runs({0, n_}, [&](int i) { return stands(i); });
  }
  std::vector<Run> flat_runs(Run within) const {
    return runs(within, [&](int i) { return flat(i); });
  }

  // Each frame of a stance has a value from the runs in it: their own inside, a blend between two, else the
  // nearest.
  template <class Value>
  static Value between(const std::vector<Run>& runs, const std::vector<Value>& values, int i) {
    if (i < runs.front().end) return values.front();
    for (std::size_t k = 1; k < runs.size(); ++k) {
      if (i >= runs[k].end) continue;
      if (i >= runs[k].begin) return values[k];
      const double x = static_cast<double>(i - runs[k - 1].end + 1) / (runs[k].begin - runs[k - 1].end + 1);
      return (1 - x) * values[k - 1] + x * values[k];
    }
    return values.back();
  }

  // Frames in which this foot alone carries the body, not about to take off nor just landed.
  void find_where_alone() {
    alone_.assign(n_, 0);
    std::vector<int> since_flight(n_), until_flight(n_);
    const auto in_air = [&](int i) {
      return std::none_of(contacts_[i].begin(), contacts_[i].end(), [](std::uint8_t c) { return c != 0; });
    };
    for (int i = 0; i < n_; ++i) since_flight[i] = in_air(i) ? 0 : i == 0 ? n_ : since_flight[i - 1] + 1;
    for (int i = n_ - 1; i >= 0; --i)
      until_flight[i] = in_air(i) ? 0 : i == n_ - 1 ? n_ : until_flight[i + 1] + 1;
    for (int i = 0; i < n_; ++i) {
      bool other = false;
      for (std::size_t p = 0; p < contacts_[i].size(); ++p) {
        other = other || (contacts_[i][p] && actor_.contact_points()[p].left != leg_.left);
      }
      alone_[i] = !other && std::min(since_flight[i], until_flight[i]) > kTakeOff * rate_;
    }
  }

  double turned(int from, int to) const { return std::remainder(yaw(to) - yaw(from), 2 * kPi); }

  // A foot that turns on the spot does so on its ball: the heel is let go where it turns fastest, until the
  // parts of the stance that remain keep their heading.
  void part_pivots() {
    const int rest = static_cast<int>(kPivotTime * rate_);
    std::vector<Run> open = flat_runs({0, n_});
    while (!open.empty()) {
      const Run run = open.back();
      open.pop_back();
      double low = 0, high = 0, fastest = 0;
      int at = -1;
      for (int i = run.begin; i < run.end; ++i) {
        low = std::min(low, turned(run.begin, i));
        high = std::max(high, turned(run.begin, i));
        if (i < run.begin + rest || i >= run.end - rest) continue;
        const double rate = std::abs(turned(i - rest / 2, i + rest / 2));
        if (rate > fastest) {
          fastest = rate;
          at = i;
        }
      }
      if (high - low < kPivot || at < 0) continue;
      for (int i = at - rest / 2; i <= at + rest / 2; ++i) {
        for (const int p : leg_.heel) contacts_[i][p] = 0;
      }
      open.push_back({run.begin, at - rest / 2});
      open.push_back({at + rest / 2 + 1, run.end});
    }
  }

  double yaw(int i) const {
    const Vec3 forward = rotation_[i] * leg_.forward;
    return std::atan2(forward.y(), forward.x());
  }
  double pitch(int i) const { return std::asin(std::clamp((rotation_[i] * leg_.forward).z(), -1.0, 1.0)); }

  // How present each stance is in each frame: 1 in it, fading to 0 around it.
  std::vector<double> presence(const std::vector<Run>& runs) const {
    std::vector<double> out(n_, 0.0);
    const int fade = static_cast<int>(kFade * rate_);
    for (const Run& run : runs) {
      for (int i = std::max(0, run.begin - fade); i < std::min(n_, run.end + fade); ++i) {
        const int away = std::max({run.begin - i, i - run.end + 1, 0});
        out[i] = std::max(out[i], quintic_ease(1 - static_cast<double>(away) / (fade + 1)));
      }
    }
    return out;
  }

  // What must be added to the pitch. A flat foot is level, and rolls off from there as captured: small angles
  // are taken out and large ones left, without a moment of release that would have to be caught up with.
  std::vector<double> level() const {
    std::vector<double> rest(n_, 0.0);
    std::vector<Run> flat_stances;
    for (const Run& stance : stances()) {
      if (flat_runs(stance).empty()) continue;
      flat_stances.push_back(stance);
      for (int i = stance.begin; i < stance.end; ++i) {
        rest[i] = around(
            stance, i, 0.5, [&](int k) { return flat(k); }, [&](int k) { return pitch(k); });
      }
    }
    carry_outwards(flat_stances, rest);
    const std::vector<double> share = presence(flat_stances);
    CorrectionTargets out(n_);
    for (int i = 0; i < n_; ++i) {
      const double angle = settled(pitch(i) - rest[i], tolerance_.level, tolerance_.tilted);
      out.set(i, share[i] * (angle - pitch(i)), share[i] == 1 && angle == 0);
    }
    return curve_.through(out);
  }

  // A percentile (0.5: the median) of a value over the frames near one in a stance: what is normal there.
  // Captured soles rise and tilt slowly by a centimetre or two while they stand.
  template <class Condition, class Value>
  double around(Run stance, int frame, double fraction, Condition condition, Value value) const {
    const int reach = static_cast<int>(kNear * rate_);
    std::vector<double> values;
    for (int wide = reach; values.empty() && wide < 64 * reach; wide *= 2) {
      for (int i = std::max(stance.begin, frame - wide); i < std::min(stance.end, frame + wide + 1); ++i) {
        if (condition(i)) values.push_back(value(i));
      }
    }
    if (values.empty()) return 0;
    const auto at = values.begin() + static_cast<long>(fraction * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  // Values of the runs, carried half way to the next one on each side; their jump there must not matter.
  void carry_outwards(const std::vector<Run>& runs, std::vector<double>& values) const {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const int from = k == 0 ? 0 : (runs[k - 1].end + runs[k].begin) / 2;
      const int to = k + 1 == runs.size() ? n_ : (runs[k].end + runs[k + 1].begin) / 2;
      for (int i = from; i < runs[k].begin; ++i) values[i] = values[runs[k].begin];
      for (int i = runs[k].end; i < to; ++i) values[i] = values[runs[k].end - 1];
    }
  }

  // In a stance the heading stays, both sides of the foot are equally high, and a foot on heel and toes is
  // level.
  void turn_feet() {
    const std::vector<double> tilt = level();
    const Vec3 left = leg_.sole_normal.cross(leg_.forward);
    for (int i = 0; i < n_; ++i) rotation_[i] = rotation_[i] * axis_angle(left, -tilt[i]);
    CorrectionTargets turn[3] = {CorrectionTargets(n_), CorrectionTargets(n_), CorrectionTargets(n_)};
    for (const Run& stance : stances()) {
      std::vector<Run> steady = flat_runs(stance);
      if (steady.empty()) steady = {stance};
      std::vector<double> headings;  // relative to the stance's first frame
      for (const Run& run : steady) {
        double sum = 0;
        for (int i = run.begin; i < run.end; ++i) sum += turned(stance.begin, i);
        headings.push_back(sum / (run.end - run.begin));
      }
      for (int i = stance.begin; i < stance.end; ++i) {
        const Quat wanted = level_foot(leg_, yaw(stance.begin) + between(steady, headings, i), pitch(i));
        const Vec3 correction = log_map(wanted * rotation_[i].conjugate());
        for (int c = 0; c < 3; ++c) turn[c].set(i, correction[c]);
      }
    }
    std::vector<double> curves[3];
    for (int c = 0; c < 3; ++c) curves[c] = curve_.through(turn[c]);
    for (int i = 0; i < n_; ++i) {
      rotation_[i] = exp_map(Vec3(curves[0][i], curves[1][i], curves[2][i])) * rotation_[i];
    }
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
    toe_angle_.assign(n_, 0.0);
    if (leg_.toe_joint < 0 || leg_.tip.empty()) return;
    const ActorJoint& joint = actor_.joints()[leg_.toe_joint];
    const double lower = joint.type == JointType::ball ? -joint.upper : joint.lower;
    CorrectionTargets bend(n_);
    for (int i = 0; i < n_; ++i) {
      if (!ball(i)) continue;
      const auto rise = [&] { return mean_point(i, leg_.tip).z() - mean_point(i, leg_.ball).z(); };
      double& angle = toe_angle_[i];
      for (int iteration = 0; iteration < 6; ++iteration) {
        constexpr double kStep = 1e-4;
        const double height = rise();
        angle += kStep;
        const double slope = (rise() - height) / kStep;
        angle -= kStep;
        if (std::abs(slope) < 1e-3) break;
        angle -= std::clamp(height / slope, -0.3, 0.3);
      }
      if (joint.limited) angle = std::clamp(angle, lower + 0.02, joint.upper - 0.02);
      bend.set(i, angle);
    }
    toe_angle_ = curve_.through(bend);
    for (int i = 0; i < n_; ++i) bend_toes(actor_, leg_, toe_angle_[i], q_[i]);
  }

  double lowest(int i) const {
    double z = 1e9;
    for (const auto* points : {&leg_.heel, &leg_.ball, &leg_.tip}) {
      for (const int p : *points) z = std::min(z, point_at(i, p).z());
    }
    return z;
  }

  // One place per stance for heel and ball, on the floor; the swing follows as captured, above the floor.
  void move_feet() {
    const std::vector<double> lift = heights();
    for (int i = 0; i < n_; ++i) position_[i].z() += lift[i];
    settle_contacts();
    CorrectionTargets shift[2] = {CorrectionTargets(n_), CorrectionTargets(n_)};
    for (const Run& stance : stances()) {
      // The ball's place is where it is on average while the foot is flat or, in a stance on the toes alone,
      // at all; the heel's is where a flat foot on that ball has it.
      const auto mean_while = [&](Run run, auto condition, auto value) {
        Vec3 sum = Vec3::Zero();
        int count = 0;
        for (int i = run.begin; i < run.end; ++i) {
          if (!condition(i)) continue;
          sum += value(i);
          ++count;
        }
        return Vec3(sum / std::max(count, 1));
      };
      const auto ball_at = [&](int i) { return mean_point(i, leg_.ball); };
      const auto heel_at = [&](int i) { return mean_point(i, leg_.heel); };
      const auto is_flat = [&](int i) { return flat(i); };
      std::vector<Run> steady = flat_runs(stance);
      Vec3 ball_place;
      std::vector<Vec3> heel_places;
      if (steady.empty()) {
        ball_place = mean_while(
            stance, [&](int i) { return ball(i); }, ball_at);
        heel_places = {mean_while(
            stance, [&](int i) { return heel(i); }, heel_at)};
        steady = {stance};
      } else {
        ball_place = mean_while(stance, is_flat, ball_at);
        for (const Run& run : steady) {
          heel_places.push_back(
              ball_place + mean_while(run, is_flat, [&](int i) { return Vec3(heel_at(i) - ball_at(i)); }));
        }
      }
      for (int i = stance.begin; i < stance.end; ++i) {
        const Vec3 move =
            ball(i) ? Vec3(ball_place - ball_at(i)) : Vec3(between(steady, heel_places, i) - heel_at(i));
        for (int c = 0; c < 2; ++c) shift[c].set(i, move[c]);
      }
    }
    for (CorrectionTargets& targets : shift) soften_shuffles(targets);
    const std::vector<double> x = curve_.through(shift[0]), y = curve_.through(shift[1]);
    for (int i = 0; i < n_; ++i) {
      const Vec3 move(x[i], y[i], 0);
      largest_shift_ = std::max(largest_shift_, std::hypot(move.norm(), lift[i]));
      position_[i] += move;
    }
  }

  // A foot that stands again a moment later, somewhere else, takes its time to get there: the ends of both
  // stances are met only roughly.
  void soften_shuffles(CorrectionTargets& targets) const {
    constexpr double kShuffle = 0.12;  // s
    const std::vector<Run> all = stances();
    for (std::size_t k = 1; k < all.size(); ++k) {
      const int missing = static_cast<int>(kShuffle * rate_) - (all[k].begin - all[k - 1].end);
      for (int away = 0; away < missing / 2; ++away) {
        const int before = all[k - 1].end - 1 - away, after = all[k].begin + away;
        if (before > (all[k - 1].begin + all[k - 1].end) / 2)
          targets.set(before, targets.value[before], false);
        if (after < (all[k].begin + all[k].end) / 2) targets.set(after, targets.value[after], false);
      }
    }
  }

  // What must be added to the height: a standing foot is on the floor and leaves it as captured (as in
  // level()); nobody sinks.
  std::vector<double> heights() const {
    std::vector<double> rest(n_, 0.0);
    const std::vector<Run> standing = stances();
    for (const Run& stance : standing) {
      for (int i = stance.begin; i < stance.end; ++i) {
        rest[i] = around(
            stance, i, 0.2, [](int) { return true; }, [&](int k) { return lowest(k); });
      }
      follow_only_support(stance, rest);
    }
    carry_outwards(standing, rest);
    const std::vector<double> share = presence(standing);
    CorrectionTargets out(n_);
    for (int i = 0; i < n_; ++i) {
      const double height = lowest(i), risen = height - rest[i];
      const double stand = risen < 0 ? 0 : settled(risen, tolerance_.down, tolerance_.up);
      const double over = height - clearance(i);
      const double swing = height - over + 0.5 * (over + std::sqrt(over * over + 4e-6));
      out.set(i, share[i] * stand + (1 - share[i]) * swing - height, share[i] == 1 && stand == 0);
    }
    std::vector<double> lift = curve_.through(out);
    // A smooth curve undercuts a foot that dips for a moment; it is asked for more there.
    constexpr int kRounds = 4;
    constexpr double kScrape = 5e-4;  // m
    for (int round = 0; round < kRounds; ++round) {
      bool scrapes = false;
      for (int i = 0; i < n_; ++i) {
        const double under = -(lowest(i) + lift[i]);
        if (share[i] == 1 || under < kScrape) continue;
        out.value[i] += 1.5 * under;
        scrapes = true;
      }
      if (!scrapes) break;
      lift = curve_.through(out);
    }
    return lift;
  }

  // A foot that swings is so far (m) over the floor, the farther the faster it goes.
  double clearance(int i) const {
    constexpr double kClearance = 0.02;         // m
    constexpr double kSlow = 0.4, kFast = 1.2;  // m/s
    const int before = std::max(i - 2, 0), after = std::min(i + 2, n_ - 1);
    const double way = (position_[after] - position_[before]).head<2>().norm();
    return kClearance * quintic_ease((way * rate_ / std::max(1, after - before) - kSlow) / (kFast - kSlow));
  }

  // Whatever its captured height, the only foot that stands is on the floor; as long as it stays where it is,
  // before and after, the floor seems to be where it was then.
  void follow_only_support(Run stance, std::vector<double>& rest) const {
    constexpr double kStays = 0.3;  // m/s
    for (const Run& alone : runs(stance, [&](int i) { return alone_[i] != 0; })) {
      for (int i = alone.begin; i < alone.end; ++i) rest[i] = lowest(i);
      for (int i = alone.begin - 1; i >= stance.begin && speed(i) < kStays && !alone_[i]; --i)
        rest[i] = lowest(alone.begin);
      for (int i = alone.end; i < stance.end && speed(i) < kStays && !alone_[i]; ++i)
        rest[i] = lowest(alone.end - 1);
    }
  }

  // Of the part of the foot that stands (m/s).
  double speed(int i) const {
    const int before = std::max(i - 2, 0), after = std::min(i + 2, n_ - 1);
    const auto& points = ball(i) ? leg_.ball : leg_.heel;
    return (mean_point(after, points) - mean_point(before, points)).norm() * rate_ /
           std::max(1, after - before);
  }

  // After turning and lifting, what is down is in contact; what is not, is not.
  void settle_contacts() {
    const auto keep = [&](int i, const std::vector<int>& points) {
      const bool down = any(contacts_[i], points) && mean_point(i, points).z() < kTouch;
      for (const int p : points) contacts_[i][p] = down;
    };
    for (int i = 0; i < n_; ++i) {
      keep(i, leg_.heel);
      keep(i, leg_.ball);
      for (const int p : leg_.tip) contacts_[i][p] = ball(i);
    }
  }

  const Actor& actor_;
  ActorDynamics dynamics_;
  const VecX rest_;
  const Leg& leg_;
  std::vector<VecX>& q_;
  ContactTable& contacts_;
  double rate_;
  Tolerance tolerance_;
  SmoothCorrection curve_;
  int n_;
  std::vector<Vec3> position_;
  std::vector<Quat> rotation_;
  std::vector<double> toe_angle_;    // rad, per frame
  std::vector<std::uint8_t> alone_;  // per frame
  double largest_shift_ = 0;
};

// Puts the legs where their feet are wanted, under a body whose centre of mass moves up and down as captured but for
// what the legs are too short for (body_height.h). How it moves depends on where the legs are, so both are found in turns.
// Returns by how much the pelvis went down at most (m).
double put_legs(const ActorPtr& actor, const std::vector<double>& captured_height, double rate_hz,
                std::deque<FootPlanter>& planters, std::vector<VecX>& q) {
  constexpr int kPasses = 3;
  const std::vector<VecX> before = q;
  const auto solve = [&] {
    for (std::size_t i = 0; i < q.size(); ++i) {
      for (FootPlanter& planter : planters) planter.solve(static_cast<int>(i));
    }
  };
  for (int pass = 0; pass < kPasses; ++pass) {
    solve();
    const std::vector<double> height = com_heights(actor, q);
    std::vector<double> most(q.size(),
                             1.0);  // m, how far above its captured height the centre of mass may be
    for (std::size_t i = 0; i < q.size(); ++i) {
      for (FootPlanter& planter : planters) {
        most[i] = std::min(most[i], height[i] - captured_height[i] - planter.too_high(static_cast<int>(i)));
      }
    }
    const std::vector<double> shift = smooth_below(most, rate_hz);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double root = q[i][2] + captured_height[i] + shift[i] - height[i];
      q[i] = before[i];
      q[i][2] = root;
    }
  }
  solve();
  double drop = 0;
  for (std::size_t i = 0; i < q.size(); ++i) drop = std::max(drop, before[i][2] - q[i][2]);
  return drop;
}

}  // namespace

PlantReport plant_feet(const ActorPtr& actor, std::vector<VecX>& q, ContactTable& contacts, double rate_hz,
                       bool planted_before) {
  PlantReport report;
  std::vector<Leg> legs;
  for (const bool left : {true, false}) {
    if (auto leg = find_leg(*actor, left)) legs.push_back(*leg);
  }
  std::deque<FootPlanter> planters;
  const std::vector<double> captured = com_heights(actor, q);
  for (const Leg& leg : legs) group(leg, contacts);
  for (const Leg& leg : legs) {
    planters.emplace_back(actor, leg, q, contacts, rate_hz, planted_before ? kPlantedBefore : kCaptured);
  }
  for (FootPlanter& planter : planters) {
    planter.find_targets();
    report.largest_shift = std::max(report.largest_shift, planter.largest_shift());
  }

  report.largest_drop = put_legs(actor, captured, rate_hz, planters, q);
  return report;
}

}  // namespace stunt
