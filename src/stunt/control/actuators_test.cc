#include "stunt/control/actuators.h"

#include <gtest/gtest.h>

#include "tests/equal_recordings.h"
#include "tests/sample_actor.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

TEST(Motors, GiveTorquesWithinStrengthAndPassHelpOnTheRoot) {
  const ActorPtr actor = sample_actor(50);
  Motors motors(actor, 0, Random(1));
  const int joints = actor->nv() - 6;
  EXPECT_EQ(motors.excitations(), joints);
  VecX torque;
  Actuation asked{VecX::Constant(actor->nv(), 70), {}};
  asked.torque[8] = -1000;
  asked.torque[9] = 20;
  motors.drive(actor->rest_q(), VecX::Zero(actor->nv()), 0.001, asked, torque);
  EXPECT_EQ(torque.head<6>(), VecX::Constant(6, 70));
  EXPECT_EQ(torque[7], 50);
  EXPECT_EQ(torque[8], -50);
  EXPECT_EQ(torque[9], 20);

  // Excitations are parts of the strength, from -1 to 1; the limit is on the sum.
  asked = {VecX::Zero(actor->nv()), VecX::Constant(joints, 0.5)};
  asked.torque[6] = 10;
  asked.torque[7] = 40;
  asked.excitation[3] = -7;
  motors.drive(actor->rest_q(), VecX::Zero(actor->nv()), 0.001, asked, torque);
  EXPECT_EQ(torque[6], 35);
  EXPECT_EQ(torque[7], 50);
  EXPECT_EQ(torque[8], 25);
  EXPECT_EQ(torque[9], -50);
  EXPECT_EQ(torque.head<6>().norm(), 0);
}

TEST(Motors, NoiseIsRestored) {
  const ActorPtr actor = sample_actor(50);
  Motors motors(actor, 0.1, Random(1));
  const Actuation asked{VecX::Constant(actor->nv(), 10), {}};
  VecX first, second, again;
  motors.drive(actor->rest_q(), VecX::Zero(actor->nv()), 0.001, asked, first);
  const std::any memory = motors.save();
  motors.drive(actor->rest_q(), VecX::Zero(actor->nv()), 0.001, asked, second);
  motors.restore(memory);
  motors.drive(actor->rest_q(), VecX::Zero(actor->nv()), 0.001, asked, again);
  EXPECT_NE(first, second);
  EXPECT_EQ(again, second);
  EXPECT_EQ(first.head<6>(), VecX::Constant(6, 10)) << "help is not a motor's";
}

// The same drive in two languages: torques, and excitations as parts of the strength.
class Waving : public Controller {
 public:
  Waving(ActorPtr actor, bool by_excitation) : actor_(std::move(actor)), by_excitation_(by_excitation) {}
  void reset(const Observation&) override {}
  void actuate(const Observation& now, Actuation& out) override {
    const int joints = actor_->nv() - actor_->root_dofs();
    const double wave = 0.25 * std::sin(7 * now.time);
    if (by_excitation_) {
      out.excitation = VecX::Constant(joints, wave);
    } else {
      out.torque.tail(joints) = wave * actor_->torque_limits().tail(joints);
    }
  }

 private:
  ActorPtr actor_;
  bool by_excitation_;
};

TEST(Motors, AControllerMayAnswerWithExcitations) {
  for (const char* engine : {"mujoco", "ode"}) {
    const auto run = [&](bool by_excitation) {
      const ActorPtr actor = sample_actor(40);
      const Scene scene =
          read_scene(fmt::format("engine: {}\ngravity: 0\nground: {{present: false}}\nduration: "
                                 "0.5\nactors: [{{motion: rest}}]\n",
                                 engine),
                     "test");
      std::vector<Performer> performers = test::resting(scene, actor, 0.5);
      performers[0].controller = std::make_unique<Waving>(actor, by_excitation);
      return Simulation(scene, std::move(performers)).run();
    };
    const Recording by_excitation = run(true), by_torque = run(false);
    test::expect_equal(by_excitation, by_torque);
    EXPECT_GT((by_torque.q(by_torque.samples() - 1) - by_torque.q(0)).norm(), 0.1) << "it did not move";
  }
}

}  // namespace
}  // namespace stunt
