// stunt info: all about a motion file in one screen.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "console.h"
#include "import_options.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

using nlohmann::ordered_json;

// Intervals (s) in which any contact point of a foot carries load.
ordered_json contact_intervals(const SampledReference& reference, bool left) {
  ordered_json intervals = ordered_json::array();
  double begin = -1;
  for (int i = 0; i <= reference.size(); ++i) {
    bool loaded = false;
    for (std::size_t p = 0; i < reference.size() && p < reference.contacts(i).size(); ++p) {
      loaded = loaded || (reference.contacts(i)[p] && reference.actor()->contact_points()[p].left == left);
    }
    const double t = i / reference.rate();
    if (loaded && begin < 0) begin = t;
    if (!loaded && begin >= 0) {
      intervals.push_back(
          {std::round(begin * 1e4) / 1e4, std::round((t - 1 / reference.rate()) * 1e4) / 1e4});
      begin = -1;
    }
  }
  return intervals;
}

ordered_json describe(const Clip& clip, const FittedActor& fitted, const CleanMotion& prepared) {
  ordered_json roles = ordered_json::object();
  const Roles found = recognise_roles(clip.skeleton);
  for (int i = 0; i < kRoleCount; ++i) {
    const int joint = found[static_cast<Role>(i)];
    if (joint >= 0) roles[std::string(name(static_cast<Role>(i)))] = clip.skeleton.joints[joint].name;
  }
  std::vector<std::string> notes = clip.notes;
  notes.insert(notes.end(), fitted.notes.begin(), fitted.notes.end());
  notes.insert(notes.end(), prepared.notes.begin(), prepared.notes.end());
  std::vector<std::string> warnings = clip.warnings;
  warnings.insert(warnings.end(), prepared.warnings.begin(), prepared.warnings.end());
  return {
      {"motion", clip.name},
      {"format", clip.source.format},
      {"frames", clip.frame_count()},
      {"fps", clip.fps},
      {"duration_s", clip.duration()},
      {"joints", clip.skeleton.size()},
      {"unit_m", clip.source.unit_m},
      {"up_axis", clip.source.up_axis},
      {"rest_frame_dropped", clip.rest_frame_dropped},
      {"loops", clip.loops},
      {"animations", clip.animations},
      {"roles", roles},
      {"floor",
       {{"height_m", prepared.floor.height},
        {"slope_deg", prepared.floor.slope_deg()},
        {"found", prepared.floor_found}}},
      {"contacts",
       {{"left_foot", contact_intervals(*prepared.reference, true)},
        {"right_foot", contact_intervals(*prepared.reference, false)}}},
      {"actor",
       {{"height_m", fitted.height_m},
        {"mass_kg", fitted.actor->mass()},
        {"degrees_of_freedom", fitted.actor->nv()}}},
      {"cleanup",
       {{"spikes", prepared.spikes},
        {"low_pass_hz", prepared.low_pass_hz},
        {"foot_skate_m_s", {{"before", prepared.before.skate}, {"after", prepared.after.skate}}},
        {"penetration_m", {{"before", prepared.before.penetration}, {"after", prepared.after.penetration}}},
        {"floating_m", {{"before", prepared.before.floating}, {"after", prepared.after.floating}}},
        {"mean_change_deg", prepared.mean_change_deg}}},
      {"notes", notes},
      {"warnings", warnings}};
}

void print_info(const ordered_json& info) {
  print("{}: {}, {} frames at {:g} Hz, {:.2f} s, {} joints\n", info["motion"].get<std::string>(),
        info["format"].get<std::string>(), info["frames"].get<int>(), info["fps"].get<double>(),
        info["duration_s"].get<double>(), info["joints"].get<int>());
  print("  one unit is {:.6g} m, {} is up{}\n", info["unit_m"].get<double>(),
        info["up_axis"].get<std::string>(),
        info["rest_frame_dropped"].get<bool>() ? ", a rest pose before the motion was dropped" : "");
  print("  actor {:.2f} m, {:.0f} kg, {} degrees of freedom\n", info["actor"]["height_m"].get<double>(),
        info["actor"]["mass_kg"].get<double>(), info["actor"]["degrees_of_freedom"].get<int>());
  const auto& cleanup = info["cleanup"];
  print(
      "  feet before clean-up: skate {:.1f} cm/s, sink {:.1f} mm, float {:.1f} mm; after: {:.1f} cm/s, "
      "{:.1f} mm, {:.1f} mm\n",
      100 * cleanup["foot_skate_m_s"]["before"].get<double>(),
      1000 * cleanup["penetration_m"]["before"].get<double>(),
      1000 * cleanup["floating_m"]["before"].get<double>(),
      100 * cleanup["foot_skate_m_s"]["after"].get<double>(),
      1000 * cleanup["penetration_m"]["after"].get<double>(),
      1000 * cleanup["floating_m"]["after"].get<double>());
  std::string roles;
  for (const auto& [role, joint] : info["roles"].items())
    roles += fmt::format("{}={} ", role, joint.get<std::string>());
  print("  {}\n", roles);
  int number = 0;
  for (const auto& animation : info["animations"]) {
    print("  animation {}: {}\n", ++number, animation.get<std::string>());
  }
  for (const auto& note : info["notes"]) print("  - {}\n", note.get<std::string>());
  for (const auto& warning : info["warnings"]) print("  ! {}\n", warning.get<std::string>());
}

}  // namespace

void add_info(CLI::App& app) {
  struct Options {
    std::string motion;
    ImportOptions import;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("info", "tell all about a motion file");
  command->footer("Example:  stunt info walk\n          stunt info walk --start 1 --end 2");
  command->add_option("motion", options->motion, "motion file or built-in name")->required();
  command->add_flag("--json", options->json, "for a program");
  add_import_options(*command, options->import);
  command->callback([options] {
    const Clip clip = load_clip(options->motion, options->import);
    const FittedActor fitted = fit_actor(clip);
    const ordered_json info = describe(clip, fitted, clean_up(fitted, clip));
    if (options->json) {
      print("{}\n", info.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    } else {
      print_info(info);
    }
  });
}

}  // namespace stunt
