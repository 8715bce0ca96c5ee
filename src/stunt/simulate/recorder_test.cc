// What is recorded, against mechanics on paper.
#include "stunt/simulate/recorder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stunt/simulate/simulation.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

constexpr double kMass = 3, kGravity = 9.81;

class RecorderTest : public testing::TestWithParam<std::string> {
 protected:
  // A body that nothing drives.
  Recording left_alone(const std::string& bodies, double duration, const std::string& keys = "") const {
    const ActorPtr actor =
        Actor::from_xml("<mujoco><worldbody>" + bodies + "</worldbody></mujoco>", "thing", "thing.xml");
    const Scene scene =
        read_scene(fmt::format("engine: {}\nduration: {}\n{}\nactors: [{{motion: rest, controller: "
                               "{{type: ragdoll, damping: 0}}}}]\n",
                               GetParam(), duration, keys),
                   "test");
    std::vector<Performer> performers = test::resting(scene, actor, 0);
    make_controller(performers[0]);
    return Simulation(scene, std::move(performers)).run();
  }
  static std::string cube(double height) {
    return fmt::format(
        R"(<body name="cube" pos="0 0 {}"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="{}"/>
                       </body>)",
        height, kMass);
  }
  static std::span<const float> row(const Recording& r, const char* channel, int sample) {
    return r.actors[0].channels.at(channel).row<float>(sample);
  }
};

// The momentum that contacts gave, step by step, is what gravity did not take: m dv = J - m g t.
TEST_P(RecorderTest, ContactImpulsesAreTheChangeOfMomentum) {
  const Recording r = left_alone(cube(0.3), 1.1);
  const double landing = std::sqrt(2 * 0.2 / kGravity);
  Vec3 sum = Vec3::Zero();
  int in_the_air = 0;
  for (int i = 0; i < r.samples(); ++i) {
    const auto impulse = row(r, "contact_impulse", i);
    for (int k = 0; k < 3; ++k) sum[k] += impulse[static_cast<std::size_t>(k)];
    in_the_air += impulse[2] == 0;
    if (r.time[static_cast<std::size_t>(i)] < landing - 0.01) {
      EXPECT_EQ(impulse[2], 0) << i;
      EXPECT_EQ(row(r, "contact_peak", i)[0], 0) << i;
    }
    // Impulses count up to the end of the step that the sample lies in: so long the velocity goes on with the step's
    // acceleration.
    const double time = r.time[static_cast<std::size_t>(i)];
    const double end = std::ceil(time / r.timestep - 1e-6) * r.timestep;
    const double velocity = r.v(i)[2] + row(r, "acceleration", i)[2] * (end - time);
    EXPECT_NEAR(sum.z(), kMass * (velocity + kGravity * end), 2e-3) << time;
  }
  ASSERT_LT(r.v(r.samples() - 1).norm(), 1e-3) << "it was to lie still in the end";
  EXPECT_GT(in_the_air, 15);
  EXPECT_LT(sum.head<2>().norm(), 1e-2);
}

TEST_P(RecorderTest, PeaksAreNoLessThanAnySampledForce) {
  const Recording r = left_alone(cube(0.6), 1);
  double largest = 0, largest_peak = 0;
  for (int i = 1; i < r.samples(); ++i) {
    for (const RecordedContact& contact : r.contacts_of(i)) {
      const double force = std::hypot(contact.force[0], contact.force[1], contact.force[2]);
      EXPECT_GE(row(r, "contact_peak", i)[0], 0.999 * force) << i;
      largest = std::max(largest, force);
    }
    largest_peak = std::max<double>(largest_peak, row(r, "contact_peak", i)[0]);
    const auto acceleration = row(r, "body_acceleration", i);
    EXPECT_GE(row(r, "body_acceleration_peak", i)[0],
              0.999 * std::hypot(acceleration[0], acceleration[1], acceleration[2]))
        << i;
  }
  EXPECT_GT(largest, kMass * kGravity / 8);
  EXPECT_GT(largest_peak, 2 * kMass * kGravity) << "the blow of landing lies between the samples";
}

TEST_P(RecorderTest, AccelerationIsThatOfFreeFallAndNothingAtRest) {
  const Recording r = left_alone(cube(0.6), 1.3);
  for (int i = 1; i < r.samples(); ++i) {
    const auto of_body = row(r, "body_acceleration", i), of_q = row(r, "acceleration", i);
    const double time = r.time[static_cast<std::size_t>(i)];
    const bool falls = time < 0.3, rests = r.time.back() - time < 0.1;
    if (!falls && !rests) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const double expected = k == 2 && falls ? -kGravity : 0;
      EXPECT_NEAR(of_body[k], expected, rests ? 0.05 : 1e-4) << time;
      EXPECT_NEAR(of_q[k], expected, rests ? 0.05 : 1e-4) << time;
    }
  }
}

// Hanging still: the hinge carries the weight of all below it, and turns nothing.
TEST_P(RecorderTest, TheReactionOfAHangingPendulumIsItsWeight) {
  const Recording r = left_alone(R"(<body name="rod" pos="0 0 2"><joint name="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03" mass="3"/>
      <body name="bob" pos="0 0 -0.6"><joint name="second" axis="0 1 0"/><geom type="sphere" size="0.05" mass="2"/></body>
      </body>)",
                                 0.3);
  ASSERT_EQ(r.actors[0].slot.nv, 2);
  for (int i = 1; i < r.samples(); ++i) {
    const auto reaction = row(r, "joint_reaction", i);
    ASSERT_EQ(reaction.size(), 12u);
    for (std::size_t k = 0; k < 12; ++k) {
      const double expected = k == 2 ? (3 + 2) * kGravity : k == 8 ? 2 * kGravity : 0;
      EXPECT_NEAR(reaction[k], expected, 0.02) << k << " at sample " << i;
    }
    EXPECT_NEAR(row(r, "joint_force_peak", i)[0], 5 * kGravity, 0.02);
  }
}

// In free fall with semi-implicit Euler, q moves with the velocity of the end of its step: the slope of q is ahead of v by
// half a step of gravity, at every sample alike. Were v that of the last step instead of the sample, the difference would
// jump between 0 and a whole step, because 1/120 s is no multiple of 4 ms.
TEST_P(RecorderTest, PositionAndVelocityAreOfTheSameInstant) {
  const double step = 0.004;
  const Recording r = left_alone(cube(8), 0.8, fmt::format("timestep: {}", step));
  for (int i = 2; i + 1 < r.samples(); ++i) {
    const double slope = (r.q(i + 1)[2] - r.q(i - 1)[2]) * r.rate / 2;
    EXPECT_NEAR(slope - r.v(i)[2], -kGravity * step / 2, 1e-4) << i;
    EXPECT_NEAR(r.v(i)[2], -kGravity * r.time[static_cast<std::size_t>(i)], 1e-6) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, RecorderTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace stunt
