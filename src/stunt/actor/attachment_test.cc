#include "stunt/actor/attachment.h"

#include <gtest/gtest.h>

#include "stunt/actor/dynamics.h"
#include "stunt/actor/variation.h"
#include "stunt/core/error.h"
#include "tests/sample_actor.h"

namespace stunt {
namespace {

// A trunk with an arm to its left, that rests level.
ActorPtr arm() {
  return Actor::from_xml(
      R"(<mujoco><compiler angle="radian"/><worldbody><body name="chest" pos="0 0 1"><freejoint/>
    <geom type="box" size="0.1 0.15 0.2" mass="20"/>
    <body name="leg" pos="0 0 -0.2"><joint axis="0 1 0"/><geom type="sphere" size="0.05" mass="5"/></body>
    <body name="left_upper_arm" pos="0 0.2 0.2"><joint name="shoulder" axis="1 0 0"/>
      <geom type="capsule" fromto="0 0 0 0 0.3 0" size="0.04" mass="2"/>
      <body name="left_forearm" pos="0 0.3 0"><joint name="elbow" axis="1 0 0"/>
        <geom type="capsule" fromto="0 0 0 0 0.2 0" size="0.04" mass="1"/>
        <body name="left_hand" pos="0 0.25 0"><joint name="wrist" axis="1 0 0"/>
          <geom type="box" size="0.04 0.08 0.02" pos="0 0.08 0" mass="0.5"/></body>
      </body></body></body></worldbody><actuator>
    <motor joint="shoulder" ctrlrange="-60 60" ctrllimited="true"/><motor joint="elbow" ctrlrange="-60 60" ctrllimited="true"/>
    <motor joint="wrist" ctrlrange="-20 20" ctrllimited="true"/></actuator></mujoco>)",
      "arm", "arm.xml");
}

TEST(Attachment, IsABodyOfItsOwnMassWhereItWasPut) {
  const ActorPtr bare = arm();
  const ActorPtr held = attach(bare, {{.to = "left_hand",
                                       .name = "racket",
                                       .shape = "cylinder",
                                       .size = {0.15, 0.01, 0},
                                       .mass = 0.2,
                                       .offset = {0.2, 0.03, 0.05}}});
  const int racket = held->find_body("racket");
  ASSERT_GE(racket, 0);
  EXPECT_TRUE(held->bodies()[racket].attached);
  EXPECT_EQ(held->nq(), bare->nq());
  EXPECT_NEAR(held->mass(), bare->mass() + 0.2, 1e-9);
  ActorDynamics dynamics(held);
  dynamics.set_state(held->rest_q(), VecX::Zero(held->nv()));
  // The hand points to the left, so x is +Y, z stays up and y = z x x is -X.
  const Vec3 wrist = dynamics.body_position(held->find_body("left_hand"));
  EXPECT_LT((dynamics.body_position(racket) - wrist - Vec3(-0.03, 0.2, 0.05)).norm(), 1e-9);
  EXPECT_NEAR(held->bodies()[racket].mass, 0.2, 1e-12);
  // A disc of radius r and height h: m (3 r^2 + h^2) / 12 across, m r^2 / 2 about its axis.
  EXPECT_NEAR(held->bodies()[racket].inertia(2, 2), 0.2 * 0.075 * 0.075 / 2, 1e-9);
  EXPECT_NEAR(held->bodies()[racket].inertia(0, 0), 0.2 * (3 * 0.075 * 0.075 + 0.01 * 0.01) / 12, 1e-9);
}

TEST(Attachment, LeavesTheRolesAlone) {
  const ActorPtr bare = arm();
  const ActorPtr held = attach(bare, {{.to = "left_hand", .name = "glove"}});
  for (int i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    ASSERT_EQ(bare->body(role) < 0, held->body(role) < 0) << name(role);
    if (bare->body(role) < 0) continue;
    EXPECT_EQ(bare->bodies()[bare->body(role)].name, held->bodies()[held->body(role)].name);
  }
  EXPECT_EQ(held->is_hand(held->find_body("glove")), held->is_hand(held->find_body("left_hand")));
}

TEST(Attachment, WhatItCoversTouchesNothing) {
  const auto touches = [](const ActorPtr& actor, const char* name) {
    const mjModel& m = actor->model();
    const int geom = m.body_geomadr[1 + actor->find_body(name)];
    return m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0;
  };
  for (const bool covers : {false, true}) {
    const ActorPtr held = attach(arm(), {{.to = "left_hand", .name = "glove", .covers = covers}});
    EXPECT_EQ(touches(held, "left_hand"), !covers);
    EXPECT_TRUE(touches(held, "left_forearm"));
    EXPECT_TRUE(touches(held, "glove"));
  }
}

// Written and read again, and with a varied body, it is still known for what it is.
TEST(Attachment, SurvivesAFileAndAVariation) {
  const ActorPtr held = attach(arm(), {{.to = "left_hand", .name = "glove", .mass = 0.4}});
  const ActorPtr again = Actor::from_xml(held->xml(), "again", "again.xml");
  EXPECT_TRUE(again->bodies()[again->find_body("glove")].attached);
  EXPECT_FALSE(again->bodies()[again->find_body("left_hand")].attached);
  const ActorPtr varied = vary(held, {.mass = 2});
  EXPECT_TRUE(varied->bodies()[varied->find_body("glove")].attached);
  EXPECT_NEAR(varied->bodies()[varied->find_body("glove")].mass, 0.8, 1e-9);
}

// Stretched out level, the shoulder carries 2 kg at 0.15 m, 1 kg at 0.4 m, 0.5 kg at 0.63 m and the load at 0.65 m.
TEST(Attachment, TooHeavyForTheArmIsRefused) {
  const double most = (60 / 9.81 - 2 * 0.15 - 1 * 0.4 - 0.5 * 0.63) / 0.65;
  Attachment load{.to = "left_hand", .name = "weight", .mass = most - 0.01, .offset = {0.1, 0, 0}};
  EXPECT_NO_THROW(attach(arm(), {load}));
  load.mass = most + 0.01;
  try {
    attach(arm(), {load});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("shoulder"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("attach.0.mass"), std::string::npos) << error.what();
  }
}

TEST(Attachment, BadOnesAreRefused) {
  EXPECT_THROW(attach(arm(), {{.to = "tail", .name = "x"}}), InputError);
  EXPECT_THROW(attach(arm(), {{.to = "left_hand", .name = "left_hand"}}), InputError);
  EXPECT_THROW(attach(arm(), {{.to = "left_hand", .name = "a"}, {.to = "left_hand", .name = "a"}}),
               InputError);
}

}  // namespace
}  // namespace stunt
