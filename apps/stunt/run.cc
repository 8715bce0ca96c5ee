// stunt run: a scene in, everything that happens in it out.
#include <memory>

#include "commands.h"
#include "produce.h"

namespace stunt {

void add_run(CLI::App& app) {
  struct Options {
    std::string scene;
    ProduceOptions produce;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "simulate a scene (YAML file or built-in name)");
  command->footer("Example:  stunt run course --set engine=ode");
  command->add_option("scene", options->scene, "a scene file, or a name of data/scenes")->required();
  add_produce_options(*command, options->produce);
  command->callback([options] { produce(load_scene(options->scene, options->produce.set), options->produce); });
}

}  // namespace stunt
