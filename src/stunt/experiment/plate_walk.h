// A walk that was captured over force plates: the OpenSim example "example3DWalking" (Rajagopal et al. 2016), to hold
// estimated ground reactions against measured ones.
//
// Its coordinates are put onto a skeleton of our own that has its joint centres (subject_walk_scaled.osim) and joint axes,
// to which a character of its mass is fitted. Left out of its model: the rolling of knee and kneecap, the turning of the
// forearm, toes that bend. Axes are turned from its (x ahead, y up, z right) to ours.
#pragma once

#include <filesystem>
#include <vector>

#include "stunt/motion/clip.h"

namespace stunt {

struct PlateSample {
  double time;     // s
  Vec3 force[2];   // N, on the left and the right foot
  Vec3 centre[2];  // m, of pressure; means nothing where there is no force
};

struct PlateWalk {
  Clip clip;
  double mass_kg = 0;
  double start = 0;                  // s, of the plates' clock at the clip's first frame
  std::vector<PlateSample> samples;  // at 2 kHz
  // Mean over an interval (s, of the plates' clock).
  PlateSample mean(double from, double to) const;
};

// From a folder with coordinates.sto, grf_walk.mot and subject_walk_scaled.osim. Throws InputError.
PlateWalk read_plate_walk(const std::filesystem::path& folder);

}  // namespace stunt
