// What walks by muscles alone withstand: Geijtenbeek 2013, Table 7.4 and section 7.5.3, with the gaits that come with the
// program.
#include <fmt/format.h>

#include <algorithm>

#include "stunt/core/error.h"
#include "stunt/experiment/experiment.h"
#include "stunt/optimize/gait_trial.h"

namespace stunt {
namespace {

constexpr double kTrialDuration = 20;  // s
constexpr int kSeeds = 5;

struct ShippedGait {
  std::string name;  // of its file in data/controllers
  double timestep;   // s
};
const std::vector<ShippedGait> kShippedGaits = {{"human_walk", 0.00125}, {"longneck_walk", 0.00125}};

MuscleGaitSettings shipped(const std::string& name) {
  MuscleGaitSettings settings;
  Config config = Config::parse("file: " + name, name);
  read_settings(config, settings);
  return settings;
}

// Left out: what the numbers of these names do, all set to zero.
const std::vector<std::pair<std::string, std::vector<std::string>>> kFeedbackPaths = {
    {"nothing", {}},
    {"force feedback", {"RF.feedback", "VAS.feedback", "GAS.feedback", "SOL.feedback"}},
    {"trunk", {"trunk.turn", "trunk.damp"}},
    {"head", {"head.pull", "head.pull_damp", "head.turn", "head.turn_damp"}},
    {"chest", {"chest.turn", "chest.damp"}},
    {"swinging thigh", {"swing.turn", "prepare.turn", "prepare.damp"}},
    {"foot placement to the side", {"target.side.place", "target.side.speed"}},
    {"foot placement ahead",
     {"target.swing.place", "target.swing.speed", "target.prepare.place", "target.prepare.speed"}},
    {"knee and foot before stance", {"prepare.knee", "swing.foot"}},
    {"knee at lift-off", {"lift.knee"}}};

TrialOutcome outcome_of(const ShippedGait& gait, GaitTask task, std::uint64_t seed,
                        const std::vector<std::string>& without) {
  MuscleGaitSettings settings = shipped(gait.name);
  for (const std::string& name : without) settings.parameters.at(name) = 0;
  task.duration = kTrialDuration;
  task.timestep = gait.timestep;
  const GaitVerdict verdict = GaitTrial(Creature::load(settings.creature), task).run(settings, seed);
  TrialOutcome outcome;
  outcome.completed = verdict.ended.empty();
  outcome.simulated_s = verdict.lasted;
  outcome.reason = verdict.ended;
  if (!outcome.completed) outcome.fell_at_s = verdict.lasted;
  outcome.measured = {{"lasted (s)", verdict.lasted},
                      {"speed (m/s)", verdict.travelled / std::max(verdict.lasted, 0.1)},
                      {"effort (W/kg)", verdict.effort}};
  return outcome;
}

}  // namespace

Experiment muscles_experiment(const ExperimentOptions& options) {
  Experiment e;
  e.title = "Creatures that walk by muscles alone";
  e.parts = {
      {"engines", "The same gait in every engine", "engine", "20 s on level ground.", false,
       "ODE alone, in steps of 0.3 ms"},
      {"pushes", "Pushes", "force (N)", "0.2 s every 2 s in a random direction, 20 s, five seeds.", false,
       "human at 2 m/s: 100 N"},
      {"slopes", "Terrain", "steepest (deg)", "Another slope each metre, 20 s, five seeds.", false,
       "human at 2 m/s: 5 degrees"},
      {"without", "Without each feedback path", "left out", "Not optimised again; 20 s on level ground.",
       false, "no table; without constraints of muscles and delays motions are stiff"}};
  const auto wanted = [](const std::vector<std::string>& list, const std::string& one) {
    return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
  };
  std::erase_if(e.parts, [&](const ExperimentPart& part) { return !wanted(options.parts, part.name); });
  for (const std::string& part : options.parts) {
    if (std::none_of(e.parts.begin(), e.parts.end(),
                     [&](const ExperimentPart& one) { return one.name == part; }))
      throw InputError("--only", "'" + part + "'", "engines, pushes, slopes or without");
  }
  const auto has = [&](const char* name) {
    return std::any_of(e.parts.begin(), e.parts.end(),
                       [&](const ExperimentPart& part) { return part.name == name; });
  };
  const auto add = [&](const char* part, const ShippedGait& gait, const GaitTask& task,
                       const std::string& value, std::uint64_t seed,
                       const std::vector<std::string>& without = {}) {
    Trial trial;
    trial.part = part;
    trial.setup = {task.engine, "default", shipped(gait.name).creature};
    trial.motion = gait.name;
    trial.value = value;
    trial.detail = fmt::format("seed {}", seed);
    trial.run = [gait, task, seed, without] { return outcome_of(gait, task, seed, without); };
    e.trials.push_back(std::move(trial));
  };
  for (const ShippedGait& gait : kShippedGaits) {
    if (has("engines")) {
      for (const EngineInfo& engine : engines()) {
        if (wanted(options.engines, engine.name))
          add("engines", gait, {.engine = engine.name}, engine.name, options.seed);
      }
    }
    const std::string engine = options.engines.empty() ? "penalty" : options.engines.front();
    for (int s = 0; s < kSeeds; ++s) {
      const std::uint64_t seed = options.seed + 100 + static_cast<std::uint64_t>(s);
      if (has("pushes")) {
        for (const int force : {25, 50, 75, 100, 150})
          add("pushes", gait, {.engine = engine, .push = static_cast<double>(force)},
              fmt::format("{}", force), seed);
      }
      if (has("slopes")) {
        for (const int slope : {2, 3, 5, 8})
          add("slopes", gait, {.engine = engine, .slope_deg = static_cast<double>(slope)},
              fmt::format("{}", slope), seed);
      }
    }
    if (has("without")) {
      for (const auto& [path, names] : kFeedbackPaths)
        add("without", gait, {.engine = engine}, path, options.seed, names);
    }
  }
  return e;
}

}  // namespace stunt
