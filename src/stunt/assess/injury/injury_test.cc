#include "stunt/assess/injury/injury.h"

#include <gtest/gtest.h>

#include <set>

#include "stunt/assess/injury/injury_watch.h"
#include "stunt/core/error.h"
#include "stunt/simulate/run_scene.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

// The falling character of the thesis, let go at a height (m, of the pelvis), as it is or on its head.
std::vector<Injury> drop(double height, bool on_head) {
  constexpr double timestep = 0.001;
  Environment world;
  world.timestep = timestep;
  const ActorPtr actor = Actor::load("injury");
  const auto scene = compile(world, {{"faller", actor}});
  const auto engine = make_engine("mujoco", scene);
  VecX q = actor->rest_q(), v = VecX::Zero(actor->nv());
  q[2] = height;
  if (on_head) quat_to_wxyz(axis_angle(Vec3::UnitX(), kPi), &q[3]);
  engine->set_state({q.data(), static_cast<std::size_t>(q.size())},
                    {v.data(), static_cast<std::size_t>(v.size())});
  InjuryMeter standard(scene->actors[0], timestep, InjuryPreset::standard);
  InjuryMeter paper(scene->actors[0], timestep, InjuryPreset::paper);
  for (int i = 0; i < 0.5 / timestep; ++i) {
    engine->step();
    standard.stepped(*engine);
    paper.stepped(*engine);
  }
  return {standard.result(), paper.result()};
}

double value(const Injury& injury, const std::string& symbol) {
  for (const InjuryMeasure& measure : injury.measures)
    if (measure.symbol == symbol) return measure.value;
  ADD_FAILURE() << symbol;
  return 0;
}

TEST(Injury, HasTheSeventeenMeasuresOfTheThesis) {
  for (const Injury& injury : drop(1.1, false)) {
    std::set<std::string> symbols;
    double sum = 0;
    for (const InjuryMeasure& measure : injury.measures) {
      symbols.insert(measure.symbol);
      sum += measure.value;
      EXPECT_GE(measure.value, 0) << measure.name;
    }
    EXPECT_EQ(symbols.size(), 17u);
    EXPECT_NEAR(injury.d_avg, sum / 17, 1e-12);
    EXPECT_GE(injury.d_worst3, injury.d_avg);
  }
}

TEST(Injury, WhoLandsOnTheHeadHurtsTheNeck) {
  const Injury feet = drop(1.5, false)[0], head = drop(1.5, true)[0];
  EXPECT_GT(value(head, "D_NC"), 1);
  EXPECT_GT(value(head, "D_NC"), 3 * value(feet, "D_NC"));
  EXPECT_GT(value(feet, "D_A_L"), value(head, "D_A_L"));
  EXPECT_EQ(worst_measures(head, 1)[0].symbol.substr(0, 3), "D_N");
  EXPECT_NE(injury_words(head).find("neck"), std::string::npos);
}

// Printed, the neck's force counts twice and is averaged over a long time; the tests of the literature look at one force.
TEST(Injury, WhatIsPrintedCountsForcesTwice) {
  const std::vector<Injury> both = drop(1.5, true);
  EXPECT_GT(value(both[1], "D_NC"), 0.2 * value(both[0], "D_NC"));
  EXPECT_GE(both[0].hic, both[1].hic);  // any window up to 15 ms, or just 15 ms
}

TEST(Injury, AHigherFallHurtsMore) {
  double before = 0;
  for (const double height : {1.1, 1.4, 1.9}) {
    const double now = drop(height, false)[0].d_avg;
    EXPECT_GT(now, before);
    before = now;
  }
}

// Standing still in a simulation: the joints carry weights, nobody is hurt.
TEST(Injury, WhoStandsIsNotHurt) {
  const Scene scene = read_scene("", "test", {"actors.0.motion=stand", "duration=0.5"});
  Simulation simulation(scene);
  InjuryWatch watch(simulation, InjuryPreset::standard);
  simulation.watch(watch);
  simulation.run();
  ASSERT_EQ(watch.results().size(), 1u);
  EXPECT_LT(worst_measures(watch.results()[0], 1)[0].value, 0.3);
}

TEST(Injury, AnUnknownPresetIsRefused) { EXPECT_THROW(injury_preset("hard"), InputError); }

}  // namespace
}  // namespace stunt
