// Random numbers that are the same on every machine for the same seed (the standard's distributions are not).
#pragma once

#include <cmath>
#include <cstdint>

namespace stunt {

// SplitMix64 (Steele, Lea, Flood 2014): small, fast, and every seed is a good seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // In [0, 1), in [low, high), and with the standard normal distribution (Box-Muller, one of the pair).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal() {
    return std::sqrt(-2.0 * std::log1p(-uniform())) * std::cos(6.283185307179586 * uniform());
  }
  // A generator of its own for a part of the program, so that parts do not disturb each other's sequence.
  Random split() { return Random(next()); }

 private:
  std::uint64_t state_;
};

}  // namespace stunt
