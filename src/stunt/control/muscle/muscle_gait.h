// Walking by muscles alone (Geijtenbeek 2013, section 7.3): a state for each leg, targets for a few body parts, and
// excitations that make the muscles drive these parts there.
//
//   virtual force and torque on a part     F = k_p (P~ - P) + k_v (v~ - v),  T = k_Q log(Q~ Q^-1) - k_w w     eq. 7.14, 7.15
//   what a joint k should do for it        tau_k = J_k' [F; T]                                               eq. 7.16
//   what a muscle should pull              F~ = mean over its joints of (r_k . tau_k) / |r_k|^2              eq. 7.17, 7.18
//   excitation                             u = F~ / F_max, a few ms late                                     eq. 7.19, 7.20
//
// r_k: moment arms over the joint's axes, towards where the muscle pulls. Excitations of all rules and the constants are
// summed. Stance: hips hold the trunk, extensors of knee and ankle answer their own force (7.21, 7.23). Lift-off: constants
// (7.24, 7.25). Swing, preparation: thigh, then knee, and foot go to their targets (7.26 to 7.29). Always: the trunk's muscles
// hold the head (7.22) and, which is not in the thesis, the chest.
#pragma once

#include <optional>

#include "stunt/control/controller.h"
#include "stunt/control/muscle/gait_parameters.h"
#include "stunt/control/muscle/leg_state.h"
#include "stunt/control/muscle/muscle_body.h"

namespace stunt {

struct MuscleGaitSettings {
  MuscleGaitSettings();
  std::string file;  // a controller file to begin from; forgotten once it was read
  std::string creature;
  double speed = 1.3;      // m/s, wanted
  double heading_deg = 0;  // wanted, from the world's x axis to the left
  bool ideal = false;  // muscles pull as excited: no activation, no contraction, no delays (section 7.5.3)
  ParameterValues parameters;  // all of the creature
};
void describe(Fields& fields, MuscleGaitSettings& settings);
std::unique_ptr<Controller> make_controller(const MuscleGaitSettings& settings, const ControllerTask& task);
// Where it begins: the base pose, the left thigh 20 degrees forward, on the move; facing x, standing on z = 0.
std::optional<StartPose> start_pose(const MuscleGaitSettings& settings, const Actor& actor);
StartPose start_pose(const Creature& creature, const MuscleGaitSettings& settings);

// What of the settings makes a gait, as a file: creature, speed, parameters.
std::string write_gait(const MuscleGaitSettings& settings);

class MuscleGait : public Controller {
 public:
  MuscleGait(CreaturePtr creature, const MuscleGaitSettings& settings);

  void reset(const Observation& start) override;
  void actuate(const Observation& now, Actuation& out) override;
  std::any save() const override { return memory_; }
  void restore(const std::any& memory) override { memory_ = std::any_cast<Memory>(memory); }
  std::unique_ptr<Actuators> own_actuators() const override;

  // For whoever judges the gait.
  const LegState& leg(int i) const { return memory_.legs[i]; }
  int foot(int i) const { return parts_[i].foot; }
  int head() const { return head_; }
  Quat head_target() const;
  void set_heading(double heading) { heading_ = heading; }  // rad

  // The same with what is known already: `load` (N) under each foot.
  void actuate(const MuscleSense& felt, double time, double timestep, const double (&load)[2],
               VecX& excitation);

 private:
  struct Memory {
    LegState legs[2];
    std::vector<double> past;  // excitations by feedback: a ring of columns
    int newest = 0;
  };
  struct LegParts {
    int thigh, shank, foot, toes;
  };
  // What muscles do to drive one body part: the torques over some joints, shared out among those that cross them.
  struct Rule {
    struct Joint {
      int dof, count;
      int first;  // of its torques
    };
    struct Pull {  // a muscle over one of the joints
      int muscle, torque, arm, count;
      double share;  // 1/N: 1 / (joints that it crosses for this rule * its largest force)
    };
    std::vector<Joint> joints;
    std::vector<Pull> pulls;
    std::vector<double> torques;  // Nm, scratch
    void add(const MusclePaths::Crossing& crossing, double max_force);
  };
  using Wrench6 = Eigen::Matrix<double, 6, 1>;  // moment about the body's centre of mass, force
  Quat rotation(const mjData& data, int body) const;
  Vec3 turning(const mjData& data, int body) const;
  Vec3 torque(const mjData& data, int body, const Quat& target, double turn, double damp) const;
  static void pull(const MuscleSense& felt, Rule& rule, const Wrench6& wanted, double* out);
  double value(const std::string& name) const { return values_.at(name); }

  CreaturePtr creature_;
  ActorPtr actor_;
  ParameterValues values_;
  double speed_, heading_;
  bool ideal_;
  std::vector<MuscleUse> uses_;
  LegParts parts_[2];
  int head_, chest_;
  Vec3 head_offset_;     // m, from the pelvis, in its axes
  double tips_forward_;  // Nm, weight of all above the hips about them, in the base pose
  double reach_;         // rad, forward, of thighs that bring the feet under the centre of mass, likewise
  LegThresholds thresholds_;
  Rule hip_[2], knee_[2], ankle_[2], to_head_, to_chest_;
  std::vector<int> delay_steps_;
  double delays_for_ = 0;  // s, timestep
  int columns_ = 0;
  // Numbers used at every step, out of the values.
  struct Gains {
    double lean, lean_for_speed, lean_for_heading, swing_angle, swing_place, swing_speed, prepare_angle,
        prepare_place, prepare_speed, side_angle, side_place, side_speed, knee, ankle, trunk_turn, trunk_damp,
        head_pull, head_pull_damp, head_turn, head_turn_damp, chest_turn, chest_damp, swing_turn,
        prepare_turn, prepare_damp, prepare_knee, swing_foot, lift_front, lift_back, lift_knee;
  } gains_;
  struct Constants {
    double stance, swing, feedback;
  };
  std::vector<Constants> constants_;  // per muscle
  Memory memory_;
};

}  // namespace stunt
