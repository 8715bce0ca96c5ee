#include "stunt/reference/cleanup/filter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stunt {
namespace {

// Every hinge and ball joint of the humanoid swings gently, at 120 Hz.
std::vector<VecX> swinging(const Actor& actor) {
  std::vector<VecX> q(120, actor.rest_q());
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double angle = 0.3 * std::sin(2 * kPi * static_cast<double>(i) / 120);
    for (const ActorJoint& joint : actor.joints()) {
      if (joint.type == JointType::hinge) q[i][joint.q_address] = angle;
      if (joint.type == JointType::ball)
        quat_to_wxyz(exp_map({angle, 0, 0.5 * angle}), &q[i][joint.q_address]);
    }
  }
  return q;
}

const ActorJoint& joint_of(const Actor& actor, JointType type) {
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type == type) return joint;
  }
  throw std::logic_error("no such joint");
}

// |H|^2 of the second-order Butterworth low-pass under the bilinear transform, twice (forwards and backwards),
// with Winter's correction that puts the -3 dB of both together at the cut-off.
double two_pass_gain(double hz, double rate, double cutoff) {
  const double warped = std::tan(kPi * hz / rate);
  const double edge = std::tan(kPi * cutoff / std::pow(std::sqrt(2.0) - 1, 0.25) / rate);
  return 1 / (1 + std::pow(warped / edge, 4));
}

TEST(LowPass, HasTheGainOfButterworthAndNoPhase) {
  const double rate = 120;
  for (const double cutoff : {4.0, 6.0, 10.0}) {
    for (const double hz : {0.5, 2.0, 6.0, 10.0, 20.0}) {
      // Long enough for the ends not to matter; the middle is compared with cosine and sine of that frequency.
      const int n = 2400, from = 600, to = 1800;
      const double phase = 0.7;
      std::vector<double> signal(n);
      for (int i = 0; i < n; ++i) signal[i] = std::cos(2 * kPi * hz * i / rate + phase);
      low_pass(signal, rate, cutoff);
      double in_phase = 0, out_of_phase = 0;
      for (int i = from; i < to; ++i) {
        const double angle = 2 * kPi * hz * i / rate + phase;
        in_phase += 2 * signal[i] * std::cos(angle) / (to - from);
        out_of_phase += 2 * signal[i] * std::sin(angle) / (to - from);
      }
      EXPECT_NEAR(in_phase, two_pass_gain(hz, rate, cutoff), 1e-6) << hz << " Hz through " << cutoff;
      EXPECT_NEAR(out_of_phase, 0, 1e-6) << hz << " Hz through " << cutoff;
    }
    EXPECT_NEAR(two_pass_gain(cutoff, rate, cutoff), std::sqrt(0.5), 0.02);
  }
}

TEST(LowPass, KeepsAConstantVelocityThroughTheEnds) {
  std::vector<double> line(200);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = 3 + 0.02 * static_cast<double>(i);
  std::vector<double> smoothed = line;
  low_pass(smoothed, 120, 6);
  // Within what is left of the start of the reflected part.
  for (std::size_t i = 0; i < line.size(); ++i) EXPECT_NEAR(smoothed[i], line[i], 1e-4) << i;
}

TEST(LowPass, OfAMotionKeepsQuaternionsUnitAndSmooth) {
  const ActorPtr actor = Actor::load("humanoid");
  const std::vector<VecX> clean = swinging(*actor);
  std::vector<VecX> q = clean;
  const int ball = joint_of(*actor, JointType::ball).q_address;
  for (std::size_t i = 0; i < q.size(); i += 2) q[i].segment<4>(ball) *= -1;  // the same rotations
  low_pass(*actor, q, 120, 10);
  VecX change;
  for (std::size_t i = 0; i < q.size(); ++i) {
    EXPECT_NEAR(q[i].segment<4>(ball).norm(), 1, 1e-12);
    difference(*actor, clean[i], q[i], change);
    EXPECT_LT(change.cwiseAbs().maxCoeff(), 0.01) << i;  // 1 Hz passes
  }
}

TEST(RemoveSpikes, TakesOutShortExcursionsOnly) {
  const ActorPtr actor = Actor::load("humanoid");
  const std::vector<VecX> clean = swinging(*actor);
  const int hinge = joint_of(*actor, JointType::hinge).q_address;
  const int ball = joint_of(*actor, JointType::ball).q_address;
  for (const int length : {1, 2, 3, 4}) {
    std::vector<VecX> q = clean;
    for (int i = 40; i < 40 + length; ++i) {
      q[i][hinge] += 2;
      quat_to_wxyz(exp_map({0.1, 2.5, 0.3}), &q[i][ball]);
    }
    EXPECT_GE(remove_spikes(*actor, q, 120), 2 * length);
    for (std::size_t i = 0; i < q.size(); ++i)
      EXPECT_LT((q[i] - clean[i]).norm(), 0.01) << length << ' ' << i;
  }
}

TEST(RemoveSpikes, LeavesFastMovesAlone) {
  const ActorPtr actor = Actor::load("humanoid");
  std::vector<VecX> q = swinging(*actor);
  const int hinge = joint_of(*actor, JointType::hinge).q_address;
  // A blow: two radians within 100 ms, and back within 150.
  for (int i = 0; i <= 30; ++i) {
    q[50 + i][hinge] += i < 12 ? 1 - std::cos(kPi * i / 12) : 1 + std::cos(kPi * (i - 12) / 18);
  }
  const std::vector<VecX> before = q;
  EXPECT_EQ(remove_spikes(*actor, q, 120), 0);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_EQ(q[i], before[i]);
  // Fifteen frames a second have two of it.
  std::vector<VecX> few;
  for (std::size_t i = 0; i < before.size(); i += 8) few.push_back(before[i]);
  EXPECT_EQ(remove_spikes(*actor, few, 15), 0);
}

// A joint that stops dead, as of a foot that lands or a fist that hits, is as sharp as a spike but does not come back.
TEST(RemoveSpikes, LeavesStopsAlone) {
  const ActorPtr actor = Actor::load("humanoid");
  const std::vector<VecX> slow = swinging(*actor);
  const int hinge = joint_of(*actor, JointType::hinge).q_address;
  for (const double rate : {30.0, 120.0}) {
    std::vector<VecX> q = slow;
    for (int i = 0; i < 6; ++i) q[40 + i][hinge] -= 0.5 * (5 - i);
    for (int i = 0; i < 40; ++i) q[i][hinge] -= 2.5;
    EXPECT_EQ(remove_spikes(*actor, q, rate), 0) << rate;
    q[80][hinge] += 0.8;
    EXPECT_EQ(remove_spikes(*actor, q, rate), 1) << rate;
    EXPECT_NEAR(q[80][hinge], slow[80][hinge], 0.01);
  }
}

}  // namespace
}  // namespace stunt
