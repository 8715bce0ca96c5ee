#include "stunt/assess/realism/ground_reaction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stunt/core/error.h"

namespace stunt {
namespace {

struct Share {
  int body;
  Side side;
  Vec2 point;  // m, on the plane
  double part;
};

std::vector<Vec2> points_of(std::span<const Vec2> points, std::span<const SupportPoint> supports, Side side) {
  std::vector<Vec2> out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (supports[i].side == side) out.push_back(points[i]);
  }
  return out;
}

std::vector<Share> share_in_hull(std::span<const Vec2> points, std::span<const SupportPoint> supports,
                                 const Vec2& wanted) {
  const std::vector<double> parts = nearest_shares(points, nearest_in_hull(points, wanted));
  std::vector<Share> shares;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (parts[i] > 0) shares.push_back({supports[i].body, supports[i].side, points[i], parts[i]});
  }
  return shares;
}

// Eq. 4.9 with its weights exchanged, for any number of sides: those that the wanted point lies in share alike.
std::vector<Share> share_by_distance(std::span<const Vec2> points, std::span<const SupportPoint> supports,
                                     const Vec2& wanted) {
  constexpr double kInside = 1e-9;  // m
  std::vector<Share> shares;
  std::vector<double> distances;
  for (const Side side : {Side::left, Side::right, Side::middle}) {
    const std::vector<Vec2> polygon = points_of(points, supports, side);
    if (polygon.empty()) continue;
    const Vec2 nearest = nearest_in_hull(polygon, wanted);
    std::size_t closest = 0;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (supports[i].side == side && (points[i] - nearest).norm() < best) {
        best = (points[i] - nearest).norm();
        closest = i;
      }
    }
    shares.push_back({supports[closest].body, side, nearest, 0});
    distances.push_back((nearest - wanted).norm());
  }
  const bool inside = *std::min_element(distances.begin(), distances.end()) < kInside;
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i].part = inside ? (distances[i] < kInside ? 1 : 0) : 1 / distances[i];
    sum += shares[i].part;
  }
  for (Share& share : shares) share.part /= sum;
  return shares;
}

}  // namespace

Split split_from_name(const std::string& name) {
  if (name == "hull") return Split::hull;
  if (name == "paper") return Split::paper;
  throw InputError("split", "'" + name + "'", "hull or paper");
}

std::vector<double> nearest_shares(std::span<const Vec2> points, const Vec2& p) {
  constexpr double kRounding = 1e-9;  // of shares
  constexpr double kAlike = 1e-9;     // m^2: costs that are the same
  const std::size_t n = points.size();
  std::vector<double> sum(n, 0.0);  // over all shares that are as near: corners of a rectangle count alike
  double least = std::numeric_limits<double>::infinity();
  int alike = 0;
  const auto consider = [&](std::span<const std::size_t> corners, std::span<const double> parts) {
    double cost = 0;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      if (parts[k] < -kRounding) return;
      cost += parts[k] * (points[corners[k]] - p).squaredNorm();
    }
    if (cost > least + kAlike) return;
    if (cost < least - kAlike) {
      std::fill(sum.begin(), sum.end(), 0.0);
      alike = 0;
    }
    least = std::min(least, cost);
    ++alike;
    for (std::size_t k = 0; k < corners.size(); ++k) sum[corners[k]] += std::max(0.0, parts[k]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t k = j + 1; k < n; ++k) {
        const double area = cross(points[j] - points[i], points[k] - points[i]);
        if (std::abs(area) < kRounding) continue;
        const double a = cross(points[j] - p, points[k] - p) / area;
        const double b = cross(points[k] - p, points[i] - p) / area;
        consider(std::array{i, j, k}, std::array{a, b, 1 - a - b});
      }
    }
  }
  if (alike == 0) {  // all points on one line, or at one place: between the two that p lies between
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) {
        const Vec2 way = points[j] - points[i];
        const double length2 = way.squaredNorm();
        const double b = length2 > 0 ? (p - points[i]).dot(way) / length2 : 0;
        if ((points[i] + b * way - p).norm() < 1e-6) consider(std::array{i, j}, std::array{1 - b, b});
      }
    }
  }
  if (alike == 0) {  // rounding has put p beside them
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < n; ++i) {
      if ((points[i] - p).norm() < (points[nearest] - p).norm()) nearest = i;
    }
    sum[nearest] = alike = 1;
  }
  for (double& share : sum) share /= alike;
  return sum;
}

GroundReaction ground_reaction(const Wrench& wanted, std::span<const SupportPoint> supports,
                               const Ground& ground, Split split) {
  GroundReaction out;
  // In axes of the plane: z along its normal, origin at its point.
  const Mat3 axes = rotation_between(Vec3::UnitZ(), ground.normal).toRotationMatrix();
  const Vec3 F_e = axes.transpose() * wanted.force;
  const Vec3 M_e = axes.transpose() * (wanted.torque - ground.point.cross(wanted.force));
  if (supports.empty() || F_e.z() <= 0) return out;  // constraints 1 and 2

  Vec3 F_g = F_e;  // eq. 4.6
  const double horizontal = F_e.head<2>().norm(), most = ground.friction * F_e.z();
  if (horizontal > most) F_g.head<2>() *= most / horizontal;

  const Vec2 c_e(-M_e.y() / F_g.z(), M_e.x() / F_g.z());  // eq. 4.7
  std::vector<Vec2> points;
  for (const SupportPoint& support : supports)
    points.push_back((axes.transpose() * (support.position - ground.point)).head<2>());
  const std::vector<Share> shares =
      split == Split::hull ? share_in_hull(points, supports, c_e) : share_by_distance(points, supports, c_e);

  Vec2 c_g = Vec2::Zero();
  for (const Share& share : shares) c_g += share.part * share.point;
  const Vec3 M_g(c_g.y() * F_g.z(), -c_g.x() * F_g.z(), M_e.z());  // eq. 4.8; friction holds any twist
  const double twist = M_e.z() - cross(c_g, F_g.head<2>());
  const auto to_world = [&](const Vec2& p) -> Vec3 { return ground.point + axes * Vec3(p.x(), p.y(), 0); };
  for (const Share& share : shares) {
    out.loads.push_back(
        {share.body, share.side, to_world(share.point), axes * (share.part * F_g), share.part * twist});
  }
  out.total.force = axes * F_g;
  out.total.torque = axes * M_g + ground.point.cross(out.total.force);
  out.wanted_centre = to_world(c_e);
  out.centre = to_world(c_g);
  return out;
}

}  // namespace stunt
