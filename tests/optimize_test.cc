// `stunt optimize` as a person runs it: the same result whoever works, and after everything that may go wrong.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "run_program.h"
#include "stunt/optimize/mpi_workers.h"

namespace stunt::test {
namespace {

// Small, and noisy as the real ones are.
constexpr const char* kSmallProblem =
    "scene: {timestep: 0.002, actors: [{motion: stand, character: biped28, controller: jacobian_transpose, "
    "plant: {motor_noise: 5}}]}\nmove: [{setting: actors.0.controller.dual}]\n"
    "objective: {duration: 0.2}\nsuccess: {reward: 3}\npopulation: 4\n";

class OptimizeProgram : public testing::Test {
 protected:
  OptimizeProgram() { folder.write("p.yaml", kSmallProblem); }
  Outcome optimize(std::vector<std::string> more, const Circumstances& circumstances = {}) {
    std::vector<std::string> arguments = {"optimize", "p.yaml", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(folder, arguments, circumstances);
  }
  void expect_same(const std::string& one, const std::string& other) {
    for (const std::string name : {"/history.csv", "/checkpoint.txt", "/best.yaml"}) {
      EXPECT_GT(folder.read(one + name).size(), 100u) << one << name;
      EXPECT_EQ(folder.read(other + name), folder.read(one + name)) << other << name;
    }
  }
  TemporaryFolder folder;
};

TEST_F(OptimizeProgram, DoesNotDependOnTheWorkersAndGoesOn) {
  const Outcome one = optimize({"--generations", "3", "--jobs", "1", "--out", "one"});
  ASSERT_EQ(one.status, 0) << one.err;
  const auto summary = nlohmann::json::parse(one.out);
  EXPECT_EQ(summary["generations"], 3);
  EXPECT_EQ(summary["evaluations"], 3 * 4 + 5);
  EXPECT_EQ(summary["success"], false);
  EXPECT_EQ(summary["workers"], 1);
  EXPECT_EQ(summary["best"], "one/best.yaml");
  EXPECT_TRUE(summary["reward"].is_number() && summary["simulated_s"].is_number() &&
              summary["wall_s"].is_number());
  EXPECT_EQ(optimize({"--generations", "3", "--jobs", "2", "--out", "threads"}).status, 0);
  EXPECT_EQ(
      optimize({"--generations", "3", "--jobs", "2", "--workers", "processes", "--out", "processes"}).status,
      0);
  EXPECT_EQ(optimize({"--generations", "1", "--out", "stopped"}).status, 0);
  EXPECT_NE(folder.read("stopped/history.csv"), folder.read("one/history.csv"));
  EXPECT_EQ(optimize({"--generations", "3", "--resume", "--out", "stopped"}).status, 0);
  for (const std::string other : {"threads", "processes", "stopped"}) expect_same("one", other);
  const Outcome other = optimize({"--generations", "3", "--resume", "--seed", "2", "--out", "stopped"});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("another problem"), std::string::npos) << other.err;
  EXPECT_EQ(run_program(folder, {"run", "one/best.yaml", "--quiet", "--out", "run"}).status, 0);
}

TEST_F(OptimizeProgram, LeavesPagesToWatch) {
  ASSERT_EQ(optimize({"--generations", "2", "--out", "out"}).status, 0);
  EXPECT_NE(folder.read("out/index.html").find("convergence.html"), std::string::npos);
  EXPECT_NE(folder.read("out/convergence.html").find("<svg"), std::string::npos);
  EXPECT_NE(folder.read("out/convergence.html").find("dual.com_position"), std::string::npos);
  EXPECT_GT(folder.read("out/best.html").size(), 100u);
}

TEST_F(OptimizeProgram, CtrlCKeepsWhatIsDone) {
  const Outcome stopped = optimize({"--generations", "100000", "--out", "out"}, {.interrupt = true});
  EXPECT_EQ(stopped.status, 1) << stopped.err;
  EXPECT_NE(stopped.err.find("interrupted after"), std::string::npos) << stopped.err;
  EXPECT_NE(stopped.err.find("--resume"), std::string::npos);
}

// Open MPI does not like to be run by root, nor on fewer cores than ranks, unless it is told. What it leaks at the end
// is not ours.
class MpiProgram : public OptimizeProgram {
 protected:
  void SetUp() override {
    if (!MpiWorkers::built_in()) GTEST_SKIP() << "built without Open MPI";
    if (std::system("command -v mpirun >/dev/null") != 0) GTEST_SKIP() << "no mpirun";
  }
  Outcome mpi(const std::string& rest) {
    return run_line(folder,
                    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                    "ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\"; " +
                        rest);
  }
  static constexpr const char* kRun = "mpirun --oversubscribe -n 2 stunt optimize p.yaml --json ";
};

TEST_F(MpiProgram, TwoRanksFindWhatOneFinds) {
  ASSERT_EQ(optimize({"--generations", "3", "--jobs", "1", "--out", "one"}).status, 0);
  const Outcome ranks = mpi(std::string(kRun) + "--generations 3 --out ranks");
  ASSERT_EQ(ranks.status, 0) << ranks.err;
  EXPECT_EQ(nlohmann::json::parse(ranks.out)["workers"], 2);
  expect_same("one", "ranks");
  const Outcome wrong = mpi("mpirun --oversubscribe -n 2 stunt optimize nowhere.yaml");
  EXPECT_EQ(wrong.status, 2) << wrong.err;
  EXPECT_EQ(wrong.err.find("nowhere.yaml"), wrong.err.rfind("nowhere.yaml: found no such file")) << wrong.err;
}

TEST_F(MpiProgram, ALostRankCostsAtMostAGeneration) {
  ASSERT_EQ(optimize({"--generations", "6", "--jobs", "1", "--out", "one"}).status, 0);
  const Outcome killed = mpi(std::string(kRun) +
                             "--generations 100000 --out ranks & run=$!; "
                             "until [ -s ranks/history.csv ]; do sleep 0.02; done; "
                             "kill -9 $(pgrep -P $run | tail -n 1); wait $run");
  EXPECT_NE(killed.status, 0);
  ASSERT_GT(folder.read("ranks/checkpoint.txt").size(), 100u);
  const Outcome again = optimize({"--generations", "6", "--resume", "--out", "ranks"});
  ASSERT_EQ(again.status, 0) << again.err;
  const std::string whole = folder.read("one/history.csv");
  EXPECT_EQ(folder.read("ranks/history.csv").substr(0, whole.size()), whole);
}

}  // namespace
}  // namespace stunt::test
