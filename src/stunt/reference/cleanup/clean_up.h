// From a clip to a reference: the clip's poses on its actor, cleaned up. Each step can be switched off, and
// says what it changed.
#pragma once

#include <string>
#include <vector>

#include "stunt/actor/fit/fit.h"
#include "stunt/reference/cleanup/contacts.h"
#include "stunt/reference/cleanup/foot_errors.h"
#include "stunt/reference/cleanup/plant_feet.h"
#include "stunt/reference/reference.h"

namespace stunt {

struct CleanupSettings {
  bool spikes = true;      // jumps out and back within a few frames
  double low_pass_hz = 0;  // 0: by the motion (6 Hz; 10 Hz where both feet leave the ground); negative: none
  bool floor = true;       // level, and at height zero
  bool feet = true;        // planted feet by inverse kinematics
  std::vector<TimeSpan> held = {};  // s, while hands carry the body (the scene's grips): not a setting
};
void describe(class Fields& fields, CleanupSettings& settings);

struct CleanMotion {
  std::shared_ptr<const SampledReference> reference;
  Floor floor;  // as captured
  bool floor_found = false;
  bool floor_asked = false;  // its height is what the clip's importer was told
  int spikes = 0;            // joint-frames that were replaced
  double low_pass_hz = 0;    // used; negative: none
  int false_flights = 0;     // times without a contact in which nothing falls; they were given one
  double largest_hover = 0;  // m, by which the body was moved down or up to the floor
  double largest_hold = 0;   // m, by which the body was moved so that skating feet stand
  FootErrors before, after;  // over the frames in which the feet stand, as captured and as cleaned up
  PlantReport plant;
  double mean_change_deg = 0;         // of the joints, toes excepted, by smoothing and planting together
  std::vector<std::string> notes;     // what was changed, a sentence each
  std::vector<std::string> warnings;  // what cannot be followed, likewise
};

constexpr double kReferenceRate = 120;  // Hz

CleanMotion clean_up(const FittedActor& fitted, const Clip& clip, const CleanupSettings& settings = {});

}  // namespace stunt
