// stunt assess: could a human do this?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "console.h"
#include "import_options.h"
#include "stunt/assess/injury/injury_watch.h"
#include "stunt/assess/realism/human_size.h"
#include "stunt/assess/realism/model_motion.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/retarget/retarget.h"
#include "stunt/report/files/assessment.h"
#include "stunt/report/files/recording_file.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct AssessOptions {
  std::string source, character = "fit";
  std::string model;  // MJCF with muscles of its own; empty: none
  std::optional<double> mass_kg;
  RealismSettings realism;
  std::string injury;  // preset; empty: it is not measured
  ImportOptions import;
  bool json = false;
};

// One motion that was judged.
struct Judged {
  std::string what;  // "motion", "simulated", "reference"
  Realism realism;
};

std::optional<Recording> recording_in(const std::string& source) {
  const fs::path path = recording_path(source);
  if (path.extension() != ".npz" || !is_recording(path)) return std::nullopt;
  return load_recording(path);
}

std::vector<Judged> judge_on_model(const AssessOptions& options, const AssessedMotion& motion,
                                   ordered_json& out) {
  if (options.character != "fit" || options.mass_kg)
    throw InputError("--model", "a model beside another character or mass", "the model alone: it has a mass");
  ModelMotionReport report;
  const AssessedMotion moved =
      motion_on_model(motion, load_muscle_model(options.model), options.model, &report);
  const double degrees = 180 / kPi;
  out["model"] = {{"file", options.model},
                  {"scale", report.scale},
                  {"ankle_error_m", report.ankle_error},
                  {"leg_error_deg", report.leg_error * degrees},
                  {"arm_error_deg", report.arm_error * degrees},
                  {"cannot_show", report.still}};
  if (!options.json) {
    print("  On '{}', {:.2f} times as large: ankles within {:.0f} mm, legs within {:.0f} degrees",
          options.model, report.scale, 1000 * report.ankle_error, report.leg_error * degrees);
    print("{}\n",
          report.still.empty() ? "." : fmt::format("; it cannot show: {}.", fmt::join(report.still, ", ")));
  }
  return {{"motion", assess_realism(moved, options.realism)}};
}

std::vector<Judged> judge_motion(const AssessOptions& options, ordered_json& out) {
  const Clip clip = load_clip(options.source, options.import);
  const FittedActor fitted = fit_actor(clip, {.mass_kg = options.mass_kg.value_or(0)});
  check_human_size(fitted.actor, options.source);
  out["motion"] = clip.name;
  if (!options.model.empty()) return judge_on_model(options, motion_of(fitted, clip), out);
  out["character"] = options.character;
  if (options.character == "fit")
    return {{"motion", assess_realism(motion_of(fitted, clip), options.realism)}};
  if (options.mass_kg)
    throw InputError("--mass", "a mass for the character '" + options.character + "'", "the fitted one");
  const ActorPtr character = Actor::load(options.character);
  check_human_size(character, options.character);
  const auto retargeted = retarget(*clean_up(fitted, clip).reference, character);
  return {{"motion", assess_realism(motion_of(*retargeted), options.realism)}};
}

std::vector<Judged> judge_recording(const AssessOptions& options, const Recording& recording,
                                    ordered_json& out) {
  if (options.character != "fit" || options.mass_kg || !options.model.empty())
    throw InputError("assess", "a recording with another character, model or mass", "a motion file with it");
  std::vector<Judged> judged;
  out["recording"] = recording.name;
  for (std::size_t i = 0; i < recording.actors.size(); ++i) {
    const ActorTrack& track = recording.actors[i];
    if (!track.slot.actor->has_free_root()) continue;
    const std::string whose = recording.actors.size() > 1 ? track.name + " " : "";
    const int index = static_cast<int>(i);
    judged.push_back({whose + "simulated", assess_realism(motion_of(recording, index), options.realism)});
    if (track.has_reference())
      judged.push_back(
          {whose + "reference", assess_realism(motion_of(recording, index, true), options.realism)});
  }
  if (judged.empty()) throw InputError(options.source, "no character with a free root", "at least one");
  return judged;
}

// Impacts last milliseconds, which samples do not show: the run is simulated again and watched at every step.
std::vector<Injury> measure_injury(const AssessOptions& options, const Recording& recording) {
  Simulation simulation(read_scene(recording.scene_text, options.source + ": scene_yaml"));
  InjuryWatch watch(simulation, injury_preset(options.injury));
  simulation.watch(watch);
  simulation.run([](double) { return !interrupted(); });
  return watch.results();
}

}  // namespace

void add_assess(CLI::App& app) {
  auto options = std::make_shared<AssessOptions>();
  CLI::App* command = app.add_subcommand("assess", "judge a motion or a run: could a human do this?");
  command->footer("Example:  stunt assess walk\n          stunt assess jump --speed 2");
  command
      ->add_option("source", options->source, "motion file or built-in name, or a recording (or its folder)")
      ->required();
  command->add_option("--weight", options->realism.weight, "times the actor's mass; the strength stays")
      ->check(CLI::Range(0.01, 100.0));
  command->add_option("--speed", options->realism.speed, "times the motion's own speed")
      ->check(CLI::Range(0.01, 100.0));
  command->add_option("--friction", options->realism.friction, "between feet and ground (default 1)")
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--low-pass", options->realism.low_pass_hz, "Hz: smooth the motion first (default: no)")
      ->check(CLI::Range(0.0, 1000.0));
  command
      ->add_option("--overload", options->realism.overload,
                   "cost of muscle force beyond strength, against 1 within it; 0: as printed")
      ->check(CLI::Range(0.0, 1e6));
  command
      ->add_option("--split", options->realism.split, "of the load between the feet: hull (exact) or paper")
      ->check(CLI::IsMember({"hull", "paper"}));
  command->add_option("--character", options->character,
                      "fit (default), a name of `stunt characters`, or MJCF");
  command->add_option("--model", options->model,
                      "MJCF with muscles of its own: the motion is put on it and judged by its muscles");
  command->add_option("--mass", options->mass_kg, "kg, of the fitted character")
      ->check(CLI::Range(1.0, 1000.0));
  command
      ->add_option("--injury", options->injury, "of a recording: how badly it would hurt, default or paper")
      ->check(CLI::IsMember({"default", "paper"}));
  command->add_flag("--json", options->json, "for a program");
  add_import_options(*command, options->import);
  command->callback([options] {
    ordered_json out;
    const auto recording = recording_in(options->source);
    if (!recording && !options->injury.empty())
      throw InputError("--injury", "a motion file", "a recording: only a run has impacts");
    const std::vector<Judged> judged =
        recording ? judge_recording(*options, *recording, out) : judge_motion(*options, out);
    out["actor"] = {{"mass_kg", judged[0].realism.mass}, {"height_m", judged[0].realism.height}};
    out["duration_s"] = judged[0].realism.duration;
    for (const auto& [what, realism] : judged) {
      const RealismSummary summary = summarize_realism(realism);
      if (options->json) {
        out["realism"][what] = realism_json(summary);
        continue;
      }
      if (judged.size() > 1) print("{}\n", what);
      for (const std::string& sentence : summary.verdict) print("  {}\n", sentence);
    }
    if (!options->injury.empty()) {
      const std::vector<Injury> injuries = measure_injury(*options, *recording);
      for (std::size_t i = 0; i < injuries.size(); ++i) {
        const std::string& name = recording->actors[i].name;
        if (options->json) {
          out["injury"][name] = injury_json(injuries[i]);
        } else {
          print("{}  {} D_AVG {:.2f}\n", injuries.size() > 1 ? name + "\n" : "", injury_words(injuries[i]),
                injuries[i].d_avg);
        }
      }
    }
    if (options->json)
      print("{}\n", out.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    else if (judged[0].realism.muscles.muscles.empty())
      print("  (Strength is judged by joint torques: there are no muscles for a body like this.)\n");
  });
}

}  // namespace stunt
