#include "stunt/reference/cleanup/contacts.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "stunt/actor/fit/fit.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

struct Interval {
  double begin, end;  // s
};
struct Marked {
  const char* clip;
  std::vector<Interval> feet[2];  // left, right
};

// Marked by eye on the curves of height and speed of the captured ankle and ball, as the files have them: a
// foot stands from where it comes to rest until the ball leaves.
const Marked kMarked[] = {
    {"walk_35_31",
     {{{0.19, 0.88}, {1.42, 2.08}, {2.59, 3.25}}, {{0, 0.28}, {0.80, 1.50}, {1.99, 2.68}, {3.16, 3.6}}}},
    {"run_09_06", {{{0, 0.05}, {0.63, 0.79}}, {{0.26, 0.42}, {0.985, 1.14}}}},
    {"jump_16_02", {{{0, 1.86}, {2.36, 4}}, {{0, 1.86}, {2.35, 4}}}},
    {"kick_144_06",
     {{{0, 1.12}, {1.30, 11}}, {{0, 1.42}, {2.60, 4.88}, {6.22, 7.12}, {8.35, 9.15}, {10.42, 11}}}}};

TEST(Contacts, AgreeWithWhatAnEyeSees) {
  const std::filesystem::path mocap = STUNT_SOURCE_DIR "/../shared/mocap/cmu";
  if (!std::filesystem::exists(mocap)) GTEST_SKIP() << "no motion capture files in " << mocap;
  for (const Marked& marked : kMarked) {
    const Clip clip = load_clip((mocap / marked.clip).string() + ".bvh");
    const auto reference = clean_up(fit_actor(clip), clip).reference;
    const auto& points = reference->actor()->contact_points();
    int agree = 0, all = 0;
    for (int i = 0; i < reference->size(); ++i) {
      const double t = i / reference->rate();
      for (const bool left : {true, false}) {
        bool stands = false, seen = false;
        for (std::size_t p = 0; p < points.size(); ++p) {
          stands = stands || (points[p].left == left && reference->contacts(i)[p]);
        }
        for (const Interval& mark : marked.feet[left ? 0 : 1])
          seen = seen || (t >= mark.begin && t <= mark.end);
        agree += stands == seen;
        ++all;
      }
    }
    EXPECT_GE(agree, 0.95 * all) << marked.clip;
  }
}

}  // namespace
}  // namespace stunt
