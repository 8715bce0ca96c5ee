// What the muscles of a human, or those that a model brings, would have to do for a motion's joint torques: Geijtenbeek 2013, section 4.2.3, step 4.
//
//   lambda = (sum_i max(0, u_i - u_max,i) + sum_j |r_j| / 3 cm) / sum_i u_max,i                                    eq. 4.14
//
// The forces u share the torques as solve/load_sharing.h does. What no muscle can do is left to reserve torques r; these
// count as force beyond strength at an arm of 3 cm, so that they cannot hide anything. Ligaments and axes that bones hold
// (muscle_template.h) help without effort.
#pragma once

#include <optional>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/actor/muscle/muscle_model.h"
#include "stunt/actor/muscle/muscle_paths.h"
#include "stunt/actor/muscle/muscle_template.h"
#include "stunt/solve/load_sharing.h"

namespace stunt {

struct MuscleEffort {
  std::vector<float> use;      // per muscle: force over strength
  std::vector<float> reserve;  // Nm (N where a joint slides), per joint axis: what no muscle can do
  double lambda = 0;           // of this frame
  double reserve_part = 0;     // of lambda: what no muscle can do
  double effort = 0;           // mean over the muscles of the square of use, weighted with strength
};

constexpr double kReserveArm = 0.03;  // m

class MuscleJudge {
 public:
  // `muscles` of this actor. `overload`: W of load_sharing.h; 0 is eq. 4.13 as printed.
  MuscleJudge(const ActorPtr& actor, const BodyMuscles& muscles, double overload);
  // Muscles of a model; torques are those on joints that lead (joint_couplings.h).
  MuscleJudge(MuscleModelPtr model, double overload);

  // `torque`: nv, root entries are not looked at. `dynamics` is at the pose.
  MuscleEffort judge(ActorDynamics& dynamics, const VecX& torque);
  const VecX& reserve() const { return sharing_.reserve(); }  // Nm, of the joints, as of the last judge()

 private:
  void set_arms(ActorDynamics& dynamics);
  void set_model_arms(ActorDynamics& dynamics);

  int root_;                      // entries of v that no muscle moves
  std::vector<double> strength_;  // N, of the muscles, then of the ligaments
  std::vector<HeldAxis> held_ = {};
  int muscles_;
  std::optional<MusclePaths> paths_ = {};  // of muscles and ligaments; none: `model_` has them
  MuscleModelPtr model_ = {};
  LoadSharing sharing_;
  double all_ = 0;  // N, strength of all muscles
};

}  // namespace stunt
