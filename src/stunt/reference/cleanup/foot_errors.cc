#include "stunt/reference/cleanup/foot_errors.h"

#include <algorithm>

namespace stunt {

double mean_change_deg(const Actor& actor, const std::vector<VecX>& before, const std::vector<VecX>& after) {
  constexpr int kEvery = 4;  // frames
  double sum = 0;
  int count = 0;
  VecX change;
  for (std::size_t i = 0; i < before.size(); i += kEvery) {
    difference(actor, before[i], after[i], change);
    for (const ActorJoint& joint : actor.joints()) {
      if (joint.type == JointType::free || joint.type == JointType::slide) continue;
      if (joint.body == actor.body(Role::left_toes) || joint.body == actor.body(Role::right_toes)) continue;
      sum += change.segment(joint.v_address, joint.dofs).norm();
      ++count;
    }
  }
  return degrees(sum / std::max(count, 1));
}

ContactTable loadable(const Actor& actor, const std::vector<VecX>& q, double rate_hz) {
  constexpr ContactSettings kNearlyDown{.height = 0.015, .height_off = 0.025, .speed = 0.4, .speed_off = 0.7};
  return find_contacts(contact_point_paths(actor, q), rate_hz, kNearlyDown);
}

ContactTable standing(const Actor& actor, const std::vector<VecX>& q, double rate_hz) {
  constexpr ContactSettings kDownAndStill{
      .height = 0.003, .height_off = 0.004, .speed = 0.1, .speed_off = 0.15};
  return find_contacts(contact_point_paths(actor, q), rate_hz, kDownAndStill);
}

FootErrors foot_errors(const ActorPtr& actor, const std::vector<VecX>& q, const ContactTable& contacts,
                       double rate_hz) {
  const PointPaths points = contact_point_paths(*actor, q);
  FootErrors errors;
  double speed_sum = 0;
  int count = 0;
  std::vector<double> sunk, floats;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    double lowest[2] = {1e9, 1e9};
    for (std::size_t p = 0; p < points[i].size(); ++p) {
      if (!contacts[i][p]) continue;
      speed_sum += (points[i + 1][p] - points[i - 1][p]).head<2>().norm() * 0.5 * rate_hz;
      ++count;
      double& z = lowest[actor->contact_points()[p].left];
      z = std::min(z, points[i][p].z());
    }
    for (const double z : lowest) {
      if (z > 1e8) continue;
      sunk.push_back(std::max(0.0, -z));
      floats.push_back(std::max(0.0, z));
    }
  }
  const auto percentile = [](std::vector<double>& values) {
    if (values.empty()) return 0.0;
    const auto at = values.begin() + static_cast<long>(0.95 * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  errors.skate = count ? speed_sum / count : 0;
  errors.penetration = percentile(sunk);
  errors.floating = percentile(floats);
  return errors;
}

}  // namespace stunt
