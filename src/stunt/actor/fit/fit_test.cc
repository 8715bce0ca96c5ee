#include "stunt/actor/fit/fit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "places.h"
#include "refolded.h"
#include "stunt/actor/fit/hinges.h"
#include "stunt/actor/fit/pose_map.h"
#include "stunt/core/error.h"
#include "stunt/core/random.h"
#include "stunt/motion/load.h"

namespace stunt {
namespace {

// Body frames by MuJoCo, the second opinion on our forward kinematics of the skeleton.
JointTransforms body_frames(const Actor& actor, const VecX& q) {
  const DataPtr data(mj_makeData(&actor.model()));
  std::copy(q.data(), q.data() + q.size(), data->qpos);
  mj_kinematics(&actor.model(), data.get());
  JointTransforms out;
  for (std::size_t i = 1; i <= actor.bodies().size(); ++i) {
    out.positions.emplace_back(data->xpos[3 * i], data->xpos[3 * i + 1], data->xpos[3 * i + 2]);
    out.rotations.push_back(quat_from_wxyz(data->xquat + 4 * i));
  }
  return out;
}

// One line per joint: name, parent's name, offset (x forward, y left, z up); moved a little at random.
Clip moving(const std::string& text, double angle = 0.3) {
  Clip clip;
  clip.name = "made up";
  std::istringstream lines(text);
  std::string joint, parent;
  double x, y, z;
  while (lines >> joint >> parent >> x >> y >> z) {
    clip.skeleton.joints.push_back({joint, clip.skeleton.find(parent), {x, y, z}, Quat::Identity()});
  }
  Random random(7);
  for (int f = 0; f < 40; ++f) {
    Pose pose;
    pose.root_position = {0.01 * f, 0, 0.95};
    for (int i = 0; i < clip.skeleton.size(); ++i) {
      pose.rotations.push_back(
          exp_map({angle * random.normal(), angle * random.normal(), angle * random.normal()}));
    }
    clip.frames.push_back(pose);
  }
  return clip;
}

const char* const kLegs =
    "hips - 0 0 0  left_hip hips 0 0.1 0  left_knee left_hip 0 0 -0.42  left_ankle left_knee 0 0 -0.41 "
    "right_hip hips 0 -0.1 0  right_knee right_hip 0 0 -0.42  right_ankle right_knee 0 0 -0.41 ";

double worst_replay_error(const Clip& clip, const FittedActor& fitted, int step) {
  double worst = 0;
  VecX q;
  for (int f = 0; f < clip.frame_count(); f += step) {
    clip_to_q(fitted, clip, clip.frames[f], q);
    const JointTransforms bodies = body_frames(*fitted.actor, q);
    JointTransforms joints;
    forward_kinematics(clip.skeleton, clip.frames[f], joints);
    for (std::size_t i = 0; i < bodies.positions.size(); ++i) {
      worst = std::max(worst, (bodies.positions[i] - joints.positions[fitted.clip_joint[i]]).norm());
    }
  }
  return worst;
}

TEST(Hinges, AnglesComposeToTheRotation) {
  Random random(3);
  const Mat3 axes = exp_map({0.4, -1.1, 0.7}).toRotationMatrix();
  for (int i = 0; i < 200; ++i) {
    const Quat turn = exp_map({random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)});
    const Vec3 near(random.uniform(-9, 9), random.uniform(-9, 9), random.uniform(-9, 9));
    const Vec3 a = hinge_angles(turn, axes, near);
    const Quat again =
        axis_angle(axes.col(0), a[0]) * axis_angle(axes.col(1), a[1]) * axis_angle(axes.col(2), a[2]);
    EXPECT_NEAR(angle_between(again, turn), 0, 1e-7);
    EXPECT_LE(std::abs(a[1]), kPi / 2);
    EXPECT_LE(std::abs(a[0] - near[0]), kPi + 1e-9);
    EXPECT_LE(std::abs(a[2] - near[2]), kPi + 1e-9);
  }
}

TEST(FitActor, ReplaysEveryCapturedClipWithinAMillimetre) {
  const std::filesystem::path folder = std::filesystem::path(in_source("../shared/mocap/cmu"));
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no clips in " << folder;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bvh") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const Clip clip = load_clip(entry.path().string());
    const FittedActor fitted = fit_actor(clip);
    const Actor& actor = *fitted.actor;
    EXPECT_LT(worst_replay_error(clip, fitted, 11), 1e-3);
    EXPECT_GT(fitted.height_m, 1.45);
    EXPECT_LT(fitted.height_m, 1.95);
    EXPECT_EQ(actor.contact_points().size(), 12u);
    for (const Role role : {Role::left_shank, Role::right_shank, Role::left_forearm, Role::right_forearm}) {
      EXPECT_EQ(actor.bodies()[actor.body(role)].joint_count, 1) << "captured as exact hinges";
    }
    // The way back gives the clip again, fingers and all; nothing of the clip is beyond a limit.
    VecX q;
    for (int f = 0; f < clip.frame_count(); f += 97) {
      clip_to_q(fitted, clip, clip.frames[f], q);
      const Pose pose = q_to_pose(fitted, clip, q, clip.frames[f]);
      JointTransforms a, b;
      forward_kinematics(clip.skeleton, pose, a);
      forward_kinematics(clip.skeleton, clip.frames[f], b);
      for (int j = 0; j < clip.skeleton.size(); ++j)
        EXPECT_LT((a.positions[j] - b.positions[j]).norm(), 1e-3);
      for (const ActorJoint& joint : actor.joints()) {
        if (!joint.limited || joint.type != JointType::hinge || joint.name.find("toes") != std::string::npos)
          continue;
        EXPECT_GE(q[joint.q_address], joint.lower) << joint.name;
        EXPECT_LE(q[joint.q_address], joint.upper) << joint.name;
      }
    }
    ++count;
  }
  EXPECT_EQ(count, 40);
}

TEST(FitActor, ReplaysDeepMimicClips) {
  const std::filesystem::path folder = std::filesystem::path(in_source("../shared/mocap/deepmimic"));
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no clips in " << folder;
  for (const char* const file : {"humanoid3d_walk.txt", "humanoid3d_backflip.txt", "humanoid3d_kick.txt"}) {
    SCOPED_TRACE(file);
    const Clip clip = load_clip((folder / file).string());
    const FittedActor fitted = fit_actor(clip);
    EXPECT_LT(worst_replay_error(clip, fitted, 1), 1e-3);
    EXPECT_EQ(fitted.actor->contact_points().size(), 8u);
    EXPECT_EQ(fitted.actor->body(Role::left_toes), -1);
    EXPECT_GE(fitted.actor->body(Role::left_forearm), 0);
  }
}

TEST(FitActor, SolesLieOnTheGroundWhereTheFeetStand) {
  const Clip clip = load_clip("walk");
  const FittedActor fitted = fit_actor(clip);
  const Actor& actor = *fitted.actor;
  double lowest = 1;
  int flat = 0;
  VecX q;
  for (const Pose& pose : clip.frames) {
    clip_to_q(fitted, clip, pose, q);
    const JointTransforms bodies = body_frames(actor, q);
    for (const bool left : {true, false}) {
      double low = 1, high = -1;
      for (const ContactPoint& point : actor.contact_points()) {
        if (point.left != left) continue;
        const double z =
            (bodies.positions[point.body] + bodies.rotations[point.body] * point.position).z() - point.radius;
        low = std::min(low, z);
        high = std::max(high, z);
      }
      lowest = std::min(lowest, low);
      flat += high - low < 1e-3;
    }
  }
  EXPECT_GT(flat, clip.frame_count() / 3) << "a walk has a foot flat on the ground a good part of the time";
  EXPECT_NEAR(lowest, 0, 2e-3);
}

// A runner at 30 frames a second rests on each foot for three frames: that is enough to see where the sole is.
TEST(FitActor, AFootThatRestsForAMomentShowsItsSole) {
  constexpr int kFirst = 4, kLast = 7, kFrames = 12;
  constexpr double kFlat = 0.3;  // rad, of the ankle while the foot is flat
  Clip clip = moving(kLegs, 0);
  clip.fps = 30;
  clip.frames.resize(kFrames);
  for (int f = 0; f < kFrames; ++f) {
    const int away = std::max({kFirst - f, f - kLast, 0});
    clip.frames[f].root_position = {0.1 * away, 0, 0.95 + 0.05 * away};
    for (const char* const ankle : {"left_ankle", "right_ankle"}) {
      clip.frames[f].rotations[clip.skeleton.find(ankle)] =
          axis_angle(Vec3::UnitY(), kFlat + 0.2 * std::min(away, 2));
    }
  }
  const FittedActor fitted = fit_actor(clip);
  VecX q;
  clip_to_q(fitted, clip, clip.frames[kFirst], q);
  const JointTransforms bodies = body_frames(*fitted.actor, q);
  double low = 1, high = -1;
  for (const ContactPoint& point : fitted.actor->contact_points()) {
    const double z =
        (bodies.positions[point.body] + bodies.rotations[point.body] * point.position).z() - point.radius;
    low = std::min(low, z);
    high = std::max(high, z);
  }
  EXPECT_LT(high - low, 1e-3);
  for (const std::string& note : fitted.notes) {
    EXPECT_EQ(note.find("never stands"), std::string::npos) << note;
  }
}

// Rigs of games have the toes' joint right under the ankle, and their cycles have no frame in which a foot rests: the rest
// pose shows the sole, and the foot is long enough to stand on.
TEST(FitActor, AFootThatNeverRestsStandsAsInTheRestPose) {
  Clip clip = moving(
      std::string(kLegs) + "left_toes left_ankle 0.05 0 -0.1  right_toes right_ankle 0.05 0 -0.1", 0.05);
  for (std::size_t f = 0; f < clip.frames.size(); ++f)
    clip.frames[f].root_position.x() = 0.02 * f;  // 2.4 m/s
  const FittedActor fitted = fit_actor(clip);
  const JointTransforms bodies = body_frames(*fitted.actor, fitted.actor->rest_q());
  double low = 1, high = -1, ahead = -1, behind = 1;
  for (const ContactPoint& point : fitted.actor->contact_points()) {
    const Vec3 at = bodies.positions[point.body] + bodies.rotations[point.body] * point.position;
    low = std::min(low, at.z());
    high = std::max(high, at.z());
    ahead = std::max(ahead, at.x());
    behind = std::min(behind, at.x());
  }
  EXPECT_LT(high - low, 1e-3);
  EXPECT_GT(ahead - behind, 0.15);
  EXPECT_TRUE(std::any_of(fitted.notes.begin(), fitted.notes.end(), [](const std::string& note) {
    return note.find("as it stands in the rest pose") != std::string::npos;
  }));
}

TEST(FitActor, MassesAndStrengthFollowTheTables) {
  const Clip clip = load_clip("walk");
  FitOptions options;
  options.mass_kg = 80;
  options.strength = 2;
  const FittedActor fitted = fit_actor(clip, options);
  const Actor& actor = *fitted.actor;
  EXPECT_NEAR(actor.mass(), 80, 1e-6);
  const auto mass = [&](Role role) { return actor.bodies()[actor.body(role)].mass; };
  EXPECT_NEAR(mass(Role::left_thigh) / 80, 0.1447, 2e-3);
  EXPECT_NEAR((mass(Role::left_foot) + mass(Role::left_toes)) / 80, 0.0133, 5e-4);
  EXPECT_NEAR((mass(Role::head) + mass(Role::neck)) / 80, 0.0681, 2e-3);
  const ActorJoint& knee = actor.joints()[actor.bodies()[actor.body(Role::left_shank)].first_joint];
  EXPECT_NEAR(knee.torque_limit, 2 * 250 * 80 / 70.0, 1e-3);
  for (const ActorBody& body : actor.bodies()) {  // no inertia that a real body could not have
    const Vec3 i = body.inertia.eigenvalues().real();
    EXPECT_GT(i.minCoeff(), 0) << body.name;
    EXPECT_LE(2 * i.maxCoeff(), i.sum() * (1 + 1e-9)) << body.name;
  }
  EXPECT_NEAR(fit_actor(clip).actor->mass(), 22.9 * fitted.height_m * fitted.height_m, 1e-6);
}

// The body is that of the person, whatever axes a program gave the joints: the same motion with its bones along
// x, and with joint axes at random, gives the same masses in the same places.
TEST(FitActor, TheBodyDoesNotDependOnTheRestPose) {
  const Clip clip = load_clip("walk");
  const FittedActor fitted = fit_actor(clip);
  const auto places = [](const Actor& actor, const VecX& q) {
    const DataPtr data(mj_makeData(&actor.model()));
    std::copy(q.data(), q.data() + q.size(), data->qpos);
    mj_kinematics(&actor.model(), data.get());
    mj_comPos(&actor.model(), data.get());
    std::vector<Vec3> points;
    for (int b = 1; b < actor.model().nbody; ++b) points.push_back(vec3(&data->xipos[3 * b]));
    for (int g = 0; g < actor.model().ngeom; ++g) points.push_back(vec3(&data->geom_xpos[3 * g]));
    return points;
  };
  for (const auto& turns : {bones_along_x(clip.skeleton), random_turns(clip.skeleton, 3)}) {
    Clip folded = refolded(clip, turns);
    ImportOptions options;
    options.unit_m = 1.0;
    options.up_axis = "z";
    interpret(folded, options, "folded");
    EXPECT_FALSE(folded.skeleton.stance.empty());
    const FittedActor again = fit_actor(folded);
    ASSERT_EQ(again.actor->bodies().size(), fitted.actor->bodies().size());
    EXPECT_NEAR(again.actor->mass(), fitted.actor->mass(), 1e-6);
    EXPECT_EQ(again.actor->nv(), fitted.actor->nv());
    EXPECT_LT(worst_replay_error(folded, again, 7), 1e-3);
    VecX q, p;
    for (int f = 0; f < clip.frame_count(); f += 20) {
      clip_to_q(fitted, clip, clip.frames[f], q);
      clip_to_q(again, folded, folded.frames[f], p);
      const std::vector<Vec3> a = places(*fitted.actor, q), b = places(*again.actor, p);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_LT((a[i] - b[i]).norm(), 0.01) << i << " in frame " << f;
    }
  }
}

TEST(Hinges, ALimbReachesItsTargetByTwistAndBend) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const Vec3 upper = Vec3(random.normal(), random.normal(), random.normal()).normalized();
    const Vec3 axis = upper.cross(Vec3(random.normal(), random.normal(), random.normal())).normalized();
    const HingedLimb limb{upper, Quat::Identity(), axis, upper};
    const double twist = random.uniform(-0.3, 0.3), angle = random.uniform(0.5, 2.0);
    const Vec3 wanted = axis_angle(upper, twist) * axis_angle(axis, angle) * upper;
    const LimbSetting set = set_limb(limb, wanted, angle + 0.2);
    // What the small price of a twist leaves: about 0.02 twist / sin(angle).
    EXPECT_LT(set.miss, 0.025 * std::abs(twist) / std::sin(angle) + 1e-6);
    EXPECT_NEAR(set.angle, angle, 0.01);
    EXPECT_LE(std::abs(set.twist), std::abs(twist) + 1e-6);
  }
}

TEST(Hinges, FindsAHingeBesideTheRestPose) {
  Random random(6);
  const Quat offset = exp_map({0.1, -0.2, 0.15});
  const Vec3 axis = Vec3(0.2, 0.9, -0.3).normalized();
  std::vector<Quat> turns;
  for (int i = 0; i < 200; ++i) turns.push_back(offset * axis_angle(axis, random.uniform(0.1, 1.6)));
  const HingeFit fit = fit_hinge(turns, Vec3::UnitY());
  for (const Quat& turn : turns) {
    const Quat from = fit.offset.conjugate() * turn;
    EXPECT_LT(degrees(angle_between(from, axis_angle(fit.axis, twist_angle(from, fit.axis)))), 0.2);
  }
}

// Bending knees with a few degrees of wobble beside it, as marker sets have: one axis, and no joint far off.
TEST(FitActor, KneesThatNearlyAreHingesAreHinges) {
  Clip clip = moving(
      std::string(kLegs) + "left_toes left_ankle 0.13 0 -0.04  right_toes right_ankle 0.13 0 -0.04", 0.1);
  for (int f = 0; f < clip.frame_count(); ++f) {
    for (const char* const knee : {"left_knee", "right_knee"}) {
      clip.frames[f].rotations[clip.skeleton.find(knee)] =
          exp_map({0.03 * std::sin(0.7 * f), 0, 0.1 * std::cos(0.9 * f)}) *
          axis_angle(Vec3::UnitY(), 0.5 + 0.4 * std::sin(0.3 * f));
    }
  }
  const FittedActor fitted = fit_actor(clip);
  for (const Role role : {Role::left_shank, Role::right_shank}) {
    EXPECT_EQ(fitted.actor->bodies()[fitted.actor->body(role)].joint_count, 1);
  }
  EXPECT_LT(worst_replay_error(clip, fitted, 1), 0.01);
  VecX q;
  clip_to_q(fitted, clip, clip.frames[11], q);
  const JointTransforms bodies = body_frames(*fitted.actor, q);
  JointTransforms joints;
  forward_kinematics(clip.skeleton, clip.frames[11], joints);
  const int foot = fitted.actor->body(Role::left_foot);
  EXPECT_LT(degrees(angle_between(bodies.rotations[foot], joints.rotations[fitted.clip_joint[foot]])), 0.1)
      << "the foot keeps its direction";
}

// Turned about its own bone by 40 degrees, as retargeting programs leave it, the shank hides a knee that bends little.
TEST(FitActor, AKneeUnderATwistedShankIsAHinge) {
  Clip clip = moving(
      std::string(kLegs) + "left_toes left_ankle 0.13 0 -0.04  right_toes right_ankle 0.13 0 -0.04", 0.05);
  for (int f = 0; f < clip.frame_count(); ++f) {
    for (const char* const knee : {"left_knee", "right_knee"}) {
      clip.frames[f].rotations[clip.skeleton.find(knee)] =
          axis_angle(Vec3::UnitY(), 0.15 + 0.12 * std::cos(0.4 * f)) *
          axis_angle(Vec3::UnitZ(), 0.5 + 0.3 * std::sin(0.7 * f));
    }
  }
  const FittedActor fitted = fit_actor(clip);
  for (const Role role : {Role::left_shank, Role::right_shank}) {
    EXPECT_EQ(fitted.actor->bodies()[fitted.actor->body(role)].joint_count, 1);
  }
  EXPECT_LT(worst_replay_error(clip, fitted, 1), 0.01);
}

// The rest pose has knees bent by 40 degrees, as rigs of games do, and the clip hardly bends them further: they still bend
// back, and not forward.
TEST(FitActor, AKneeBendsBackWhateverTheRestPose) {
  const double bent = radians(40);
  const std::string shank = fmt::format(" {} 0 {} ", -0.41 * std::sin(bent), -0.41 * std::cos(bent));
  Clip clip =
      moving("hips - 0 0 0  left_hip hips 0 0.1 0  left_knee left_hip 0 0 -0.42  left_ankle left_knee" +
                 shank + "right_hip hips 0 -0.1 0  right_knee right_hip 0 0 -0.42  right_ankle right_knee" +
                 shank + "left_toes left_ankle 0.13 0 -0.04  right_toes right_ankle 0.13 0 -0.04",
             0.05);
  for (int f = 0; f < clip.frame_count(); ++f) {
    for (const char* const knee : {"left_knee", "right_knee"}) {
      clip.frames[f].rotations[clip.skeleton.find(knee)] =
          axis_angle(Vec3::UnitY(), -0.35 + 0.3 * std::sin(0.3 * f));
    }
  }
  const FittedActor fitted = fit_actor(clip);
  for (const Role role : {Role::left_shank, Role::right_shank}) {
    const ActorBody& body = fitted.actor->bodies()[fitted.actor->body(role)];
    ASSERT_EQ(body.joint_count, 1);
    const ActorJoint& joint = fitted.actor->joints()[body.first_joint];
    EXPECT_GT(joint.axis.y(), 0.9);
    EXPECT_GT(joint.upper, 2);
    EXPECT_GT(joint.lower, -1.2);
  }
}

// A spine of one joint high above the hips, and ankles high above the ground: shapes still hang together.
TEST(FitActor, TheTrunkHasNoHole) {
  const Clip clip = moving(std::string(kLegs) +
                               "back hips 0 0 0.26  chest back 0 0 0.2  neck chest 0 0 0.25 "
                               "left_shoulder chest 0 0.18 0.2  left_elbow left_shoulder 0 0.3 0 "
                               "right_shoulder chest 0 -0.18 0.2  right_elbow right_shoulder 0 -0.3 0",
                           0.05);
  const ActorPtr fitted = fit_actor(clip).actor;
  const Actor& actor = *fitted;
  const DataPtr data(mj_makeData(&actor.model()));
  mju_copy(data->qpos, actor.rest_q().data(), actor.nq());
  mj_kinematics(&actor.model(), data.get());
  const double bottom = data->xpos[3 * (actor.body(Role::left_thigh) + 1) + 2];
  const double top = data->xpos[3 * (actor.body(Role::left_upper_arm) + 1) + 2];
  for (double z = bottom; z < top; z += 0.01) {  // some shape of the trunk at every height
    bool covered = false;
    for (int g = 0; g < actor.model().ngeom; ++g) {
      const int body = actor.model().geom_bodyid[g] - 1;
      if (body != actor.body(Role::pelvis) && body != actor.body(Role::spine) &&
          body != actor.body(Role::chest))
        continue;
      covered |= std::abs(data->geom_xpos[3 * g + 2] - z) < actor.model().geom_size[3 * g] + 0.011;
    }
    EXPECT_TRUE(covered) << z - bottom;
  }
}

TEST(FitActor, KneesThatAreNoHingesKeepTheirMotion) {
  const Clip clip = moving(std::string(kLegs) +
                           "chest hips 0 0 0.25  neck chest 0 0 0.25 "
                           "left_shoulder chest 0 0.18 0.2  left_elbow left_shoulder 0 0.3 0 "
                           "right_shoulder chest 0 -0.18 0.2  right_elbow right_shoulder 0 -0.3 0");
  const FittedActor fitted = fit_actor(clip);
  EXPECT_LT(worst_replay_error(clip, fitted, 1), 1e-3);
  EXPECT_EQ(fitted.actor->bodies().size(), 13u);
  EXPECT_EQ(fitted.actor->contact_points().size(), 8u) << "no toes: heel and ball of each foot";
  bool told = false;
  for (const std::string& note : fitted.notes) told |= note.find("like a hinge") != std::string::npos;
  EXPECT_TRUE(told);
}

TEST(FitActor, TakesSkeletonsWithMoreAndLessThanABody) {
  // legs alone, under a root that is not the pelvis
  Clip legs = moving(std::string("world - 0 0 0  ") + std::string(kLegs).replace(5, 1, "world"));
  legs.skeleton.joints[1].offset = {0, 0, 0.1};
  const FittedActor walker = fit_actor(legs);
  EXPECT_EQ(walker.actor->bodies().front().name, "pelvis");
  EXPECT_LT(worst_replay_error(legs, walker, 1), 1e-3);
  VecX q;
  clip_to_q(walker, legs, legs.frames[3], q);
  const Pose back = q_to_pose(walker, legs, q, legs.frames[3]);
  EXPECT_LT((back.root_position - legs.frames[3].root_position).norm(), 1e-9);

  // a tail goes along, and is told
  const Clip cat = moving(std::string(kLegs) + "tail1 hips -0.1 0 0  tail2 tail1 -0.1 0 0");
  const FittedActor with_tail = fit_actor(cat);
  EXPECT_EQ(with_tail.actor->find_body("tail1"), -1);
  bool told = false;
  for (const std::string& note : with_tail.notes) told |= note.find("tail2") != std::string::npos;
  EXPECT_TRUE(told);

  // an arm of twist joints: merged, since they move nothing
  Clip roll =
      moving(std::string(kLegs) +
             "chest hips 0 0 0.25  left_shoulder chest 0 0.18 0.2 "
             "left_elbow left_shoulder 0 0.3 0  left_roll left_elbow 0 0.1 0  left_wrist left_roll 0 0.15 0 "
             "right_shoulder chest 0 -0.18 0.2  right_elbow right_shoulder 0 -0.3 0 ");
  const int at = roll.skeleton.find("left_roll");
  for (Pose& pose : roll.frames)
    pose.rotations[at] = axis_angle(Vec3::UnitY(), twist_angle(pose.rotations[at], Vec3::UnitY()));
  const FittedActor rolled = fit_actor(roll);
  EXPECT_EQ(rolled.actor->find_body("left_roll"), -1);
  EXPECT_LT(worst_replay_error(roll, rolled, 1), 1e-3);
}

TEST(FitActor, SaysWhyASkeletonIsOfNoUse) {
  const auto message = [](const Clip& clip) -> std::string {
    try {
      fit_actor(clip);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(moving("a - 0 0 0  b a 0.1 0 0  c b 0.1 0 0")).find("left_thigh"), std::string::npos);
  EXPECT_NE(message(Clip{}).find("no joints"), std::string::npos);
  Clip tiny = moving(kLegs);
  for (SkeletonJoint& joint : tiny.skeleton.joints) joint.offset *= 0.01;
  EXPECT_NE(message(tiny).find("m long"), std::string::npos);
}

}  // namespace
}  // namespace stunt
