#include "stunt/control/parts/footfalls.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

// Walks on the spot: each foot is up for the last 0.4 s of its second, the right one half a second later.
class Walk : public Reference {
 public:
  explicit Walk(ActorPtr actor) : actor_(std::move(actor)) {}
  const ActorPtr& actor() const override { return actor_; }
  double duration() const override { return 10; }
  void sample(double t, ReferenceSample& out) const override {
    out.q = actor_->rest_q();
    out.v = out.a = VecX::Zero(actor_->nv());
    out.contacts.clear();
    for (const ContactPoint& point : actor_->contact_points()) out.contacts.push_back(down(t, point.left));
  }
  static bool down(double t, bool left) {
    const double phase = t + (left ? 0 : 0.5) + 1e-9;
    return phase - std::floor(phase) < 0.6;
  }

 private:
  ActorPtr actor_;
};

TEST(Footfalls, AreKnownBeforehandAndAgreeWithWhatComes) {
  const ActorPtr actor = sample_actor();
  const Walk walk(actor);
  std::vector<Foot> feet = find_feet(*actor);
  ASSERT_EQ(feet.size(), 2u);
  Footfalls footfalls;
  ReferenceSample sample;
  int known = 0, unknown = 0;
  for (double t = 0.2; t < 3; t += 0.004) {
    footfalls.look_ahead(walk, t, feet, sample);
    for (const Foot& foot : feet) {
      // The left foot comes down at whole seconds, the right one half a second before.
      const double ahead = std::ceil(t + (foot.leg.left ? 0 : 0.5)) - (t + (foot.leg.left ? 0 : 0.5));
      if (ahead < Footfalls::kHorizon - 0.01) {
        EXPECT_NEAR(foot.lands_in, ahead, 1e-6) << t;
        ++known;
      } else if (ahead > Footfalls::kHorizon + 0.01) {
        EXPECT_TRUE(std::isinf(foot.lands_in)) << t;
        ++unknown;
      }
    }
  }
  EXPECT_GT(known, 300);
  EXPECT_GT(unknown, 800);
}

TEST(Footfalls, ABeginningInTheMiddleOfAStepIsNoLanding) {
  const ActorPtr actor = sample_actor();
  const Walk walk(actor);
  std::vector<Foot> feet = find_feet(*actor);
  Footfalls footfalls(0.8);
  ReferenceSample sample;
  footfalls.look_ahead(walk, 0.8, feet, sample);
  EXPECT_NEAR(feet[0].lands_in, 0.2, 1e-6) << "up, and coming down";
  EXPECT_TRUE(std::isinf(feet[1].lands_in)) << "stands already";
}

}  // namespace
}  // namespace stunt
