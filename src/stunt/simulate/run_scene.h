// A scene in, its recording out: the one way to run one from beginning to end.
#pragma once

#include <functional>

#include "stunt/simulate/recording.h"
#include "stunt/simulate/scene/scene.h"

namespace stunt {

// `progress` is told the simulated and the wanted time (s) now and then; when it returns false, the run is stopped with
// RunError. Throws InputError.
Recording run_scene(const Scene& scene, const std::function<bool(double now, double end)>& progress = {});

}  // namespace stunt
