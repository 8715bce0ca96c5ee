#include "stunt/actor/variation.h"

#include <gtest/gtest.h>

#include "sample_actor.h"
#include "stunt/actor/dynamics.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

// The joint-space mass matrix at a random pose, without the joints' own armature.
MatX mass_matrix(const ActorPtr& actor) {
  Random random(5);
  VecX q, v;
  random_state(*actor, random, q, v);
  ActorDynamics dynamics(actor);
  dynamics.set_state(q, v);
  MatX M = dynamics.mass_matrix();
  M.diagonal() -= Eigen::Map<const VecX>(actor->model().dof_armature, actor->nv());
  return M;
}

double relative(const MatX& a, const MatX& b) { return (a - b).norm() / b.norm(); }

TEST(Variation, OfNothingIsTheActorItself) {
  const ActorPtr actor = sample_actor();
  EXPECT_EQ(vary(actor, {}), actor);
  const ActorPtr floating = vary(actor, {.gravity = 0});
  EXPECT_EQ(floating->gravity(), 0);
  EXPECT_DOUBLE_EQ(vary(floating, {})->gravity(), 9.81);  // whatever its own file says
}

TEST(Variation, ScalesTheMassesItNames) {
  const ActorPtr actor = sample_actor();  // pelvis 12, chest 30, arm 3.5, legs 12.7 each
  EXPECT_NEAR(vary(actor, {.mass = 1.5})->mass(), 1.5 * 70.9, 1e-6);
  EXPECT_NEAR(vary(actor, {.legs_mass = 2})->mass(), 70.9 + 25.4, 1e-6);
  EXPECT_NEAR(vary(actor, {.left_leg_mass = 2})->mass(), 70.9 + 12.7, 1e-6);
  EXPECT_NEAR(vary(actor, {.upper_body_mass = 2})->mass(), 70.9 + 45.5, 1e-6);
  const ActorPtr mixed = vary(actor, {.mass = 2, .legs_mass = 3, .left_leg_mass = 5});
  const auto mass = [&](const char* body) { return mixed->bodies()[mixed->find_body(body)].mass; };
  EXPECT_NEAR(mass("left_foot"), 1.2 * 30, 1e-6);
  EXPECT_NEAR(mass("right_foot"), 1.2 * 6, 1e-6);
  EXPECT_NEAR(mass("chest"), 30 * 2, 1e-6);
}

// By way of the whole mass matrix: it is linear in masses and inertias.
TEST(Variation, TheMassMatrixGrowsWithIt) {
  const ActorPtr actor = sample_actor();
  const MatX M = mass_matrix(actor);
  EXPECT_LT(relative(mass_matrix(vary(actor, {.mass = 3})), 3 * M), 1e-5);
  const MatX legs = mass_matrix(vary(actor, {.legs_mass = 2})) - M;
  const MatX rest = mass_matrix(vary(actor, {.upper_body_mass = 2})) - M;
  EXPECT_LT(relative(legs + rest, M), 1e-5);
  EXPECT_GT(legs.norm(), 0.1 * M.norm());
  const MatX turning = mass_matrix(vary(actor, {.inertia = 2})) - M;
  EXPECT_LT(relative(mass_matrix(vary(actor, {.inertia = 4})) - M, 3 * turning), 1e-4);
  EXPECT_LT((turning.topLeftCorner<3, 3>().norm()), 1e-4);  // not the mass
  EXPECT_GT(turning.norm(), 1e-3 * M.norm());
}

TEST(Variation, FeetGrowFromTheAnkle) {
  for (const char* name : {"mcsim2d", "mcsim3d", "humanoid"}) {
    const ActorPtr actor = Actor::load(name);
    const ActorPtr longer = vary(actor, {.foot_length = 1.5});
    ASSERT_EQ(longer->contact_points().size(), actor->contact_points().size());
    EXPECT_NEAR(longer->mass(), actor->mass(), 1e-4);
    ActorDynamics before(actor), after(longer);
    before.set_state(actor->rest_q(), VecX::Zero(actor->nv()));
    after.set_state(longer->rest_q(), VecX::Zero(actor->nv()));
    for (std::size_t i = 0; i < actor->contact_points().size(); ++i) {
      const ContactPoint &was = actor->contact_points()[i], &is = longer->contact_points()[i];
      EXPECT_EQ(is.body, was.body);
      const Vec3 ankle = before.body_position(actor->body(was.left ? Role::left_foot : Role::right_foot));
      const Vec3 from = before.point(was.body, was.position) - ankle,
                 to = after.point(is.body, is.position) - ankle;
      EXPECT_NEAR(to.x(), 1.5 * from.x(), 2e-3) << name << " " << i;  // built-in characters look along X
      EXPECT_NEAR(to.y(), from.y(), 5e-3) << name << " " << i;
      EXPECT_NEAR(to.z(), from.z(), 1e-6) << name << " " << i;
    }
  }
}

TEST(Variation, KeepsTheLayout) {
  const ActorPtr actor = Actor::load("humanoid");
  const ActorPtr other = vary(actor, {.mass = 0.7, .left_leg_mass = 2, .inertia = 3, .foot_length = 0.8});
  ASSERT_EQ(other->nq(), actor->nq());
  ASSERT_EQ(other->bodies().size(), actor->bodies().size());
  for (std::size_t j = 0; j < actor->joints().size(); ++j) {
    EXPECT_EQ(other->joints()[j].name, actor->joints()[j].name);
    EXPECT_EQ(other->joints()[j].v_address, actor->joints()[j].v_address);
    EXPECT_EQ(other->joints()[j].torque_limit, actor->joints()[j].torque_limit);
  }
}

TEST(Variation, NeedsTheParts) {
  const ActorPtr box = Actor::from_xml(
      "<mujoco><worldbody><body name='box'><freejoint/><geom size='1' mass='1'/></body></worldbody></mujoco>",
      "box", "box");
  EXPECT_THROW(vary(box, {.legs_mass = 2}), InputError);
  EXPECT_THROW(vary(box, {.foot_length = 2}), InputError);
  EXPECT_NEAR(vary(box, {.mass = 2})->mass(), 2, 1e-9);
}

}  // namespace
}  // namespace stunt
