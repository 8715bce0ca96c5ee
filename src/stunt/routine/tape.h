// A reference that is composed while it is followed: segments one after the other, written ahead of the clock like a tape.
//
// Each segment is put where the last one stands (its feet on the same places), blended in with ease (the place of the root
// more slowly than the joints, because the weight cannot be thrown about), moved by the offset
// of its hit (aim.h) and played at the hit's pace (time_scale.h). Feet that stand stay where they are, whatever the new
// segment's stance: inverse kinematics holds them until it lifts them, and on that step they go to their places in it.
// Where they are is where the body really has them, after a step that it had to make as well. A segment that steps
// carries the weight over the foot that stands, wherever that is (weight_shift.h).
// Velocities and accelerations are differences of the composed poses, so they agree with them whatever was blended.
#pragma once

#include <any>
#include <array>
#include <memory>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/reference/legs/leg.h"
#include "stunt/reference/staging/staging.h"
#include "stunt/routine/segment.h"
#include "stunt/routine/time_scale.h"
#include "stunt/routine/weight_shift.h"

namespace stunt {

using Segments = std::vector<Segment>;

class Tape : public Reference {
 public:
  explicit Tape(std::shared_ptr<const Segments> segments);

  const ActorPtr& actor() const override { return (*segments_)[0].motion->actor(); }
  double duration() const override;  // infinite
  // From shortly before what was written last to kAhead after; beyond, as at the end.
  void sample(double t, ReferenceSample& out) const override;
  static constexpr double kAhead = 0.9;  // s: how far ahead of the clock it is written

  // All anew: this segment from time 0 on, where its motion has it, moved by `place`.
  void begin(int segment, const GroundTransform& place);
  // Where the feet of the body really stand, both of them on the ground: what is played next begins from there. `q`: nq.
  // Only how they stand to each other counts; where they stand together is for the controller's anchor to know
  // (control/parts/anchor.h).
  void stand(const VecX& q, double now);
  // As the tape has them.
  void stand_as_taped() { memory_.stood = {}; }
  // m: how far a foot is from where the tape has it, at most.
  double aside() const;
  // m: how far the foot is that stands furthest from its place in the stance of `segment`.
  double out_of_stance(int segment, double now);

  // This segment next, from the first tick after `now` (s) on: placed so that its feet stand where they are, but for
  // `step`, by which it is moved further over the ground (about the middle of the feet) where both feet are lifted in it:
  // each goes to its new place when it is lifted, and the body in between.
  void play(int segment, double now, double pace = 1, const GroundTransform& step = {});
  // How fast the segment that is played goes at its hit; may be changed until that has begun to tell.
  double pace() const { return memory_.entries[last()].scale.factor; }
  bool may_change_pace(double now) const;
  void change_pace(double now, double pace);
  // The joints' offset at the hit of the segment that is played (nv), reached gradually from `now` on.
  void aim(double now, const VecX& offset);
  const VecX& aimed() const { return memory_.entries[last()].aim_to; }  // nv
  // Pose (nq) and speed (nv) at that hit as they would be at another pace and with another offset, fully reached.
  void at_hit(double pace, const VecX& offset, VecX& q, VecX& v);
  // Goes on writing; to be called at every step.
  void write(double now);

  // play(), aim() and change_pace() since mark() are undone.
  void mark() { marked_ = memory_; }
  void undo() { memory_ = marked_; }

  int segment() const { return memory_.entries[last()].segment; }   // that is played
  double started() const { return memory_.entries[last()].start; }  // s
  double ends() const;                                              // s; infinite where it loops
  double hits() const { return hits_at(pace()); }                   // s; when its hit is
  double hits_at(double pace) const;                                // s; at another pace
  const GroundTransform& place() const { return memory_.entries[last()].place; }
  // Where `segment` would be placed if it were played now: by its feet.
  GroundTransform placed_now(int segment, double now);
  // The same for many segments: what they are placed by, found once.
  struct Standing {
    VecX q;  // nq
    std::array<FootPose, 2> feet;
    std::array<bool, 2> down{};
  };
  const Standing& standing_now(double now);
  GroundTransform placed(int segment, const Standing& now) const;

  std::any save() const { return memory_; }
  void restore(const std::any& memory) { memory_ = std::any_cast<const Memory&>(memory); }

 private:
  struct Hold {  // of a foot that stands: where it is less where the segment has it
    Vec3 shift = Vec3::Zero();
    double yaw = 0;
    bool none() const { return shift.norm() < 5e-4 && std::abs(yaw) < 2e-3; }
  };
  struct Entry {
    int segment = 0;
    double start = 0, ease = 0;  // s
    double settle = 0;  // s, over which the root's place is blended: the weight takes longer than the arms
    GroundTransform place;
    GroundTransform base;  // the same without the step that was asked for
    bool steps =
        false;  // to another place, or from another stance: the root goes from base to place over `shift`
    WeightShift shift;
    Vec3 rest = Vec3::Zero();  // m: what turning about the feet adds to the root's way
    TimeScale scale;
    VecX aim_from, aim_to;  // nv
    double aimed = 0;       // s
    std::array<Hold, 2> hold;
  };
  struct Tick {
    VecX q, v, a;
    std::vector<std::uint8_t> contacts;
  };
  static constexpr int kTicks = 128, kEntries = 4;
  struct Memory {
    std::array<Tick, kTicks> ticks;  // a ring: number n is at n % kTicks
    int written = 0;                 // numbers below are written
    std::array<Entry, kEntries> entries;
    int count = 0;
    std::array<Hold, 2> stood;  // of the feet as they are, less those of the tape
  };

  std::size_t last() const { return static_cast<std::size_t>(memory_.count - 1); }
  const Segment& of(const Entry& entry) const {
    return (*segments_)[static_cast<std::size_t>(entry.segment)];
  }
  static double time_of(int tick);
  int next_tick(double now) const;  // the first that may still be changed
  Tick& tick(int number) { return memory_.ticks[static_cast<std::size_t>(number % kTicks)]; }
  const Tick& tick(int number) const { return memory_.ticks[static_cast<std::size_t>(number % kTicks)]; }
  void rewrite(int from);
  void write_tick(int number);
  void compose(double t, Tick& out);
  void pose(const Entry& entry, double t);
  void prepare_step(Entry& entry, const std::array<Vec3, 2>& from);
  double step_weight(const Entry& entry, double own) const;
  void lead_root(const Entry& entry, double own);
  void stance_now(const Tick& here, std::array<FootPose, 2>& feet);
  double hold_weight(const Entry& entry, int foot, double own) const;
  void feet_of(const VecX& q, std::array<FootPose, 2>& feet);
  bool stands(int foot, const std::vector<std::uint8_t>& contacts) const;
  void find_standing(const VecX& q, const std::vector<std::uint8_t>& contacts, Standing& out);

  std::shared_ptr<const Segments> segments_;
  std::vector<Leg> legs_;         // left and right, or none
  std::vector<Standing> begins_;  // how each segment begins
  Memory memory_, marked_;
  // Room to work.
  ActorDynamics dynamics_;
  ReferenceSample part_;
  Standing now_;
  VecX way_, mixed_, zero_, aim_from_, aim_to_;
  Tick spare_, spare_before_, spare_after_;
  mutable VecX between_;
  std::array<FootPose, 2> feet_, other_feet_;
};

}  // namespace stunt
