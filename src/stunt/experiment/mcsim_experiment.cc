// The tables and figures of da Silva, Abe and Popovic 2008, section 7, and pushes, which they did not
// measure.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "stunt/control/controllers.h"
#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/experiment/experiment.h"
#include "stunt/world/engine.h"

namespace stunt {
namespace {

constexpr double kStride = 128.0 / 120;  // s, of the built-in walk; captured ones are much the same
constexpr double kPushed = 0.2;          // s
constexpr double kBefore = 2;            // s of walking before the first push
constexpr double kWatched = 3;           // s after a push, without which it was not survived
constexpr double kFootLength = 0.24;     // m, of the characters

const std::vector<std::string> kCharacters = {"fit", "mcsim2d"};
const std::vector<std::string> kScenes = {"backwards", "balls",    "blocks",     "jumps",  "limp",
                                          "march",     "platform", "run",        "seesaw", "slope_down",
                                          "slope_up",  "sneak",    "start_stop", "turn"};

const std::vector<ExperimentPart> kParts = {
    {"pushes", "Pushes while walking", "force (N)",
     "0.2 s on the torso of the looped walk, 8 directions x 8 phases of about a stride, from 2 s on. "
     "Survived: "
     "still walking 3 s later."},
    {"captured_pushes", "Pushes during captured walks", "walk, force (N)",
     "The same on each captured walk of --motions, looped."},
    {"slopes", "Slopes", "slope (deg)",
     "The walk on ground that rises (+) or falls (-), 10 s. The paper walked from -10 to +5 degrees."},
    {"masses", "Figure 4: mass versions", "version",
     "The walk with other masses than the motion was made for: in the character and in the controller's "
     "model as in the paper, "
     "or in the character alone (unknown). The paper found the legs' masses to matter most.",
     true},
    {"friction", "Figure 5: friction", "coefficient of friction",
     "In the controller's model, the ground's being 1, as in the paper, which saw little effect; or of the "
     "ground, the model "
     "staying as it is.",
     true},
    {"feet", "Figure 6: foot sizes", "foot length (cm)",
     "Feet of other length, in the character and in the controller's model. The paper did slightly better "
     "with smaller feet.",
     true},
    {"table1", "Table 1: motions and gains", "motion",
     "The motions nearest to the paper's. Preset paper has the gains k (of the joints' stiffness) and k_os "
     "of the table, preset "
     "default one set for all."},
    {"figure3", "Figure 3: squared error over time", "motion",
     "Peaks come with changes of contact, as in the paper.", true},
    {"scenes", "Other environments and motions", "scene",
     "The scenes that come with the program, as they are."},
    {"table4", "Table 4: time of a plan", "contact points",
     "One plan at states of the walk. Dummy: accelerations among the unknowns, as the paper solved it (36 to "
     "68 variables in 1.3 to 3 ms for its 2D character, 150 to 158 in 7 to 9.7 ms in 3D, Pentium 4, SQOPT). "
     "Plain: torques and forces alone. Both by ProxQP, the solve without setting up. Dual: the planner of "
     "preset "
     "default, with setting up."},
};

// The paper's table 1, with the motion that we have for it.
struct Gains {
  const char *paper, *motion, *edits;
  double k, k_os, slope_deg = 0;
};
const std::vector<Gains> kTable1 = {
    {"Punchy", "jab", "", 0.02, 1000},
    {"Downhill", "walk", "", 0.02, 300, -5},
    {"Walk Wave", "walk", "{layer: wave}", 0.02, 1000},
    {"Sneaky", "sneak", "", 0.005, 500},
    {"Jump", "jump", "", 0.05, 1000},
    {"Run", "run", "", 0.2, 600},
    {"Backwards", "walk_backwards", "", 0.05, 1000},
    {"Soldier", "walk_start_stop", "", 0.01, 600},
    {"March", "march", "", 0.05, 1000},
    {"Limp", "limp", "", 0.08, 1000},
};

std::vector<std::string> choose(const char* option, const std::vector<std::string>& wanted,
                                const std::vector<std::string>& all) {
  for (const std::string& name : wanted) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      throw InputError(option, "'" + name + "'", fmt::format("one of: {}", fmt::join(all, ", ")));
    }
  }
  return wanted.empty() ? all : wanted;
}

std::vector<std::string> presets_of_mcsim() {
  std::vector<std::string> names;
  for (const ControllerKind& kind : controllers()) {
    for (const ControllerPreset& preset : kind.presets) {
      if (kind.name == "mcsim") names.push_back(preset.name);
    }
  }
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct Walk {
  std::string name, source;
  bool built_in;
};

class Maker {
 public:
  explicit Maker(const ExperimentOptions& options) : options_(options) {
    walks_.push_back({"walk", "walk", true});
    for (const std::string& file : options.motions) {
      walks_.push_back({std::filesystem::path(file).stem().string(), file, false});
    }
  }

  Experiment make() {
    std::vector<std::string> names, engine_names;
    for (const ExperimentPart& part : kParts) names.push_back(part.name);
    for (const auto& engine : engines()) engine_names.push_back(engine.name);
    const auto parts = choose("--only", options_.parts, names);
    const auto chosen_engines = choose("--engine", options_.engines, engine_names);
    const auto characters = choose("--character", options_.characters, kCharacters);
    const auto presets = choose("--preset", options_.presets, presets_of_mcsim());
    for (const ExperimentPart& part : kParts) {
      if (!has(parts, part.name)) continue;
      if (part.name == "captured_pushes" && walks_.size() == 1) {
        if (has(options_.parts, part.name))
          throw InputError("--only", "captured_pushes without walks", "--motions with a folder of walks");
        continue;
      }
      experiment_.parts.push_back(part);
      part_ = &experiment_.parts.back();
      if (part.name == "table4") {
        for (const std::string& character : characters) {
          setup_ = {"", "", character};
          add("walk", "", "", {});
        }
        continue;
      }
      for (const std::string& engine : chosen_engines) {
        for (const std::string& preset : presets) {
          for (const std::string& character : characters) {
            setup_ = {engine, preset, character};
            add_part(part.name);
          }
        }
      }
    }
    return std::move(experiment_);
  }

 private:
  void add(const std::string& motion, const std::string& value, const std::string& detail,
           std::vector<std::string> keys, const std::string& scene = "") {
    Trial trial{part_->name, setup_, motion, value, detail, scene, {}, part_->curves};
    trial.keys = {"name=trial", fmt::format("engine={}", setup_.engine),
                  fmt::format("seed={}", options_.seed),
                  fmt::format("actors.0.controller.preset={}", setup_.preset)};
    if (setup_.character != "fit") trial.keys.push_back("actors.0.character=" + setup_.character);
    trial.keys.insert(trial.keys.end(), keys.begin(), keys.end());
    trial.keys.insert(trial.keys.end(), options_.keys.begin(), options_.keys.end());
    experiment_.trials.push_back(std::move(trial));
  }

  // A trial with each walk: the built-in one goes on for `seconds`, a captured one to its end.
  void add_walks(const std::string& value, double seconds, const std::vector<std::string>& more) {
    for (const Walk& walk : walks_) {
      std::vector<std::string> keys = walk.built_in ? walking_on(walk, seconds) : walking(walk);
      keys.insert(keys.end(), more.begin(), more.end());
      add(walk.name, value, "", keys);
    }
  }

  static std::vector<std::string> walking(const Walk& walk) {
    return {"actors.0.motion.source=" + nlohmann::json(walk.source).dump()};
  }
  // `seconds` of it, as often round as that takes.
  static std::vector<std::string> walking_on(const Walk& walk, double seconds) {
    return {"actors.0.motion.source=" + nlohmann::json(walk.source).dump(), "actors.0.motion.loop=true",
            fmt::format("duration={}", seconds)};
  }

  void add_part(const std::string& name) {
    for (const Walk& walk : walks_) {
      if (name == (walk.built_in ? "pushes" : "captured_pushes")) add_pushes(walk);
    }
    if (name == "slopes") {
      for (double slope = -10; slope <= 10; slope += 2.5) {
        add_walks(fmt::format("{}", slope), 10, {fmt::format("ground.slope_deg={}", slope)});
      }
    }
    if (name == "masses") add_masses();
    if (name == "friction") {
      for (const double mu : {0.5, 0.75, 1.0, 1.25, 1.5}) {
        add_walks(fmt::format("model {}", mu), 10, {fmt::format("actors.0.controller.friction={}", mu)});
      }
      for (const double mu : {0.5, 0.75, 1.25, 1.5})
        add_walks(fmt::format("ground {}", mu), 10, {fmt::format("ground.friction={}", mu)});
    }
    if (name == "feet") {
      for (const double change : {-0.08, -0.04, 0.0, 0.04}) {
        const double factor = 1 + change / kFootLength;
        add_walks(fmt::format("{:+.0f}", 100 * change), 10,
                  {fmt::format("actors.0.plant.foot_length={}", factor),
                   fmt::format("actors.0.model.foot_length={}", factor)});
      }
    }
    if (name == "table1") {
      for (const Gains& row : kTable1) {
        const auto motions = embedded_names("motions");
        if (!has(motions, row.motion)) continue;
        std::vector<std::string> keys = {fmt::format("actors.0.motion.source={}", row.motion),
                                         fmt::format("ground.slope_deg={}", row.slope_deg)};
        if (*row.edits) keys.push_back(fmt::format("actors.0.motion.edits=[{}]", row.edits));
        std::string gains;
        if (setup_.preset == "paper") {
          keys.push_back(fmt::format("actors.0.controller.pd_scale={}", row.k));
          keys.push_back(fmt::format("actors.0.controller.stiffness={}", row.k_os));
          gains = fmt::format("k {}, k_os {}", row.k, row.k_os);
        }
        add(row.motion, row.paper, gains, keys);
      }
    }
    if (name == "figure3") {
      for (const char* motion : {"walk_start_stop", "march", "run", "jump"}) {
        add(motion, motion, "", {fmt::format("actors.0.motion.source={}", motion)});
      }
    }
    if (name == "scenes") {
      for (const std::string& scene : kScenes) add(scene, scene, "", {}, scene);
    }
  }

  void add_pushes(const Walk& walk) {
    for (const int force : {50, 100, 150, 200}) {
      const std::string value =
          walk.built_in ? fmt::format("{}", force) : fmt::format("{}, {}", walk.name, force);
      for (int phase = 0; phase < 8; ++phase) {
        const double start = kBefore + phase * kStride / 8;
        for (int direction = 0; direction < 8; ++direction) {
          const double angle = direction * kPi / 4;
          std::vector<std::string> keys = walking_on(walk, start + kWatched);
          keys.push_back(fmt::format("pushes.0.force=[{:.4f}, {:.4f}, 0]", force * std::cos(angle),
                                     force * std::sin(angle)));
          keys.push_back(fmt::format("pushes.0.start={:.4f}", start));
          keys.push_back(fmt::format("pushes.0.duration={}", kPushed));
          add(walk.name, value, fmt::format("towards {} deg, phase {}/8", 45 * direction, phase), keys);
        }
      }
    }
  }

  void add_masses() {
    const std::vector<std::pair<std::string, std::vector<std::string>>> versions = {
        {"normal", {}},
        {"left leg x2", {"left_leg_mass=2"}},
        {"legs x2", {"legs_mass=2"}},
        {"upper body x2", {"upper_body_mass=2"}},
        {"upper body x2, legs x0.5", {"upper_body_mass=2", "legs_mass=0.5"}}};
    for (const bool known : {true, false}) {
      for (const auto& [version, factors] : versions) {
        if (factors.empty() && !known) continue;
        std::vector<std::string> keys;
        for (const std::string& factor : factors) {
          keys.push_back("actors.0.plant." + factor);
          if (known) keys.push_back("actors.0.model." + factor);
        }
        add_walks(version + (known ? "" : ", unknown"), 10, keys);
      }
    }
  }

  const ExperimentOptions& options_;
  std::vector<Walk> walks_;
  Experiment experiment_;
  const ExperimentPart* part_ = nullptr;
  Setup setup_;
};

}  // namespace

Experiment mcsim_experiment(const ExperimentOptions& options) { return Maker(options).make(); }

}  // namespace stunt
