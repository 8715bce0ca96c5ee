// The same scene gives the same bits: again in this process, and in other processes however many run at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "stunt/optimize/evaluator.h"
#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

// FNV-1a over the bytes of numbers.
template <class T>
std::uint64_t hash_of(const std::vector<T>& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const T& number : numbers) {
    unsigned char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3ull;
  }
  return hash;
}

// Of every sampled coordinate: of the walker, and of the balls that hit it.
std::string hash_of_run(std::uint64_t seed) {
  const Scene scene = load_scene(
      "balls", {"duration=2", "throws.0.start=0.3", "throws.0.every=0.5", fmt::format("seed={}", seed)});
  const Recording recording = run_scene(scene);
  return fmt::format("{} samples {:016x}", recording.samples(),
                     hash_of(recording.channels.at("q").all<double>()));
}

TEST(Determinism, TheSameBitsWhoeverRunsTheScene) {
  const std::string here = hash_of_run(1);
  RecordProperty("hash", here);
  EXPECT_EQ(here.substr(0, 12), "241 samples ");
  EXPECT_EQ(hash_of_run(1), here);
  const std::string other_seed = hash_of_run(2);
  EXPECT_NE(other_seed, here) << "the hash sees nothing of the throws";
  for (const int jobs : {1, 2, 4}) {
    const auto outcomes = process_evaluator(jobs)->evaluate(
        4, [](int i) { return hash_of_run(static_cast<std::uint64_t>(1 + i % 2)); });
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      EXPECT_EQ(outcomes[i].error, "");
      EXPECT_EQ(outcomes[i].result, i % 2 ? other_seed : here) << "with " << jobs << " jobs";
    }
  }
}

// A second of PD on the pedestal while balls fly, against a number written down: another build, optimisation level or
// machine gives the same motion to the micrometre. It changes where the squat, the humanoid, PD or an engine changes;
// then write down the new one.
TEST(Determinism, TheSameMotionOnEveryMachine) {
  for (const auto& [engine, pinned] :
       {std::pair("mujoco", "430f09d57d623ad3"), std::pair("ode", "80f2d465f1f70349")}) {
    const Scene scene = load_scene(
        "balls", {"duration=1", "throws.0.start=0.1", "actors.0.motion=squat", "actors.0.character=humanoid",
                  "actors.0.controller={type: pd, pedestal: true, reaction: {on: false}}",
                  fmt::format("engine={}", engine)});
    const Recording recording = run_scene(scene);
    std::vector<std::int64_t> micrometres;
    for (const double q : recording.channels.at("q").all<double>())
      micrometres.push_back(std::llround(1e6 * q));
    EXPECT_EQ(fmt::format("{:016x}", hash_of(micrometres)), pinned) << "on " << engine;
  }
}

}  // namespace
}  // namespace stunt
