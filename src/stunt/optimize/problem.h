// What is to be optimised: a scene, the settings that may move, and the objective that judges a run.
//
//   scene: {actors: [{motion: squat, character: biped28, controller: jacobian_transpose}]}   # or scene_file: NAME
//   move:
//     - {setting: actors.0.controller.stiffness}      # a group: all of its numbers that have a search range
//     - {setting: actors.0.position.0, tied: [{setting: actors.0.position.1}], mean: 0, spread: 0.1}
//   objective: {duration: 20, measures: [{measure: pose, most: 0.1}]}
//   raise: {setting: pushes.0.force.0, step: 20}       # harder each time that it is withstood
//
// The search begins where the scene is; spread and bounds come from the setting's description where the problem gives none.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "stunt/optimize/objective.h"
#include "stunt/simulate/performer.h"
#include "stunt/solve/cma_es.h"

namespace stunt {

struct TiedSpec {
  std::string setting;
};
void describe(Fields& fields, TiedSpec& tied);

struct MoveSpec {
  std::string setting;
  std::vector<TiedSpec> tied = {};  // which get the same number
  std::optional<double> mean = {}, spread = {}, low = {}, high = {};
};
void describe(Fields& fields, MoveSpec& move);

// When a set of numbers counts as found: under noise one lucky run is none.
struct SuccessSpec {
  double reward = 1.8;
  int tests = 5, passes = 4;  // of runs with seeds that the search never saw
};
void describe(Fields& fields, SuccessSpec& success);

// What makes the task harder, step by step: the search goes on at each level until `success.reward` is reached there
// (Geijtenbeek 2013, section 6.3).
struct RaisedSpec {
  std::string setting;
  double power = 1;  // it grows as that power of the first setting
};
void describe(Fields& fields, RaisedSpec& raised);
struct RaiseSpec {
  std::string setting;  // begins at the scene's value; empty: nothing is raised
  double step = 0;
  int patience = 50;                   // generations without success, then it ends
  std::vector<RaisedSpec> along = {};  // what changes with it
};
void describe(Fields& fields, RaiseSpec& raise);

struct ProblemSpec {
  std::string name = "problem";
  std::string scene_file;
  Scene scene;
  std::vector<MoveSpec> move;
  ObjectiveSpec objective;
  SuccessSpec success;
  RaiseSpec raise;
  int population = 16;
  bool separable = false;
  bool noisy = false;    // judges some runs twice, and listens to the difference (solve/cma_es.h)
  int most_repeats = 1;  // noisy
  int restarts = 0;      // with twice the population each, where a search has come to its end
};

// One number that moves, and the settings that get it.
struct Movable {
  std::string name;  // of the first
  std::vector<std::string> settings;
  double mean, spread, low, high;
};

class Problem {
 public:
  // Throws InputError: nothing that moves, a setting that is not there or is no number, empty bounds, a mean outside.
  // `place` names the file in errors.
  Problem(ProblemSpec spec, const std::string& place);

  const ProblemSpec& spec() const { return spec_; }
  const std::vector<Movable>& movables() const { return movables_; }
  CmaSpace space() const;
  bool raises() const { return !spec_.raise.setting.empty(); }
  double raised_to(int level) const;  // the value of the setting that is raised; level 0 is the scene's
  Scene scene_with(const VecX& x, int level = 0) const;
  // One run; the same numbers and seed give the same judgement. May be called from several threads at once.
  Judgement judge(const VecX& x, std::uint64_t seed, int level = 0) const;
  // The same as a text that goes to another process, and what comes back. Throws RunError for a reward that is no number.
  static std::string task(const VecX& x, std::uint64_t seed, int level);
  std::string judge_task(const std::string& task) const;
  std::string hash() const;  // of everything that a result depends on

 private:
  std::vector<Performer> performers(const Scene& scene) const;

  ProblemSpec spec_;
  std::vector<Movable> movables_;
  std::map<std::string, double> raised_;  // what is raised, and its value at first
  std::vector<Performer> prepared_;       // empty where a setting changes more than the controllers
};

// A problem file, a built-in problem by its name, or a scene, of which everything with a search range moves. `overrides` are
// of the scene's keys. Throws InputError.
ProblemSpec load_problem(const std::string& name_or_path, const std::vector<std::string>& overrides = {});
std::vector<std::string> built_in_problems();

}  // namespace stunt
