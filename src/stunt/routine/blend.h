// A segment between others: examples with their hits at the same time are mixed (hit-and-react section 4), so that a few
// captured swings become a library that is dense enough to find one near every ball.
#pragma once

#include <string>
#include <vector>

#include "stunt/routine/segment.h"

namespace stunt {

// The poses of several motions, mixed by weights that add up to 1. Each is played in its own time, so that all begin, hit
// and end together.
class BlendedMotion : public Reference {
 public:
  struct Example {
    ReferencePtr motion;
    double weight;
    double hit, length;  // s, in its own time
  };
  explicit BlendedMotion(std::vector<Example> examples);

  const ActorPtr& actor() const override { return examples_[0].motion->actor(); }
  double duration() const override { return length_; }
  double hit() const { return hit_; }
  void sample(double t, ReferenceSample& out) const override;

 private:
  std::vector<Example> examples_;
  double hit_ = 0, length_ = 0;  // s
  std::size_t main_ = 0;         // the one that weighs most: the feet go by it
  mutable ReferenceSample one_;  // room to work
  mutable VecX way_, mixed_;
};

// The segments of a grid between two (a, b) or four (a, b; c, d) examples, `steps` steps to a side; the examples themselves
// are left out. Each is named after `name` and its number. All examples must have a hit with the same body. Throws
// InputError, with `place`.
std::vector<Segment> blend_segments(const std::vector<const Segment*>& examples, int steps,
                                    const std::string& name, const std::string& place);

}  // namespace stunt
