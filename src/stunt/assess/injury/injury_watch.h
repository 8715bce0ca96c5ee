// Measures injury while a simulation runs: a run that nobody watches pays nothing for it.
#pragma once

#include <vector>

#include "stunt/assess/injury/injury.h"
#include "stunt/simulate/observer.h"

namespace stunt {

class InjuryWatch : public Observer {
 public:
  // simulation.watch(watch) makes it watch all its characters.
  InjuryWatch(Simulation& simulation, InjuryPreset preset);
  void stepped(Simulation& simulation) override;
  std::vector<Injury> results() const;  // per character

 private:
  std::vector<InjuryMeter> meters_;
};

}  // namespace stunt
