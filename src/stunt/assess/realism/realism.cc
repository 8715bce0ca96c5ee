#include "stunt/assess/realism/realism.h"

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/actor/variation.h"
#include "stunt/core/error.h"
#include "stunt/reference/cleanup/filter.h"

namespace stunt {
namespace {

constexpr double kUnexplained = 0.3;  // kappa: more is not noise
constexpr double kBeyond = 1.001;     // of the strength: a motor at its limit is not beyond it
constexpr double kBeyondMuscle =
    1.05;  // before the others are at their end a muscle is asked for a little more
constexpr double kShortestSpan = 0.05, kJoinSpans = 0.1;  // s

// The first and last tenth of a second of a motion of at least a second: smoothing and differences have one side only.
constexpr double kEdge = 0.1, kLongEnough = 1;  // s

// Poses with velocities and accelerations, smoothed and at their new speed.
SampledReference moving(const AssessedMotion& motion, ActorPtr actor, const RealismSettings& settings) {
  std::vector<VecX> q = motion.q;
  if (settings.low_pass_hz > 0) low_pass(*actor, q, motion.rate_hz, settings.low_pass_hz);
  std::vector<std::vector<std::uint8_t>> no_contacts(q.size());
  return {std::move(actor), motion.rate_hz * settings.speed, std::move(q), std::move(no_contacts)};
}

class Assessor {
 public:
  Assessor(const ActorPtr& actor, double height, JointCouplings couplings)
      : actor_(*actor),
        dynamics_(actor),
        weight_(actor->mass() * actor->gravity()),
        height_(height),
        couplings_(std::move(couplings)) {}

  RealismFrame assess(const SampledReference& motion, int i, const std::vector<SupportPoint>& supports,
                      const Ground& ground, Split split) {
    RealismFrame out;
    out.time = i / motion.rate();
    dynamics_.set_state(motion.q(i), motion.v(i));
    dynamics_.inverse_dynamics(motion.a(i), tau_);
    const Vec3 root = motion.q(i).head<3>();
    const Mat3 R = dynamics_.body_rotation(0).toRotationMatrix();
    out.external.force = tau_.head<3>();  // eq. 4.5: linear in world axes already, angular in the root's
    out.external.torque = R * tau_.segment<3>(3) + root.cross(out.external.force);
    out.ground = ground_reaction(out.external, supports, ground, split);
    for (const PointLoad& load : out.ground.loads) {  // eq. 4.10
      dynamics_.point_jacobian(load.body, load.point, J_);
      tau_ -= J_.transpose() * load.force;
      dynamics_.rotation_jacobian(load.body, J_);
      tau_ -= J_.transpose() * (load.twist * ground.normal);
    }
    // Armature is the motors' own inertia, not the body's.
    for (int k = 6; k < actor_.nv(); ++k) tau_[k] -= actor_.model().dof_armature[k] * motion.a(i)[k];
    couplings_.gather(motion.q(i), tau_);
    if (split == Split::hull) press_feet(motion.q(i), out.ground, ground);
    out.unexplained = {tau_.head<3>(), R * tau_.segment<3>(3)};
    out.force_part = out.unexplained.force.norm() / weight_;
    out.moment_part = out.unexplained.torque.norm() / (weight_ * height_);
    out.torque = tau_;
    out.torque.head<6>().setZero();
    return out;
  }
  ActorDynamics& dynamics() { return dynamics_; }  // at the frame of the last assess()

 private:
  // Two feet on the ground can push against each other along the line between their centres of pressure, which nobody sees
  // from outside. They are taken to do so as makes the sum of (torque / strength)^2 least, within friction.
  void press_feet(const VecX& q, GroundReaction& reaction, const Ground& ground) {
    Vec3 force[2] = {Vec3::Zero(), Vec3::Zero()}, centre[2] = {Vec3::Zero(), Vec3::Zero()};
    double up[2] = {0, 0};
    for (const PointLoad& load : reaction.loads) {
      if (load.side == Side::middle) return;
      const int foot = load.side == Side::left ? 0 : 1;
      const double push = load.force.dot(ground.normal);
      force[foot] += load.force;
      up[foot] += push;
      centre[foot] += push * load.point;
    }
    if (std::min(up[0], up[1]) < 1e-3 * weight_) return;
    const Vec3 apart = centre[0] / up[0] - centre[1] / up[1];
    if (apart.norm() < 0.02) return;
    const Vec3 along = apart.normalized();
    VecX change = VecX::Zero(tau_.size());  // of the torques, for 1 N
    double low = -1e9, high = 1e9;          // N, that friction allows
    for (int foot = 0; foot < 2; ++foot) {
      const double sign = foot == 0 ? 1 : -1;
      const Vec3 flat = force[foot] - up[foot] * ground.normal;
      const double b = sign * flat.dot(along),
                   c = flat.squaredNorm() - std::pow(ground.friction * up[foot], 2);
      const double root = std::sqrt(std::max(0.0, b * b - c));
      low = std::max(low, -b - root);
      high = std::min(high, -b + root);
    }
    if (low > 0 || high < 0) return;  // it slides already
    for (const PointLoad& load : reaction.loads) {
      const int foot = load.side == Side::left ? 0 : 1;
      const double share = (foot == 0 ? 1 : -1) * load.force.dot(ground.normal) / up[foot];
      dynamics_.point_jacobian(load.body, load.point, J_);
      change -= J_.transpose() * (share * along);
    }
    couplings_.gather(q, change);
    double slope = 0, curve = 0;
    for (int k = 6; k < actor_.nv(); ++k) {
      if (actor_.torque_limits()[k] <= 0) continue;
      const double scale = 1 / (actor_.torque_limits()[k] * actor_.torque_limits()[k]);
      slope += scale * tau_[k] * change[k];
      curve += scale * change[k] * change[k];
    }
    if (curve <= 0) return;
    const double press = std::clamp(-slope / curve, low, high);
    tau_ += press * change;
    for (PointLoad& load : reaction.loads) {
      const int foot = load.side == Side::left ? 0 : 1;
      load.force += (foot == 0 ? press : -press) * load.force.dot(ground.normal) / up[foot] * along;
    }
  }

  const Actor& actor_;
  ActorDynamics dynamics_;
  double weight_, height_;  // N, m
  JointCouplings couplings_;
  VecX tau_;
  Jacobian J_;
};

std::vector<JointDemand> find_demands(const Realism& realism, double frame_time) {
  std::vector<JointDemand> demands;
  for (std::size_t j = 0; j < realism.actor->joints().size(); ++j) {
    const ActorJoint& joint = realism.actor->joints()[j];
    if (joint.type == JointType::free || joint.torque_limit <= 0) continue;
    JointDemand worst{static_cast<int>(j), -1, 0, joint.torque_limit, 0};
    for (const RealismFrame& frame : realism.frames) {
      const auto axes = frame.torque.segment(joint.v_address, joint.dofs);
      int axis = 0;
      const double most = axes.cwiseAbs().maxCoeff(&axis);
      const double ratio = most / joint.torque_limit;
      if (ratio > kBeyond) worst.time_over += frame_time;
      if (ratio <= worst.ratio) continue;
      worst.ratio = ratio;
      worst.torque = axes[axis];
      worst.time = frame.time;
    }
    demands.push_back(worst);
  }
  std::stable_sort(demands.begin(), demands.end(),
                   [](const JointDemand& a, const JointDemand& b) { return a.ratio > b.ratio; });
  return demands;
}

std::vector<MuscleDemand> find_muscle_demands(const Realism& realism, double frame_time) {
  std::vector<MuscleDemand> demands;
  std::vector<std::size_t> group;  // of each muscle
  for (const std::string& part : realism.muscles.parts) {
    const auto found = std::find_if(demands.begin(), demands.end(),
                                    [&](const MuscleDemand& demand) { return demand.part == part; });
    group.push_back(static_cast<std::size_t>(found - demands.begin()));
    if (found == demands.end()) demands.push_back({part, -1, -1, 0});
  }
  std::vector<char> over(demands.size());
  for (const RealismFrame& frame : realism.frames) {
    std::fill(over.begin(), over.end(), 0);
    for (std::size_t i = 0; i < frame.muscles.use.size(); ++i) {
      MuscleDemand& demand = demands[group[i]];
      const double use = frame.muscles.use[i];
      if (use > kBeyondMuscle) over[group[i]] = 1;
      if (use <= demand.ratio) continue;
      demand.ratio = use;
      demand.muscle = static_cast<int>(i);
      demand.time = frame.time;
    }
    for (std::size_t g = 0; g < over.size(); ++g) demands[g].time_over += over[g] ? frame_time : 0;
  }
  std::stable_sort(demands.begin(), demands.end(),
                   [](const MuscleDemand& a, const MuscleDemand& b) { return a.ratio > b.ratio; });
  return demands;
}

std::vector<ReserveDemand> find_reserves(const Realism& realism) {
  std::vector<ReserveDemand> reserves;
  const int root = realism.actor->root_dofs();
  for (std::size_t j = 0; j < realism.actor->joints().size(); ++j) {
    const ActorJoint& joint = realism.actor->joints()[j];
    if (joint.v_address < root) continue;
    ReserveDemand demand{static_cast<int>(j), 0, 0, 0};
    for (const RealismFrame& frame : realism.frames) {
      const double size =
          Eigen::Map<const Eigen::VectorXf>(
              &frame.muscles.reserve[static_cast<std::size_t>(joint.v_address - root)], joint.dofs)
              .norm();
      demand.mean += size / static_cast<double>(realism.frames.size());
      if (size <= demand.most) continue;
      demand.most = size;
      demand.time = frame.time;
    }
    reserves.push_back(demand);
  }
  std::stable_sort(reserves.begin(), reserves.end(),
                   [](const ReserveDemand& a, const ReserveDemand& b) { return a.mean > b.mean; });
  return reserves;
}

// The muscles that a model brings, each a group of its own.
BodyMuscles own_muscles(const MuscleModel& model) {
  BodyMuscles out;
  for (const ModelMuscle& muscle : model.muscles) {
    out.muscles.push_back(
        {.name = muscle.name, .max_force = muscle.max_force, .fibre_length = 0, .tendon_slack = 0});
    out.parts.push_back(muscle.name);
  }
  return out;
}

std::vector<UnexplainedSpan> find_spans(const std::vector<RealismFrame>& frames, double frame_time) {
  std::vector<UnexplainedSpan> spans;
  std::vector<std::pair<std::size_t, std::size_t>> ranges;  // first and last frame
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].kappa() < kUnexplained) continue;
    if (!ranges.empty() && static_cast<double>(i - ranges.back().second) * frame_time <= kJoinSpans)
      ranges.back().second = i;
    else
      ranges.emplace_back(i, i);
  }
  for (const auto& [first, last] : ranges) {
    UnexplainedSpan span{frames[first].time, frames[last].time, 0, 0, false};
    if (span.end - span.begin < kShortestSpan) continue;
    const auto count = static_cast<double>(last - first + 1);
    double aloft = 0;
    for (std::size_t i = first; i <= last; ++i) {
      span.force += frames[i].force_part / count;
      span.moment += frames[i].moment_part / count;
      aloft += frames[i].ground.loads.empty() ? 1 / count : 0;
    }
    span.in_flight = aloft > 0.5;
    spans.push_back(span);
  }
  const auto size = [](const UnexplainedSpan& s) { return (s.force + s.moment) * (s.end - s.begin); };
  std::stable_sort(spans.begin(), spans.end(),
                   [&](const auto& a, const auto& b) { return size(a) > size(b); });
  return spans;
}

double torque_excess(const Actor& actor, const VecX& torque) {
  const VecX& limits = actor.torque_limits();
  return (torque.cwiseAbs() - limits).tail(actor.nv() - 6).cwiseMax(0).sum() /
         limits.tail(actor.nv() - 6).sum();
}

void take_means(Realism& out) {
  std::vector<double> kappas;
  const auto n = static_cast<double>(out.frames.size());
  for (const RealismFrame& frame : out.frames) {
    out.force_part += frame.force_part / n;
    out.moment_part += frame.moment_part / n;
    if (!out.demands.empty()) out.torque_excess += torque_excess(*out.actor, frame.torque) / n;
    out.lambda += frame.muscles.lambda / n;
    out.lambda_reserve += frame.muscles.reserve_part / n;
    out.effort += frame.muscles.effort / n;
    if (frame.muscles.lambda > out.lambda_max) {
      out.lambda_max = frame.muscles.lambda;
      out.lambda_max_at = frame.time;
    }
    kappas.push_back(frame.kappa());
    if (frame.kappa() > out.kappa_max) {
      out.kappa_max = frame.kappa();
      out.kappa_max_at = frame.time;
    }
  }
  out.kappa = out.force_part + out.moment_part;
  std::nth_element(kappas.begin(), kappas.begin() + static_cast<std::ptrdiff_t>(kappas.size() / 2),
                   kappas.end());
  out.kappa_median = kappas[kappas.size() / 2];
}

}  // namespace

void describe(Fields& fields, RealismSettings& settings) {
  fields("weight", settings.weight,
         {.bounds = between(0.01, 100), .help = "times the actor's mass; the strength stays as it is"});
  fields("speed", settings.speed, {.bounds = between(0.01, 100), .help = "times the motion's own speed"});
  fields("friction", settings.friction,
         {.bounds = between(0, 100), .help = "between feet and ground; left open: the scene's, or 1"});
  fields("low_pass_hz", settings.low_pass_hz,
         {.unit = "Hz", .bounds = between(0, 1000), .help = "smoothing before anything else; 0: none"});
  fields("split", settings.split,
         {.help = "how the load is shared between the feet: exact, or as printed",
          .choices = {"hull", "paper"}});
  fields("overload", settings.overload,
         {.bounds = between(0, 1e6),
          .help = "cost of muscle force beyond strength, against 1 within it; 0: as printed"});
}

double stature(const ActorPtr& actor) {
  ActorDynamics dynamics(actor);  // in the rest pose
  dynamics.body_position(0);      // so that all positions are there
  const mjModel& model = actor->model();
  const mjData& data = dynamics.data();
  double low = 1e9, high = -1e9;
  for (int g = 0; g < model.ngeom; ++g) {
    if (model.geom_bodyid[g] == 0) continue;
    // The extent along the vertical of the geom's own box.
    const double* box = &model.geom_aabb[6 * g];
    const double* m = &data.geom_xmat[9 * g];
    const double centre = data.geom_xpos[3 * g + 2] + m[6] * box[0] + m[7] * box[1] + m[8] * box[2];
    const double half = std::abs(m[6]) * box[3] + std::abs(m[7]) * box[4] + std::abs(m[8]) * box[5];
    low = std::min(low, centre - half);
    high = std::max(high, centre + half);
  }
  return high - low;
}

Realism assess_realism(const AssessedMotion& motion, const RealismSettings& settings) {
  if (!motion.actor->has_free_root()) {
    throw InputError(motion.actor->name(), "a character whose root is fixed to the world",
                     "a free root: forces on a fixed one need no explanation");
  }
  Realism out;
  out.actor = vary(motion.actor, {.mass = settings.weight, .gravity = motion.gravity});
  out.settings = settings;
  out.mass = out.actor->mass();
  out.height = stature(motion.actor);
  out.gravity = motion.gravity;
  const SampledReference moved = moving(motion, out.actor, settings);
  out.duration = (moved.size() - 1) / moved.rate();
  const Split split = split_from_name(settings.split);
  Assessor assessor(out.actor, out.height, motion.model ? motion.model->couplings : JointCouplings());
  // As strong as before, whatever the weight.
  out.muscles = motion.model ? own_muscles(*motion.model) : human_muscles(motion.actor);
  if (motion.model) out.model = motion.actor->name();
  std::optional<MuscleJudge> judge;
  if (motion.model)
    judge.emplace(motion.model, settings.overload);
  else if (!out.muscles.muscles.empty())
    judge.emplace(out.actor, out.muscles, settings.overload);
  const bool long_enough = moved.size() > kLongEnough * motion.rate_hz;
  const int edge = long_enough ? static_cast<int>(std::lround(kEdge * motion.rate_hz)) : 0;
  for (int i = edge; i < moved.size() - edge; ++i) {
    Ground ground = motion.grounds[static_cast<std::size_t>(i)];
    if (settings.friction) ground.friction = *settings.friction;
    out.frames.push_back(
        assessor.assess(moved, i, motion.supports[static_cast<std::size_t>(i)], ground, split));
    // Torques of motors are those of the motion as it was: another weight or speed needs others.
    if (!motion.torques.empty() && settings.weight == 1 && settings.speed == 1)
      out.frames.back().torque.tail(out.actor->nv() - 6) =
          motion.torques[static_cast<std::size_t>(i)].tail(out.actor->nv() - 6);
    if (judge) out.frames.back().muscles = judge->judge(assessor.dynamics(), out.frames.back().torque);
  }
  if (!motion.model) out.demands = find_demands(out, 1 / moved.rate());
  if (judge) {
    out.muscle_demands = find_muscle_demands(out, 1 / moved.rate());
    out.reserves = find_reserves(out);
  }
  take_means(out);
  out.spans = find_spans(out.frames, 1 / moved.rate());
  return out;
}

}  // namespace stunt
