// Could a human have moved like this? Geijtenbeek 2013, chapter 4.
//
//   M(q) a + h(q, v) = tau + sum_i J_i^T f_i                               eq. 4.3, 4.10 (signs as MuJoCo has them)
//
// 1. tau without any f: its root rows are the external force F_e and moment M_e that the motion needs (4.4, 4.5).
// 2. What of these the ground can give: ground_reaction.h (4.6 to 4.9).
//    Two feet may also press against each other; they do so as makes the joints' work least (not in the thesis).
// 3. tau with these: its joint rows are the joint torques, its root rows F_r and M_r what nothing explains (4.10).
// 4. kappa = |F_r| / (m g) + |M_r| / (m g height)                        eq. 4.11, M_r about the root's origin
//
// Kappa is the "magical support": 0 for a motion that gravity and ground explain, on the ground and in flight; 1 for a
// body that hangs in the air. It does not depend on the weight. Strength is judged by the muscles of a human of this mass
// (lambda, eq. 4.12 to 4.14: muscle_effort.h), and by joint torques against the limits of the actor's own motors, which is
// all there is for a body that is not a human's. Torques of a simulated motion are known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stunt/assess/realism/assessed_motion.h"
#include "stunt/assess/realism/muscle_effort.h"
#include "stunt/core/settings.h"

namespace stunt {

struct RealismSettings {
  double weight = 1;                    // times the actor's mass; its strength stays
  double speed = 1;                     // times the motion's own
  std::optional<double> friction = {};  // mu; the scene's ground, or 1
  double low_pass_hz = 0;               // 0: as the motion is; smoothing comes before the change of speed
  std::string split = "hull";           // how the load is shared: ground_reaction.h
  double overload = 100;                // W of solve/load_sharing.h; 0: eq. 4.13 as printed
};
void describe(Fields& fields, RealismSettings& settings);

struct RealismFrame {
  double time;      // s, on the clock of the motion as retimed
  Wrench external;  // F_e, M_e about the world's origin
  GroundReaction ground;
  Wrench unexplained;         // F_r in world axes, M_r about the root's origin, world axes
  double force_part;          // |F_r| / (m g)
  double moment_part;         // |M_r| / (m g height)
  VecX torque;                // nv: what the joints do; root entries are 0
  MuscleEffort muscles = {};  // empty for a body that is not a human's
  double kappa() const { return force_part + moment_part; }
};

// The most that one joint has to do.
struct JointDemand {
  int joint;             // of the actor
  double ratio;          // of its strength: largest over its axes
  double torque;         // Nm, about that axis
  double limit;          // Nm
  double time;           // s
  double time_over = 0;  // s that it would need more than its strength
};

// The most that a group of muscles has to do.
struct MuscleDemand {
  std::string part;      // "left calf"
  int muscle;            // the one that is asked for most
  double ratio;          // of its strength
  double time;           // s
  double time_over = 0;  // s that any muscle of the group would need more than its strength
};

// What a joint is left with that no muscle can do.
struct ReserveDemand {
  int joint;    // of the actor
  double mean;  // Nm (N where it slides): mean over the frames of the norm over its axes
  double most;  // the largest
  double time;  // s, of the largest
};

// A time in which kappa is high without a break.
struct UnexplainedSpan {
  double begin, end;  // s
  double force;       // mean |F_r| / (m g)
  double moment;      // mean |M_r| / (m g height)
  bool in_flight;     // nothing touches the ground, most of the time
};

struct Realism {
  ActorPtr actor;
  RealismSettings settings;
  double mass = 0, height = 0, gravity = 0;  // kg, m, m/s^2
  double duration = 0;                       // s
  std::vector<RealismFrame> frames;  // but for the first and last 0.1 s, where accelerations cannot be told
  double kappa = 0, force_part = 0, moment_part = 0;  // means over the frames
  // Mean over the frames of what the joints would need beyond their strength, as a share of the strength of all joints:
  // eq. 4.14 with torques about axes in the place of muscle forces.
  double torque_excess = 0;
  double kappa_median = 0, kappa_max = 0, kappa_max_at = 0;
  BodyMuscles muscles;     // none: not a human's body, and no model's
  std::string model = {};  // whose muscles they are; empty: a human's
  // Means over the frames, eq. 4.14; how much of it no muscle could do; the largest of a frame.
  double lambda = 0, lambda_reserve = 0, lambda_max = 0, lambda_max_at = 0;
  double effort = 0;                         // mean square of the muscles' use, weighted with their strength
  std::vector<MuscleDemand> muscle_demands;  // of each group, the worst first
  std::vector<ReserveDemand> reserves;       // of each joint, the highest mean first
  std::vector<JointDemand> demands;    // of each joint that has a strength, the worst first; none for a model
  std::vector<UnexplainedSpan> spans;  // the worst first
};

// Throws InputError: fewer than two frames, or a root that is fixed to the world.
Realism assess_realism(const AssessedMotion& motion, const RealismSettings& settings = {});

// From the soles to the top of the head in the rest pose (m).
double stature(const ActorPtr& actor);

}  // namespace stunt
