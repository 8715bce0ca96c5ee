#include "stunt/actor/actor.h"

#include <gtest/gtest.h>

#include "stunt/core/error.h"
#include "tests/sample_actor.h"

namespace stunt {
namespace {

TEST(Actor, ReadsACharacterOutOfAWholeScene) {
  const ActorPtr actor = sample_actor();
  EXPECT_EQ(actor->bodies().front().name, "pelvis");
  EXPECT_EQ(actor->nv(), 6 + 3 + 3 + 1 + 2 * (3 + 1 + 2));
  EXPECT_NEAR(actor->mass(), 12 + 30 + 3.5 + 2 * (8 + 3.5 + 1.2), 1e-9);
  EXPECT_EQ(actor->model().ngeom, 10) << "the floor stays behind";
  EXPECT_NEAR(actor->joints()[actor->bodies()[actor->body(Role::left_forearm)].first_joint].lower,
              radians(-150), 1e-9);
  EXPECT_EQ(actor->contact_points().size(), 8u);
  for (const ContactPoint& point : actor->contact_points()) EXPECT_LT(point.position.z(), -0.059);
}

TEST(Actor, MotorsGiveTheTorqueLimits) {
  const ActorPtr actor = sample_actor();
  for (const ActorJoint& joint : actor->joints()) {
    if (joint.name == "left_knee") {
      EXPECT_EQ(actor->torque_limits()[joint.v_address], 250);
    }
    if (joint.name == "shoulder") {
      EXPECT_EQ(actor->torque_limits()[joint.v_address + 1], 70);
      EXPECT_EQ(actor->torque_limits()[joint.v_address], 200) << "the default";
    }
  }
  EXPECT_EQ(actor->torque_limits().head<6>().norm(), 0);
}

TEST(Actor, ItsXmlGivesTheSameActorAgain) {
  const ActorPtr actor = sample_actor();
  const ActorPtr again = Actor::from_xml(actor->xml(), "again", "again.xml");
  ASSERT_EQ(again->nv(), actor->nv());
  EXPECT_EQ(again->torque_limits(), actor->torque_limits());
  for (std::size_t i = 0; i < actor->bodies().size(); ++i) {
    EXPECT_NEAR((again->bodies()[i].inertia - actor->bodies()[i].inertia).norm(), 0, 1e-5);
  }
}

TEST(Actor, RefusesWhatItCannotUse) {
  const auto message = [](const std::string& xml) -> std::string {
    try {
      Actor::from_xml(xml, "bad", "bad.xml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("").find("bad.xml"), std::string::npos);
  EXPECT_NE(message("<mujoco><worldbody>").find("bad.xml"), std::string::npos);
  EXPECT_NE(message("<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>")
                .find("no body with a joint"),
            std::string::npos);
  EXPECT_NE(message(std::string("a\0b", 3)).find("binary"), std::string::npos);
  EXPECT_NE(
      message("<mujoco><worldbody><body><freejoint/><geom size='.1'/><body><joint/></body></body></worldbody>"
              "</mujoco>")
          .find("mass"),
      std::string::npos);
  EXPECT_THROW(Actor::load("nobody"), InputError);
}

}  // namespace
}  // namespace stunt
