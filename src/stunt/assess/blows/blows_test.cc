#include "stunt/assess/blows/blows.h"

#include <gtest/gtest.h>

#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

// The second route: every contact of every step.
class Counter : public Observer {
 public:
  void stepped(Simulation& simulation) override {
    const CompiledScene& scene = simulation.engine().scene();
    Vec3 force = Vec3::Zero();
    for (const Contact& contact : simulation.engine().contacts()) {
      const int a = scene.actor_of(contact.body1), b = scene.actor_of(contact.body2);
      if (a < 0 || b < 0 || a == b) continue;
      const ActorSlot& blue = scene.actors[1];
      const int body = a == 1 ? blue.own(contact.body1) : blue.own(contact.body2);
      if (body != blue.actor->body(Role::head)) continue;
      if (first < 0) first = simulation.time();
      force += (a == 1 ? -1.0 : 1.0) * contact.force;
    }
    impulse += simulation.engine().timestep() * force.norm();
  }
  double first = -1;
  double impulse = 0;  // N s
};

TEST(Blows, OneJabToTheHead) {
  Simulation run(read_scene(R"(
name: jab
duration: 1.2
actors:
  - name: red
    motion: jab
    position: [-0.45, 0]
    routine:
      opponent: blue
      segments:
        - {name: guard, motion: jab, end: 0.55}
        - {name: jab, motion: {source: jab, start: 0.5, speed: 1.5}, end: 1.5, ease: 0.15, strike: {with: left_hand, reach: 0.5}}
  - {name: blue, motion: jab, position: [0.45, 0], heading_deg: 180}
commands:
  - {at: 0.2, play: {actor: red, segment: jab, body: head}}
)",
                            "s.yaml"));
  Counter counter;
  run.watch(counter);
  const Recording recording = run.run();
  ASSERT_GT(counter.impulse, 0.5) << "the jab lands";
  double impulse = 0;
  int landed = 0;
  for (const Blow& blow : find_blows(recording)) {
    if (blow.from != 0 || blow.to != 1) continue;  // blue's own jab
    if (landed == 0) {
      EXPECT_NEAR(blow.time, counter.first, 0.01);
    }
    ++landed;
    impulse += blow.impulse;
    EXPECT_GT(blow.closing, 1);
    EXPECT_GT(blow.moved, 0.01);
  }
  EXPECT_GE(landed, 1);
  EXPECT_NEAR(impulse, counter.impulse, 0.3 * counter.impulse);
}

}  // namespace
}  // namespace stunt
