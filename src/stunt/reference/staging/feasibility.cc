#include "stunt/reference/staging/feasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/core/geometry2d.h"

namespace stunt {
namespace {

// How far beyond what is possible, as a multiple of the tolerance; above 1 it is not.
struct Verdict {
  double excess = 0;
  std::string because;
  void consider(double multiple, const std::string& why) {
    if (multiple <= std::max(excess, 1.0)) return;
    excess = multiple;
    because = why;
  }
};

}  // namespace

std::vector<Infeasible> infeasible_stretches(const SampledReference& motion,
                                             const FeasibilitySettings& settings) {
  const Actor& actor = *motion.actor();
  const int n = motion.size();
  const double rate = motion.rate(), g = std::max(actor.gravity(), 0.1), mass = actor.mass();
  ActorDynamics dynamics(motion.actor());
  std::vector<Vec3> com(n), spin(n);
  std::vector<VecX> q(n);
  for (int i = 0; i < n; ++i) {
    q[i] = motion.q(i);
    dynamics.set_state(motion.q(i), motion.v(i));
    com[i] = dynamics.com();
    spin[i] = dynamics.angular_momentum();
  }
  const PointPaths points = contact_point_paths(actor, q);

  const auto judge = [&](int i) {
    Verdict verdict;
    if (any_holds(settings.held, i / rate)) return verdict;
    const Vec3 push = (com[i + 1] - 2 * com[i] + com[i - 1]) * rate * rate + Vec3(0, 0, g);
    const Vec3 turn = (spin[i + 1] - spin[i - 1]) * 0.5 * rate / mass;
    std::vector<Vec2> loaded;
    double floor = 0;
    for (std::size_t p = 0; p < points[i].size(); ++p) {
      if (!motion.contacts(i)[p]) continue;
      loaded.emplace_back(points[i][p].head<2>());
      floor += points[i][p].z();
    }
    if (loaded.empty()) {
      verdict.consider(
          push.norm() / (settings.unexplained * g),
          fmt::format("nothing carries it, and yet it does not fall ({:.0f} % of its weight is missing)",
                      100 * push.norm() / g));
      return verdict;
    }
    floor /= static_cast<double>(loaded.size());
    if (push.z() <= 0.02 * g) {
      verdict.consider(2 - push.z() / g, "the ground would have to pull");
      return verdict;
    }
    const double slide = push.head<2>().norm() / push.z();
    verdict.consider(slide / settings.friction, fmt::format("it would need a friction of {:.1f}", slide));
    const double height = com[i].z() - floor;
    const Vec2 zmp = com[i].head<2>() - (height * push.head<2>() + Vec2(turn.y(), -turn.x())) / push.z();
    // Where the ground pushes little, a zero-moment point far away is a small moment.
    const double away = (zmp - nearest_in_hull(loaded, zmp)).norm() * std::min(1.0, push.z() / g);
    verdict.consider(away / settings.outside,
                     fmt::format("its weight would have to rest {:.0f} cm beside its feet", 100 * away));
    return verdict;
  };

  std::vector<Infeasible> found;
  for (int i = 1; i + 1 < n;) {
    Verdict worst;
    int end = i;
    for (; end + 1 < n; ++end) {
      const Verdict verdict = judge(end);
      if (verdict.excess <= 1) break;
      if (verdict.excess > worst.excess) worst = verdict;
    }
    if ((end - i) / rate > settings.longest) found.push_back({{i / rate, (end - 1) / rate}, worst.because});
    i = end + 1;
  }
  return found;
}

std::string infeasible_text(const std::vector<Infeasible>& stretches) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(stretches.size(), kNamed); ++i) {
    const Infeasible& stretch = stretches[i];
    text += fmt::format("{}from {:.2f} to {:.2f} s {}", i == 0 ? "" : "; ", stretch.when.begin,
                        stretch.when.end, stretch.because);
  }
  if (text.empty()) return text;
  if (stretches.size() > kNamed) text += fmt::format("; and {} more", stretches.size() - kNamed);
  return "The edited motion asks for more than ground and hands can give: " + text +
         ". A controller may fall behind there.";
}

}  // namespace stunt
