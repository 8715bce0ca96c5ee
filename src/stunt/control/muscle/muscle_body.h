// A body that muscles move: the stage between a controller's excitations and the engine's joint torques, with the passive
// springs that some of its joints have. It knows no engine, so that muscles work on all of them.
#pragma once

#include "stunt/actor/creature/creature.h"
#include "stunt/actor/muscle/muscle_fibres.h"
#include "stunt/actor/muscle/muscle_paths.h"
#include "stunt/control/actuators.h"

namespace stunt {

// What a body feels of its muscles and where its parts are, now. Lives in the MuscleBody.
struct MuscleSense {
  const MusclePaths* paths = nullptr;
  const MuscleFibres* fibres = nullptr;
  const MuscleState* state = nullptr;
  const mjData* data = nullptr;  // kinematics and velocities of the actor's own model
  Vec3 com = Vec3::Zero(), com_velocity = Vec3::Zero();
};

class MuscleBody : public Actuators {
 public:
  // `ideal`: a muscle pulls its excitation times its largest force, at once.
  MuscleBody(CreaturePtr creature, const ParameterValues& parameters, bool ideal = false);

  int excitations() const override { return fibres_.size(); }
  void sense(const VecX& q, const VecX& v, Observation& seen) override;
  void drive(const VecX& q, const VecX& v, double timestep, const Actuation& asked, VecX& torque) override;
  std::any save() const override { return state_; }
  void restore(const std::any& memory) override { state_ = std::any_cast<MuscleState>(memory); }

  std::span<const Muscle> muscles() const override { return muscles_; }
  const MuscleState* muscle_state() const override { return &state_; }

  void sense(const VecX& q, const VecX& v);
  // The same from kinematics that somebody has already, whose first bodies after the world and first degrees of freedom are
  // this body's.
  void sense(const mjData& known);
  const MuscleSense& felt() const { return felt_; }
  const VecX& excitation() const { return excitation_; }  // as it was given last, within 0 to 1
  double metabolic_rate() const;                          // W, without staying alive

 private:
  CreaturePtr creature_;
  bool ideal_;
  std::vector<Muscle> muscles_;
  MusclePaths paths_;
  MuscleFibres fibres_;
  DataPtr data_;
  MuscleState state_;  // empty before the first sense
  MuscleSense felt_;
  VecX excitation_;
  struct Spring {
    int dof, q;
    double stiffness, damping, rest;
  };
  std::vector<Spring> springs_;
};

}  // namespace stunt
