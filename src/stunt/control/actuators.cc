#include "stunt/control/actuators.h"

#include <stdexcept>

namespace stunt {

Motors::Motors(ActorPtr actor, double noise, Random random, double motor_noise)
    : actor_(std::move(actor)), noise_(noise), motor_noise_(motor_noise), random_(random) {}

int Motors::excitations() const { return actor_->nv() - actor_->root_dofs(); }

void Motors::drive(const VecX&, const VecX&, double, const Actuation& asked, VecX& torque) {
  const int root = actor_->root_dofs(), joints = actor_->nv() - root;
  const auto limit = actor_->torque_limits().tail(joints);
  torque = asked.torque;
  if (asked.excitation.size() > 0) {
    if (asked.excitation.size() != joints) throw std::logic_error("one excitation per motor, or none");
    torque.tail(joints) += asked.excitation.cwiseMax(-1.0).cwiseMin(1.0).cwiseProduct(limit);
  }
  torque.tail(joints) = torque.tail(joints).cwiseMax(-limit).cwiseMin(limit);
  if (noise_ > 0) {
    for (int j = root; j < actor_->nv(); ++j) torque[j] *= 1 + noise_ * random_.normal();
  }
  if (motor_noise_ > 0) {
    for (int j = root; j < actor_->nv(); ++j) torque[j] += random_.uniform(-motor_noise_, motor_noise_);
  }
}

}  // namespace stunt
