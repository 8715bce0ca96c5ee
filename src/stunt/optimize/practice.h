// Practice of a routine's hits (hit-and-react section 4): each is simulated alone, in the air, to see where the striking
// body really goes and how fast. What is learned, a correction of the aim and the speed at three paces, is written into
// the scene and holds for other targets and speeds too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stunt/routine/segment.h"
#include "stunt/simulate/simulation.h"

namespace stunt {

// What came of one hit.
struct HitOutcome {
  Vec3 aimed = Vec3::Zero();    // m, world
  Vec3 reached = Vec3::Zero();  // m, where the striking point was at the time of the hit
  Vec3 miss = Vec3::Zero();     // m, reached less aimed: along the hit, to its left, up
  double speed = 0;             // m/s, of it then
  double short_by = 0;          // m, that the target was out of reach
  bool fell = false;            // within a second after
  double error() const { return (reached - aimed).norm(); }
};

// One character of a scene, alone, to try its hits one after the other from the same start.
class HitRoom {
 public:
  HitRoom(const Scene& scene, const std::string& actor);

  // Hits at the motion's own place moved by `offset` (m: along the hit, to its left, up); `aimed` false: as the motion
  // goes. `speed` (m/s) is what is asked for, 0: as the segment says. It is aimed off by `correction`, in the same axes.
  HitOutcome hit(const std::string& segment, bool aimed, const Vec3& offset = Vec3::Zero(), double speed = 0,
                 const Vec3& correction = Vec3::Zero());
  const Strike& strike(const std::string& segment) const;  // throws InputError where there is none

 private:
  Simulation simulation_;
  std::shared_ptr<const Simulation::State> start_;
};

// Hits at the 25 targets of figure 5: 0.1 m apart, across the hit and up, around the motion's own place.
std::vector<HitOutcome> hit_grid(HitRoom& room, const std::string& segment, double speed = 0);

// Fills in what practice finds for each strike of the actor's routine: `hits` tries each at most; three for the speed, then
// the aim, then three for the speed of the aimed limb.
void practise(Scene& scene, const std::string& actor, int hits = 10);

}  // namespace stunt
