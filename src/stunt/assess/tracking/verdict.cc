#include "stunt/assess/tracking/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/control/parts/capture_point.h"
#include "stunt/core/easing.h"
#include "stunt/core/geometry2d.h"

namespace stunt {
namespace {

constexpr double kPatience = 0.2;                                  // s that a rule may be broken
constexpr double kMeanDistance = 0.15, kLimbDistance = 0.35;       // m
constexpr double kTiltDeg = 30, kHeadingDeg = 45, kHeight = 0.15;  // degrees, degrees, m
constexpr double kFlight = 0.1, kFlown = 0.5;                      // s; share of it
constexpr double kEnd = 0.2;                       // s, of the run that is looked at for a fall to come
constexpr double kCaptureDistance = 0.3;           // m
constexpr double kLost = 2.0, kUnderGround = 0.1;  // m
constexpr double kDriftTime = 1.0;                 // s, how slowly the motion is moved along
constexpr double kPressing = 1.0;                  // N

// What the rules look at, of one pose.
struct Figure {
  Vec3 root;
  Quat root_rotation;        // from the rest pose
  Vec3 trunk;                // unit, from the pelvis to the neck or chest
  std::vector<Vec3> joints;  // m, relative to the root
  std::vector<Vec3> limbs;   // hands, feet, head, likewise
  double lowest;             // m, of the bodies' centres over the ground

  void read(ActorDynamics& dynamics, const GroundSpec& ground) {
    const Actor& actor = dynamics.actor();
    root = dynamics.body_position(0);
    root_rotation = dynamics.body_rotation(0) * actor.bodies()[0].rest.conjugate();
    joints.clear();
    limbs.clear();
    lowest = 1e9;
    for (std::size_t b = 0; b < actor.bodies().size(); ++b) {
      const int body = static_cast<int>(b);
      joints.push_back(dynamics.body_position(body) - root);
      const Vec3 centre = dynamics.point(body, actor.bodies()[b].com);
      lowest = std::min(lowest, centre.z() - ground.height_at(centre.x(), centre.y()));
    }
    for (const Role role :
         {Role::left_hand, Role::right_hand, Role::left_foot, Role::right_foot, Role::head}) {
      if (actor.body(role) >= 0) limbs.push_back(joints[static_cast<std::size_t>(actor.body(role))]);
    }
    const int top = std::max(actor.body(Role::neck), actor.body(Role::chest));
    trunk =
        top > 0 ? joints[static_cast<std::size_t>(top)].normalized() : Vec3(root_rotation * Vec3::UnitZ());
  }
};

double degrees_between(const Vec3& a, const Vec3& b) {
  return std::acos(std::clamp(a.dot(b), -1.0, 1.0)) * 180 / kPi;
}

// A rule that may be broken for a moment.
struct Rule {
  double since = -1;
  // When it has been broken for too long: since when.
  std::optional<double> broken(double t, bool is_broken) {
    if (!is_broken) {
      since = -1;
    } else if (since < 0) {
      since = t;
    } else if (t - since > kPatience) {
      return since;
    }
    return std::nullopt;
  }
};

class Judge {
 public:
  Judge(const Recording& recording, const ActorTrack& track)
      : recording_(recording), track_(track), ground_(recording.scene->ground), dynamics_(track.slot.actor) {}

  Verdict judge() {
    follow();
    if (out_.completed && track_.has_reference()) {
      check_flights();
      check_end();
    }
    out_.tracked = out_.completed && !out_.stumbled_at_s;
    if (!out_.completed) out_.stumbled_at_s.reset();
    return out_;
  }

 private:
  // Along the samples: the pose rules, and whether it got lost.
  void follow() {
    const bool reached =
        recording_.samples() > 0 && recording_.time.back() > recording_.duration - 1 / recording_.rate - 1e-6;
    out_.completed = reached && !track_.fall && recording_.diverged.empty();
    Vec3 drift = Vec3::Zero();
    Figure own, wanted;
    for (int i = 0; i < recording_.samples(); ++i) {
      const double t = recording_.time[static_cast<std::size_t>(i)];
      if (!recording_.q(i, track_).allFinite()) break;
      read(recording_.q(i, track_), own);
      if (ground_.present && own.lowest < -kUnderGround) {
        lose(fmt::format("under the ground at {:.2f} s", t));
        return;
      }
      if (!track_.has_reference()) continue;
      read(track_.reference_q(i), wanted);
      Vec3 apart = own.root - wanted.root;
      apart.z() = 0;
      if (i == 0) drift = apart;
      drift += approach(1 / recording_.rate, kDriftTime) * (apart - drift);
      out_.drift_m = drift.norm();
      if ((apart - drift).norm() > kLost) {
        lose(fmt::format("{:.1f} m away from the motion at {:.2f} s", (apart - drift).norm(), t));
        return;
      }
      if (track_.fall && t >= track_.fall->time) return;
      check_pose(t, own, wanted);
    }
  }

  void check_pose(double t, const Figure& own, const Figure& wanted) {
    double mean = 0, limb = 0;
    for (std::size_t k = 0; k < own.joints.size(); ++k)
      mean += (own.joints[k] - wanted.joints[k]).norm() / static_cast<double>(own.joints.size());
    for (std::size_t k = 0; k < own.limbs.size(); ++k)
      limb = std::max(limb, (own.limbs[k] - wanted.limbs[k]).norm());
    const double tilt =
        std::abs(degrees_between(own.trunk, Vec3::UnitZ()) - degrees_between(wanted.trunk, Vec3::UnitZ()));
    double turn = heading(own.root_rotation) - heading(wanted.root_rotation);
    turn = std::abs(std::remainder(turn, 2 * kPi)) * 180 / kPi;
    // Somebody who lies has no heading.
    const bool upright = degrees_between(wanted.root_rotation * Vec3::UnitZ(), Vec3::UnitZ()) < 60;
    const double height = own.root.z() - ground_.height_at(own.root.x(), own.root.y()) -
                          (wanted.root.z() - ground_.height_at(wanted.root.x(), wanted.root.y()));
    const auto check = [&](Rule& rule, bool broken, const char* text, double value) {
      if (const auto since = rule.broken(t, broken)) stumble(*since, fmt::format(fmt::runtime(text), value));
    };
    check(mean_, mean > kMeanDistance, "the joints are {:.0f} cm from the motion's on average", 100 * mean);
    check(limb_, limb > kLimbDistance, "a hand, a foot or the head is {:.0f} cm from the motion's",
          100 * limb);
    check(tilt_, tilt > kTiltDeg, "the trunk's tilt is off by {:.0f} degrees", tilt);
    check(heading_, upright && turn > kHeadingDeg, "the heading is off by {:.0f} degrees", turn);
    check(height_, std::abs(height) > kHeight, "the pelvis' height is off by {:+.0f} cm", 100 * height);
  }

  // Flights of the motion: from the last sample with a contact to the next one.
  void check_flights() {
    const Channel* contacts = track_.channels.find("reference_contacts");
    if (!contacts) return;
    const int n = recording_.samples(), around = static_cast<int>(kFlight * recording_.rate);
    for (int begin = 0; begin < n;) {
      const auto stands = [&](int i) {
        const auto row = contacts->row<std::uint8_t>(i);
        return std::any_of(row.begin(), row.end(), [](std::uint8_t c) { return c != 0; });
      };
      if (stands(begin)) {
        ++begin;
        continue;
      }
      int end = begin;
      while (end < n && !stands(end)) ++end;
      const int length = end - begin;
      if (begin > 0 && end < n && length > kFlight * recording_.rate) {
        int flown = 0;
        for (int i = std::max(0, begin - around); i < std::min(n, end + around); ++i)
          flown += !touches_ground(i);
        if (flown < kFlown * length) {
          stumble(recording_.time[static_cast<std::size_t>(begin)],
                  fmt::format("of a flight of {:.2f} s only {:.2f} s was flown", length / recording_.rate,
                              flown / recording_.rate));
        }
      }
      begin = end;
    }
  }

  bool touches_ground(int sample) const {
    bool touches = false;
    for (const RecordedContact& contact : recording_.contacts_of(sample)) {
      for_own_sides(contact, track_.slot, [&](int, int other, double) {
        touches = touches || (recording_.scene->is_support(other) && force(contact) > kPressing);
      });
    }
    return touches;
  }
  static double force(const RecordedContact& contact) {
    return std::hypot(contact.force[0], contact.force[1], contact.force[2]);
  }

  // Not falling at the end. A step may be a little early or late, so the best moment of the last stretch counts.
  void check_end() {
    const int last = recording_.samples() - 1;
    double least = 1e9;
    for (int i = std::max(1, last - static_cast<int>(kEnd * recording_.rate)); i <= last; ++i) {
      const std::optional<double> own = own_capture_distance(i), wanted = wanted_capture_distance(i);
      if (!own || !wanted) return;  // in flight
      least = std::min(least, *own - *wanted);
    }
    if (least > kCaptureDistance) {
      stumble(
          recording_.time.back(),
          fmt::format(
              "falling at the end: the capture point is {:.0f} cm further outside the feet than the motion's",
              100 * least));
    }
  }

  std::optional<double> own_capture_distance(int sample) {
    std::vector<Vec2> support;
    for (const RecordedContact& contact : recording_.contacts_of(sample)) {
      for_own_sides(contact, track_.slot, [&](int, int other, double) {
        if (recording_.scene->is_support(other) && force(contact) > kPressing)
          support.push_back(Vec2(contact.point[0], contact.point[1]));
      });
    }
    q_ = recording_.q(sample, track_);
    v_ = recording_.v(sample, track_);
    return capture_distance(support);
  }

  std::optional<double> wanted_capture_distance(int sample) {
    const Channel* contacts = track_.channels.find("reference_contacts");
    if (!contacts || sample < 1) return std::nullopt;
    q_ = track_.reference_q(sample);
    VecX before = track_.reference_q(sample - 1);
    difference(*track_.slot.actor, before, q_, v_);
    v_ *= recording_.rate;
    dynamics_.set_state(q_, v_);
    std::vector<Vec2> support;
    const auto& points = track_.slot.actor->contact_points();
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (contacts->row<std::uint8_t>(sample)[p])
        support.push_back(dynamics_.point(points[p].body, points[p].position).head<2>());
    }
    return capture_distance(support);
  }

  // Of the state in q_, v_. Empty in flight.
  std::optional<double> capture_distance(const std::vector<Vec2>& support) {
    if (support.empty()) return std::nullopt;
    dynamics_.set_state(q_, v_);
    const Vec3 com = dynamics_.com();
    const double rate =
        pendulum_rate(track_.slot.actor->gravity(), com.z() - ground_.height_at(com.x(), com.y()));
    const Vec2 capture = capture_point(com, dynamics_.com_velocity(), rate);
    return (nearest_in_hull(support, capture) - capture).norm();
  }

  void read(const VecX& q, Figure& figure) {
    at_rest_.setZero(track_.slot.nv);
    dynamics_.set_state(q, at_rest_);
    figure.read(dynamics_, ground_);
  }

  void stumble(double t, const std::string& reason) {
    if (out_.stumbled_at_s && *out_.stumbled_at_s <= t) return;
    out_.stumbled_at_s = t;
    out_.reason = reason;
  }
  void lose(const std::string& reason) {
    out_.completed = false;
    out_.reason = reason;
  }

  const Recording& recording_;
  const ActorTrack& track_;
  GroundSpec ground_;
  ActorDynamics dynamics_;
  VecX q_, v_, at_rest_;
  Rule mean_, limb_, tilt_, heading_, height_;
  Verdict out_;
};

}  // namespace

Verdict judge_tracking(const Recording& recording, int actor) {
  return Judge(recording, recording.actors[static_cast<std::size_t>(actor)]).judge();
}

}  // namespace stunt
