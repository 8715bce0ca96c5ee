// A body that brings muscles of its own: any MJCF with actuators of kind "muscle", on tendons of any way (sites, wrapping
// surfaces, pulleys) or on joints. Lengths and moment arms are MuJoCo's. Strength is that of the file, at the best length
// and without speed, as it is for the muscles of muscle_template.h; springs and dampers of joints and tendons, and what a
// stretched muscle does without effort, are left out.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/actor/muscle/joint_couplings.h"

namespace stunt {

struct ModelMuscle {
  std::string name;
  int actuator;      // of the actor's model
  double max_force;  // N
};

struct MuscleModel {
  ActorPtr actor;
  std::vector<ModelMuscle> muscles;
  JointCouplings couplings;
};
using MuscleModelPtr = std::shared_ptr<const MuscleModel>;

// Bodies without mass that are fixed to another (frames that only group) get a milligram. Frames that a file gives a few
// grams and the inertia of a far larger body, so that a simulation of it is stable, lose that inertia: here nothing is
// simulated, and what turns such a frame would be taken for a muscle's work. Throws InputError: what
// Actor::from_file and JointCouplings refuse, no muscle, a muscle without strength.
MuscleModelPtr load_muscle_model(const std::filesystem::path& path);

// What the muscles do to the joints in the pose of `dynamics`: `use(muscle, dof, arm)` for every arm that is not 0, muscle
// by muscle; arm in m (rad^-1): a muscle's force F makes the joint force -F arm. Followers (joint_couplings.h) have none.
template <typename Use>
void for_each_arm(const MuscleModel& model, ActorDynamics& dynamics, Use use) {
  const mjModel& m = dynamics.actor().model();
  mjData& d = dynamics.data();
  dynamics.com();  // so that positions and axes of all joints are there
  mj_tendon(&m, &d);
  mj_transmission(&m, &d);
  const VecX q = Eigen::Map<const VecX>(d.qpos, m.nq);
  VecX arms(m.nv);
  for (std::size_t i = 0; i < model.muscles.size(); ++i) {
    const int row = m.actuator_outadr[model.muscles[i].actuator];
    arms.setZero();
    for (int k = 0; k < d.moment_rownnz[row]; ++k)
      arms[d.moment_colind[d.moment_rowadr[row] + k]] = d.actuator_moment[d.moment_rowadr[row] + k];
    model.couplings.gather(q, arms);
    for (int dof = 0; dof < m.nv; ++dof) {
      if (arms[dof] != 0) use(static_cast<int>(i), dof, arms[dof]);
    }
  }
}

}  // namespace stunt
