// stunt creature: what a creature is made of, and what it looks like.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "console.h"
#include "stunt/control/muscle/gait_parameters.h"
#include "stunt/core/files.h"
#include "stunt/report/pictures/render.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

struct CreatureOptions {
  std::string creature, picture, camera = "corner";
  bool show = false;
};

void list_creatures() {
  for (const std::string& name : built_in_creatures()) {
    const CreaturePtr creature = Creature::load(name);
    print("{:<12} {:4.0f} kg, legs {:.2f} m, {} degrees of freedom, {} muscles\n", name,
          creature->actor()->mass(), creature->leg_length(), creature->actor()->nv(),
          creature->kinds().size());
  }
}

void print_creature(const Creature& creature) {
  const ParameterValues guess = general_guess(creature);
  const std::vector<Muscle> muscles = creature.muscles(guess);
  const std::vector<MuscleUse> uses = muscle_uses(creature);
  std::vector<int> free(muscles.size(), 0);
  for (const Creature::Region& region : creature.regions())
    free[static_cast<std::size_t>(region.muscle)] += static_cast<int>((region.free.array() > 0).count());
  print("{}: {:.1f} kg, legs {:.2f} m, {} degrees of freedom, {} muscles, {} numbers to find\n\n",
        creature.name(), creature.actor()->mass(), creature.leg_length(), creature.actor()->nv(),
        muscles.size(), gait_parameters(creature).size());
  print("{:<6} {:>8} {:>9} {:>9} {:>7} {:>16} {:>9}\n", "muscle", "force N", "fibre mm", "tendon mm",
        "points", "free coordinates", "delay ms");
  for (std::size_t i = 0; i < muscles.size(); i += 2) {
    print("{:<6} {:>8.0f} {:>9.0f} {:>9.0f} {:>7} {:>16} {:>9.0f}\n", creature.kinds()[i],
          muscles[i].max_force, 1000 * muscles[i].fibre_length, 1000 * muscles[i].tendon_slack,
          muscles[i].path.size(), free[i], 1000 * uses[i].delay);
  }
}

void draw_creature(const CreatureOptions& options, const Creature& creature) {
  Scene scene = read_scene(
      fmt::format("actors: [{{name: creature, character: {0}, controller: {{type: muscle, creature: {0}}}}}]",
                  yaml_word(options.creature)),
      options.creature);
  scene.duration = scene.timestep;
  Simulation simulation(scene);
  const Recording recording = simulation.run();
  Painter painter(recording, {.width = 700, .height = 800, .camera = options.camera, .samples = 4});
  Image image;
  painter.paint(0, image);
  const std::string file = options.picture.empty() ? creature.name() + ".png" : options.picture;
  write_file(file, to_png(image));
  print("\n{}\n", file);
}

}  // namespace

void add_creature(CLI::App& app) {
  auto options = std::make_shared<CreatureOptions>();
  CLI::App* command = app.add_subcommand(
      "creature", "what a creature is made of (without a name: list those that come with the program)");
  command->footer("Example:  stunt creature human --show -o human.png");
  command->add_option("creature", options->creature, "built-in, or a .yaml file (docs/muscles.md)");
  command->add_flag("--show", options->show, "draw its bones and muscles");
  command->add_option("--camera", options->camera, "side, front, corner or top (default: corner)");
  command->add_option("-o,--out", options->picture, "the picture (default: <name>.png)");
  command->callback([options] {
    if (options->creature.empty()) return list_creatures();
    const CreaturePtr creature = Creature::load(options->creature);
    print_creature(*creature);
    if (options->show) draw_creature(*options, *creature);
  });
}

}  // namespace stunt
