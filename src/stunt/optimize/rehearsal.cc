#include "stunt/optimize/rehearsal.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/optimize/offset_search.h"
#include "stunt/optimize/practice_room.h"
#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

constexpr double kNoise = 0.01;                    // of the torques
constexpr int kAttempts = 12, kNoisyAttempts = 3;  // at one failure
constexpr int kNoisy = 4, kJudges = 8;             // members with noise: in the search, and afterwards
constexpr int kRounds = 6;                         // of the search with members
constexpr std::uint64_t kSeenSeed = 0x7365656e, kUnseenSeed = 0x756e7365656e;
constexpr double kSmoothingShare = 0.2;  // of the budget, kept for the end

void set_nudges(Nudges nudges, ControllerSpec& controller) {
  const std::string text =
      write_described([&](Fields& fields) { describe_nudges(fields, "nudges", nudges); });
  read_settings(Config::parse(text, "rehearsal"), controller);
}

// Doubles with noise play along, and what fails is mended for all, a few times with others each time. A path is taken where
// more of the judges, whom the search has not seen, get through by it.
void make_robust(OffsetSearch& search, PracticeRoom& room) {
  constexpr int kRunsAtLeast = 1 + kNoisy + 2 * (1 + kJudges);
  if (!search.affords(kRunsAtLeast)) return;
  OffsetPath best = search.path();
  const auto judge = [&] {
    search.follow_path(room.members(kJudges, kUnseenSeed));
    return search.as_it_is() ? search.survivors() : 0;
  };
  int most = judge();
  for (std::uint64_t round = 0; round < kRounds && most < 1 + kJudges && search.affords(kRunsAtLeast);
       ++round) {
    search.set_path(best);
    search.follow_path(room.members(kNoisy, kSeenSeed + round));
    if (!search.first_failure()) continue;
    search.use_until(1 - std::max(kSmoothingShare, search.cost(2 * (1 + kJudges))));
    search.mend_all(kNoisyAttempts);
    search.use_until(1);
    if (search.stopped()) break;
    const OffsetPath path = search.path();
    if (path == best) continue;
    const int survivors = judge();
    if (survivors > most) most = survivors, best = path;
  }
  search.set_path(best);
  if (!search.stopped()) judge();
}

// Smaller and smoother offsets, wherever as many get through by them: all of them smoothed, all of them smaller, a few
// times; then each of the named offsets dropped.
void shrink(OffsetSearch& search) {
  const auto takes = [&](const OffsetPath& path) {
    return path != search.path() && search.affords(search.size()) && search.try_path(path);
  };
  constexpr int kTimes = 5;
  for (int time = 0; time < kTimes; ++time) {
    const bool smooth = takes(smoothed(search.path())), small = takes(smaller(search.path()));
    if (!smooth && !small) break;
  }
  for (int kind = 0; kind < kOffsetKinds; ++kind) takes(without(search.path(), kind));
}

}  // namespace

int unasked_rollouts(double motion_s) {
  constexpr double kAnyway = 5000, kPerSecond = 400, kShort = 4, kMost = 20000;
  return static_cast<int>(std::clamp(kAnyway + kPerSecond * (motion_s - kShort), kAnyway, kMost));
}

Rehearsal rehearse(const Scene& scene, const RehearsalOptions& options,
                   const std::function<bool(const RehearsalProgress&)>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  if (scene.actors.size() != 1)
    throw InputError("--rehearse", std::to_string(scene.actors.size()) + " actors", "one actor");
  if (!scene.commands.empty()) throw InputError("--rehearse", "a scene with commands", "none");
  std::vector<Performer> performers = make_performers(scene);
  if (!performers.front().shown)
    throw InputError("--rehearse", "an actor without a motion", "a motion to rehearse");
  if (!performers.front().controller->nudges()) {
    throw InputError("--rehearse",
                     "the controller '" + scene.actors.front().controller.kind() + "' with these settings",
                     "mcsim in its default preset, without pedestal and assist");
  }
  if (!performers.front().controller->nudges()->knots.empty())
    throw InputError("--rehearse", "offsets of an earlier rehearsal", "a controller without nudges");
  Rehearsal out;
  out.scene = scene;
  PracticeRoom room(scene, std::move(performers.front()), kNoise, options.threads);
  RehearsalOptions budget = options;
  if (options.unasked) budget.rollouts = unasked_rollouts(room.duration());
  OffsetSearch search(room, budget, progress);
  search.follow_path(room.members(0, 0));
  out.needed = search.first_failure().has_value();
  out.tracked = search.mend_all(kAttempts);
  if (!out.tracked && !search.over()) {
    search.doing = "tries at least to stay up";
    room.stumbles_count = false;
    search.follow_path(room.members(0, 0));
    search.mend_all(kAttempts);
  }
  if (out.needed && out.tracked) {
    search.doing = "makes sure";
    make_robust(search, room);
    search.doing = "smooths";
    shrink(search);
  }
  out.rollouts = room.rollouts();
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Nudges found = nudges_of(search.path()).without_idle_knots();
  out.where = found.spans();
  set_nudges(found, out.scene.actors.front().controller);
  return out;
}

RunSummary summarize(const Recording& recording, const Rehearsal& rehearsal) {
  RunSummary summary = summarize(recording);
  RehearsalSummary& told = summary.actors.front().rehearsal;
  told.rollouts = static_cast<int>(rehearsal.rollouts);
  told.wall_s = rehearsal.wall_s;
  return summary;
}

}  // namespace stunt
