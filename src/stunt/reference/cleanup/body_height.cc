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

Vec3 within_reach(const Vec3& hip, const Vec3& foot, double length) {
  const Vec3 way = foot - hip;
  const double reach = kStretch * length;
  return way.norm() > reach ? Vec3(hip + way * (reach / way.norm())) : foot;
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

std::vector<double> smooth_below(const std::vector<double>& most, double rate_hz) {
  constexpr double kTime = 0.15;  // s, T
  constexpr double kFirm = 1e5;   // weight of the limit, against 1 for the distance from zero
  constexpr int kRounds = 30, kLeastFrames = 3;
  const int n = static_cast<int>(most.size());
  VecX path = VecX::Zero(n);
  const VecX zero = VecX::Zero(n), limit = Eigen::Map<const VecX>(most.data(), n);
  std::vector<bool> held(n, false);
  for (int round = 0; round < kRounds && n >= kLeastFrames; ++round) {
    bool changed = false;
    std::vector<PathGoal> goals(n);
    for (int i = 0; i < n; ++i) {
      const bool above = path[i] > limit[i];
      changed = changed || above != held[i];
      held[i] = above;
      goals[i] = {above ? kFirm : 0, 1, 0};
    }
    if (!changed) break;
    path = PathSolver(std::move(goals), rate_hz, std::pow(kTime, 4)).solve(zero, zero, limit);
  }
  return {path.data(), path.data() + n};
}

}  // namespace stunt
