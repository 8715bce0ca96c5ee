// The rules of a fall, on states made up for them.
#include "stunt/simulate/fall.h"

#include <gtest/gtest.h>

#include "tests/sample_actor.h"
#include "tests/test_scenes.h"

namespace stunt {
namespace {

class FallTest : public testing::Test {
 protected:
  void SetUp() override { make("ground: {}"); }
  void make(const std::string& ground) {
    const Scene scene = read_scene(ground + "\nactors: [{motion: a, name: a}]\n", "test");
    compiled_ = compile(scene, {{"a", actor_}});
    engine_ = make_engine("mujoco", compiled_);
    watch_ = std::make_unique<FallWatch>(compiled_->actors[0], scene.ground);
    standing_ = actor_->rest_q();
  }
  // The engine's contacts become those of this pose.
  void pose(const VecX& q) {
    const std::vector<double> still(actor_->nv(), 0.0);
    engine_->set_state({q.data(), static_cast<std::size_t>(q.size())}, still);
    engine_->step();
  }
  // Seen every 10 ms from t on; the fall, if one was reported.
  std::optional<Fall> watch(double from, double seconds, const VecX& q, const VecX& reference) {
    for (int i = 0; i <= std::lround(seconds / 0.01); ++i) {
      if (auto fall = watch_->update(from + 0.01 * i, q.data(), reference.data(), *engine_)) return fall;
    }
    return std::nullopt;
  }
  VecX at_height(double z) const {
    VecX q = standing_;
    q[2] = z;
    return q;
  }
  VecX lying() const {
    VecX q = at_height(0.10);
    quat_to_wxyz(axis_angle(Vec3::UnitY(), -kPi / 2), &q[3]);  // on its back
    return q;
  }

  ActorPtr actor_ = sample_actor();
  std::shared_ptr<const CompiledScene> compiled_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<FallWatch> watch_;
  VecX standing_;
};

TEST_F(FallTest, ALowPelvisIsAFallAfterAFifthOfASecond) {
  EXPECT_FALSE(watch(0, 0.15, at_height(0.5), standing_));
  EXPECT_FALSE(watch(0.16, 0.1, at_height(0.6), standing_));  // up again: 0.6 > 0.6 * 0.95
  const auto fall = watch(0.5, 0.5, at_height(0.5), standing_);
  ASSERT_TRUE(fall);
  EXPECT_DOUBLE_EQ(fall->time, 0.5);  // the start of the interval
  EXPECT_NE(fall->reason.find("pelvis at 0.50 m"), std::string::npos) << fall->reason;
  EXPECT_FALSE(watch(2, 1, at_height(0.1), standing_)) << "a fall is reported once";
}

TEST_F(FallTest, ALowPelvisIsNoFallWhereTheReferenceIsLowToo) {
  EXPECT_FALSE(watch(0, 1, at_height(0.5), at_height(0.55)));
}

TEST_F(FallTest, HeightsAreOverTheSlope) {
  make("ground: {slope_deg: 20}");
  VecX uphill = standing_;
  uphill[0] = 2;  // the ground is 0.73 m higher here
  uphill[2] = 2 * std::tan(radians(20)) + 0.9;
  EXPECT_FALSE(watch(0, 1, uphill, standing_));
  uphill[2] = 1.0;  // 0.27 m over the ground
  EXPECT_TRUE(watch(2, 1, uphill, standing_));
}

TEST_F(FallTest, ABodyOnTheGroundIsAFallAfterATenthOfASecond) {
  pose(lying());
  const auto fall = watch(3, 0.19, lying(), standing_);  // before the rule of the pelvis
  ASSERT_TRUE(fall);
  EXPECT_DOUBLE_EQ(fall->time, 3);
  EXPECT_NE(fall->reason.find("touches the ground"), std::string::npos) << fall->reason;
}

TEST_F(FallTest, ABodyOnTheGroundIsNoFallWhereTheReferenceLiesToo) {
  pose(lying());
  ASSERT_FALSE(engine_->contacts().empty());
  EXPECT_FALSE(watch(0, 1, lying(), lying()));
}

TEST_F(FallTest, FeetMayTouch) {
  const VecX low = at_height(0.05 + 0.42 + 0.42 + 0.058);
  pose(low);
  ASSERT_FALSE(engine_->contacts().empty());
  EXPECT_FALSE(watch(0, 1, low, standing_));
}

// Whoever sits in the motion may sit on a box, and nobody else.
TEST_F(FallTest, SittingOnABoxIsNoFallWhereTheMotionSits) {
  make("objects: [{name: seat, size: [0.6, 0.6, 0.5], position: [0, 0, 0.25], fixed: true}]");
  VecX seated = lying();
  seated[2] += 0.5;
  pose(seated);
  EXPECT_FALSE(watch(0, 0.5, seated, seated));
  VecX higher = seated;
  higher[2] += 0.25;
  EXPECT_TRUE(watch(1, 0.19, seated, higher));
}

}  // namespace
}  // namespace stunt
