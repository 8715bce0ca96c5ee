#include "stunt/simulate/run_scene.h"

#include "stunt/simulate/simulation.h"

namespace stunt {

Recording run_scene(const Scene& scene, const std::function<bool(double, double)>& progress) {
  Simulation simulation(scene);
  if (!progress) return simulation.run();
  return simulation.run([&](double now) { return progress(now, simulation.duration()); });
}

}  // namespace stunt
