// Walks by muscles alone: Geijtenbeek 2013, Table 7.4 and section 7.5.3, with the gaits that come with the program; the human's
// walk beside those of humans; and searches from the general guess.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "stunt/actor/muscle/metabolism.h"
#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/experiment/experiment.h"
#include "stunt/experiment/gait_cycles.h"
#include "stunt/optimize/gait_search.h"

namespace stunt {
namespace {

constexpr double kTrialDuration = 20;  // s
constexpr int kSeeds = 5;

// The gaits in data/controllers.
std::vector<std::string> shipped_gaits() {
  std::vector<std::string> names = embedded_names("controllers");
  std::erase_if(names, [](const std::string& name) {
    return embedded_file("controllers/" + name + ".yaml")->find("\ncreature: ") == std::string_view::npos;
  });
  return names;
}

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

// Searches from the general guess: Table 7.4's creatures, the human at 1.3 m/s, and how long they may take.
struct SearchCase {
  std::string creature;
  double speed;
  int generations;
};
const std::vector<SearchCase> kSearches = {{"human", 1.3, 120},
                                           {"human", 2.0, 300},
                                           {"ostrich", 1.2, 300},
                                           {"longneck", 1.5, 300},
                                           {"longlegs", 2.0, 300}};
constexpr int kSweepGenerations = 60;

TrialOutcome outcome_of(const GaitVerdict& verdict) {
  TrialOutcome outcome;
  outcome.completed = verdict.ended.empty();
  outcome.simulated_s = verdict.lasted;
  outcome.reason = verdict.ended;
  if (!outcome.completed) outcome.fell_at_s = verdict.lasted;
  outcome.measured = {{"lasted (s)", verdict.lasted},
                      {"speed (m/s)", verdict.travelled / std::max(verdict.lasted, 0.1)},
                      {"effort (W/kg)", verdict.effort},
                      {"landing (body weights)", verdict.impact}};
  return outcome;
}

TrialOutcome tried(const std::string& gait, GaitTask task, std::uint64_t seed,
                   const std::vector<std::string>& without) {
  MuscleGaitSettings settings = shipped(gait);
  for (const std::string& name : without) {
    const auto found = settings.parameters.find(name);
    if (found != settings.parameters.end()) found->second = 0;
  }
  task.duration = kTrialDuration;
  return outcome_of(GaitTrial(Creature::load(settings.creature), task).run(settings, seed));
}

MeasuredLine line_of(const std::string& name, const std::vector<double>& curve) {
  MeasuredLine line{name, {}, curve};
  for (std::size_t i = 0; i < curve.size(); ++i)
    line.x.push_back(100.0 * static_cast<double>(i) / static_cast<double>(curve.size()));
  return line;
}

double extreme(const GaitCycles::Curve& curve, int from, int to, bool largest) {
  const auto begin = curve.begin() + from, end = curve.begin() + to;
  return largest ? *std::max_element(begin, end) : *std::min_element(begin, end);
}

// One of the parts "norms", "reaction", "activation" and "effort": the same walk, looked at in another way.
TrialOutcome walked_beside_humans(const std::string& gait, GaitTask task, std::uint64_t seed,
                                  const std::string& part) {
  const MuscleGaitSettings settings = shipped(gait);
  const CreaturePtr creature = Creature::load(settings.creature);
  CycleRecorder recorder(*creature);
  task.duration = kTrialDuration;
  std::map<std::string, double> effort;  // J/kg, by muscle, both sides
  const auto spectator = [&](const GaitSample& now) {
    recorder.see(now);
    if (part != "effort") return;
    const MuscleSense& felt = now.body->felt();
    for (int m = 0; m < felt.fibres->size(); ++m)
      effort[creature->kinds()[static_cast<std::size_t>(m)]] +=
          metabolic_rate(*felt.fibres, now.body->excitation(), *felt.state, m) * task.timestep /
          creature->actor()->mass();
  };
  const GaitVerdict verdict = GaitTrial(creature, task).run(settings, seed, spectator);
  TrialOutcome outcome = outcome_of(verdict);
  const GaitCycles cycles = recorder.mean();
  if (cycles.strides < 1) return outcome;
  const WalkingNorm norm;
  const auto add = [&](const char* name, double value) { outcome.measured.push_back({name, value}); };
  add("strides", cycles.strides);
  if (part == "norms") {
    add("hip RMS (deg)", difference_to_norm(cycles.hip, norm.hip));
    add("knee RMS (deg)", difference_to_norm(cycles.knee, norm.knee));
    add("ankle RMS (deg)", difference_to_norm(cycles.ankle, norm.ankle));
    add("steps a minute", cycles.cadence);
    add("stride (m)", cycles.stride_m);
    add("double support (%)", 100 * cycles.double_support);
    add("cost of transport", (verdict.effort + kBasalRate) * verdict.lasted / (9.81 * verdict.travelled));
    for (const auto& [name, curve, wanted] :
         {std::tuple{"hip", cycles.hip, norm.hip}, std::tuple{"knee", cycles.knee, norm.knee},
          std::tuple{"ankle", cycles.ankle, norm.ankle}}) {
      outcome.lines.push_back(line_of(name, curve));
      outcome.lines.push_back(
          line_of(std::string(name) + ", humans", std::vector<double>(wanted.begin(), wanted.end())));
    }
  } else if (part == "effort") {
    for (const auto& [kind, spent] : effort)
      outcome.measured.push_back({kind + " (W/kg)", spent / std::max(verdict.lasted, 0.1)});
  } else if (part == "reaction") {
    add("first hump", extreme(cycles.vertical, 0, 25, true));
    add("valley", extreme(cycles.vertical, 20, 40, false));
    add("second hump", extreme(cycles.vertical, 35, 65, true));
    outcome.lines = {line_of("vertical", cycles.vertical), line_of("forward", cycles.forward)};
  } else {
    const std::vector<std::string>& kinds = creature->kinds();
    std::set<std::string> drawn;
    for (std::size_t m = 0; m < cycles.activation.size(); ++m) {
      if (drawn.insert(kinds[2 * m]).second)
        outcome.lines.push_back(line_of(kinds[2 * m], cycles.activation[m]));
    }
  }
  return outcome;
}

TrialOutcome searched(const MuscleGaitSettings& start, GaitSearchOptions options) {
  const auto evaluator = thread_evaluator(1);
  const FoundGait found = find_gait(start, options, *evaluator);
  TrialOutcome outcome = outcome_of(found.verdict);
  outcome.completed = found.success_generation > 0;
  outcome.measured.push_back({"generations", static_cast<double>(found.generations)});
  outcome.measured.push_back({"search (s)", found.seconds});
  outcome.measured.push_back({"flight (%)", 100 * found.verdict.flight});
  outcome.measured.push_back(
      {"steps a minute", 60 * found.verdict.steps / std::max(found.verdict.lasted, 0.1)});
  return outcome;
}

MuscleGaitSettings guess_of(const std::string& creature, double speed) {
  MuscleGaitSettings settings;
  settings.creature = creature;
  settings.speed = speed;
  settings.parameters = general_guess(*Creature::load(creature));
  return settings;
}

std::vector<ExperimentPart> all_parts() {
  const auto by_cycle = [](ExperimentPart part, const char* what) {
    part.x_label = "gait cycle (%)";
    part.y_label = what;
    return part;
  };
  return {
      {"engines", "The same gait in every engine", "engine", "20 s on level ground.", false,
       "ODE alone, in steps of 0.3 ms"},
      {"pushes", "Pushes", "force (N)", "0.2 s every 2 s in a random direction, 20 s, five seeds.", false,
       "human 100 N, running 50; ostrich 50; longneck 100; longlegs 100"},
      {"slopes", "Terrain", "steepest (deg)", "Another slope each metre, 20 s, five seeds.", false,
       "human 5 degrees, running 3; ostrich 5; longneck 5; longlegs 3"},
      {"turning", "Turning", "rate (deg/s)",
       "The wanted heading turns to one side or the other for 3 s at a time, 20 s, five seeds.", false,
       "human 12 degrees a second; ostrich 6; longneck 12; longlegs 12"},
      {"without", "Without each feedback path", "left out", "Not optimised again; 20 s on level ground.",
       false, "no table"},
      by_cycle({"norms", "Joint angles beside those of humans", "gait",
                "Left leg, mean of all strides after 3 s; norms of Schwartz et al. 2008. Nothing removed.",
                false, "no such comparison"},
               "flexion (deg)"),
      by_cycle(
          {"reaction", "Ground reaction", "gait",
           "Under the left foot. Humans: 1.05, 0.80 and 1.14 body weights.", false, "no such comparison"},
          "body weights"),
      {"effort", "Where the effort goes", "gait", "Metabolic rate by muscle, both sides together.", false,
       "no such table"},
      by_cycle({"activation", "Muscles by gait phase", "gait", "Left side.", false, "no such figure"},
               "activation"),
      {"search", "From the general guess to all thresholds", "creature, m/s",
       "Five seeds, one thread; completed: within 120 generations for the human's walk, 300 for the others.",
       false, "generations: human at 2 m/s 197, ostrich 698, longneck 541, longlegs 403"},
      {"speeds", "Gaits at other speeds", "wanted (m/s)",
       "60 generations from the human's walk; completed: all thresholds.", false,
       "walk at 2 m/s, run at 4 m/s"},
      {"constraints", "Without biomechanical constraints", "muscles",
       "60 generations from the human's walk; ideal: no activation, contraction or delays.", false,
       "motions become stiff"},
      {"routing", "Without optimised routing", "points of muscles",
       "The wide creature from the general guess at 1.2 m/s, 150 generations, five seeds.", false,
       "no robust gaits, or unnatural ones"}};
}

}  // namespace

Experiment muscles_experiment(const ExperimentOptions& options) {
  Experiment e;
  e.title = "Creatures that walk by muscles alone";
  const auto wanted = [](const std::vector<std::string>& list, const std::string& one) {
    return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
  };
  std::vector<std::string> names;
  for (const ExperimentPart& part : all_parts()) {
    names.push_back(part.name);
    if (wanted(options.parts, part.name)) e.parts.push_back(part);
  }
  for (const std::string& part : options.parts) {
    if (!wanted(names, part))
      throw InputError("--only", "'" + part + "'", fmt::format("one of: {}", fmt::join(names, ", ")));
  }
  const auto add = [&](const std::string& part, const std::string& gait, const std::string& creature,
                       const std::string& engine, const std::string& value, std::uint64_t seed,
                       std::function<TrialOutcome()> run) {
    Trial trial;
    trial.part = part;
    trial.setup = {engine, "default", creature};
    trial.motion = gait;
    trial.value = value;
    trial.detail = fmt::format("{}, seed {}", gait, seed);
    trial.run = std::move(run);
    e.trials.push_back(std::move(trial));
  };
  const std::string engine = options.engines.empty() ? "penalty" : options.engines.front();
  const auto unseen = [&](int s) { return options.seed + 100 + static_cast<std::uint64_t>(s); };
  for (const ExperimentPart& part : e.parts) {
    const std::string& name = part.name;
    const auto vary = [&](std::initializer_list<int> values, double GaitTask::*number) {
      for (const std::string& gait : shipped_gaits()) {
        for (const int value : values) {
          for (int s = 0; s < kSeeds; ++s) {
            GaitTask task{.engine = engine};
            task.*number = value;
            add(name, gait, gait, engine, std::to_string(value), unseen(s),
                [=, seed = unseen(s)] { return tried(gait, task, seed, {}); });
          }
        }
      }
    };
    if (name == "pushes") vary({25, 50, 75, 100, 150}, &GaitTask::push);
    if (name == "slopes") vary({2, 3, 5, 8, 10}, &GaitTask::slope_deg);
    if (name == "turning") vary({6, 12, 20, 30}, &GaitTask::turn_deg_s);
    if (name == "engines") {
      for (const std::string& gait : shipped_gaits()) {
        for (const EngineInfo& one : engines()) {
          if (wanted(options.engines, one.name))
            add(name, gait, gait, one.name, one.name, options.seed,
                [=, seed = options.seed, task = GaitTask{.engine = one.name}] {
                  return tried(gait, task, seed, {});
                });
        }
      }
    }
    if (name == "without") {
      for (const auto& [path, left_out] : kFeedbackPaths)
        add(name, "human_walk", "human_walk", engine, path, options.seed,
            [=, seed = options.seed, task = GaitTask{.engine = engine}, list = left_out] {
              return tried("human_walk", task, seed, list);
            });
    }
    if (name == "norms" || name == "reaction" || name == "activation" || name == "effort") {
      for (const std::string gait : {"human_walk", "human_stroll"})
        add(name, gait, gait, engine, gait, options.seed,
            [=, seed = options.seed, task = GaitTask{.engine = engine}] {
              return walked_beside_humans(gait, task, seed, name);
            });
    }
    GaitSearchOptions search = gait_phases().front().options;
    search.task.engine = engine;
    for (int s = 0; s < kSeeds; ++s) {
      search.seed = options.seed + static_cast<std::uint64_t>(s);
      if (name == "search") {
        for (const SearchCase& one : kSearches) {
          search.generations = one.generations;
          search.first_speed = easy_speed(Creature::load(one.creature)->leg_length());
          add(name, "guess", one.creature, engine, fmt::format("{} {:g}", one.creature, one.speed),
              search.seed, [=] { return searched(guess_of(one.creature, one.speed), search); });
        }
      }
      if (name == "routing") {
        search.generations = 150;
        for (const bool free : {true, false}) {
          search.routing = free;
          add(name, "guess", "wide", engine, free ? "free" : "fixed", search.seed,
              [=] { return searched(guess_of("wide", 1.2), search); });
        }
      }
    }
    search.seed = options.seed;
    search.routing = true;
    search.first_speed.reset();
    search.generations = kSweepGenerations;
    if (name == "speeds") {
      for (const double speed : {0.8, 1.0, 1.3, 1.6, 2.0, 2.5, 3.0, 4.0})
        add(name, "human_walk", "human", engine, fmt::format("{:g}", speed), search.seed, [=] {
          MuscleGaitSettings start = shipped("human_walk");
          GaitSearchOptions faster = search;
          faster.first_speed = start.speed;
          start.speed = speed;
          return searched(start, faster);
        });
    }
    if (name == "constraints") {
      for (const bool ideal : {false, true})
        add(name, "human_walk", "human", engine, ideal ? "ideal" : "Hill", search.seed, [=] {
          MuscleGaitSettings start = shipped("human_walk");
          start.ideal = ideal;
          return searched(start, search);
        });
    }
  }
  return e;
}

}  // namespace stunt
