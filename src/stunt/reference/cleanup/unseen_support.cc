#include "stunt/reference/cleanup/unseen_support.h"

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/core/geometry2d.h"
#include "stunt/reference/cleanup/filter.h"

namespace stunt {
namespace {

constexpr double kStandardGravity = 9.81;      // m/s^2
constexpr double kSmoothMotion = 3;            // Hz
constexpr double kOutside = 0.12;              // m, of the centre of mass and of the zero-moment point
constexpr double kSteps = 0.4;                 // m/s: who moves as fast steps, and is not seated
constexpr double kOnTheFloor = 0.15;           // m: height of a joint whose part lies on the floor
constexpr double kAtLeast = 0.5, kJoin = 0.2;  // s

struct BodyPath {
  std::vector<double> com[3];
  std::vector<bool> on_the_floor;  // some part other than the feet
};

BodyPath body_path(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz) {
  ActorDynamics dynamics(actor);
  const VecX still = VecX::Zero(actor->nv());
  BodyPath path;
  for (const VecX& pose : q) {
    dynamics.set_state(pose, still);
    const Vec3 com = dynamics.com();
    for (int c = 0; c < 3; ++c) path.com[c].push_back(com[c]);
    bool low = false;
    for (int body = 0; body < static_cast<int>(actor->bodies().size()); ++body) {
      low = low || (!actor->is_foot(body) && dynamics.body_position(body).z() < kOnTheFloor);
    }
    path.on_the_floor.push_back(low);
  }
  for (auto& coordinate : path.com) low_pass(coordinate, rate_hz, kSmoothMotion);
  return path;
}

// For each frame, how long (s) the time without any contact is in which it lies; 0 where there is one.
std::vector<double> time_aloft(const ContactTable& contacts, double rate_hz) {
  const int n = static_cast<int>(contacts.size());
  std::vector<double> aloft(n, 0.0);
  for (int begin = 0; begin < n;) {
    int end = begin;
    while (end < n &&
           std::all_of(contacts[end].begin(), contacts[end].end(), [](auto c) { return c == 0; })) {
      ++end;
    }
    std::fill(aloft.begin() + begin, aloft.begin() + end, (end - begin) / rate_hz);
    begin = std::max(end, begin + 1);
  }
  return aloft;
}

}  // namespace

std::vector<TimeSpan> unseen_support(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz,
                                     const ContactTable& contacts) {
  const int n = static_cast<int>(q.size());
  const PointPaths points = contact_point_paths(*actor, q);
  const BodyPath path = body_path(actor, q, rate_hz);
  const std::vector<double> aloft = time_aloft(contacts, rate_hz);
  std::vector<TimeSpan> spans;
  std::vector<Vec2> soles;
  for (int i = 1; i + 1 < n; ++i) {
    if (path.on_the_floor[i] || (aloft[i] > 0 && aloft[i] < kAtLeast)) continue;
    Vec3 at, velocity, acceleration;
    for (int c = 0; c < 3; ++c) {
      const auto& x = path.com[c];
      at[c] = x[i];
      velocity[c] = (x[i + 1] - x[i - 1]) * 0.5 * rate_hz;
      acceleration[c] = (x[i + 1] - 2 * x[i] + x[i - 1]) * rate_hz * rate_hz;
    }
    const double weight = kStandardGravity + acceleration.z();
    if (weight < 0.5 * kStandardGravity) continue;  // it falls
    soles.clear();
    for (std::size_t p = 0; p < contacts[i].size(); ++p) {
      if (contacts[i][p]) soles.emplace_back(points[i][p].head<2>());
    }
    if (!soles.empty()) {
      const auto outside = [&](const Vec2& point) { return (point - nearest_in_hull(soles, point)).norm(); };
      const Vec2 centre = at.head<2>(), zmp = centre - at.z() / weight * acceleration.head<2>();
      if (velocity.head<2>().norm() > kSteps || std::min(outside(centre), outside(zmp)) < kOutside) continue;
    }
    const double t = i / rate_hz;
    if (spans.empty() || t > spans.back().end + kJoin) spans.push_back({t, t});
    spans.back().end = t;
  }
  std::erase_if(spans, [](const TimeSpan& span) { return span.end - span.begin < kAtLeast; });
  return spans;
}

}  // namespace stunt
