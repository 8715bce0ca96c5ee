// Who returns a ball (hit-and-react section 8): sees it come, foresees its way, chooses the swing and the moment that suit
// it best, and finds how that swing has to be paced and aimed for the ball to come down where it is wanted.
//
// Everything hangs together: the pace decides how fast the racket is, the aim which way it goes, and both what face sends
// the ball to its target. The moment is fixed first, and the start of the swing follows from the pace. Then, in rounds,
//   pace <- pace (speed that the shot wants / speed that the racket would have)^(1/2)
// and, with the pace settled, the face that does it at exactly the racket's speed, for a target moved by as much as the
// ball would still miss, given what the arm can really do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/core/random.h"
#include "stunt/routine/aim.h"
#include "stunt/routine/return_shot.h"
#include "stunt/routine/tape.h"

namespace stunt {

class BallPlayer {
 public:
  BallPlayer(std::shared_ptr<const Segments> segments, Aim& aim);

  struct Memory {
    // The ball that comes, or came last: its number, how often it has bounced since, and how it fell a tick ago (m/s).
    int ball = -1, bounces = 0;
    double falling = 0;
    // The swing that was chosen for it, when it is to meet the ball, and not before when it may begin (s).
    int swing = -1;
    double meets_at = 0, begins = 0;
    double next_choice = 0;     // s
    Vec3 to = Vec3::Zero();     // m, world: where the ball is to come down
    double flight = 0;          // s, how long it is to fly there
    Vec3 meets = Vec3::Zero();  // m, world: where the racket is to be
    Vec3 face = Vec3::Zero();   // unit, world: where its face is to point
  };

  // Before the first tick. `self`: the character's name.
  void look(const Surroundings& seen, const std::string& self);
  bool sees_balls() const { return !flights_.empty(); }

  // At every tick: which ball comes, and how often it has bounced. `to_tape`: from the world to where the tape is.
  void watch(const Observation& now, Memory& memory) const;
  // Whether it is time for a swing. Of `swings` the one that can do best is chosen once for every ball that comes.
  bool is_time(const std::vector<int>& swings, const Vec3& to, const Vec3& scatter, const Observation& now,
               const GroundTransform& to_tape, Tape& tape, Random& random, Memory& memory);
  // The pace at which the swing on the tape would meet the ball as the shot wants it, at memory.meets_at.
  double pace_for(const Observation& now, const GroundTransform& to_tape, Tape& tape, Memory& memory);
  // The aim of the swing on the tape at its pace: the joints' offset (nv). How far the racket stays from the ball (m).
  double aim(const Observation& now, const GroundTransform& to_tape, Tape& tape, Memory& memory,
             VecX& offset);

 private:
  // Where a ball will be, at the ticks from now on, until it has bounced twice.
  struct Tick {
    Ball ball;
    int bounces;
  };
  void foresee(const BallFlight& flight, Ball ball, int bounces);
  Ball ball_at(double time, const Observation& now, const Memory& memory) const;
  Racket racket_of(const Strike& strike, double yaw, const Surroundings& seen, const BallSlot& ball) const;
  void as_on_tape(const Strike& strike, double pace, const VecX& offset, double yaw, Tape& tape,
                  Racket& racket);
  void meet(const Ball& ball, const Shot& shot, Memory& memory) const;

  std::shared_ptr<const Segments> segments_;
  Aim& aim_;
  std::string self_;
  std::vector<BallFlight> flights_;  // of each of the scene's balls
  // Room to work.
  std::vector<Tick> path_;
  std::vector<Vec3> places_;
  VecX offset_, zero_, q_, v_;
};

}  // namespace stunt
