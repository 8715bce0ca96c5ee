// stunt settings: everything that can be set, with unit, bounds and help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "commands.h"
#include "console.h"
#include "stunt/core/error.h"
#include "stunt/report/files/settings_table.h"
#include "stunt/simulate/scene/scene.h"

namespace stunt {
namespace {

std::vector<SettingRow> rows_of(const std::string& name, const std::string& preset) {
  if (name == "scene") return list_settings<Scene>();
  std::vector<std::string> known = {"scene"};
  for (const ControllerKind& kind : controllers()) known.push_back(kind.name);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw InputError("settings", "'" + name + "'", fmt::format("one of: {}", fmt::join(known, ", ")));
  }
  return list_settings(ControllerSpec(name, preset));
}

}  // namespace

void add_settings(CLI::App& app) {
  struct Options {
    std::string name, preset;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("settings", "what can be set: of a scene, or of a controller by its name");
  command->footer("Example:  stunt settings mcsim");
  command->add_option("name", options->name, "scene (default), or a controller")->default_str("scene");
  command->add_option("--preset", options->preset, "of the controller (default: its first)");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] {
    const auto rows = rows_of(options->name.empty() ? "scene" : options->name, options->preset);
    if (options->json) {
      print("{}\n", settings_json(rows).dump(2));
    } else {
      print("{}", settings_text(rows));
    }
  });
}

}  // namespace stunt
