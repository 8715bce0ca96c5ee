#include "stunt/reference/staging/seat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/cleanup/floor_touch.h"

namespace stunt {
namespace {

constexpr double kAnywhere = 1e9;  // m

bool is_on(const SeatBox& box, const Vec3& point) {
  constexpr double kAbove = 0.06, kBeside = 0.02;  // m
  const Vec3 local = box.rotation.conjugate() * (point - box.centre);
  return std::abs(local.x()) < box.half.x() + kBeside && std::abs(local.y()) < box.half.y() + kBeside &&
         local.z() > 0 && local.z() < box.half.z() + kAbove;
}

}  // namespace

std::vector<TimeSpan> seated_times(const Reference& motion, const std::vector<SeatBox>& boxes) {
  std::vector<TimeSpan> spans;
  if (boxes.empty() || !std::isfinite(motion.duration())) return spans;
  FloorTouches touches(motion.actor());
  ReferenceSample sample;
  bool seated = false;
  for (int i = 0; i <= motion.duration() * kReferenceRate; ++i) {
    const double t = i / kReferenceRate;
    motion.sample(t, sample);
    const auto& points = touches.find(sample.q, kAnywhere);
    const bool now = std::any_of(points.begin(), points.end(), [&](const FloorTouch& touch) {
      return std::any_of(boxes.begin(), boxes.end(),
                         [&](const SeatBox& box) { return is_on(box, touch.point); });
    });
    if (now && !seated) spans.push_back({t, t});
    if (now) spans.back().end = t;
    seated = now;
  }
  return spans;
}

std::optional<SeatBox> find_seat(const SampledReference& motion, const std::vector<TimeSpan>& spans) {
  constexpr double kStays = 0.1;                                                 // m, root mean square
  constexpr double kLowest = 0.15, kHighest = 0.9;                               // m
  constexpr double kBack = 0.2, kFront = 0.2, kWidth = 0.5, kShallowest = 0.15;  // m
  constexpr double kSpare = 0.03;                                                // m, behind the shanks
  constexpr double kUnder = 0.2;  // m: what of the thighs is on the seat
  if (spans.empty()) return std::nullopt;
  const TimeSpan span = *std::max_element(
      spans.begin(), spans.end(),
      [](const TimeSpan& a, const TimeSpan& b) { return a.end - a.begin < b.end - b.begin; });
  const Actor& actor = *motion.actor();
  ActorDynamics dynamics(motion.actor());
  FloorTouches touches(motion.actor());
  const VecX still = VecX::Zero(actor.nv());
  std::vector<int> frames;
  Vec3 mean = Vec3::Zero(), ahead = Vec3::Zero();
  // From rest to rest: the way down and up is left out.
  const double margin = 0.15 * (span.end - span.begin);
  for (int i = 0; i < motion.size(); ++i) {
    const double t = i / motion.rate();
    if ((t < span.begin + margin && span.begin > 0) || t < span.begin || t > span.end - margin) continue;
    frames.push_back(i);
    mean += motion.q(i).head<3>();
    ahead += yaw_rotation(heading(quat_from_wxyz(&motion.q(i)[3]))) * Vec3::UnitX();
  }
  if (frames.empty()) return std::nullopt;
  mean /= static_cast<double>(frames.size());
  ahead.normalize();
  double spread = 0, top = 0, front = kFront;
  for (const int i : frames) {
    spread += (motion.q(i).head<3>() - mean).squaredNorm() / static_cast<double>(frames.size());
    dynamics.set_state(motion.q(i), still);
    double lowest = kAnywhere;
    for (const FloorTouch& touch : touches.find(motion.q(i), kAnywhere)) {
      const Vec3 from = touch.point - mean;
      const bool leg =
          touch.body == actor.body(Role::left_shank) || touch.body == actor.body(Role::right_shank);
      if (leg) {
        front = std::min(front, from.dot(ahead) - kSpare);
      } else if (from.head<2>().norm() < kUnder) {
        lowest = std::min(lowest, touch.point.z());
      }
    }
    for (const ContactPoint& point : actor.contact_points())
      front = std::min(front, (dynamics.point(point.body, point.position) - mean).dot(ahead) - kSpare);
    top += lowest / static_cast<double>(frames.size());
  }
  if (std::sqrt(spread) > kStays || top < kLowest || top > kHighest || front + kBack < kShallowest)
    return std::nullopt;
  SeatBox box;
  box.rotation = yaw_rotation(std::atan2(ahead.y(), ahead.x()));
  box.half = Vec3(0.5 * (front + kBack), 0.5 * kWidth, 0.5 * top);
  box.centre = mean + 0.5 * (front - kBack) * ahead;
  box.centre.z() = 0.5 * top;
  return box;
}

std::string seat_keys(const SeatBox& box) {
  const Vec3 size = 2 * box.half;
  return fmt::format(
      "objects: [{{name: seat, size: [{:.2f}, {:.2f}, {:.3f}], position: [{:.2f}, {:.2f}, {:.4f}], "
      "rotation_deg: [0, 0, {:.0f}], fixed: true}}]",
      size.x(), size.y(), size.z(), box.centre.x(), box.centre.y(), box.centre.z(),
      degrees(heading(box.rotation)));
}

}  // namespace stunt
