// The strides of a gait laid over each other: joint angles, ground reaction and muscles by the part of the gait cycle, from one
// touchdown of a foot to its next, and how far they are from what humans do.
#pragma once

#include <array>
#include <vector>

#include "stunt/optimize/gait_trial.h"

namespace stunt {

constexpr int kCyclePoints = 100;  // of a cycle

struct GaitCycles {
  int strides = 0;
  using Curve = std::vector<double>;  // kCyclePoints, mean over the strides; empty without any
  Curve hip, knee, ankle;             // deg, flexion and dorsiflexion positive
  Curve vertical, forward;            // body weights, of the ground on the foot
  std::vector<Curve> activation;      // per muscle of the left side
  double cadence = 0;                 // steps a minute
  double stride_m = 0;
  double double_support = 0;  // part of the time
};

// A spectator of a try (GaitTrial::run): left leg, from `from` seconds on.
class CycleRecorder {
 public:
  explicit CycleRecorder(const Creature& creature, double from = 3);
  void see(const GaitSample& now);
  GaitCycles mean() const;

 private:
  struct Row {
    double time, x;
    bool both;
    std::array<double, 5> values;  // hip, knee, ankle, vertical, forward
    std::vector<double> activation;
  };
  std::array<int, 3> joints_;  // in q
  double from_, weight_;
  bool stood_ = true;
  std::vector<Row> rows_;            // every fourth step
  std::vector<std::size_t> starts_;  // rows with a touchdown
  int calls_ = 0;
};

// Free walking (Schwartz, Rozumalski and Trost 2008): degrees at 0, 10 ... 90 % of the cycle.
struct WalkingNorm {
  std::array<double, 10> hip{36, 33, 23, 11, 2, -5, -1, 18, 32, 37};
  std::array<double, 10> knee{6, 19, 17, 10, 6, 12, 34, 58, 50, 19};
  std::array<double, 10> ankle{-2, -2, 5, 9, 11, 10, -14, -11, 1, 1};
};
// Root mean square over the ten points, nothing removed; NaN without a curve.
double difference_to_norm(const GaitCycles::Curve& curve, const std::array<double, 10>& norm);

}  // namespace stunt
