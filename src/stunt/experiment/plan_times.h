// How long one plan takes, written three ways, on the same states of a motion (McSim table 4).
//
//   dummy   unknowns (a, tau, lambda), the dynamics as equalities: what the paper solved; by ProxQP
//   plain   unknowns (tau, lambda), the accelerations eliminated through M^-1; by ProxQP
//   dual    unknowns: one multiplier for each of the root's six rows; by Planner (control/mcsim/plan.h)
#pragma once

#include <vector>

#include "stunt/reference/reference.h"

namespace stunt {

// Medians over the states with this many contact points.
struct PlanTimes {
  int contacts = 0, states = 0;
  int dummy_variables = 0, plain_variables = 0;
  double dummy_us = 0, plain_us = 0,
         dual_us = 0;  // of the solve; dual: with setting up, which cannot be told apart
  double largest_difference =
      0;  // between the accelerations of the three, relative to the largest wanted one
};

// At `states` moments of the reference, evenly spread.
std::vector<PlanTimes> plan_times(const Reference& reference, int states);

}  // namespace stunt
