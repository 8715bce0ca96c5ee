#include "stunt/assess/tracking/touchdown.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stunt/actor/dynamics.h"

namespace stunt {

std::vector<Touchdown> find_touchdowns(std::span<const double> height, double rate) {
  constexpr double kBefore = 0.1, kAfter = 0.08;                // s
  constexpr double kUp = 0.015, kLast = 0.003, kStays = 0.006;  // m
  const int before = static_cast<int>(std::lround(kBefore * rate)),
            after = std::max(1, static_cast<int>(std::lround(kAfter * rate)));
  const int n = static_cast<int>(height.size());
  std::vector<Touchdown> found;
  for (int i = 0; i + after < n; ++i) {
    const auto [low, high] = std::minmax_element(height.begin() + i + 1, height.begin() + i + 1 + after);
    if (height[i] <= *low + kLast || height[i + 1] > *low + kLast || *high > *low + kStays) continue;
    const double up = *std::max_element(height.begin() + std::max(0, i - before), height.begin() + i + 1);
    if (up < *low + kUp) continue;
    found.push_back({(i + 0.5) / rate, (height[i] - height[i + 1]) * rate});
  }
  return found;
}

namespace {

// The height of the lowest point of each foot, sample by sample: left, right.
class LowestPoints {
 public:
  void add(ActorDynamics& dynamics) {
    double lowest[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (const ContactPoint& point : dynamics.actor().contact_points()) {
      double& foot = lowest[point.left ? 0 : 1];
      foot = std::min(foot, dynamics.point(point.body, point.position).z() - point.radius);
    }
    for (const int foot : {0, 1}) heights_[foot].push_back(lowest[foot]);
  }
  std::span<const double> of(int foot) const { return heights_[foot]; }

 private:
  std::vector<double> heights_[2];  // m
};

}  // namespace

double touchdown_speed_ratio(const Recording& recording, int actor, int samples) {
  constexpr double kTogether = 0.25;  // s
  constexpr double kSlowest = 0.05;   // m/s
  const ActorTrack& track = recording.actors[static_cast<std::size_t>(actor)];
  ActorDynamics dynamics(track.slot.actor);
  LowestPoints simulated, reference;
  const VecX at_rest = VecX::Zero(track.slot.nv);
  VecX q;
  for (int i = 0; i < samples; ++i) {
    q = recording.q(i, track);
    dynamics.set_state(q, at_rest);
    simulated.add(dynamics);
    q = track.reference_q(i);
    dynamics.set_state(q, at_rest);
    reference.add(dynamics);
  }
  std::vector<double> ratios;
  for (const int foot : {0, 1}) {
    const std::vector<Touchdown> wanted = find_touchdowns(reference.of(foot), recording.rate);
    for (const Touchdown& touchdown : find_touchdowns(simulated.of(foot), recording.rate)) {
      const auto nearest =
          std::min_element(wanted.begin(), wanted.end(), [&](const Touchdown& a, const Touchdown& b) {
            return std::abs(a.time - touchdown.time) < std::abs(b.time - touchdown.time);
          });
      if (nearest == wanted.end() || std::abs(nearest->time - touchdown.time) > kTogether) continue;
      ratios.push_back(std::max(touchdown.speed, kSlowest) / std::max(nearest->speed, kSlowest));
    }
  }
  if (ratios.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

}  // namespace stunt
