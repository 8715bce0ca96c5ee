// How well a character follows its motion, as one number to be maximised (Geijtenbeek 2013, section 6.2.3): the run ends
// where one of several measures exceeds what is acceptable, and the reward is how long it lasted, with a bonus for how far
// within it stayed.
//
//   R = t / t_max + bonus t / t_max  sum_e w_e (1 - e_avg / e_max) / sum_e w_e                             eq. 6.18
//
//   pose     m, mean distance of the bodies' centres of mass from where the motion has them, relative to the body's
//            centre of mass and weighted by mass
//   stance   share of the last `window` seconds in which other feet stood than in the motion
//   slide    m/s, horizontal speed of the soles that touch the ground and stand in the motion, summed, over the window
//   torque   Nm, sum over all joints, over the window
// A window reaches back before the beginning, where all was well.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "stunt/control/jacobian_transpose/stance.h"
#include "stunt/simulate/simulation.h"

namespace stunt {

struct MeasureSpec {
  std::string measure = "pose";
  double most = 0.1;  // e_max: beyond it the run ends
  double weight = 1;  // of its part of the bonus
};
void describe(Fields& fields, MeasureSpec& measure);

struct ObjectiveSpec {
  double duration = 20;  // s, t_max
  double window = 2;     // s
  double bonus = 1;
  std::vector<MeasureSpec> measures;  // empty: the four of the paper with its thresholds
};
void describe(Fields& fields, ObjectiveSpec& objective);
std::vector<MeasureSpec> paper_measures();

struct Judgement {
  double reward = 0;
  double lasted_s = 0;  // t
  std::string ended;    // which measure was exceeded, "fall" or "divergence"; empty: it lasted to the end
};
void describe(Fields& fields, Judgement& judgement);

// Watches the first character of a simulation.
class Objective : public Observer {
 public:
  // Throws InputError where it has no motion or not two legs.
  Objective(Simulation& simulation, const ObjectiveSpec& spec);
  void sampled(Simulation& simulation, const Moment& moment) override;

  bool over() const { return over_; }
  Judgement judgement(const Simulation& simulation) const;

 private:
  struct Tally {
    double sum = 0, recent = 0;  // over all samples; over the window
    std::deque<double> window;
  };
  double pose_error();
  double sliding(const Stance& stands);

  ObjectiveSpec spec_;
  double rate_;                 // Hz
  std::vector<Tally> tallies_;  // per measure
  int samples_ = 0;
  bool over_ = false;
  std::string ended_;
  std::vector<Foot> feet_;
  std::vector<Vec3> soles_;  // their middle, in the foot's axes
  ActorDynamics ours_, theirs_;
  ReferenceSample target_;
  Stance expected_;
  VecX q_, v_;
};

// Runs a simulation to its end by this objective.
Judgement run_and_judge(Simulation& simulation, const ObjectiveSpec& spec);

}  // namespace stunt
