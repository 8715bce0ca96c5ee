// stunt run: a scene in, everything that happens in it out.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "run_and_write.h"
#include "stunt/report/files/recording_file.h"

namespace stunt {
namespace {

// A recording holds the scene that made it.
Scene scene_of(const std::string& name_or_path, const std::vector<std::string>& set) {
  if (recording_path(name_or_path).extension() != ".npz") return load_scene(name_or_path, set);
  return read_scene(load_recording(name_or_path).scene_text, name_or_path + ": scene_yaml", set);
}

}  // namespace

void add_run(CLI::App& app) {
  struct Options {
    std::string scene;
    std::optional<std::string> engine;
    std::optional<double> duration;
    std::optional<std::uint64_t> seed;
    RunOptions run;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("run", "simulate a scene (YAML file or built-in name), or a recording again");
  command->footer("Example:  stunt run course --engine ode --set ground.slope_deg=3");
  command
      ->add_option("scene", options->scene,
                   "a scene file, a name of data/scenes, a recording.npz or the folder it is in")
      ->required();
  command->add_option("--engine", options->engine, "instead of the scene's; see `stunt engines`");
  command->add_option("--duration", options->duration, "seconds to simulate, instead of the scene's");
  add_seed_option(*command, options->seed, "instead of the scene's");
  add_run_options(*command, options->run);
  command->callback([options] {
    std::vector<std::string> set = options->run.set;
    std::map<std::string, std::string> flags;
    const auto stands_for = [&](const char* flag, const std::string& assignment) {
      set.push_back(assignment);
      flags[assignment] = flag;
    };
    if (options->engine) stands_for("--engine", "engine=" + yaml_word(*options->engine));
    if (options->duration) stands_for("--duration", fmt::format("duration={}", *options->duration));
    if (options->seed) stands_for("--seed", fmt::format("seed={}", *options->seed));
    const Scene scene = with_flags_named(flags, [&] { return scene_of(options->scene, set); });
    run_and_write(scene, options->run);
  });
}

}  // namespace stunt
