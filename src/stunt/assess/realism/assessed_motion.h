// A motion as it is assessed: poses at a fixed rate, and what touches the ground in each.
#pragma once

#include <vector>

#include "stunt/actor/muscle/muscle_model.h"
#include "stunt/assess/realism/ground_reaction.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/reference.h"
#include "stunt/simulate/recording.h"

namespace stunt {

struct AssessedMotion {
  ActorPtr actor;
  double rate_hz = 0;
  double gravity = 9.81;                                 // m/s^2
  std::vector<VecX> q = {};                              // nq each
  std::vector<std::vector<SupportPoint>> supports = {};  // per frame
  std::vector<Ground> grounds = {};                      // per frame: the plane under what touches
  std::vector<VecX> torques = {};  // nv, as the joints' motors gave them; empty: unknown
  MuscleModelPtr model = {};       // whose actor this is; none: a human's muscles (muscle_template.h)
};

// Smoothing spreads the push of the ground over some hundredths of a second, and contacts of a simulation come and go
// between samples: a body that touches nothing still stands on what it touches within this time (s).
constexpr double kTouchLasts = 0.025;

// A cleaned motion: the feet's contact points that carry load in it, on level ground at height 0.
AssessedMotion motion_of(const SampledReference& reference);

// A capture, judged as it was captured: levelled and smoothed, but feet not planted, because the legs' way to a planted foot
// has accelerations that the actor did not have. What touches is what the cleaned motion has on the ground, where it
// has it.
AssessedMotion motion_of(const FittedActor& fitted, const Clip& clip, const CleanupSettings& cleanup = {});

// What a recorded character did: wherever it touched the ground, platforms or fixed objects. The plane has the slope of
// the scene's ground and goes through the middle of the places that touch, so steps of different height are taken
// as one plane between them. `reference`: the motion it was to follow instead, with the feet's contacts in it.
AssessedMotion motion_of(const Recording& recording, int actor, bool reference = false);

}  // namespace stunt
