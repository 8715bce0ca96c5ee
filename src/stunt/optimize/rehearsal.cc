#include "stunt/optimize/rehearsal.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "stunt/assess/tracking/verdict.h"
#include "stunt/core/error.h"
#include "stunt/core/random.h"
#include "stunt/optimize/practice_room.h"
#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

constexpr double kNoise = 0.01;                // of the torques
constexpr double kDecay = 0.5;                 // of an offset from knot to knot, where nothing is wanted
constexpr double kGrain = 1e-4;                // m, rad: offsets are multiples of it
constexpr double kNothing = 1e-3;              // m, rad: smaller ones are dropped
constexpr double kWellPast = 1.0;              // s after a failure: it is mended
constexpr double kBack = 0.9, kFurther = 0.6;  // s before a failure, and more with every attempt
constexpr int kSamples = 40, kBeam = 8, kTested = 4;
constexpr int kFurthest =
    5;  // attempts, each further back than the one before; then from the first place again
constexpr int kAttempts = 12, kNoisyAttempts = 3;  // at one failure
constexpr int kNoisy = 4, kJudges = 6;             // members with noise: in the search, and afterwards
constexpr std::uint64_t kSeenSeed = 0x7365656e, kUnseenSeed = 0x756e7365656e;
constexpr double kSmoothingShare = 0.2;  // of the budget, kept for the end
// The spread of samples, one per offset: m or rad.
constexpr std::array<double, Offsets::kSize> kSpread = {0.04, 0.04, 0.02, 0.06, 0.06, 0.06,
                                                        0.06, 0.06, 0.06, 0.06, 0.1,  0.1};

using Path = std::vector<Offsets>;  // at knots 0, 1, ...

double rounded(double x) { return std::round(x / kGrain) / std::round(1 / kGrain); }

// The same without the smallest.
double coarse(double x) { return std::abs(x) < kNothing ? 0 : rounded(x); }

// Which of the named offsets number i belongs to.
constexpr int kKinds = 6;
int kind_of(std::size_t i) { return i < 3 ? 0 : i < 6 ? 1 : i < 8 ? 2 : i < 10 ? 3 : i < 11 ? 4 : 5; }

Nudges nudges_of(const Path& path, int first = 0) {
  Nudges nudges;
  for (std::size_t k = static_cast<std::size_t>(first); k < path.size(); ++k)
    nudges.knots.push_back({knot_time(static_cast<int>(k)), path[k]});
  return nudges;
}

double size_of(const Offsets& offsets) {
  double sum = 0;
  for (std::size_t i = 0; i < Offsets::kSize; ++i) sum += std::pow(offsets.values[i] / kSpread[i], 2);
  return sum / Offsets::kSize;
}

void set_nudges(Nudges nudges, ControllerSpec& controller) {
  const std::string text =
      write_described([&](Fields& fields) { describe_nudges(fields, "nudges", nudges); });
  read_settings(Config::parse(text, "rehearsal"), controller);
}

// Over three knots: 1/4, 1/2, 1/4.
Path smoothed(const Path& path) {
  Path out = path;
  for (std::size_t k = 1; k + 1 < path.size(); ++k) {
    for (std::size_t i = 0; i < Offsets::kSize; ++i) {
      const double around = path[k - 1].values[i] + path[k + 1].values[i];
      out[k].values[i] = coarse(0.25 * around + 0.5 * path[k].values[i]);
    }
  }
  return out;
}

Path smaller(const Path& path) {
  Path out = path;
  for (Offsets& offsets : out) {
    for (double& x : offsets.values) x = coarse(0.7 * x);
  }
  return out;
}

// Without one of the named offsets.
Path without(const Path& path, int kind) {
  Path out = path;
  for (Offsets& offsets : out) {
    for (std::size_t i = 0; i < Offsets::kSize; ++i) {
      if (kind_of(i) == kind) offsets.values[i] = 0;
    }
  }
  return out;
}

class Search {
 public:
  Search(PracticeRoom& room, const RehearsalOptions& options,
         const std::function<bool(const RehearsalProgress&)>& progress)
      : room_(room),
        options_(options),
        progress_(progress),
        random_(0x72656865617273),
        path_(static_cast<std::size_t>(room.knots()) + 1) {
    room_.meanwhile = [this] { report(); };
  }

  // As far as the path leads, by every member.
  void follow_path(std::vector<Member> members) {
    members_ = std::move(members);
    marks_.clear();
    for (const Member& member : members_) marks_.push_back({member.start});
    continue_path(path_, 0);
  }

  // Mends one failure after the other. A noisy member that cannot be helped is left out; false: the double as it is cannot
  // be helped, or the budget is used up.
  bool mend_all(int most_attempts) {
    int attempt = 0;
    double place = -1;
    while (const auto failure = first_failure()) {
      if (over()) return false;
      if (std::abs(*failure - place) > kBack) attempt = 0;
      place = *failure;
      if (attempt == most_attempts) {
        if (!leave_out(*failure)) return false;
        continue;
      }
      if (!mend(*failure, attempt)) ++attempt;
    }
    return true;
  }

  // Plays `path`, and goes on with it where as many members get through as before, the double as it is among them.
  bool try_path(const Path& path) {
    const auto marks = marks_;
    const auto failures = failures_;
    const Path old = path_;
    const auto through = survivors();
    play_from_first_change(path);
    if (!failures_.front() && survivors() >= through) return true;
    marks_ = marks;
    failures_ = failures;
    path_ = old;
    return false;
  }

  int size() const { return static_cast<int>(members_.size()); }
  int survivors() const {
    return static_cast<int>(std::count(failures_.begin(), failures_.end(), std::nullopt));
  }

  // Uses no more than this share of the budget from now on.
  void use_until(double share) { share_ = share; }

  std::optional<double> first_failure() const {
    std::optional<double> first;
    for (const auto& failure : failures_) {
      if (failure && (!first || *failure < *first)) first = failure;
    }
    return first;
  }

  bool over() const { return stopped_ || left() <= 1 - share_; }
  // What so many runs of the whole clip take of the budget, at the pace so far.
  double cost(int runs) const {
    return (1 - left()) * runs * room_.knots() / static_cast<double>(std::max(1L, room_.rollouts()));
  }
  bool affords(int runs) const { return !stopped_ && cost(runs) < left(); }
  bool stopped() const { return stopped_; }             // from outside
  bool as_it_is() const { return !failures_.front(); }  // without noise it gets through
  const Path& path() const { return path_; }
  void set_path(Path path) { path_ = std::move(path); }
  const char* doing = "practises";

 private:
  struct Node {
    std::vector<Take> takes;  // one per member
    Path path;                // up to here
    double sum = 0, last = 0;
    double value() const { return 0.3 * sum + last; }
  };

  double left() const {
    if (options_.rollouts) return 1 - static_cast<double>(room_.rollouts()) / *options_.rollouts;
    const auto spent = std::chrono::steady_clock::now() - begin_;
    return 1 - std::chrono::duration<double>(spent).count() / options_.budget;
  }

  void report() {
    if (!progress_ || stopped_) return;
    const double reached = first_failure().value_or(room_.duration());
    stopped_ = !progress_({doing, reached, room_.duration(), room_.rollouts(), std::max(0.0, left())});
  }

  // Leaves out the noisy member that fails at this time.
  bool leave_out(double failure) {
    for (std::size_t m = 1; m < members_.size(); ++m) {
      if (failures_[m] != failure) continue;
      const auto at = static_cast<long>(m);
      members_.erase(members_.begin() + at);
      marks_.erase(marks_.begin() + at);
      failures_.erase(failures_.begin() + at);
      return true;
    }
    return false;
  }

  // Goes on from marks at knot k along `path`; keeps marks and failures.
  void continue_path(const Path& path, int k) {
    const Nudges nudges = nudges_of(path);
    std::vector<PracticeRoom::Piece> pieces;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      marks_[m].resize(static_cast<std::size_t>(k) + 1);
      pieces.push_back({&marks_[m].back(), members_[m].noisy, k, room_.knots(), &nudges});
    }
    auto played = room_.play(pieces);
    path_ = path;
    failures_.assign(members_.size(), std::nullopt);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      for (Stretch& stretch : played[m]) {
        failures_[m] = stretch.failed_at;
        if (!stretch.failed_at) marks_[m].push_back(std::move(stretch.end));
      }
    }
  }

  // The old path from knot k on, the deviation from it fading.
  Path faded(const Path& path, int k) const {
    Path out = path;
    out.resize(path_.size());
    for (std::size_t j = static_cast<std::size_t>(k) + 1; j < out.size(); ++j) {
      for (std::size_t i = 0; i < Offsets::kSize; ++i) {
        double away = kDecay * (out[j - 1].values[i] - path_[j - 1].values[i]);
        if (std::abs(away) < kNothing) away = 0;
        out[j].values[i] = rounded(path_[j].values[i] + away);
      }
    }
    return out;
  }

  bool mend(double failure, int attempt) {
    const int hard = attempt > 0 ? 2 : 1;
    const double spread = attempt > 0 ? 1.5 : 1;
    const double back = kBack + kFurther * (attempt % kFurthest);
    const int reach = static_cast<int>(failure / kKnot);
    const int begin = std::max(0, static_cast<int>((failure - back) / kKnot));
    Node root;
    for (const auto& marks : marks_) root.takes.push_back(marks[static_cast<std::size_t>(begin)]);
    root.path.assign(path_.begin(), path_.begin() + begin + 1);
    std::vector<Node> beam{std::move(root)};
    for (int k = begin; k < room_.knots() && !over(); ++k) {
      beam = extend(beam, k, hard * kSamples, spread);
      if (beam.empty()) return false;
      if (beam.size() > static_cast<std::size_t>(hard * kBeam))
        beam.resize(static_cast<std::size_t>(hard * kBeam));
      if (passes(beam, k + 1, failure)) return true;
      if (k > reach + static_cast<int>(2 / kKnot)) return false;
    }
    return false;
  }

  // All children of a beam at knot k that do not fail, the best first.
  std::vector<Node> extend(const std::vector<Node>& beam, int k, int samples, double spread) {
    struct Child {
      const Node* parent;
      Path path;
      Nudges nudges;
    };
    std::vector<Child> children;
    for (std::size_t b = 0; b < std::min<std::size_t>(2, beam.size()); ++b)
      children.push_back({&beam[b], next_knot(beam[b], k), {}});
    for (int s = 0; s < samples; ++s) {
      const Node& parent = beam[static_cast<std::size_t>(s) % beam.size()];
      Path path = next_knot(parent, k);
      const bool all = s % 2 == 0;
      for (std::size_t i = 0; i < Offsets::kSize; ++i) {
        double& x = path.back().values[i];
        if (all || random_.next() % 3 == 0) x = rounded(x + spread * kSpread[i] * random_.normal());
      }
      children.push_back({&parent, std::move(path), {}});
    }
    std::vector<PracticeRoom::Piece> pieces;
    for (Child& child : children) {
      child.nudges = nudges_of(child.path, k);
      for (std::size_t m = 0; m < members_.size(); ++m)
        pieces.push_back({&child.parent->takes[m], members_[m].noisy, k, k + 1, &child.nudges});
    }
    auto played = room_.play(pieces);
    std::vector<Node> out;
    for (std::size_t c = 0; c < children.size(); ++c) {
      Node node;
      bool alive = true;
      double mean = 0;
      for (std::size_t m = 0; m < members_.size(); ++m) {
        Stretch& stretch = played[c * members_.size() + m].front();
        alive = alive && !stretch.failed_at;
        mean += stretch.mean / static_cast<double>(members_.size());
        node.last += stretch.last / static_cast<double>(members_.size());
        node.takes.push_back(std::move(stretch.end));
      }
      if (!alive) continue;
      node.sum = children[c].parent->sum + mean + 0.02 * size_of(children[c].path.back());
      node.path = std::move(children[c].path);
      out.push_back(std::move(node));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Node& a, const Node& b) { return a.value() < b.value(); });
    return out;
  }

  Path next_knot(const Node& parent, int k) const {
    Path path = faded(parent.path, k);
    path.resize(static_cast<std::size_t>(k) + 2);
    return path;
  }

  // Whether one of the best gets well past the failure from knot k on, by the old path alone; then this is the path.
  bool passes(const std::vector<Node>& beam, int k, double failure) {
    const std::size_t count = std::min<std::size_t>(kTested, beam.size());
    std::vector<Path> paths(count);
    std::vector<Nudges> nudges(count);
    std::vector<PracticeRoom::Piece> pieces;
    for (std::size_t b = 0; b < count; ++b) {
      paths[b] = faded(beam[b].path, k);
      nudges[b] = nudges_of(paths[b], k);
      for (std::size_t m = 0; m < members_.size(); ++m)
        pieces.push_back({&beam[b].takes[m], members_[m].noisy, k, room_.knots(), &nudges[b]});
    }
    auto played = room_.play(pieces);
    std::size_t best = 0;
    double furthest = 0;
    for (std::size_t b = 0; b < count; ++b) {
      double reached = 2 * room_.duration();
      for (std::size_t m = 0; m < members_.size(); ++m) {
        const auto& stretches = played[b * members_.size() + m];
        if (!stretches.empty() && stretches.back().failed_at)
          reached = std::min(reached, *stretches.back().failed_at);
      }
      if (reached > furthest) furthest = reached, best = b;
    }
    if (furthest < failure + kWellPast) return false;
    play_from_first_change(paths[best]);
    return true;
  }

  void play_from_first_change(const Path& path) {
    std::size_t same = 0;
    while (same + 1 < path.size() && path[same + 1] == path_[same + 1]) ++same;
    for (const auto& marks : marks_) same = std::min(same, marks.size() - 1);
    continue_path(path, static_cast<int>(same));
  }

  PracticeRoom& room_;
  RehearsalOptions options_;
  const std::function<bool(const RehearsalProgress&)>& progress_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool stopped_ = false;
  double share_ = 1;
  Random random_;
  std::vector<Member> members_;
  Path path_;
  std::vector<std::vector<Take>> marks_;         // per member and knot
  std::vector<std::optional<double>> failures_;  // per member, s
};

// Doubles with noise play along, and what fails is mended for all. It is taken where more of others, that the search has
// not seen, get through by it.
void make_robust(Search& search, PracticeRoom& room) {
  constexpr int kRunsAtLeast = 1 + kNoisy + 2 * (1 + kJudges);
  if (!search.affords(kRunsAtLeast)) return;
  const Path plain = search.path();
  search.follow_path(room.members(kNoisy, kSeenSeed));
  if (search.first_failure()) {
    search.use_until(1 - std::max(kSmoothingShare, search.cost(2 * (1 + kJudges))));
    search.mend_all(kNoisyAttempts);
    search.use_until(1);
    if (search.stopped()) return search.set_path(plain);
  }
  const Path robust = search.path();
  search.follow_path(room.members(kJudges, kUnseenSeed));
  if (robust == plain) return;
  const bool good = search.as_it_is();
  const int survivors = search.survivors();
  search.set_path(plain);
  search.follow_path(room.members(kJudges, kUnseenSeed));
  if (good && survivors > search.survivors()) {
    search.set_path(robust);
    search.follow_path(room.members(kJudges, kUnseenSeed));
  }
}

// Smaller and smoother offsets, wherever as many get through by them: all of them smoothed, all of them smaller, a few
// times; then each of the named offsets dropped.
void shrink(Search& search) {
  const auto takes = [&](const Path& path) {
    return path != search.path() && search.affords(search.size()) && search.try_path(path);
  };
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    const bool smooth = takes(smoothed(search.path())), small = takes(smaller(search.path()));
    if (!smooth && !small) break;
  }
  for (int kind = 0; kind < kKinds; ++kind) takes(without(search.path(), kind));
}

}  // namespace

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
  Search search(room, options, progress);
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
