#include "stunt/optimize/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/number_settings.h"

namespace stunt {
namespace {

using Numbers = std::vector<NumberSetting>;

// The numbers that a name stands for: itself, or those of a group that have a search range.
std::vector<const NumberSetting*> numbers_named(const Numbers& numbers, const std::string& name) {
  std::vector<const NumberSetting*> found;
  for (const NumberSetting& number : numbers) {
    if (number.name == name) return {&number};
    if (number.about.search && (name.empty() || number.name.starts_with(name + ".")))
      found.push_back(&number);
  }
  return found;
}

const NumberSetting& number_named(const Numbers& numbers, const std::string& name, const std::string& place) {
  const auto found = std::find_if(numbers.begin(), numbers.end(),
                                  [&](const NumberSetting& number) { return number.name == name; });
  if (found == numbers.end())
    throw InputError(place, "'" + name + "'", "a setting of the scene that is a number");
  return *found;
}

Movable movable(const NumberSetting& number, const MoveSpec& move, const std::string& place) {
  const auto& search = number.about.search;
  const Limit& bounds = number.about.bounds;
  Movable out{number.name, {number.name}, 0, 0, 0, 0};
  out.mean = move.mean.value_or(number.value);
  if (!move.spread && !search)
    throw InputError(place, "no spread for " + number.name, "'spread': how far to look around the mean");
  out.spread = move.spread.value_or(search ? search->spread : 0);
  out.low = std::max(move.low.value_or(bounds.low), bounds.low);
  out.high = std::min(move.high.value_or(bounds.high), bounds.high);
  if (!(out.low < out.high)) {
    throw InputError(place, fmt::format("bounds {} to {} for {}", out.low, out.high, number.name),
                     "a low below a high, within the setting's own: " + bounds.text);
  }
  if (out.mean < out.low || out.mean > out.high) {
    throw InputError(place, fmt::format("a mean of {} for {}", out.mean, number.name),
                     fmt::format("one between {} and {}", out.low, out.high));
  }
  return out;
}

std::vector<Movable> find_movables(const ProblemSpec& spec, const std::string& problem_place) {
  const Numbers numbers = list_numbers(spec.scene);
  std::vector<Movable> all;
  for (std::size_t i = 0; i < spec.move.size(); ++i) {
    const MoveSpec& move = spec.move[i];
    const std::string place = fmt::format("{}: move.{}", problem_place, i);
    const auto found = numbers_named(numbers, move.setting);
    if (found.empty() && !move.setting.empty()) {
      throw InputError(place + ".setting", "'" + move.setting + "'",
                       "a setting of the scene that is a number, or a group with a search range");
    }
    if (found.size() > 1 && !move.tied.empty())
      throw InputError(place + ".tied", "it with the group '" + move.setting + "'", "it with one setting");
    for (const NumberSetting* number : found) all.push_back(movable(*number, move, place));
    for (const TiedSpec& tied : move.tied)
      all.back().settings.push_back(number_named(numbers, tied.setting, place + ".tied").name);
  }
  std::map<std::string, int> seen;
  for (const Movable& one : all) {
    for (const std::string& setting : one.settings) {
      if (++seen[setting] > 1)
        throw InputError(problem_place + ": move", "'" + setting + "' twice", "each setting once");
    }
  }
  if (all.empty())
    throw InputError(problem_place + ": move", "nothing that moves",
                     "at least one setting with a search range");
  return all;
}

bool only_controllers(const std::vector<Movable>& movables) {
  return std::all_of(movables.begin(), movables.end(), [](const Movable& one) {
    return std::all_of(one.settings.begin(), one.settings.end(), [](const std::string& setting) {
      return setting.starts_with("actors.") && setting.find(".controller.") != std::string::npos;
    });
  });
}

void describe_problem(Fields& fields, ProblemSpec& spec) {
  fields("name", spec.name, {.help = "of the results' folder"});
  fields("scene_file", spec.scene_file, {.help = "a scene file or a built-in scene, instead of 'scene'"});
  fields.list("move", spec.move, "the settings that may move; none: all that have a search range");
  fields.group("objective", spec.objective, "what judges a run");
  fields.group("success", spec.success, "when numbers count as found");
  fields.group("raise", spec.raise, "what is made harder each time that it is withstood");
  fields("population", spec.population, {.bounds = between(4, 100000), .help = "runs in a generation"});
  fields("separable", spec.separable, {.help = "learns no correlations: for hundreds of numbers"});
  fields("noisy", spec.noisy,
         {.help = "judges some runs twice, and takes care where that changes the order"});
  fields("most_repeats", spec.most_repeats,
         {.bounds = between(1, 1000), .help = "noisy: runs of one set of numbers that may be averaged"});
  fields("restarts", spec.restarts,
         {.bounds = between(0, 100), .help = "with twice the population each, where a search has ended"});
}

}  // namespace

void describe(Fields& fields, TiedSpec& tied) {
  fields("setting", tied.setting, {.help = "which gets the same number"});
}

void describe(Fields& fields, MoveSpec& move) {
  fields("setting", move.setting, {.help = "a number of the scene, or a group of them"});
  fields.list("tied", move.tied, "settings that get the same number");
  fields("mean", move.mean, {.help = "where to begin; default: the value that the scene has"});
  fields("spread", move.spread,
         {.bounds = above(0), .help = "how far to look at first; default: as described"});
  fields("low", move.low, {.help = "at least; default: the setting's own bound"});
  fields("high", move.high, {.help = "at most; default: the setting's own bound"});
}

void describe(Fields& fields, SuccessSpec& success) {
  fields("reward", success.reward, {.help = "at least, in a test"});
  fields("tests", success.tests,
         {.bounds = between(1, 1000), .help = "runs with seeds that the search never saw"});
  fields("passes", success.passes, {.bounds = between(1, 1000), .help = "of them must reach it"});
  fields.require(success.passes <= success.tests, "passes", fmt::format("{}", success.passes),
                 fmt::format("at most the {} tests", success.tests));
}

void describe(Fields& fields, RaisedSpec& raised) {
  fields("setting", raised.setting, {.help = "a number of the scene"});
  fields("power", raised.power, {.help = "it grows as that power of the setting that is raised"});
}

void describe(Fields& fields, RaiseSpec& raise) {
  fields("setting", raise.setting, {.help = "a number of the scene, which has its first value; empty: none"});
  fields("step", raise.step, {.help = "by how much, each time that success.reward is reached"});
  fields("patience", raise.patience,
         {.bounds = between(1, 1000000), .help = "generations without success, then the search ends"});
  fields.list("along", raise.along, "settings that change with it");
  fields.require(raise.setting.empty() || raise.step != 0, "step", "0", "by how much to raise");
}

Problem::Problem(ProblemSpec spec, const std::string& place) : spec_(std::move(spec)) {
  if (spec_.scene.actors.empty())
    throw InputError(place, "a scene without actors", "an actor with a motion to be judged by");
  spec_.scene.duration = spec_.objective.duration;
  if (spec_.move.empty()) spec_.move.push_back({});
  movables_ = find_movables(spec_, place);
  if (raises()) {
    const Numbers numbers = list_numbers(spec_.scene);
    raised_[spec_.raise.setting] =
        number_named(numbers, spec_.raise.setting, place + ": raise.setting").value;
    for (const RaisedSpec& one : spec_.raise.along)
      raised_[one.setting] = number_named(numbers, one.setting, place + ": raise.along").value;
  }
  std::vector<Performer> performers = make_performers(spec_.scene);
  if (only_controllers(movables_)) prepared_ = std::move(performers);
}

CmaSpace Problem::space() const {
  const auto n = static_cast<Eigen::Index>(movables_.size());
  CmaSpace space{.mean = VecX(n), .spread = VecX(n), .lower = VecX(n), .upper = VecX(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const Movable& one = movables_[static_cast<std::size_t>(i)];
    space.mean[i] = one.mean;
    space.spread[i] = one.spread;
    space.lower[i] = one.low;
    space.upper[i] = one.high;
  }
  return space;
}

double Problem::raised_to(int level) const {
  return raises() ? raised_.at(spec_.raise.setting) + level * spec_.raise.step : 0;
}

Scene Problem::scene_with(const VecX& x, int level) const {
  std::map<std::string, double> values;
  if (raises()) {
    const double to = raised_to(level), times = to / raised_.at(spec_.raise.setting);
    values[spec_.raise.setting] = to;
    for (const RaisedSpec& one : spec_.raise.along)
      values[one.setting] = raised_.at(one.setting) * std::pow(times, one.power);
  }
  for (std::size_t i = 0; i < movables_.size(); ++i) {
    for (const std::string& setting : movables_[i].settings)
      values[setting] = x[static_cast<Eigen::Index>(i)];
  }
  Scene scene = spec_.scene;
  set_numbers(scene, values);
  return scene;
}

// Motions are read and bodies fitted once where only controllers change.
std::vector<Performer> Problem::performers(const Scene& scene) const {
  if (prepared_.empty()) return make_performers(scene);
  std::vector<Performer> out;
  for (std::size_t i = 0; i < prepared_.size(); ++i) {
    Performer one;
    one.spec = scene.actors[i];
    one.actor = prepared_[i].actor;
    one.source = prepared_[i].source;
    one.shown = prepared_[i].shown;
    one.followed = prepared_[i].followed;
    one.touching = prepared_[i].touching;
    make_controller(one);
    out.push_back(std::move(one));
  }
  return out;
}

Judgement Problem::judge(const VecX& x, std::uint64_t seed, int level) const {
  Scene scene = scene_with(x, level);
  scene.seed = seed;
  Simulation simulation(scene, performers(scene));
  return run_and_judge(simulation, spec_.objective);
}

std::string Problem::task(const VecX& x, std::uint64_t seed, int level) {
  return fmt::format("{} {} {}", level, seed,
                     fmt::join(x.begin(), x.end(), " "));  // digits enough to be read as they were
}

std::string Problem::judge_task(const std::string& task) const {
  std::istringstream words(task);
  int level = 0;
  std::uint64_t seed = 0;
  words >> level >> seed;
  VecX x(static_cast<Eigen::Index>(movables_.size()));
  std::string word;
  for (double& number : x) {
    words >> word;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || !words) throw RunError("a task that was not made for this problem");
  }
  const Judgement judgement = judge(x, seed, level);
  if (!std::isfinite(judgement.reward)) throw RunError("a reward that is not a number");
  return write_settings(judgement);
}

std::string Problem::hash() const {
  ProblemSpec copy = spec_;
  std::string text = write_scene(copy.scene);
  text += write_described([&](Fields& fields) { describe_problem(fields, copy); });
  std::uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return fmt::format("{:016x}", h);
}

std::vector<std::string> built_in_problems() { return embedded_names("problems"); }

ProblemSpec load_problem(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  namespace fs = std::filesystem;
  std::string text;
  const auto embedded = embedded_file("problems/" + name_or_path + ".yaml");
  if (embedded) {
    text = *embedded;
  } else if (const auto scene = embedded_file("scenes/" + name_or_path + ".yaml")) {
    text = *scene;
  } else if (fs::exists(name_or_path)) {
    text = read_file(name_or_path);
  } else {
    throw InputError(
        name_or_path, "no such file",
        fmt::format("a problem or scene file, or one of: {}", fmt::join(built_in_problems(), ", ")));
  }
  ProblemSpec spec;
  const std::string stem = fs::path(name_or_path).stem().string();
  const Config glance = Config::parse(text, name_or_path);
  if (!glance.has("scene") && !glance.has("scene_file")) {  // a scene
    spec.scene = load_scene(name_or_path, overrides);
    spec.name = spec.scene.name;
    return spec;
  }
  std::vector<std::string> keys;
  if (glance.has("scene")) {
    for (const std::string& key : overrides) keys.push_back("scene." + key);
  }
  Config config = Config::parse(text, name_or_path, keys);
  read_described(config, [&](Fields& fields) {
    describe_problem(fields, spec);
    if (glance.has("scene")) fields.group("scene", spec.scene, "who acts");
  });
  config.done();
  if (glance.has("scene") && glance.has("scene_file"))
    throw InputError(name_or_path, "both 'scene' and 'scene_file'", "one of them");
  if (!spec.scene_file.empty()) {
    const fs::path beside = fs::path(name_or_path).parent_path() / spec.scene_file;
    spec.scene = load_scene(!embedded && fs::exists(beside) ? beside.string() : spec.scene_file, overrides);
  }
  if (spec.name == ProblemSpec{}.name && !stem.empty()) spec.name = stem;
  return spec;
}

}  // namespace stunt
