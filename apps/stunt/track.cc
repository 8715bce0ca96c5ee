// stunt track: a motion in, its simulated double out. A scene with one actor, made from flags.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "rehearse_options.h"
#include "run_and_write.h"
#include "track_scene.h"

namespace stunt {

void add_track(CLI::App& app) {
  struct Options {
    TrackOptions track;
    RunOptions run;
    RehearseOptions rehearse;
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
  add_rehearse_options(*command, options->rehearse);
  command->callback([options] {
    const Scene scene = track_scene(options->track, options->run.set);
    if (!options->rehearse.rehearse) {
      run_and_write(scene, options->run);
      return;
    }
    const Rehearsal rehearsal =
        rehearse_shown(scene, options->rehearse, cores(), scene.name, options->run.quiet);
    run_and_write(rehearsal.scene, options->run, &rehearsal);
  });
}

}  // namespace stunt
