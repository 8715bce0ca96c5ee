// Numbers of the controller `jacobian_transpose` that an optimiser found for one motion (`stunt optimize`, controller.yaml), and
// which of those that come with the program (data/controllers) suit another motion: the nearest by a few features, where
// one is near. For all others there is the universal set, the controller's preset `default`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stunt/control/controllers.h"
#include "stunt/reference/reference.h"

namespace stunt {

// What tells motions apart for a controller that keeps its balance.
struct MotionFeatures {
  double one_foot = 0;    // share of the time with one foot on the ground
  double steps = 0;       // 1/s, feet put down
  double travel = 0;      // m/s, of the root along the ground, mean
  double dip = 0;         // of the root's greatest height: how much lower it comes
  double lean = 0;        // rad, of the trunk, at most
  double high_foot = 0;   // m, of a foot in the air over one that stands, at most
  double hand_speed = 0;  // m/s, seen from the root, root mean square
};
void describe(Fields& fields, MotionFeatures& features);
MotionFeatures features_of(const Reference& motion);
// 0: the same; above 1 the motions have little in common.
double distance(const MotionFeatures& a, const MotionFeatures& b);

struct LearnedSet {
  std::string motion;  // it was found for
  double reward = 0;   // R of eq. 6.18, mean of the tests with unseen noise
  int passes = 0, tests = 0;
  std::string withstood;    // what was made harder meanwhile, and how hard it was at last; empty: nothing
  MotionFeatures features;  // of the motion
  ControllerSpec controller{"jacobian_transpose"};
};
void describe(Fields& fields, LearnedSet& set);

// Those that come with the program.
std::vector<LearnedSet> learned_sets();
// None: the universal set is as good a guess.
std::optional<LearnedSet> learned_set_for(const MotionFeatures& motion);

}  // namespace stunt
