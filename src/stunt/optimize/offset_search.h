// The search of a rehearsal (rehearsal.h): a path of offsets that leads every member through the clip.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "stunt/core/random.h"
#include "stunt/optimize/offset_path.h"
#include "stunt/optimize/practice_room.h"
#include "stunt/optimize/rehearsal.h"

namespace stunt {

class OffsetSearch {
 public:
  OffsetSearch(PracticeRoom& room, const RehearsalOptions& options,
               const std::function<bool(const RehearsalProgress&)>& progress);

  // As far as the path leads, by every member.
  void follow_path(std::vector<Member> members);

  // Mends one failure after the other. A noisy member that cannot be helped is left out; false: the double as it is cannot
  // be helped, or the budget is used up.
  bool mend_all(int most_attempts);

  // Plays `path`, and goes on with it where as many members get through as before, the double as it is among them.
  bool try_path(const OffsetPath& path);

  int size() const { return static_cast<int>(members_.size()); }
  int survivors() const;

  // Uses no more than this share of the budget from now on.
  void use_until(double share) { share_ = share; }

  std::optional<double> first_failure() const;

  bool over() const { return stopped_ || left() <= 1 - share_; }
  // What so many runs of the whole clip take of the budget, at the pace so far.
  double cost(int runs) const;
  bool affords(int runs) const { return !stopped_ && cost(runs) < left(); }
  bool stopped() const { return stopped_; }             // from outside
  bool as_it_is() const { return !failures_.front(); }  // without noise it gets through
  const OffsetPath& path() const { return path_; }
  void set_path(OffsetPath path) { path_ = std::move(path); }
  const char* doing = "practises";

 private:
  struct Node {
    std::vector<Take> takes;  // one per member
    OffsetPath path;          // up to here
    double sum = 0, last = 0;
    double value() const { return 0.3 * sum + last; }
  };

  double left() const;

  void report();

  // Leaves out the noisy member that fails at this time.
  bool leave_out(double failure);

  // Goes on from marks at knot k along `path`; keeps marks and failures.
  void continue_path(const OffsetPath& path, int k);

  // The old path from knot k on, the deviation from it fading.
  OffsetPath faded(const OffsetPath& path, int k) const;

  bool mend(double failure, int attempt);

  // All children of a beam at knot k that do not fail, the best first.
  std::vector<Node> extend(const std::vector<Node>& beam, int k, int samples, double spread);

  OffsetPath next_knot(const Node& parent, int k) const;

  // Whether one of the best gets well past the failure from knot k on, by the old path alone; then this is the path.
  bool passes(const std::vector<Node>& beam, int k, double failure);

  void play_from_first_change(const OffsetPath& path);

  PracticeRoom& room_;
  RehearsalOptions options_;
  const std::function<bool(const RehearsalProgress&)>& progress_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool stopped_ = false;
  double share_ = 1;
  Random random_;
  std::vector<Member> members_;
  OffsetPath path_;
  std::vector<std::vector<Take>> marks_;         // per member and knot
  std::vector<std::optional<double>> failures_;  // per member, s
};

}  // namespace stunt
