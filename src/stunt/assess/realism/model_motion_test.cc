#include "stunt/assess/realism/model_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muscled_biped.h"
#include "stunt/assess/realism/realism_summary.h"
#include "stunt/core/error.h"
#include "stunt/motion/load.h"

namespace stunt {
namespace {

AssessedMotion captured(const std::string& name) {
  const Clip clip = load_clip(name);
  return motion_of(fit_actor(clip), clip);
}

MuscleModelPtr biped(const std::string& from = "", const std::string& to = "") {
  return load_muscle_model(
      write_muscled_biped(std::filesystem::path(testing::TempDir()) / "model_motion.xml", from, to));
}

TEST(ModelMotion, FollowsTheLegsWithJointsOfAnotherKind) {
  const AssessedMotion walk = captured("walk");
  const MuscleModelPtr model = biped();
  ModelMotionReport report;
  const AssessedMotion moved = motion_on_model(walk, model, "test", &report);
  ASSERT_EQ(moved.q.size(), walk.q.size());
  EXPECT_LT(report.ankle_error, 0.01);
  EXPECT_LT(report.leg_error, 5 * kPi / 180);
  EXPECT_EQ(report.still, (std::vector<std::string>{"trunk", "left arm", "right arm"}));
  for (const VecX& q : moved.q) {  // followers follow in every frame
    VecX settled = q;
    model->couplings.settle(settled);
    EXPECT_EQ((settled - q).norm(), 0);
  }
  // The knee bends as the actor's does.
  const auto range = [](const AssessedMotion& motion, int address) {
    double low = 1e9, high = -1e9;
    for (const VecX& q : motion.q) {
      low = std::min(low, std::abs(q[address]));
      high = std::max(high, std::abs(q[address]));
    }
    return high - low;
  };
  const auto knee_of = [](const Actor& actor) {
    for (const ActorJoint& joint : actor.joints()) {
      if (joint.body == actor.body(Role::left_shank) && joint.type == JointType::hinge)
        return joint.q_address;
    }
    return -1;
  };
  EXPECT_NEAR(range(moved, knee_of(*model->actor)), range(walk, knee_of(*walk.actor)), 0.1);
}

// Muscles and reserves together make the torques, by lengths alone: the work of all forces over a small turn of a joint.
TEST(ModelMotion, ItsMusclesCarryTheMotion) {
  const MuscleModelPtr model = biped();
  const Realism judged = assess_realism(motion_on_model(captured("walk"), model, "test"));
  EXPECT_LT(judged.kappa, 0.1);
  EXPECT_EQ(judged.muscles.muscles.size(), 22U);
  EXPECT_EQ(judged.model, "model_motion");
  EXPECT_TRUE(judged.demands.empty());
  EXPECT_NEAR(judged.mass, model->actor->mass(), 1e-9);
  // No muscle turns this hip about its long axis as its own business: reserves help, and are counted.
  ASSERT_FALSE(judged.reserves.empty());
  EXPECT_GT(judged.lambda_reserve, 0);
  EXPECT_GE(judged.lambda, judged.lambda_reserve);
  double largest = 0;
  for (const RealismFrame& frame : judged.frames) {
    for (const float use : frame.muscles.use) {
      EXPECT_GE(use, 0);
      largest = std::max(largest, static_cast<double>(use));
    }
    for (int dof = 6; dof < model->actor->nv(); ++dof) {
      if (model->couplings.follows(dof)) {
        EXPECT_EQ(frame.torque[dof], 0);
      }
    }
  }
  EXPECT_GT(largest, 0.1);
  const RealismSummary summary = summarize_realism(judged);
  EXPECT_NE(summary.verdict.back().find("Reserves"), std::string::npos) << summary.verdict.back();
}

TEST(ModelMotion, ForcesOfMusclesMakeTheTorques) {
  const MuscleModelPtr model = biped();
  const AssessedMotion moved = motion_on_model(captured("squat"), model, "test");
  MuscleJudge judge(model, 100);
  ActorDynamics dynamics(model->actor);
  const VecX still = VecX::Zero(model->actor->nv());
  const auto lengths = [&](const VecX& q) {
    dynamics.set_state(q, still);
    dynamics.com();
    mj_tendon(&model->actor->model(), &dynamics.data());
    return VecX(VecX::Map(dynamics.data().ten_length, model->actor->model().ntendon));
  };
  const Realism judged = assess_realism(moved);
  for (std::size_t f = 0; f < judged.frames.size(); f += 60) {
    const RealismFrame& frame = judged.frames[f];
    const VecX& q = moved.q[static_cast<std::size_t>(std::lround(frame.time * moved.rate_hz))];
    for (const ActorJoint& joint : model->actor->joints()) {
      if (joint.type == JointType::free || model->couplings.follows(joint.v_address)) continue;
      constexpr double kStep = 1e-5;
      VecX more = q, less = q;
      more[joint.q_address] += kStep;
      less[joint.q_address] -= kStep;
      model->couplings.settle(more);
      model->couplings.settle(less);
      const VecX slope =
          (lengths(more) - lengths(less)) / (2 * kStep);  // tendons and muscles are in the same order
      double torque = frame.muscles.reserve[static_cast<std::size_t>(joint.v_address - 6)];
      for (std::size_t m = 0; m < model->muscles.size(); ++m)
        torque -= frame.muscles.use[m] * model->muscles[m].max_force * slope[static_cast<Eigen::Index>(m)];
      EXPECT_NEAR(torque, frame.torque[joint.v_address], 0.05) << joint.name << " at " << frame.time;
    }
  }
}

void expect_refused(const std::string& from, const std::string& to, const std::string& said) {
  try {
    motion_on_model(captured("squat"), biped(from, to), "test");
    FAIL() << "no complaint: " << said;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

TEST(ModelMotion, SaysWhyItCannotBeDone) {
  expect_refused("<freejoint/>", "<joint name='spin' axis='0 0 1'/>", "fixed to the world");
  expect_refused("range='0 140'", "range='0 3'", "cannot follow");
  expect_refused("<body name='whole' pos='0 0 1'>", "<body name='whole' pos='0 0 1' euler='0 90 0'>",
                 "does not stand");
}

}  // namespace
}  // namespace stunt
