#include "stunt/motion/interpret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "person.h"
#include "places.h"
#include "refolded.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/motion/flight.h"
#include "stunt/motion/frame_rate.h"
#include "stunt/motion/load.h"
#include "stunt/motion/readers/bvh.h"
#include "stunt/motion/roles.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;
const std::string kCmu = in_source("../shared/mocap/cmu/");

// The same motion as another program would have written it: other axes, other unit.
Clip rewritten(Clip clip, const Quat& turn, double scale) {
  for (auto& joint : clip.skeleton.joints) joint.offset = turn * joint.offset * scale;
  for (auto& end : clip.skeleton.ends) end.offset = turn * end.offset * scale;
  for (auto& pose : clip.frames) {
    pose.root_position = turn * pose.root_position * scale;
    for (auto& q : pose.rotations) q = turn * q * turn.conjugate();
  }
  return clip;
}

bool mentions(const std::vector<std::string>& sentences, const std::string& word) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& s) { return s.find(word) != std::string::npos; });
}

TEST(Interpret, FindsUnitAndUpWhateverTheFileUses) {
  Clip expected = person();
  interpret(expected, {}, "person");
  EXPECT_EQ(expected.source.unit_m, 1.0);
  EXPECT_EQ(expected.source.up_axis, "y");
  EXPECT_LT((expected.frames[0].root_position - Vec3(0, 0, 0.97)).norm(), 1e-9);
  // It walked along z, its front; ours is x.
  EXPECT_GT(expected.frames.back().root_position.x(), 0.09);

  const Quat y_to_z = axes_to_stunt("y", "z", "");
  const struct {
    const char* up;
    Quat turn;
  } axes[] = {{"y", Quat::Identity()},
              {"z", y_to_z},
              {"x", y_to_z * y_to_z},
              {"-y", axis_angle(Vec3::UnitX(), kPi)},
              {"-z", axis_angle(Vec3::UnitX(), -kPi / 2)}};
  for (const auto& [up, turn] : axes) {
    for (const double unit : {1.0, 0.01, 0.001, 0.0254, 0.0254 / 0.45}) {
      SCOPED_TRACE(std::string(up) + " " + std::to_string(unit));
      Clip clip = rewritten(person(), turn, 1.0 / unit);
      interpret(clip, {}, "person");
      EXPECT_EQ(clip.source.up_axis, up);
      EXPECT_NEAR(clip.source.unit_m, unit, 1e-9);
      EXPECT_TRUE(clip.warnings.empty());
      EXPECT_GE(clip.notes.size(), 2u);
      // Heights and distances come out the same whatever the axes were.
      JointTransforms a, b;
      for (int f = 0; f < clip.frame_count(); f += 7) {
        forward_kinematics(clip.skeleton, clip.frames[f], a);
        forward_kinematics(expected.skeleton, expected.frames[f], b);
        for (int j = 0; j < clip.skeleton.size(); ++j)
          EXPECT_NEAR(a.positions[j].z(), b.positions[j].z(), 1e-9);
      }
    }
  }
}

// As motions that networks make: the spine is turned aside in every frame, and its bones are built the other way.
TEST(Interpret, ATrunkThatNoPersonTurnsLikeThatIsNoRestPose) {
  Clip clip = person();
  std::vector<Quat> turns(clip.skeleton.joints.size(), Quat::Identity());
  turns[clip.skeleton.find("Spine")] = axis_angle(Vec3::UnitY(), 1.5);
  clip = refolded(clip, turns);
  interpret(clip, {}, "turned");
  EXPECT_TRUE(mentions(clip.notes, "turns the trunk further from its rest pose than a person can"));
  const auto shoulder_line = [](const Skeleton& skeleton, const Pose& pose) {
    JointTransforms places;
    forward_kinematics(skeleton, pose, places);
    return Vec3(places.positions[skeleton.find("LeftArm")] - places.positions[skeleton.find("RightArm")]);
  };
  EXPECT_NEAR(shoulder_line(clip.skeleton, standing_pose(clip.skeleton)).y(), 0.38, 0.01);
}

// The motion alone is turned, as by a program that keeps its old skeleton: rest y up, motion z up.
TEST(Interpret, BelievesTheMotionMoreThanTheRestPose) {
  Clip expected = person();
  interpret(expected, {}, "person");
  Clip clip = person();
  const Quat turn = axes_to_stunt("y", "z", "");
  for (Pose& pose : clip.frames) {
    pose.root_position = turn * pose.root_position;
    pose.rotations[0] = turn * pose.rotations[0];
  }
  interpret(clip, {}, "turned");
  EXPECT_EQ(clip.source.up_axis, "z");
  EXPECT_TRUE(mentions(clip.notes, "z is taken as up"));
  EXPECT_TRUE(mentions(clip.notes, "--up"));
  EXPECT_FALSE(clip.skeleton.stance.empty());
  JointTransforms a, b;
  for (int f = 0; f < clip.frame_count(); f += 7) {
    forward_kinematics(clip.skeleton, clip.frames[f], a);
    forward_kinematics(expected.skeleton, expected.frames[f], b);
    for (int j = 0; j < clip.skeleton.size(); ++j) EXPECT_NEAR(a.positions[j].z(), b.positions[j].z(), 1e-9);
  }
}

// Someone who bows deeply on the spot, in a file whose rest pose has y up and whose motion has z up.
TEST(Interpret, BelievesWhoBowsOnTheSpot) {
  Clip clip = person();
  const int spine = clip.skeleton.find("Spine");
  const Quat y_to_z = axis_angle(Vec3::UnitX(), kPi / 2);
  for (int f = 0; f < clip.frame_count(); ++f) {
    Pose& pose = clip.frames[f];
    pose.rotations[spine] = axis_angle(Vec3::UnitX(), 1.4 * std::sin(kPi * f / clip.frame_count()));
    pose.root_position = y_to_z * Vec3(0, 0.97, 0);
    pose.rotations[0] = y_to_z * pose.rotations[0];
  }
  interpret(clip, {}, "bow");
  EXPECT_EQ(clip.source.up_axis, "z");
}

// Bones along x, and hips that move under a root that stays.
TEST(Interpret, FindsTheLocomotionUnderARootThatStays) {
  Clip expected = person(120);
  interpret(expected, {}, "person");
  Clip clip = person(120);
  clip = refolded(clip, bones_along_x(clip.skeleton));
  SlidingJoint hips{1, Vec3::Zero(), {}};
  for (Pose& pose : clip.frames) {
    hips.offsets.push_back(pose.root_position);
    pose.root_position.setZero();
    pose.rotations.insert(pose.rotations.begin(), Quat::Identity());
  }
  for (SkeletonJoint& joint : clip.skeleton.joints) ++joint.parent;
  for (SkeletonEnd& end : clip.skeleton.ends) ++end.joint;
  clip.skeleton.joints.insert(clip.skeleton.joints.begin(),
                              {"joint_Root", -1, Vec3::Zero(), Quat::Identity()});
  clip.sliding.push_back(hips);
  interpret(clip, {}, "hips");
  EXPECT_EQ(clip.source.up_axis, "y");
  EXPECT_EQ(clip.source.unit_m, 1.0);
  EXPECT_TRUE(mentions(clip.notes, "the motion of the whole body"));
  EXPECT_TRUE(clip.warnings.empty());
  EXPECT_TRUE(clip.sliding.empty());
  JointTransforms a, b;
  for (int f = 0; f < clip.frame_count(); f += 7) {
    forward_kinematics(clip.skeleton, clip.frames[f], a);
    forward_kinematics(expected.skeleton, expected.frames[f], b);
    for (int j = 0; j < expected.skeleton.size(); ++j)
      EXPECT_LT((a.positions[j + 1] - b.positions[j]).norm(), 1e-9);
  }
}

TEST(Interpret, AJointThatSlidesALittleGetsItsMedianPlace) {
  Clip clip = person();
  const int forearm = clip.skeleton.find("LeftForeArm");
  SlidingJoint sliding{forearm, clip.skeleton.joints[forearm].offset, {}};
  for (int f = 0; f < clip.frame_count(); ++f) {
    sliding.offsets.push_back(clip.skeleton.joints[forearm].offset + Vec3(0.01 * std::sin(0.3 * f), 0, 0));
  }
  clip.sliding.push_back(sliding);
  interpret(clip, {}, "sliding");
  EXPECT_TRUE(mentions(clip.warnings, "'LeftForeArm' is moved against the joint above"));
  EXPECT_NEAR(clip.skeleton.joints[forearm].offset.norm(), 0.32, 0.003);
}

TEST(Interpret, DropsARestPoseThatIsBlendedIntoTheMotion) {
  for (const int blended : {0, 1, 4, 8}) {
    Clip clip = person(240, 120);
    Pose rest;
    rest.root_position = clip.frames[0].root_position;
    rest.rotations.assign(clip.skeleton.joints.size(), Quat::Identity());
    for (Pose& pose : clip.frames) {  // far from the rest pose
      for (Quat& q : pose.rotations) q = axis_angle(Vec3::UnitX(), 0.5) * q;
      pose.rotations[0].setIdentity();
    }
    for (int i = 0; i < blended; ++i) {
      for (std::size_t j = 0; j < rest.rotations.size(); ++j) {
        Quat& q = clip.frames[i].rotations[j];
        q = rest.rotations[j].slerp((i + 1.0) / (blended + 1.0), q);
      }
    }
    clip.frames.insert(clip.frames.begin(), rest);
    Clip kept = clip;
    interpret(clip, {}, "blended");
    EXPECT_TRUE(clip.rest_frame_dropped);
    EXPECT_EQ(clip.frame_count(), 240 - blended) << blended;
    EXPECT_TRUE(mentions(clip.notes, "--keep-rest-frame"));
    ImportOptions keep;
    keep.drop_rest_frame = false;
    interpret(kept, keep, "kept");
    EXPECT_EQ(kept.frame_count(), 241);
  }
}

TEST(Interpret, RolesAndTimesAsAsked) {
  Clip clip = person(120, 60);
  ImportOptions options;
  options.roles = {{"left_foot", "LeftLeg"}, {"head", "none"}};
  options.start = 0.5;
  options.end = 1.0;
  Clip once = clip;
  interpret(once, options, "asked");
  EXPECT_EQ(once.frame_count(), 31);
  EXPECT_EQ(recognise_roles(once.skeleton)[Role::left_foot], once.skeleton.find("LeftLeg"));
  EXPECT_EQ(recognise_roles(once.skeleton)[Role::head], -1);
  EXPECT_NEAR(once.frames[0].root_position.x(), 0.05, 1e-9);
  options.roles = {{"left_foot", "LeftPaw"}};
  once = clip;
  EXPECT_THROW(interpret(once, options, "asked"), InputError);
  options.roles = {{"left_paw", "LeftFoot"}};
  once = clip;
  EXPECT_THROW(interpret(once, options, "asked"), InputError);
  options.roles.clear();
  options.end = 0.2;
  once = clip;
  EXPECT_THROW(interpret(once, options, "asked"), InputError);
}

// Legs that swing as pendulums under a body that stays, lifted on the way forward.
// Each foot stands for `share` of the time; both are in the air where that is less than half.
Clip on_the_spot(double speed, double share = 0.5, double period = 1.0, double fps = 120) {
  Clip clip = person(static_cast<int>(2 * fps), fps);
  constexpr double kLeg = 0.86;
  const double stride = share * speed * period;  // m, of one foot while it stands
  for (int f = 0; f < clip.frame_count(); ++f) {
    Pose& pose = clip.frames[f];
    for (Quat& q : pose.rotations) q.setIdentity();
    pose.root_position = {0, 0.97, 0};
    for (const int leg : {0, 1}) {
      const double phase = std::fmod(f / fps / period + 0.5 * leg, 1.0);
      const bool stands = phase < share;
      const double swing = (phase - share) / (1 - share);
      const double ahead = stride * (stands ? 0.5 - phase / share : swing - 0.5);
      const double lift = stands ? 0.0 : 0.12 * std::sin(kPi * swing);
      // Two links of one length: the hip turned by the direction and half the bend, the knee by the bend.
      const double down = kLeg - 0.02 - lift, length = std::hypot(ahead, down);
      const double half = std::acos(std::min(1.0, length / kLeg)), turn = std::atan2(ahead, down);
      pose.rotations[1 + 3 * leg] = axis_angle(Vec3::UnitX(), -(turn + half));
      pose.rotations[2 + 3 * leg] = axis_angle(Vec3::UnitX(), 2 * half);
    }
  }
  return clip;
}

TEST(Interpret, GivesACycleOnTheSpotItsSpeed) {
  Clip clip = on_the_spot(1.0);
  Clip kept = clip, walking = clip;
  interpret(clip, {}, "cycle");
  EXPECT_TRUE(mentions(clip.notes, "--in-place"));
  const Vec3 way = clip.frames.back().root_position - clip.frames[0].root_position;
  EXPECT_NEAR(way.x(), 1.0 * clip.duration(), 0.05 * clip.duration());
  EXPECT_NEAR(way.y(), 0, 1e-6);
  ImportOptions options;
  options.in_place = true;
  interpret(kept, options, "cycle");
  EXPECT_LT((kept.frames.back().root_position - kept.frames[0].root_position).norm(), 1e-9);
  // A sprint at 30 frames per second: a foot stands for four of them.
  Clip sprint = on_the_spot(6.0, 0.2, 0.66, 30);
  interpret(sprint, {}, "sprint");
  EXPECT_NEAR((sprint.frames.back().root_position - sprint.frames[0].root_position).x() / sprint.duration(),
              6.0, 0.4);
  // The same feet under hips that go down to the floor belong to a roll.
  Clip roll = on_the_spot(1.0);
  for (int f = 0; f < roll.frame_count(); ++f) {
    const Quat over = axis_angle(Vec3::UnitX(), 2 * kPi * f / roll.frame_count());
    roll.frames[f].rotations[0] = over;
  }
  interpret(roll, {}, "roll");
  EXPECT_FALSE(mentions(roll.notes, "--in-place"));
  // The same walk that goes ahead is left alone.
  for (int f = 0; f < walking.frame_count(); ++f) walking.frames[f].root_position.z() += f / 120.0;
  interpret(walking, {}, "walk");
  EXPECT_NEAR(walking.frames.back().root_position.x(), walking.duration(), 1e-6);
}

TEST(Interpret, RefusesMotionsTooLongToKeep) {
  Clip slow = person();
  slow.fps = 0.1;
  EXPECT_THROW(interpret(slow, {}, "slow"), InputError);
  Clip two = person(2000);
  two.fps = 1.0;
  EXPECT_THROW(interpret(two, {}, "long"), InputError);
  two = person(2000);
  two.fps = 1.0;
  ImportOptions part;
  part.start = 100;
  part.end = 300;
  EXPECT_NO_THROW(interpret(two, part, "part"));
}

TEST(Interpret, ScalesABodyOfNoKnownUnitAndSaysSo) {
  Clip clip = rewritten(person(), Quat::Identity(), 10.0);
  interpret(clip, {}, "person");
  EXPECT_NEAR(clip.source.unit_m, 0.1, 0.003);
  EXPECT_TRUE(mentions(clip.warnings, "scaled to 1.75 m"));
}

TEST(Interpret, ThePersonsWordGoesFirst) {
  Clip clip = person();
  ImportOptions options;
  options.unit_m = 2.0;
  options.up_axis = "y";
  options.fps = 30.0;
  options.drop_rest_frame = true;
  interpret(clip, options, "person");
  EXPECT_EQ(clip.source.unit_m, 2.0);
  EXPECT_EQ(clip.fps, 30.0);
  EXPECT_EQ(clip.frame_count(), 59);
  EXPECT_TRUE(clip.rest_frame_dropped);
  EXPECT_NEAR(clip.frames[0].root_position.z(), 1.94, 1e-9);
  options.up_axis = "up";
  clip = person();
  EXPECT_THROW(interpret(clip, options, "person"), InputError);
}

TEST(Interpret, AxesAreNamedByLettersWithASign) {
  EXPECT_EQ(axis_vector("Y", "--up"), Vec3(0, 1, 0));
  EXPECT_EQ(axis_vector("+z", "--up"), Vec3(0, 0, 1));
  EXPECT_EQ(axis_vector("-X", "--up"), Vec3(-1, 0, 0));
  for (const char* wrong : {"", "-", "q", "xy", "8", "--x"})
    EXPECT_THROW(axis_vector(wrong, "--up"), InputError) << wrong;
}

TEST(Interpret, SomeoneLyingIsNotTakenForUpright) {
  Clip clip = person();
  for (auto& pose : clip.frames) {
    pose.rotations[0] = axis_angle(Vec3::UnitX(), kPi / 2);  // on his face
    pose.root_position = {0, 0.1, 0};
  }
  interpret(clip, {}, "lying");
  EXPECT_EQ(clip.source.up_axis, "y");
  EXPECT_NEAR(clip.frames[0].root_position.z(), 0.1, 1e-9);
}

TEST(Interpret, DropsARestFrameButNotAMotionThatStartsAtRest) {
  Clip clip = person();
  Pose rest;
  rest.root_position = clip.frames[0].root_position;
  rest.rotations.assign(clip.skeleton.joints.size(), Quat::Identity());
  clip.frames.insert(clip.frames.begin(), rest);
  Clip smooth = clip;
  interpret(clip, {}, "rest");
  EXPECT_TRUE(clip.rest_frame_dropped);
  EXPECT_EQ(clip.frame_count(), 60);
  for (int f = 0; f <= 30; ++f) {  // eases out of the rest pose
    for (auto& q : smooth.frames[f].rotations) q = Quat::Identity().slerp(f / 30.0, q);
  }
  interpret(smooth, {}, "smooth");
  EXPECT_FALSE(smooth.rest_frame_dropped);
}

// A landing is fastest at its start, but gathers speed: nothing is cut off.
TEST(Interpret, AQuickStartIsNoRestPose) {
  Clip clip = person(40, 30);
  const double degrees_per_frame[] = {4.8, 8.3, 8.0, 6.4, 5.3, 3.1};
  double angle = 0.1;
  for (int f = 0; f < clip.frame_count(); ++f) {
    for (std::size_t j = 1; j < clip.frames[f].rotations.size(); ++j)
      clip.frames[f].rotations[j] = axis_angle(Vec3::UnitX(), angle);
    angle += radians(f < 6 ? degrees_per_frame[f] : f < 12 ? 2.4 : 1.0);
  }
  interpret(clip, {}, "landing");
  EXPECT_FALSE(clip.rest_frame_dropped);
  EXPECT_EQ(clip.frame_count(), 40);
}

TEST(Interpret, SaysWhyAClipCannotBeUsed) {
  const auto message = [](Clip clip) -> std::string {
    try {
      interpret(clip, {}, "clip");
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_NE(message(person(1)).find("at least 2 frames"), std::string::npos);
  Clip zero = person();
  for (auto& pose : zero.frames) {
    pose.root_position.setZero();
    for (auto& q : pose.rotations) q.setIdentity();
  }
  EXPECT_NE(message(zero).find("only frames of zeros"), std::string::npos);
  Clip fast = person();
  fast.fps = 5000;
  EXPECT_NE(message(fast).find("frame rate from 1 to 1000"), std::string::npos);
  Clip worm;
  worm.skeleton.joints = {{"a", -1, Vec3::Zero(), Quat::Identity()},
                          {"b", 0, Vec3::UnitY(), Quat::Identity()}};
  worm.frames.resize(5, {Vec3::UnitX(), {Quat::Identity(), Quat::Identity()}});
  EXPECT_NE(message(worm).find("no legs"), std::string::npos);
  Clip jumpy = person();
  for (int f = 0; f < 60; f += 2) jumpy.frames[f].rotations[2] = axis_angle(Vec3::UnitX(), 3.1);
  EXPECT_NE(message(jumpy).find("LeftLeg"), std::string::npos);
}

TEST(Interpret, WarnsOfOneFlipAndCutsZeroFramesAtTheEnd) {
  Clip clip = person();
  clip.frames[30].rotations[2] = axis_angle(Vec3::UnitX(), 3.1);
  Pose zero;
  zero.rotations.assign(clip.skeleton.joints.size(), Quat::Identity());
  clip.frames.push_back(zero);
  interpret(clip, {}, "clip");
  EXPECT_EQ(clip.frame_count(), 60);
  EXPECT_TRUE(mentions(clip.warnings, "'LeftLeg' flips by half a turn within one frame at 0.50 s"));
  EXPECT_TRUE(mentions(clip.warnings, "last 1 frames are all zero"));
}

// Thrown up at 2.5 m/s the body is in the air for half a second.
TEST(Flight, FindsGravityOfAJumpAndTheWrongFrameRate) {
  const auto jump = [](double fps, double labelled) {
    Clip clip = person(static_cast<int>(2 * fps), labelled);
    for (int f = 0; f < clip.frame_count(); ++f) {
      const double t = f / fps - 0.7;
      for (auto& q : clip.frames[f].rotations) q.setIdentity();
      clip.frames[f].rotations[1] = clip.frames[f].rotations[4] = axis_angle(Vec3::UnitX(), 0.2);
      clip.frames[f].root_position = {0, 0.97 + std::max(0.0, 2.5 * t - 0.5 * 9.81 * t * t), 0};
      if (t < 0) clip.frames[f].root_position.y() = 0.97;
    }
    return clip;
  };
  Clip good = jump(120, 120);
  interpret(good, {}, "good");
  EXPECT_TRUE(good.warnings.empty());
  EXPECT_NEAR(flight_acceleration(good, recognise_roles(good.skeleton)).value_or(0), 9.81, 0.01);
  Clip fast = jump(60, 120);
  interpret(fast, {}, "fast");
  EXPECT_TRUE(mentions(fast.notes, "60 frames a second, not 120"));
  EXPECT_TRUE(fast.warnings.empty());
  EXPECT_EQ(fast.fps, 60);
  // Asked for, it is believed and told; nobody captures 15 frames a second, so such a jump is a game's.
  Clip asked = jump(60, 120);
  ImportOptions as_it_says;
  as_it_says.fps = 120;
  interpret(asked, as_it_says, "asked");
  EXPECT_EQ(asked.fps, 120);
  EXPECT_TRUE(mentions(asked.warnings, "probably 60, not 120"));
  Clip slow = jump(15, 30);
  interpret(slow, {}, "slow");
  EXPECT_EQ(slow.fps, 30);
}

// Flights of a run last a tenth of a second; played twice as fast they are too short to be told by the feet.
TEST(Interpret, FindsRunsAtDoubleSpeed) {
  const auto run = [](double labelled) {
    Clip clip = person(144, labelled);
    for (int f = 0; f < clip.frame_count(); ++f) {
      const double t = std::fmod(f / 120.0, 0.3);  // three steps a second and more: 0.15 s in the air of 0.3
      for (auto& q : clip.frames[f].rotations) q.setIdentity();
      clip.frames[f].rotations[1] = clip.frames[f].rotations[4] = axis_angle(Vec3::UnitX(), 0.2);
      const double s = t < 0.15 ? t : t - 0.15, g = t < 0.15 ? -9.81 : 9.81,
                   v = t < 0.15 ? 0.73575 : -0.73575;
      clip.frames[f].root_position = {0, 0.97 + v * s + 0.5 * g * s * s, 3 * f / 120.0};
    }
    return clip;
  };
  for (const double labelled : {60.0, 120.0, 240.0}) {
    Clip clip = run(labelled);
    interpret(clip, {}, "run");
    EXPECT_EQ(clip.fps, std::min(labelled, 120.0)) << labelled;
    EXPECT_EQ(mentions(clip.notes, "frames a second, not"), labelled > 120) << labelled;
  }
}

TEST(FrameRate, IsWhatPeopleMean) {
  std::vector<std::string> notes;
  const auto rate = [&](const char* text) {
    return frame_rate_from_printed_time(std::stod(text), text, notes);
  };
  EXPECT_EQ(rate("0.0083333"), 120.0);
  EXPECT_EQ(rate("0.008333"), 120.0);
  EXPECT_EQ(rate("0.0333333"), 30.0);
  EXPECT_EQ(rate("0.0333"), 30.0);
  EXPECT_EQ(rate("0.033"), 30.0);
  EXPECT_NEAR(rate("0.0333667"), 30.0 / 1.001, 1e-9);
  EXPECT_EQ(rate("0.04"), 25.0);
  EXPECT_EQ(rate("0.008"), 125.0);
  EXPECT_EQ(rate("0.016667"), 60.0);
  EXPECT_EQ(rate("0.0166"), 60.0);
  EXPECT_NEAR(rate("1.2345e-2"), 1 / 0.012345, 1e-9);
}

// What is known about the CMU clips, on all of them.
TEST(Interpret, KnowsTheCmuClips) {
  if (!fs::exists(kCmu)) GTEST_SKIP() << "the CMU clips are not there";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kCmu)) {
    if (entry.path().extension() != ".bvh") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++count;
    const Clip clip = load_clip(entry.path().string());
    EXPECT_EQ(clip.name, entry.path().stem().string());
    EXPECT_NEAR(clip.source.unit_m, 0.056444, 0.02 * 0.056444);
    EXPECT_EQ(clip.source.up_axis, "y");
    EXPECT_TRUE(clip.rest_frame_dropped);
    EXPECT_TRUE(clip.warnings.empty()) << clip.warnings[0];
    const Roles roles = recognise_roles(clip.skeleton);
    const auto is = [&](Role role, const char* name) {
      ASSERT_GE(roles[role], 0);
      EXPECT_EQ(clip.skeleton.joints[roles[role]].name, name);
    };
    is(Role::left_foot, "LeftFoot");
    is(Role::right_foot, "RightFoot");
    is(Role::left_hand, "LeftHand");
    is(Role::right_hand, "RightHand");
    // Writing goes back to the file's unit and axes: the first motion frame is the file's second.
    if (count > 5) continue;
    const Clip raw = read_bvh(read_file(entry.path()), "raw");
    const Clip again = read_bvh(write_bvh(clip), "again");
    ASSERT_EQ(again.frame_count() + 1, raw.frame_count());
    EXPECT_EQ(again.source.channels, raw.source.channels);
    for (int f = 0; f < again.frame_count(); f += 50) {
      EXPECT_LT((again.frames[f].root_position - raw.frames[f + 1].root_position).norm(), 1e-4);
      for (int j = 0; j < raw.skeleton.size(); ++j) {
        EXPECT_LT(degrees(angle_between(again.frames[f].rotations[j], raw.frames[f + 1].rotations[j])), 1e-4);
      }
    }
  }
  EXPECT_EQ(count, 40);
}

// The flights measured for the clips' own description: 9.5, 10.5, 10.3 and 9.5 m/s^2 by another mass model.
TEST(Flight, AgreesWithMeasuredJumps) {
  if (!fs::exists(kCmu)) GTEST_SKIP() << "the CMU clips are not there";
  for (const auto& [name, expected] : {std::pair{"jumpfwd_13_11", 9.5},
                                       {"broadjump_118_29", 10.5},
                                       {"jump_16_02", 10.3},
                                       {"hop_132_27", 9.5}}) {
    const Clip clip = load_clip(kCmu + name + ".bvh");
    EXPECT_NEAR(flight_acceleration(clip, recognise_roles(clip.skeleton)).value_or(0), expected, 0.5) << name;
    if (name == std::string("hop_132_27")) continue;  // its flights are too short when played twice as fast
    ImportOptions twice;
    twice.fps = 240.0;
    EXPECT_TRUE(mentions(load_clip(kCmu + name + ".bvh", twice).warnings, "probably 120, not 240")) << name;
  }
}

}  // namespace
}  // namespace stunt
