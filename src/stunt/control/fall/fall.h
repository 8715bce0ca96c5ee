// Falling well: what a body does that will hit the ground and knows it. Legs give way and brake, arms reach for the ground
// or are drawn in, the trunk curls up, the head stays away from the ground; once it lies, it goes limp.
//
// Every joint is drawn to a direction of the bone that it moves, by a spring and a damper measured in its own strength:
//
//   tau = strength (k r - d v)
//
//   r   rotation (rad) that turns the bone to where it is wanted: thighs from the pelvis, shanks from the thighs, spine and
//       neck from below, arms in the vertical plane of the fall; as much of it as the joint's axes allow
//   k   1/rad, d  s/rad: at 1/rad an error of a radian takes all the strength; both are lowered where a limb is so light that
//       a step of the engine could not follow
//
// It needs no rest pose and no kind of joint: roles alone. Falls ahead, back and to a side have a posture each; between them
// it is mixed by the direction that the body falls in. `stunt optimize fall` finds the numbers (docs/injury.md).
#pragma once

#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/control/controller.h"

namespace stunt {

// Where the limbs go. Angles in degrees.
struct FallPosture {
  double hips, knees;     // flexion
  double trunk;           // flexion, of the whole spine
  double neck;            // of neck and head, away from where it falls to
  double arms, forearms;  // in the plane of the fall: 0 ahead of it, 90 down, 180 away from where it falls to
};
void describe(Fields& fields, FallPosture& posture);

// Found by `stunt optimize fall` over pushed falls of the built-in motions (MuJoCo, seed 1), and rounded.
struct FallSettings {
  FallPosture ahead = {28, 36, 9, -16, 48, 76};
  FallPosture back = {79, 91, 73, -10, 54, 172};
  FallPosture aside = {104, 78, -4, -7, 27, 117};
  double arms_spread = 35;                              // deg, of the two arms from the plane of the fall
  double legs_stiffness = 0.28, legs_damping = 0.07;    // 1/rad, s/rad
  double trunk_stiffness = 0.7, trunk_damping = 0.049;  // likewise
  double arms_stiffness = 1.08, arms_damping = 0.028;   // likewise
  double arms_yield = 0.13;                             // of their stiffness, given up once a hand touches
  double limp_damping = 0.02;                           // s/rad, once it lies
  double rest = 0.22;  // s, in which it goes limp after the trunk has touched the ground
};
void describe(Fields& fields, FallSettings& settings);
std::unique_ptr<Controller> make_controller(const FallSettings& settings, const ControllerTask& task);

class FallController : public Controller {
 public:
  FallController(const FallSettings& settings, ActorPtr actor);
  void reset(const Observation& start) override;  // it falls from here on
  void actuate(const Observation& now, Actuation& out) override;
  std::any save() const override { return memory_; }
  void restore(const std::any& memory) override { memory_ = std::any_cast<const Memory&>(memory); }

  // Unit, horizontal: where the body falls to, from how its weight lies and moves over its feet.
  Vec3 direction() const { return memory_.direction; }

 private:
  enum class Part { leg, trunk, arm };
  enum class Aim { nothing, thigh, shank, spine, neck, upper_arm, forearm };
  struct Limb {
    int body;
    Part part;
    Aim aim;
    bool left;
    Vec3 bone;     // unit, to the next joint or to the middle of its mass, in the body's axes
    double share;  // of the bend of spine or neck
  };
  struct Memory {
    Vec3 direction = Vec3::UnitX();
    double down_since = -1;  // s, when the trunk first touched the ground
    bool begun = false;
    bool arm_down[2] = {false, false};  // right, left: hand or forearm has touched the ground
  };
  FallPosture mixed();
  Mat3 axes(int body);  // forward, left and up of a body that stood at rest as the character stands
  Vec3 turn(const Limb& limb, const FallPosture& posture);
  void look_where_it_falls(const Observation& now);

  FallSettings settings_;
  ActorPtr actor_;
  ActorDynamics dynamics_;
  std::vector<Limb> limbs_;
  std::vector<int> feet_;
  std::vector<Mat3> rest_axes_;                  // per body: forward, left and up in its own axes
  std::vector<std::uint8_t> is_trunk_, is_arm_;  // arms: below the elbow; 1 right, 2 left
  Memory memory_;
};

}  // namespace stunt
