// How a quantity is counted: a mean over a window, a level sustained for a time, or the Head Injury Criterion, as a share of
// the limit at which serious injury becomes likely.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "stunt/assess/injury/pulse.h"

namespace stunt {

// A limit that falls with the time that a load is sustained: (s, limit), linear in between, flat outside.
using Corridor = std::vector<std::pair<double, double>>;
double limit_at(const Corridor& corridor, double duration);

class Gauge {
 public:
  static Gauge mean(double window, double limit, double timestep);
  static Gauge sustained(double window, double limit, double timestep);
  // The worst over durations of the level sustained so long, against the limit for it.
  static Gauge corridor(const Corridor& corridor, double timestep);
  static Gauge head(double limit, bool fixed, double timestep);  // HIC of 15 ms

  void push(double value);
  std::pair<double, double> worst() const;  // share of the limit; s, when
  const HeadInjury* hic() const { return head_ ? &*head_ : nullptr; }

 private:
  explicit Gauge(double limit) : limit_(limit) {}
  double limit_;
  std::optional<WindowMean> mean_;
  std::optional<HeadInjury> head_;
  std::vector<SustainedLevel> levels_;
  std::vector<double> limits_;
};

}  // namespace stunt
