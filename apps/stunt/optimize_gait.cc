// stunt optimize gait: muscles and reflexes that make a creature walk.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "console.h"
#include "rehearse_options.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/optimize/gait_search.h"
#include "stunt/simulate/scene/scene.h"

namespace stunt {
namespace {

struct GaitOptions {
  std::string creature = "human", from, out;
  double speed = 1.3;
  std::vector<std::string> phases = {"find", "robust"};
  // What is said here is so in every phase.
  std::optional<double> budget, spread, duration, friction, push, slope, turn, effort, impact, stride;
  std::optional<int> generations;
  GaitSearchOptions search;  // population, seed, engine, timestep
  int jobs = 1;
  bool json = false, quiet = false;
};

// The phase as the options want it.
GaitPhase phase_of(const GaitOptions& options, const std::string& name) {
  for (GaitPhase& phase : gait_phases()) {
    if (phase.name != name) continue;
    GaitSearchOptions& search = phase.options;
    const auto say = [](const auto& wanted, auto& value) {
      if (wanted) value = *wanted;
    };
    search.population = options.search.population;
    search.seed = options.search.seed;
    search.task.engine = options.search.task.engine;
    search.task.timestep = options.search.task.timestep;
    search.to_the_end = options.search.to_the_end;
    search.routing = options.search.routing;
    say(options.generations, search.generations);
    say(options.spread, search.spread);
    say(options.duration, search.task.duration);
    say(options.friction, search.task.friction);
    say(options.push, search.task.push);
    say(options.slope, search.task.slope_deg);
    say(options.turn, search.task.turn_deg_s);
    say(options.effort, search.task.effort);
    say(options.impact, search.task.impact);
    say(options.stride, search.task.stride);
    return phase;
  }
  throw InputError("--phases", "'" + name + "'", "find, robust or economy");
}

std::string scene_text(const GaitOptions& options, const MuscleGaitSettings& settings, double duration,
                       double friction) {
  Scene scene;
  scene.name =
      fmt::format("{} {:g} m/s", std::filesystem::path(options.creature).stem().string(), options.speed);
  scene.engine = options.search.task.engine;
  scene.timestep = options.search.task.timestep;
  scene.duration = duration;
  scene.ground.friction = friction;
  ActorSpec actor;
  actor.name = std::filesystem::path(options.creature).stem().string();
  actor.character = options.creature;
  actor.controller = ControllerSpec("muscle");
  Config config = Config::parse(write_gait(settings), "gait");
  read_settings(config, actor.controller);
  scene.actors.push_back(actor);
  return write_scene(scene);
}

void run_gait(const GaitOptions& options) {
  namespace fs = std::filesystem;
  std::vector<GaitPhase> phases;
  for (const std::string& wanted : options.phases) phases.push_back(phase_of(options, wanted));
  MuscleGaitSettings start;
  const CreaturePtr creature = Creature::load(options.creature);
  double first_speed = easy_speed(creature->leg_length());
  if (!options.from.empty()) {
    Config config = Config::parse(fmt::format("file: {}", yaml_word(options.from)), "--from");
    read_settings(config, start);
    const auto has_number = [&](const Parameter& one) { return start.parameters.contains(one.name); };
    const std::vector<Parameter> needed = gait_parameters(*creature);
    if (needed.size() != start.parameters.size() || !std::all_of(needed.begin(), needed.end(), has_number)) {
      throw InputError("--from",
                       fmt::format("'{}', a gait of the creature '{}'", options.from, start.creature),
                       fmt::format("a gait of '{}', or of one with the same muscles", options.creature));
    }
    first_speed = start.speed;
  }
  start.creature = options.creature;
  start.speed = options.speed;
  if (start.parameters.empty()) start.parameters = general_guess(*creature);
  const std::string name = fmt::format("gait-{}-{:g}", creature->name(), options.speed);
  const fs::path folder = options.out.empty() ? fs::path("out") / name : fs::path(options.out);
  if (fs::exists(folder) && !fs::is_directory(folder))
    throw InputError(folder.string(), "a file", "a folder for the results");
  fs::create_directories(folder);
  say(fmt::format("{}: {} kg, {} muscles, {} numbers to find, {} tries in a generation, {} threads", name,
                  std::lround(creature->actor()->mass()), creature->kinds().size(),
                  gait_parameters(*creature).size(), options.search.population, options.jobs),
      options.quiet);

  std::string history =
      "phase,generation,seconds,wanted,cost,speed,head_turn,head_speed,slide,effort,impact,lasted,ended,"
      "sigma\n";
  std::optional<StatusLine> line(std::in_place, options.quiet);
  const auto evaluator = thread_evaluator(options.jobs);
  FoundGait found;
  double seconds = 0;
  int generations = 0;
  bool stopped = false;
  for (const GaitPhase& phase : phases) {
    GaitSearchOptions search = phase.options;
    if (phase.name == "find") search.first_speed = first_speed;
    if (options.budget) search.budget = std::max(*options.budget - seconds, 0.0);
    const FoundGait before = found;
    found = find_gait(start, search, *evaluator, [&](const GaitGeneration& row, const FoundGait& best) {
      const GaitVerdict& v = row.best;
      history += fmt::format(
          "{},{},{:.1f},{:.3f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.3f},{:.3f},{:.2f},{},{:.3f}\n",
          phase.name, row.number, seconds + row.seconds, row.speed, v.cost, v.speed, v.head_turn,
          v.head_speed, v.slide, v.effort, v.impact, v.lasted, v.ended, row.sigma);
      line->update(fmt::format(
          "{}, generation {}, {:.0f} s, {:.2f} m/s: cost {:.2f} (best {:.2f}), lasts {:.1f} of {:.0f} s{}",
          phase.name, row.number, seconds + row.seconds, row.speed, v.cost, best.verdict.cost, v.lasted,
          search.task.duration, v.ended.empty() ? "" : ", then " + v.ended));
      stopped = take_interrupt();
      return !stopped;
    });
    if (found.generations == 0) found = before;  // the budget was used up
    start.parameters = found.settings.parameters;
    seconds += found.seconds;
    generations += found.generations;
    if (before.success_generation > 0) {
      found.success_generation = before.success_generation;
      found.success_seconds = before.success_seconds;
    }
    const bool failed = phase.name == "find" && found.success_generation == 0;
    if (stopped || failed) break;
  }
  if (generations == 0) throw RunError("the budget was used up before the first generation");
  found.seconds = seconds;
  found.generations = generations;
  const GaitSearchOptions& last = phases.back().options;
  line.reset();
  write_file(folder / "history.csv", history);
  const fs::path controller = folder / "controller.yaml", scene = folder / "scene.yaml";
  const GaitVerdict& v = found.verdict;
  write_file(
      controller,
      fmt::format(
          "# {} at {:g} m/s, found in {} generations of {} ({:.0f} s, seed {}): cost {:.3f}, effort {:.2f} "
          "W/kg\n{}",
          creature->name(), options.speed, found.generations, options.search.population, found.seconds,
          options.search.seed, v.cost, v.effort, write_gait(found.settings)));
  write_file(scene, scene_text(options, found.settings, 2 * last.task.duration, last.task.friction));
  if (options.json) {
    const nlohmann::ordered_json summary = {
        {"creature", creature->name()},
        {"speed", options.speed},
        {"controller", controller.string()},
        {"scene", scene.string()},
        {"success_generation", found.success_generation},
        {"success_s", found.success_seconds},
        {"generations", found.generations},
        {"tries", found.tries},
        {"wall_s", found.seconds},
        {"cost", v.cost},
        {"errors",
         {{"speed", v.speed}, {"head_turn", v.head_turn}, {"head_speed", v.head_speed}, {"slide", v.slide}}},
        {"effort_w_kg", v.effort},
        {"impact", v.impact},
        {"flight", v.flight},
        {"lasted_s", v.lasted},
        {"ended", v.ended},
        {"travelled_m", v.travelled},
        {"steps", v.steps},
        {"within", v.within}};
    print("{}\n", summary.dump(2));
    return;
  }
  print("{}: {} after {} generations ({:.0f} s)\n", name,
        found.success_generation > 0 ? fmt::format("all thresholds met in generation {} ({:.0f} s)",
                                                   found.success_generation, found.success_seconds)
                                     : std::string("thresholds not met"),
        found.generations, found.seconds);
  print(
      "lasts {:.1f} of {:.0f} s{}; {:.1f} m in {} steps; errors: speed {:.3f}, head {:.3f} rad, {:.3f} m/s, "
      "slide {:.3f} "
      "m/s; effort {:.2f} W/kg\n",
      v.lasted, last.task.duration, v.ended.empty() ? "" : ", then " + v.ended, v.travelled, v.steps, v.speed,
      v.head_turn, v.head_speed, v.slide, v.effort);
  print("watch it: stunt run {}\n", scene.string());
}

}  // namespace

void add_optimize_gait(CLI::App& optimize) {
  auto options = std::make_shared<GaitOptions>();
  options->jobs = cores();
  GaitSearchOptions& search = options->search;
  search.task.engine = "penalty";
  CLI::App* command =
      optimize.add_subcommand("gait", "muscles and reflexes that make a creature walk (docs/muscles.md)");
  command->footer("Example:  stunt optimize gait --creature human --speed 1.3 --generations 2");
  command->add_option("--creature", options->creature, "built-in, or a .yaml file; see `stunt creature`");
  command->add_option("--speed", options->speed, "m/s, wanted; a search begins slower and works up to it")
      ->check(CLI::Range(0.2, 12.0));
  command->add_option("--from", options->from,
                      "a gait to begin from, built-in or a file, also of a creature with the same muscles; "
                      "else the general guess");
  command
      ->add_option("--phases", options->phases,
                   "one after the other: find, robust, economy (default find,robust)")
      ->delimiter(',');
  command->add_option("--budget", options->budget, "seconds: no generation begins after that")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--generations", options->generations,
                   "at most, of each phase (default 2000 to find, 80, 120)")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--population", search.population, "tries in a generation (default 20)")
      ->check(CLI::Range(4, 10000));
  command
      ->add_option("--spread", options->spread, "factor on the first spreads (default 1 to find, else 0.5)")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", search.seed, "of the search, pushes and terrain (default 1)");
  command->add_option("--duration", options->duration, "seconds of a try (default 10)")
      ->check(CLI::PositiveNumber);
  command->add_option("--engine", search.task.engine, "see `stunt engines` (default penalty)");
  command->add_option("--timestep", search.task.timestep, "s (default 0.00125)")
      ->check(CLI::Range(0.0001, 0.005));
  command->add_option("--friction", options->friction, "of the ground (default 10 to find, else 1)")
      ->check(CLI::PositiveNumber);
  command->add_option("--push", options->push, "N for 0.2 s every 2 s, from anywhere (default 0, 75, 50)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--slope", options->slope, "degrees: terrain that changes each metre (default 0, 4, 3)")
      ->check(CLI::Range(0.0, 30.0));
  command->add_option("--turn", options->turn, "degrees a second: the wanted heading turns to and fro")
      ->check(CLI::Range(0.0, 360.0));
  command->add_option("--effort", options->effort, "weight of the effort (default 0.1, 1, 2)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--impact", options->impact, "weight of hard landings (default 0, 4, 5)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--stride", options->stride, "weight of short steps (default 0, 10, 10)")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--to-the-end", search.to_the_end, "find: go on after the thresholds are met");
  command->add_flag("!--fixed-routing", search.routing, "muscles stay where the template has them");
  command->add_option("--jobs", options->jobs, "tries at a time (the result does not depend on it)")
      ->check(CLI::Range(1, 256));
  command->add_option("-o,--out", options->out,
                      "folder for the results (default: out/gait-<creature>-<speed>)");
  command->add_flag("--json", options->json, "print the summary as JSON, alone on stdout");
  command->add_flag("--quiet", options->quiet, "no progress");
  command->callback([options] { run_gait(*options); });
}

}  // namespace stunt
