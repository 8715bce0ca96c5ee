#include "stunt/assess/realism/muscle_use.h"

#include <algorithm>

namespace stunt {
namespace {

constexpr std::size_t kFourActors = 4;  // judged; a crowd would take minutes
constexpr double kLongest = 60;         // s: hundreds of muscles over more would be most of the file

std::vector<float> recorded_use(const Recording& run, const ActorTrack& track) {
  std::vector<float> use;
  for (int i = 0; i < run.samples(); ++i) {
    const auto force = track.muscle_force(i);
    for (std::size_t m = 0; m < track.muscles.size(); ++m)
      use.push_back(force[static_cast<Eigen::Index>(m)] / static_cast<float>(track.muscles[m].max_force));
  }
  return use;
}

std::vector<float> judged_use(const Recording& run, const Realism& realism) {
  std::vector<float> use;
  for (const double time : run.time) {
    const std::vector<float>& now = frame_at(realism, time - run.time.front()).muscles.use;
    use.insert(use.end(), now.begin(), now.end());
  }
  return use;
}

}  // namespace

bool moved_by_muscles(const ActorTrack& track) { return track.channels.find("muscle_force") != nullptr; }

const RealismFrame& frame_at(const Realism& realism, double time) {
  const auto after = std::lower_bound(realism.frames.begin(), realism.frames.end(), time,
                                      [](const RealismFrame& frame, double t) { return frame.time < t; });
  return after == realism.frames.end() ? realism.frames.back() : *after;
}

void add_muscle_use(Recording& run) {
  for (std::size_t a = 0; a < run.actors.size(); ++a) {
    ActorTrack& track = run.actors[a];
    if (track.channels.find("muscle_use")) continue;
    std::vector<float> use;
    if (moved_by_muscles(track)) {
      use = recorded_use(run, track);
    } else {
      if (a >= kFourActors || !track.slot.actor->has_free_root() || run.samples() < 2 ||
          !run.diverged.empty() || run.time.back() > kLongest)
        continue;
      const Realism realism = assess_realism(motion_of(run, static_cast<int>(a)));
      if (realism.frames.empty() || realism.muscles.muscles.empty()) continue;
      use = judged_use(run, realism);
      track.muscles = realism.muscles.muscles;
    }
    track.channels
        .add("muscle_use", "", "of each muscle, force over strength", static_cast<int>(track.muscles.size()),
             Channel::Type::f4)
        .all<float>() = std::move(use);
  }
}

}  // namespace stunt
