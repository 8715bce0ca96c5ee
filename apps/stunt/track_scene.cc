#include "track_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "import_options.h"
#include "run_and_write.h"

namespace stunt {
namespace {

// The default tracker follows as well with two steps per plan of 4 ms on MuJoCo, and with three on ODE, as with four
// (docs/mcsim.md), in less time. Other engines and controllers need the scene's own step.
double step_for(const Scene& scene) {
  const bool tracker = std::all_of(scene.actors.begin(), scene.actors.end(), [](const ActorSpec& actor) {
    return actor.controller.kind() == "mcsim" && actor.controller.preset() == "default";
  });
  if (tracker && scene.engine == "mujoco") return 0.002;
  if (tracker && scene.engine == "ode") return 0.004 / 3;
  return scene.timestep;
}

}  // namespace

void add_track_options(CLI::App& command, TrackOptions& options) {
  command.add_option("--controller", options.controller, "see `stunt controllers`");
  command.add_option("--preset", options.preset, "a named set of the controller's settings");
  command.add_option("--engine", options.engine, "see `stunt engines`");
  command.add_option("--character", options.character,
                     "fit (default), a name of `stunt characters`, or an MJCF file");
  command.add_flag("--pedestal", options.pedestal, "hold the root to the motion (not physical)");
  command.add_option("--assist", options.assist, "strength of an unseen spring on the root (not physical)");
  command.add_flag("--loop", options.loop, "repeat the motion until --duration");
  command.add_option("--duration", options.duration, "seconds to simulate (default: the motion's length)");
  command.add_option("--timestep", options.timestep,
                     "seconds per engine step (default 0.001; mcsim on mujoco 0.002, on ode 0.00133)");
  command.add_option("--slope", options.slope_deg, "degrees the ground rises along X");
  add_seed_option(command, options.seed, "default 1");
  add_import_options(command, options.import);
}

Scene track_scene(const TrackOptions& options, const std::vector<std::string>& set) {
  std::vector<std::string> keys;
  std::map<std::string, std::string> flags;
  const auto key = [&](const std::string& name, const auto& value, const char* flag) {
    if (!value) return;
    keys.push_back(fmt::format("{}={}", name, *value));
    flags[keys.back()] = flag;
  };
  const auto text = [&](const std::string& name, const std::optional<std::string>& value, const char* flag) {
    if (value) key(name, std::optional(yaml_word(*value)), flag);
  };
  const std::string stem = std::filesystem::path(options.motion).stem().string();
  text("name", stem.empty() || stem.starts_with('.') ? "motion" : stem, "motion");
  text("actors.0.motion.source", options.motion, "motion");
  keys.push_back("actors.0.motion.import=" + write_settings(options.import));
  if (options.loop) keys.push_back("actors.0.motion.loop=true");
  text("actors.0.character", options.character, "--character");
  text("actors.0.controller.type", options.controller, "--controller");
  text("actors.0.controller.preset", options.preset, "--preset");
  if (options.pedestal) keys.push_back("actors.0.controller.pedestal=true");
  key("actors.0.controller.assist", options.assist, "--assist");
  text("engine", options.engine, "--engine");
  key("duration", options.duration, "--duration");
  key("timestep", options.timestep, "--timestep");
  key("ground.slope_deg", options.slope_deg, "--slope");
  key("seed", options.seed, "--seed");
  keys.insert(keys.end(), set.begin(), set.end());
  Scene scene = with_flags_named(flags, [&] { return read_scene("", "command line", keys); });
  for (ActorSpec& actor : scene.actors) actor.place.clear();  // nobody wrote "actors.0"
  const bool asked = options.timestep || std::any_of(set.begin(), set.end(), [](const std::string& one) {
                       return one.starts_with("timestep=");
                     });
  if (!asked) scene.timestep = step_for(scene);
  return scene;
}

}  // namespace stunt
