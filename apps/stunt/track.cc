// stunt track: a motion in, its simulated double out. A scene with one actor, made from flags.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "console.h"
#include "rehearse_options.h"
#include "run_and_write.h"
#include "stunt/core/output_folder.h"
#include "stunt/optimize/learned_set.h"
#include "stunt/simulate/performer.h"
#include "track_scene.h"

namespace stunt {
namespace {

// A motion that the plain tracker cannot do is practised a little without being asked; whoever sets something wants to see
// what that does, and whoever measures injuries wants to see the fall.
bool practises_unasked(const TrackOptions& track, const RunOptions& run) {
  return !track.controller && !track.preset && !track.assist && !track.pedestal && !track.loop &&
         run.set.empty() && run.injury.empty() && run.write_scene.empty();
}

// A controller that has numbers for several motions gets those that suit this one, unless somebody chose some.
void choose_numbers(Scene& scene, const TrackOptions& track, const RunOptions& run) {
  ActorSpec& actor = scene.actors.front();
  const bool has_sets = actor.controller.kind() == LearnedSet{}.controller.kind() && !track.preset;
  const bool chosen = std::any_of(run.set.begin(), run.set.end(), [](const std::string& key) {
    return key.starts_with("actors.0.controller");
  });
  if (!has_sets || chosen || actor.controller.preset() != "default") return;
  const MotionFeatures features = features_of(*make_performers(scene).front().shown);
  const auto set = learned_set_for(features);
  if (!set) {
    say("numbers: the universal set; no motion that was optimised for is near this one", run.quiet);
    return;
  }
  const RootHelpSettings help = actor.controller.help;
  actor.controller = set->controller;
  actor.controller.help = help;
  say(fmt::format(
          "numbers: those found for '{}' (reward {:.2f}{}), the nearest; --preset default: the universal set",
          set->motion, set->reward, set->withstood.empty() ? "" : " with " + set->withstood),
      run.quiet);
}

}  // namespace

void add_track(CLI::App& app) {
  struct Options {
    TrackOptions track;
    RunOptions run;
    RehearseOptions rehearse;
    bool no_rehearse = false;
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
  command
      ->add_flag("--no-rehearse", options->no_rehearse,
                 "the first attempt counts: no practice, not even the little that a motion gets that "
                 "fails at once")
      ->excludes("--rehearse");
  command->callback([options] {
    Scene scene = track_scene(options->track, options->run.set);
    choose_numbers(scene, options->track, options->run);
    RehearseOptions practice = options->rehearse;
    if (!practice.rehearse && !options->no_rehearse && practises_unasked(options->track, options->run)) {
      practice.rehearse = practice.unasked = true;
    }
    if (!practice.rehearse) {
      run_and_write(scene, options->run);
      return;
    }
    OutputFolder(results_folder(scene, options->run));  // what cannot be written is not practised
    const Rehearsal rehearsal = rehearse_shown(scene, practice, cores(), scene.name, options->run.quiet);
    const bool told = options->rehearse.rehearse || rehearsal.needed;
    run_and_write(told ? rehearsal.scene : scene, options->run, told ? &rehearsal : nullptr);
  });
}

}  // namespace stunt
