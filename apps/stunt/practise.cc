// stunt practise: the hits of a scene's routines, tried in the air until they go where they are aimed.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "console.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/optimize/practice.h"

namespace stunt {
namespace {

using nlohmann::ordered_json;

// How well the hits of a character go to 25 targets around their own place.
ordered_json check_hits(const Scene& scene, const ActorSpec& actor) {
  HitRoom room(scene, actor.name);
  ordered_json rows = ordered_json::array();
  for (const SegmentSpec& segment : actor.routine.segments) {
    if (segment.strike.with.empty()) continue;
    double sum = 0, worst = 0, speed = 0;
    int reached = 0;
    const std::vector<HitOutcome> hits = hit_grid(room, segment.name);
    for (const HitOutcome& hit : hits) {
      sum += hit.error();
      worst = std::max(worst, hit.error());
      speed += hit.speed;
      reached += hit.short_by < 0.01;
    }
    const auto n = static_cast<double>(hits.size());
    rows.push_back({{"actor", actor.name},
                    {"segment", segment.name},
                    {"targets", hits.size()},
                    {"in_reach", reached},
                    {"error_m", {{"mean", sum / n}, {"max", worst}}},
                    {"speed_m_s", speed / n}});
  }
  return rows;
}

}  // namespace

void add_practise(CLI::App& app) {
  struct Options {
    std::string scene, out;
    std::vector<std::string> keys;
    int hits = 10;
    bool check = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "practise",
      "try the hits of a scene's routines until they land where they are aimed; write what was learned");
  command->footer("Example:  stunt practise boxing -o practised.yaml");
  command->add_option("scene", options->scene, "scene file or built-in name")->required();
  command->add_option("-o,--out", options->out, "the scene file to write, with what was learned");
  command->add_option("--hits", options->hits, "tries of each hit, at most (default 10)")
      ->check(CLI::Range(7, 100));
  command->add_flag("--check", options->check,
                    "afterwards hit 25 targets, 0.1 m apart, and tell how far off it was");
  command->add_option("--set", options->keys, "override any scene key")->type_name("KEY=VALUE");
  command->add_flag("--json", options->json, "print what was learned as JSON, alone on stdout");
  command->callback([options] {
    Scene scene = load_scene(options->scene, options->keys);
    ordered_json learned = ordered_json::array(), checked = ordered_json::array();
    for (std::size_t i = 0; i < scene.actors.size(); ++i) {
      const std::string name = scene.actors[i].name;
      if (!scene.actors[i].routine.any()) continue;
      practise(scene, name, options->hits);
      for (const SegmentSpec& segment : scene.actors[i].routine.segments) {
        if (segment.strike.with.empty()) continue;
        const StrikeSpec& s = segment.strike;
        learned.push_back({{"actor", name},
                           {"segment", segment.name},
                           {"miss_m", {s.miss.x(), s.miss.y(), s.miss.z()}},
                           {"speeds_m_s", {s.speeds.x(), s.speeds.y(), s.speeds.z()}}});
        if (!options->json) {
          print(
              "{:<10} {:<10} aimed off by {:.1f} cm; {:.2f}, {:.2f} and {:.2f} m/s at 0.7, 1 and 1.3 times "
              "its pace\n",
              name, segment.name, 100 * s.miss.norm(), s.speeds.x(), s.speeds.y(), s.speeds.z());
        }
      }
      if (options->check) {
        for (const ordered_json& row : check_hits(scene, scene.actors[i])) checked.push_back(row);
      }
    }
    if (learned.empty()) throw InputError(options->scene, "no hit in any routine", "a segment with a strike");
    if (!options->out.empty()) write_file(options->out, write_scene(scene));
    if (options->json) {
      print("{}\n", ordered_json{{"learned", learned}, {"checked", checked}}.dump(2));
      return;
    }
    for (const ordered_json& row : checked) {
      print("{:<10} {:<10} {} targets, {} in reach: {:.1f} cm off on average, {:.1f} at most; {:.2f} m/s\n",
            row["actor"].get<std::string>(), row["segment"].get<std::string>(), row["targets"].get<int>(),
            row["in_reach"].get<int>(), 100 * row["error_m"]["mean"].get<double>(),
            100 * row["error_m"]["max"].get<double>(), row["speed_m_s"].get<double>());
    }
    if (!options->out.empty()) print("{}\n", options->out);
  });
}

}  // namespace stunt
