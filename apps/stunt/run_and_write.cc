#include "run_and_write.h"

#include <fmt/format.h>

#include "console.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/motion/readers/bvh.h"
#include "stunt/report/files/glb.h"
#include "stunt/report/files/motion_export.h"
#include "stunt/report/files/recording_file.h"
#include "stunt/report/files/summary.h"
#include "stunt/report/page/html_report.h"
#include "stunt/simulate/cast.h"

namespace stunt {

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("--out", options.out, "folder for the results (default: out/<name>)");
  command.add_flag("--json", options.json, "print the summary as JSON, alone on stdout");
  command.add_flag("--quiet", options.quiet, "no progress");
  command.add_flag("--require-upright", options.require_upright, "exit status 1 when a character falls");
  command.add_option("--set", options.set, "override any scene key: --set ground.slope_deg=5")
      ->type_name("KEY=VALUE");
}

void run_and_write(const Scene& scene, const RunOptions& options) {
  OutputFolder folder(options.out.empty() ? "out/" + scene.name : options.out);
  Cast cast = make_cast(scene);
  Simulation simulation(scene, std::move(cast.members));
  Recording recording;
  {
    Progress progress(scene.name, simulation.duration(), options.quiet);
    recording = simulation.run([&](double t) {
      progress.update(t);
      return !interrupted();
    });
  }
  const auto summary = summarize(recording);
  folder.add("summary.json", summary.dump(2) + "\n");
  folder.add("recording.npz", format_recording(recording));
  folder.add("scene.glb", format_glb(recording));
  for (std::size_t i = 0; i < cast.sources.size(); ++i) {
    const CastSource& source = cast.sources[i];
    const int actor = static_cast<int>(i);
    const Clip clip = source.retargeted ? simulated_clip(recording, actor)
                                        : simulated_clip(recording, actor, source.fitted, source.clip,
                                                         scene.actors[i].motion);
    const bool alone = cast.sources.size() == 1;
    folder.add(alone ? "simulated.bvh" : fmt::format("{}.bvh", recording.actors[i].name), write_bvh(clip));
  }
  folder.add("report.html", html_report({{&recording, summary, ""}}));
  if (interrupted()) throw RunError("interrupted; nothing was written");
  folder.commit();

  if (options.json) {
    fmt::print("{}\n", summary.dump(2));
  } else {
    fmt::print("{}results in {}\n", summary_text(summary), folder.path().string());
  }
  if (!recording.diverged.empty()) {
    say("stunt: the simulation diverged: " + recording.diverged);
    throw ExitStatus{1};
  }
  for (const ActorTrack& track : recording.actors) {
    if (track.fall && options.require_upright) {
      say(fmt::format("stunt: {} fell at {:.2f} s: {}", track.name, track.fall->time, track.fall->reason));
      throw ExitStatus{1};
    }
  }
}

}  // namespace stunt
