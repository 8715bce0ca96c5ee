#include "stunt/assess/tracking/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/control/parts/capture_point.h"
#include "stunt/core/geometry2d.h"

namespace stunt {
namespace {

constexpr double kLookBack = 2.0;     // s before the failure
constexpr double kBefore = 0.5;       // s before balance was lost
constexpr double kOutside = 0.1;      // m further outside the support than the motion
constexpr double kRegained = 0.15;    // s inside again
constexpr double kLate = 0.08;        // s
constexpr double kOffPlace = 0.10;    // m
constexpr double kCaught = 0.03;      // m that the motion has the foot in the air
constexpr double kAtLimit = 0.99;     // of the torque limit
constexpr double kAtLimitFor = 0.05;  // s
constexpr double kFootLoad = 1.0;     // N

// One sample, simulated and wanted.
struct Instant {
  double outside = 0, wanted_outside = 0;  // m, capture point from the support; 0 in flight
  bool touches[2] = {}, wanted[2] = {};    // left and right foot
  double height[2] = {};                   // m, of the motion's foot over the ground
  Vec2 place[2], wanted_place[2];          // m, of the feet relative to the root
};

class Story {
 public:
  Story(const Recording& recording, const ActorTrack& track, double failed_at)
      : recording_(recording),
        track_(track),
        actor_(*track.slot.actor),
        contacts_(*track.channels.find("reference_contacts")),
        dynamics_(track.slot.actor) {
    const auto index = [&](double t) {
      return static_cast<int>(std::lround(std::clamp(t * recording.rate, 0.0, recording.samples() - 1.0)));
    };
    first_ = index(failed_at - kLookBack);
    last_ = index(failed_at);
    for (int i = first_; i <= last_; ++i) instants_.push_back(read(i));
  }

  Cause tell() {
    const std::optional<int> lost = balance_lost();
    const int until = lost.value_or(static_cast<int>(instants_.size()) - 1);
    const int from = std::max(0, until - static_cast<int>((lost ? kBefore : kLookBack) * recording_.rate));
    Cause cause = first_cause(from, until);
    if (!lost) {
      if (!cause.text.empty()) cause.text += ".";
      return cause;
    }
    const std::string balance =
        fmt::format("from {:.2f} s on the capture point was outside the feet.", time(*lost));
    if (cause.text.empty()) {
      const Instant& then = instants_[static_cast<std::size_t>(*lost)];
      if (then.wanted_outside > kOutside) {
        return {
            time(*lost),
            fmt::format("At {:.2f} s the motion itself has its capture point {:.0f} cm outside the feet; {}",
                        time(*lost), 100 * then.wanted_outside, balance)};
      }
      return {time(*lost), "F" + balance.substr(1)};
    }
    cause.text += "; " + balance;
    return cause;
  }

 private:
  double time(int k) const { return recording_.time[static_cast<std::size_t>(first_ + k)]; }

  Instant read(int i) {
    Instant out;
    std::vector<Vec2> support;
    for (const RecordedContact& contact : recording_.contacts_of(i)) {
      for_own_sides(contact, track_.slot, [&](int body, int other, double) {
        if (!recording_.scene->is_support(other)) return;
        if (std::hypot(contact.force[0], contact.force[1], contact.force[2]) < kFootLoad) return;
        for (const int foot : {0, 1}) {
          if (!belongs(body, foot)) continue;
          out.touches[foot] = true;
          support.push_back(Vec2(contact.point[0], contact.point[1]));
        }
      });
    }
    dynamics_.set_state(recording_.q(i, track_), recording_.v(i, track_));
    out.outside = outside(support);
    for (const int foot : {0, 1}) out.place[foot] = place(foot);

    const VecX q = track_.reference_q(i), before = track_.reference_q(std::max(0, i - 1));
    VecX v;
    difference(actor_, before, q, v);
    dynamics_.set_state(q, v * recording_.rate);
    const auto row = contacts_.row<std::uint8_t>(i);
    support.clear();
    double lowest[2] = {1e9, 1e9};
    const auto& points = actor_.contact_points();
    for (std::size_t p = 0; p < points.size(); ++p) {
      const Vec3 at = dynamics_.point(points[p].body, points[p].position);
      const int foot = points[p].left ? 0 : 1;
      lowest[foot] = std::min(lowest[foot],
                              at.z() - points[p].radius - recording_.scene->ground.height_at(at.x(), at.y()));
      if (!row[p]) continue;
      support.push_back(at.head<2>());
      out.wanted[foot] = true;
    }
    out.wanted_outside = outside(support);
    for (const int foot : {0, 1}) {
      out.height[foot] = lowest[foot];
      out.wanted_place[foot] = place(foot);
    }
    return out;
  }

  bool belongs(int body, int foot) const {
    return foot == 0 ? body == actor_.body(Role::left_foot) || body == actor_.body(Role::left_toes)
                     : body == actor_.body(Role::right_foot) || body == actor_.body(Role::right_toes);
  }
  Vec2 place(int foot) {
    const int body = actor_.body(foot == 0 ? Role::left_foot : Role::right_foot);
    return (dynamics_.body_position(body) - dynamics_.body_position(0)).head<2>();
  }
  double outside(const std::vector<Vec2>& support) {
    if (support.empty()) return 0;
    const Vec3 com = dynamics_.com();
    const double rate =
        pendulum_rate(actor_.gravity(), com.z() - recording_.scene->ground.height_at(com.x(), com.y()));
    const Vec2 capture = capture_point(com, dynamics_.com_velocity(), rate);
    return (nearest_in_hull(support, capture) - capture).norm();
  }

  // The first of the instants from which on the capture point stays outside, to the failure. A foot that slaps down
  // on the way does not bring balance back.
  std::optional<int> balance_lost() const {
    std::optional<int> lost;
    int inside = 0;
    for (int k = static_cast<int>(instants_.size()) - 1; k >= 0; --k) {
      const Instant& at = instants_[static_cast<std::size_t>(k)];
      const bool flies = !at.touches[0] && !at.touches[1];
      if (flies || at.outside >= at.wanted_outside + kOutside) {
        lost = k;
        inside = 0;
      } else if (++inside > kRegained * recording_.rate) {
        break;
      }
    }
    return lost;
  }

  Cause first_cause(int from, int until) const {
    static const char* const kFeet[] = {"left", "right"};
    int missing[2] = {0, 0};
    std::vector<int> at_limit(static_cast<std::size_t>(track_.slot.nv), 0);
    const double rate = recording_.rate;
    for (int k = from; k <= until; ++k) {
      const Instant& at = instants_[static_cast<std::size_t>(k)];
      for (const int foot : {0, 1}) {
        const bool landed =
            k > 0 && at.touches[foot] && !instants_[static_cast<std::size_t>(k) - 1].touches[foot];
        missing[foot] = at.wanted[foot] && !at.touches[foot] ? missing[foot] + 1 : 0;
        if (missing[foot] > kLate * rate) {
          const double since = time(k) - (missing[foot] - 1) / rate;
          return {since,
                  fmt::format("At {:.2f} s the {} foot, which the motion has on the ground, did not touch it",
                              since, kFeet[foot])};
        }
        const double off = (at.place[foot] - at.wanted_place[foot]).norm();
        if (landed && off > kOffPlace) {
          return {time(k), fmt::format("At {:.2f} s the {} foot came down {:.0f} cm from its place", time(k),
                                       kFeet[foot], 100 * off)};
        }
        if (landed && !at.wanted[foot] && at.height[foot] > kCaught) {
          return {
              time(k),
              fmt::format("At {:.2f} s the {} foot touched the ground where the motion has it {:.0f} cm up",
                          time(k), kFeet[foot], 100 * at.height[foot])};
        }
      }
      const auto torque = track_.torque(first_ + k);
      for (int j = actor_.root_dofs(); j < track_.slot.nv; ++j) {
        const auto index = static_cast<std::size_t>(j);
        const double limit = actor_.torque_limits()[j];
        at_limit[index] = limit > 0 && std::abs(torque[j]) > kAtLimit * limit ? at_limit[index] + 1 : 0;
        if (at_limit[index] > kAtLimitFor * rate) {
          return {time(k), fmt::format("At {:.2f} s the torque at {} was at its limit of {:.0f} Nm", time(k),
                                       joint_name(j), limit)};
        }
      }
    }
    return {};
  }

  std::string joint_name(int dof) const {
    for (const ActorJoint& joint : actor_.joints()) {
      if (dof >= joint.v_address && dof < joint.v_address + joint.dofs)
        return actor_.bodies()[static_cast<std::size_t>(joint.body)].name;
    }
    return "a joint";
  }

  const Recording& recording_;
  const ActorTrack& track_;
  const Actor& actor_;
  const Channel& contacts_;
  ActorDynamics dynamics_;
  int first_, last_;
  std::vector<Instant> instants_;
};

}  // namespace

Cause find_cause(const Recording& recording, int actor, double failed_at) {
  const ActorTrack& track = recording.actors[static_cast<std::size_t>(actor)];
  const Actor& body = *track.slot.actor;
  if (recording.samples() == 0 || !track.has_reference() || !track.channels.find("reference_contacts") ||
      body.body(Role::left_foot) < 0 || body.body(Role::right_foot) < 0)
    return {};
  return Story(recording, track, failed_at).tell();
}

}  // namespace stunt
