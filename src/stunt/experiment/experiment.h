// An experiment: many runs of small scenes that together make a paper's tables and figures.
//
//   Experiment e = mcsim_experiment(options);          which runs
//   for each trial: outcome = run_trial(trial);        in any order, in any process
//   experiment_files(e, outcomes);                     tables as CSV, one page with plots
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "stunt/simulate/recording.h"

namespace stunt {

// A table or a figure: outcomes by one thing that is varied.
struct ExperimentPart {
  std::string name;  // "slopes": of the file and on the command line
  std::string title;
  std::string axis;     // what is varied: "slope (deg)"
  std::string note;     // how it was done, and what the paper found
  bool curves = false;  // the squared error over time is wanted
};

// What everything else is compared under.
struct Setup {
  std::string engine, preset, character;
  std::string text() const { return engine + ", " + preset + ", " + character; }
  bool operator==(const Setup&) const = default;
};

struct Trial {
  std::string part;
  Setup setup;
  std::string motion;
  std::string value;              // along the part's axis: "-5"
  std::string detail;             // what else differs between trials of one value: "from 45 deg, phase 3/8"
  std::string scene;              // a built-in scene; empty: an empty one
  std::vector<std::string> keys;  // "ground.slope_deg=5": what is set in it
  bool curve = false;
};

struct Experiment {
  std::vector<ExperimentPart> parts;
  std::vector<Trial> trials;
  std::vector<std::string> notes;  // what was left out, and why
};

// What a person may leave out; empty lists mean all.
struct ExperimentOptions {
  std::vector<std::string> parts = {}, engines = {}, presets = {}, characters = {};
  std::vector<std::string> motions = {};  // files: walks to use beside the built-in one
  std::vector<std::string> keys = {};     // scene keys for every trial, "duration=2"
  std::uint64_t seed = 1;
};

struct ExperimentInfo {
  std::string name, description;
};
std::vector<ExperimentInfo> experiments();

// Throws InputError for a part, engine, preset or character that there is not.
Experiment mcsim_experiment(const ExperimentOptions& options);

// Simulates one trial. {"completed", "fell_at_s", "reason", "simulated_s", "joint_error_deg",
// "position_error_cm", "squared_error", "plan_us", "curve"}; {"error"} where it could not be done; {"plans"}
// for a trial of the part table4.
nlohmann::ordered_json run_trial(const Trial& trial);

// The squared error of the pose at every sample (rad^2): over the root's rotation and all joints.
std::vector<double> squared_error(const Recording& recording, int actor);

// Outcomes counted by setup and value: [{"part", "engine", "preset", "character", "value", "completed",
// "total", ...}].
nlohmann::ordered_json tables(const Experiment& experiment,
                              const std::vector<nlohmann::ordered_json>& outcomes);

// File name and content: a CSV for each part with one line per trial, curves where there are any, and
// index.html.
std::vector<std::pair<std::string, std::string>> experiment_files(
    const Experiment& experiment, const std::vector<nlohmann::ordered_json>& outcomes);

}  // namespace stunt
