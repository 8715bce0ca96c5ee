#include "stunt/assess/tracking/pose_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/control/parts/capture_point.h"

namespace stunt {
namespace {

constexpr double kPatience = 0.2;                                  // s that a rule may be broken
constexpr double kMeanDistance = 0.15, kLimbDistance = 0.35;       // m
constexpr double kTiltDeg = 30, kHeadingDeg = 45, kHeight = 0.15;  // degrees, degrees, m

double degrees_between(const Vec3& a, const Vec3& b) {
  return std::acos(std::clamp(a.dot(b), -1.0, 1.0)) * 180 / kPi;
}

}  // namespace

void Figure::read(ActorDynamics& dynamics, const GroundSpec& ground) {
  const Actor& actor = dynamics.actor();
  root = dynamics.body_position(0);
  root_rotation = dynamics.body_rotation(0) * actor.bodies()[0].rest.conjugate();
  joints.clear();
  limbs.clear();
  lowest = 1e9;
  for (std::size_t b = 0; b < actor.bodies().size(); ++b) {
    const int body = static_cast<int>(b);
    joints.push_back(dynamics.body_position(body) - root);
    const Vec3 centre = dynamics.point(body, actor.bodies()[b].com);
    lowest = std::min(lowest, centre.z() - ground.height_at(centre.x(), centre.y()));
  }
  for (const Role role : {Role::left_hand, Role::right_hand, Role::left_foot, Role::right_foot, Role::head}) {
    if (actor.body(role) >= 0) limbs.push_back(joints[static_cast<std::size_t>(actor.body(role))]);
  }
  const int top = std::max(actor.body(Role::neck), actor.body(Role::chest));
  trunk = top > 0 ? joints[static_cast<std::size_t>(top)].normalized() : Vec3(root_rotation * Vec3::UnitZ());
  for (std::size_t b = actor.bodies().size(); b-- > 0;) {  // what it holds is not of the figure
    if (actor.bodies()[b].attached) joints.erase(joints.begin() + static_cast<long>(b));
  }
}

std::optional<PoseRules::Broken> PoseRules::check(double t, const Figure& own, const Figure& wanted,
                                                  const GroundSpec& ground) {
  double mean = 0, limb = 0;
  for (std::size_t k = 0; k < own.joints.size(); ++k)
    mean += (own.joints[k] - wanted.joints[k]).norm() / static_cast<double>(own.joints.size());
  for (std::size_t k = 0; k < own.limbs.size(); ++k)
    limb = std::max(limb, (own.limbs[k] - wanted.limbs[k]).norm());
  const double tilt =
      std::abs(degrees_between(own.trunk, Vec3::UnitZ()) - degrees_between(wanted.trunk, Vec3::UnitZ()));
  double turn = heading(own.root_rotation) - heading(wanted.root_rotation);
  turn = std::abs(std::remainder(turn, 2 * kPi)) * 180 / kPi;
  // Somebody who lies has no heading.
  const bool upright = degrees_between(wanted.root_rotation * Vec3::UnitZ(), Vec3::UnitZ()) < 60;
  const double height = own.root.z() - ground.height_at(own.root.x(), own.root.y()) -
                        (wanted.root.z() - ground.height_at(wanted.root.x(), wanted.root.y()));
  std::optional<Broken> worst;
  std::size_t rule = 0;
  const auto check = [&](bool broken, const char* text, double value) {
    double& since = since_[rule++];
    if (!broken) {
      since = -1;
    } else if (since < 0) {
      since = t;
    } else if (t - since > kPatience && (!worst || since < worst->since)) {
      worst = Broken{since, fmt::format(fmt::runtime(text), value)};
    }
  };
  check(mean > kMeanDistance, "the joints are {:.0f} cm from the motion's on average", 100 * mean);
  check(limb > kLimbDistance, "a hand, a foot or the head is {:.0f} cm from the motion's", 100 * limb);
  check(tilt > kTiltDeg, "the trunk's tilt is off by {:.0f} degrees", tilt);
  check(upright && turn > kHeadingDeg, "the heading is off by {:.0f} degrees", turn);
  check(std::abs(height) > kHeight, "the pelvis' height is off by {:+.0f} cm", 100 * height);
  return worst;
}

std::optional<double> capture_distance(ActorDynamics& dynamics, const std::vector<Vec2>& support,
                                       const GroundSpec& ground) {
  if (support.empty()) return std::nullopt;
  const Vec3 com = dynamics.com();
  const double rate = pendulum_rate(dynamics.actor().gravity(), com.z() - ground.height_at(com.x(), com.y()));
  const Vec2 capture = capture_point(com, dynamics.com_velocity(), rate);
  return (nearest_in_hull(support, capture) - capture).norm();
}

}  // namespace stunt
