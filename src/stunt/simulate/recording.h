// Everything needed to draw, export or assess a run without simulating again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stunt/world/scene/compiled_scene.h"

namespace stunt {

struct RecordedContact {
  int body1, body2;  // scene bodies
  float point[3];    // m
  float force[3];    // N, on body2
};

// One character's outcome.
struct Fall {
  double time;         // s, start of the interval that made it a fall
  std::string reason;  // which rule and body
};

struct ActorTrack {
  std::string name, motion, character, controller, preset;
  int nq, nv;
  std::vector<double> reference_q;  // samples x nq
  std::vector<float> torque;        // samples x nv, as applied (after limits); Nm
  std::optional<Fall> fall;
  double assist_force_mean = 0;  // N, mean magnitude of unphysical help on the root
  bool pedestal = false;
  std::vector<float> plan_us;  // microseconds of each plan
  int plans_relaxed = 0;       // how many of them could not be met as asked (PlanTiming)
};

struct Recording {
  static constexpr int kVersion = 1;
  std::shared_ptr<const CompiledScene> scene;
  std::string name, engine;
  std::uint64_t seed = 0;
  double timestep = 0;       // s
  double rate = 120;         // Hz, of the samples
  double duration = 0;       // s asked for
  std::vector<double> time;  // s, one per sample
  std::vector<double> q, v;  // samples x scene nq, nv
  std::vector<ActorTrack> actors;
  std::vector<RecordedContact> contacts;     // all samples in a row
  std::vector<std::uint32_t> contact_start;  // samples + 1: contacts of sample i are [start[i], start[i+1])
  std::vector<double> push_marks;            // s, when each disturbance began
  std::string diverged;                      // empty, or what went wrong
  double wall_s = 0, controller_s = 0, engine_s = 0;  // wall clock of the stepping loop
  std::uint64_t steps = 0;

  int samples() const { return static_cast<int>(time.size()); }
};

}  // namespace stunt
