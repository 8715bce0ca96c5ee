#include <gtest/gtest.h>

#include "person.h"
#include "stunt/core/error.h"
#include "stunt/motion/axes.h"
#include "stunt/motion/interpret.h"

namespace stunt {
namespace {

// The trunk of a person laid down, of this length, and the arms made front legs.
Clip dog_of_length(double length) {
  Clip dog = person();
  for (SkeletonJoint& joint : dog.skeleton.joints) {
    if (joint.name == "Spine") joint.offset = {0, 0, length};
    if (joint.name == "Head") joint.offset = {0, 0.05, 0.2};
    if (joint.name.find("Arm") != std::string::npos || joint.name.find("Hand") != std::string::npos) {
      joint.offset = Vec3(0.05 * (joint.offset.x() > 0 ? 1 : -1), -joint.offset.norm(), 0);
    }
  }
  return dog;
}

std::string refusal(Clip clip) {
  try {
    interpret(clip, {}, "file");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NotHuman, AnAnimalIsRefusedUnlessForced) {
  // The long one's head is further ahead of its hind feet than above them.
  for (const double length : {0.5, 1.2}) {
    EXPECT_NE(refusal(dog_of_length(length)).find("it walks on four legs (--force"), std::string::npos)
        << length;
    Clip forced = dog_of_length(length);
    ImportOptions options;
    options.force = true;
    EXPECT_NO_THROW(interpret(forced, options, "dog"));
  }
}

TEST(NotHuman, SomeoneWhoCrawlsIsNoAnimal) {
  Clip clip = person();
  for (Pose& pose : clip.frames) {
    pose.rotations[0] = axis_angle(Vec3::UnitX(), 1.5);  // face down
    for (int j = 0; j < clip.skeleton.size(); ++j) {
      const std::string& name = clip.skeleton.joints[j].name;
      if (name.ends_with("UpLeg")) pose.rotations[j] = axis_angle(Vec3::UnitX(), -1.5);
    }
  }
  EXPECT_EQ(refusal(clip), "");
}

// Two fingers may pass for legs.
TEST(NotHuman, AHandIsRefused) {
  Clip hand;
  hand.skeleton.joints.push_back({"Wrist", -1, Vec3::Zero(), Quat::Identity()});
  for (int finger = 0; finger < 5; ++finger) {
    int parent = 0;
    for (int bone = 0; bone < 3; ++bone) {
      hand.skeleton.joints.push_back({"Finger" + std::to_string(3 * finger + bone), parent,
                                      Vec3(0.01 * (finger - 2), 0.03, 0), Quat::Identity()});
      parent = hand.skeleton.size() - 1;
    }
  }
  for (int f = 0; f < 60; ++f) {
    Pose pose;
    for (int j = 0; j < hand.skeleton.size(); ++j)
      pose.rotations.push_back(axis_angle(Vec3::UnitX(), 0.1 * std::sin(0.2 * f + j)));
    hand.frames.push_back(pose);
  }
  EXPECT_NE(refusal(hand).find("this is not a human body"), std::string::npos);
}

}  // namespace
}  // namespace stunt
