#include "stunt/simulate/performer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stunt/reference/cleanup/contacts.h"
#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

ReferencePtr followed(const std::string& keys) {
  return make_performers(read_scene("duration: 1\n" + keys, "test")).at(0).followed;
}

// Seen by its own numbers: nowhere in a loop does a joint jump between two samples.
TEST(Performer, ALoopHasNoSeam) {
  const ReferencePtr loop = followed("actors: [{motion: {source: walk, loop: true}}]");
  const ActorPtr actor = loop->actor();
  ReferenceSample before, now;
  VecX step;
  double largest = 0, mean = 0;
  constexpr int kSamples = 12 * 240;
  loop->sample(0, before);
  for (int i = 1; i <= kSamples; ++i) {
    loop->sample(i / 240.0, now);
    difference(*actor, before.q, now.q, step);
    const double size = step.tail(step.size() - 6).norm();
    largest = std::max(largest, size);
    mean += size / kSamples;
    std::swap(before, now);
  }
  EXPECT_GT(mean, 0);
  EXPECT_LT(largest, 5 * mean);
}

TEST(Performer, OnASlopeTheFeetStandOnThePlane) {
  const double slope = std::tan(radians(8));
  const ReferencePtr motion = followed(
      "ground: {slope_deg: 8, direction_deg: 30}\nactors: [{motion: {source: walk, loop: true}, heading_deg: "
      "20}]");
  ReferenceSample sample;
  double off = 0;
  int count = 0;
  for (double t = 0; t < 8; t += 0.05) {
    motion->sample(t, sample);
    const PointPaths points = contact_point_paths(*motion->actor(), {sample.q});
    for (std::size_t p = 0; p < points[0].size(); ++p) {
      if (!sample.contacts[p]) continue;
      const Vec3& at = points[0][p];
      off += std::abs(at.z() - slope * (at.x() * std::cos(radians(30)) + at.y() * std::sin(radians(30))));
      ++count;
    }
  }
  ASSERT_GT(count, 100);
  EXPECT_LT(off / count, 0.01);
}

// A controller that pushed against 9.81 would jump off the moon.
TEST(Performer, ControllersKnowTheScenesGravity) {
  const ReferencePtr motion = followed("gravity: 1.62\nactors: [{motion: stand}]");
  EXPECT_DOUBLE_EQ(motion->actor()->gravity(), 1.62);
  const Recording r = run_scene(read_scene("gravity: 1.62\nactors: [{motion: bow}]", "test"));
  EXPECT_FALSE(r.actors[0].fall);
  for (int i = 0; i < r.samples(); ++i) EXPECT_LT(r.q(i)[2], r.q(0)[2] + 0.05) << i;
}

}  // namespace
}  // namespace stunt
