// A step that the reference does not have, made when balance is lost.
//
// A foot follows the reference until the capture point has left the support (capture_point.h), far or for a while, where
// the reference's has not. Then the foot that recovery.h chooses steps to where that point will be, steered on
// the way, and is planted when it touches. There it stays until the reference makes a step with it. A step that
// has not landed when the reference leaves the ground is given up.
#pragma once

#include <array>
#include <span>

#include "stunt/control/parts/capture_point.h"
#include "stunt/control/parts/feet.h"
#include "stunt/control/parts/ground_sense.h"
#include "stunt/control/parts/plan_contact.h"
#include "stunt/control/parts/tracked_body.h"

namespace stunt {

class RecoverySteps {
 public:
  explicit RecoverySteps(const Actor& actor, double time = 0);  // s, no step before

  // Hands planted feet back to a reference that lifts them, and changes `target` and `ahead` (the reference
  // shortly after) to have the others on the ground as they are or soon will be.
  void expect_contacts(const Actor& actor, std::span<const Foot> feet, double time, ReferenceSample& target,
                       ReferenceSample& ahead);
  // Contacts of a foot that steps and that `target` has in the air become much dearer to push with: it leaves at once,
  // whatever it carries, or it would be taken for landed.
  void let_go(const Actor& actor, std::span<const Foot> feet, const ReferenceSample& target,
              std::span<PlanContact> contacts) const;
  // Begins a step, leads it, ends it on touch; nothing for a body without two feet. `reference` is asked
  // whether it has a step coming itself; `later` is room for its answer.
  void update(const TrackedBody& body, std::span<const Foot> feet, const GroundSense& ground,
              const Reference& reference, ReferenceSample& later);
  // Puts foot i, which steps or is planted, into the target, its sole level. Returns where its joint goes (m,
  // world).
  Vec3 put_foot(std::size_t i, const Foot& foot, const TrackedBody& body, const GroundSense& ground);

  bool follows(std::size_t foot) const { return steps_[foot].mode == Mode::follow; }
  bool steps(std::size_t foot) const { return steps_[foot].mode == Mode::step; }
  bool planted(std::size_t foot) const { return steps_[foot].mode == Mode::planted; }
  double lands_at(std::size_t foot) const;  // s: when a foot that steps is due on the ground

 private:
  enum class Mode {
    follow,   // as in the reference
    step,     // on its way to catch a fall
    planted,  // where it caught one, until the reference makes a step with it
  };
  struct Step {
    Mode mode = Mode::follow;
    bool has_stood = false;                       // planted, and the reference has had it on the ground since
    double since = 0;                             // s, when the step began
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();  // m, of the foot's joint
    Vec3 around = Vec3::Zero();                   // m, by which the way bends in the middle
    bool past = false;                            // the other leg: they cross
    double yaw = 0;                               // rad, of the sole
    VecX last_q;                                  // the target made last
  };
  bool holds(const Vec2& intended, const TrackedBody& body, std::span<const Foot> feet);

  std::array<Step, 2> steps_;
  double calm_until_;        // s, no step before
  double bumped_until_ = 0;  // s: until then something is, or just was, in the way of a leg
  double inside_at_;         // s, when the capture point was inside the support last
  Support support_;          // work space
  VecX change_;              // nv, work space
};

}  // namespace stunt
