#include "stunt/control/parts/nudges.h"

#include <fmt/format.h>

#include <algorithm>

#include "stunt/core/easing.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

// Offsets of zero are not written: a file is easier to read without them.
template <typename Value>
void describe_part(Fields& fields, const char* name, double* values, const About& about) {
  Value all;
  for (int i = 0; i < all.size(); ++i) all[i] = values[i];
  std::optional<Value> given = all.isZero(0) ? std::nullopt : std::optional<Value>(all);
  fields(name, given, about);
  if (!fields.reading()) return;
  for (int i = 0; i < all.size(); ++i) values[i] = given ? (*given)[i] : 0;
}

void describe_angle(Fields& fields, const char* name, double& value, const About& about) {
  std::optional<double> given = value == 0 ? std::nullopt : std::optional(value);
  fields(name, given, about);
  if (fields.reading()) value = given.value_or(0);
}

}  // namespace

void describe(Fields& fields, Nudge& nudge) {
  auto& values = nudge.offsets.values;
  const Limit length = between(-1, 1), angle = between(-2, 2);
  fields("at", nudge.at, {.unit = "s", .bounds = between(0, 1e6), .help = "when"});
  describe_part<Vec3>(
      fields, "pelvis", &values[Offsets::pelvis],
      {.unit = "m", .bounds = length, .help = "forward, to the left, up, while the feet stay"});
  describe_part<Vec3>(fields, "tilt", &values[Offsets::tilt],
                      {.unit = "rad", .bounds = angle, .help = "roll, pitch, yaw of the pelvis"});
  describe_part<Eigen::Vector2d>(
      fields, "left_foot", &values[Offsets::left_foot],
      {.unit = "m", .bounds = length, .help = "forward and to the left, where it steps"});
  describe_part<Eigen::Vector2d>(fields, "right_foot", &values[Offsets::right_foot],
                                 {.unit = "m", .bounds = length, .help = "likewise"});
  describe_angle(fields, "left_toes", values[Offsets::left_toes],
                 {.unit = "rad", .bounds = angle, .help = "how far down the foot's toes are turned"});
  describe_angle(fields, "right_toes", values[Offsets::right_toes],
                 {.unit = "rad", .bounds = angle, .help = "likewise"});
}

void describe_nudges(Fields& fields, const std::string& name, Nudges& nudges) {
  fields.list(name, nudges.knots, "small offsets of the motion, as --rehearse finds them; smooth in between",
              [&](Fields& inner, Nudge& knot) {
                describe(inner, knot);
                const std::size_t i = static_cast<std::size_t>(&knot - nudges.knots.data());
                inner.require(i == 0 || nudges.knots[i - 1].at < knot.at, "at", fmt::format("{} s", knot.at),
                              "a time after that of the knot before");
              });
}

Offsets Nudges::at(double t) const {
  if (knots.empty()) return {};
  const auto after =
      std::upper_bound(knots.begin(), knots.end(), t, [](double x, const Nudge& k) { return x < k.at; });
  if (after == knots.begin()) return knots.front().offsets;
  if (after == knots.end()) return knots.back().offsets;
  const Nudge &left = *(after - 1), &right = *after;
  const double share = smooth_step((t - left.at) / (right.at - left.at));
  Offsets out;
  for (std::size_t i = 0; i < Offsets::kSize; ++i) {
    const double a = left.offsets.values[i], b = right.offsets.values[i];
    out.values[i] = a + share * (b - a);
  }
  return out;
}

Nudges Nudges::without_idle_knots() const {
  Nudges out;
  const auto idle = [&](std::size_t i) { return i >= knots.size() || knots[i].offsets.none(); };
  for (std::size_t i = 0; i < knots.size(); ++i) {
    const bool before = i == 0 || idle(i - 1);
    if (!(before && idle(i) && idle(i + 1))) out.knots.push_back(knots[i]);
  }
  return out;
}

std::vector<Nudges::Span> Nudges::spans() const {
  std::vector<Span> out;
  for (std::size_t i = 0; i < knots.size(); ++i) {
    if (knots[i].offsets.none()) continue;
    const double from = i > 0 ? knots[i - 1].at : 0,
                 to = i + 1 < knots.size() ? knots[i + 1].at : knots[i].at;
    if (!out.empty() && from <= out.back().to) {
      out.back().to = to;
    } else {
      out.push_back({from, to});
    }
  }
  return out;
}

void nudge(const Offsets& offsets, std::span<Foot> feet, ActorDynamics& dynamics, ReferenceSample& target) {
  for (Foot& foot : feet) foot.nudge.setZero();
  if (offsets.none()) return;
  const auto& x = offsets.values;
  const Actor& actor = dynamics.actor();
  dynamics.set_state(target.q, target.v);
  const Quat ahead = yaw_rotation(heading(quat_from_wxyz(&target.q[3])));
  std::array<FootPose, 2> poses;
  for (std::size_t i = 0; i < feet.size(); ++i) {
    Foot& foot = feet[i];
    const bool left = foot.leg.left;
    const std::size_t step = left ? Offsets::left_foot : Offsets::right_foot;
    foot.nudge = ahead * Vec3(x[step], x[step + 1], 0);
    poses[i] = foot_pose(dynamics, foot.leg);
    const Vec3 across = Vec3::UnitZ().cross(poses[i].rotation * foot.leg.forward);
    if (across.norm() > 1e-3) {
      const double down = x[left ? Offsets::left_toes : Offsets::right_toes];
      poses[i].rotation = axis_angle(across.normalized(), down) * poses[i].rotation;
    }
  }
  target.q.head<3>() += ahead * Vec3(x[0], x[1], x[2]);
  const Quat turn = ahead * exp_map(Vec3(x[3], x[4], x[5])) * ahead.conjugate();
  quat_to_wxyz(turn * quat_from_wxyz(&target.q[3]), &target.q[3]);
  dynamics.set_state(target.q, target.v);
  for (std::size_t i = 0; i < feet.size(); ++i) {
    const Leg& leg = feet[i].leg;
    place_foot(actor, leg, dynamics.body_position(leg.thigh),
               dynamics.body_rotation(actor.bodies()[static_cast<std::size_t>(leg.thigh)].parent),
               poses[i].position, poses[i].rotation, target.q);
  }
}

}  // namespace stunt
