#include "stunt/report/page/verdict_columns.h"

#include <algorithm>
#include <cmath>

#include "stunt/assess/realism/muscle_use.h"

namespace stunt {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kUseStep = 0.02;       // of a muscle's strength: what the eye can tell
constexpr double kErrorStep = 1e-4;     // of kappa and lambda
constexpr std::size_t kFourActors = 4;  // judged for the page; a crowd would take minutes
constexpr double kLongest = 60;         // s: hundreds of muscles over more would be most of the page

Json muscle_list(const std::vector<Muscle>& muscles) {
  Json list = Json::array();
  for (const Muscle& muscle : muscles) {
    Json path = Json::array();
    for (const MusclePoint& point : muscle.path) {
      Json at = Json::array();
      for (const double x : point.position) at.push_back(std::round(x * 1e4) / 1e4);
      path.push_back({{"body", point.body}, {"at", at}});
    }
    list.push_back({{"name", muscle.name}, {"strength", std::round(muscle.max_force)}, {"path", path}});
  }
  return list;
}

void add_judged(const Realism& realism, const Recording& run, std::span<const int> samples,
                const std::string& prefix, ColumnWriter& columns, bool with_muscles) {
  std::vector<float> errors, use;
  for (const int sample : samples) {
    const RealismFrame& frame =
        frame_at(realism, run.time[static_cast<std::size_t>(sample)] - run.time.front());
    errors.push_back(static_cast<float>(frame.kappa()));
    errors.push_back(static_cast<float>(frame.muscles.lambda));
    for (const double u : frame.muscles.use) use.push_back(static_cast<float>(u));
  }
  columns.add(prefix + "realism", errors, 2, kErrorStep, 1);
  const int muscles = static_cast<int>(realism.muscles.muscles.size());
  if (with_muscles && muscles > 0) columns.add(prefix + "muscle_use", use, muscles, kUseStep, 1);
}

void add_recorded_muscles(const ActorTrack& track, std::span<const int> samples, const std::string& prefix,
                          ColumnWriter& columns) {
  const int count = static_cast<int>(track.muscles.size());
  std::vector<float> use, force;
  for (const int sample : samples) {
    const auto activation = track.muscle_activation(sample), pull = track.muscle_force(sample);
    for (int m = 0; m < count; ++m) {
      use.push_back(activation[m]);
      force.push_back(pull[m] / static_cast<float>(track.muscles[static_cast<std::size_t>(m)].max_force));
    }
  }
  columns.add(prefix + "muscle_use", use, count, kUseStep, 1);
  columns.add(prefix + "muscle_force", force, count, kUseStep, 1);
}

}  // namespace

void add_verdict(const Recording& run, std::size_t a, std::span<const int> samples, ColumnWriter& columns,
                 nlohmann::ordered_json& actor) {
  const ActorTrack& track = run.actors[a];
  const std::string prefix = "actor" + std::to_string(a) + "_";
  const bool own_muscles = moved_by_muscles(track);
  if (own_muscles) {
    actor["muscles"] = muscle_list(track.muscles);
    add_recorded_muscles(track, samples, prefix, columns);
  }
  if (a >= kFourActors || !track.slot.actor->has_free_root() || run.samples() < 2 || !run.diverged.empty())
    return;
  const int index = static_cast<int>(a);
  const bool lit = !own_muscles && run.time.back() <= kLongest;
  const Realism simulated = assess_realism(motion_of(run, index));
  if (simulated.frames.empty()) return;
  add_judged(simulated, run, samples, prefix, columns, lit);
  if (lit && !simulated.muscles.muscles.empty()) actor["muscles"] = muscle_list(simulated.muscles.muscles);
  if (!track.has_reference()) return;
  const Realism reference = assess_realism(motion_of(run, index, true));
  if (!reference.frames.empty()) add_judged(reference, run, samples, prefix + "reference_", columns, lit);
}

}  // namespace stunt
