#include "stunt/control/muscle/muscle_body.h"

#include <stdexcept>

#include "stunt/actor/muscle/metabolism.h"

namespace stunt {
namespace {

constexpr double kSpringDamping = 0.02;  // s: damping of a passive spring as part of its stiffness

}  // namespace

MuscleBody::MuscleBody(CreaturePtr creature, const ParameterValues& parameters, bool ideal)
    : creature_(std::move(creature)),
      ideal_(ideal),
      muscles_(creature_->muscles(parameters)),
      paths_(creature_->actor(), muscles_),
      fibres_(muscles_),
      data_(mj_makeData(&creature_->actor()->model())) {
  const mjModel& model = creature_->actor()->model();
  for (const PassiveSpring& spring : creature_->springs()) {
    const double stiffness = parameters.at(spring.parameter);
    const int joint = model.dof_jntid[spring.dof], q = model.jnt_qposadr[joint];
    springs_.push_back({spring.dof, q, stiffness, kSpringDamping * stiffness, model.qpos0[q]});
  }
  excitation_ = VecX::Zero(fibres_.size());
  felt_ = {.paths = &paths_, .fibres = &fibres_, .state = &state_, .data = data_.get()};
}

void MuscleBody::sense(const VecX& q, const VecX& v) {
  const mjModel& model = creature_->actor()->model();
  mjData& data = *data_;
  VecX::Map(data.qpos, model.nq) = q;
  VecX::Map(data.qvel, model.nv) = v;
  mj_kinematics(&model, &data);
  mj_comPos(&model, &data);
  mj_comVel(&model, &data);
  sense(data);
}

void MuscleBody::sense(const mjData& data) {
  const mjModel& model = creature_->actor()->model();
  felt_.data = &data;
  paths_.update(data);
  if (state_.fibre.size() == 0) state_ = fibres_.at_rest(paths_.length());
  felt_.com = vec3(&data.subtree_com[3]);
  Vec3 momentum = Vec3::Zero();
  for (int body = 1; body < model.nbody; ++body) {
    const Vec3 turning = vec3(&data.cvel[6 * body]), moving = vec3(&data.cvel[6 * body + 3]);
    momentum += model.body_mass[body] * (moving + turning.cross(vec3(&data.xipos[3 * body]) - felt_.com));
  }
  felt_.com_velocity = momentum / creature_->actor()->mass();
}

void MuscleBody::sense(const VecX& q, const VecX& v, Observation& seen) {
  sense(q, v);
  seen.muscles = &felt_;
}

void MuscleBody::drive(const VecX& q, const VecX& v, double timestep, const Actuation& asked, VecX& torque) {
  if (asked.excitation.size() > 0) {
    if (asked.excitation.size() != fibres_.size())
      throw std::logic_error("one excitation per muscle, or none");
    excitation_ = asked.excitation.cwiseMax(0.0).cwiseMin(1.0);
  } else {
    excitation_.setZero();
  }
  if (ideal_) {
    state_.activation = excitation_;
    state_.force = excitation_.cwiseProduct(fibres_.max_force());
  } else {
    fibres_.step(excitation_, paths_.length(), timestep, state_);
  }
  torque = asked.torque;
  paths_.add_torques(state_.force, torque);
  for (const Spring& spring : springs_)
    torque[spring.dof] -= spring.stiffness * (q[spring.q] - spring.rest) + spring.damping * v[spring.dof];
}

double MuscleBody::metabolic_rate() const { return stunt::metabolic_rate(fibres_, excitation_, state_); }

}  // namespace stunt
