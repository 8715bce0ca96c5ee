#include "stunt/assess/injury/pulse.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kShortestWindow = 0.003;  // s, of HIC

// How many steps a window touches.
std::size_t steps_in(double window, double timestep) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(window / timestep - 1e-9)));
}

}  // namespace

WindowMean::WindowMean(double window, double timestep)
    : timestep_(timestep), steps_(std::max(1.0, window / timestep)), ring_(steps_in(window, timestep), 0.0) {}

void WindowMean::push(double value) {
  double& oldest = ring_[pushed_ % ring_.size()];
  sum_ += value - oldest;
  oldest = value;
  ++pushed_;
  // The oldest one left counts in part.
  const double part = static_cast<double>(ring_.size()) - steps_;
  const double mean = (sum_ - part * ring_[pushed_ % ring_.size()]) / steps_;
  if (mean > largest_) {
    largest_ = mean;
    at_ = static_cast<double>(pushed_) * timestep_;
  }
}

SustainedLevel::SustainedLevel(double window, double timestep)
    : timestep_(timestep), ring_(steps_in(window, timestep), 0.0) {}

void SustainedLevel::push(double value) {
  ring_[pushed_ % ring_.size()] = value;
  ++pushed_;
  if (value <= largest_) return;  // the window ends with it
  const double level = *std::min_element(ring_.begin(), ring_.end());
  if (level > largest_) {
    largest_ = level;
    at_ = static_cast<double>(pushed_) * timestep_;
  }
}

HeadInjury::HeadInjury(double longest, bool fixed, double timestep)
    : timestep_(timestep),
      steps_(std::max(1.0, longest / timestep)),
      fixed_(fixed),
      ring_(steps_in(longest, timestep), 0.0) {}

void HeadInjury::push(double acceleration_g) {
  ring_[pushed_ % ring_.size()] = acceleration_g;
  ++pushed_;
  const std::size_t size = ring_.size();
  double sum = 0;
  for (std::size_t k = 1; k <= size; ++k) {
    const double value = ring_[(pushed_ + size - k) % size];
    const double steps = std::min(static_cast<double>(k), steps_);
    sum += value * (steps - static_cast<double>(k - 1));
    const double duration = steps * timestep_;
    if (k < size && (fixed_ || duration < kShortestWindow - 1e-9)) continue;
    const double hic = duration * std::pow(sum / steps, 2.5);
    if (hic > largest_) {
      largest_ = hic;
      window_ = duration;
      at_ = static_cast<double>(pushed_) * timestep_;
    }
  }
}

}  // namespace stunt
