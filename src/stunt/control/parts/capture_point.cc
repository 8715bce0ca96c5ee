#include "stunt/control/parts/capture_point.h"

#include <algorithm>
#include <cmath>

namespace stunt {

double pendulum_rate(double gravity, double height) {
  return std::sqrt(std::max(0.5, gravity) / std::max(0.3, height));
}

Vec2 capture_point(const Vec3& com, const Vec3& velocity, double rate) {
  return com.head<2>() + velocity.head<2>() / rate;
}

void Support::add_sole(const Leg& leg, ActorDynamics& body) {
  for (const auto* group : {&leg.heel, &leg.ball, &leg.tip}) {
    for (const int i : *group) {
      const ContactPoint& point = body.actor().contact_points()[i];
      points_.push_back(body.point(point.body, point.position).head<2>());
    }
  }
}

}  // namespace stunt
