#include "stunt/motion/roles.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "places.h"
#include "stunt/motion/clip.h"

namespace stunt {
namespace {

// One line per joint: name, parent's name ("-" for the root), offset in m (x forward, y left, z up).
Skeleton skeleton(const std::string& text) {
  Skeleton out;
  std::istringstream lines(text);
  std::string joint, parent;
  double x, y, z;
  while (lines >> joint >> parent >> x >> y >> z) {
    SkeletonJoint j;
    j.name = joint;
    j.parent = out.find(parent);
    j.offset = {x, y, z};
    out.joints.push_back(j);
  }
  return out;
}

std::string found(const Skeleton& s, Role role) {
  const int joint = recognise_roles(s)[role];
  return joint < 0 ? "" : s.joints[joint].name;
}

// A body in the words of one dialect: thigh shank foot toes, clavicle upper_arm forearm hand for left and
// right.
struct Dialect {
  std::string pelvis;
  std::vector<std::string> spine;  // the last is the chest
  std::vector<std::string> head;   // from the neck up
  std::vector<std::string> leg_l, leg_r, arm_l, arm_r;
};

Skeleton build(const Dialect& d) {
  std::ostringstream text;
  text << d.pelvis << " - 0 0 0\n";
  const auto limb = [&](const std::vector<std::string>& names, std::string parent,
                        const std::vector<Vec3>& offsets) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty()) continue;
      text << names[i] << " " << parent << " " << offsets[i].transpose() << "\n";
      parent = names[i];
    }
  };
  const std::vector<Vec3> leg = {{0, 0.1, -0.05}, {0, 0, -0.42}, {0, 0, -0.42}, {0.14, 0, -0.05}};
  const std::vector<Vec3> arm = {{0, 0.03, 0.15}, {0, 0.15, 0}, {0, 0.3, 0}, {0, 0.25, 0}};
  std::vector<Vec3> leg_r = leg, arm_r = arm;
  for (Vec3& v : leg_r) v.y() = -v.y();
  for (Vec3& v : arm_r) v.y() = -v.y();
  limb(d.leg_r, d.pelvis, leg_r);  // right first: the order must not matter
  limb(d.leg_l, d.pelvis, leg);
  limb(d.spine, d.pelvis, std::vector<Vec3>(d.spine.size(), Vec3(0, 0, 0.12)));
  limb(d.head, d.spine.back(), std::vector<Vec3>(d.head.size(), Vec3(0, 0, 0.1)));
  limb(d.arm_l, d.spine.back(), arm);
  limb(d.arm_r, d.spine.back(), arm_r);
  return skeleton(text.str());
}

void expect_roles(const Dialect& d, const std::string& neck, const std::string& head) {
  const Skeleton s = build(d);
  SCOPED_TRACE(d.pelvis + ", " + d.leg_l[0]);
  EXPECT_EQ(found(s, Role::pelvis), d.pelvis);
  EXPECT_EQ(found(s, Role::chest), d.spine.back());
  EXPECT_EQ(found(s, Role::spine), d.spine.size() > 1 ? d.spine.front() : "");
  EXPECT_EQ(found(s, Role::neck), neck);
  EXPECT_EQ(found(s, Role::head), head);
  const Role legs[2] = {Role::left_thigh, Role::right_thigh},
             arms[2] = {Role::left_clavicle, Role::right_clavicle};
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(found(s, static_cast<Role>(static_cast<int>(legs[side]) + i)),
                (side == 0 ? d.leg_l : d.leg_r)[i]);
      EXPECT_EQ(found(s, static_cast<Role>(static_cast<int>(arms[side]) + i)),
                (side == 0 ? d.arm_l : d.arm_r)[i]);
    }
  }
}

TEST(Roles, NamesGoBothWays) {
  for (int i = 0; i < kRoleCount; ++i) {
    EXPECT_EQ(role_from_name(name(static_cast<Role>(i))), static_cast<Role>(i));
  }
  EXPECT_EQ(name(Role::left_foot), "left_foot");
  EXPECT_FALSE(role_from_name("left_tentacle"));
}

// A rest pose with both arms along one axis says nothing about left and right: the names do.
TEST(Roles, LeftIsWhatTheNamesCallSo) {
  const char* const body =
      "back1_jnt - 0 0 0  back2_jnt back1_jnt 0 0 0.2  back3_jnt back2_jnt 0 0 0.2  head_jnt back3_jnt 0 0 "
      "0.2 "
      "head_end_jnt head_jnt 0.18 0 0 "
      "R_shoulder_jnt back3_jnt 0 -0.05 0.1  R_upArm_jnt R_shoulder_jnt 0 0.13 0  R_lowArm_jnt R_upArm_jnt 0 "
      "0.28 0 "
      "R_hand_jnt R_lowArm_jnt 0 0.25 0 "
      "L_shoulder_jnt back3_jnt 0 0.05 0.1  L_upArm_jnt L_shoulder_jnt 0 -0.13 0  L_lowArm_jnt L_upArm_jnt 0 "
      "-0.28 0 "
      "L_hand_jnt L_lowArm_jnt 0 -0.25 0 "
      "L_upLeg_jnt back1_jnt 0 0.1 0  L_lowLeg_jnt L_upLeg_jnt 0 0 -0.42  L_foot_jnt L_lowLeg_jnt 0 0 -0.42 "
      "R_upLeg_jnt back1_jnt 0 -0.1 0  R_lowLeg_jnt R_upLeg_jnt 0 0 -0.42  R_foot_jnt R_lowLeg_jnt 0 0 "
      "-0.42 ";
  const Skeleton s = skeleton(body);
  EXPECT_EQ(found(s, Role::left_hand), "L_hand_jnt");
  EXPECT_EQ(found(s, Role::right_upper_arm), "R_upArm_jnt");
  EXPECT_EQ(found(s, Role::left_foot), "L_foot_jnt");
  EXPECT_EQ(found(s, Role::head), "head_jnt");
  // The same with words that say nothing but the side.
  std::string strange = body;
  for (const auto& [word, other] : {std::pair{"shoulder", "a"},
                                    {"upArm", "b"},
                                    {"lowArm", "d"},
                                    {"hand", "e"},
                                    {"upLeg", "f"},
                                    {"lowLeg", "g"},
                                    {"foot", "h"},
                                    {"head", "i"}}) {
    for (std::size_t at; (at = strange.find(word)) != std::string::npos;)
      strange.replace(at, std::string(word).size(), other);
  }
  const Skeleton t = skeleton(strange);
  EXPECT_EQ(found(t, Role::left_hand), "L_e_jnt");
  EXPECT_EQ(found(t, Role::left_foot), "L_h_jnt");
  EXPECT_EQ(found(t, Role::head), "i_jnt");
}

TEST(Roles, AJointCloseUnderTheAnkleIsNotTheToes) {
  const char* const legs =
      "hips - 0 0 0  LeftUpLeg hips 0 0.1 0  LeftLeg LeftUpLeg 0 0 -0.42  LeftFoot LeftLeg 0 0 -0.42 "
      "LeftForeFoot LeftFoot 0 0 -0.04  RightUpLeg hips 0 -0.1 0  RightLeg RightUpLeg 0 0 -0.42 "
      "RightFoot RightLeg 0 0 -0.42  RightForeFoot RightFoot 0.13 0 -0.04 ";
  Skeleton s = skeleton(legs);
  s.ends = {{s.find("LeftForeFoot"), {0.22, 0, 0}}, {s.find("RightForeFoot"), {0.07, 0, 0}}};
  EXPECT_EQ(found(s, Role::left_toes), "");
  EXPECT_EQ(found(s, Role::right_toes), "RightForeFoot");
}

// As game rigs have it: a joint of the body that carries legs, spine and arms side by side.
TEST(Roles, WhatCarriesHipsAndTrunkIsThePelvis) {
  const Skeleton s = skeleton(
      "body - 0 0 1  pelvis body 0 0 -0.05  thigh_l pelvis 0 0.1 0  shin_l thigh_l 0 0 -0.42  foot_l shin_l "
      "0 0 -0.42 "
      "thigh_r pelvis 0 -0.1 0  shin_r thigh_r 0 0 -0.42  foot_r shin_r 0 0 -0.42 "
      "spine body 0 0 0.2  neck spine 0 0 0.3  skull neck 0 0 0.1 "
      "torso body 0 0 0.4  upper_arm_l torso 0 0.2 0  lower_arm_l upper_arm_l 0 0.3 0  palm_l lower_arm_l 0 "
      "0.3 0 "
      "upper_arm_r torso 0 -0.2 0  lower_arm_r upper_arm_r 0 -0.3 0  palm_r lower_arm_r 0 -0.3 0");
  EXPECT_EQ(found(s, Role::pelvis), "body");
  EXPECT_EQ(found(s, Role::left_thigh), "thigh_l");
  EXPECT_EQ(found(s, Role::chest), "torso");
  EXPECT_EQ(found(s, Role::neck), "neck");
  EXPECT_EQ(found(s, Role::head), "skull");
}

TEST(Roles, AHeadIsNotAnEyebrow) {
  const Skeleton s = skeleton(
      "a - 0 0 0  b a 0 0.1 0  c b 0 0 -0.42  d c 0 0 -0.42  d2 d 0.1 0 0  e a 0 -0.1 0  f e 0 0 -0.42 "
      "g f 0 0 -0.42  g2 g 0.1 0 0  chest a 0 0 0.3  h chest 0 0.2 0.1  i h 0 0.3 0  j i 0 0.3 0 "
      "k chest 0 -0.2 0.1  l k 0 -0.3 0  m1 l 0 -0.3 0  n chest 0 0 0.2  o n 0 0 0.1  brow1 o 0.1 0.03 0.1 "
      "brow2 o 0.1 -0.03 0.1 brow3 brow1 0.01 0 0.03");
  EXPECT_EQ(found(s, Role::neck), "n");
  EXPECT_EQ(found(s, Role::head), "o");
}

TEST(Roles, KnowsTheDialectsOfMotionFiles) {
  // Mixamo, also as Perception Neuron and MotionBuilder write it, with and without prefix
  for (const std::string p : {"mixamorig:", "", "Robot_", "character1_"}) {
    expect_roles({p + "Hips",
                  {p + "Spine", p + "Spine1", p + "Spine2"},
                  {p + "Neck", p + "Head", p + "HeadTop_End"},
                  {p + "LeftUpLeg", p + "LeftLeg", p + "LeftFoot", p + "LeftToeBase"},
                  {p + "RightUpLeg", p + "RightLeg", p + "RightFoot", p + "RightToeBase"},
                  {p + "LeftShoulder", p + "LeftArm", p + "LeftForeArm", p + "LeftHand"},
                  {p + "RightShoulder", p + "RightArm", p + "RightForeArm", p + "RightHand"}},
                 p + "Neck", p + "Head");
  }
  // Xsens BVH: hips, knees, ankles, collars
  expect_roles({"Hips",
                {"Chest", "Chest2", "Chest3", "Chest4"},
                {"Neck", "Head"},
                {"LeftHip", "LeftKnee", "LeftAnkle", "LeftToe"},
                {"RightHip", "RightKnee", "RightAnkle", "RightToe"},
                {"LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist"},
                {"RightCollar", "RightShoulder", "RightElbow", "RightWrist"}},
               "Neck", "Head");
  // Xsens MVN
  expect_roles({"Pelvis",
                {"L5", "L3", "T12", "T8"},
                {"Neck", "Head"},
                {"LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToe"},
                {"RightUpperLeg", "RightLowerLeg", "RightFoot", "RightToe"},
                {"LeftShoulder", "LeftUpperArm", "LeftForeArm", "LeftHand"},
                {"RightShoulder", "RightUpperArm", "RightForeArm", "RightHand"}},
               "Neck", "Head");
  // Rokoko
  expect_roles({"Hips",
                {"Spine1", "Spine2", "Spine3", "Spine4"},
                {"Neck", "Head"},
                {"LeftThigh", "LeftShin", "LeftFoot", "LeftToe"},
                {"RightThigh", "RightShin", "RightFoot", "RightToe"},
                {"LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"},
                {"RightShoulder", "RightArm", "RightForeArm", "RightHand"}},
               "Neck", "Head");
  // ASF
  expect_roles({"root",
                {"lowerback", "upperback", "thorax"},
                {"lowerneck", "upperneck", "head"},
                {"lfemur", "ltibia", "lfoot", "ltoes"},
                {"rfemur", "rtibia", "rfoot", "rtoes"},
                {"lclavicle", "lhumerus", "lradius", "lwrist"},
                {"rclavicle", "rhumerus", "rradius", "rwrist"}},
               "lowerneck", "head");
  // SMPL, as its own files and as its converters write it: "foot" is the ball of the foot
  expect_roles({"m_avg_Pelvis",
                {"m_avg_Spine1", "m_avg_Spine2", "m_avg_Spine3"},
                {"m_avg_Neck", "m_avg_Head"},
                {"m_avg_L_Hip", "m_avg_L_Knee", "m_avg_L_Ankle", "m_avg_L_Foot"},
                {"m_avg_R_Hip", "m_avg_R_Knee", "m_avg_R_Ankle", "m_avg_R_Foot"},
                {"m_avg_L_Collar", "m_avg_L_Shoulder", "m_avg_L_Elbow", "m_avg_L_Wrist"},
                {"m_avg_R_Collar", "m_avg_R_Shoulder", "m_avg_R_Elbow", "m_avg_R_Wrist"}},
               "m_avg_Neck", "m_avg_Head");
  expect_roles({"pelvis",
                {"spine1", "spine2", "spine3"},
                {"neck", "head"},
                {"left_hip", "left_knee", "left_ankle", "left_foot"},
                {"right_hip", "right_knee", "right_ankle", "right_foot"},
                {"left_collar", "left_shoulder", "left_elbow", "left_wrist"},
                {"right_collar", "right_shoulder", "right_elbow", "right_wrist"}},
               "neck", "head");
  // DeepMimic: no toes, no hands, no clavicles
  expect_roles({"root",
                {"chest"},
                {"neck"},
                {"left_hip", "left_knee", "left_ankle", ""},
                {"right_hip", "right_knee", "right_ankle", ""},
                {"", "left_shoulder", "left_elbow", ""},
                {"", "right_shoulder", "right_elbow", ""}},
               "neck", "");
  // 3ds Max Biped, Unreal
  expect_roles({"Bip01",
                {"Bip01_Spine", "Bip01_Spine1"},
                {"Bip01_Neck", "Bip01_Head", "Bip01_HeadNub"},
                {"Bip01_L_Thigh", "Bip01_L_Calf", "Bip01_L_Foot", "Bip01_L_Toe0"},
                {"Bip01_R_Thigh", "Bip01_R_Calf", "Bip01_R_Foot", "Bip01_R_Toe0"},
                {"Bip01_L_Clavicle", "Bip01_L_UpperArm", "Bip01_L_Forearm", "Bip01_L_Hand"},
                {"Bip01_R_Clavicle", "Bip01_R_UpperArm", "Bip01_R_Forearm", "Bip01_R_Hand"}},
               "Bip01_Neck", "Bip01_Head");
  expect_roles({"pelvis",
                {"spine_01", "spine_02", "spine_03"},
                {"neck_01", "head"},
                {"thigh_l", "calf_l", "foot_l", "ball_l"},
                {"thigh_r", "calf_r", "foot_r", "ball_r"},
                {"clavicle_l", "upperarm_l", "lowerarm_l", "hand_l"},
                {"clavicle_r", "upperarm_r", "lowerarm_r", "hand_r"}},
               "neck_01", "head");
}

TEST(Roles, KnowsSimulatedHumanoidsWithTheTorsoAsRoot) {
  const Skeleton s = skeleton(
      "torso - 0 0 0  head torso 0 0 0.19  waist_lower torso 0 0 -0.26  pelvis waist_lower 0 0 -0.165 "
      "thigh_right pelvis 0 -0.1 -0.04  shin_right thigh_right 0 0.01 -0.4  foot_right shin_right 0 0 -0.39 "
      "thigh_left pelvis 0 0.1 -0.04  shin_left thigh_left 0 -0.01 -0.4  foot_left shin_left 0 0 -0.39 "
      "upper_arm_right torso 0 -0.17 0.06  lower_arm_right upper_arm_right 0.18 -0.18 -0.18 "
      "hand_right lower_arm_right 0.18 0.18 0.18 "
      "upper_arm_left torso 0 0.17 0.06  lower_arm_left upper_arm_left 0.18 0.18 -0.18 "
      "hand_left lower_arm_left 0.18 -0.18 0.18");
  EXPECT_EQ(found(s, Role::pelvis), "pelvis");
  EXPECT_EQ(found(s, Role::chest), "torso");
  EXPECT_EQ(found(s, Role::head), "head");
  EXPECT_EQ(found(s, Role::left_foot), "foot_left");
  EXPECT_EQ(found(s, Role::right_forearm), "lower_arm_right");
  EXPECT_EQ(found(s, Role::left_clavicle), "");
}

// The same body with meaningless names must get the same joints, whichever way it faces in its rest pose.
TEST(Roles, FindsLimbsByShapeWhereNamesSayNothing) {
  const Dialect d = {"j0",
                     {"j1", "j2", "j3"},
                     {"j4", "j5"},
                     {"a1", "a2", "a3", "a4"},
                     {"b1", "b2", "b3", "b4"},
                     {"c1", "c2", "c3", "c4"},
                     {"d1", "d2", "d3", "d4"}};
  expect_roles(d, "j4", "j5");
  Skeleton turned = build(d);
  for (SkeletonJoint& joint : turned.joints) joint.offset = yaw_rotation(2.5) * joint.offset;
  EXPECT_EQ(found(turned, Role::left_foot), "a3");
  EXPECT_EQ(found(turned, Role::right_toes), "b4");
  EXPECT_EQ(found(turned, Role::left_hand), "c4");
}

TEST(Roles, FindsNothingInASnake) {
  const Skeleton s = skeleton("s0 - 0 0 0  s1 s0 0.3 0 0  s2 s1 0.3 0 0  s3 s2 0.3 0 0");
  const Roles roles = recognise_roles(s);
  for (int i = 0; i < kRoleCount; ++i) EXPECT_EQ(roles[static_cast<Role>(i)], -1);
  EXPECT_EQ(recognise_roles(Skeleton{})[Role::pelvis], -1);
}

// The hierarchy of a BVH header, read here in the simplest way: axes turned from Y up, Z forward.
Skeleton bvh_header(const std::filesystem::path& path) {
  Skeleton out;
  std::ifstream file(path);
  std::vector<int> stack;
  std::string word;
  bool at_end = false;
  while (file >> word && word != "MOTION") {
    if (word == "ROOT" || word == "JOINT") {
      SkeletonJoint joint;
      file >> joint.name;
      joint.parent = stack.empty() ? -1 : stack.back();
      out.joints.push_back(joint);
      at_end = false;
    } else if (word == "End") {
      at_end = true;
    } else if (word == "{") {
      stack.push_back(out.size() - 1);
    } else if (word == "}") {
      stack.pop_back();
      at_end = false;
    } else if (word == "OFFSET") {
      double x, y, z;
      file >> x >> y >> z;
      const Vec3 offset = Vec3(z, x, y) * 0.0254 / 0.45;
      if (at_end)
        out.ends.push_back({out.size() - 1, offset});
      else
        out.joints.back().offset = offset;
    }
  }
  return out;
}

TEST(Roles, RecognisesEveryCapturedSubjectByNameAndByShape) {
  const std::filesystem::path folder = std::filesystem::path(in_source("../shared/mocap/cmu"));
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no clips in " << folder;
  const std::map<Role, std::string> expected = {{Role::pelvis, "Hips"},
                                                {Role::spine, "LowerBack"},
                                                {Role::chest, "Spine1"},
                                                {Role::neck, "Neck"},
                                                {Role::head, "Head"},
                                                {Role::left_clavicle, "LeftShoulder"},
                                                {Role::left_upper_arm, "LeftArm"},
                                                {Role::left_forearm, "LeftForeArm"},
                                                {Role::left_hand, "LeftHand"},
                                                {Role::left_thigh, "LeftUpLeg"},
                                                {Role::left_shank, "LeftLeg"},
                                                {Role::left_foot, "LeftFoot"},
                                                {Role::left_toes, "LeftToeBase"},
                                                {Role::right_upper_arm, "RightArm"},
                                                {Role::right_hand, "RightHand"},
                                                {Role::right_thigh, "RightUpLeg"},
                                                {Role::right_foot, "RightFoot"},
                                                {Role::right_toes, "RightToeBase"}};
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bvh") continue;
    const Skeleton named = bvh_header(entry.path());
    Skeleton scrambled = named;
    for (int i = 0; i < scrambled.size(); ++i)
      scrambled.joints[i].name = std::string(1, static_cast<char>('A' + i));
    const Roles by_name = recognise_roles(named), by_shape = recognise_roles(scrambled);
    for (const auto& [role, joint] : expected) {
      ASSERT_GE(by_name[role], 0) << entry.path() << " " << name(role);
      EXPECT_EQ(named.joints[by_name[role]].name, joint) << entry.path() << " " << name(role);
      EXPECT_EQ(by_shape[role], by_name[role]) << entry.path() << " " << name(role);
    }
    ++count;
  }
  EXPECT_EQ(count, 40);
}

}  // namespace
}  // namespace stunt
