#include "stunt/control/pd/pd.h"

#include <cmath>

#include "stunt/core/error.h"

namespace stunt {
namespace {

// kg, of a body and all that hang on it. A parent comes before its children.
double mass_from(const Actor& actor, int first) {
  const auto& bodies = actor.bodies();
  std::vector<bool> moves(bodies.size(), false);
  double mass = 0;
  for (std::size_t b = first; b < bodies.size(); ++b) {
    moves[b] = static_cast<int>(b) == first || (bodies[b].parent >= 0 && moves[bodies[b].parent]);
    if (moves[b]) mass += bodies[b].mass;
  }
  return mass;
}

}  // namespace

void describe(Fields& fields, PdSettings& settings) {
  fields("stiffness", settings.stiffness,
         {.unit = "1/s^2",
          .bounds = above(0),
          .help = "k, per unit of inertia: larger follows more closely and reacts more stiffly",
          .search = SearchRange{1200, 600}});
  fields("damping_ratio", settings.damping_ratio,
         {.bounds = at_least(0), .help = "zeta: 1 is critical, less swings", .search = SearchRange{1, 0.3}});
  fields("stable", settings.stable, {.help = "the implicit variant, which allows large steps and gains"});
  fields("gravity_compensation", settings.gravity_compensation,
         {.help = "adds the torques that hold the pose against gravity, feet carrying the weight"});
  fields("feet_carry", settings.feet_carry,
         {.help = "a foot that touches carries the body: its leg moves the rest (never on a pedestal)"});
  fields("reference_velocity", settings.reference_velocity,
         {.help = "no: damp towards rest, as eq. 1 of Zordan and Hodgins prints it"});
  fields.group("reaction", settings.reaction, "how joints give way where a blow lands");
}

std::unique_ptr<Controller> make_controller(const PdSettings& settings, const ControllerTask& task) {
  if (task.friction != 1)
    throw InputError("model.friction", "a controller that plans no friction", "controller mcsim with it");
  PdSettings own = settings;
  own.feet_carry = own.feet_carry && !task.on_pedestal;
  return std::make_unique<PdController>(own, task.reference);
}

PdController::PdController(const PdSettings& settings, ReferencePtr reference)
    : settings_(settings),
      reference_(std::move(reference)),
      dynamics_(reference_->actor()),
      reactions_(*reference_->actor()) {
  const int nv = reference_->actor()->nv();
  carries_.resize(reference_->actor()->joints().size());
  for (const ActorJoint& joint : reference_->actor()->joints())
    moved_mass_.push_back(mass_from(*reference_->actor(), joint.body));
  error_ = rate_ = rhs_ = softness_ = VecX::Zero(nv);
  stiffness_ = damping_ = RowMatX::Zero(nv, nv);
  implicit_mass_ = MatX::Identity(nv, nv);
  factor_.compute(implicit_mass_);
}

void PdController::reset(const Observation&) { reactions_ = Reactions(dynamics_.actor()); }

Mat3 PdController::moved_inertia(int j, const Observation&) {
  const Actor& actor = dynamics_.actor();
  Mat3 inertia = dynamics_.composite_inertia(j);
  if (carries_[j]) {
    // The foot stays, the rest moves: whole body about this joint, less what hangs below it.
    Mat3 whole = Mat3::Zero();
    const Vec3 anchor = dynamics_.point(actor.joints()[j].body, actor.joints()[j].anchor);
    for (std::size_t b = 0; b < actor.bodies().size(); ++b) {
      const ActorBody& body = actor.bodies()[b];
      const Mat3 axes = dynamics_.body_rotation(static_cast<int>(b)).toRotationMatrix();
      const Vec3 arm = dynamics_.point(static_cast<int>(b), body.com) - anchor;
      whole += axes * body.inertia * axes.transpose() +
               body.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    }
    inertia = whole - inertia;
  }
  const Mat3 axes = dynamics_.body_rotation(actor.joints()[j].body).toRotationMatrix();
  return axes.transpose() * inertia * axes;
}

void PdController::sample(const Observation& now, ReferenceSample& target) const {
  reference_->sample(now.time + (settings_.stable ? now.timestep : 0.0), target);
}

void PdController::actuate(const Observation& now, Actuation& out) {
  sample(now, target_);
  follow(now, target_, out);
}

void PdController::follow(const Observation& now, const ReferenceSample& target, Actuation& out) {
  const Actor& actor = dynamics_.actor();
  const double k = settings_.stiffness;
  const double b = 2 * settings_.damping_ratio * std::sqrt(k);
  const double dt = settings_.stable ? now.timestep : 0.0;
  dynamics_.set_state(now.q, now.v);
  reactions_.feel(actor, now, settings_.reaction);
  reactions_.softness(actor, now.time, settings_.reaction, softness_);

  // Which joints lie between a loaded foot and the root.
  std::fill(carries_.begin(), carries_.end(), std::uint8_t{0});
  for (const ActorContact& contact : now.contacts) {
    if (!settings_.feet_carry || !contact.support || !actor.is_foot(contact.body)) continue;
    for (int body = contact.body; body > 0; body = actor.bodies()[body].parent) {
      for (int i = 0; i < actor.bodies()[body].joint_count; ++i)
        carries_[actor.bodies()[body].first_joint + i] = 1;
    }
  }

  difference(actor, now.q, target.q, error_);
  error_ -= dt * now.v;
  rate_ = -now.v;
  if (settings_.reference_velocity) rate_ += target.v;
  for (std::size_t j = 0; j < actor.joints().size(); ++j) {
    const ActorJoint& joint = actor.joints()[j];
    const int at = joint.v_address;
    if (joint.type == JointType::free) continue;
    if (joint.type == JointType::slide) {
      stiffness_(at, at) = k * moved_mass_[j];
    } else if (joint.type == JointType::hinge) {
      stiffness_(at, at) = k * joint.axis.dot(moved_inertia(static_cast<int>(j), now) * joint.axis);
    } else {
      stiffness_.block<3, 3>(at, at) = k * moved_inertia(static_cast<int>(j), now);
    }
  }
  damping_.noalias() = (b / k) * softness_.cwiseSqrt().asDiagonal() * stiffness_;
  stiffness_.array().colwise() *= softness_.array();
  out.torque.noalias() = stiffness_ * error_;
  out.torque.noalias() += damping_ * rate_;

  if (settings_.stable) {
    // (M + dt D) a = tau_pd - h, then tau = tau_pd - dt D a (Tan et al. 2011, eq. 4). Where the feet carry the body the
    // weight is not in free fall, so gravity stays out of h: only the velocity terms count.
    rhs_ = out.torque - dynamics_.bias() + dynamics_.gravity_bias();
    implicit_mass_ = dynamics_.mass_matrix();
    implicit_mass_ += dt * damping_;
    factor_.compute(implicit_mass_);
    factor_.solveInPlace(rhs_);
    out.torque.noalias() -= dt * (damping_ * rhs_);
  }
  if (settings_.gravity_compensation) {
    // Torques that hold the pose with the whole weight on the loaded feet: h - J^T f, f shared evenly by the contacts.
    out.torque += dynamics_.gravity_bias();
    int loaded = 0;
    for (const ActorContact& contact : now.contacts) {
      loaded += settings_.feet_carry && contact.support && actor.is_foot(contact.body);
    }
    if (loaded > 0) {
      const Vec3 share(0, 0, dynamics_.gravity_bias()[2] / loaded);
      for (const ActorContact& contact : now.contacts) {
        if (!contact.support || !actor.is_foot(contact.body)) continue;
        mj_applyFT(&actor.model(), &dynamics_.data(), Vec3(-share).eval().data(), nullptr,
                   contact.point.data(), contact.body + 1, out.torque.data());
      }
    }
  }
  out.torque.head(actor.root_dofs()).setZero();
}

}  // namespace stunt
