// What a try of a gait is worth (Geijtenbeek 2013, section 7.4):
//
//   E = 100 {speed} + 10 {head's orientation} + 10 {head's velocity} + 10 {sliding} + 0.1 effort             eq. 7.32
//
// each the mean over the duration, and {x} zero below a threshold (0.1, 0.2 rad, 0.3 m/s, 0.2 m/s; Table 7.2). Speed is
// |1 - v / v~| at most 1, v from one touchdown to the next by the middle of both feet (7.34); effort the muscles' metabolic
// rate in W/kg. A try ends when the centre of mass is below 0.9 of its first height, the trunk is 45 degrees off its heading,
// or the feet have crossed; the rest of the time counts as standing still.
#pragma once

#include <string>

#include "stunt/control/muscle/muscle_gait.h"

namespace stunt {

struct GaitTask {
  double duration = 10;  // s
  std::string engine = "mujoco";
  double timestep = 0.00125;  // s
  double friction = 1;
  double push = 0;        // N, for 0.2 s every 2 s in a random direction, on the chest or else the pelvis
  double slope_deg = 0;   // of the ground: another each metre, at random up to this
  double turn_deg_s = 0;  // the wanted heading turns as fast, to and fro
  double effort = 0.1;    // weight of the effort
  double impact = 0;      // weight of hard landings: what a step's largest load has above 1.1 body weights
  double stride = 0;      // weight of short steps: what they lack of a natural step's length, as part of it
  // Only what exceeds a threshold counts, instead of all of it as soon as it is exceeded: where pushes shake every try, the
  // jump at a threshold would hide all else.
  bool soft_thresholds = false;
};
void describe(Fields& fields, GaitTask& task);

struct GaitVerdict {
  double cost = 0;
  double speed = 0, head_turn = 0, head_speed = 0, slide = 0;  // means, before thresholds
  double effort = 0;                                           // W/kg, mean while it lasted
  double impact = 0;     // body weights: a foot's largest load in a step, mean
  double stride = 0;     // mean length of a step as part of a natural one's
  double flight = 0;     // part of the time without a foot on the ground
  double lasted = 0;     // s
  double travelled = 0;  // m, of the centre of mass along the heading
  int steps = 0;         // touchdowns
  std::string ended;     // why it did not last; empty: it lasted
  bool within = false;   // it lasted, and all four errors are below their thresholds
};
void describe(Fields& fields, GaitVerdict& verdict);

// m: how long a step is at a speed, by choice: 1.07 leg lengths times (v / sqrt(g l))^0.42, which people keep to (Kuo 2001) and
// which is without units, so that it serves other bodies.
double natural_step(double speed, double leg_length);

class GaitJudge {
 public:
  GaitJudge(const GaitTask& task, double speed, double body_mass, double leg_length);

  // What is known of a moment of the try.
  struct Moment {
    double time;
    const MuscleSense& felt;
    const MuscleGait& gait;
    double load[2];     // N, under each foot
    double ground;      // m, height of the ground below
    double heading;     // rad, wanted
    double sliding;     // m/s, mean of what touches the ground
    double metabolism;  // W
  };
  static constexpr int kLookEvery = 4;  // steps: how often all of a moment is looked at
  // `look`: all of it, else only what the legs do. Says why the try is over, or nothing.
  std::string see(const Moment& now, bool look);
  void end(std::string reason) { verdict_.ended = std::move(reason); }
  GaitVerdict verdict(double lasted) const;

 private:
  void touchdown(double time, const Vec3& middle);
  double speed_error(double time) const;  // integral so far

  GaitTask task_;
  double wanted_, mass_, leg_;
  GaitVerdict verdict_;
  bool begun_ = false, stood_[2] = {false, true};
  double first_height_ = 0;
  Vec3 last_com_ = Vec3::Zero(), onward_ = Vec3::Zero();
  // The speed error is known when a step is done, for the time since the last one.
  Vec3 last_middle_ = Vec3::Zero();
  double last_time_ = 0, error_ = 1, sum_ = 0, longest_ = 0;
  double head_turn_ = 0, head_speed_ = 0, slide_ = 0, effort_ = 0, flight_ = 0;
  int looks_ = 0;
  double peak_[2] = {0, 0}, peaks_ = 0;
  int landings_ = 0;
};

}  // namespace stunt
