#include "stunt/assess/tracking/touchdown.h"

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"

namespace stunt {
namespace {

constexpr double kTouchLoad = 1;    // N
constexpr double kUnloaded = 0.05;  // s without contact before a touchdown
constexpr double kDescent = 0.025;  // s over which the speed is taken
constexpr double kThere = 0.005;    // m above where it will stand
constexpr double kSlowest = 0.1;    // m/s
constexpr double kSameStep = 0.15;  // s between two touchdowns that are the same

struct Touchdown {
  int sample;
  double speed;  // m/s
};

// One foot along the samples.
struct FootPath {
  std::vector<double> height;  // m, of its lowest contact point
  std::vector<bool> touches;
};

std::vector<Touchdown> touchdowns(const FootPath& foot, double rate) {
  const int clear = static_cast<int>(std::lround(kUnloaded * rate)),
            before = std::max(1, static_cast<int>(std::lround(kDescent * rate)));
  std::vector<Touchdown> out;
  int since = 0;  // samples without contact
  for (int i = 0; i < static_cast<int>(foot.touches.size()); ++i) {
    if (!foot.touches[static_cast<std::size_t>(i)]) {
      ++since;
      continue;
    }
    // A motion counts a foot as standing once it rests: it has come down before.
    int at = i;
    while (at > 0 && i - at < since &&
           foot.height[static_cast<std::size_t>(at - 1)] < foot.height[static_cast<std::size_t>(i)] + kThere)
      --at;
    if (at >= before && since >= std::max(clear, before)) {
      const double fallen =
          foot.height[static_cast<std::size_t>(at - before)] - foot.height[static_cast<std::size_t>(at)];
      out.push_back({at, std::max(kSlowest, fallen * rate / before)});
    }
    since = 0;
  }
  return out;
}

}  // namespace

std::optional<double> touchdown_speed_ratio(const Recording& recording, int actor) {
  const ActorTrack& track = recording.actors[static_cast<std::size_t>(actor)];
  const Actor& body = *track.slot.actor;
  const auto& points = body.contact_points();
  const Channel* standing = track.channels.find("reference_contacts");
  if (!track.has_reference() || !standing || points.empty()) return std::nullopt;

  ActorDynamics dynamics(track.slot.actor);
  FootPath own[2], wanted[2];
  const auto lowest = [&](const VecX& q, FootPath(&feet)[2]) {
    dynamics.set_state(q, VecX::Zero(track.slot.nv));
    double height[2] = {1e9, 1e9};
    for (const auto& point : points) {
      double& least = height[point.left ? 0 : 1];
      least = std::min(least, dynamics.point(point.body, point.position).z());
    }
    for (const int foot : {0, 1}) feet[foot].height.push_back(height[foot]);
  };
  for (int i = 0; i < recording.samples(); ++i) {
    if (track.fall && recording.time[static_cast<std::size_t>(i)] >= track.fall->time) break;
    if (!recording.q(i, track).allFinite()) break;
    lowest(recording.q(i, track), own);
    lowest(track.reference_q(i), wanted);
    bool touches[2] = {}, stands[2] = {};
    for (const RecordedContact& contact : recording.contacts_of(i)) {
      if (std::hypot(contact.force[0], contact.force[1], contact.force[2]) < kTouchLoad) continue;
      for_own_sides(contact, track.slot, [&](int of, int other, double) {
        if (!recording.scene->is_support(other)) return;
        for (const auto& point : points) touches[point.left ? 0 : 1] |= point.body == of;
      });
    }
    const auto row = standing->row<std::uint8_t>(i);
    for (std::size_t p = 0; p < points.size(); ++p) stands[points[p].left ? 0 : 1] |= row[p] != 0;
    for (const int foot : {0, 1}) {
      own[foot].touches.push_back(touches[foot]);
      wanted[foot].touches.push_back(stands[foot]);
    }
  }

  std::vector<double> ratios;
  for (const int foot : {0, 1}) {
    const auto theirs = touchdowns(wanted[foot], recording.rate);
    for (const Touchdown& mine : touchdowns(own[foot], recording.rate)) {
      const auto nearest =
          std::min_element(theirs.begin(), theirs.end(), [&](const Touchdown& a, const Touchdown& b) {
            return std::abs(a.sample - mine.sample) < std::abs(b.sample - mine.sample);
          });
      if (nearest == theirs.end() || std::abs(nearest->sample - mine.sample) > kSameStep * recording.rate)
        continue;
      ratios.push_back(mine.speed / nearest->speed);
    }
  }
  if (ratios.empty()) return std::nullopt;
  const auto middle = ratios.begin() + static_cast<long>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

}  // namespace stunt
