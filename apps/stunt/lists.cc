// stunt motions, characters, controllers, engines: what there is to choose from.
#include <fmt/format.h>

#include "commands.h"
#include "console.h"
#include "stunt/actor/actor.h"
#include "stunt/control/controllers.h"
#include "stunt/core/embedded.h"
#include "stunt/motion/load.h"
#include "stunt/world/engine.h"

namespace stunt {

void add_lists(CLI::App& app) {
  const auto listing = [&app](const std::string& name, const std::string& description) {
    return app.add_subcommand(name, description)->footer("Example:  stunt " + name);
  };
  listing("motions", "list the built-in motions")->callback([] {
    for (const std::string& name : embedded_names("motions")) {
      const Clip clip = load_clip(name);
      print("{:<18} {:5.1f} s  {} joints\n", name, clip.duration(), clip.skeleton.size());
    }
  });
  listing("characters", "list the built-in characters")->callback([] {
    print("{:<18} made from the motion's own skeleton (default)\n", "fit");
    for (const std::string& name : embedded_names("characters")) {
      const ActorPtr actor = Actor::load(name);
      print("{:<18} {} degrees of freedom, {:.1f} kg\n", name, actor->nv(), actor->mass());
    }
  });
  listing("controllers", "list the controllers")->callback([] {
    for (const ControllerKind& kind : controllers()) {
      print("{:<18} {}\n", kind.name, kind.help);
      for (const ControllerPreset& preset : kind.presets)
        print("  preset {:<9} {}\n", preset.name, preset.help);
    }
  });
  listing("engines", "list the physics engines")->callback([] {
    for (const auto& [name, description] : engines()) print("{:<18} {}\n", name, description);
  });
}

}  // namespace stunt
