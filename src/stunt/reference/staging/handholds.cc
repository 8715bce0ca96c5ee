#include "stunt/reference/staging/handholds.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "stunt/actor/dynamics.h"

namespace stunt {
namespace {

constexpr double kStays = 0.06;                           // m, root mean square from the mean
constexpr double kOnCircle = 0.04;                        // m, likewise from the circle
constexpr double kShortestRope = 0.15, kLongestRope = 6;  // m
constexpr double kShortest = 0.4;                         // s

std::optional<FoundHandhold> held_by(const std::vector<Vec3>& path) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : path) mean += p / static_cast<double>(path.size());
  double spread = 0;
  for (const Vec3& p : path) spread += (p - mean).squaredNorm() / static_cast<double>(path.size());
  if (std::sqrt(spread) < kStays) return FoundHandhold{{}, {}, mean, 0, std::sqrt(spread)};
  // |p|^2 = 2 c.p + k, p from the mean; what the path does not show of c stays at the mean.
  Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
  Eigen::Vector4d right = Eigen::Vector4d::Zero();
  for (const Vec3& p : path) {
    const Vec3 d = p - mean;
    const Eigen::Vector4d row(2 * d.x(), 2 * d.y(), 2 * d.z(), 1);
    normal += row * row.transpose();
    right += row * d.squaredNorm();
  }
  normal.diagonal().head<3>().array() += 1e-4 * static_cast<double>(path.size());
  const Eigen::Vector4d fit = normal.ldlt().solve(right);
  const Vec3 centre = fit.head<3>();
  const double radius = std::sqrt(std::max(0.0, fit[3] + centre.squaredNorm()));
  double rest = 0;
  for (const Vec3& p : path)
    rest += std::pow((p - mean - centre).norm() - radius, 2) / static_cast<double>(path.size());
  if (std::sqrt(rest) > kOnCircle || centre.z() < 0.5 * radius || radius < kShortestRope ||
      radius > kLongestRope)
    return std::nullopt;
  return FoundHandhold{{}, {}, mean + centre - radius * Vec3::UnitZ(), radius, std::sqrt(rest)};
}

}  // namespace

std::vector<FoundHandhold> find_handholds(const SampledReference& motion,
                                          const std::vector<TimeSpan>& spans) {
  const Actor& actor = *motion.actor();
  ActorDynamics dynamics(motion.actor());
  const VecX still = VecX::Zero(actor.nv());
  std::vector<FoundHandhold> found;
  for (const TimeSpan& span : spans) {
    for (const Role role : {Role::left_hand, Role::right_hand}) {
      const int hand = actor.body(role);
      if (hand < 0) continue;
      std::vector<Vec3> path;
      bool above = true;
      for (int i = 0; i < motion.size(); ++i) {
        if (!span.holds(i / motion.rate())) continue;
        dynamics.set_state(motion.q(i), still);
        path.push_back(dynamics.point(hand, actor.bodies()[static_cast<std::size_t>(hand)].com));
        above = above && path.back().z() > dynamics.body_position(0).z();
      }
      if (!above || static_cast<double>(path.size()) < kShortest * motion.rate()) continue;
      if (auto hold = held_by(path)) {
        hold->hand = role;
        hold->when = span;
        found.push_back(*hold);
      }
    }
  }
  return found;
}

std::string handhold_keys(const std::vector<FoundHandhold>& holds) {
  if (holds.empty()) return {};
  // One thing to hold for each hand, where it was held the longest; a bar for both where neither swings.
  std::string objects, grips;
  const FoundHandhold* best[2] = {nullptr, nullptr};
  for (const FoundHandhold& hold : holds) {
    const FoundHandhold*& of = best[hold.hand == Role::right_hand];
    if (!of || hold.when.end - hold.when.begin > of->when.end - of->when.begin) of = &hold;
  }
  const bool one_bar = best[0] && best[1] && best[0]->rope == 0 && best[1]->rope == 0;
  if (one_bar) {
    const Vec3 middle = 0.5 * (best[0]->place + best[1]->place), across = best[0]->place - best[1]->place;
    objects = fmt::format(
        "{{name: bar, shape: capsule, size: [0.03, {:.2f}], position: [{:.2f}, {:.2f}, {:.2f}], "
        "rotation_deg: [90, 0, {:.0f}], fixed: true}}",
        across.norm() + 1, middle.x(), middle.y(), middle.z(),
        degrees(std::atan2(across.y(), across.x())) - 90);
  }
  for (const FoundHandhold* hold : best) {
    if (!hold) continue;
    const std::string hand(name(hold->hand));
    const std::string thing = one_bar ? "bar" : hand == "left_hand" ? "left_handle" : "right_handle";
    const Vec3& p = hold->place;
    if (!one_bar) {
      objects += fmt::format(
          "{}{{name: {}, shape: capsule, size: [0.03, 0.12], mass: 0.5, position: [{:.2f}, {:.2f}, {:.2f}], "
          "rotation_deg: [90, 0, 0], {}}}",
          objects.empty() ? "" : ", ", thing, p.x(), p.y(), p.z(),
          hold->rope > 0
              ? fmt::format("hangs_from: [{:.2f}, {:.2f}, {:.2f}]", p.x(), p.y(), p.z() + hold->rope)
              : "fixed: true");
    }
    grips += fmt::format("{}{{body: {}, object: {}, from: {:.2f}, to: {:.2f}}}", grips.empty() ? "" : ", ",
                         hand, thing, hold->when.begin, hold->when.end);
  }
  return fmt::format("objects: [{}]\ngrip: [{}]", objects, grips);
}

}  // namespace stunt
