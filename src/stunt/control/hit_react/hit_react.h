// Hit and react (Zordan and Hodgins 2002) with this program's own balance: the short-horizon tracker of mcsim.h, whose
// joints give way where a blow lands and whose plan knows how the blow pushes the body (control/parts/reaction.h).
// As published: hit_react_paper.h.
#pragma once

#include "stunt/control/controller.h"
#include "stunt/control/mcsim/mcsim.h"

namespace stunt {

struct HitReactSettings {
  HitReactSettings();
  McSimSettings tracker;
};
void describe(Fields& fields, HitReactSettings& settings);
std::unique_ptr<Controller> make_controller(const HitReactSettings& settings, const ControllerTask& task);
inline ReferenceWishes reference_wishes(const HitReactSettings& settings) {
  return reference_wishes(settings.tracker);
}

}  // namespace stunt
