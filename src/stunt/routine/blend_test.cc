#include "stunt/routine/blend.h"

#include <gtest/gtest.h>

#include "stunt/actor/dynamics.h"
#include "stunt/core/error.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

using SampledPtr = std::shared_ptr<const SampledReference>;

// A part of the jab that begins at `from` (s), turned to the left by `yaw` (rad).
Segment jab(const std::string& name, double from, double yaw) {
  static const SampledPtr whole = [] {
    const Clip clip = load_clip("jab");
    return clean_up(fit_actor(clip, {}), clip).reference;
  }();
  std::vector<VecX> q;
  std::vector<std::vector<std::uint8_t>> contacts;
  for (int i = static_cast<int>(from * whole->rate()); i < static_cast<int>(1.7 * whole->rate()); ++i) {
    q.push_back(whole->q(i));
    quat_to_wxyz(yaw_rotation(yaw) * quat_from_wxyz(&q.back()[3]), &q.back()[3]);
    contacts.push_back(whole->contacts(i));
  }
  Segment segment;
  segment.name = name;
  segment.motion = std::make_shared<SampledReference>(whole->actor(), whole->rate(), q, contacts);
  StrikeSpec strike;
  strike.with = "left_hand";
  strike.miss = {0.01 * yaw, 0, 0};
  strike.speeds = {1, 2, 3};
  study(segment, false, segment.motion->duration(), strike, "test");
  return segment;
}

TEST(Blend, AGridBetweenExamplesThatHitTogether) {
  const Segment a = jab("a", 0.4, 0), b = jab("b", 0.5, 0.4);
  const std::vector<Segment> between = blend_segments({&a, &b}, 4, "jabs", "test");
  ASSERT_EQ(between.size(), 3u);
  EXPECT_EQ(between[1].name, "jabs_2");
  EXPECT_EQ(between[1].blend, "jabs");
  const Strike& half = *between[1].strike;
  EXPECT_NEAR(half.at, 0.5 * (a.strike->at + b.strike->at), 1e-9);
  EXPECT_NEAR(between[1].length, 0.5 * (a.length + b.length), 1e-9);
  EXPECT_NEAR(half.spec.miss.x(), 0.002, 1e-9);
  EXPECT_EQ(half.spec.speeds, Vec3(1, 2, 3));
  // Turned by half as much, the fist goes half the way round.
  const Vec3 from = a.strike->q.head<3>(), hand = a.strike->place - from;
  EXPECT_LT((half.place - from - yaw_rotation(0.2) * hand).norm(), 0.01);
  EXPECT_NEAR(half.velocity.norm(), a.strike->velocity.norm(), 0.05 * half.velocity.norm());
  ReferenceSample sample;
  between[1].motion->sample(half.at, sample);
  EXPECT_LT((sample.q - half.q).norm(), 1e-9);
  // Its speeds are those of its poses.
  ReferenceSample before, after;
  VecX way;
  for (double t = 0.1; t < between[1].length - 0.1; t += 0.1) {
    constexpr double h = 0.01;
    between[1].motion->sample(t - h, before);
    between[1].motion->sample(t, sample);
    between[1].motion->sample(t + h, after);
    difference(*a.motion->actor(), before.q, after.q, way);
    EXPECT_LT((way / (2 * h) - sample.v).norm(), 0.1 * sample.v.norm() + 0.3) << t;
  }
  EXPECT_EQ(blend_segments({&a, &b, &b, &a}, 11, "jabs", "test").size(), 12u * 12u - 4u);
}

TEST(Blend, OnlyHitsOfOneBody) {
  const Segment a = jab("a", 0.4, 0);
  Segment still = a;
  still.strike.reset();
  EXPECT_THROW(blend_segments({&a, &still}, 4, "x", "test"), InputError);
  EXPECT_THROW(blend_segments({&a}, 4, "x", "test"), InputError);
}

}  // namespace
}  // namespace stunt
