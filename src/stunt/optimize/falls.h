// Many falls that begin alike: characters that follow a motion, are pushed over, and at the moment when balance cannot be
// saved any more fall in one way or another. So ways of falling are compared, and found (fall_search.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stunt/assess/injury/injury.h"
#include "stunt/simulate/simulation.h"

namespace stunt {

struct FallsSpec {
  std::vector<std::string> motions;  // built-in or files, taken in turn
  int count = 100;                   // falls
  std::uint64_t seed = 1;
  std::string engine = "mujoco";
  double contact = 0.024;                 // s, softness of contacts: as tissue over a hip (docs/injury.md)
  double watched = 2.5;                   // s, of every fall
  double weakest = 300, strongest = 900;  // N, of the pushes, for 0.3 s, on the chest, from anywhere
};

struct ToppledOutcome {
  Injury standard, paper;
  bool diverged = false;
};
void describe(Fields& fields, ToppledOutcome& outcome);  // to send one from process to process

// A character that has just lost its balance.
struct Toppled {
  std::string motion;
  Vec3 force;        // N, of the push
  double pushed_at;  // s, when it began
  double at;         // s, when balance was lost
  std::unique_ptr<Simulation> simulation;
  std::shared_ptr<const Simulation::State> state;
};

// Built-in motions to fall out of, for whoever has no captures.
std::vector<std::string> toppled_motions();

// Draws pushes until `count` of them have toppled somebody. Those that do not, and runs that fail before the push, do not
// count. Throws InputError; RunError where hardly any push topples anybody.
std::vector<Toppled> topple(const FallsSpec& spec, const std::function<bool(double)>& progress = {});

// How it ends if it falls like this. `fights`: its controller goes on until it is down.
ToppledOutcome fall_from(Toppled& start, const FallingSpec& how, const FallsSpec& spec, bool fights = false);

}  // namespace stunt
