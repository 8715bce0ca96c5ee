#include "stunt/report/files/summary.h"

#include <gtest/gtest.h>

#include <numeric>

#include "stunt/assess/tracking/tracking.h"
#include "tests/sample_recording.h"

namespace stunt {
namespace {

Recording two_actors() {
  Recording r = sample_recording(sample_scene({sample_actor(), sample_actor()}), 121);
  r.wall_s = 0.25;
  r.controller_s = 0.1;
  r.engine_s = 0.12;
  r.actors[0].plan_us.resize(200);
  std::iota(r.actors[0].plan_us.begin(), r.actors[0].plan_us.end(), 1.0f);  // 1 to 200
  r.actors[0].plans_relaxed = 3;
  r.actors[1].fall = Fall{0.5, "pelvis below 0.6 of its height"};
  r.actors[1].motion = "jump";
  return r;
}

TEST(Summary, HasEveryPromisedField) {
  const auto summary = summary_json(summarize(two_actors()));
  for (const char* key : {"motion",
                          "character",
                          "controller",
                          "preset",
                          "engine",
                          "seed",
                          "duration_s",
                          "simulated_s",
                          "completed",
                          "fell_at_s",
                          "fall_reason",
                          "joint_error_rad",
                          "mpjpe_m",
                          "com_error_m",
                          "roughness",
                          "foot_skate_m_s",
                          "realtime_factor",
                          "controller_us_per_step",
                          "engine_us_per_step",
                          "plan_us",
                          "plans_relaxed",
                          "versions",
                          "diverged",
                          "assist",
                          "realism",
                          "timestep_s",
                          "actors"}) {
    EXPECT_TRUE(summary.contains(key)) << key;
  }
  EXPECT_EQ(summary["versions"].size(), 3u);
  EXPECT_EQ(summary["mpjpe_m"]["global"], 0);
  EXPECT_EQ(summary["com_error_m"].size(), 2u);
}

TEST(Summary, NumbersAreThoseOfTheRecording) {
  const Recording r = two_actors();
  const auto summary = summary_json(summarize(r));
  EXPECT_NEAR(summary["simulated_s"], 1.0, 1e-12);
  EXPECT_NEAR(summary["realtime_factor"], 4.0, 1e-12);
  EXPECT_NEAR(summary["controller_us_per_step"], 100, 1e-9);
  EXPECT_NEAR(summary["engine_us_per_step"], 120, 1e-9);
  EXPECT_EQ(summary["plan_us"]["count"], 200);
  EXPECT_EQ(summary["plan_us"]["mean"], 100.5);
  EXPECT_EQ(summary["plan_us"]["p99"], 198);
  EXPECT_EQ(summary["plans_relaxed"], 3);
  EXPECT_EQ(summary["completed"], true);
  EXPECT_TRUE(summary["fell_at_s"].is_null());
  const auto& second = summary["actors"][1];
  EXPECT_EQ(second["completed"], false);
  EXPECT_EQ(second["fell_at_s"], 0.5);
  EXPECT_EQ(second["motion"], "jump");
  EXPECT_EQ(second["com_error_m"]["max"], score_tracking(r, 1).com_error_m.max);
  EXPECT_TRUE(second["plan_us"]["mean"].is_null());
}

TEST(Summary, WhatDidNotFinishIsNotCompleted) {
  Recording r = sample_recording(sample_scene({sample_actor()}), 60);
  EXPECT_EQ(summary_json(summarize(r))["completed"], true);
  EXPECT_FALSE(summary_json(summarize(r)).contains("actors"));
  r.duration = 5;
  EXPECT_EQ(summary_json(summarize(r))["completed"], false);
  EXPECT_NE(summary_text(summarize(r)).find("stopped early"), std::string::npos);
  r.duration = 59 / 120.0;
  r.diverged = "the state is not finite at 0.3 s";
  EXPECT_EQ(summary_json(summarize(r))["completed"], false);
  EXPECT_EQ(summary_json(summarize(r))["diverged"], "the state is not finite at 0.3 s");
  EXPECT_TRUE(summary_json(summarize(r))["fell_at_s"].is_null());
  r.actors[0].fall = Fall{0, "at once"};
  r.actors[0].assist_force_mean = std::nan("");
  const auto summary = summary_json(summarize(r));  // nothing to judge: null, not 0
  EXPECT_TRUE(summary["joint_error_rad"]["mean"].is_null());
  EXPECT_TRUE(summary["roughness"].is_null());
  EXPECT_NO_THROW(summary_text(summarize(r)));
}

TEST(Summary, ASceneWithoutActorsHasASummaryToo) {
  const RunSummary summary = summarize(sample_recording(sample_scene({}), 10));
  EXPECT_EQ(summary_json(summary)["completed"], true);
  EXPECT_NE(summary_text(summary).find("completed"), std::string::npos);
}

TEST(Summary, TextSaysWhoFellAndWhy) {
  const std::string text = summary_text(summarize(two_actors()));
  EXPECT_NE(text.find("fell at 0.50 s: pelvis below"), std::string::npos) << text;
  EXPECT_NE(text.find("tracked to the end, 1.00 s of 1.00 s"), std::string::npos) << text;
  EXPECT_NE(text.find("4.0 times real time"), std::string::npos) << text;
}

}  // namespace
}  // namespace stunt
