#include "stunt/control/parts/root_help.h"

#include "stunt/control/actuators.h"

#include <cmath>

namespace stunt {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

// Acceleration of a critically damped spring (frequency omega, rad/s) from the root to the reference.
Vec6 spring(const Actor& actor, const Observation& now, const ReferenceSample& target, double omega,
            VecX& error) {
  difference(actor, now.q, target.q, error);
  return omega * omega * error.head<6>() + 2 * omega * (target.v - now.v).head<6>();
}

// The root follows the reference: the wrench W on it that gives it the acceleration a_r, taking along what the joint
// torques tau do. From M a + h = (W, tau): a_j = M_jj^-1 (tau - h_j - M_jr a_r), W = M_rr a_r + M_rj a_j + h_r.
class Pedestal : public Controller {
 public:
  Pedestal(std::unique_ptr<Controller> inner, ReferencePtr reference)
      : inner_(std::move(inner)), reference_(std::move(reference)), dynamics_(reference_->actor()) {
    const int joints = reference_->actor()->nv() - 6;
    joint_mass_ = MatX::Identity(joints, joints);
    factor_.compute(joint_mass_);
    joint_acceleration_.resize(joints);
  }
  void reset(const Observation& start) override { inner_->reset(start); }
  std::any save() const override { return inner_->save(); }
  void restore(const std::any& memory) override { inner_->restore(memory); }
  const PlanTiming* plan_timing() const override { return inner_->plan_timing(); }
  std::unique_ptr<Actuators> own_actuators() const override { return inner_->own_actuators(); }

  void actuate(const Observation& now, Actuation& out) override {
    inner_->actuate(now, out);
    const Actor& actor = dynamics_.actor();
    const int n = actor.nv() - 6;
    reference_->sample(now.time, target_);
    const Vec6 a = target_.a.head<6>() + spring(actor, now, target_, kFrequency, error_);
    dynamics_.set_state(now.q, now.v);
    const RowMatX& M = dynamics_.mass_matrix();
    const VecX& h = dynamics_.bias();
    limited_ = out.torque.cwiseMax(-actor.torque_limits()).cwiseMin(actor.torque_limits());
    joint_mass_ = M.bottomRightCorner(n, n);
    factor_.compute(joint_mass_);
    joint_acceleration_ = limited_.tail(n) - h.tail(n);
    joint_acceleration_.noalias() -= M.bottomLeftCorner(n, 6) * a;
    factor_.solveInPlace(joint_acceleration_);
    out.torque.head<6>() = M.topLeftCorner<6, 6>() * a + h.head<6>();
    out.torque.head<6>().noalias() += M.topRightCorner(6, n) * joint_acceleration_;
  }

 private:
  static constexpr double kFrequency = 100;  // rad/s: stiff, and stable up to steps of 5 ms
  std::unique_ptr<Controller> inner_;
  ReferencePtr reference_;
  ActorDynamics dynamics_;
  ReferenceSample target_;
  MatX joint_mass_;
  Eigen::LLT<MatX> factor_;
  VecX joint_acceleration_, error_, limited_;
};

// A soft spring-damper: on the root, as if the whole body were one rigid piece, or on the centre of mass.
class Assist : public Controller {
 public:
  Assist(std::unique_ptr<Controller> inner, const RootHelpSettings& settings, ReferencePtr reference)
      : inner_(std::move(inner)),
        strength_(settings.assist),
        at_center_(settings.assist_at == "center_of_mass"),
        reference_(std::move(reference)),
        dynamics_(reference_->actor()),
        target_dynamics_(reference_->actor()) {}
  void reset(const Observation& start) override { inner_->reset(start); }
  std::any save() const override { return inner_->save(); }
  void restore(const std::any& memory) override { inner_->restore(memory); }
  const PlanTiming* plan_timing() const override { return inner_->plan_timing(); }
  std::unique_ptr<Actuators> own_actuators() const override { return inner_->own_actuators(); }

  void actuate(const Observation& now, Actuation& out) override {
    inner_->actuate(now, out);
    reference_->sample(now.time, target_);
    dynamics_.set_state(now.q, now.v);
    if (at_center_) {
      pull_center(out.torque);
      return;
    }
    const Vec6 a = spring(dynamics_.actor(), now, target_, kFrequency, error_);
    out.torque.head<6>() += strength_ * (dynamics_.mass_matrix().topLeftCorner<6, 6>() * a);
  }

 private:
  // A horizontal force at the centre of mass towards where the reference has it.
  void pull_center(VecX& torque) {
    target_dynamics_.set_state(target_.q, target_.v);
    Vec3 force = strength_ * dynamics_.actor().mass() *
                 (kFrequency * kFrequency * (target_dynamics_.com() - dynamics_.com()) +
                  2 * kFrequency * (target_dynamics_.com_velocity() - dynamics_.com_velocity()));
    force.z() = 0;
    const Vec3 arm = dynamics_.com() - dynamics_.body_position(0);
    torque.head<3>() += force;
    torque.segment<3>(3) += dynamics_.body_rotation(0).conjugate() * arm.cross(force);
  }

  static constexpr double kFrequency = 10;  // rad/s: 100 N per metre and kilogram at strength 1
  std::unique_ptr<Controller> inner_;
  double strength_;
  bool at_center_;
  ReferencePtr reference_;
  ActorDynamics dynamics_, target_dynamics_;
  ReferenceSample target_;
  VecX error_;
};

}  // namespace

void describe(Fields& fields, RootHelpSettings& settings) {
  fields("pedestal", settings.pedestal, {.help = "the root is held to the motion (not physical)"});
  fields(
      "assist", settings.assist,
      {.bounds = between(0, 100),
       .help = "strength of an unseen spring on the root (not physical); 1: 100 N per metre and kilogram"});
  fields("assist_at", settings.assist_at,
         {.help = "where it pulls: at the root, which it also turns, or at the centre of mass, horizontally",
          .choices = {"root", "center_of_mass"}});
}

std::unique_ptr<Controller> supported(std::unique_ptr<Controller> inner, const RootHelpSettings& settings,
                                      ReferencePtr reference) {
  if (settings.pedestal) return std::make_unique<Pedestal>(std::move(inner), std::move(reference));
  if (settings.assist > 0) return std::make_unique<Assist>(std::move(inner), settings, std::move(reference));
  return inner;
}

}  // namespace stunt
