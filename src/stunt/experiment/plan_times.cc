#include "stunt/experiment/plan_times.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "stunt/control/mcsim/plan.h"
#include "stunt/solve/qp.h"

namespace stunt {
namespace {

// The plan of plan.h without its centre-of-mass term: cost 1/2 a'Qa - q'a, inputs u = (tau, lambda), M a + h
// = B u.
struct PlanProblem {
  MatX Q, B;
  VecX q, lower, upper, price;  // of the inputs
};

PlanProblem pose(ActorDynamics& dynamics, const PlanTargets& targets,
                 const std::vector<PlanContact>& contacts) {
  const Actor& actor = dynamics.actor();
  const int nv = actor.nv(), joints = nv - 6, inputs = joints + 4 * static_cast<int>(contacts.size());
  PlanProblem problem;
  problem.Q = targets.weight.asDiagonal();
  problem.q = targets.weight.cwiseProduct(targets.acceleration);
  problem.B = MatX::Zero(nv, inputs);
  problem.B.block(6, 0, joints, joints).setIdentity();
  problem.lower = VecX::Zero(inputs);
  problem.upper = VecX::Constant(inputs, std::numeric_limits<double>::infinity());
  problem.upper.head(joints) = actor.torque_limits().tail(joints);
  problem.lower.head(joints) = -problem.upper.head(joints);
  problem.price = VecX::Constant(inputs, targets.regularisation);
  problem.price.head(joints).setConstant(1e-9);  // not in plan.h: only so that every Hessian is definite
  Jacobian J;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const PlanContact& contact = contacts[k];
    dynamics.point_jacobian(contact.body, contact.point, J);
    problem.Q += targets.hold_weight * J.transpose() * J;
    problem.q -= targets.hold_weight * J.transpose() *
                 (dynamics.point_bias_acceleration(contact.body, contact.point) +
                  targets.hold_damping * dynamics.point_velocity(contact.body, contact.point));
    const Vec3 edges[] = {{targets.friction, 0, 1},
                          {-targets.friction, 0, 1},
                          {0, targets.friction, 1},
                          {0, -targets.friction, 1}};
    for (int i = 0; i < 4; ++i)
      problem.B.col(joints + 4 * static_cast<int>(k) + i) = J.transpose() * edges[i];
  }
  return problem;
}

class Stopwatch {
 public:
  double microseconds() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Measured {
  std::vector<double> dummy, plain, dual;  // us
};

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<PlanTimes> plan_times(const Reference& reference, int states) {
  const ActorPtr& actor = reference.actor();
  const int nv = actor->nv();
  ActorDynamics dynamics(actor);
  Planner planner(*actor, std::max<int>(16, static_cast<int>(actor->contact_points().size())));
  const auto dummy_solver = make_proxqp_solver(), plain_solver = make_proxqp_solver();
  dummy_solver->options.tolerance = plain_solver->options.tolerance = 1e-6;
  PlanTargets targets;
  targets.weight = VecX::Ones(nv);
  targets.weight.segment<3>(3).setConstant(10);
  std::map<int, PlanTimes> by_contacts;
  std::map<int, Measured> measured_by_contacts;
  ReferenceSample sample;
  for (int s = 0; s < states; ++s) {
    reference.sample(reference.duration() * (s + 0.5) / states, sample);
    dynamics.set_state(sample.q, sample.v);
    targets.acceleration = sample.a;
    std::vector<PlanContact> contacts;
    for (std::size_t i = 0; i < sample.contacts.size(); ++i) {
      const ContactPoint& point = actor->contact_points()[i];
      if (sample.contacts[i]) contacts.push_back({point.body, dynamics.point(point.body, point.position)});
    }
    const MatX M = dynamics.mass_matrix();
    const VecX h = dynamics.bias();
    const PlanProblem problem = pose(dynamics, targets, contacts);
    const int inputs = static_cast<int>(problem.B.cols()), n = nv + inputs;

    MatX H = MatX::Zero(n, n), A(nv, n);
    H.topLeftCorner(nv, nv) = problem.Q;
    H.diagonal().tail(inputs) = problem.price;
    A << M, -problem.B;
    VecX g = VecX::Zero(n), lower = VecX::Constant(n, -std::numeric_limits<double>::infinity()),
         upper = -lower;
    g.head(nv) = -problem.q;
    lower.tail(inputs) = problem.lower;
    upper.tail(inputs) = problem.upper;
    const VecX b = -h;
    const QpResult& dummy =
        dummy_solver->solve({.H = H, .g = g, .A = A, .b = b, .lower = lower, .upper = upper});

    const Eigen::LLT<MatX> mass(M);
    const MatX gain = mass.solve(problem.B);  // a = gain u + drift
    const VecX drift = -mass.solve(h);
    MatX H_plain = gain.transpose() * problem.Q * gain;
    H_plain.diagonal() += problem.price;
    const VecX g_plain = gain.transpose() * (problem.Q * drift - problem.q);
    const QpResult& plain =
        plain_solver->solve({.H = H_plain, .g = g_plain, .lower = problem.lower, .upper = problem.upper});

    const Stopwatch watch;
    const PlanResult& dual = planner.solve(dynamics, targets, contacts);
    const double dual_us = watch.microseconds();

    PlanTimes& times = by_contacts[static_cast<int>(contacts.size())];
    times.contacts = static_cast<int>(contacts.size());
    times.dummy_variables = n;
    times.plain_variables = inputs;
    ++times.states;
    Measured& measured = measured_by_contacts[times.contacts];
    measured.dummy.push_back(dummy.microseconds);
    measured.plain.push_back(plain.microseconds);
    measured.dual.push_back(dual_us);
    const VecX a = gain * plain.x + drift;
    const double scale = std::max(1.0, targets.acceleration.cwiseAbs().maxCoeff());
    for (const VecX& other : {VecX(dummy.x.head(nv)), dual.acceleration}) {
      times.largest_difference =
          std::max(times.largest_difference, (other - a).cwiseAbs().maxCoeff() / scale);
    }
  }
  std::vector<PlanTimes> result;
  for (auto& [contacts, times] : by_contacts) {
    Measured& measured = measured_by_contacts[contacts];
    times.dummy_us = median(measured.dummy);
    times.plain_us = median(measured.plain);
    times.dual_us = median(measured.dual);
    result.push_back(times);
  }
  return result;
}

}  // namespace stunt
