// The built-in characters against the tables they come from (docs/characters.md).
#include <gtest/gtest.h>

#include <map>

#include "stunt/actor/actor.h"
#include "stunt/actor/dynamics.h"
#include "stunt/actor/fit/fit.h"
#include "stunt/core/embedded.h"
#include "stunt/motion/load.h"

namespace stunt {
namespace {

double mass(const Actor& actor, const std::string& body) {
  const int i = actor.find_body(body);
  EXPECT_GE(i, 0) << body;
  return i < 0 ? 0 : actor.bodies()[i].mass;
}

TEST(Characters, AllStandOnTheGroundAndAreStrong) {
  const std::vector<std::string> names = embedded_names("characters");
  EXPECT_GE(names.size(), 5u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const ActorPtr actor = Actor::load(name);
    ActorDynamics dynamics(actor);
    dynamics.set_state(actor->rest_q(), VecX::Zero(actor->nv()));
    int left = 0, right = 0;
    for (const ContactPoint& point : actor->contact_points()) {
      EXPECT_NEAR(dynamics.point(point.body, point.position).z() - point.radius, 0, 0.006);
      ++(point.left ? left : right);
    }
    EXPECT_GE(left, 4);
    EXPECT_EQ(left, right);
    for (int i = 6; i < actor->nv(); ++i) EXPECT_GT(actor->torque_limits()[i], 10);
    EXPECT_EQ(actor->model().nu, actor->nv() - 6) << "a motor for every degree of freedom, no default";
    // Left and right are mirror images.
    const Vec3 com = dynamics.com();
    EXPECT_NEAR(com.y(), 0, 1e-4);
    EXPECT_GT(com.z(), 0.65);  // m; mcsim2d has heavy feet
  }
}

TEST(Characters, McSim2dHasTable2) {
  const ActorPtr actor = Actor::load("mcsim2d");
  EXPECT_EQ(actor->nv(), 18);
  for (std::size_t i = 1; i < actor->joints().size(); ++i)
    EXPECT_EQ(actor->joints()[i].type, JointType::hinge);
  struct Segment {
    double mass, inertia;
  };
  const std::map<std::string, Segment> table = {{"head", {3, 0.011}},         {"left_upper_arm", {2, 0.022}},
                                                {"left_forearm", {1, 0.009}}, {"left_thigh", {7, 0.121}},
                                                {"right_shank", {5, 0.077}},  {"right_foot", {4, 0.019}}};
  for (const auto& [name, row] : table) {
    EXPECT_NEAR(mass(*actor, name), row.mass, 1e-9) << name;
    EXPECT_NEAR(actor->bodies()[actor->find_body(name)].inertia(1, 1), row.inertia, 1e-5) << name;
  }
  // The torso's two halves, straight, by the parallel-axis theorem.
  const ActorBody &lower = actor->bodies()[actor->body(Role::pelvis)],
                  &upper = actor->bodies()[actor->body(Role::chest)];
  EXPECT_NEAR(lower.mass + upper.mass, 10, 1e-9);
  const double half = 0.5 * (upper.offset + upper.com - lower.com).norm();
  EXPECT_NEAR(lower.inertia(1, 1) + upper.inertia(1, 1) + 10 * half * half, 0.176, 1e-3);
}

TEST(Characters, McSim3dHasTable3) {
  const ActorPtr actor = Actor::load("mcsim3d");
  EXPECT_EQ(actor->nv(), 57);
  const std::map<std::string, double> table = {{"thigh", 9.0853},  {"shank", 3.944},    {"foot", 1},
                                               {"toes", 0.3},      {"clavicle", 2.535}, {"upper_arm", 1.435},
                                               {"forearm", 0.575}, {"hand", 0.5}};
  double total = 12.92 + 17.155;
  EXPECT_NEAR(mass(*actor, "pelvis"), 12.92, 1e-9);
  EXPECT_NEAR(mass(*actor, "chest"), 17.155, 1e-9);
  for (const auto& [name, value] : table) {
    EXPECT_NEAR(mass(*actor, "left_" + name), value, 1e-9) << name;
    EXPECT_NEAR(mass(*actor, "right_" + name), value, 1e-9) << name;
    total += 2 * value;
  }
  EXPECT_NEAR(actor->mass(), total, 1e-6);
}

TEST(Characters, InjuryHasTheShapesOfFigure52) {
  const ActorPtr actor = Actor::load("injury");
  EXPECT_EQ(actor->nv(), 36);
  ActorDynamics dynamics(actor);
  dynamics.set_state(actor->rest_q(), VecX::Zero(actor->nv()));
  // The figure's X is our right, measured from 1.20; its Z our back; its Y our up.
  const std::map<std::string, Vec3> table = {
      {"pelvis", {1.20, 0.00, 1.00}},         {"chest", {1.20, 0.00, 1.30}},
      {"head", {1.20, 0.00, 1.75}},           {"right_thigh", {1.29, 0.00, 0.68}},
      {"left_thigh", {1.11, 0.00, 0.68}},     {"right_shank", {1.29, 0.00, 0.25}},
      {"left_foot", {1.11, -0.07, 0.03}},     {"right_foot", {1.29, -0.07, 0.03}},
      {"left_upper_arm", {0.88, 0.00, 1.50}}, {"right_forearm", {1.90, 0.00, 1.50}},
      {"left_hand", {0.25, 0.00, 1.50}}};
  for (const auto& [name, figure] : table) {
    const int body = actor->find_body(name);
    ASSERT_GE(body, 0) << name;
    const Vec3 centre = dynamics.point(body, actor->bodies()[body].com);
    EXPECT_LT((centre - Vec3(-figure[1], 1.20 - figure[0], figure[2])).norm(), 1e-4)
        << name << " " << centre.transpose();
  }
  for (int i = 6; i < actor->nv(); ++i) EXPECT_EQ(actor->torque_limits()[i], 1000);
}

TEST(Characters, Biped28HasSeventeenUnmirroredAxes) {
  const ActorPtr actor = Actor::load("biped28");
  EXPECT_EQ(actor->nv(), 6 + 28);
  int unmirrored = 0;
  for (const ActorJoint& joint : actor->joints()) {
    if (joint.type != JointType::free && !joint.name.starts_with("right_")) unmirrored += joint.dofs;
  }
  EXPECT_EQ(unmirrored, 17);
}

TEST(Characters, HumanoidIsTheFitOfTheBuiltInWalk) {
  FitOptions options;
  options.mass_kg = 70;
  const ActorPtr fitted = fit_actor(load_clip("walk"), options).actor, shipped = Actor::load("humanoid");
  EXPECT_NEAR(shipped->mass(), 70, 1e-3);
  ASSERT_EQ(shipped->nv(), fitted->nv())
      << "the built-in walk has changed: fit data/characters/humanoid.xml anew";
  ASSERT_EQ(shipped->bodies().size(), fitted->bodies().size());
  for (std::size_t i = 0; i < shipped->bodies().size(); ++i) {
    const ActorBody &a = shipped->bodies()[i], &b = fitted->bodies()[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_LT((a.offset - b.offset).norm(), 1e-5) << a.name;
    EXPECT_NEAR(a.mass, b.mass, 1e-4) << a.name;
  }
}

}  // namespace
}  // namespace stunt
