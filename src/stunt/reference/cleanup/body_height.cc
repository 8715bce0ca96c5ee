#include "stunt/reference/cleanup/body_height.h"

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/reference/cleanup/path_solver.h"

namespace stunt {
namespace {

constexpr double kStretch = 0.997;  // of a leg's length: a knee locked straight cannot follow smoothly

}  // namespace

double hip_excess(const Vec3& hip, const Vec3& foot, double length) {
  const Vec3 way = foot - hip;
  const double beside = std::pow(kStretch * length, 2) - way.head<2>().squaredNorm();
  return std::min(kMostExcess, -way.z() - std::sqrt(std::max(0.0, beside)));
}

std::vector<double> com_heights(const ActorPtr& actor, const std::vector<VecX>& q) {
  ActorDynamics dynamics(actor);
  const VecX at_rest = VecX::Zero(actor->nv());
  std::vector<double> heights;
  heights.reserve(q.size());
  for (const VecX& pose : q) {
    dynamics.set_state(pose, at_rest);
    heights.push_back(dynamics.com().z());
  }
  return heights;
}

std::vector<double> smooth_below(const std::vector<double>& most, double rate_hz, double T,
                                 const std::vector<bool>& fixed) {
  constexpr double kFirm = 1e5;  // weight of the limit, against 1 for the distance from zero
  constexpr int kRounds = 30, kFewestFrames = 3;
  const int n = static_cast<int>(most.size());
  VecX path = VecX::Zero(n), limit = Eigen::Map<const VecX>(most.data(), n);
  const VecX zero = VecX::Zero(n);
  std::vector<bool> held(n, false), always(n, false);
  for (int i = 0; i < static_cast<int>(fixed.size()); ++i) {
    always[i] = fixed[i];
    if (fixed[i]) limit[i] = 0;
  }
  for (int round = 0; round < kRounds && n >= kFewestFrames; ++round) {
    bool changed = false;
    std::vector<PathGoal> goals(n);
    for (int i = 0; i < n; ++i) {
      const bool above = path[i] > limit[i];
      changed = changed || (above != held[i] && !always[i]);
      held[i] = above;
      goals[i] = {above || always[i] ? kFirm : 0, 1, 0};
    }
    if (!changed) break;
    path = PathSolver(std::move(goals), rate_hz, std::pow(T, 4)).solve(zero, zero, limit);
  }
  return {path.data(), path.data() + n};
}

std::vector<Vec3> give_way(const std::vector<Vec3>& hips, std::vector<Vec3> feet,
                           const std::vector<bool>& stands, double length, double rate_hz) {
  constexpr double kTime = 0.03;  // s, T
  std::vector<double> slack;
  for (std::size_t i = 0; i < feet.size(); ++i)
    slack.push_back(kStretch * length - (feet[i] - hips[i]).norm());
  const std::vector<double> longer = smooth_below(slack, rate_hz, kTime, stands);
  for (std::size_t i = 0; i < feet.size(); ++i) {
    if (!stands[i]) feet[i] += longer[i] * (feet[i] - hips[i]).normalized();
  }
  return feet;
}

}  // namespace stunt
