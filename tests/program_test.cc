// The program's contract, kept by running it: exit statuses, outputs that are whole or absent, JSON alone on
// stdout, examples that work as printed, the same seed giving the same bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "places.h"
#include "stunt/actor/actor.h"
#include "stunt/core/embedded.h"
#include "stunt/report/files/recording_file.h"
#include "stunt/simulate/run_scene.h"
#include "tests/run_program.h"

namespace stunt {
namespace {

using nlohmann::json;
using test::Outcome;
using test::run_line;
using test::run_program;
using test::TemporaryFolder;

constexpr const char* kOutputs[] = {"summary.json", "recording.npz", "scene.glb", "simulated.bvh",
                                    "report.html"};

std::vector<std::string> squat(const std::string& out, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"track", "squat", "--controller", "pd", "--pedestal", "--out", out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Angle between simulated and simulated, per joint: the mean over joints and samples of two runs.
double joint_difference(const Recording& a, const Recording& b) {
  const Actor& actor = *a.scene->actors.at(0).actor;
  double sum = 0;
  int count = 0;
  VecX difference_v;
  for (int i = 0; i < std::min(a.samples(), b.samples()); ++i) {
    const VecX qa = a.q(i, a.actors.at(0));
    const VecX qb = b.q(i, b.actors.at(0));
    difference(actor, qa, qb, difference_v);
    for (const ActorJoint& joint : actor.joints()) {
      if (joint.type == JointType::free) continue;
      sum += difference_v.segment(joint.v_address, joint.dofs).norm();
      ++count;
    }
  }
  return sum / count;
}

TEST(Program, SquatsOnAPedestalAlikeOnBothEngines) {
  const TemporaryFolder folder;
  for (const std::string engine : {"mujoco", "ode"}) {
    const Outcome outcome = run_program(folder, squat(engine, {"--engine", engine, "--json"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json summary = json::parse(outcome.out);  // throws where anything else is on stdout
    EXPECT_EQ(summary, json::parse(folder.read(engine + "/summary.json")));
    EXPECT_EQ(summary["engine"], engine);
    EXPECT_EQ(summary["completed"], true);
    const json& error = summary["joint_error_rad"]["mean"];
    ASSERT_TRUE(error.is_number()) << error;
    EXPECT_GT(error.get<double>(), 0);
    EXPECT_LE(error.get<double>(), 0.05);
    EXPECT_EQ(summary["assist"]["pedestal"], true);
    for (const char* name : kOutputs)
      EXPECT_FALSE(folder.read(fmt::format("{}/{}", engine, name)).empty()) << name;
  }
  const Recording a = load_recording(folder.path() / "mujoco/recording.npz");
  const Recording b = load_recording(folder.path() / "ode/recording.npz");
  ASSERT_EQ(a.samples(), b.samples());
  EXPECT_LE(joint_difference(a, b), 0.05);
  EXPECT_GT(joint_difference(a, b), 0);
}

TEST(Program, TheSummaryHasEveryPromisedField) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program(folder, {"track", "stand", "--duration", "0.2", "--json", "--out", "here"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json summary = json::parse(outcome.out);
  for (const char* field : {"motion",
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
                            "versions"}) {
    EXPECT_TRUE(summary.contains(field)) << field;
  }
  for (const auto& [group, parts] :
       std::map<std::string, std::vector<std::string>>{{"joint_error_rad", {"mean", "max"}},
                                                       {"mpjpe_m", {"global", "root_relative"}},
                                                       {"com_error_m", {"mean", "max"}},
                                                       {"plan_us", {"mean", "p99", "count"}}}) {
    for (const std::string& part : parts) EXPECT_TRUE(summary[group].contains(part)) << group << "." << part;
  }
  EXPECT_GT(summary["plan_us"]["count"].get<int>(), 0);
  EXPECT_NEAR(summary["simulated_s"], 0.2, 1e-6);
}

TEST(Program, QuietSaysNothingOnStderr) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(folder, {"track", "stand", "--duration", "0.1", "--quiet"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("results in out/stand"), std::string::npos) << outcome.out;
  EXPECT_FALSE(folder.read("out/stand/report.html").empty());
}

// Whoever hangs on nothing falls; after a little practice it lands like the motion's end.
TEST(Program, WhatFailsAtOnceIsPractisedUnlessItIsNotWanted) {
  const TemporaryFolder folder;
  const auto tracked = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"track", "hang", "--quiet", "--json"});
    const Outcome outcome = run_program(folder, words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  const auto plain = tracked({"--no-rehearse", "--out", "plain"});
  EXPECT_FALSE(plain["tracked"]);
  EXPECT_TRUE(plain["rehearsed"].is_null());
  const auto practised = tracked({"--out", "practised"});
  EXPECT_TRUE(practised["tracked"]);
  EXPECT_GT(practised["rehearsed"]["rollouts"], 0);
  EXPECT_FALSE(folder.read("practised/rehearsed.yaml").empty());
  const auto changed = tracked({"--set", "actors.0.controller.stiffness=540", "--out", "changed"});
  EXPECT_TRUE(changed["rehearsed"].is_null()) << "a setting's own effect is to be seen";
}

TEST(Program, TheSameSceneTwiceGivesTheSameBytes) {
  for (const char* engine : {"engine=mujoco", "engine=ode"}) {
    const TemporaryFolder folder;
    for (const char* out : {"one", "two"}) {
      const Outcome outcome = run_program(
          folder, {"run", "demo", "--set", "duration=2", "--set", engine, "--quiet", "--out", out});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    EXPECT_FALSE(folder.read("one/recording.npz").empty());
    EXPECT_TRUE(folder.read("one/recording.npz") == folder.read("two/recording.npz")) << engine;
    EXPECT_TRUE(folder.read("one/simulated.bvh") == folder.read("two/simulated.bvh")) << engine;
    EXPECT_TRUE(folder.read("one/scene.glb") == folder.read("two/scene.glb")) << engine;
  }
}

// A push that only a double that has practised can take: what it found runs again, and gives the same motion.
TEST(Program, ARehearsalLeavesASceneThatRepeatsIt) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(
      folder, {"track", "stand", "--duration", "2", "--set", "pushes=[{force: [325, 0, 0], start: 0.7}]",
               "--rehearse", "--rollouts", "200", "--json", "--quiet", "--out", "first"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json summary = json::parse(outcome.out);
  EXPECT_GT(summary["rehearsed"]["rollouts"], 0);
  EXPECT_GT(summary["rehearsed"]["wall_s"], 0);
  const Outcome again = run_program(folder, {"run", "first/rehearsed.yaml", "--json", "--out", "again"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["tracked"], summary["tracked"]);
  EXPECT_EQ(folder.read("again/simulated.bvh"), folder.read("first/simulated.bvh"));
  EXPECT_EQ(folder.read("again/scene.glb"), folder.read("first/scene.glb"));
}

TEST(Program, AFallIsAResultUnlessUprightIsRequired) {
  const TemporaryFolder folder;
  std::vector<std::string> pushed = {
      "track", "stand", "--controller", "pd", "--set", "pushes.0.force=[2000,0,0]", "--json"};
  const Outcome fell = run_program(folder, pushed);
  ASSERT_EQ(fell.status, 0) << fell.err;
  const json summary = json::parse(fell.out);
  EXPECT_EQ(summary["completed"], false);
  EXPECT_TRUE(summary["fell_at_s"].is_number());
  EXPECT_TRUE(summary["fall_reason"].is_string());
  // It stops a second after everybody is down.
  EXPECT_LT(summary["simulated_s"].get<double>(), summary["duration_s"].get<double>());
  EXPECT_FALSE(folder.read("out/stand/simulated.bvh").empty());

  pushed.push_back("--require-upright");
  const Outcome required = run_program(folder, pushed);
  EXPECT_EQ(required.status, 1);
  EXPECT_NE(required.err.find("stand fell at"), std::string::npos) << required.err;

  // Who is thrown out of the scene has not fallen, but is not upright either.
  const Outcome thrown =
      run_program(folder, {"track", "stand", "--no-rehearse", "--require-upright", "--set",
                           "pushes=[{force: [20000, 0, 9000], start: 0.3, duration: 0.2}]"});
  EXPECT_EQ(thrown.status, 1);
  EXPECT_NE(thrown.err.find("stand was lost: "), std::string::npos) << thrown.err;
}

TEST(Program, AnInterruptLeavesEarlierOutputAlone) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program(folder, squat("out", {"--duration", "0.1"})).status, 0);
  const auto names = folder.names();
  const std::string before = folder.read("out/recording.npz");
  const Outcome outcome = run_program(folder, squat("out", {"--duration", "60"}), {.interrupt = true});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("stunt: interrupted"), std::string::npos) << outcome.err;
  EXPECT_EQ(folder.names(), names);
  EXPECT_TRUE(folder.read("out/recording.npz") == before);
}

TEST(Program, AFullDiskLeavesEarlierOutputAlone) {
  const TemporaryFolder folder;
  const test::Circumstances full{.largest_file = 20'000};
  const Outcome fresh = run_program(folder, squat("deep/down", {"--duration", "1", "--quiet"}), full);
  EXPECT_EQ(fresh.status, 1);
  EXPECT_EQ(fresh.error_lines(), 1) << fresh.err;
  EXPECT_NE(fresh.err.find("cannot write deep/down/recording.npz: File too large"), std::string::npos)
      << fresh.err;
  EXPECT_TRUE(folder.names().empty());

  ASSERT_EQ(run_program(folder, squat("out", {"--duration", "0.1"})).status, 0);
  const auto names = folder.names();
  const std::string before = folder.read("out/summary.json");
  EXPECT_EQ(run_program(folder, squat("out", {"--duration", "1", "--quiet"}), full).status, 1);
  EXPECT_EQ(folder.names(), names);
  EXPECT_EQ(folder.read("out/summary.json"), before);
}

TEST(Program, BenchmarkDoesNotDependOnTheNumberOfJobs) {
  const TemporaryFolder folder;
  folder.write("clips/broken.bvh", "HIERARCHY\n");
  for (const char* name : {"stand", "bow"}) {
    std::filesystem::copy_file(
        std::filesystem::path(in_source("data/motions")) / (std::string(name) + ".bvh"),
        folder.path() / "clips" / (std::string(name) + ".bvh"));
  }
  std::vector<json> tables;
  for (const char* jobs : {"1", "3"}) {
    const Outcome outcome = run_program(folder, {"benchmark", "clips", "--controller", "pd", "--pedestal",
                                                 "--duration", "0.5", "--json", "--quiet", "--jobs", jobs});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    tables.push_back(json::parse(outcome.out));
    for (json& clip : tables.back()["clips"]) {
      for (const char* timing : {"realtime_factor", "controller_us_per_step", "engine_us_per_step"})
        clip.erase(timing);
    }
    EXPECT_TRUE(tables.back()["realtime_factor"]["median"].is_number());
    EXPECT_EQ(tables.back()["settings"]["engine"], "mujoco");
  }
  EXPECT_EQ(tables[0]["clips"], tables[1]["clips"]);
  EXPECT_EQ(tables[0]["total"], 3);
  EXPECT_EQ(tables[0]["completed"], 2);
  EXPECT_EQ(tables[0]["clips"][1]["motion"], "broken");
  EXPECT_NE(tables[0]["clips"][1]["error"].get<std::string>().find("expected"), std::string::npos);
}

TEST(Program, InfoTellsWhatItFound) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(folder, {"info", "walk", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json info = json::parse(outcome.out);
  for (const char* field : {"format", "frames", "fps", "duration_s", "unit_m", "up_axis",
                            "rest_frame_dropped", "roles", "floor", "contacts", "warnings"}) {
    EXPECT_TRUE(info.contains(field)) << field;
  }
  EXPECT_TRUE(info["roles"].contains("left_foot"));
  EXPECT_TRUE(info["floor"].contains("height_m"));
  EXPECT_TRUE(info["floor"].contains("slope_deg"));
}

// The subcommands, as the program itself lists them.
std::vector<std::string> subcommands(const TemporaryFolder& folder) {
  const Outcome help = run_program(folder, {"--help"});
  EXPECT_EQ(help.status, 0);
  std::vector<std::string> names;
  std::istringstream lines(help.out);
  bool listing = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("ubcommands:") != std::string::npos) {
      listing = true;
    } else if (listing && line.starts_with("  ") && line.size() > 2 && line[2] != ' ') {
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return names;
}

TEST(Program, AFloorIsWhereItIsSaidToBe) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(folder, {"info", "walk", "--floor", "0.125", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json info = json::parse(outcome.out);
  EXPECT_EQ(info["floor"]["height_m"], 0.125);
  EXPECT_NE(info["notes"].dump().find("12.5 cm above zero as asked"), std::string::npos);
}

TEST(Program, AloneAndAskedForHelpItTellsHow) {
  const TemporaryFolder folder;
  const Outcome alone = run_program(folder, {}), help = run_program(folder, {"help"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_NE(alone.err.find("stunt track walk"), std::string::npos);
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.out, run_program(folder, {"--help"}).out);
  EXPECT_EQ(run_program(folder, {"help", "track"}).out, run_program(folder, {"track", "--help"}).out);
}

// What a flag stands for in the scene is not what the person wrote.
TEST(Program, ErrorsNameTheFlag) {
  const TemporaryFolder folder;
  EXPECT_EQ(
      run_program(folder, {"track", "walk", "--engine", "moon"}).err.find("stunt: --engine: found 'moon'"),
      0u);
  EXPECT_EQ(
      run_program(folder, {"run", "demo", "--duration", "-1"}).err.find("stunt: --duration: found '-1'"), 0u);
}

TEST(Program, AnExperimentLeavesTablesAndAPage) {
  const TemporaryFolder folder;
  const std::vector<std::string> small = {"experiment", "mcsim",        "--only",  "slopes",      "--engine",
                                          "mujoco",     "--preset",     "default", "--character", "fit",
                                          "--set",      "duration=0.3", "--json",  "--quiet"};
  const auto run = [&](const std::string& out, const std::string& jobs) {
    std::vector<std::string> words = small;
    words.insert(words.end(), {"--jobs", jobs, "-o", out});
    return run_program(folder, words);
  };
  const Outcome one = run("one", "1");
  ASSERT_EQ(one.status, 0) << one.err;
  const json result = json::parse(one.out);
  EXPECT_EQ(result["runs"], 9);
  ASSERT_EQ(result["tables"].size(), 9u);
  EXPECT_EQ(result["tables"][4]["value"], "0");
  EXPECT_EQ(result["tables"][4]["completed"], 1) << result["tables"][4];
  EXPECT_NE(folder.read("one/index.html").find("Slopes"), std::string::npos);
  // The same whatever the number of processes, but for the times of plans.
  ASSERT_EQ(run("two", "3").status, 0);
  const auto without_times = [&](const std::string& path) {
    std::stringstream lines(folder.read(path));
    std::string kept;
    for (std::string line; std::getline(lines, line);)
      kept += line.substr(0, line.rfind(',', line.rfind(',') - 1)) + "\n";
    return kept;
  };
  EXPECT_EQ(without_times("one/slopes.csv"), without_times("two/slopes.csv"));
  EXPECT_GT(without_times("one/slopes.csv").size(), 500u);

  const Outcome list = run_program(folder, {"experiment"});
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.out.find("mcsim"), std::string::npos);
  const Outcome wrong = run_program(folder, {"experiment", "mcsim", "--only", "slops"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("'slops', expected one of: pushes, "), std::string::npos) << wrong.err;
}

TEST(Program, EveryBuiltInSceneStarts) {
  const std::vector<std::string> names = embedded_names("scenes");
  ASSERT_GE(names.size(), 16u);
  for (const std::string& name : names) {
    EXPECT_EQ(embedded_file("scenes/" + name + ".yaml")->substr(0, 2), "# ")
        << name << " does not say what it shows";
    const Scene scene = load_scene(name, {"duration=0.3"});
    const Recording recording = run_scene(scene);
    EXPECT_TRUE(recording.diverged.empty()) << name << ": " << recording.diverged;
    for (const ActorTrack& track : recording.actors) EXPECT_FALSE(track.fall) << name;
  }
}

TEST(Program, ExamplesOfHelpWorkAsPrinted) {
  const TemporaryFolder folder;
  std::filesystem::create_directory_symlink(std::filesystem::path(in_source("data")), folder.path() / "data");
  const auto names = subcommands(folder);
  ASSERT_GE(names.size(), 9u);
  for (const std::string& name : names) {
    const Outcome help = run_program(folder, {name, "--help"});
    ASSERT_EQ(help.status, 0) << name;
    const std::string mark = "Example:  ";
    const std::size_t at = help.out.find(mark);
    ASSERT_NE(at, std::string::npos) << name << " --help shows no example:\n" << help.out;
    const std::string line = help.out.substr(at + mark.size(), help.out.find('\n', at) - at - mark.size());
    EXPECT_NE(line.find("stunt " + name), std::string::npos) << line;
    const Outcome outcome = run_line(folder, line);
    EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.err;
    EXPECT_FALSE(outcome.out.empty()) << line;
  }
}

}  // namespace
}  // namespace stunt
