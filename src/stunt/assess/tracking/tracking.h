// How well one character of a recording followed its reference: the numbers of summary.json.
// All are means over the samples before the fall (or before the state stopped being finite).
#pragma once

#include "stunt/simulate/recording.h"

namespace stunt {

struct MeanMax {
  double mean = 0, max = 0;
};

struct TrackingScore {
  int samples = 0;  // how many were judged; 0: the rest says nothing

  // Angle between the simulated and the reference rotation of a body relative to its parent: one per body
  // with a ball joint or hinges, a stack of hinges counts as the one rotation it makes. The free root is not
  // a joint. Mean over joints and samples, maximum over both.
  MeanMax joint_error_rad;

  // Mean distance of the joint centres (the anchor of each body's first joint, the root's origin included).
  // root_relative: after moving each character's root to the origin and turning its heading to 0.
  double mpjpe_global_m = 0, mpjpe_root_relative_m = 0;

  // Horizontal distance between the simulated and the reference centre of mass, each relative to the centre
  // of its own support, or to its root in flight. Simulated support: mean of the points where ground,
  // platforms or fixed objects press on a foot with over 1 N. Reference support: mean of the feet's contact
  // points whose underside is within 3 cm of the lowest one within half a second before and after, heights
  // measured from the horizontal or from the scene's ground plane, whichever takes more of them in: the
  // reference may or may not have been fitted to a slope.
  MeanMax com_error_m;

  // Root-mean-square jerk of the joint centres relative to the root's origin (world axes), simulated /
  // reference. Jerk is the third difference of the samples over the cube of their distance in time; on both
  // sides the largest hundredth is cut down to the 99th percentile. Each counts as at least 30 m/s^3
  // (a walk has hundreds), so that standing still divides by something. NaN below 4 samples.
  double roughness = 0;

  // Mean horizontal speed, relative to what it stands on, of the foot at the points that count as simulated
  // support. 0 when there is none.
  double foot_skate_m_s = 0;
};

// `actor` is an index into recording.actors and recording.scene->actors.
TrackingScore score_tracking(const Recording& recording, int actor);

}  // namespace stunt
