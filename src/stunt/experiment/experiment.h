// An experiment: many runs of small scenes that together make a paper's tables and figures.
//
//   Experiment e = mcsim_experiment(options);          which runs
//   for each trial: outcome = run_trial(trial);        in any order, in any process
//   experiment_files(e, outcomes);                     tables as CSV, one page with plots
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stunt/core/settings.h"
#include "stunt/experiment/plan_times.h"
#include "stunt/experiment/study.h"
#include "stunt/optimize/objective.h"
#include "stunt/simulate/recording.h"

namespace stunt {

// A table or a figure: outcomes by one thing that is varied.
struct ExperimentPart {
  std::string name;  // "slopes": of the file and on the command line
  std::string title;
  std::string axis;                        // what is varied: "slope (deg)"
  std::string note;                        // how it was done, and what the paper found
  bool curves = false;                     // the squared error over time is wanted
  std::string paper = {};                  // what the paper has for it, in its own words or numbers
  std::string x_label = {}, y_label = {};  // of the lines that its trials measure
};

// What everything else is compared under.
struct Setup {
  std::string engine, preset, character;
  std::string text() const { return engine + ", " + preset + ", " + character; }
  bool operator==(const Setup&) const = default;
};

// A number that a part measures of its runs: {"head moved (cm)", 7.2}. Over the trials of a cell they are averaged.
struct MeasuredNumber {
  std::string name;
  double value = 0;
};
// A line of a part's figure.
struct MeasuredLine {
  std::string name;
  std::vector<double> x, y;
};
struct TrialOutcome;
class PreparedMotions;

struct Trial {
  std::string part;
  Setup setup;
  std::string motion;
  std::string value;              // along the part's axis: "-5"
  std::string detail;             // what else differs between trials of one value: "from 45 deg, phase 3/8"
  std::string scene;              // a built-in scene; empty: an empty one
  std::vector<std::string> keys;  // "ground.slope_deg=5": what is set in it
  bool curve = false;
  double wanted = 0;  // the reward that counts as completed; 0: completed as the summary says
  std::vector<MeasureSpec> measures = {};  // of that reward; none: the paper's four
  // What else to look at in its recording.
  std::function<void(const Recording&, TrialOutcome&)> measure = {};
  // A trial that is more than one run of one scene; it fills the outcome itself.
  std::function<TrialOutcome()> run = {};
};

struct Experiment {
  std::string title = "McSim";
  std::vector<ExperimentPart> parts;
  std::vector<Trial> trials;
  std::vector<std::string> notes;  // what was left out, and why
};

// What a person may leave out; empty lists mean all.
struct ExperimentOptions {
  std::vector<std::string> parts = {}, engines = {}, presets = {}, characters = {};
  std::vector<std::string> motions = {};  // files: walks to use beside the built-in one
  std::vector<std::string> keys = {};     // scene keys for every trial, "duration=2"
  std::string plates = {};                // folder with a walk over force plates (plate_walk.h)
  std::uint64_t seed = 1;
  int seeds = 10;        // hit-and-react: of fights and rallies, from `seed` on
  int generations = 50;  // of a part that optimises: as many without success end it
  int jobs = 1;          // of a study, at a time
};

// What came of a trial. What cannot be told is left open.
struct TrialOutcome {
  bool completed = false;
  std::optional<double> fell_at_s;
  std::string reason;  // of a fall or of diverging
  double simulated_s = 0;
  std::optional<double> joint_error_deg, position_error_cm;
  std::optional<double> squared_error;  // rad^2, mean over the samples before a fall
  std::optional<double> plan_us;        // mean
  std::optional<double> reward;         // of a trial that wants one
  std::vector<double> curve;            // squared error (rad^2) at kCurveRate, where the part wants it
  std::vector<PlanTimes> plans;         // of a trial that times plans
  std::vector<MeasuredNumber> measured;
  std::vector<MeasuredLine> lines;
  std::string error;  // empty, or why it could not be run
};
void describe(Fields& fields, TrialOutcome& outcome);  // to send one from process to process
constexpr double kCurveRate = 30;                      // Hz

// An experiment that can be asked for by name: counted in runs (`make`), or a study.
struct ExperimentKind {
  std::string name, help;
  Experiment (*make)(const ExperimentOptions& options);  // throws InputError for what there is not
  Study (*study)(const ExperimentOptions& options, const std::function<bool(double)>& progress) = nullptr;
  std::vector<std::string> study_parts = {};  // that may be asked for alone
};
const std::vector<ExperimentKind>& experiments();

// The tables and figures of da Silva, Abe and Popovic 2008.
Experiment mcsim_experiment(const ExperimentOptions& options);

// Those of Geijtenbeek 2013, chapter 7.
Experiment muscles_experiment(const ExperimentOptions& options);

// Those of Zordan and Hodgins 2002.
Experiment hit_react_experiment(const ExperimentOptions& options);

// Sections 7 and 8 of Jain and Liu 2011.
Experiment modal_experiment(const ExperimentOptions& options);

// Chapter 6 of Geijtenbeek 2013, with the controller as it comes.
Experiment data_driven_experiment(const ExperimentOptions& options);

// Simulates one trial.
// `prepared`: what to take its motions from, if they are known there.
TrialOutcome run_trial(const Trial& trial, PreparedMotions* prepared = nullptr);
// Reads, cleans and balances the motions of the trials, each once; what goes wrong is left to their runs.
void prepare_motions(const Experiment& experiment, PreparedMotions& prepared);

// The squared error of the pose at every sample (rad^2): over the root's rotation and all joints.
std::vector<double> squared_error(const Recording& recording, int actor);

// Outcomes counted by setup and value: [{"part", "engine", "preset", "character", "value", "completed",
// "total", ...}].
nlohmann::ordered_json tables(const Experiment& experiment, const std::vector<TrialOutcome>& outcomes);

// File name and content: a CSV for each part with one line per trial, curves where there are any, and
// index.html.
std::vector<std::pair<std::string, std::string>> experiment_files(const Experiment& experiment,
                                                                  const std::vector<TrialOutcome>& outcomes);

}  // namespace stunt
