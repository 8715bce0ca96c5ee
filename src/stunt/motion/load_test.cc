#include "stunt/motion/load.h"

#include <assimp/scene.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <assimp/Exporter.hpp>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "places.h"
#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/npz.h"
#include "stunt/motion/readers/amass.h"
#include "stunt/motion/readers/asf_amc.h"
#include "stunt/motion/readers/assimp_reader.h"
#include "stunt/motion/readers/bvh.h"
#include "stunt/motion/readers/deepmimic.h"
#include "stunt/motion/roles.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;
const std::string kMocap = in_source("../shared/mocap/");
const std::string kSmallBvh = in_source("fuzz/corpus/bvh/person.bvh");

// A folder that goes away with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("stunt_load_test_{}", getpid());
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

// --- DeepMimic
// -----------------------------------------------------------------------------------------------------

TEST(DeepMimic, ReadsAllEightFiles) {
  if (!fs::exists(kMocap + "deepmimic")) GTEST_SKIP() << "the DeepMimic clips are not there";
  // Of the clips' own description: frames, rate, loop, and the net displacement along the file's x and z.
  const struct {
    const char* name;
    int frames;
    double fps;
    bool loops;
    double x, z;
  } expected[] = {{"backflip", 29, 16, true, -1.08, 0.00},
                  {"dance_a", 98, 60, true, 0.20, -1.15},
                  {"getup_facedown", 183, 60, false, -0.24, 0.02},
                  {"jump", 107, 60, true, 1.07, 0.06},
                  {"kick", 47, 30, false, 0.98, -0.66},
                  {"run", 25, 30, true, 2.85, 0.00},
                  {"stealthy_walk", 97, 24, true, 1.59, 0.00},
                  {"walk", 39, 30, true, 1.24, 0.00}};
  for (const auto& e : expected) {
    SCOPED_TRACE(e.name);
    const Clip clip = load_clip(fmt::format("{}deepmimic/humanoid3d_{}.txt", kMocap, e.name));
    EXPECT_EQ(clip.source.format, "deepmimic");
    EXPECT_EQ(clip.frame_count(), e.frames);
    EXPECT_EQ(clip.fps, e.fps);
    EXPECT_EQ(clip.loops, e.loops);
    EXPECT_EQ(clip.source.unit_m, 1.0);
    const Vec3 moved = clip.frames.back().root_position - clip.frames.front().root_position;
    EXPECT_NEAR(moved.x(), e.x, 0.006);   // forward stays x
    EXPECT_NEAR(moved.y(), -e.z, 0.006);  // the file's z is its right
    for (const auto& pose : clip.frames) {
      for (const auto& q : pose.rotations) ASSERT_NEAR(q.norm(), 1.0, 1e-9);
    }
    const Roles roles = recognise_roles(clip.skeleton);
    EXPECT_EQ(roles[Role::left_foot], clip.skeleton.find("left_ankle"));
    EXPECT_EQ(roles[Role::right_forearm], clip.skeleton.find("right_elbow"));
  }
}

// The soles must be near the floor in a walk: a wrong joint offset or order would not do that.
TEST(DeepMimic, TheWalkStandsOnTheFloor) {
  if (!fs::exists(kMocap + "deepmimic")) GTEST_SKIP() << "the DeepMimic clips are not there";
  const Clip clip = load_clip(kMocap + "deepmimic/humanoid3d_walk.txt");
  JointTransforms pose;
  for (const auto& frame : clip.frames) {
    forward_kinematics(clip.skeleton, frame, pose);
    const double lowest = std::min(pose.positions[clip.skeleton.find("left_ankle")].z(),
                                   pose.positions[clip.skeleton.find("right_ankle")].z());
    EXPECT_GT(lowest, 0.01);
    EXPECT_LT(lowest, 0.12);
    EXPECT_GT(pose.positions[clip.skeleton.find("neck")].z(), 1.2);
  }
}

std::string deepmimic_row(double duration, double x) {
  std::string row = fmt::format("[{}, {}, 0.85, 0", duration, x);
  for (int i = 4; i < 44; ++i) {
    const bool w =
        i == 4 || i == 8 || i == 12 || i == 16 || i == 21 || i == 25 || i == 30 || i == 35 || i == 39;
    row += w ? ", 2" : ", 0";
  }
  return row + "]";
}

TEST(DeepMimic, ResamplesFramesOfDifferentDuration) {
  const std::string text = "{\"Loop\": \"none\", \"Frames\": [" + deepmimic_row(0.1, 0) + "," +
                           deepmimic_row(0.05, 1) + "," + deepmimic_row(0.1, 1.5) + "," +
                           deepmimic_row(0, 2.5) + "]}";
  const Clip clip = read_deepmimic(text, "uneven");
  EXPECT_EQ(clip.fps, 20.0);
  ASSERT_EQ(clip.frame_count(), 6);
  for (int f = 0; f < 6; ++f) EXPECT_NEAR(clip.frames[f].root_position.x(), 0.5 * f, 1e-9);
  EXPECT_EQ(clip.notes.size(), 2u);  // normalised, resampled
}

TEST(DeepMimic, ErrorsNameTheRow) {
  EXPECT_NE(message_of([] { read_deepmimic("{\"Frames\": [", "a.txt"); }).find("a.txt: not JSON"),
            std::string::npos);
  EXPECT_NE(message_of([] { read_deepmimic("[1]", "a.txt"); }).find("Frames"), std::string::npos);
  const std::string short_row = "{\"Frames\": [" + deepmimic_row(0.1, 0) + ", [1, 2]]}";
  EXPECT_NE(message_of([&] { read_deepmimic(short_row, "a.txt"); }).find("Frames[1]: found 2 entries"),
            std::string::npos);
  const std::string no_time = "{\"Frames\": [" + deepmimic_row(0, 0) + "," + deepmimic_row(0, 0) + "]}";
  EXPECT_NE(message_of([&] { read_deepmimic(no_time, "a.txt"); }).find("Frames[0][0]"), std::string::npos);
}

// --- ASF/AMC
// -------------------------------------------------------------------------------------------------------

constexpr const char* kAsf = R"(# AST/ASF file
:version 1.10
:name VICON
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
   none
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name lhipjoint
     direction 0.6 -0.8 0
     length 2.5
     axis 0 0 0   XYZ
  end
  begin
     id 2
     name lfemur
     direction 0.34202 -0.939693 0
     length 7
     axis 0 0 20   XYZ
     dof rx ry rz
     limits (-160.0 20.0)
            (-70.0 70.0)
            (-60.0 70.0)
  end
  begin
     id 3
     name ltibia
     direction 0.34202 -0.939693 0
     length 7.5
     axis 0 0 20   XYZ
     dof rx
     limits (-10.0 170.0)
  end
:hierarchy
  begin
    root lhipjoint
    lhipjoint lfemur
    lfemur ltibia
  end
)";
constexpr const char* kAmc = R"(#!OML:ASF
:FULLY-SPECIFIED
:DEGREES
1
root 1 17 3 10 20 30
lfemur -30 5 10
ltibia 45
2
root 1.5 17 3 10 20 30
lfemur -31 5 10
ltibia 46
)";

TEST(AsfAmc, PlacesJointsAsTheFormatDefines) {
  const Clip clip = read_asf_amc(kAsf, "a.asf", kAmc, "a.amc");
  ASSERT_EQ(clip.skeleton.size(), 4);
  ASSERT_EQ(clip.frame_count(), 2);
  JointTransforms pose;
  forward_kinematics(clip.skeleton, clip.frames[0], pose);
  // By matrices: each bone turns by C M C^-1 (C from its axis line, M from the AMC), then reaches along its
  // direction.
  const auto turn = [](double x, double y, double z) {
    return Mat3(Eigen::AngleAxisd(radians(z), Vec3::UnitZ()) * Eigen::AngleAxisd(radians(y), Vec3::UnitY()) *
                Eigen::AngleAxisd(radians(x), Vec3::UnitX()));
  };
  const Mat3 c = turn(0, 0, 20), root = turn(10, 20, 30);
  const Vec3 hip = Vec3(1, 17, 3) + root * Vec3(0.6, -0.8, 0) * 2.5;
  const Mat3 femur = root * c * turn(-30, 5, 10) * c.transpose();
  const Vec3 knee = hip + femur * Vec3(0.34202, -0.939693, 0) * 7;
  const Mat3 tibia = femur * c * turn(45, 0, 0) * c.transpose();
  const Vec3 ankle = knee + tibia * Vec3(0.34202, -0.939693, 0) * 7.5;
  EXPECT_LT((pose.positions[clip.skeleton.find("lfemur")] - hip).norm(), 1e-9);
  EXPECT_LT((pose.positions[clip.skeleton.find("ltibia")] - knee).norm(), 1e-9);
  ASSERT_EQ(clip.skeleton.ends.size(), 1u);
  const int last = clip.skeleton.ends[0].joint;
  EXPECT_LT((pose.positions[last] + pose.rotations[last] * clip.skeleton.ends[0].offset - ankle).norm(),
            1e-9);
}

TEST(AsfAmc, ErrorsNameFileAndLine) {
  const std::string asf = kAsf, amc = kAmc;
  const auto read = [&](const std::string& a, const std::string& b) {
    return message_of([&] { read_asf_amc(a, "a.asf", b, "a.amc"); });
  };
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_NE(read(asf, with(amc, "ltibia 45", "lshin 45")).find("a.amc:7: found 'lshin'"), std::string::npos);
  EXPECT_NE(read(asf, with(amc, "ltibia 45", "ltibia x")).find("a.amc:7: found 'x'"), std::string::npos);
  EXPECT_NE(read(asf, with(amc, "lfemur -31 5 10", "lfemur -31 5")).find("expected 3 numbers"),
            std::string::npos);
  EXPECT_NE(read(asf, with(amc, "ltibia 46", "")).find("without 'ltibia'"), std::string::npos);
  EXPECT_NE(read(with(asf, "lfemur ltibia", "lfemur lknee"), amc).find("a.asf:47: found 'lknee'"),
            std::string::npos);
  EXPECT_NE(read(with(asf, "lfemur ltibia", ""), amc).find("do not hang on the root"), std::string::npos);
  EXPECT_NE(read("", amc).find("no bones"), std::string::npos);
}

TEST(AsfAmc, FindsItsSkeleton) {
  const Folder folder;
  write_file(folder.path / "07_01.amc", kAmc);
  EXPECT_NE(message_of([&] { find_asf(folder.path / "07_01.amc"); }).find("0 ASF files"), std::string::npos);
  write_file(folder.path / "other.asf", kAsf);
  EXPECT_EQ(find_asf(folder.path / "07_01.amc").filename(), "other.asf");
  write_file(folder.path / "07.asf", kAsf);
  EXPECT_EQ(find_asf(folder.path / "07_01.amc").filename(), "07.asf");
  write_file(folder.path / "07_01.asf", kAsf);
  EXPECT_EQ(find_asf(folder.path / "07_01.amc").filename(), "07_01.asf");
  // One leg only: read, but of no use.
  EXPECT_NE(message_of([&] { load_clip((folder.path / "07_01.amc").string()); }).find("no legs"),
            std::string::npos);
}

// --- AMASS
// ---------------------------------------------------------------------------------------------------------

std::string amass_file(std::size_t joints, std::size_t frames, const char* rate_name) {
  // Facing +x of a z-up world: the body's y axis to z, its z axis to x.
  Quat standing(Mat3((Mat3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished()));
  const Vec3 root = log_map(standing);
  std::vector<double> poses(joints * 3 * frames, 0.0), trans(3 * frames);
  for (std::size_t f = 0; f < frames; ++f) {
    for (int i = 0; i < 3; ++i) poses[f * joints * 3 + i] = root[i];
    poses[f * joints * 3 + 3 * 4] = 0.02 * f;  // left knee
    trans[3 * f] = 0.01 * f;
    trans[3 * f + 2] = 0.9;
  }
  NpzWriter writer;
  writer.add("poses", std::span<const double>(poses), {frames, joints * 3});
  writer.add("trans", std::span<const double>(trans), {frames, 3});
  writer.add_number(rate_name, 60.0);
  return writer.finish();
}

TEST(Amass, StandsUprightAndFacesForward) {
  const Folder folder;
  for (const std::size_t joints : {22u, 24u, 52u}) {
    write_file(folder.path / "walk.npz",
               amass_file(joints, 30, joints == 52 ? "mocap_framerate" : "mocap_frame_rate"));
    const Clip clip = load_clip((folder.path / "walk.npz").string());
    EXPECT_EQ(clip.source.format, "amass");
    EXPECT_EQ(clip.fps, 60.0);
    EXPECT_EQ(clip.frame_count(), 30);
    JointTransforms pose;
    forward_kinematics(clip.skeleton, clip.frames[0], pose);
    const auto at = [&](const char* name) { return pose.positions[clip.skeleton.find(name)]; };
    EXPECT_NEAR(at("head").z() - at("left_ankle").z(), 1.5, 0.1);
    EXPECT_GT(at("left_hip").y(), at("right_hip").y());           // left is +y
    EXPECT_GT(at("left_foot").x(), at("left_ankle").x() + 0.05);  // toes forward
    // A bent knee takes the heel back.
    forward_kinematics(clip.skeleton, clip.frames[29], pose);
    EXPECT_LT(at("left_ankle").x(), at("right_ankle").x() - 0.1);
    const Roles roles = recognise_roles(clip.skeleton);
    EXPECT_EQ(roles[Role::left_foot], clip.skeleton.find("left_ankle"));
    EXPECT_EQ(roles[Role::right_hand], clip.skeleton.find("right_wrist"));
  }
}

// As programs write that estimate a body from video: other names, and the camera's axes, y down.
TEST(Amass, ReadsEstimatesFromVideo) {
  const Folder folder;
  constexpr std::size_t kFrames = 40;
  const Vec3 root = log_map(axis_angle(Vec3::UnitX(), kPi));
  std::vector<double> orient, body(69 * kFrames, 0.0), place;
  for (std::size_t f = 0; f < kFrames; ++f) {
    for (int i = 0; i < 3; ++i) orient.push_back(root[i]);
    body[69 * f + 9] = 0.02 * static_cast<double>(f);  // left knee
    for (const double v : {0.05 * static_cast<double>(f), 0.1, 4.0}) place.push_back(v);
  }
  NpzWriter writer;
  writer.add("global_orient", std::span<const double>(orient), {kFrames, 3});
  writer.add("body_pose", std::span<const double>(body), {kFrames, 69});
  writer.add("transl", std::span<const double>(place), {kFrames, 3});
  write_file(folder.path / "video.npz", writer.finish());
  const Clip clip = load_clip((folder.path / "video.npz").string());
  EXPECT_EQ(clip.source.format, "smpl");
  EXPECT_EQ(clip.source.up_axis, "-y");
  EXPECT_EQ(clip.fps, 30.0);
  JointTransforms pose;
  forward_kinematics(clip.skeleton, clip.frames[0], pose);
  EXPECT_GT(pose.positions[clip.skeleton.find("head")].z(),
            pose.positions[clip.skeleton.find("pelvis")].z() + 0.5);
}

TEST(Load, SaysNoToWhatItCannotRead) {
  const Folder folder;
  for (const auto& [file, word] : {std::pair{"a.c3d", "markers"}, {"a.pkl", "pickle"}, {"a.pt", "pickle"}}) {
    write_file(folder.path / file, "anything");
    EXPECT_NE(message_of([&] { load_clip((folder.path / file).string()); }).find(word), std::string::npos);
  }
}

TEST(Load, ReadsUtf16AndNamesInLatin1) {
  const Folder folder;
  std::string text = read_file(kSmallBvh), wide = "\xFF\xFE";
  for (const char c : text) wide += {c, '\0'};
  write_file(folder.path / "wide.bvh", wide);
  EXPECT_EQ(load_clip((folder.path / "wide.bvh").string()).frame_count(), load_clip(kSmallBvh).frame_count());
  const std::size_t head = text.find("Head");
  ASSERT_NE(head, std::string::npos);
  text.replace(head, 4, "T\xEAte");
  write_file(folder.path / "latin\xE9.bvh", text);
  const Clip clip = load_clip((folder.path / "latin\xE9.bvh").string());
  EXPECT_GE(clip.skeleton.find("T\xC3\xAAte"), 0);
  EXPECT_EQ(clip.name, "latin\xC3\xA9");
}

TEST(Amass, ErrorsNameTheArray) {
  NpzWriter writer;
  const std::vector<double> poses(10 * 66), trans(9 * 3);
  writer.add("poses", std::span<const double>(poses), {10, 66});
  writer.add("trans", std::span<const double>(trans), {9, 3});
  EXPECT_NE(message_of([&] {
              read_amass(writer.finish(), "a.npz");
            }).find("a.npz: trans: found 9 x 3, expected 10 x 3"),
            std::string::npos);
  EXPECT_NE(message_of([] { read_amass("no zip", "a.npz"); }).find("a.npz"), std::string::npos);
}

// --- glTF through assimp
// -------------------------------------------------------------------------------------------

// A BVH clip written as a glTF file with nodes and one animation: the second route for the reader. With `fast`
// there is another animation before it, the same at twice the speed.
std::string gltf_of(const Clip& clip, bool fast = false) {
  std::string buffer, accessors, views, samplers, channels, nodes;
  int accessor_count = 0;
  const auto add = [&](const std::vector<float>& values, int width, const char* type) {
    const std::size_t start = buffer.size(), bytes = values.size() * sizeof(float);
    buffer.append(reinterpret_cast<const char*>(values.data()), bytes);
    views += fmt::format("{}{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{}}}", accessor_count ? "," : "",
                         start, bytes);
    const std::string range =
        width == 1 ? fmt::format(",\"min\":[{}],\"max\":[{}]", values.front(), values.back()) : "";
    accessors += fmt::format("{}{{\"bufferView\":{},\"componentType\":5126,\"count\":{},\"type\":\"{}\"{}}}",
                             accessor_count ? "," : "", accessor_count, values.size() / width, type, range);
    return accessor_count++;
  };
  std::vector<float> times;
  for (int f = 0; f < clip.frame_count(); ++f) times.push_back(static_cast<float>(f / clip.fps));
  const int time = add(times, 1, "SCALAR");
  for (float& t : times) t *= 0.5f;
  const int half_time = add(times, 1, "SCALAR");
  int sampler_count = 0;
  const auto animate = [&](int node, const char* path, int values) {
    samplers += fmt::format("{}{{\"input\":{},\"output\":{}}}", sampler_count ? "," : "", time, values);
    channels += fmt::format("{}{{\"sampler\":{},\"target\":{{\"node\":{},\"path\":\"{}\"}}}}",
                            sampler_count ? "," : "", sampler_count, node, path);
    ++sampler_count;
  };
  for (int j = 0; j < clip.skeleton.size(); ++j) {
    std::vector<float> rotations, positions;
    for (const auto& pose : clip.frames) {
      const Quat& q = pose.rotations[j];
      for (const double v : {q.x(), q.y(), q.z(), q.w()}) rotations.push_back(static_cast<float>(v));
      for (int i = 0; i < 3; ++i) positions.push_back(static_cast<float>(pose.root_position[i]));
    }
    animate(j, "rotation", add(rotations, 4, "VEC4"));
    if (j == 0) animate(j, "translation", add(positions, 3, "VEC3"));
    std::string children;
    for (int k = 0; k < clip.skeleton.size(); ++k) {
      if (clip.skeleton.joints[k].parent == j)
        children += fmt::format("{}{}", children.empty() ? "" : ",", k);
    }
    const Vec3& o = clip.skeleton.joints[j].offset;
    nodes += fmt::format("{}{{\"name\":\"{}\",\"translation\":[{},{},{}]{}}}", j ? "," : "",
                         clip.skeleton.joints[j].name, o.x(), o.y(), o.z(),
                         children.empty() ? "" : ",\"children\":[" + children + "]");
  }
  std::string animations =
      fmt::format("{{\"name\":\"Whole\",\"samplers\":[{}],\"channels\":[{}]}}", samplers, channels);
  if (fast) {
    const std::string input = fmt::format("\"input\":{},", time);
    for (std::size_t at; (at = samplers.find(input)) != std::string::npos;)
      samplers.replace(at, input.size(), fmt::format("\"input\":{},", half_time));
    animations =
        fmt::format("{{\"name\":\"Fast\",\"samplers\":[{}],\"channels\":[{}]}},", samplers, channels) +
        animations;
  }
  // The figure hangs below a node that scales by a hundredth, as many exporters have it.
  nodes += fmt::format(",{{\"name\":\"Armature\",\"scale\":[0.01,0.01,0.01],\"children\":[0]}}");
  std::string json = fmt::format(
      "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{}]}}],\"nodes\":[{}],"
      "\"buffers\":[{{\"byteLength\":{}}}],\"bufferViews\":[{}],\"accessors\":[{}],"
      "\"animations\":[{}]}}",
      clip.skeleton.size(), nodes, buffer.size(), views, accessors, animations);
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const auto word = [](std::size_t value) {
    const auto v = static_cast<std::uint32_t>(value);
    return std::string(reinterpret_cast<const char*>(&v), 4);
  };
  return "glTF" + word(2) + word(12 + 8 + json.size() + 8 + buffer.size()) + word(json.size()) + "JSON" +
         json + word(buffer.size()) + std::string("BIN\0", 4) + buffer;
}

// All joints where the BVH has them, in all frames.
void expect_same_places(const Clip& clip) {
  ImportOptions keep_rest_frame;
  keep_rest_frame.drop_rest_frame = false;
  const Clip expected = load_clip(kSmallBvh, keep_rest_frame);
  ASSERT_EQ(clip.frame_count(), expected.frame_count());
  EXPECT_NEAR(clip.fps, expected.fps, 1e-6);
  ASSERT_EQ(clip.skeleton.size(), expected.skeleton.size());
  JointTransforms a, b;
  for (int f = 0; f < clip.frame_count(); ++f) {
    forward_kinematics(clip.skeleton, clip.frames[f], a);
    forward_kinematics(expected.skeleton, expected.frames[f], b);
    for (int j = 0; j < expected.skeleton.size(); ++j) {
      const int same = clip.skeleton.find(expected.skeleton.joints[j].name);
      ASSERT_GE(same, 0) << expected.skeleton.joints[j].name;
      EXPECT_LT((a.positions[same] - b.positions[j]).norm(), 1e-4)
          << expected.skeleton.joints[j].name << " " << f;
    }
  }
}

TEST(Gltf, GivesTheSamePlacesAsTheBvhItWasMadeFrom) {
  const Folder folder;
  Clip raw = read_bvh(read_file(kSmallBvh), "person.bvh");
  write_file(folder.path / "person.glb", gltf_of(raw));
  const Clip clip = load_clip((folder.path / "person.glb").string());
  EXPECT_EQ(clip.source.format, "gltf");
  EXPECT_EQ(clip.name, "person");
  expect_same_places(clip);
}

TEST(Gltf, OfSeveralAnimationsTheLongestOrTheOneAskedFor) {
  const Folder folder;
  const std::string path = (folder.path / "person.glb").string();
  write_file(path, gltf_of(read_bvh(read_file(kSmallBvh), "person.bvh"), true));
  const Clip whole = load_clip(path);
  ASSERT_EQ(whole.animations.size(), 2u);
  EXPECT_EQ(whole.animations[0].substr(0, 4), "Fast");
  expect_same_places(whole);
  bool told = false;
  for (const std::string& note : whole.notes) told |= note.find("--animation") != std::string::npos;
  EXPECT_TRUE(told);
  for (const char* const name : {"Fast", "1"}) {
    ImportOptions options;
    options.animation = name;
    EXPECT_NEAR(load_clip(path, options).duration(), 0.5 * whole.duration(), 0.05);
  }
  ImportOptions options;
  options.animation = "Slow";
  EXPECT_NE(message_of([&] { load_clip(path, options); }).find("Fast"), std::string::npos);
  EXPECT_NE(message_of([&] { load_clip(kSmallBvh, options); }).find("--animation"), std::string::npos);
}

// The same figure through assimp's own writer of FBX as text.
TEST(Fbx, GivesTheSamePlacesAsTheBvhItWasMadeFrom) {
  const Folder folder;
  const std::string glb = gltf_of(read_bvh(read_file(kSmallBvh), "person.bvh"));
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFileFromMemory(glb.data(), glb.size(), 0, "glb");
  ASSERT_NE(scene, nullptr);
  // The writer takes key times as seconds, whatever the scene's ticks are.
  aiAnimation& animation = *scene->mAnimations[0];
  for (unsigned i = 0; i < animation.mNumChannels; ++i) {
    aiNodeAnim& channel = *animation.mChannels[i];
    for (unsigned k = 0; k < channel.mNumRotationKeys; ++k)
      channel.mRotationKeys[k].mTime /= animation.mTicksPerSecond;
    for (unsigned k = 0; k < channel.mNumPositionKeys; ++k)
      channel.mPositionKeys[k].mTime /= animation.mTicksPerSecond;
    for (unsigned k = 0; k < channel.mNumScalingKeys; ++k)
      channel.mScalingKeys[k].mTime /= animation.mTicksPerSecond;
  }
  Assimp::Exporter exporter;
  const std::string path = (folder.path / "person.fbx").string();
  ASSERT_EQ(exporter.Export(scene, "fbxa", path), aiReturn_SUCCESS) << exporter.GetErrorString();
  const Clip clip = load_clip(path);
  EXPECT_EQ(clip.source.format, "fbx");
  expect_same_places(clip);
}

TEST(Gltf, SaysWhatIsWrong) {
  EXPECT_NE(
      message_of([] { read_with_assimp("glTF nonsense", "glb", "a.glb"); }).find("a.glb: cannot be read"),
      std::string::npos);
  EXPECT_NE(message_of([] {
              read_with_assimp("Kaydara FBX Binary  ", "fbx", "a.fbx");
            }).find("a.fbx: cannot be read"),
            std::string::npos);
}

// --- choosing
// ------------------------------------------------------------------------------------------------------

TEST(Load, TellsTheKindByContentWhereTheNameDoesNot) {
  const Folder folder;
  write_file(folder.path / "clip.dat", read_file(kSmallBvh));
  EXPECT_EQ(load_clip((folder.path / "clip.dat").string()).source.format, "bvh");
  write_file(folder.path / "clip.bin", gltf_of(read_bvh(read_file(kSmallBvh), "")));
  EXPECT_EQ(load_clip((folder.path / "clip.bin").string()).source.format, "gltf");
  write_file(folder.path / "motion", amass_file(22, 10, "mocap_framerate"));
  EXPECT_EQ(load_clip((folder.path / "motion").string()).source.format, "amass");
  write_file(folder.path / "what.xyz", "something else");
  EXPECT_NE(message_of([&] { load_clip((folder.path / "what.xyz").string()); }).find("unknown kind"),
            std::string::npos);
}

TEST(Load, EveryBuiltInMotionLoadsWithoutWarnings) {
  for (const std::string& name : embedded_names("motions")) {
    SCOPED_TRACE(name);
    const Clip clip = load_clip(name);
    EXPECT_EQ(clip.name, name);
    EXPECT_GE(clip.frame_count(), 2);
    EXPECT_TRUE(clip.warnings.empty()) << clip.warnings[0];
  }
}

TEST(Load, AnUnknownNameLeadsToTheBuiltInMotions) {
  const std::string message = message_of([] { load_clip("no_such_motion"); });
  EXPECT_NE(message.find("no_such_motion: found no such file and no built-in motion"), std::string::npos);
  EXPECT_NE(message.find("`stunt motions`"), std::string::npos);
  EXPECT_NE(message_of([] { load_clip("wlak"); }).find("perhaps 'walk'"), std::string::npos);
}

}  // namespace
}  // namespace stunt
