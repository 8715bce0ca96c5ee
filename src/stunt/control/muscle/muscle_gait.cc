#include "stunt/control/muscle/muscle_gait.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kLeastArm =
    0.01;  // m: a muscle closer to the joint is taken as if it were here (eq. 7.18 divides by it)

Quat target_rotation(double yaw, double forward, double roll) {
  return yaw_rotation(yaw) * axis_angle(Vec3::UnitY(), forward) * axis_angle(Vec3::UnitX(), roll);
}

double wrapped(double angle) { return std::remainder(angle, 2 * kPi); }

}  // namespace

MuscleGait::MuscleGait(CreaturePtr creature, const MuscleGaitSettings& settings)
    : creature_(std::move(creature)),
      actor_(creature_->actor()),
      values_(settings.parameters),
      speed_(settings.speed),
      heading_(radians(settings.heading_deg)),
      ideal_(settings.ideal),
      uses_(muscle_uses(*creature_)) {
  const auto body = [&](const std::string& name) { return actor_->find_body(name); };
  for (int i = 0; i < 2; ++i) {
    const std::string side = i == 0 ? "left_" : "right_";
    parts_[i] = {body(side + "thigh"), body(side + "shank"), body(side + "foot"), body(side + "toes")};
  }
  head_ = body("head");
  chest_ = body("chest");
  const DataPtr data(mj_makeData(&actor_->model()));
  VecX::Map(data->qpos, actor_->nq()) = actor_->rest_q();
  mj_kinematics(&actor_->model(), data.get());
  head_offset_ = vec3(&data->xpos[3 * (head_ + 1)]) - vec3(&data->xpos[3]);
  mj_comPos(&actor_->model(), data.get());
  reach_ = std::atan2(data->subtree_com[3] - 0.5 * (data->xpos[3 * (parts_[0].thigh + 1)] +
                                                    data->xpos[3 * (parts_[1].thigh + 1)]),
                      creature_->leg_length());
  tips_forward_ = 0;
  for (int b = 0; b < static_cast<int>(actor_->bodies().size()); ++b) {
    bool leg = false;
    for (int up = b; up >= 0; up = actor_->bodies()[static_cast<std::size_t>(up)].parent)
      leg = leg || up == parts_[0].thigh || up == parts_[1].thigh;
    if (!leg)
      tips_forward_ += actor_->model().body_mass[b + 1] * actor_->gravity() *
                       (data->xipos[3 * (b + 1)] - data->xpos[3 * (parts_[0].thigh + 1)]);
  }

  const double weight = actor_->mass() * actor_->gravity(), leg = creature_->leg_length();
  thresholds_ = {value("state.contact") * weight, value("state.lift") * leg, value("state.prepare") * leg};
  const double length = leg / kUsualLeg, time = std::sqrt(length), force = actor_->mass() / kUsualMass;
  const double turn = force * length, damp = turn * time, slow = 1 / time;
  gains_ = {value("target.lean"),
            slow * value("target.lean_for_speed"),
            value("target.lean_for_heading"),
            value("target.swing.angle"),
            value("target.swing.place") / length,
            slow * value("target.swing.speed"),
            value("target.prepare.angle"),
            value("target.prepare.place") / length,
            slow * value("target.prepare.speed"),
            value("target.side.angle"),
            value("target.side.place") / length,
            slow * value("target.side.speed"),
            value("target.knee"),
            value("target.ankle"),
            turn * value("trunk.turn"),
            damp * value("trunk.damp"),
            force / length * value("head.pull"),
            force / time * value("head.pull_damp"),
            turn * value("head.turn"),
            damp * value("head.turn_damp"),
            chest_ < 0 ? 0 : turn * value("chest.turn"),
            chest_ < 0 ? 0 : damp * value("chest.damp"),
            turn * value("swing.turn"),
            turn * value("prepare.turn"),
            damp * value("prepare.damp"),
            turn * value("prepare.knee"),
            turn * value("swing.foot"),
            value("lift.front"),
            value("lift.back"),
            value("lift.knee")};
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const std::string& kind = creature_->kinds()[i];
    Constants one{0, 0, 0};
    if (uses_[i].trunk) {
      one.stance = one.swing = value(kind + ".always");
    } else {
      one.stance = value(kind + ".stance");
      one.swing = value(kind + ".swing");
    }
    if (uses_[i].extends_under_load) one.feedback = value(kind + ".feedback");
    constants_.push_back(one);
  }

  // Which muscle serves which rule over which joint.
  const std::vector<Muscle> muscles = creature_->muscles(values_);
  const MusclePaths paths(actor_, muscles);
  for (const MusclePaths::Crossing& crossing : paths.crossings()) {
    const MuscleUse& use = uses_[static_cast<std::size_t>(crossing.muscle)];
    const double strength = muscles[static_cast<std::size_t>(crossing.muscle)].max_force;
    const LegParts& parts = parts_[use.leg];
    if (crossing.body == parts.thigh) hip_[use.leg].add(crossing, strength);
    if (crossing.body == parts.shank) knee_[use.leg].add(crossing, strength);
    if (crossing.body == parts.foot) ankle_[use.leg].add(crossing, strength);
    if (use.trunk) {
      to_head_.add(crossing, strength);
      bool below_chest = false;
      for (int b = chest_; b >= 0; b = actor_->bodies()[static_cast<std::size_t>(b)].parent)
        below_chest = below_chest || b == crossing.body;
      if (below_chest) to_chest_.add(crossing, strength);
    }
  }
}

void MuscleGait::Rule::add(const MusclePaths::Crossing& crossing, double max_force) {
  auto joint =
      std::find_if(joints.begin(), joints.end(), [&](const Joint& one) { return one.dof == crossing.dof; });
  if (joint == joints.end()) {
    joints.push_back({crossing.dof, crossing.count, static_cast<int>(torques.size())});
    torques.resize(torques.size() + static_cast<std::size_t>(crossing.count));
    joint = joints.end() - 1;
  }
  pulls.push_back({crossing.muscle, joint->first, crossing.first, crossing.count, 1 / max_force});
}

std::unique_ptr<Actuators> MuscleGait::own_actuators() const {
  return std::make_unique<MuscleBody>(creature_, values_, ideal_);
}

void MuscleGait::reset(const Observation&) {
  memory_ = {};
  memory_.legs[0] = {LegPhase::swing, false, 0};
}

Quat MuscleGait::head_target() const { return yaw_rotation(heading_); }

Quat MuscleGait::rotation(const mjData& data, int body) const {
  return quat_from_wxyz(&data.xquat[4 * (body + 1)]);
}

Vec3 MuscleGait::turning(const mjData& data, int body) const { return vec3(&data.cvel[6 * (body + 1)]); }

Vec3 MuscleGait::torque(const mjData& data, int body, const Quat& target, double turn, double damp) const {
  return turn * log_map(target * rotation(data, body).conjugate()) - damp * turning(data, body);
}

void MuscleGait::pull(const MuscleSense& felt, Rule& rule, const Wrench6& wanted, double* out) {
  for (const Rule::Joint& joint : rule.joints) {
    for (int k = 0; k < joint.count; ++k)
      rule.torques[static_cast<std::size_t>(joint.first + k)] =
          Eigen::Map<const Wrench6>(felt.data->cdof + 6 * (joint.dof + k)).dot(wanted);
  }
  for (const Rule::Pull& one : rule.pulls) {
    const double *arms = &felt.paths->arms()[static_cast<std::size_t>(one.arm)],
                 *torques = &rule.torques[static_cast<std::size_t>(one.torque)];
    double work = 0, square = 0;
    for (int k = 0; k < one.count; ++k) {
      work -= arms[k] * torques[k];
      square += arms[k] * arms[k];
    }
    out[one.muscle] += one.share * work / std::max(square, kLeastArm * kLeastArm);
  }
}

void MuscleGait::actuate(const Observation& now, Actuation& out) {
  double load[2] = {0, 0};
  for (const ActorContact& contact : now.contacts) {
    for (int i = 0; i < 2; ++i) {
      if (contact.body == parts_[i].foot || contact.body == parts_[i].toes) load[i] += contact.force.z();
    }
  }
  actuate(*now.muscles, now.time, now.timestep, load, out.excitation);
}

void MuscleGait::actuate(const MuscleSense& felt, double time, double timestep, const double (&load)[2],
                         VecX& excitation) {
  const auto muscles = static_cast<int>(uses_.size());
  if (delays_for_ != timestep) {
    delays_for_ = timestep;
    delay_steps_.clear();
    for (const MuscleUse& use : uses_)
      delay_steps_.push_back(ideal_ ? 0 : static_cast<int>(std::lround(use.delay / timestep)));
    columns_ = *std::max_element(delay_steps_.begin(), delay_steps_.end()) + 1;
  }
  if (memory_.past.size() != static_cast<std::size_t>(columns_ * muscles)) {
    memory_.past.assign(static_cast<std::size_t>(columns_ * muscles), 0.0);
    memory_.newest = 0;
  }
  const mjData& data = *felt.data;
  const Quat trunk = rotation(data, 0);
  const double facing = heading(trunk);
  const Vec3 forward(std::cos(facing), std::sin(facing), 0), left(-std::sin(facing), std::cos(facing), 0);
  const auto position = [&](int body) { return vec3(&data.xpos[3 * (body + 1)]); };
  const double v_s = felt.com_velocity.dot(forward), v_c = felt.com_velocity.dot(left);
  double ahead[2], aside[2];
  for (int i = 0; i < 2; ++i) {
    const Vec3 way = position(parts_[i].foot) - felt.com;
    ahead[i] = way.dot(forward);
    aside[i] = way.dot(left);
  }
  update_legs(thresholds_, time, load, ahead, memory_.legs);

  memory_.newest = (memory_.newest + 1) % columns_;
  double* feedback = &memory_.past[static_cast<std::size_t>(memory_.newest * muscles)];
  std::fill(feedback, feedback + muscles, 0.0);
  const auto moment_only = [](const Vec3& moment) {
    Wrench6 wrench;
    wrench << moment, Vec3::Zero();
    return wrench;
  };
  const double lean = gains_.lean + gains_.lean_for_speed * (speed_ - v_s);
  const Quat trunk_target =
      target_rotation(heading_, lean, -gains_.lean_for_heading * wrapped(heading_ - facing));
  const Vec3 trunk_torque =
      torque(data, 0, trunk_target, gains_.trunk_turn, gains_.trunk_damp) - tips_forward_ * left;
  for (int i = 0; i < 2; ++i) {
    const LegPhase phase = memory_.legs[i].phase;
    if (phase == LegPhase::stance) {
      pull(felt, hip_[i], moment_only(-trunk_torque), feedback);  // the leg is pushed the other way
    } else if (phase != LegPhase::lift_off) {
      const bool swing = phase == LegPhase::swing;
      const double d_s = -ahead[1 - i], d_c = -aside[1 - i];
      const double theta =
          reach_ +
          (swing ? gains_.swing_angle + gains_.swing_place * d_s + gains_.swing_speed * (speed_ - v_s)
                 : gains_.prepare_angle + gains_.prepare_place * d_s + gains_.prepare_speed * (speed_ - v_s));
      const double phi =
          (i == 0 ? 1 : -1) * gains_.side_angle + gains_.side_place * d_c + gains_.side_speed * v_c;
      const Quat thigh_target = target_rotation(heading_, -theta, phi);
      pull(felt, hip_[i],
           moment_only(torque(data, parts_[i].thigh, thigh_target,
                              swing ? gains_.swing_turn : gains_.prepare_turn,
                              swing ? 0 : gains_.prepare_damp)),
           feedback);
      if (!swing) {
        const Quat shank_target = rotation(data, parts_[i].thigh) * axis_angle(Vec3::UnitY(), gains_.knee);
        pull(felt, knee_[i], moment_only(torque(data, parts_[i].shank, shank_target, gains_.prepare_knee, 0)),
             feedback);
      }
      const Quat foot_target = target_rotation(heading_, -gains_.ankle, 0);
      pull(felt, ankle_[i], moment_only(torque(data, parts_[i].foot, foot_target, gains_.swing_foot, 0)),
           feedback);
    }
  }
  const Vec3 head_at = position(head_), head_wanted = position(0) + trunk * head_offset_;
  const Vec3 head_velocity =
      vec3(&data.cvel[6 * (head_ + 1) + 3]) + turning(data, head_).cross(head_at - felt.com);
  const Vec3 onward(std::cos(heading_), std::sin(heading_), 0);
  const Vec3 force =
      gains_.head_pull * (head_wanted - head_at) + gains_.head_pull_damp * (speed_ * onward - head_velocity);
  Wrench6 on_head;
  on_head << torque(data, head_, head_target(), gains_.head_turn, gains_.head_turn_damp) +
                 (head_at - felt.com).cross(force),
      force;
  pull(felt, to_head_, on_head, feedback);
  if (chest_ >= 0) {
    pull(felt, to_chest_,
         moment_only(torque(data, chest_, target_rotation(heading_, gains_.lean, 0), gains_.chest_turn,
                            gains_.chest_damp)),
         feedback);
  }

  excitation.resize(muscles);
  for (int m = 0; m < muscles; ++m) {
    const auto index = static_cast<std::size_t>(m);
    const MuscleUse& use = uses_[index];
    const Constants& constant = constants_[index];
    const LegPhase phase = memory_.legs[use.leg].phase;
    const bool stands = phase == LegPhase::stance || phase == LegPhase::lift_off;
    if (stands) feedback[m] += constant.feedback * felt.state->force[m] / felt.fibres->max_force()[m];
    const int column = (memory_.newest - delay_steps_[index] + columns_) % columns_;
    double u = memory_.past[static_cast<std::size_t>(column * muscles + m)] +
               (stands ? constant.stance : constant.swing);
    if (phase == LegPhase::lift_off) {
      if (use.hip == -1) u += gains_.lift_front;
      if (use.hip == 1) u += gains_.lift_back;
      if (use.knee == 1) u += gains_.lift_knee;
    }
    excitation[m] = std::clamp(u, 0.0, 1.0);
  }
}

}  // namespace stunt
