#include "stunt/reference/reference.h"

#include <gtest/gtest.h>

#include "stunt/reference/staging/staging.h"
#include "tests/sample_actor.h"

namespace stunt {
namespace {

// The sample actor moves with one constant velocity in all joints, so everything is known in closed form.
class ReferenceTest : public testing::Test {
 protected:
  void SetUp() override {
    Random random(3);
    v_ = VecX::NullaryExpr(actor_->nv(), [&] { return random.uniform(-0.3, 0.3); });
    std::vector<VecX> q(121);
    for (int i = 0; i <= 120; ++i) integrate(*actor_, actor_->rest_q(), v_, i / 120.0, q[i]);
    const std::vector<std::vector<std::uint8_t>> contacts(121, std::vector<std::uint8_t>(8, 1));
    reference_ = std::make_shared<SampledReference>(actor_, 120.0, q, contacts);
  }

  // The velocity the samples themselves show.
  VecX velocity_by_difference(const Reference& reference, double t) {
    ReferenceSample before, after;
    reference.sample(t - 1e-4, before);
    reference.sample(t + 1e-4, after);
    VecX v;
    difference(*actor_, before.q, after.q, v);
    return v / 2e-4;
  }

  ActorPtr actor_ = sample_actor();
  VecX v_;
  ReferencePtr reference_;
  ReferenceSample sample_;
};

TEST_F(ReferenceTest, SamplesAgreeWithTheClosedForm) {
  for (double t : {0.1, 0.3333, 0.77}) {
    reference_->sample(t, sample_);
    VecX expected, error;
    integrate(*actor_, actor_->rest_q(), v_, t, expected);
    difference(*actor_, expected, sample_.q, error);
    EXPECT_LT(error.norm(), 1e-9);
    EXPECT_LT((sample_.v - v_).norm(), 1e-9);
    EXPECT_LT(sample_.a.norm(), 1e-7);
  }
}

TEST_F(ReferenceTest, RestsOutsideItsTime) {
  reference_->sample(5, sample_);
  EXPECT_EQ(sample_.v.norm(), 0);
  reference_->sample(-1, sample_);
  EXPECT_LT((sample_.q - actor_->rest_q()).norm(), 1e-12);
}

TEST_F(ReferenceTest, StagingKeepsVelocityConsistentWithPosition) {
  const ReferencePtr wrapped = on_slope(
      timed(placed(looped(reference_, 0, reference_->duration()), {1, 2}, 0.7), 0.2, 1.5), 0.3, {0.1, -0.2});
  for (double t : {0.1, 0.9, 3.3}) {
    wrapped->sample(t, sample_);
    EXPECT_LT((sample_.v - velocity_by_difference(*wrapped, t)).norm(), 1e-6) << t;
  }
}

TEST_F(ReferenceTest, LoopGoesOnWhereItEnded) {
  const ReferencePtr twice = looped(reference_, 0, reference_->duration());
  ReferenceSample end;
  reference_->sample(1.0, end);
  twice->sample(1.0 + 1e-9, sample_);
  EXPECT_LT((sample_.q.head<2>() - end.q.head<2>()).norm(), 1e-6);
  EXPECT_NEAR(heading(quat_from_wxyz(&sample_.q[3])), heading(quat_from_wxyz(&end.q[3])), 1e-6);
  EXPECT_TRUE(std::isinf(twice->duration()));
}

TEST_F(ReferenceTest, PlacementTurnsAboutTheStart) {
  placed(reference_, {1, 2}, 0.7)->sample(0, sample_);
  EXPECT_NEAR(sample_.q[0], 1, 1e-9);
  EXPECT_NEAR(sample_.q[1], 2, 1e-9);
  EXPECT_NEAR(heading(quat_from_wxyz(&sample_.q[3])), 0.7, 1e-9);
}

}  // namespace
}  // namespace stunt
