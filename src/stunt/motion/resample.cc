#include "stunt/motion/resample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/core/error.h"

namespace stunt {

void resample_to_uniform(Clip& clip, const std::vector<double>& times, const std::string& place) {
  if (times.size() < 2) return;
  double shortest = INFINITY, longest = 0.0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    shortest = std::min(shortest, times[i] - times[i - 1]);
    longest = std::max(longest, times[i] - times[i - 1]);
  }
  if (!(shortest > 0.0)) throw InputError(place, "two frames at one time", "rising times");
  const double duration = times.back() - times.front();
  const bool uniform = longest - shortest < 0.01 * shortest;
  double rate = uniform ? static_cast<double>(times.size() - 1) / duration : 1.0 / shortest;
  if (rate >= 1.0 && std::abs(rate - std::round(rate)) < 0.002 * rate) rate = std::round(rate);
  clip.fps = rate;
  if (uniform) return;

  const double most = std::min<double>(kMostFrames, kMostRotations / std::max(1, clip.skeleton.size())) / 4;
  if (duration * rate > most || duration > kLongestMotion) {
    throw InputError(place, fmt::format("frames {:.3g} s apart over {:.4g} s", shortest, duration),
                     fmt::format("at most {:.0f} s and {:.0f} frames at an even rate", kLongestMotion, most));
  }
  const int count = static_cast<int>(std::floor(duration * rate + 1e-6)) + 1;
  std::vector<Pose> frames;
  frames.reserve(count);
  std::size_t after = 1;
  for (int f = 0; f < count; ++f) {
    const double t = std::min(times.front() + f / rate, times.back());
    while (after + 1 < times.size() && times[after] < t) ++after;
    const double blend = std::clamp((t - times[after - 1]) / (times[after] - times[after - 1]), 0.0, 1.0);
    const Pose &a = clip.frames[after - 1], &b = clip.frames[after];
    Pose& pose = frames.emplace_back();
    pose.root_position = (1.0 - blend) * a.root_position + blend * b.root_position;
    for (std::size_t j = 0; j < a.rotations.size(); ++j) {
      pose.rotations.push_back(a.rotations[j].slerp(blend, b.rotations[j]));
    }
  }
  clip.frames = std::move(frames);
  clip.notes.push_back(
      fmt::format("Frames came {:.3g} to {:.3g} s apart; they were resampled to {:.6g} per second.", shortest,
                  longest, rate));
}

}  // namespace stunt
