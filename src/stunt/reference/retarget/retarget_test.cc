#include "stunt/reference/retarget/retarget.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "places.h"
#include "stunt/core/error.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/retarget/anatomy.h"

namespace stunt {
namespace {

std::shared_ptr<const SampledReference> cleaned_up(const std::string& motion) {
  const Clip clip = load_clip(motion);
  return clean_up(fit_actor(clip), clip).reference;
}

// Directions from joint to joint, by positions alone: they know nothing of the axes that retargeting works
// with.
class Directions {
 public:
  explicit Directions(const ActorPtr& actor) : dynamics_(actor), at_rest_(VecX::Zero(actor->nv())) {}
  Vec3 operator()(const VecX& q, Role from, Role to) {
    dynamics_.set_state(q, at_rest_);
    const Actor& actor = dynamics_.actor();
    return (joint_position(dynamics_, actor.body(to)) - joint_position(dynamics_, actor.body(from)))
        .normalized();
  }

 private:
  ActorDynamics dynamics_;
  VecX at_rest_;
};

double angle_deg(const Vec3& a, const Vec3& b) { return degrees(std::atan2(a.cross(b).norm(), a.dot(b))); }

// The same body does the same, whether it comes from the clip or from the file that was written of it.
TEST(Retarget, AnExportedBodyGetsTheVerySamePoses) {
  const auto motion = cleaned_up("walk");
  const ActorPtr exported = Actor::from_xml(motion->actor()->xml(), "exported", "exported.xml");
  const auto same = retarget(*motion, exported);
  ASSERT_EQ(same->size(), motion->size());
  for (int i = 0; i < motion->size(); ++i) {
    EXPECT_EQ(same->q(i), motion->q(i));
    EXPECT_EQ(same->contacts(i), motion->contacts(i));
  }
}

TEST(Retarget, OntoTheSameActorChangesNothing) {
  const auto motion = cleaned_up("walk");
  RetargetReport report;
  const auto same = retarget(*motion, motion->actor(), &report);
  EXPECT_NEAR(report.scale, 1, 1e-12);
  EXPECT_TRUE(report.missing.empty());
  ActorDynamics a(motion->actor()), b(motion->actor());
  const VecX at_rest = VecX::Zero(motion->actor()->nv());
  int agree = 0, compared = 0;
  for (int i = 0; i < motion->size(); i += 7) {
    a.set_state(motion->q(i), at_rest);
    b.set_state(same->q(i), at_rest);
    // Planting a second time may move a swinging foot a little and lower the pelvis by a centimetre; all else
    // stays.
    const auto moved = [&](Role role) {
      const int body = motion->actor()->body(role);
      return (a.body_position(body) - b.body_position(body)).norm();
    };
    for (const Role role : {Role::pelvis, Role::head, Role::left_forearm, Role::right_hand}) {
      EXPECT_LT(moved(role), 0.012) << i << " " << name(role);
    }
    for (const Role role : {Role::left_foot, Role::right_foot}) EXPECT_LT(moved(role), 0.025) << i;
    for (std::size_t p = 0; p < motion->contacts(i).size(); ++p) {
      agree += motion->contacts(i)[p] == same->contacts(i)[p];
      ++compared;
    }
  }
  EXPECT_GT(agree, 0.95 * compared);
}

// The same person, a quarter larger: the motion captured at that size is what retargeting should make.
TEST(Retarget, AGiantDoesTheSameAtItsOwnSize) {
  constexpr double kScale = 1.25;
  const Clip clip = load_clip("walk");
  Clip giant = clip;
  for (SkeletonJoint& joint : giant.skeleton.joints) joint.offset *= kScale;
  for (auto& end : giant.skeleton.ends) end.offset *= kScale;
  for (Pose& pose : giant.frames) pose.root_position *= kScale;
  const auto captured = clean_up(fit_actor(giant), giant).reference;
  RetargetReport report;
  const auto made = retarget(*cleaned_up("walk"), captured->actor(), &report);
  EXPECT_NEAR(report.scale, kScale, 1e-6);
  ASSERT_EQ(made->size(), captured->size());
  ActorDynamics a(captured->actor()), b(captured->actor());
  const VecX at_rest = VecX::Zero(captured->actor()->nv());
  a.set_state(captured->q(0), at_rest);
  b.set_state(made->q(0), at_rest);
  // The path is scaled about where it starts.
  Vec3 shift = hip_centre(a) - hip_centre(b);
  shift.z() = 0;
  for (int i = 0; i < made->size(); i += 9) {
    a.set_state(captured->q(i), at_rest);
    b.set_state(made->q(i), at_rest);
    for (const Role role : {Role::pelvis, Role::head, Role::left_hand, Role::right_shank, Role::left_foot}) {
      const int body = captured->actor()->body(role);
      EXPECT_LT((a.body_position(body) - b.body_position(body) - shift).norm(), 0.04)
          << i << " " << name(role);
    }
  }
}

TEST(Retarget, LimbsPointWhereTheyPointedWhateverTheRestPose) {
  for (const char* name : {"humanoid", "mcsim3d", "injury", "biped28"}) {
    for (const char* motion_name : {"jab", "wave", "walk"}) {
      const auto motion = cleaned_up(motion_name);
      const auto other = retarget(*motion, Actor::load(name));
      Directions before(motion->actor()), after(other->actor());
      for (int i = 0; i < motion->size(); i += 20) {
        for (const Role upper : {Role::left_upper_arm, Role::right_upper_arm}) {
          const Role elbow = static_cast<Role>(static_cast<int>(upper) + 1);
          const Role hand = static_cast<Role>(static_cast<int>(upper) + 2);
          EXPECT_LT(angle_deg(before(motion->q(i), upper, elbow), after(other->q(i), upper, elbow)), 1)
              << name << " " << motion_name << " " << i;
          // A hinge gives way where the elbow is straight and twisted, or at its limit.
          EXPECT_LT(angle_deg(before(motion->q(i), elbow, hand), after(other->q(i), elbow, hand)), 12)
              << name << " " << motion_name << " " << i;
        }
        // The planting of the feet may turn the legs a little.
        for (const Role thigh : {Role::left_thigh, Role::right_thigh}) {
          const Role knee = static_cast<Role>(static_cast<int>(thigh) + 1);
          EXPECT_LT(angle_deg(before(motion->q(i), thigh, knee), after(other->q(i), thigh, knee)), 20)
              << name << " " << motion_name << " " << i;
        }
      }
    }
  }
}

TEST(Retarget, APlanarCharacterStaysInItsPlane) {
  const auto motion = cleaned_up("walk");
  RetargetReport report;
  const auto flat = retarget(*motion, Actor::load("mcsim2d"), &report);
  EXPECT_TRUE(report.planar);
  ActorDynamics dynamics(flat->actor());
  const VecX at_rest = VecX::Zero(flat->actor()->nv());
  dynamics.set_state(flat->q(0), at_rest);
  const Vec3 start = hip_centre(dynamics);
  const Vec3 left = (joint_position(dynamics, flat->actor()->body(Role::left_thigh)) - start).normalized();
  EXPECT_NEAR(left.z(), 0, 1e-9);
  Directions before(motion->actor()), after(flat->actor());
  for (int i = 0; i < flat->size(); i += 5) {
    dynamics.set_state(flat->q(i), at_rest);
    EXPECT_NEAR((hip_centre(dynamics) - start).dot(left), 0, 1e-9);
    // In the plane the thigh points where the captured one does, seen from the side.
    const Vec3 a = before(motion->q(i), Role::left_thigh, Role::left_shank);
    const Vec3 b = after(flat->q(i), Role::left_thigh, Role::left_shank);
    EXPECT_LT(angle_deg(a - left * left.dot(a), b), 20) << i;
    EXPECT_NEAR(b.dot(left), 0, 1e-9);
  }
}

TEST(Retarget, FeetStandOnTheFloor) {
  for (const char* name : {"humanoid", "mcsim2d", "mcsim3d", "injury", "biped28"}) {
    RetargetReport report;
    const auto motion = cleaned_up("walk");
    const auto other = retarget(*motion, Actor::load(name), &report);
    EXPECT_LT(report.after.penetration, 0.005) << name;
    EXPECT_LT(report.after.floating, 0.005) << name;
    EXPECT_LT(report.after.skate, 0.05) << name;
    EXPECT_LE(report.after.skate, report.before.skate) << name;
  }
}

TEST(Retarget, CaptureFilesGoOntoTheBuiltInCharacters) {
  const std::filesystem::path mocap = in_source("../shared/mocap");
  if (!std::filesystem::exists(mocap)) GTEST_SKIP() << "no motion capture files in " << mocap;
  const std::pair<const char*, const char*> pairs[] = {{"cmu/walk_35_31.bvh", "mcsim3d"},
                                                       {"deepmimic/humanoid3d_walk.txt", "humanoid"}};
  for (const auto& [file, character] : pairs) {
    RetargetReport report;
    const auto motion = cleaned_up((mocap / file).string());
    retarget(*motion, Actor::load(character), &report);
    EXPECT_LT(report.after.skate, 0.01) << file;
    EXPECT_LT(report.after.penetration, 0.005) << file;
    EXPECT_LT(report.after.floating, 0.005) << file;
    EXPECT_LT(report.mean_change_deg, 2) << file;
  }
}

TEST(Retarget, ACharacterWithoutLegsIsRefused) {
  const auto ball = Actor::from_xml(
      "<mujoco><worldbody><body name='ball'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>",
      "ball", "x");
  EXPECT_THROW(retarget(*cleaned_up("stand"), ball), InputError);
}

}  // namespace
}  // namespace stunt
