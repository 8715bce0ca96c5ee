#include "stunt/control/hit_react/hit_react.h"

namespace stunt {

HitReactSettings::HitReactSettings() { tracker.reaction.on = tracker.blows_known = true; }

void describe(Fields& fields, HitReactSettings& settings) { describe(fields, settings.tracker); }

std::unique_ptr<Controller> make_controller(const HitReactSettings& settings, const ControllerTask& task) {
  return make_controller(settings.tracker, task);
}

}  // namespace stunt
