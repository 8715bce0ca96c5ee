// Smoothing of sampled motion on the actor's coordinates.
#pragma once

#include <vector>

#include "stunt/actor/actor.h"

namespace stunt {

// A second-order Butterworth low-pass run forwards and backwards, so without delay (fourth order in all). The ends are
// extended by point reflection, which keeps a constant velocity through the ends.
void low_pass(std::vector<double>& signal, double rate_hz, double cutoff_hz);

// The same on every coordinate of a motion; quaternions by components with consistent sign, then normalised.
void low_pass(const Actor& actor, std::vector<VecX>& q, double rate_hz, double cutoff_hz);

// Replaces spikes: a joint whose rotation leaves the line between the frames around it and comes back, by more than
// 0.05 rad, more than a person can at 360 rad/s^2, and much more than it usually does; and where it does so for two to
// four frames, as suddenly, by half a radian and within 0.17 s, as swapped markers make it. With fewer than 20 frames a
// second a quick move looks the same, and nothing is done. Returns how many joint-frames were replaced.
int remove_spikes(const Actor& actor, std::vector<VecX>& q, double rate_hz);

// Motion at another rate: rotations along the exponential map, positions linearly.
std::vector<VecX> resample(const Actor& actor, const std::vector<VecX>& q, double from_hz, double to_hz);

// Flips quaternions where needed so that each is in the hemisphere of the one before.
void make_continuous(const Actor& actor, std::vector<VecX>& q);

}  // namespace stunt
