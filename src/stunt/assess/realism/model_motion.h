// A motion on a body that brings its own muscles (muscle_model.h), whose joints may be of any kind: knees that slide,
// vertebrae that share a bend, bodies between two joints. reference/retarget knows such joints not, so the pose of each
// frame is found by inverse kinematics over the joints that lead (joint_couplings.h), damped Gauss-Newton within limits:
//
//   min  sum_i w_i^2 |target_i - here_i|^2 + (small) |q - q_rest|^2
//
// Targets: the middle of the hips and both ankles, where the actor's are, scaled by the length of the legs; the turn of
// pelvis, chest, head and soles, as upright and level as in both rest poses; the direction of thighs, shanks, upper arms and
// forearms. Hands stay as they are. The soles are the actor's, scaled: the load acts where it acted under the actor's foot,
// as seen from the ankle.
#pragma once

#include <string>
#include <vector>

#include "stunt/actor/muscle/muscle_model.h"
#include "stunt/assess/realism/assessed_motion.h"

namespace stunt {

struct ModelMotionReport {
  double scale = 1;                     // leg length of the model over that of the motion's actor
  double ankle_error = 0;               // m, mean distance from where they should be
  double leg_error = 0;                 // rad, mean over thighs and shanks
  double arm_error = 0;                 // rad, mean over upper arms and forearms; 0 where there are none
  std::vector<std::string> still = {};  // parts of the motion that the model cannot show: "left arm"
};

// `place` names the model in messages. Throws InputError where it cannot be done, with the reason: a root that is fixed, parts
// of the legs that are missing, a rest pose that does not stand, nobody's size, joints that cannot follow the legs.
AssessedMotion motion_on_model(const AssessedMotion& motion, const MuscleModelPtr& model,
                               const std::string& place, ModelMotionReport* report = nullptr);

}  // namespace stunt
