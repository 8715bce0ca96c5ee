#include "stunt/report/mannequin/mannequin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "places.h"
#include "stunt/actor/fit/fit.h"
#include "stunt/motion/load.h"
#include "stunt/report/mannequin/loft.h"

namespace stunt {
namespace {

// Four legs, a tail, no human part and no name that means one; every kind of shape.
ActorPtr creature() {
  std::string legs;
  for (const auto& [name, x, y] :
       {std::tuple{"a", 0.3, 0.15}, {"b", 0.3, -0.15}, {"c", -0.3, 0.15}, {"d", -0.3, -0.15}}) {
    legs +=
        "<body name=\"" + std::string(name) + "1\" pos=\"" + std::to_string(x) + " " + std::to_string(y) +
        R"( -0.1"><joint type="ball"/><geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.04"/>
      <body name=")" +
        std::string(name) +
        R"(2" pos="0 0 -0.2"><joint axis="0 1 0"/><geom type="cylinder" fromto="0 0 0 0 0 -0.2" size="0.03"/></body></body>)";
  }
  return Actor::from_xml(R"(<mujoco><worldbody><body name="barrel" pos="0 0 0.5"><freejoint/>
    <geom type="box" size="0.35 0.15 0.1"/>)" +
                             legs +
                             R"(<body name="tail" pos="-0.35 0 0"><joint axis="0 1 0"/>
    <geom type="ellipsoid" size="0.2 0.03 0.04" pos="-0.2 0 0"/><geom type="sphere" size="0.05" pos="-0.4 0 0"/></body>
    </body></worldbody></mujoco>)",
                         "creature", "test");
}

std::vector<ActorPtr> all_actors() {
  std::vector<ActorPtr> actors;
  for (const char* name : {"humanoid", "mcsim3d", "mcsim2d", "biped28", "injury"})
    actors.push_back(Actor::load(name));
  actors.push_back(creature());
  return actors;
}

void expect_closed_and_outward(const Actor& actor) {
  for (const MannequinPiece& piece : make_mannequin(actor)) {
    const std::string place = actor.name() + ": " +
                              actor.bodies()[static_cast<std::size_t>(piece.body)].name + " " +
                              kSurfaceNames[static_cast<int>(piece.surface)];
    const TriangleMesh& mesh = piece.mesh;
    ASSERT_EQ(mesh.positions.size(), mesh.normals.size()) << place;
    ASSERT_EQ(mesh.indices.size() % 3, 0u) << place;
    // Closed: every edge is walked once each way.
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    int backwards = 0;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
      for (std::size_t k = 0; k < 3; ++k) ++edges[{mesh.indices[i + k], mesh.indices[i + (k + 1) % 3]}];
      const auto &a = mesh.positions[mesh.indices[i]], &b = mesh.positions[mesh.indices[i + 1]],
                 &c = mesh.positions[mesh.indices[i + 2]];
      const Eigen::Vector3f face = (b - a).cross(c - a);
      const Eigen::Vector3f mean = mesh.normals[mesh.indices[i]] + mesh.normals[mesh.indices[i + 1]] +
                                   mesh.normals[mesh.indices[i + 2]];
      if (face.norm() > 1e-8f && face.normalized().dot(mean) < 0) ++backwards;
    }
    for (const auto& [edge, count] : edges) {
      ASSERT_EQ(count, 1) << place;
      ASSERT_TRUE(edges.contains({edge.second, edge.first})) << place;
    }
    EXPECT_EQ(backwards, 0) << place;
    EXPECT_GT(volume(mesh), 1e-7) << place;
    for (const Eigen::Vector3f& p : mesh.positions) ASSERT_TRUE(p.allFinite() && p.norm() < 1) << place;
    for (const Eigen::Vector3f& n : mesh.normals) ASSERT_NEAR(n.norm(), 1, 1e-4) << place;
  }
}

// All triangles at rest, in the world.
struct Surfaces {
  std::vector<Vec3> corners;  // three per triangle
  // How many times the surfaces go round a point, by the solid angles they are seen under (van Oosterom and Strackee
  // 1983): 0 outside of all.
  double winding(const Vec3& point) const {
    double angle = 0;
    for (std::size_t i = 0; i < corners.size(); i += 3) {
      const Vec3 a = corners[i] - point, b = corners[i + 1] - point, c = corners[i + 2] - point;
      const double la = a.norm(), lb = b.norm(), lc = c.norm();
      angle +=
          2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
    }
    return angle / (4 * kPi);
  }
};

struct AtRest {
  explicit AtRest(const Actor& actor) : data(mj_makeData(&actor.model())) {
    mj_kinematics(&actor.model(), data.get());
    for (const MannequinPiece& piece : make_mannequin(actor)) {
      for (const std::uint32_t index : piece.mesh.indices)
        surfaces.corners.push_back(world(piece.body, piece.mesh.positions[index].cast<double>()));
    }
  }
  Vec3 world(int body, const Vec3& local) const {
    return vec3(data->xpos + 3 * (body + 1)) + quat_from_wxyz(data->xquat + 4 * (body + 1)) * local;
  }
  DataPtr data;
  Surfaces surfaces;
};

// From the joint of every limb to the next one, and up the trunk.
void expect_bones_inside(const Actor& actor) {
  const AtRest rest(actor);
  const std::pair<Role, Role> bones[] = {{Role::left_thigh, Role::left_shank},
                                         {Role::left_shank, Role::left_foot},
                                         {Role::right_thigh, Role::right_shank},
                                         {Role::right_shank, Role::right_foot},
                                         {Role::left_upper_arm, Role::left_forearm},
                                         {Role::left_forearm, Role::left_hand},
                                         {Role::right_upper_arm, Role::right_forearm},
                                         {Role::right_forearm, Role::right_hand},
                                         {Role::pelvis, Role::chest}};
  for (const auto& [from, to] : bones) {
    const int start = actor.body(from), end = actor.body(to);
    if (start < 0 || end < 0) continue;
    const Vec3 a = rest.world(start, Vec3::Zero()), b = rest.world(end, Vec3::Zero());
    for (const double share : {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0}) {
      EXPECT_GT(rest.surfaces.winding(a + share * (b - a)), 0.9)
          << actor.name() << ": " << name(from) << " at " << share;
    }
  }
  EXPECT_NEAR(rest.surfaces.winding(Vec3(5, 5, 5)), 0, 1e-6);
}

TEST(Mannequin, IsClosedAndFacesOutward) {
  for (const ActorPtr& actor : all_actors()) expect_closed_and_outward(*actor);
}

TEST(Mannequin, EnclosesTheBones) {
  for (const char* name : {"humanoid", "mcsim3d", "biped28", "injury"})
    expect_bones_inside(*Actor::load(name));
}

TEST(Mannequin, LeftIsTheMirrorOfRight) {
  for (const char* name : {"humanoid", "mcsim3d", "biped28"}) {
    const ActorPtr actor = Actor::load(name);
    const std::vector<MannequinPiece> pieces = make_mannequin(*actor);
    int compared = 0;
    for (const MannequinPiece& left : pieces) {
      const std::string& body = actor->bodies()[static_cast<std::size_t>(left.body)].name;
      if (!body.starts_with("left")) continue;
      const int other = actor->find_body("right" + body.substr(4));
      for (const MannequinPiece& right : pieces) {
        if (right.body != other || right.surface != left.surface) continue;
        ASSERT_EQ(left.mesh.positions.size(), right.mesh.positions.size()) << name << ": " << body;
        // These bodies' axes are the world's at rest, so the mirror is y to -y. A ball may begin elsewhere.
        float worst = 0;
        for (const Eigen::Vector3f& p : left.mesh.positions) {
          float nearest = 1;
          for (const Eigen::Vector3f& q : right.mesh.positions)
            nearest = std::min(nearest, (Eigen::Vector3f(p.x(), -p.y(), p.z()) - q).norm());
          worst = std::max(worst, nearest);
        }
        EXPECT_LT(worst, 1e-4f) << name << ": " << body;
        ++compared;
      }
    }
    EXPECT_GT(compared, 10) << name;
  }
}

TEST(Mannequin, StandsOnItsSoles) {
  for (const char* name : {"humanoid", "mcsim3d", "biped28"}) {
    const ActorPtr actor = Actor::load(name);
    const AtRest rest(*actor);
    double ground = 1e9, soles = 1e9;
    for (const ContactPoint& point : actor->contact_points())
      ground = std::min(ground, rest.world(point.body, point.position).z() - point.radius);
    for (const Vec3& corner : rest.surfaces.corners) soles = std::min(soles, corner.z());
    EXPECT_NEAR(soles, ground, 0.006) << name;
  }
}

TEST(Mannequin, WhatIsNotHumanKeepsItsShapes) {
  const ActorPtr actor = creature();
  int joints = 0;
  double skin = 0;
  for (const MannequinPiece& piece : make_mannequin(*actor)) {
    EXPECT_TRUE(piece.surface == Surface::skin || piece.surface == Surface::joint);
    joints += piece.surface == Surface::joint;
    if (piece.surface == Surface::skin) skin += volume(piece.mesh);
  }
  EXPECT_EQ(joints, 9);  // one for every body but the root
  double shapes = 8 * 0.35 * 0.15 * 0.1 + 4.0 / 3 * kPi * (0.2 * 0.03 * 0.04 + 0.05 * 0.05 * 0.05);
  shapes += 4 * kPi * (0.04 * 0.04 * 0.2 + 4.0 / 3 * 0.04 * 0.04 * 0.04 + 0.03 * 0.03 * 0.2);
  EXPECT_NEAR(skin, shapes, 0.12 * shapes);  // edges are rounded
}

TEST(Mannequin, FitsACapturedBody) {
  const std::filesystem::path clip = in_source("../shared/mocap/cmu/walk_07_01.bvh");
  if (!std::filesystem::exists(clip)) GTEST_SKIP() << "needs a captured clip, " << clip;
  const ActorPtr actor = fit_actor(load_clip(clip.string())).actor;
  expect_closed_and_outward(*actor);
  expect_bones_inside(*actor);
}

}  // namespace
}  // namespace stunt
