#include "stunt/assess/tracking/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/assess/tracking/pose_rules.h"
#include "stunt/core/easing.h"
#include "stunt/reference/cleanup/floor_touch.h"

namespace stunt {
namespace {

constexpr double kFlight = 0.1, kFlown = 0.5;      // s; share of it
constexpr double kLost = 2.0, kUnderGround = 0.1;  // m
constexpr double kDriftTime = 1.0;                 // s, how slowly the motion is moved along
constexpr double kPressing = 1.0;                  // N

class Judge {
 public:
  Judge(const Recording& recording, const ActorTrack& track)
      : recording_(recording),
        track_(track),
        ground_(recording.scene->ground),
        dynamics_(track.slot.actor),
        others_(track.slot.actor) {}

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
    const double last = recording_.duration - 0.5 * recording_.timestep - 1 / recording_.rate;
    const bool reached = recording_.samples() > 0 && recording_.time.back() > last - 1e-6;
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
      if (const auto broken = rules_.check(t, own, wanted, ground_)) stumble(broken->since, broken->reason);
    }
  }

  // Flights of the motion: from the last sample with a contact to the next one. Who lies or is on hands and knees does not
  // fly.
  void check_flights() {
    const Channel* contacts = track_.channels.find("reference_contacts");
    if (!contacts) return;
    const int n = recording_.samples(), around = static_cast<int>(kFlight * recording_.rate);
    for (int begin = 0; begin < n;) {
      const auto stands = [&](int i) {
        const auto row = contacts->row<std::uint8_t>(i);
        return std::any_of(row.begin(), row.end(), [](std::uint8_t c) { return c != 0; }) || lies(i);
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

  bool lies(int sample) {
    q_ = track_.reference_q(sample);
    q_[2] -= ground_.height_at(q_[0], q_[1]);
    return others_.any(q_);
  }

  // Whoever hangs by the hands flies too: a flight is a time without feet on the ground.
  bool is_hand(int body) const {
    const Actor& actor = *track_.slot.actor;
    return body == actor.body(Role::left_hand) || body == actor.body(Role::right_hand);
  }
  bool touches_ground(int sample) const {
    bool touches = false;
    for (const RecordedContact& contact : recording_.contacts_of(sample)) {
      for_own_sides(contact, track_.slot, [&](int body, int other, double) {
        touches =
            touches || (!is_hand(body) && recording_.scene->is_support(other) && force(contact) > kPressing);
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
    if (least > kEndCapture) {
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
    dynamics_.set_state(q_, v_);
    return capture_distance(dynamics_, support, ground_);
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
    return capture_distance(dynamics_, support, ground_);
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
  FloorTouches others_;  // than feet
  VecX q_, v_, at_rest_;
  PoseRules rules_;
  Verdict out_;
};

}  // namespace

Verdict judge_tracking(const Recording& recording, int actor) {
  return Judge(recording, recording.actors[static_cast<std::size_t>(actor)]).judge();
}

}  // namespace stunt
