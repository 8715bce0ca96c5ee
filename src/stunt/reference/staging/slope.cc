#include "stunt/reference/staging/slope.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {

Floor plane_rising(double slope_deg, double direction_deg) {
  const double rise = std::tan(radians(slope_deg)), direction = radians(direction_deg);
  return {0, {rise * std::cos(direction), rise * std::sin(direction)}};
}

std::shared_ptr<const SampledReference> adapted_to_plane(const SampledReference& motion, const Floor& plane) {
  const ActorPtr& actor = motion.actor();
  const auto left = find_leg(*actor, true), right = find_leg(*actor, false);
  if (!left || !right) throw InputError("slope", "a character without two legs", "one with two legs");
  const Leg* legs[2] = {&*left, &*right};
  const Vec3 normal = Vec3(-plane.slope.x(), -plane.slope.y(), 1).normalized();
  const Quat tilt = rotation_between(Vec3::UnitZ(), normal);

  const int n = motion.size();
  ActorDynamics dynamics(actor);
  const VecX at_rest = VecX::Zero(actor->nv());
  std::vector<VecX> q(n);
  ContactTable contacts(n);
  std::vector<std::array<FootPose, 2>> feet(n);
  std::vector<double> drop(n, 0.0);
  for (int i = 0; i < n; ++i) {
    q[i] = motion.q(i);
    contacts[i] = motion.contacts(i);
    dynamics.set_state(q[i], at_rest);
    const double rise = plane.at(q[i][0], q[i][1]);
    for (int side = 0; side < 2; ++side) {
      const Leg& leg = *legs[side];
      const Vec3 p = dynamics.body_position(leg.foot);
      feet[i][side] = {Vec3(p.x(), p.y(), plane.at(p.x(), p.y())) + p.z() * normal,
                       tilt * dynamics.body_rotation(leg.foot)};
      const Vec3 hip = dynamics.body_position(leg.thigh) + Vec3(0, 0, rise);
      drop[i] = std::max(drop[i], hip_drop(hip, feet[i][side].position, leg.length));
    }
    q[i][2] += rise;
  }
  // Every step down needs the hips lower for a moment. Following each at once would let the body fall and be caught;
  // who descends keeps the knees bent instead.
  constexpr int kPasses = 3;
  for (int pass = 0; pass < kPasses; ++pass) smooth_drop(drop, motion.rate());
  for (int i = 0; i < n; ++i) {
    q[i][2] -= drop[i];
    for (int side = 0; side < 2; ++side) {
      reach(dynamics, *legs[side], feet[i][side], q[i]);
    }
  }
  return std::make_shared<SampledReference>(actor, motion.rate(), std::move(q), std::move(contacts));
}

std::shared_ptr<const SampledReference> legs_adapted_to_plane(const SampledReference& motion,
                                                              const Floor& plane) {
  const auto adapted = adapted_to_plane(motion, plane);
  std::vector<VecX> q(adapted->size());
  ContactTable contacts(adapted->size());
  for (int i = 0; i < adapted->size(); ++i) {
    q[i] = adapted->q(i);
    q[i][2] -= plane.at(q[i][0], q[i][1]);
    contacts[i] = adapted->contacts(i);
  }
  return std::make_shared<SampledReference>(adapted->actor(), adapted->rate(), std::move(q),
                                            std::move(contacts));
}

}  // namespace stunt
