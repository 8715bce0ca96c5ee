// What the Engine interface costs: one step of a fitted character that stands on both feet, held by PD
// torques, through Engine and by mj_step alone on the same model, taking turns in one run. The counter
// `ratio` is Engine over mj_step; at most 1.15 is wanted. What this does not prove: anything about scenes
// full of objects, or about the controller.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

using Clock = std::chrono::steady_clock;

// Torques that hold the pose: recorded from a run, so that neither side pays for the controller.
struct Standing {
  Scene scene =
      read_scene("duration: 2\nactors: [{motion: stand, controller: {type: pd, pedestal: true}}]\n", "bench");
  std::unique_ptr<Simulation> simulation = std::make_unique<Simulation>(scene);
  std::vector<VecX> torques;
  Snapshot start;

  Standing() {
    for (int i = 0; i < 200; ++i) simulation->step();
    start = simulation->engine().save();
    const Recording& recording = simulation->recording();
    for (int i = 0; i < kSteps; ++i) {
      simulation->step();
      // Of the last sample: near enough to hold it.
      torques.push_back(recording.actors[0].torque(recording.samples() - 1).cast<double>());
    }
  }
  static constexpr int kSteps = 200;
};

void BM_EngineStep(benchmark::State& state) {
  Standing standing;
  Engine& engine = standing.simulation->engine();
  const mjModel* model = engine.scene().model.get();
  const DataPtr data(mj_makeData(model));
  std::vector<double> q, v;
  const auto start_again = [&] {
    engine.restore(standing.start);
    engine.contacts();  // recomputes what the restored step left; not to be timed
    q.assign(engine.q().begin(), engine.q().end());
    v.assign(engine.v().begin(), engine.v().end());
    mj_resetData(model, data.get());
    std::copy(q.begin(), q.end(), data->qpos);
    std::copy(v.begin(), v.end(), data->qvel);
    data->time = engine.time();
    mju_copy(data->qfrc_applied, standing.torques[0].data(), static_cast<int>(model->nv));
    mj_forward(model, data.get());  // warm, as the engine is
  };
  std::vector<double> ratios;
  double engine_us = 0, alone_us = 0;
  long contacts = 0, rounds = 0;
  for (auto _ : state) {
    start_again();
    const auto begin = Clock::now();
    for (const VecX& torque : standing.torques) {
      std::copy(torque.begin(), torque.end(), engine.joint_forces().begin());
      engine.step();
      contacts += static_cast<long>(engine.contacts().size());
    }
    const auto middle = Clock::now();
    for (const VecX& torque : standing.torques) {
      std::copy(torque.begin(), torque.end(), data->qfrc_applied);
      mj_step(model, data.get());
    }
    const auto end = Clock::now();
    const double ours = std::chrono::duration<double>(middle - begin).count();
    const double alone = std::chrono::duration<double>(end - middle).count();
    ratios.push_back(ours / alone);
    engine_us += 1e6 * ours / Standing::kSteps;
    alone_us += 1e6 * alone / Standing::kSteps;
    ++rounds;
    state.SetIterationTime(ours);
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<long>(ratios.size() / 2), ratios.end());
  state.counters["dof"] = static_cast<double>(model->nv);
  state.counters["contacts"] = static_cast<double>(contacts) / static_cast<double>(rounds * Standing::kSteps);
  state.counters["engine_us"] = engine_us / static_cast<double>(rounds);
  state.counters["mj_step_us"] = alone_us / static_cast<double>(rounds);
  state.counters["ratio"] = ratios[ratios.size() / 2];
}
BENCHMARK(BM_EngineStep)->UseManualTime()->Iterations(25)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stunt
