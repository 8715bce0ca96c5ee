// What a controller is told: its contacts, what changed, and the rest of the scene.
#include "stunt/simulate/senses.h"

#include <gtest/gtest.h>

#include "stunt/simulate/simulation.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

// A cube of 0.2 m and 3 kg, 0.3 m above the ground.
ActorPtr cube() {
  return Actor::from_xml(R"(<mujoco><worldbody><body name="cube" pos="0 0 0.4"><freejoint/>
      <geom type="box" size="0.1 0.1 0.1" mass="3"/></body></worldbody></mujoco>)",
                         "cube", "cube.xml");
}

// Writes down what it is shown.
class Diary : public Controller {
 public:
  struct Entry {
    double time;
    Event event;
  };
  void reset(const Observation& start) override {
    ball = start.surroundings->find("", "ball");
    itself = start.surroundings->find("a", "cube");
    nobody = start.surroundings->find("", "a/cube");
    none = start.surroundings->find("", "no such thing");
  }
  void actuate(const Observation& now, Actuation&) override {
    for (const Event& event : now.events) entries.push_back({now.time, event});
    ball_position = now.surroundings->position(ball);
    ball_velocity = now.surroundings->velocity_at(ball, ball_position);
    own_position = now.surroundings->position(itself);
    owner_of_ball = now.surroundings->actor_of(ball);
    owner_of_itself = now.surroundings->actor_of(itself);
    contacts.assign(now.contacts.begin(), now.contacts.end());
  }

  int ball = -1, itself = -1, nobody = -1, none = -1, owner_of_ball = 0, owner_of_itself = -1;
  std::vector<Entry> entries;
  Vec3 ball_position, ball_velocity, own_position;
  std::vector<ActorContact> contacts;
};

class SensesTest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Simulation> watched(const std::string& keys, const std::string& plant = "") {
    const Scene scene =
        read_scene(fmt::format("engine: {}\nduration: 2\nactors: [{{name: a, motion: rest, plant: "
                               "{{{}}}}}]\nobjects: [{{name: ball, shape: sphere, size: 0.2, "
                               "position: [2, 0, 5]}}]\n{}",
                               GetParam(), plant, keys),
                   "test");
    std::vector<Performer> performers = test::resting(scene, cube(), 0.5);
    auto diary = std::make_unique<Diary>();
    diary_ = diary.get();
    performers[0].controller = std::move(diary);
    return std::make_unique<Simulation>(scene, std::move(performers));
  }
  std::vector<Diary::Entry> of(Event::Kind kind) const {
    std::vector<Diary::Entry> out;
    for (const Diary::Entry& entry : diary_->entries) {
      if (entry.event.kind == kind) out.push_back(entry);
    }
    return out;
  }
  static void run_to(Simulation& running, double time) {
    while (running.time() < time - 1e-9) running.step();
  }
  Diary* diary_ = nullptr;
};

const double kLanding = std::sqrt(2 * 0.3 / 9.81);  // s, falling 0.3 m

TEST_P(SensesTest, LandingIsOneEventAndTheEndOfTheMotionAnother) {
  const auto running = watched("");
  run_to(*running, 1);
  const auto began = of(Event::Kind::contact_began);
  ASSERT_GE(began.size(), 1u);
  EXPECT_NEAR(began[0].time, kLanding, 0.004);
  EXPECT_EQ(began[0].event.body, 0);
  EXPECT_EQ(began[0].event.other, 0) << "the ground is body 0";
  EXPECT_TRUE(of(Event::Kind::contact_ended).size() <= began.size());
  ASSERT_FALSE(diary_->contacts.empty());
  for (const ActorContact& contact : diary_->contacts) {
    EXPECT_TRUE(contact.support);
    EXPECT_EQ(contact.other, 0);
    EXPECT_GT(contact.normal.z(), 0.99);
  }
  const auto ended = of(Event::Kind::motion_ended);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_NEAR(ended[0].time, 61.0 / 120, 0.0011);  // 62 frames at 120 Hz
}

TEST_P(SensesTest, LeavingTheGroundIsAnEvent) {
  const auto running = watched("pushes: [{body: cube, force: [0, 0, 300], start: 0.6, duration: 0.2}]\n");
  run_to(*running, 0.59);
  const std::size_t before = of(Event::Kind::contact_ended).size();
  run_to(*running, 0.7);
  const auto ended = of(Event::Kind::contact_ended);
  ASSERT_EQ(ended.size(), before + 1);
  EXPECT_NEAR(ended.back().time, 0.6, 0.02);
  EXPECT_EQ(ended.back().event.other, 0);
  ASSERT_EQ(diary_->contacts.size(), 1u) << "the push is felt";
  EXPECT_EQ(diary_->contacts[0].other, -1);
}

TEST_P(SensesTest, EventsComeAsLateAsEverythingElse) {
  const auto prompt = watched("");
  run_to(*prompt, 0.6);
  const double at = of(Event::Kind::contact_began).at(0).time;
  const auto late = watched("", "sensor_delay: 0.05");
  run_to(*late, 0.6);
  EXPECT_NEAR(of(Event::Kind::contact_began).at(0).time, at + 0.05, 1e-9);
}

TEST_P(SensesTest, SurroundingsAreWhereTheEngineHasThem) {
  const auto running = watched("");
  run_to(*running, 0.2);
  ASSERT_GT(diary_->ball, 0);
  ASSERT_GT(diary_->itself, 0);
  EXPECT_EQ(diary_->nobody, -1) << "a body of a character is not an object";
  EXPECT_EQ(diary_->none, -1);
  EXPECT_EQ(diary_->owner_of_ball, -1);
  EXPECT_EQ(diary_->owner_of_itself, 0);
  const double t = 0.199;  // when it was asked last
  EXPECT_NEAR(diary_->ball_position.z(), 5 - 0.5 * 9.81 * t * (t + 0.001), 1e-6);
  EXPECT_NEAR(diary_->ball_position.x(), 2, 1e-9);
  EXPECT_NEAR(diary_->ball_velocity.z(), -9.81 * t, 1e-6);
  EXPECT_NEAR(diary_->own_position.z(), 0.4 - 0.5 * 9.81 * t * (t + 0.001), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Both, SensesTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace stunt
