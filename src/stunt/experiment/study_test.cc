#include "stunt/experiment/study.h"

#include <gtest/gtest.h>

#include "stunt/experiment/injury_experiment.h"

namespace stunt {
namespace {

TEST(Study, BecomesTablesAndFiles) {
  Study study{.title = "A & B"};
  StudyPart part{"sizes", "How large", "Measured."};
  part.rows = {{{"what", "a, b"}, {"m", 1.25}, {"left", nullptr}}, {{"what", "c"}, {"m", 2}, {"left", true}}};
  part.plots = {Plot{"sizes", "x", "y", {{"line", {{0, 1}, {1, 2}}}}}};
  study.parts = {part};
  const auto rows = tables(study);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["part"], "sizes");
  EXPECT_EQ(rows[1]["m"], 2);
  const auto files = study_files(study);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].first, "sizes.csv");
  EXPECT_EQ(files[0].second, "what,m,left\n\"a, b\",1.25,\nc,2,true\n");
  EXPECT_NE(files[1].second.find("A &amp; B"), std::string::npos);
  EXPECT_NE(files[1].second.find("<svg"), std::string::npos);
  EXPECT_NE(study_text(study).find("a, b  1.25"), std::string::npos);
}

// The same fall is the same bits; another number is another fall.
TEST(Study, AFallRepeats) {
  const FallSpec spec{.engine = "mujoco", .number = 3, .timestep = 0.001, .duration = 1.2};
  const FallOutcome once = run_fall(spec), again = run_fall(spec);
  EXPECT_EQ(once.standard.d_avg, again.standard.d_avg);
  EXPECT_EQ(once.paper.measures.size(), 17u);
  EXPECT_GE(once.height, 1.5);
  EXPECT_LE(once.height, 4.5);
  FallSpec other = spec;
  other.number = 4;
  EXPECT_NE(run_fall(other).height, once.height);
}

}  // namespace
}  // namespace stunt
