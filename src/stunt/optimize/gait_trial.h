// One try of a muscle-driven gait: the creature, its muscles and reflexes, and an engine, without the rest of a simulation.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "stunt/optimize/gait_judge.h"
#include "stunt/optimize/gait_terrain.h"
#include "stunt/world/engine.h"

namespace stunt {

// What a spectator of a try sees at every step.
struct GaitSample {
  double time;                // s
  std::span<const double> q;  // of the creature, as its actor has it
  Vec3 ground_force[2];       // N, on each foot
  const LegState* legs[2];
  const VecX& activation;            // per muscle
  const MuscleBody* body = nullptr;  // with its muscles, for who wants to know more
};

class GaitTrial {
 public:
  // Throws InputError.
  GaitTrial(CreaturePtr creature, const GaitTask& task);
  // The same settings and seed give the same verdict. May be called from several threads at once.
  GaitVerdict run(const MuscleGaitSettings& settings, std::uint64_t seed,
                  const std::function<void(const GaitSample&)>& watch = {}) const;

 private:
  struct Stage {
    std::uint64_t seed = 0;
    std::optional<GaitTerrain> terrain;
    std::shared_ptr<const CompiledScene> scene;
  };
  std::shared_ptr<const Stage> stage(std::uint64_t seed, double speed) const;

  CreaturePtr creature_;
  GaitTask task_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Stage> last_;  // all tries of a generation share one
};

}  // namespace stunt
