#include "stunt/optimize/optimization.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/temporary.h"

namespace stunt {
namespace {

// A second of squatting with springs that are too soft or stiff: small, and noisy as the real ones are.
ProblemSpec small_problem() {
  ProblemSpec spec;
  spec.name = "small";
  spec.scene = read_scene(
      "{timestep: 0.002, actors: [{motion: squat, character: biped28, controller: jacobian_transpose, plant: "
      "{motor_noise: 5}}]}",
      "test");
  spec.move = {
      {.setting = "actors.0.controller.stiffness.knee", .tied = {{"actors.0.controller.stiffness.elbow"}}},
      {.setting = "actors.0.controller.dual"}};
  spec.objective.duration = 0.3;
  spec.population = 4;
  spec.success = {.reward = 1.99, .tests = 2, .passes = 2};
  return spec;
}

std::filesystem::path scratch(const std::string& name) {
  const auto folder = std::filesystem::temp_directory_path() / ("stunt_optimization_" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Problem, FindsWhatMayMove) {
  const Problem problem(small_problem(), "test");
  ASSERT_EQ(problem.movables().size(), 5u);
  EXPECT_EQ(problem.movables()[0].settings.size(), 2u);
  EXPECT_EQ(problem.movables()[0].mean, 350);
  EXPECT_EQ(problem.movables()[1].name, "actors.0.controller.dual.com_position");
  VecX x = problem.space().mean;
  x[0] = 123;
  const std::string scene = write_scene(problem.scene_with(x));
  EXPECT_NE(scene.find("knee: 123"), std::string::npos);
  EXPECT_NE(scene.find("elbow: 123"), std::string::npos);
}

// Table 6.2: 2 n + 8 numbers, n = 17.
TEST(Problem, ThePapersHas42Numbers) {
  const Problem problem(load_problem("data-driven"), "data-driven");
  EXPECT_EQ(problem.movables().size(), 42u);
  EXPECT_EQ(problem.spec().population, 16);
}

TEST(Problem, SaysWhatIsWrong) {
  const auto error = [](const std::function<void(ProblemSpec&)>& change) {
    ProblemSpec spec = small_problem();
    change(spec);
    return error_of([&] { Problem(spec, "p.yaml"); });
  };
  EXPECT_NE(error([](ProblemSpec& p) { p.move[0].setting = "actors.0.controller.wings"; }).find("wings"),
            std::string::npos);
  EXPECT_NE(
      error([](ProblemSpec& p) { p.move[0].low = 500, p.move[0].high = 400; }).find("bounds 500 to 400"),
      std::string::npos);
  EXPECT_NE(error([](ProblemSpec& p) { p.move[0].mean = -3; }).find("a mean of -3"), std::string::npos);
  EXPECT_NE(error([](ProblemSpec& p) { p.move.push_back(p.move[0]); }).find("twice"), std::string::npos);
  EXPECT_NE(error([](ProblemSpec& p) {
              p.scene.actors[0].controller = ControllerSpec("ragdoll");
              p.move.clear();
            }).find("nothing that moves"),
            std::string::npos);
  EXPECT_NE(error([](ProblemSpec& p) { p.move = {{.setting = "gravity"}}; }).find("no spread for gravity"),
            std::string::npos);
}

// R of eq. 6.18, put together here from a run that is stopped at once and one that is not.
TEST(Objective, IsTheTimeAndTheBonus) {
  ProblemSpec spec = small_problem();
  spec.objective.measures = {{"torque", 1e9, 1}};
  EXPECT_NEAR(Problem(spec, "test").judge(Problem(spec, "test").space().mean, 1).reward, 2, 1e-3);
  spec.objective.measures = {{"torque", 1e-9, 1}};
  spec.objective.bonus = 0;
  const Judgement judgement = Problem(spec, "test").judge(Problem(spec, "test").space().mean, 1);
  EXPECT_EQ(judgement.ended, "torque");
  EXPECT_LT(judgement.lasted_s, 0.02);
  EXPECT_NEAR(judgement.reward, judgement.lasted_s / 0.3, 1e-12);
}

TEST(Optimization, DoesNotDependOnTheWorkers) {
  const Problem problem(small_problem(), "test");
  const auto folder = scratch("workers");
  std::vector<std::string> histories;
  const auto run = [&](std::unique_ptr<Evaluator> evaluator) {
    Journal journal(folder / "checkpoint.txt", problem.hash());
    histories.push_back(
        history_csv(problem, optimize(problem, {.generations = 2}, *evaluator, journal).history));
  };
  run(thread_evaluator(1));
  run(thread_evaluator(2));
  run(process_evaluator(2));
  EXPECT_EQ(histories[0], histories[1]);
  EXPECT_EQ(histories[0], histories[2]);
}

TEST(Optimization, GoesOnWhereItWasStopped) {
  const Problem problem(small_problem(), "test");
  const auto folder = scratch("resume");
  const auto evaluator = thread_evaluator(1);
  Journal whole(folder / "whole.txt", problem.hash());
  const Optimum at_once = optimize(problem, {.generations = 3}, *evaluator, whole);

  Journal first(folder / "checkpoint.txt", problem.hash());
  int generations = 0;
  OptimizationWatch watch;
  watch.generation = [&](const Generation& row, const VecX&) { generations = row.number; };
  watch.progress = [&](int, int) { return generations < 2; };
  EXPECT_THROW(optimize(problem, {.generations = 3}, *evaluator, first, watch), RunError);

  Journal second(folder / "checkpoint.txt", problem.hash());
  second.load();
  const Optimum resumed = optimize(problem, {.generations = 3}, *evaluator, second);
  EXPECT_EQ(history_csv(problem, resumed.history), history_csv(problem, at_once.history));
  EXPECT_EQ(resumed.x, at_once.x);
  EXPECT_EQ(read_file(folder / "whole.txt"), read_file(folder / "checkpoint.txt"));
}

TEST(Journal, RefusesWhatIsNotItsOwn) {
  const auto folder = scratch("journal");
  Journal journal(folder / "j.txt", "abc-1");
  Batch runs(3);
  runs[0].judgement.reward = 1.25;
  runs[0].judgement.lasted_s = 20;
  runs[1].judgement.ended = "pose";
  runs[2].error = "crashed | badly";
  journal.add(runs);
  journal.save();
  Journal again(folder / "j.txt", "abc-1");
  again.load();
  const Batch* batch = again.next();
  ASSERT_TRUE(batch && batch->size() == 3);
  EXPECT_EQ((*batch)[0].judgement.reward, 1.25);
  EXPECT_EQ((*batch)[0].judgement.ended, "");
  EXPECT_EQ((*batch)[1].judgement.ended, "pose");
  EXPECT_EQ((*batch)[2].error, "crashed   badly");
  EXPECT_EQ(again.next(), nullptr);

  const auto load = [&](const std::string& problem) {
    return error_of([&] { Journal(folder / "j.txt", problem).load(); });
  };
  EXPECT_NE(load("abd-1").find("another problem"), std::string::npos);
  const std::string text = read_file(folder / "j.txt");
  write_file(folder / "j.txt", text.substr(0, text.size() / 2));
  EXPECT_NE(load("abc-1").find("cut or changed"), std::string::npos);
  std::string altered = text;
  altered[altered.find("1.25") + 2] = '9';
  write_file(folder / "j.txt", altered);
  EXPECT_NE(load("abc-1").find("cut or changed"), std::string::npos);
  std::filesystem::remove(folder / "j.txt");
  EXPECT_NE(load("abc-1").find("no such file"), std::string::npos);
}

// A full disk, here a limit on the size of files: the old checkpoint stays, whole.
TEST(Journal, AFullDiskLeavesTheOldOne) {
  const auto folder = scratch("full");
  Journal journal(folder / "j.txt", "abc-1");
  journal.add(Batch(3));
  journal.save();
  const std::string before = read_file(folder / "j.txt");
  journal.add(Batch(20000));
  rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = error_of([&] { journal.save(); });
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(error.find("j.txt"), std::string::npos) << error;
  EXPECT_EQ(read_file(folder / "j.txt"), before);
  Journal again(folder / "j.txt", "abc-1");
  again.load();
  EXPECT_EQ(again.next()->size(), 3u);
}

// Rewards that are no numbers count as the worst and are told.
TEST(Optimization, NoNumberIsTheWorst) {
  ProblemSpec spec = small_problem();
  spec.objective.measures = {{"torque", 1e-310, 1}};  // the part of the bonus overflows
  const Problem problem(spec, "test");
  Journal journal(scratch("no_number") / "checkpoint.txt", problem.hash());
  const Optimum found = optimize(problem, {.generations = 1}, *thread_evaluator(1), journal);
  EXPECT_EQ(found.broken, found.evaluations);
  EXPECT_EQ(found.last_error, "a reward that is not a number");
  EXPECT_TRUE(found.x.allFinite());
  EXPECT_FALSE(found.success);
}

// Pushes that grow: the numbers at hand go as far as they can, the search goes on from there, and gives up at last.
TEST(Optimization, RaisesWhatIsWithstood) {
  ProblemSpec spec = small_problem();
  spec.scene.pushes.resize(1);
  spec.scene.pushes[0].force = {50, 0, 0};
  spec.scene.pushes[0].duration = 0.3;
  spec.raise = {.setting = "pushes.0.force.0", .step = 2000, .patience = 2, .along = {{"pushes.0.start", 1}}};
  spec.scene.pushes[0].start = 0.001;
  spec.success = {.reward = 1.2, .tests = 2, .passes = 1};
  const Problem problem(spec, "test");
  EXPECT_EQ(problem.raised_to(2), 4050);
  const Scene scene = problem.scene_with(problem.space().mean, 2);
  EXPECT_EQ(scene.pushes[0].force.x(), 4050);
  EXPECT_NEAR(scene.pushes[0].start, 0.081, 1e-12);  // along with it
  Journal journal({}, "");
  const Optimum found = optimize(problem, {.generations = 30}, *thread_evaluator(1), journal);
  ASSERT_GE(found.level, 0);
  EXPECT_LT(found.level, 10);
  EXPECT_EQ(found.why, "2 generations without success");
  EXPECT_GE(found.passes, 1);
  EXPECT_EQ(found.history.back().raised_to, problem.raised_to(found.level + 1));
  EXPECT_NE(history_csv(problem, found.history).find("pushes.0.force.0"), std::string::npos);
  spec.raise.setting = "pushes.0.wind";
  EXPECT_NE(error_of([&] { Problem(spec, "p.yaml"); }).find("pushes.0.wind"), std::string::npos);
}

// A generation in which some runs break: they are the worst, counted and told.
class Breaking : public Evaluator {
 public:
  std::vector<Outcome> evaluate(int count, const std::function<std::string(int)>& work,
                                const std::function<bool(int)>&) override {
    std::vector<Outcome> out;
    for (int i = 0; i < count; ++i) out.push_back(i == 1 ? Outcome{"", "it burnt"} : Outcome{work(i), ""});
    return out;
  }
};

TEST(Optimization, RunsThatBreakAreTheWorst) {
  const Problem problem(small_problem(), "test");
  Breaking evaluator;
  Journal journal(scratch("breaking") / "checkpoint.txt", problem.hash());
  const Optimum found = optimize(problem, {.generations = 2}, evaluator, journal);
  EXPECT_GE(found.broken, 2);
  EXPECT_EQ(found.last_error, "it burnt");
  EXPECT_TRUE(std::isfinite(found.history.back().best));
  EXPECT_TRUE(found.x.allFinite());
}

}  // namespace
}  // namespace stunt
