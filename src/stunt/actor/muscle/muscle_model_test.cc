#include "stunt/actor/muscle/muscle_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muscled_biped.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

std::filesystem::path at(const char* name) { return std::filesystem::path(testing::TempDir()) / name; }

MuscleModelPtr biped() { return load_muscle_model(write_muscled_biped(at("muscled_biped.xml"))); }

VecX bent(const MuscleModel& model, double by) {
  VecX q = model.actor->rest_q();
  for (const ActorJoint& joint : model.actor->joints()) {
    if (joint.type == JointType::hinge) q[joint.q_address] = by * (1 + 0.1 * joint.v_address);
  }
  model.couplings.settle(q);
  return q;
}

TEST(MuscleModel, HasTheFilesMusclesAndFramesWithoutMass) {
  const MuscleModelPtr model = biped();
  EXPECT_EQ(model->muscles.size(), 22U);
  EXPECT_EQ(model->muscles[0].name, "hip_flexor_l");
  EXPECT_DOUBLE_EQ(model->muscles[0].max_force, 3000);
  EXPECT_NEAR(model->actor->mass(), 11 + 34 + 5 + 2 * (8 + 0.1 + 3.5 + 0.1 + 1), 1e-4);
  EXPECT_GE(model->actor->body(Role::left_shank), 0);
}

// Arms are how lengths change when a joint that leads turns and its followers go along: by differences of MuJoCo's lengths.
TEST(MuscleModel, ArmsAreSlopesOfLengths) {
  const MuscleModelPtr model = biped();
  const Actor& actor = *model->actor;
  ActorDynamics dynamics(model->actor);
  const VecX still = VecX::Zero(actor.nv());
  const VecX q = bent(*model, 0.3);
  const auto lengths = [&](const VecX& pose) {
    dynamics.set_state(pose, still);
    for_each_arm(*model, dynamics, [](int, int, double) {});
    return VecX(VecX::Map(dynamics.data().actuator_length, actor.model().nout));
  };
  MatX arms = MatX::Zero(static_cast<Eigen::Index>(model->muscles.size()), actor.nv());
  dynamics.set_state(q, still);
  for_each_arm(*model, dynamics, [&](int muscle, int dof, double arm) { arms(muscle, dof) = arm; });
  double largest = 0;
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type == JointType::free) continue;
    if (model->couplings.follows(joint.v_address)) {
      EXPECT_EQ(arms.col(joint.v_address).norm(), 0) << joint.name;
      continue;
    }
    constexpr double kStep = 1e-5;
    VecX more = q, less = q;
    more[joint.q_address] += kStep;
    less[joint.q_address] -= kStep;
    model->couplings.settle(more);
    model->couplings.settle(less);
    const VecX slope = (lengths(more) - lengths(less)) / (2 * kStep);
    EXPECT_LT((slope - arms.col(joint.v_address)).cwiseAbs().maxCoeff(), 1e-6) << joint.name;
    largest = std::max(largest, slope.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(largest, 0.03);  // m
}

// Work on followers is work on what they follow.
TEST(MuscleModel, GatheredForcesDoTheSameWork) {
  const MuscleModelPtr model = biped();
  const Actor& actor = *model->actor;
  const VecX q = bent(*model, 0.4);
  VecX tau = VecX::LinSpaced(actor.nv(), -3, 5);
  const VecX before = tau;
  model->couplings.gather(q, tau);
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type == JointType::free || model->couplings.follows(joint.v_address)) continue;
    VecX next = q, way;
    next[joint.q_address] += 1e-6;
    model->couplings.settle(next);
    difference(actor, q, next, way);
    EXPECT_NEAR(before.dot(way) / 1e-6, tau[joint.v_address], 1e-4) << joint.name;
  }
}

void expect_refused(const std::string& from, const std::string& to, const std::string& said) {
  try {
    load_muscle_model(write_muscled_biped(at("refused.xml"), from, to));
    FAIL() << "no complaint: " << said;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

TEST(MuscleModel, SaysWhatIsWrong) {
  expect_refused("force='3000'", "force='0'", "strength of 0 N");
  expect_refused("<equality>", "<equality><weld body1='torso' body2='tibia_l'/>", "welded");
  expect_refused("</equality>", "<joint joint1='knee_angle_l' joint2='kneecap_l'/></equality>",
                 "follow each other");
  expect_refused("</equality>", "<joint joint1='kneecap_l' joint2='hip_flexion_l'/></equality>",
                 "follows two");
  expect_refused("<site site='p_front_l'/>", "", "path");
  expect_refused("mass='3.5'", "mass='0'", "mass");
  const std::string all = muscled_biped();
  expect_refused(all.substr(all.find("<actuator>"), all.find("</actuator>") - all.find("<actuator>")),
                 "<actuator>", "none of them a muscle");
}

}  // namespace
}  // namespace stunt
