// Plans of the default preset as they came up in a run, and each as a dense QP: for tests and benchmarks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "stunt/control/mcsim/mcsim.h"
#include "stunt/simulate/simulation.h"
#include "stunt/solve/qp.h"

namespace stunt {

struct RecordedPlan {
  VecX q, v;
  PlanTargets targets;
  std::vector<PlanContact> contacts;
};

struct RecordedPlans {
  ActorPtr actor;
  std::vector<RecordedPlan> plans;
};

// All plans of a controller (keys of its configuration) tracking a built-in motion for some seconds; `note`
// is called with the state each plan was made from.
template <class Tracker, class Note>
ActorPtr watch_plans(const std::string& motion, const std::string& controller, double seconds, Note note,
                     const std::string& character = "fit") {
  const Scene scene =
      read_scene(fmt::format("duration: {}\nactors: [{{motion: {}, character: {}, controller: {{{}}}}}]\n",
                             seconds, motion, character, controller),
                 "recorded");
  Simulation running(scene);
  const Performer& performer = running.acts().at(0).performer;
  const ActorPtr actor = performer.actor;
  const auto& tracker = dynamic_cast<const Tracker&>(*performer.controller);
  VecX q, v;
  std::size_t made = 0;
  while (!running.done()) {
    q = Eigen::Map<const VecX>(running.engine().q().data(), actor->nq());
    v = Eigen::Map<const VecX>(running.engine().v().data(), actor->nv());
    running.step();
    if (tracker.plan_timing()->microseconds.size() == made) continue;
    ++made;
    note(tracker, q, v);
  }
  return actor;
}

inline RecordedPlans record_plans(const std::string& motion, double seconds) {
  RecordedPlans out;
  out.actor = watch_plans<McSimController>(
      motion, "type: mcsim", seconds, [&](const McSimController& tracker, const VecX& q, const VecX& v) {
        out.plans.push_back({q, v, tracker.targets(), tracker.contacts()});
      });
  return out;
}

// A-dot v, how fast the angular momentum about the centre of mass changes with no acceleration: body by body.
inline Vec3 spin_bias(ActorDynamics& dynamics) {
  Vec3 sum = Vec3::Zero();
  const auto& bodies = dynamics.actor().bodies();
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    const Vec3 centre = dynamics.point(b, bodies[b].com), omega = dynamics.body_angular_velocity(b);
    const Mat3 axes = dynamics.body_rotation(b).toRotationMatrix();
    const Mat3 inertia = axes * bodies[b].inertia * axes.transpose();
    sum += inertia * dynamics.rotation_bias_acceleration(b) + omega.cross(inertia * omega) +
           bodies[b].mass * (centre - dynamics.com()).cross(dynamics.point_bias_acceleration(b, centre));
  }
  return sum;
}

// The cost of eq. 7 as rows: 1/2 |rows a - wanted|^2.
inline void cost_rows(ActorDynamics& dynamics, const PlanTargets& targets,
                      const std::vector<PlanContact>& contacts, MatX& rows, VecX& wanted) {
  const int nv = dynamics.actor().nv(),
            held = static_cast<int>(
                std::count_if(contacts.begin(), contacts.end(), [](const auto&c) { return c.hold > 0; }));
  rows = MatX::Zero(nv + 6 + 3 * held, nv);
  wanted = VecX::Zero(rows.rows());
  const VecX root = targets.weight.cwiseSqrt();
  rows.topRows(nv) = root.asDiagonal();
  wanted.head(nv) = root.cwiseProduct(targets.acceleration);
  Jacobian J;
  dynamics.com_jacobian(J);
  const Vec3 com = targets.com_weight.cwiseSqrt();
  rows.middleRows(nv, 3) = com.asDiagonal() * J;
  wanted.segment<3>(nv) = com.cwiseProduct(targets.com_acceleration - dynamics.com_bias_acceleration());
  dynamics.angular_momentum_matrix(J);
  const double spin = std::sqrt(targets.spin_weight);
  rows.middleRows(nv + 3, 3) = spin * J;
  wanted.segment<3>(nv + 3) = spin * (targets.spin_rate - spin_bias(dynamics));
  int at = nv + 6;
  for (const PlanContact& contact : contacts) {
    if (contact.hold == 0) continue;
    dynamics.point_jacobian(contact.body, contact.point, J);
    const Vec3 slip = dynamics.point_velocity(contact.body, contact.point) - contact.velocity;
    rows.middleRows(at, 3) = std::sqrt(contact.hold * targets.hold_weight) * J;
    wanted.segment<3>(at) = std::sqrt(contact.hold * targets.hold_weight) *
                            (-dynamics.point_bias_acceleration(contact.body, contact.point) -
                             contact.damping * targets.hold_damping * slip);
    at += 3;
  }
}

// The whole problem of plan.h with x = (a, lambda): the torques follow, so their limits are rows.
class DensePlan {
 public:
  DensePlan(ActorDynamics& dynamics, const PlanTargets& targets, const std::vector<PlanContact>& contacts) {
    nv_ = dynamics.actor().nv();
    const int columns = 4 * static_cast<int>(contacts.size()), n = nv_ + columns, joints = nv_ - 6;
    cost_rows(dynamics, targets, contacts, rows_, wanted_);
    MatX B = MatX::Zero(nv_, columns);
    VecX eps(columns);
    Jacobian J;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const int at = 4 * static_cast<int>(k);
      dynamics.point_jacobian(contacts[k].body, contacts[k].point, J);
      B.middleCols<4>(at) = J.transpose() * friction_cone(contacts[k].normal, targets.friction);
      eps.segment<4>(at).setConstant(targets.regularisation * contacts[k].reluctance);
    }
    H_ = MatX::Zero(n, n);
    H_.topLeftCorner(nv_, nv_) = rows_.transpose() * rows_;
    H_.diagonal().tail(columns) = eps;
    g_ = VecX::Zero(n);
    g_.head(nv_) = -rows_.transpose() * wanted_;
    dynamics_.resize(nv_, n);
    dynamics_ << dynamics.mass_matrix(), -B;
    h_ = dynamics.bias();
    h_.head<6>() -= targets.root_wrench;
    const VecX limit = dynamics.actor().torque_limits().tail(joints);
    l_ = -limit - h_.tail(joints);
    u_ = limit - h_.tail(joints);
    lower_ = VecX::Zero(n);
    lower_.head(nv_).setConstant(-std::numeric_limits<double>::infinity());
    A_ = dynamics_.topRows(6);
    b_ = -h_.head(6);
    C_ = dynamics_.bottomRows(joints);
  }
  QpProblem problem() const {
    return {.H = H_, .g = g_, .A = A_, .b = b_, .C = C_, .l = l_, .u = u_, .lower = lower_};
  }
  double tracking_cost(const VecX& a) const { return 0.5 * (rows_ * a - wanted_).squaredNorm(); }
  double cost(const VecX& x) const {
    const auto lambda = x.tail(x.size() - nv_);
    return tracking_cost(x.head(nv_)) + 0.5 * H_.diagonal().tail(lambda.size()).dot(lambda.cwiseAbs2());
  }
  VecX torque(const VecX& x) const {
    VecX all = dynamics_ * x + h_;
    all.head<6>().setZero();
    return all;
  }

 private:
  int nv_;
  MatX rows_, H_, A_, C_, dynamics_;
  VecX wanted_, g_, b_, l_, u_, lower_, h_;
};

}  // namespace stunt
