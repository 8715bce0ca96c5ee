// What the hit-and-react experiment measures of fights and games: boxing, rallies, where balls land, and hits that are
// practised alone.
#pragma once

#include <string>
#include <vector>

#include "stunt/experiment/experiment.h"

namespace stunt {

// Of a fight: blows, what they do, and who stays on their feet.
void measure_fight(const Recording& recording, TrialOutcome& outcome);
void measure_rally(const Recording& recording, TrialOutcome& outcome);
// The share of time in each state of the first character's routine, and the states as a line.
void measure_states(const Recording& recording, TrialOutcome& outcome);

// What a trial that runs hits alone needs: a scene, its keys, a character of it.
struct HitTrial {
  std::string scene, actor, segment;
  std::vector<std::string> keys;
};
// Figure 4, right: the speed of the racket at the hit, wanted from 0.7 to 1.3 times the swing's own.
TrialOutcome run_speeds(const HitTrial& trial);
// Figure 5: the 25 targets of the 0.1 m grid, after at most 10 practice hits.
TrialOutcome run_grid(const HitTrial& trial);
// Figure 11: where the racket is at the hit, as the swing goes.
TrialOutcome run_place(const HitTrial& trial);
// Figure 4, left: a ball fed to the first player, to be returned to a place on the table (m).
struct FedBall {
  std::vector<std::string> keys;
  Vec3 to;
  std::uint64_t feed;  // which one: they differ in where and how fast they come
};
TrialOutcome run_feed(const FedBall& fed);
// The nine places: three rows and columns on the other half.
std::vector<Vec3> landing_targets();

}  // namespace stunt
