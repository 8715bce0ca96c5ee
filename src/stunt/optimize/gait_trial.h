// One try of a muscle-driven gait and what it is worth (Geijtenbeek 2013, section 7.4):
//
//   E = 100 {speed} + 10 {head's orientation} + 10 {head's velocity} + 10 {sliding} + 0.1 effort             eq. 7.32
//
// each the mean over the duration, and {x} zero below a threshold (0.1, 0.2 rad, 0.3 m/s, 0.2 m/s; Table 7.2). Speed is
// |1 - v / v~| at most 1, v from one touchdown to the next by the middle of both feet (7.34); effort the muscles' metabolic
// rate in W/kg. A try ends when the centre of mass is below 0.9 of its first height, the trunk is 45 degrees off its heading,
// or the feet have crossed; the rest of the time counts as standing still.
#pragma once

#include <memory>
#include <string>

#include "stunt/control/muscle/muscle_gait.h"
#include "stunt/core/random.h"
#include "stunt/world/engine.h"

namespace stunt {

struct GaitTask {
  double duration = 10;  // s
  std::string engine = "mujoco";
  double timestep = 0.00125;  // s
  double friction = 1;
  double push = 0;       // N, for 0.2 s every 2 s in a random direction, on the chest or else the pelvis
  double slope_deg = 0;  // of the ground: another each metre, at random up to this
  double effort = 0.1;   // weight
};
void describe(Fields& fields, GaitTask& task);

struct GaitVerdict {
  double cost = 0;
  double speed = 0, head_turn = 0, head_speed = 0, slide = 0;  // means, before thresholds
  double effort = 0;                                           // W/kg, mean while it lasted
  double lasted = 0;                                           // s
  double travelled = 0;                                        // m, of the centre of mass along the heading
  int steps = 0;                                               // touchdowns
  std::string ended;                                           // why it did not last; empty: it lasted
  bool within = false;  // it lasted, and all four errors are below their thresholds
};
void describe(Fields& fields, GaitVerdict& verdict);

class GaitTrial {
 public:
  // Throws InputError.
  GaitTrial(CreaturePtr creature, const GaitTask& task);
  // The same settings and seed give the same verdict. May be called from several threads at once.
  GaitVerdict run(const MuscleGaitSettings& settings, std::uint64_t seed) const;

 private:
  std::shared_ptr<const CompiledScene> stage(std::uint64_t seed) const;
  CreaturePtr creature_;
  GaitTask task_;
  std::shared_ptr<const CompiledScene> flat_;
};

// Ground for such a try: ramps of 1 m along x whose slopes are drawn between -slope and slope.
std::vector<ObjectSpec> ramps(double slope_deg, double length, double friction, std::uint64_t seed);

}  // namespace stunt
