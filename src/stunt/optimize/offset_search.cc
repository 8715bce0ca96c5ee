#include "stunt/optimize/offset_search.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kDecay = 0.5;                 // of an offset from knot to knot, where nothing is wanted
constexpr double kWellPast = 1.0;              // s after a failure: it is mended
constexpr double kSeenPast = 3.0;              // s after it: who gets as far is as good as any
constexpr double kBack = 0.9, kFurther = 0.6;  // s before a failure, and more with every attempt
constexpr int kSamples = 40, kBeam = 8, kTested = 4;
constexpr int kFurthest = 5;  // attempts, each further back than the one before; then from the first again

}  // namespace

OffsetSearch::OffsetSearch(PracticeRoom& room, const RehearsalOptions& options,
                           const std::function<bool(const RehearsalProgress&)>& progress)
    : room_(room),
      options_(options),
      progress_(progress),
      random_(0x72656865617273),
      path_(static_cast<std::size_t>(room.knots()) + 1) {
  room_.meanwhile = [this] { report(); };
}

void OffsetSearch::follow_path(std::vector<Member> members) {
  members_ = std::move(members);
  marks_.clear();
  for (const Member& member : members_) marks_.push_back({member.start});
  continue_path(path_, 0);
}

bool OffsetSearch::mend_all(int most_attempts) {
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

bool OffsetSearch::try_path(const OffsetPath& path) {
  const auto marks = marks_;
  const auto failures = failures_;
  const OffsetPath old = path_;
  const auto through = survivors();
  play_from_first_change(path);
  if (!failures_.front() && survivors() >= through) return true;
  marks_ = marks;
  failures_ = failures;
  path_ = old;
  return false;
}

int OffsetSearch::survivors() const {
  return static_cast<int>(std::count(failures_.begin(), failures_.end(), std::nullopt));
}

std::optional<double> OffsetSearch::first_failure() const {
  std::optional<double> first;
  for (const auto& failure : failures_) {
    if (failure && (!first || *failure < *first)) first = failure;
  }
  return first;
}

double OffsetSearch::cost(int runs) const {
  return (1 - left()) * runs * room_.knots() / static_cast<double>(std::max(1L, room_.rollouts()));
}

double OffsetSearch::left() const {
  if (options_.rollouts) return 1 - static_cast<double>(room_.rollouts()) / *options_.rollouts;
  const auto spent = std::chrono::steady_clock::now() - begin_;
  return 1 - std::chrono::duration<double>(spent).count() / options_.budget;
}

void OffsetSearch::report() {
  if (!progress_ || stopped_) return;
  const double reached = first_failure().value_or(room_.duration());
  stopped_ = !progress_({doing, reached, room_.duration(), room_.rollouts(), std::max(0.0, left())});
}

bool OffsetSearch::leave_out(double failure) {
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

void OffsetSearch::continue_path(const OffsetPath& path, int k) {
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

OffsetPath OffsetSearch::faded(const OffsetPath& path, int k) const {
  OffsetPath out = path;
  out.resize(path_.size());
  for (std::size_t j = static_cast<std::size_t>(k) + 1; j < out.size(); ++j) {
    for (std::size_t i = 0; i < Offsets::kSize; ++i) {
      double away = kDecay * (out[j - 1].values[i] - path_[j - 1].values[i]);
      if (std::abs(away) < kSmallestOffset) away = 0;
      out[j].values[i] = rounded_offset(path_[j].values[i] + away);
    }
  }
  return out;
}

bool OffsetSearch::mend(double failure, int attempt) {
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

std::vector<OffsetSearch::Node> OffsetSearch::extend(const std::vector<Node>& beam, int k, int samples,
                                                     double spread) {
  struct Child {
    const Node* parent;
    OffsetPath path;
    Nudges nudges;
  };
  std::vector<Child> children;
  for (std::size_t b = 0; b < std::min<std::size_t>(2, beam.size()); ++b)
    children.push_back({&beam[b], next_knot(beam[b], k), {}});
  for (int s = 0; s < samples; ++s) {
    const Node& parent = beam[static_cast<std::size_t>(s) % beam.size()];
    OffsetPath path = next_knot(parent, k);
    const bool all = s % 2 == 0;
    for (std::size_t i = 0; i < Offsets::kSize; ++i) {
      double& x = path.back().values[i];
      if (all || random_.next() % 3 == 0)
        x = rounded_offset(x + spread * kOffsetSpread[i] * random_.normal());
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

OffsetPath OffsetSearch::next_knot(const Node& parent, int k) const {
  OffsetPath path = faded(parent.path, k);
  path.resize(static_cast<std::size_t>(k) + 2);
  return path;
}

bool OffsetSearch::passes(const std::vector<Node>& beam, int k, double failure) {
  const std::size_t count = std::min<std::size_t>(kTested, beam.size());
  const int end = std::min(room_.knots(), std::max(k, static_cast<int>((failure + kSeenPast) / kKnot) + 1));
  std::vector<OffsetPath> paths(count);
  std::vector<Nudges> nudges(count);
  std::vector<PracticeRoom::Piece> pieces;
  for (std::size_t b = 0; b < count; ++b) {
    paths[b] = faded(beam[b].path, k);
    nudges[b] = nudges_of(paths[b], k);
    for (std::size_t m = 0; m < members_.size(); ++m)
      pieces.push_back({&beam[b].takes[m], members_[m].noisy, k, end, &nudges[b]});
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

void OffsetSearch::play_from_first_change(const OffsetPath& path) {
  std::size_t same = 0;
  while (same + 1 < path.size() && path[same + 1] == path_[same + 1]) ++same;
  for (const auto& marks : marks_) same = std::min(same, marks.size() - 1);
  continue_path(path, static_cast<int>(same));
}

}  // namespace stunt
