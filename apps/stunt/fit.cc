// stunt fit: a motion's skeleton as a simulated character, in an MJCF file.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "console.h"
#include "import_options.h"
#include "stunt/actor/fit/fit.h"
#include "stunt/core/files.h"
#include "stunt/motion/load.h"

namespace stunt {

void add_fit(CLI::App& app) {
  struct Options {
    std::string motion, out;
    double mass_kg = 0;
    ImportOptions import;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("fit", "make a simulated character from a motion's skeleton, as MJCF");
  command->footer("Example:  stunt fit walk -o walker.xml");
  command->add_option("motion", options->motion, "motion file or built-in name")->required();
  command->add_option("-o,--out", options->out, "the MJCF file to write")->required();
  command->add_option("--mass", options->mass_kg, "kg of the whole body (default: from its height)")
      ->check(CLI::Range(1.0, 1000.0));
  add_import_options(*command, options->import);
  command->callback([options] {
    const FittedActor fitted =
        fit_actor(load_clip(options->motion, options->import), {.mass_kg = options->mass_kg});
    write_file(options->out, fitted.actor->xml());
    print("{}: {:.2f} m, {:.1f} kg, {} bodies, {} degrees of freedom\n", options->out, fitted.height_m,
          fitted.actor->mass(), fitted.actor->bodies().size(), fitted.actor->nv());
    for (const std::string& note : fitted.notes) print("  {}\n", note);
  });
}

}  // namespace stunt
