#include "stunt/optimize/evaluator.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "stunt/core/error.h"

namespace stunt {

struct Square {
  int of = 0;
  double value = 0;
};
void describe(Fields& fields, Square& square) { fields("of", square.of)("value", square.value); }

namespace {

TEST(Evaluator, ResultsDoNotDependOnHowTheyWereSpread) {
  const auto work = [](int i) -> Square {
    if (i == 3) throw std::runtime_error("three is too many");
    return {i, i * i / 7.0};
  };
  for (const int jobs : {1, 2, 5}) {
    for (const bool threads : {false, true}) {
      const auto evaluator = threads ? thread_evaluator(jobs) : process_evaluator(jobs);
      int told = 0;
      const auto results = evaluate<Square>(*evaluator, 20, work, [&](int done) {
        told = std::max(told, done);
        return true;
      });
      EXPECT_LE(told, 20);
      ASSERT_EQ(results.size(), 20u);
      for (int i = 0; i < 20; ++i) {
        if (i == 3) {
          EXPECT_EQ(results[3].error, "three is too many");
          continue;
        }
        EXPECT_EQ(results[i].error, "");
        EXPECT_EQ(results[i].value.of, i);
        EXPECT_EQ(results[i].value.value, i * i / 7.0);  // bit for bit
      }
    }
  }
}

TEST(Evaluator, ACrashCostsOnePiece) {
  const auto outcomes = process_evaluator(2)->evaluate(4, [](int i) -> std::string {
    if (i == 1) std::_Exit(9);
    return std::string(200000, static_cast<char>('a' + i));  // more than a pipe holds
  });
  EXPECT_EQ(outcomes[1].error, "the process that did this crashed");
  for (const std::size_t i : {0u, 2u, 3u}) {
    EXPECT_EQ(outcomes[i].result, std::string(200000, static_cast<char>('a' + i)));
  }
}

TEST(Evaluator, StopsWhenToldTo) {
  for (const bool threads : {false, true}) {
    const auto evaluator = threads ? thread_evaluator(2) : process_evaluator(2);
    EXPECT_THROW(evaluator->evaluate(
                     1000,
                     [](int) -> std::string {
                       struct timespec nap {
                         0, 5'000'000
                       };
                       nanosleep(&nap, nullptr);
                       return "x";
                     },
                     [](int) { return false; }),
                 RunError);
  }
}

}  // namespace
}  // namespace stunt
