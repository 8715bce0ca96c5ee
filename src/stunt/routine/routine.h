// A state machine that composes what a character follows while it runs (hit-and-react section 4, figure 6): it watches
// the opponent's motion, never its plan, and plays one segment after the other onto a tape (tape.h).
//
// In the ready segment, and towards the end of any other, the rules (rules.h) are asked in order; the first that holds
// chooses a segment. Where none holds, the ready segment is played. A hit is aimed at where its target will be, again
// and again until shortly before it lands. Orders from outside are obeyed at once.
#pragma once

#include <any>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/control/parts/capture_point.h"
#include "stunt/control/parts/feet.h"
#include "stunt/core/random.h"
#include "stunt/routine/aim.h"
#include "stunt/routine/ball_player.h"
#include "stunt/routine/rules.h"
#include "stunt/routine/tape.h"

namespace stunt {

class Routine {
 public:
  // `self`: the character's name in the scene; `place`: where the first pose of the ready segment is put.
  Routine(RoutineRules rules, std::string self, std::shared_ptr<const Segments> segments,
          const GroundTransform& place, std::uint64_t seed);

  const std::shared_ptr<Tape>& tape() const { return tape_; }
  const Segments& segments() const { return *segments_; }

  // Before the first step, and when the character is put back.
  void reset(const Observation& start);
  // Before every step.
  void update(const Observation& now);
  // Throws InputError for a segment or a body that is not there; `place` names the order.
  void obey(const PlayOrder& order, const Observation& now, const std::string& place);

  // Where a segment would be if it were played now: takes its own places to those of the world.
  GroundTransform stands(const std::string& segment, const Observation& now);

  // What it does, by its number in states(): a segment, or those of one blend.
  int state() const { return state_of_[static_cast<std::size_t>(tape_->segment())]; }
  const std::vector<std::string>& states() const { return states_; }
  // The hit that is on its way, or was last.
  struct Hit {
    int segment = -1;
    double at = 0;               // s, on the character's clock
    Vec3 target = Vec3::Zero();  // m, world: where it is aimed
    double short_by = 0;         // m, that the target is out of reach
  };
  const Hit& hit() const { return memory_.hit; }
  const std::vector<Hit>& missed() const { return missed_; }  // hits at targets out of reach

  std::any save() const;
  void restore(const std::any& memory);

 private:
  enum class When { idle, in_reach, threatened, out_of_place, ball };
  struct Rule {
    When when;
    std::vector<int> play;
    std::vector<int> at;  // bodies of the scene
    double pause, chance;
    Vec3 to, scatter;  // m
  };
  struct Goal {
    enum class Kind { none, body, point, ball } kind = Kind::none;
    int body = -1;               // of the scene
    Vec3 point = Vec3::Zero();   // m, world
    Vec3 facing = Vec3::Zero();  // unit, world; zero: any way
  };
  struct Memory {
    Random random{0};
    double next_tick = 0;                // s
    std::array<double, 16> rested = {};  // s, per rule: not before
    double next_aim = std::numeric_limits<double>::infinity();
    Goal goal;
    BallPlayer::Memory ball;
    Hit hit;
    int last_hit = -1;       // segment
    std::size_t missed = 0;  // how many of missed_
  };

  void look(const Observation& now);
  void decide(const Observation& now);
  bool holds(const Rule& rule, const Observation& now);
  bool stands_still(const Observation& now);
  bool is_steady(const Observation& now);
  double impatience(double time) const;
  bool threatened(const Surroundings& seen) const;
  bool out_of_place(const Rule& rule, const Observation& now);
  bool choose_hit(const Rule& rule, const Observation& now);
  void play(int segment, const Observation& now, const Goal& goal, double speed);
  bool begin_swing(const Observation& now);
  void begin_hit(const Observation& now, const Goal& goal);
  void take_aim(const Observation& now);
  Vec3 goal_point(const Goal& goal, const Strike& strike, const GroundTransform& place,
                  const Observation& now, double lead) const;
  Vec3 in_segment(const Vec3& world, const GroundTransform& place) const;

  RoutineRules settings_;
  std::string self_;
  std::shared_ptr<const Segments> segments_;
  GroundTransform place_;
  std::uint64_t seed_;
  std::shared_ptr<Tape> tape_;
  std::vector<Rule> rules_;
  std::vector<std::string> states_;
  std::vector<int> state_of_;  // per segment
  int ready_ = 0;
  Aim aim_;
  BallPlayer ball_player_;
  std::vector<Foot> feet_;
  Support support_;
  Memory memory_;
  std::vector<Hit> missed_;
  // Bodies of the scene; -1 where there is none.
  bool looked_ = false;
  std::vector<int> their_arms_, their_hands_, own_targets_;
  int their_root_ = -1, own_root_ = -1;
  bool stands_ = true;  // on both feet, which do not move
  // Of the last decision.
  GroundTransform to_tape_;  // from the world to where the tape is
  GroundTransform step_;     // that would put it in place
  int chosen_ = -1;
  Goal chosen_goal_;
  ReferenceSample here_;
  VecX offset_, zero_, hit_q_, hit_v_;
};

}  // namespace stunt
