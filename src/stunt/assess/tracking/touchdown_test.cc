#include "stunt/assess/tracking/touchdown.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sample_recording.h"

namespace stunt {
namespace {

constexpr double kSamplesPerSecond = 120;

// Comes down at a constant speed (m/s) from 5 cm, stands for 0.3 s, goes up as fast; twice.
double hopping(double t, double speed) {
  const double fall = 0.05 / speed, period = 2 * fall + 0.3;
  const double s = std::fmod(t, period);
  return s < fall ? 0.05 - speed * s : s < fall + 0.3 ? 0 : std::min(0.05, speed * (s - fall - 0.3));
}

TEST(Touchdown, HasTheSpeedOfTheLastMillimetres) {
  for (const double speed : {0.2, 0.35}) {  // 1.7 and 2.9 mm per sample: the last 3 mm are fully one interval
    std::vector<double> height;
    const double period = 0.1 / speed + 0.3;
    for (int i = 0; i < static_cast<int>(2 * period * kSamplesPerSecond); ++i)
      height.push_back(0.7 + hopping(i / kSamplesPerSecond, speed));
    const auto found = find_touchdowns(height, kSamplesPerSecond);
    ASSERT_EQ(found.size(), 2u) << speed;
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(found[k].speed, speed, 1e-9);
      EXPECT_NEAR(found[k].time, k * period + 0.05 / speed, 0.025);
    }
  }
}

TEST(Touchdown, AFootThatOnlyPassesLowOrTremblesHasNone) {
  std::vector<double> passing, trembling;
  for (int i = 0; i < 120; ++i) {
    const double t = i / kSamplesPerSecond;
    passing.push_back(0.5 * std::abs(t - 0.5));  // down at 0.5 m/s and up again at once
    trembling.push_back(0.004 * std::sin(60 * t));
  }
  EXPECT_TRUE(find_touchdowns(passing, kSamplesPerSecond).empty());
  EXPECT_TRUE(find_touchdowns(trembling, kSamplesPerSecond).empty());
}

// The whole body hops; the simulated one twice as fast, a little later.
TEST(Touchdown, RatioComparesThoseThatBelongTogether) {
  constexpr double kLate = 0.1, kSlow = 0.15, kFast = 0.3, kPeriod = 0.1 / kSlow + 0.3;
  const ActorPtr actor = sample_actor();
  Recording r = sample_recording(sample_scene({actor}), 240);
  ActorTrack& track = r.actors[0];
  for (int i = 0; i < 240; ++i) {
    const double t = i / kSamplesPerSecond, s = std::fmod(t, kPeriod);
    Eigen::Map<VecX> simulated(row(r.channels, "q", i) + track.slot.first_q, track.slot.nq);
    Eigen::Map<VecX> reference(row(track.channels, "reference_q", i), track.slot.nq);
    simulated = reference = actor->rest_q();
    reference[2] += hopping(t, kSlow);
    const double down = 0.05 / kSlow + kLate - s;  // s until the later one touches
    simulated[2] += down > 0 ? std::min(0.05, kFast * down) : s > 0.5 / kSlow * 0.1 + 0.35 ? 0.05 : 0;
  }
  EXPECT_NEAR(touchdown_speed_ratio(r, 0, 240), kFast / kSlow, 1e-6);
  EXPECT_TRUE(std::isnan(touchdown_speed_ratio(r, 0, 20))) << "nothing has come down yet";
}

}  // namespace
}  // namespace stunt
