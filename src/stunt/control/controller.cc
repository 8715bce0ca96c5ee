#include "stunt/control/controller.h"

#include "stunt/control/mcsim/mcsim.h"
#include "stunt/control/mcsim/mcsim_paper.h"
#include "stunt/control/parts/root_help.h"
#include "stunt/control/pd/pd.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

std::vector<std::string> controller_names() {
  std::vector<std::string> names;
  for (const ControllerInfo& info : controllers()) names.push_back(info.name);
  return names;
}

}  // namespace

std::vector<ControllerInfo> controllers() {
  return {
      {"mcsim",
       "plans torques and ground forces together, keeps its balance (default); preset paper: as published"},
      {"pd", "follows every joint by a spring and damper scaled by inertia; no balance of its own"}};
}

std::unique_ptr<Controller> make_controller(Config config, ReferencePtr reference, double friction) {
  std::string type = "mcsim";
  config("type", type, controller_names());
  RootHelpSettings support;
  read(config, support);
  std::unique_ptr<Controller> controller;
  if (type == "pd") {
    if (friction != 1)
      throw InputError("model.friction", "a controller that plans no friction", "controller mcsim with it");
    PdSettings settings;
    settings.feet_carry = !support.pedestal;
    read(config, settings);
    controller = std::make_unique<PdController>(settings, reference);
  } else {
    std::string preset = "default";
    config("preset", preset, std::vector<std::string>{"default", "paper"});
    if (preset == "paper") {
      McSimPaperSettings settings;
      read(config, settings);
      settings.friction *= friction;
      controller = std::make_unique<McSimPaperController>(settings, reference);
    } else {
      McSimSettings settings;
      read(config, settings);
      settings.friction *= friction;
      controller = std::make_unique<McSimController>(settings, reference);
    }
  }
  config.done();
  return supported(std::move(controller), support, std::move(reference));
}

}  // namespace stunt
