// How badly did that hurt? Geijtenbeek 2013, chapter 5: seventeen measures of what happens to head, neck, chest, pelvis,
// arms and legs, each as a share of the value at which serious injury becomes likely, and their mean.
//
// Two presets. `paper`: as printed (eq. 5.1 to 5.14). `standard`: as the crash-test literature does it.
//
//              paper                                                standard
//   head       HIC over windows of just 15 ms / 700                 HIC15 over all windows up to 15 ms / 700
//   neck       twice the axial force, mean over 30 or 35 ms,        axial force at the head's joint against the limit for
//              / 4.0 kN compression, / 3.3 kN tension               the time it is sustained (Mertz 1984)
//   chest      mean of 3 ms / 60 g                                  3 ms clip / 60 g
//   pelvis     mean of 3 ms / 130 g                                 3 ms clip / 130 g
//   wrist      twice the whole force, mean of 10 ms / 8 kN          compression along the forearm, sustained for 10 ms
//   femur      mass x acceleration of the thigh, along it 10 ms     force of the knee on the thigh, along it against the
//              / 9.1 kN, across it 3 ms / 3.9 kN                    limit for the time, across it for 3 ms
//   tibia      mass x acceleration of the shank along it, 10 ms / 8 compression at the knee along the shank, for 10 ms
//   ankle      twice the whole force, mean of 10 ms / 8 kN          compression along the shank, for 10 ms
//   foot       mean of 10 ms / 150 g                                sustained for 10 ms / 150 g
//
// Accelerations are of centres of mass, in g, gravity not counted; forces are those through joints (Engine). A part that
// the character lacks is left out, of the mean too.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "stunt/assess/injury/pulse.h"
#include "stunt/core/settings.h"
#include "stunt/world/engine.h"

namespace stunt {

enum class InjuryPreset { standard, paper };
InjuryPreset injury_preset(const std::string& name);  // "default" or "paper"; throws InputError

// One measure: 1 is the threshold of serious injury.
struct InjuryMeasure {
  std::string name;    // "head", "neck compression", "left wrist", ...
  std::string symbol;  // as the thesis has it: "D_H"
  double value = 0;
  double at_s = 0;  // when its worst window ended
};

struct Injury {
  std::string preset;
  std::vector<InjuryMeasure> measures;  // in the thesis' order
  double d_avg = 0;                     // mean of all (eq. 5.14)
  double d_worst3 = 0;                  // mean of the three highest (after the New Injury Severity Score)
  double d_square = 0;                  // root of the mean square
  double hic = 0, hic_window_s = 0;     // not divided
  double nij = 0;                       // neck: force and bending together, 1 is the limit (preset default)
};
void describe(Fields& fields, Injury& injury);  // to send one from process to process

// The highest first.
std::vector<InjuryMeasure> worst_measures(const Injury& injury, std::size_t count);
// "The head would be hurt badly (3.2 times the limit, at 1.04 s), ..."
std::string injury_words(const Injury& injury);

// Watches one character of an engine, step by step. Nothing is allocated after construction.
class InjuryMeter {
 public:
  InjuryMeter(const ActorSlot& slot, double timestep, InjuryPreset preset);
  ~InjuryMeter();
  InjuryMeter(InjuryMeter&&) noexcept;
  void stepped(Engine& engine);  // after each step
  Injury result() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace stunt
