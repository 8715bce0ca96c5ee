#include "stunt/motion/rest_frames.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kLongestRest = 0.3;  // s
constexpr int kFewestFrames = 4;
constexpr double kSudden = 2.5;  // times the step before (and after) it: bodies gather speed, a cut does not

double mean_angle(const std::vector<Quat>& a, const std::vector<Quat>& b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += angle_between(a[j], b[j]);
  return sum / static_cast<double>(a.size());
}

}  // namespace

int count_rest_frames(const Clip& clip) {
  if (clip.frame_count() < kFewestFrames) return 0;
  const int window =
      std::clamp(static_cast<int>(kLongestRest * clip.fps), 1, std::max(1, clip.frame_count() / 3));
  std::vector<double> steps;  // rad: from each frame to the next, the mean over the joints
  for (int f = 0; f + 1 < clip.frame_count() && f < 2000; ++f) {
    steps.push_back(mean_angle(clip.frames[f].rotations, clip.frames[f + 1].rotations));
  }
  // The quickest of the motion itself, but for the odd glitch.
  std::vector<double> later(steps.begin() + std::min<std::ptrdiff_t>(window, std::ssize(steps) - 1),
                            steps.end());
  std::sort(later.begin(), later.end());
  const double quick = later[static_cast<std::size_t>(0.99 * static_cast<double>(later.size() - 1))];

  const std::vector<Quat> rest = rest_pose(clip.skeleton).rotations;
  const double at_start = mean_angle(clip.frames[0].rotations, rest);
  const double after = mean_angle(clip.frames[std::min(window + 1, clip.frame_count() - 1)].rotations, rest);
  const bool from_rest = at_start < 0.4 * after;
  const double leap = std::max(radians(2.0), (from_rest ? 2.0 : 6.0) * quick);
  const auto first =
      std::find_if(steps.begin(), steps.begin() + window, [&](double step) { return step >= leap; });
  if (first == steps.begin() + window) return 0;
  const bool from_standing = first == steps.begin() || *first > kSudden * *(first - 1);
  if (!from_standing || (!from_rest && *first < kSudden * *(first + 1))) return 0;
  // What follows the leap and is still too quick belongs to the blend.
  auto last = std::max_element(first, steps.begin() + window);
  while (last + 1 < steps.begin() + window && *(last + 1) > std::max(radians(0.5), 1.25 * quick)) ++last;
  return static_cast<int>(last - steps.begin()) + 1;
}

}  // namespace stunt
