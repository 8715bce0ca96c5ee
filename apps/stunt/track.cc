// stunt track: a motion in, its simulated double out. A scene with one actor, made from flags.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "run_and_write.h"
#include "track_scene.h"

namespace stunt {

void add_track(CLI::App& app) {
  struct Options {
    TrackOptions track;
    RunOptions run;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("track", "simulate a double of the actor in a motion (file or built-in name)");
  command->footer("Example:  stunt track squat --controller pd --pedestal");
  command
      ->add_option("motion", options->track.motion,
                   "BVH, AMC, FBX, glTF, DeepMimic, AMASS file, or a name of `stunt motions`")
      ->required();
  add_track_options(*command, options->track);
  add_run_options(*command, options->run);
  command->callback(
      [options] { run_and_write(track_scene(options->track, options->run.set), options->run); });
}

}  // namespace stunt
