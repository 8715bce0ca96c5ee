#include "stunt/control/parts/footfalls.h"

#include <cmath>

namespace stunt {
namespace {

constexpr double kSampling = 1.0 / 120;  // s

}  // namespace

Footfalls::Footfalls(double time) : next_(static_cast<int>(std::ceil(time / kSampling))) {}

void Footfalls::look_ahead(const Reference& reference, double time, std::span<Foot> feet,
                           ReferenceSample& sample) {
  for (; next_ * kSampling < time + kHorizon; ++next_) {
    reference.sample(next_ * kSampling, sample);
    for (std::size_t i = 0; i < feet.size() && i < footfalls_.size(); ++i) {
      Footfall& footfall = footfalls_[i];
      const bool down = stands(*reference.actor(), feet[i].leg, sample);
      // Of two landings in so short a time the first one counts.
      if (down && !footfall.down && footfall.at < time) footfall.at = next_ * kSampling;
      footfall.down = down;
    }
  }
  for (std::size_t i = 0; i < feet.size() && i < footfalls_.size(); ++i) {
    const double at = footfalls_[i].at;
    feet[i].lands_in = at < time ? std::numeric_limits<double>::infinity() : at - time;
  }
}

}  // namespace stunt
