#include "stunt/control/parts/take_off.h"

#include <gtest/gtest.h>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

// Stands, flies from 0.5 s for as long as it is told with a steady turn about the vertical, stands again.
class Hop : public Reference {
 public:
  Hop(ActorPtr actor, double flight) : actor_(std::move(actor)), flight_(flight) {}
  const ActorPtr& actor() const override { return actor_; }
  double duration() const override { return 2; }
  void sample(double t, ReferenceSample& out) const override {
    const bool flies = t > 0.5 && t < 0.5 + flight_;
    out.q = actor_->rest_q();
    out.v = out.a = VecX::Zero(actor_->nv());
    out.v[5] = flies ? 1.5 : 0;
    out.contacts.assign(actor_->contact_points().size(), !flies);
  }

 private:
  ActorPtr actor_;
  double flight_;
};

class TakeOffTest : public testing::Test {
 protected:
  std::optional<Vec3> rate_at(double time, const Vec3& spin, double flight) {
    const Hop hop(actor, flight);
    TakeOff take_off;
    for (double t = 0; t <= time; t += 0.004) take_off.look_ahead(hop, t, dynamics, sample);
    return take_off.spin_rate(time, spin, 0.15);
  }

  ActorPtr actor = sample_actor();
  ActorDynamics dynamics{actor};
  ReferenceSample sample;
};

// The inertia about the vertical, body by body, times the turn: the momentum of the flight.
TEST_F(TakeOffTest, TheBodyIsGivenTheFlightsMomentumInTheTimeThatIsLeft) {
  dynamics.set_state(actor->rest_q(), VecX::Zero(actor->nv()));
  Vec3 momentum = Vec3::Zero();
  for (int b = 0; b < static_cast<int>(actor->bodies().size()); ++b) {
    const ActorBody& part = actor->bodies()[b];
    const Mat3 axes = dynamics.body_rotation(b).toRotationMatrix();
    const Vec3 arm = dynamics.point(b, part.com) - dynamics.com(), turn(0, 0, 1.5);
    momentum += axes * part.inertia * axes.transpose() * turn + part.mass * arm.cross(turn.cross(arm));
  }
  ASSERT_GT(momentum.z(), 1);
  const Vec3 spin(0.3, -0.2, 0.1);
  const double take_off = 61.0 / 120;  // s, the first sample in the air
  const auto rate = rate_at(0.4, spin, 0.3);
  ASSERT_TRUE(rate);
  EXPECT_LT((*rate - (momentum - spin) / (take_off - 0.4)).norm(), 1e-6);
  // At the last moment, and a little after it, the rate stays finite.
  const auto late = rate_at(take_off + 0.01, spin, 0.3);
  ASSERT_TRUE(late);
  EXPECT_LT((*late - (momentum - spin) / 0.03).norm(), 1e-6);
}

TEST_F(TakeOffTest, NothingIsAskedLongBeforeInFlightOrForAHopTooShort) {
  EXPECT_FALSE(rate_at(0.3, Vec3::Zero(), 0.3));
  EXPECT_FALSE(rate_at(0.6, Vec3::Zero(), 0.3));
  EXPECT_FALSE(rate_at(1.5, Vec3::Zero(), 0.3));
  EXPECT_FALSE(rate_at(0.4, Vec3::Zero(), 0.04));
}

TEST_F(TakeOffTest, AFlightIsKnownUntilItIsOver) {
  const auto flies = [&](double time, double flight) {
    const Hop hop(actor, flight);
    TakeOff take_off;
    for (double t = 0; t <= time; t += 0.004) take_off.look_ahead(hop, t, dynamics, sample);
    return take_off.flies_soon(time);
  };
  EXPECT_TRUE(flies(0.1, 0.3));
  EXPECT_TRUE(flies(0.78, 0.3));
  EXPECT_FALSE(flies(0.82, 0.3));
  EXPECT_FALSE(flies(0.4, 0.04)) << "too short to be one";
}

TEST_F(TakeOffTest, AMotionThatBeginsInTheAirHasNoTakeOff) {
  const Hop hop(actor, 0.3);
  TakeOff take_off(0.6);
  take_off.look_ahead(hop, 0.6, dynamics, sample);
  EXPECT_FALSE(take_off.spin_rate(0.6, Vec3::Zero(), 0.15));
}

}  // namespace
}  // namespace stunt
