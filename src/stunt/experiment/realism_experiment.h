// Chapter 4 of Geijtenbeek 2013, made again without muscles, and the validation that it left open.
#pragma once

#include <functional>

#include "stunt/experiment/experiment.h"
#include "stunt/experiment/plate_walk.h"
#include "stunt/experiment/study.h"

namespace stunt {

// How an estimated ground reaction compares with a measured one.
struct PlateComparison {
  std::string what;                           // "both feet", "left foot", ...
  Vec3 r = Vec3::Zero();                      // correlation of x (ahead), y (left), z (up)
  Vec3 rms = Vec3::Zero();                    // % of body weight
  double centre_ahead = 0, centre_aside = 0;  // m, root mean square, of the centre of pressure
  int frames = 0;
};
struct PlateValidation {
  std::vector<PlateComparison> rows;
  double kappa = 0;
  std::vector<Plot> plots;
};
PlateValidation validate_on_plates(const PlateWalk& walk, double low_pass_hz);

// Parts: weight (4.2), speed (4.3, 4.4), most (4.5), captures, plates, emg. `progress` is told the share done.
Study realism_study(const ExperimentOptions& options, const std::function<bool(double)>& progress);

}  // namespace stunt
