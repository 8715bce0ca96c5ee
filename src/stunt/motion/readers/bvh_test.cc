#include "stunt/motion/readers/bvh.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "places.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/random.h"
#include "stunt/motion/readers/euler.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cmu_files() {
  std::vector<fs::path> files;
  const fs::path folder = in_source("../shared/mocap/cmu");
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".bvh") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The largest difference of two clips: root position (file units) and joint angle (degrees).
void expect_same_motion(const Clip& a, const Clip& b, double position_tolerance, double angle_tolerance) {
  ASSERT_EQ(a.skeleton.size(), b.skeleton.size());
  ASSERT_EQ(a.frame_count(), b.frame_count());
  EXPECT_NEAR(a.fps, b.fps, 1e-6 * a.fps);
  double position = 0.0, angle = 0.0;
  for (int j = 0; j < a.skeleton.size(); ++j) {
    EXPECT_EQ(a.skeleton.joints[j].name, b.skeleton.joints[j].name);
    EXPECT_EQ(a.skeleton.joints[j].parent, b.skeleton.joints[j].parent);
    position = std::max(position, (a.skeleton.joints[j].offset - b.skeleton.joints[j].offset).norm());
  }
  ASSERT_EQ(a.skeleton.ends.size(), b.skeleton.ends.size());
  for (std::size_t e = 0; e < a.skeleton.ends.size(); ++e) {
    EXPECT_EQ(a.skeleton.ends[e].joint, b.skeleton.ends[e].joint);
    position = std::max(position, (a.skeleton.ends[e].offset - b.skeleton.ends[e].offset).norm());
  }
  for (int f = 0; f < a.frame_count(); ++f) {
    position = std::max(position, (a.frames[f].root_position - b.frames[f].root_position).norm());
    for (int j = 0; j < a.skeleton.size(); ++j) {
      angle = std::max(angle, degrees(angle_between(a.frames[f].rotations[j], b.frames[f].rotations[j])));
    }
  }
  EXPECT_LT(position, position_tolerance);
  EXPECT_LT(angle, angle_tolerance);
}

constexpr const char* kPlain = R"(HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Leg
  {
    OFFSET 1 -2.5 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 -4 0.5
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0083333
1 2 3 10 20 30 40 -50 60
1.5 2 -3 11 21 31 41 -51 61
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(Bvh, ReadsThePlainFile) {
  const Clip clip = read_bvh(kPlain, "plain.bvh");
  ASSERT_EQ(clip.skeleton.size(), 2);
  EXPECT_EQ(clip.skeleton.joints[1].name, "Leg");
  EXPECT_EQ(clip.skeleton.joints[1].parent, 0);
  EXPECT_EQ(clip.skeleton.joints[1].offset, Vec3(1, -2.5, 0));
  ASSERT_EQ(clip.skeleton.ends.size(), 1u);
  EXPECT_EQ(clip.skeleton.ends[0].offset, Vec3(0, -4, 0.5));
  EXPECT_EQ(clip.fps, 120.0);
  EXPECT_EQ(clip.source.channels, (std::vector<std::string>{"xyzZYX", "ZYX"}));
  ASSERT_EQ(clip.frame_count(), 2);
  EXPECT_EQ(clip.frames[1].root_position, Vec3(1.5, 2, -3));
  // By Eigen's own rotations: Rz * Ry * Rx.
  const auto turn = [](double angle, const Vec3& axis) { return Eigen::AngleAxisd(radians(angle), axis); };
  const Quat expected(turn(41, Vec3::UnitZ()) * turn(-51, Vec3::UnitY()) * turn(61, Vec3::UnitX()));
  EXPECT_LT(angle_between(clip.frames[1].rotations[1], expected), 1e-9);
}

// Every dialect of the plain file must give the plain file's motion.
TEST(Bvh, ReadsAllDialects) {
  const Clip plain = read_bvh(kPlain, "plain.bvh");
  const std::string text = kPlain;
  const std::string one_line = text.substr(0, text.find("MOTION"));
  const std::vector<std::pair<const char*, std::string>> dialects = {
      {"tabs", with(text, " ", "\t")},
      {"CRLF", with(text, "\n", "\r\n")},
      {"CR alone", with(text, "\n", "\r")},
      {"byte order mark", "\xEF\xBB\xBF" + text},
      {"lower-case keywords",
       with(with(with(text, "OFFSET", "offset"), "CHANNELS", "channels"), "JOINT", "Joint")},
      {"commas between numbers",
       with(with(text, "1 -2.5 0\n", "1, -2.5, 0\n"), "1.5 2 -3 11", "1.5,2,-3, 11")},
      {"decimal commas", with(text, ".", ",")},
      {"exponents", with(with(text, "-2.5", "-2.5e+00"), "1.5", "+1.5E0")},
      {"brace on the line", with(text, "\n{", " {")},
      {"no blank after the colon", with(with(text, "Frames: 2", "Frames:2"), "Time: ", "Time:")},
      {"blank before the colon", with(with(text, "Frames: 2", "Frames : 2"), "Time: ", "Time :\t")},
      {"tab for the header", with(with(text, "Frames: 2", "Frames:\t2"), "Frame Time: ", "Frame Time:\t")},
      {"empty lines and blanks at the ends", with(text, "\n", "  \n\n")},
      {"no line end at the end", text.substr(0, text.size() - 1)},
      {"frames wrapped over lines", with(with(text, "3 10", "3\n10"), "-3 11", "-3\n11")},
      {"all frames on one line", with(text, "60\n1.5", "60 1.5")},
      {"hierarchy on one line",
       with(with(one_line, "\n", " "), "Hips", "Hips\n") + text.substr(text.find("MOTION"))},
      {"fewer digits in the frame time", with(text, "0.0083333", "0.00833")},
  };
  for (const auto& [name, dialect] : dialects) {
    SCOPED_TRACE(name);
    Clip clip;
    ASSERT_NO_THROW(clip = read_bvh(dialect, "dialect.bvh"));
    if (std::string(name) == "hierarchy on one line") clip.skeleton.joints[0].name = "Hips";
    expect_same_motion(plain, clip, 1e-12, 1e-6);
  }
}

TEST(Bvh, KeepsNamesWithBlanksAndPrefixesAndTellsDuplicatesApart) {
  std::string text =
      with(with(kPlain, "ROOT Hips", "ROOT mixamorig:Hips"), "JOINT Leg", "JOINT  Left Upper Leg ");
  Clip clip = read_bvh(text, "names.bvh");
  EXPECT_EQ(clip.skeleton.joints[0].name, "mixamorig:Hips");
  EXPECT_EQ(clip.skeleton.joints[1].name, "Left Upper Leg");
  clip = read_bvh(with(kPlain, "JOINT Leg", "JOINT Hips"), "twice.bvh");
  EXPECT_EQ(clip.skeleton.joints[1].name, "Hips_2");
  EXPECT_EQ(clip.warnings.size(), 1u);
}

TEST(Bvh, DoesWithoutEndSitesAndWithAnyChannels) {
  const std::string text = R"(HIERARCHY
ROOT a
{
  OFFSET 5 6 7
  CHANNELS 4 Yrotation Xposition Zposition Xrotation
  JOINT knee
  {
    OFFSET 0 -1 0
    CHANNELS 1 Xrotation
    JOINT foot
    {
      OFFSET 0 -1 0
      CHANNELS 6 Xrotation Yrotation Zrotation Zposition Yposition Xposition
    }
    JOINT nothing
    {
      OFFSET 1 2 3
      CHANNELS 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
90 1 2 30   45   10 20 30 0.25 -1 0.5
90 1 2 30   45   10 20 30 0.25 -1 0.5
90 1 2 30   45   10 20 30 0.26 -1 0.5
)";
  const Clip clip = read_bvh(text, "any.bvh");
  EXPECT_EQ(clip.frames[0].root_position, Vec3(1, 6, 2));  // no Yposition channel: the OFFSET's
  EXPECT_LT(angle_between(clip.frames[0].rotations[0],
                          axis_angle(Vec3::UnitY(), radians(90)) * axis_angle(Vec3::UnitX(), radians(30))),
            1e-9);
  EXPECT_LT(angle_between(clip.frames[0].rotations[1], axis_angle(Vec3::UnitX(), radians(45))), 1e-9);
  EXPECT_EQ(clip.skeleton.joints[2].offset, Vec3(0.5, -1, 0.25));  // the median of the position channels
  ASSERT_EQ(clip.sliding.size(), 1u);                              // it moves
  EXPECT_EQ(clip.sliding[0].rest, Vec3(0, -1, 0));
  EXPECT_EQ(clip.sliding[0].offsets[2], Vec3(0.5, -1, 0.26));
  EXPECT_TRUE(clip.skeleton.ends.empty());
  expect_same_motion(clip, read_bvh(write_bvh(clip), "again.bvh"), 1e-5, 1e-5);
}

TEST(Bvh, ErrorsNameFileLineFoundAndExpected) {
  const std::string text = kPlain;
  struct Case {
    const char* name;
    std::string text;
    std::vector<std::string> words;  // all in the message
  };
  const std::vector<Case> cases = {
      {"empty", "", {"bad.bvh:1", "end of the file", "HIERARCHY"}},
      {"not a BVH", "PK\x03\x04 zip", {"bad.bvh:1", "PK", "HIERARCHY"}},
      {"misspelt", with(text, "CHANNELS 3", "CHANELS 3"), {"bad.bvh:9", "'CHANELS'", "CHANNELS"}},
      {"misspelt channel", with(text, "Xrotation", "Wrotation"), {"bad.bvh:5", "'Wrotation'", "Xrotation"}},
      {"channel twice",
       with(text, "3 Zrotation Y", "3 Zrotation Zrotation Y"),
       {"bad.bvh:9", "twice", "once"}},
      {"too few channels", with(text, "CHANNELS 3", "CHANNELS 4"), {"bad.bvh:10", "'End'", "channel"}},
      {"bad number", with(text, "-2.5", "-2.5x"), {"bad.bvh:8", "'-2.5x'", "number"}},
      {"nan", with(text, "-51", "nan"), {"bad.bvh:20", "'nan'", "finite"}},
      {"infinite", with(text, "-51", "-inf"), {"bad.bvh:20", "'-inf'", "finite"}},
      {"indeterminate", with(text, "-51", "-1.#IND"), {"bad.bvh:20", "'-1.#IND'", "finite"}},
      {"absurd", with(text, "-51", "1e300"), {"bad.bvh:20", "'1e300'", "finite"}},
      {"missing brace", with(text, "}\nMOTION", "\nMOTION"), {"bad.bvh:16", "MOTION", "1 more '}'"}},
      {"two figures", with(text, "MOTION", "ROOT Second\n{\n"), {"bad.bvh:16", "second ROOT", "one figure"}},
      {"no frames line", with(text, "Frames: 2\n", ""), {"bad.bvh:18", "Frames"}},
      {"no frame time", with(text, "Frame Time: 0.0083333\n", ""), {"bad.bvh:18", "Frame Time"}},
      {"frame time zero", with(text, "0.0083333", "0"), {"bad.bvh:18", "'0'", "above 0"}},
      {"negative frame count", with(text, "Frames: 2", "Frames: -2"), {"bad.bvh:17", "'-2'", "whole number"}},
      {"absurd frame count", with(text, "Frames: 2", "Frames: 99999999"), {"bad.bvh:17", "1000000"}},
      {"cut in a frame", text.substr(0, text.size() - 7), {"bad.bvh:20", "7 numbers", "9", "cut off"}},
      {"frames missing", with(text, "Frames: 2", "Frames: 5"), {"2 frames", "5", "line 17"}},
      {"short line", with(text, "50 60\n", "50\n"), {"bad.bvh:19"}},
      {"long line", with(text, "-51 61", "-51 61 7"), {"bad.bvh:20", "more numbers", "9"}},
      {"no channels", "HIERARCHY ROOT a\n{OFFSET 0 0 0}\nMOTION", {"bad.bvh", "CHANNELS"}},
      {"no frames", with(text.substr(0, text.find("1 2 3 10")), "Frames: 2", "Frames: 0"), {"no frames"}},
  };
  for (const auto& [name, bad, words] : cases) {
    SCOPED_TRACE(name);
    try {
      read_bvh(bad, "bad.bvh");
      ADD_FAILURE() << "was accepted";
    } catch (const InputError& error) {
      for (const auto& word : words) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
            << error.what() << "\n  lacks " << word;
      }
    }
  }
}

TEST(Bvh, RefusesTooManyJointsAndKeepsAnnouncedMemoryWithinTheFile) {
  std::string deep = "HIERARCHY\nROOT a\n{ OFFSET 0 0 0 CHANNELS 1 Xrotation\n";
  for (int i = 0; i < 1100; ++i) deep += "JOINT b\n{ OFFSET 0 0 0\n";
  EXPECT_THROW(read_bvh(deep, "deep.bvh"), InputError);
  // A million frames announced, two there: must fail at once, without room for a million.
  EXPECT_THROW(read_bvh(with(kPlain, "Frames: 2", "Frames: 1000000"), "liar.bvh"), InputError);
}

TEST(Bvh, MoreFramesThanAnnouncedAreUsedWithAWarning) {
  const Clip clip = read_bvh(with(kPlain, "Frames: 2", "Frames: 1"), "more.bvh");
  EXPECT_EQ(clip.frame_count(), 2);
  EXPECT_EQ(clip.warnings.size(), 1u);
}

// Euler angles of every order: compose, extract, compose again; near gimbal lock too.
TEST(Euler, RoundTripsInEveryOrder) {
  Random random(7);
  for (const auto* order :
       {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XY", "YX", "XZ", "ZX", "YZ", "ZY", "X", "Y", "Z"}) {
    for (int n = 0; n < 300; ++n) {
      std::array<double, 3> angles = {random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)};
      if (n % 3 == 0) angles[1] = (n % 2 ? 1 : -1) * (kPi / 2 + (n % 4 < 2 ? 0.0 : 1e-7));
      const Quat q = from_euler(order, angles.data());
      const std::array<double, 3> near = {random.uniform(-9, 9), random.uniform(-9, 9),
                                          random.uniform(-9, 9)};
      const auto found = to_euler(q, order, near);
      EXPECT_LT(angle_between(q, from_euler(order, found.data())), 1e-6) << order << " " << n;
    }
  }
}

TEST(Euler, StaysContinuousOverWholeTurnsAndGimbalLock) {
  std::array<double, 3> previous{};
  for (int n = 0; n < 2000; ++n) {
    const double t = 0.01 * n;
    const std::array<double, 3> angles = {0.3 * t, t,
                                          -2 * t};  // the middle angle passes 90, 270, ... degrees
    const auto found = to_euler(from_euler("ZXY", angles.data()), "ZXY", previous);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], angles[i], 1e-6) << n;
    previous = found;
  }
}

// A second route for forward kinematics: 4x4 matrices multiplied down the file's own nesting, from the raw
// channels.
TEST(Bvh, JointPositionsAgreeWithAMatrixChain) {
  const Clip clip = read_bvh(kPlain, "plain.bvh");
  JointTransforms transforms;
  forward_kinematics(clip.skeleton, clip.frames[0], transforms);
  const auto turn = [](double angle, const Vec3& axis) {
    Eigen::Affine3d t = Eigen::Affine3d::Identity();
    t.linear() = Eigen::AngleAxisd(radians(angle), axis).toRotationMatrix();
    return t;
  };
  const Eigen::Affine3d root = Eigen::Translation3d(1, 2, 3) * turn(10, Vec3::UnitZ()) *
                               turn(20, Vec3::UnitY()) * turn(30, Vec3::UnitX());
  const Eigen::Affine3d leg = root * Eigen::Translation3d(1, -2.5, 0) * turn(40, Vec3::UnitZ()) *
                              turn(-50, Vec3::UnitY()) * turn(60, Vec3::UnitX());
  EXPECT_LT((transforms.positions[1] - leg.translation()).norm(), 1e-12);
  const Vec3 end = transforms.positions[1] + transforms.rotations[1] * clip.skeleton.ends[0].offset;
  EXPECT_LT((end - leg * Vec3(0, -4, 0.5)).norm(), 1e-12);
}

TEST(Bvh, RestRotationsAreTakenOutWhenWriting) {
  Clip clip = read_bvh(kPlain, "plain.bvh");
  clip.skeleton.joints[0].rest = axis_angle(Vec3::UnitX(), 0.7);
  clip.skeleton.joints[1].rest = axis_angle(Vec3::UnitZ(), -1.1);
  const Clip again = read_bvh(write_bvh(clip), "again.bvh");
  for (int f = 0; f < clip.frame_count(); ++f) {
    JointTransforms a, b;
    forward_kinematics(clip.skeleton, clip.frames[f], a);
    forward_kinematics(again.skeleton, again.frames[f], b);
    EXPECT_LT((a.positions[1] - b.positions[1]).norm(), 1e-5);
    EXPECT_LT((a.positions[1] + a.rotations[1] * clip.skeleton.ends[0].offset - b.positions[1] -
               b.rotations[1] * again.skeleton.ends[0].offset)
                  .norm(),
              1e-5);
  }
}

TEST(Bvh, RoundTripsAllCmuClips) {
  const auto files = cmu_files();
  if (files.empty()) GTEST_SKIP() << "the CMU clips are not there";
  ASSERT_EQ(files.size(), 40u);
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    const std::string text = read_file(file);
    const Clip clip = read_bvh(text, file.string());
    EXPECT_EQ(clip.fps, 120.0);
    EXPECT_TRUE(clip.warnings.empty());
    expect_same_motion(clip, read_bvh(write_bvh(clip), "again.bvh"), 1e-4, 1e-4);
  }
}

TEST(Bvh, ReadsATenSecondClipInFortyMilliseconds) {
  const fs::path file = in_source("../shared/mocap/cmu/stand_137_41.bvh");
  if (!fs::exists(file)) GTEST_SKIP() << "the CMU clips are not there";
  const std::string text = read_file(file);
  double best = INFINITY;
  for (int n = 0; n < 5; ++n) {
    const std::clock_t start = std::clock();  // processor time: other work on the machine does not count
    const Clip clip = read_bvh(text, file.string());
    ASSERT_EQ(clip.frame_count(), 1442);
    best = std::min(best, 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  RecordProperty("milliseconds", fmt::format("{:.1f}", best));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(best, 40.0);
#endif
}

}  // namespace
}  // namespace stunt
