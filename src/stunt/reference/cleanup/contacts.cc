#include "stunt/reference/cleanup/contacts.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kMoment = 0.2;        // s, before and after
constexpr double kRisingFloor = 0.06;  // m

double speed_at(const PointPaths& points, int frame, std::size_t point, double rate_hz) {
  const int n = static_cast<int>(points.size());
  const int before = std::max(frame - 2, 0), after = std::min(frame + 2, n - 1);
  return (points[after][point] - points[before][point]).norm() * rate_hz / std::max(after - before, 1);
}

// Sets runs of `value` shorter than `shortest` frames to the other value, except at the ends of the motion.
void close_short_runs(std::vector<std::uint8_t>& flags, std::uint8_t value, int shortest) {
  const int n = static_cast<int>(flags.size());
  for (int begin = 0; begin < n;) {
    int end = begin;
    while (end < n && flags[end] == flags[begin]) ++end;
    if (flags[begin] == value && end - begin < shortest && begin > 0 && end < n) {
      std::fill(flags.begin() + begin, flags.begin() + end, static_cast<std::uint8_t>(!value));
    }
    begin = end;
  }
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The lowest slow point of each frame: the one that stands.
std::vector<Vec3> resting_points(const PointPaths& points, double rate_hz) {
  constexpr double kResting = 0.25;  // m/s
  std::vector<Vec3> resting;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3* best = nullptr;
    for (std::size_t p = 0; p < points[i].size(); ++p) {
      if (speed_at(points, static_cast<int>(i), p, rate_hz) > kResting) continue;
      if (!best || points[i][p].z() < best->z()) best = &points[i][p];
    }
    if (best) resting.push_back(*best);
  }
  return resting;
}

double lowest_of(const PointPaths& points) {
  double lowest = 1e9;
  for (const auto& frame : points) {
    for (const Vec3& point : frame) lowest = std::min(lowest, point.z());
  }
  return lowest;
}

// The slope by least squares, only along the directions in which the points spread far enough to show one; then
// the height by the median.
Floor plane_through(const std::vector<Vec3>& points) {
  constexpr double kSpread = 0.6;  // m, standard deviation of the steps that shows a tilt
  constexpr double kLargestTilt = 0.1;
  const double count = static_cast<double>(points.size());
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p;
  mean /= count;
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  Eigen::Vector2d rise = Eigen::Vector2d::Zero();
  for (const Vec3& p : points) {
    const Eigen::Vector2d d = (p - mean).head<2>();
    spread += d * d.transpose();
    rise += d * (p.z() - mean.z());
  }
  Floor floor;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(spread / count);
  for (int axis = 0; axis < 2; ++axis) {
    if (std::sqrt(std::max(0.0, axes.eigenvalues()[axis])) < kSpread) continue;
    const Eigen::Vector2d direction = axes.eigenvectors().col(axis);
    const double tilt = direction.dot(rise) / (axes.eigenvalues()[axis] * count);
    if (std::abs(tilt) < kLargestTilt) floor.slope += tilt * direction;
  }
  std::vector<double> heights;
  for (const Vec3& p : points) heights.push_back(p.z() - floor.at(p.x(), p.y()));
  floor.height = median(heights);
  return floor;
}

}  // namespace

PointPaths contact_point_paths(const Actor& actor, const std::vector<VecX>& q) {
  const DataPtr data(mj_makeData(&actor.model()));
  PointPaths paths(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    mju_copy(data->qpos, q[i].data(), actor.nq());
    mj_kinematics(&actor.model(), data.get());
    for (const ContactPoint& point : actor.contact_points()) {
      const Vec3 origin = Eigen::Map<const Vec3>(&data->xpos[3 * (point.body + 1)]);
      const Quat rotation = quat_from_wxyz(&data->xquat[4 * (point.body + 1)]);
      paths[i].push_back(origin + rotation * point.position - Vec3(0, 0, point.radius));
    }
  }
  return paths;
}

double Floor::slope_deg() const { return degrees(std::atan(slope.norm())); }

Floor find_floor(const PointPaths& points, double rate_hz, bool* found) {
  constexpr std::size_t kFew = 5;
  const std::vector<Vec3> resting = resting_points(points, rate_hz);
  if (found) *found = resting.size() > kFew;
  if (resting.size() <= kFew) return {lowest_of(points), {0, 0}};
  // Robust plane: least squares, then again without what lies far off it (a foot resting on the other leg, a
  // chair).
  Floor floor;
  std::vector<Vec3> kept = resting;
  const auto refit = [&](double tolerance) {
    floor = plane_through(kept);
    std::vector<Vec3> near;
    for (const Vec3& p : resting) {
      if (std::abs(p.z() - floor.at(p.x(), p.y())) < tolerance) near.push_back(p);
    }
    if (near.size() <= kFew) return;
    kept = std::move(near);
  };
  refit(0.06);  // m
  refit(0.03);
  // Nothing rests below the floor: where much does, the plane went through feet that only hung still.
  constexpr double kBelow = 0.04;  // m
  std::vector<Vec3> below;
  for (const Vec3& p : resting) {
    if (p.z() < floor.at(p.x(), p.y()) - kBelow) below.push_back(p);
  }
  if (below.size() > std::max(kFew, resting.size() / 5)) kept = std::move(below);
  refit(0.03);
  refit(0.03);
  return floor;
}

static Quat levelling_turn(const Floor& floor) {
  return rotation_between(Vec3(-floor.slope.x(), -floor.slope.y(), 1).normalized(), Vec3::UnitZ());
}

void unlevel(const Floor& floor, VecX& q) {
  const Quat turn = levelling_turn(floor).conjugate();
  q.head<3>() = turn * Vec3(q.head<3>()) + Vec3(0, 0, floor.height);
  quat_to_wxyz(turn * quat_from_wxyz(&q[3]), &q[3]);
}

void level(const Floor& floor, std::vector<VecX>& q) {
  const Quat turn = levelling_turn(floor);
  const Vec3 pivot(0, 0, floor.height);
  for (VecX& pose : q) {
    pose.head<3>() = turn * (Vec3(pose.head<3>()) - pivot);
    quat_to_wxyz(turn * quat_from_wxyz(&pose[3]), &pose[3]);
  }
}

ContactTable find_contacts(const PointPaths& points, double rate_hz, const ContactSettings& settings) {
  const int n = static_cast<int>(points.size());
  ContactTable table(n, std::vector<std::uint8_t>(n ? points[0].size() : 0, 0));
  if (n == 0) return table;
  const int shortest = std::max(1, static_cast<int>(std::lround(settings.shortest * rate_hz)));
  // The lowest point of a moment stands, even where the captured floor seems to rise under it a little.
  std::vector<double> lowest(n, 1e9), floor(n, 0.0);
  for (int i = 0; i < n; ++i) {
    for (const Vec3& point : points[i]) lowest[i] = std::min(lowest[i], point.z());
  }
  const int near = static_cast<int>(kMoment * rate_hz);
  for (int i = 0; i < n; ++i) {
    const auto low =
        std::min_element(lowest.begin() + std::max(0, i - near), lowest.begin() + std::min(n, i + near + 1));
    floor[i] = std::clamp(*low, 0.0, kRisingFloor);
  }
  std::vector<std::uint8_t> flags(n);
  for (std::size_t p = 0; p < points[0].size(); ++p) {
    bool on = false;
    for (int i = 0; i < n; ++i) {
      const double z = points[i][p].z() - floor[i], speed = speed_at(points, i, p, rate_hz);
      on = on ? z < settings.height_off && speed < settings.speed_off
              : z < settings.height && speed < settings.speed;
      flags[i] = on;
    }
    // Hysteresis in reverse time too, so that a contact begins as readily as it ends.
    on = false;
    for (int i = n - 1; i >= 0; --i) {
      const double z = points[i][p].z() - floor[i], speed = speed_at(points, i, p, rate_hz);
      on = on ? z < settings.height_off && speed < settings.speed_off
              : z < settings.height && speed < settings.speed;
      flags[i] = flags[i] || on;
    }
    close_short_runs(flags, 0, shortest);
    close_short_runs(flags, 1, shortest);
    for (int i = 0; i < n; ++i) table[i][p] = flags[i];
  }
  return table;
}

}  // namespace stunt
