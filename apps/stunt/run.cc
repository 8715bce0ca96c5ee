// stunt run: a scene in, everything that happens in it out.
#include <memory>

#include "commands.h"
#include "run_and_write.h"

namespace stunt {

void add_run(CLI::App& app) {
  struct Options {
    std::string scene;
    RunOptions run;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "simulate a scene (YAML file or built-in name)");
  command->footer("Example:  stunt run course --set engine=ode");
  command->add_option("scene", options->scene, "a scene file, or a name of data/scenes")->required();
  add_run_options(*command, options->run);
  command->callback([options] { run_and_write(load_scene(options->scene, options->run.set), options->run); });
}

}  // namespace stunt
