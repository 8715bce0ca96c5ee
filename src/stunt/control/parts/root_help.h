// Help that no real body has (Zordan and Hodgins 2002, section 8.1): forces and torques on the root from nowhere.
// Any controller can be given one; the summary reports it as unphysical. It remembers nothing itself.
#pragma once

#include <string>

#include "stunt/actor/dynamics.h"
#include "stunt/control/controller.h"

namespace stunt {

struct RootHelpSettings {
  bool pedestal = false;  // the root is held to the reference
  double assist =
      0;  // strength of a spring-damper from the root to the reference; 1 pulls with 100 N per metre
          // and kilogram, critically damped
  std::string assist_at =
      "root";  // or "center_of_mass": horizontally, eq. 3 of the paper applied from outside
};
void describe(Fields& fields, RootHelpSettings& settings);

// `inner` with the support's wrench added to the root.
std::unique_ptr<Controller> supported(std::unique_ptr<Controller> inner, const RootHelpSettings& settings,
                                      ReferencePtr reference);

}  // namespace stunt
