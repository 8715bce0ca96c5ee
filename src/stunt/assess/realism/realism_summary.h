// The verdict on a motion's realism: the numbers worth keeping, and what they mean in plain words.
#pragma once

#include <string>
#include <vector>

#include "stunt/assess/realism/realism.h"

namespace stunt {

struct StrengthSummary {
  std::string joint;  // "left knee"
  double ratio = 0;   // of the joint's strength
  double torque_nm = 0, limit_nm = 0;
  double at_s = 0, over_s = 0;  // when; how long it would need more than it has
};

struct MuscleSummary {
  std::string part, muscle;     // "left calf", "left soleus"
  double ratio = 0;             // of its strength
  double at_s = 0, over_s = 0;  // when; how long a muscle of the part would need more than it has
};

struct ReserveSummary {
  std::string joint;          // "left knee"
  double mean = 0, most = 0;  // Nm (N where it slides) that no muscle can do
  double at_s = 0;            // of the most
};

struct RealismSummary {
  int frames = 0;                                     // 0: nothing was judged
  double kappa = 0, force_part = 0, moment_part = 0;  // means over the frames; kappa is their sum
  double kappa_median = 0, kappa_max = 0, kappa_max_at_s = 0;
  double weight = 1, speed = 1;             // multipliers it was judged under
  std::vector<UnexplainedSpan> spans = {};  // the worst three
  int muscles = 0;                          // 0: not a human's body, judged by joint torques
  double lambda = 0, lambda_reserve = 0, lambda_max = 0, lambda_max_at_s = 0, effort = 0;
  std::string model = {};                        // whose muscles these are; empty: a human's
  std::vector<MuscleSummary> muscle_parts = {};  // the eight with the highest ratio
  std::vector<ReserveSummary> reserves = {};     // the five joints with the highest mean
  std::vector<StrengthSummary> strength = {};    // the five joints with the highest ratio
  bool possible = false;                         // neither physics nor strength forbids it
  std::vector<std::string> verdict = {};         // a sentence each
};
void describe(Fields& fields, RealismSummary& summary);  // to send one from process to process

RealismSummary summarize_realism(const Realism& realism);

// Kappa of captured motions lies below the first; above the second a motion is not physical (docs/realism.md).
constexpr double kCapturedKappa = 0.10, kUnphysicalKappa = 0.25;
// Lambda up to this is noise (Geijtenbeek 2013, section 4.3.2).
constexpr double kNoiseLambda = 0.003;

// A joint in words: "left knee", "neck".
std::string joint_words(const Actor& actor, int joint);

}  // namespace stunt
