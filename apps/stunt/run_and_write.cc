#include "run_and_write.h"

#include <fmt/format.h>

#include <optional>

#include "console.h"
#include "stunt/assess/injury/injury_watch.h"
#include "stunt/assess/realism/muscle_use.h"
#include "stunt/assess/run_summary.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/output_folder.h"
#include "stunt/motion/readers/bvh.h"
#include "stunt/report/files/glb.h"
#include "stunt/report/files/motion_export.h"
#include "stunt/report/files/recording_file.h"
#include "stunt/report/files/summary.h"
#include "stunt/report/page/html_report.h"
#include "stunt/simulate/simulation.h"

namespace stunt {

void add_seed_option(CLI::App& command, std::optional<std::uint64_t>& seed, const std::string& instead_of) {
  command.add_option("--seed", seed, "of everything random (" + instead_of + ")")
      ->check([](const std::string& text) {  // the library would take -3 for a huge number
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return digits ? "" : fmt::format("found '{}', expected a whole number from 0", text);
      });
}

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("-o,--out", options.out, "folder for the results (default: out/<name>)");
  command.add_flag("--json", options.json, "print the summary as JSON, alone on stdout");
  command.add_flag("--quiet", options.quiet, "no progress, no notes");
  command.add_flag("--require-upright", options.require_upright,
                   "exit status 1 when a character falls or is lost");
  command.add_option("--injury", options.injury, "measure how badly it would hurt: default or paper")
      ->check(CLI::IsMember({"default", "paper"}));
  command.add_option("--set", options.set, "override any scene key: --set ground.slope_deg=5")
      ->type_name("KEY=VALUE");
  command.add_option("--write-scene", options.write_scene,
                     "only write the scene to this file, every default filled in; it runs the same");
}

std::string results_folder(const Scene& scene, const RunOptions& options) {
  return options.out.empty() ? "out/" + scene.name : options.out;
}

Scene with_flags_named(const std::map<std::string, std::string>& flag_of_override,
                       const std::function<Scene()>& make) {
  try {
    return make();
  } catch (const InputError& error) {
    const std::string text = error.what();
    for (const auto& [assignment, flag] : flag_of_override) {
      const std::string place =
          fmt::format("override '{}': {}: ", assignment, assignment.substr(0, assignment.find('=')));
      if (text.starts_with(place)) throw InputError(flag, text.substr(place.size()));
    }
    throw;
  }
}

void run_and_write(const Scene& scene, const RunOptions& options, const Rehearsal* rehearsal) {
  if (!options.write_scene.empty()) {
    write_file(options.write_scene, write_scene(scene));
    return;
  }
  OutputFolder folder(results_folder(scene, options));
  Recording recording;
  std::vector<Injury> injuries;
  {
    Progress progress(scene.name, options.quiet);
    Simulation simulation(scene);
    std::optional<InjuryWatch> watch;
    if (!options.injury.empty()) simulation.watch(watch.emplace(simulation, injury_preset(options.injury)));
    recording = simulation.run([&](double now) {
      progress.update(now, simulation.duration());
      return !interrupted();
    });
    if (watch) injuries = watch->results();
  }
  add_muscle_use(recording);
  RunSummary summary = rehearsal ? summarize(recording, *rehearsal) : summarize(recording);
  for (std::size_t i = 0; i < injuries.size(); ++i) summary.actors[i].injury = injuries[i];
  const auto summary_object = summary_json(summary);
  if (rehearsal) folder.add("rehearsed.yaml", write_scene(rehearsal->scene));
  folder.add("summary.json", summary_object.dump(2) + "\n");
  folder.add("recording.npz", format_recording(recording));
  folder.add("scene.glb", format_glb(recording));
  for (std::size_t i = 0; i < recording.actors.size(); ++i) {
    const ActorTrack& track = recording.actors[i];
    const int actor = static_cast<int>(i);
    const bool own_skeleton = track.source && !track.source->retargeted;
    const Clip clip =
        own_skeleton ? simulated_clip(recording, actor, *track.source) : simulated_clip(recording, actor);
    const bool alone = recording.actors.size() == 1;
    folder.add(alone ? "simulated.bvh" : fmt::format("{}.bvh", track.name), write_bvh(clip));
  }
  folder.add("report.html", html_report({{&recording, summary_object, ""}}));
  if (interrupted()) throw RunError("interrupted; nothing was written");
  folder.commit();

  if (options.json) {
    print("{}\n", summary_object.dump(2));
  } else {
    print("{}", summary_text(summary));
    std::size_t notes = 0;
    for (const ActorSummary& actor : summary.actors) notes += actor.notes.size();
    if (notes > 0)
      print("{:<14} {} on how the motion was read, in the summary and the report\n", "notes", notes);
    print("results in {}\n", folder.path().string());
  }
  if (!recording.diverged.empty()) {
    say("stunt: the simulation diverged: " + recording.diverged);
    throw ExitStatus{1};
  }
  for (const ActorSummary& actor : summary.actors) {
    const bool lost = !actor.completed && !actor.stumble_reason.empty();
    if (!options.require_upright || (!actor.fell_at_s && !lost)) continue;
    say(actor.fell_at_s
            ? fmt::format("stunt: {} fell at {:.2f} s: {}", actor.name, *actor.fell_at_s, actor.fall_reason)
            : fmt::format("stunt: {} was lost: {}", actor.name, actor.stumble_reason));
    throw ExitStatus{1};
  }
}

}  // namespace stunt
