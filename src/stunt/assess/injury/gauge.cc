#include "stunt/assess/injury/gauge.h"

#include <algorithm>

namespace stunt {
namespace {

constexpr int kDurations = 7;  // at which a corridor is looked at
constexpr double kShortestTime =
    0.003;  // s: rigid bodies hit for a step or two, and that step is the solver's

}  // namespace

double limit_at(const Corridor& corridor, double duration) {
  for (std::size_t i = 1; i < corridor.size(); ++i) {
    const auto& [t0, y0] = corridor[i - 1];
    const auto& [t1, y1] = corridor[i];
    if (duration <= t1) return y0 + (y1 - y0) * std::max(0.0, duration - t0) / (t1 - t0);
  }
  return corridor.back().second;
}

Gauge Gauge::mean(double window, double limit, double timestep) {
  Gauge gauge(limit);
  gauge.mean_.emplace(window, timestep);
  return gauge;
}

Gauge Gauge::sustained(double window, double limit, double timestep) {
  Gauge gauge(limit);
  gauge.levels_.emplace_back(window, timestep);
  gauge.limits_.push_back(limit);
  return gauge;
}

Gauge Gauge::corridor(const Corridor& corridor, double timestep) {
  Gauge gauge(corridor.front().second);
  for (int i = 0; i < kDurations; ++i) {
    const double duration = kShortestTime + (corridor.back().first - kShortestTime) * i / (kDurations - 1);
    gauge.levels_.emplace_back(duration, timestep);
    gauge.limits_.push_back(limit_at(corridor, duration));
  }
  return gauge;
}

Gauge Gauge::head(double limit, bool fixed, double timestep) {
  Gauge gauge(limit);
  gauge.head_.emplace(0.015, fixed, timestep);
  return gauge;
}

void Gauge::push(double value) {
  if (mean_) mean_->push(value);
  if (head_) head_->push(value);
  for (SustainedLevel& level : levels_) level.push(value);
}

std::pair<double, double> Gauge::worst() const {
  if (mean_) return {mean_->largest() / limit_, mean_->at()};
  if (head_) return {head_->largest() / limit_, head_->at()};
  std::pair<double, double> out{0, 0};
  for (std::size_t i = 0; i < levels_.size(); ++i)
    out = std::max(out, {levels_[i].largest() / limits_[i], levels_[i].at()});
  return out;
}

}  // namespace stunt
