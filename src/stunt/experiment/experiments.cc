// The experiments there are: a table. No other code names one.
#include "stunt/experiment/experiment.h"
#include "stunt/experiment/injury_experiment.h"
#include "stunt/experiment/realism_experiment.h"

namespace stunt {

const std::vector<ExperimentKind>& experiments() {
  static const std::vector<ExperimentKind> table = {
      {"mcsim",
       "da Silva, Abe, Popovic 2008: pushes, slopes, masses, friction, feet, table1, figure3, scenes, table4",
       mcsim_experiment},
      {"hit-and-react", "Zordan, Hodgins 2002: figure3, figure7, figure8, blows, sparring",
       hit_react_experiment},
      {"modal", "Jain, Liu 2011: pushes, slopes, windows, modes (figures 1 and 5), the print, changes",
       modal_experiment},
      {"data-driven",
       "Geijtenbeek 2013, chapter 6, without optimisation: motions, pushes, objects, components, noise, "
       "bodies; with it (hours): optimised, reuse",
       data_driven_experiment},
      {"realism",
       "Geijtenbeek 2013, chapter 4 by joint torques: weight, speed, most, captures (--motions), plates and "
       "emg (--plates)",
       nullptr,
       realism_study,
       {"weight", "speed", "most", "captures", "plates", "emg"}},
      {"muscles", "Geijtenbeek 2013, chapter 7: engines, pushes, slopes, without (each feedback path)",
       muscles_experiment},
      {"injury",
       "Geijtenbeek 2013, chapter 5: thirty falls (falls, trials), whether the time step matters (steps), "
       "falling well (protect; --motions)",
       nullptr,
       injury_study,
       {"falls", "trials", "steps", "protect"}}};
  return table;
}

}  // namespace stunt
