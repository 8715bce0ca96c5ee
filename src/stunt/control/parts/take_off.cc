#include "stunt/control/parts/take_off.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kSampling = 1.0 / 120;  // s
constexpr double kAfter = 0.02;          // s: feet that leave late can still push
constexpr double kShortest = 0.05;       // s, of a flight

// Hands, knees or trunk on the ground: no flight, though no foot stands.
bool lies(ActorDynamics& dynamics) {
  constexpr double kOnTheGround = 0.12;  // m, of a body's centre of mass
  const auto& bodies = dynamics.actor().bodies();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!dynamics.actor().is_foot(body) && dynamics.point(body, bodies[b].com).z() < kOnTheGround)
      return true;
  }
  return false;
}

}  // namespace

TakeOff::TakeOff(double time) : next_(static_cast<int>(std::ceil(time / kSampling))) { flights_.reserve(16); }

void TakeOff::look_ahead(const Reference& reference, double time, ActorDynamics& dynamics,
                         ReferenceSample& sample) {
  constexpr double kHorizon = 0.6;  // s: the mean of longer flights is not settled from the beginning
  std::erase_if(flights_, [&](const Flight& flight) { return flight.from < time - kHorizon; });
  for (; next_ * kSampling < time + kHorizon; ++next_) {
    reference.sample(next_ * kSampling, sample);
    bool down = std::any_of(sample.contacts.begin(), sample.contacts.end(),
                            [](std::uint8_t contact) { return contact != 0; });
    if (!down && stood_) {
      dynamics.set_state(sample.q, sample.v);
      down = lies(dynamics);
    }
    if (!down && stood_) {
      if (!in_flight_ && flights_.size() < flights_.capacity()) flights_.push_back({next_ * kSampling});
      if (!flights_.empty()) {
        flights_.back().sum += dynamics.angular_momentum();
        ++flights_.back().samples;
      }
    }
    stood_ = stood_ || down;
    in_flight_ = !down && stood_;
  }
}

bool TakeOff::flies_soon(double time) const {
  return std::any_of(flights_.begin(), flights_.end(), [&](const Flight& flight) {
    const double length = flight.samples * kSampling;
    return length > kShortest && flight.from + length > time;
  });
}

std::optional<Vec3> TakeOff::spin_rate(double time, const Vec3& spin, double before) const {
  constexpr double kSoonest = 0.03;  // s: nearer, the rate would explode
  for (const Flight& flight : flights_) {
    const double left = flight.from - time;
    if (left < -kAfter || left > before || flight.samples * kSampling <= kShortest) continue;
    return (flight.sum / flight.samples - spin) / std::max(left, kSoonest);
  }
  return std::nullopt;
}

}  // namespace stunt
