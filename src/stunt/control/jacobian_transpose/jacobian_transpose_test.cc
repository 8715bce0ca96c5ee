#include "stunt/control/jacobian_transpose/jacobian_transpose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "stunt/core/random.h"
#include "stunt/simulate/run_scene.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

TEST(JointGains, ABiped28Has17OfThem) {
  const ActorPtr actor = Actor::load("biped28");
  const std::vector<int> which = joint_gains_of(*actor);
  std::set<int> used(which.begin() + 6, which.end());
  EXPECT_EQ(used.size(), 17u);
  EXPECT_EQ(*used.begin(), 0);
  // Left and right have the same.
  for (const ActorJoint& joint : actor->joints()) {
    if (!joint.name.starts_with("left_")) continue;
    for (const ActorJoint& other : actor->joints()) {
      if (other.name == "right_" + joint.name.substr(5)) {
        EXPECT_EQ(which[joint.v_address], which[other.v_address]) << joint.name;
      }
    }
  }
  EXPECT_EQ(which[0], -1);
  JointGains gains(1);
  gains[JointGain::knee] = 7;
  const VecX all = spread(gains, which);
  EXPECT_EQ(all.sum(), 28 + 2 * 6);
}

// A foot that is held: the torques of the leg that J' F gives do the work that F does on the centre of mass when the pelvis
// moves over the foot, whatever the movement (virtual work, with the velocities from the dynamics instead of the Jacobian).
TEST(JacobianTranspose, TorquesDoTheWorkOfTheVirtualForce) {
  const ActorPtr actor = Actor::load("biped28");
  Random random(3);
  VecX q = actor->rest_q(), v = VecX::Zero(actor->nv()), turn = VecX::Zero(actor->nv());
  for (int i = 6; i < actor->nv(); ++i) turn[i] = random.uniform(-0.3, 0.3);
  integrate(*actor, VecX(q), turn, 1, q);
  const std::vector<Foot> feet = find_feet(*actor);
  const Leg& leg = feet[0].leg;
  ActorDynamics body(actor);
  for (const int dof : leg.dofs) v[dof] = random.uniform(-1, 1);
  // The root moves so that the foot stays.
  body.set_state(q, v);
  const Vec3 spin = -body.body_angular_velocity(leg.foot);
  v.segment<3>(3) = body.body_rotation(0).conjugate() * spin;
  body.set_state(q, v);
  v.head<3>() = -body.point_velocity(leg.foot, body.body_position(leg.foot));
  body.set_state(q, v);
  ASSERT_LT(body.body_angular_velocity(leg.foot).norm(), 1e-9);
  ASSERT_LT(body.point_velocity(leg.foot, body.com()).norm(), 1e-9);

  const Vec3 force(30, -20, 100), moment(5, 7, -3), point = body.com();
  VecX torque = VecX::Zero(actor->nv());
  const Vec3 down = -force, back = -moment;
  mj_applyFT(&actor->model(), &body.data(), down.data(), back.data(), point.data(), leg.foot + 1,
             torque.data());
  const double work = torque.tail(actor->nv() - 6).dot(v.tail(actor->nv() - 6));
  const double wanted = force.dot(body.point_velocity(0, point)) + moment.dot(body.body_angular_velocity(0));
  EXPECT_NEAR(work, wanted, 1e-9);
}

TEST(Stance, BaseLiesUnderTheFeetThatStand) {
  const ActorPtr actor = Actor::load("biped28");
  ActorDynamics body(actor);
  body.set_state(actor->rest_q(), VecX::Zero(actor->nv()));
  const std::vector<Foot> feet = find_feet(*actor);
  EXPECT_NEAR(base_of_support(body, feet, {{true, false}}).y(), 0.09, 1e-9);
  EXPECT_NEAR(base_of_support(body, feet, {{false, true}}).y(), -0.09, 1e-9);
  for (const Stance& stance : {Stance{{true, true}}, Stance{{false, false}}}) {
    EXPECT_NEAR(base_of_support(body, feet, stance).y(), 0, 1e-9);
    EXPECT_EQ(base_of_support(body, feet, stance).z(), 0);
  }
}

Recording run(const std::string& engine, const std::string& motion, const std::string& settings,
              const std::string& more = "") {
  return run_scene(read_scene("engine: " + engine + "\n" + more + "\nactors: [{motion: {source: " + motion +
                                  "}, character: biped28, controller: {type: jacobian_transpose" + settings +
                                  "}, plant: {motor_noise: 5}}]\n",
                              "test"));
}

TEST(JacobianTranspose, StandsAndSquatsWithoutOptimisation) {
  for (const std::string engine : {"mujoco", "ode"}) {
    for (const std::string motion : {"stand", "squat"}) {
      const Recording recording = run(engine, motion, "", "duration: 2");
      EXPECT_FALSE(recording.actors[0].fall) << engine << " " << motion;
      EXPECT_EQ(recording.diverged, "");
    }
  }
}

// A push too hard for the ankles is caught by a step; without it the same push ends in a fall.
TEST(JacobianTranspose, AStepCatchesAPush) {
  const auto falls = [](const std::string& settings) {
    return run_scene(read_scene("timestep: 0.002\nduration: 4\npushes: [{force: [200, 0, 0], start: 1}]\n"
                                "actors: [{motion: {source: stand, loop: true}, character: biped28, "
                                "controller: {type: jacobian_transpose" +
                                    settings + "}}]\n",
                                "test"))
        .actors[0]
        .fall.has_value();
  };
  EXPECT_FALSE(falls(""));
  EXPECT_TRUE(falls(", recovery: false"));
}

// The built-in walk again and again, on a body with toes and on one without.
TEST(JacobianTranspose, Walks) {
  for (const std::string character : {"biped28", "fit"}) {
    const Recording recording = run_scene(read_scene(
        "timestep: 0.002\nduration: 12\nactors: [{motion: {source: walk, loop: true}, character: " +
            character + ", controller: {type: jacobian_transpose}}]\n",
        "test"));
    EXPECT_FALSE(recording.actors[0].fall) << character;
    EXPECT_EQ(recording.diverged, "");
  }
}

// The centre of mass of who goes on standing moves to between heels and toes; the motion has it a little behind.
TEST(JacobianTranspose, WhoGoesOnStandingIsCentred) {
  const auto behind_the_middle = [](const std::string& settings) {
    Simulation simulation(
        read_scene("timestep: 0.002\nactors: [{motion: stand, character: biped28, controller: "
                   "{type: jacobian_transpose" +
                       settings + "}}]\n",
                   "test"));
    while (simulation.time() < 2) simulation.step();
    const Simulation::Act& act = simulation.acts().front();
    ActorDynamics body(act.slot.actor);
    body.set_state(act.observation.q, act.observation.v);
    double middle = 0;
    const auto& points = act.slot.actor->contact_points();
    for (const ContactPoint& point : points)
      middle += body.point(point.body, point.position).x() / static_cast<double>(points.size());
    return middle - body.com().x();
  };
  // The springs hold the motion's pose, so they meet half-way; firm weights get nearer.
  const double as_the_motion = behind_the_middle(", centred: 0"), centred = behind_the_middle("");
  EXPECT_GT(as_the_motion, 0.015);
  EXPECT_LT(centred, as_the_motion - 0.004);
  EXPECT_LT(std::abs(behind_the_middle(", dual: {com_position: 2000, com_velocity: 900}")), centred - 0.004);
}

// Without the balance the same springs fall.
TEST(JacobianTranspose, SpringsAloneFall) {
  const std::string none = "{com_position: 0, com_velocity: 0, trunk: 0, momentum: 0}";
  const std::string springs =
      ", gravity: false, recovery: false, placement: false, dual: " + none + ", single: " + none;
  EXPECT_TRUE(run("mujoco", "stand", springs, "duration: 6").actors[0].fall);
}

}  // namespace
}  // namespace stunt
