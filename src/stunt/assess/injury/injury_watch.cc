#include "stunt/assess/injury/injury_watch.h"

#include "stunt/simulate/simulation.h"

namespace stunt {

InjuryWatch::InjuryWatch(Simulation& simulation, InjuryPreset preset) {
  for (const ActorSlot& slot : simulation.engine().scene().actors)
    meters_.emplace_back(slot, simulation.engine().timestep(), preset);
}

void InjuryWatch::stepped(Simulation& simulation) {
  for (InjuryMeter& meter : meters_) meter.stepped(simulation.engine());
}

std::vector<Injury> InjuryWatch::results() const {
  std::vector<Injury> out;
  for (const InjuryMeter& meter : meters_) out.push_back(meter.result());
  return out;
}

}  // namespace stunt
