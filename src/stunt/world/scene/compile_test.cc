#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "stunt/core/error.h"
#include "tests/test_scenes.h"

namespace stunt {
namespace {

using test::compile_yaml;
using test::kSmallActor;

int geom(const mjModel& m, const std::string& name) { return mj_name2id(&m, mjOBJ_GEOM, name.c_str()); }
int body_geom(const mjModel& m, const std::string& name) {
  return m.body_geomadr[mj_name2id(&m, mjOBJ_BODY, name.c_str())];
}

bool collide(const mjModel& m, int a, int b) {
  EXPECT_GE(a, 0);
  EXPECT_GE(b, 0);
  return (m.geom_contype[a] & m.geom_conaffinity[b]) || (m.geom_contype[b] & m.geom_conaffinity[a]);
}

constexpr const char* kEverything = R"(
actors:
  - {name: anna, motion: walk}
  - {name: ben, motion: walk}
objects:
  - {name: crate, mass: 3}
  - {name: wall, fixed: true, size: [1, 0.1, 2], position: [3, 0, 1]}
platforms: [{name: lift, position: [0, 5, 1]}]
seesaws: [{name: board, position: [0, -5, 0.3], heading_deg: 90, limit_deg: 15}]
throws:
  - {count: 3, every: 1, shape: box, size: 0.3, mass: 2}
  - {count: 0, every: 1}
  - {}
)";

TEST(Compile, AnEmptySceneHasAGroundOnly) {
  const auto scene = compile_yaml("");
  EXPECT_EQ(scene->model->nbody, 1);
  EXPECT_EQ(scene->model->ngeom, 1);
  EXPECT_TRUE(scene->is_support(0));
  EXPECT_EQ(compile_yaml("ground: {present: false}")->model->ngeom, 0);
}

TEST(Compile, SlopeGoesUphillAlongItsDirection) {
  const auto scene = compile_yaml("ground: {slope_deg: 10, direction_deg: 30, height: 0.5}");
  const mjModel& m = *scene->model;
  const Vec3 normal = quat_from_wxyz(m.geom_quat) * Vec3::UnitZ();
  // Height of the plane one metre along the direction: tan(10 deg) above the height at the origin.
  const Vec3 uphill(std::cos(radians(30)), std::sin(radians(30)), 0);
  EXPECT_NEAR(-normal.dot(uphill) / normal.z(), std::tan(radians(10)), 1e-12);
  EXPECT_NEAR(normal.dot(Vec3(-uphill.y(), uphill.x(), 0)), 0, 1e-12);
  EXPECT_EQ(m.geom_pos[2], 0.5);
}

TEST(Compile, EveryActorIsOneBlockThatEqualsTheActorAlone) {
  const auto scene = compile_yaml(kEverything);
  const mjModel& m = *scene->model;
  ASSERT_EQ(scene->actors.size(), 2u);
  for (const ActorSlot& slot : scene->actors) {
    const mjModel& own = slot.actor->model();
    EXPECT_EQ(slot.nq, own.nq);
    EXPECT_EQ(slot.nv, own.nv);
    for (int b = 1; b < own.nbody; ++b) {
      const int body = slot.first_body + b - 1;
      EXPECT_EQ(slot.name + "/" + (own.names + own.name_bodyadr[b]), m.names + m.name_bodyadr[body]);
      EXPECT_EQ(m.body_mass[body], own.body_mass[b]);
      EXPECT_EQ(m.body_dofnum[body], own.body_dofnum[b]);
      EXPECT_EQ(m.body_dofadr[body], slot.first_v + own.body_dofadr[b]);
      EXPECT_EQ(m.jnt_qposadr[m.body_jntadr[body]], slot.first_q + own.jnt_qposadr[own.body_jntadr[b]]);
      EXPECT_EQ(scene->actor_of(body), &slot - scene->actors.data());
    }
    for (int j = 0; j < own.njnt; ++j) {
      const int joint = m.body_jntadr[slot.first_body] + j;
      EXPECT_EQ(m.jnt_range[2 * joint + 1], own.jnt_range[2 * j + 1]);
      EXPECT_EQ(m.dof_damping[m.jnt_dofadr[joint]], own.dof_damping[own.jnt_dofadr[j]]);
    }
  }
  EXPECT_EQ(scene->actor_of(0), -1);
}

TEST(Compile, WhoCollidesWithWhom) {
  const auto scene = compile_yaml(kEverything);
  const mjModel& m = *scene->model;
  const int ground = geom(m, "ground"), crate = body_geom(m, "crate"), wall = body_geom(m, "wall"),
            lift = body_geom(m, "lift"), board = body_geom(m, "board"), ball = body_geom(m, "throw0_0"),
            trunk = body_geom(m, "anna/trunk"), thigh = body_geom(m, "anna/left_thigh"),
            foot = geom(m, "anna/left_box"), toe = geom(m, "anna/left_toe"), mark = geom(m, "anna/mark"),
            other = body_geom(m, "ben/trunk"), other_toe = geom(m, "ben/left_toe"),
            other_foot = geom(m, "ben/left_box");
  for (const int support : {ground, wall, lift, board}) {
    for (const int what : {crate, ball, trunk, toe, other_toe}) EXPECT_TRUE(collide(m, support, what));
    for (const int what : {ground, wall, lift, board, foot, mark}) EXPECT_FALSE(collide(m, support, what));
  }
  for (const int what : {crate, ball, trunk, thigh, foot, other}) EXPECT_TRUE(collide(m, crate, what));
  for (const int what : {toe, mark}) EXPECT_FALSE(collide(m, crate, what));
  for (const int what : {other, other_foot}) EXPECT_TRUE(collide(m, trunk, what));
  for (const int what : {thigh, foot, toe, other_toe, mark}) EXPECT_FALSE(collide(m, trunk, what));
  EXPECT_FALSE(collide(m, toe, other_toe));
  EXPECT_GT(m.geom_priority[ground], m.geom_priority[crate]);
  EXPECT_GT(m.geom_priority[crate], m.geom_priority[trunk]);
}

TEST(Compile, ThrownBodiesWaitInPools) {
  const auto scene = compile_yaml(kEverything);
  std::vector<std::string> names;
  for (const auto& slot : scene->free_bodies) {
    if (slot.waiting) names.push_back(slot.name);
    EXPECT_EQ(scene->model->body_dofadr[slot.body], slot.first_v);
  }
  EXPECT_EQ(names.size(), 3u + 8 + 1);
  EXPECT_EQ(names.front(), "throw0_0");
  EXPECT_EQ(names.back(), "throw2_0");
  EXPECT_EQ(scene->model->body_mass[mj_name2id(scene->model.get(), mjOBJ_BODY, "throw0_2")], 2);
}

TEST(Compile, ObjectsHaveTheirMassSizeAndTurn) {
  const auto scene = compile_yaml(R"(
objects:
  - {name: ball, shape: sphere, size: 0.2, density: 1000}
  - {name: rod, shape: capsule, size: [0.1, 0.5], rotation_deg: [90, 0, 90], mass: 2}
  - {name: box, size: [1, 2, 3], density: 10}
)");
  const mjModel& m = *scene->model;
  EXPECT_NEAR(m.body_mass[1], 1000 * 4.0 / 3 * kPi * 0.001, 1e-9);
  EXPECT_NEAR(m.body_mass[2], 2, 1e-12);
  EXPECT_NEAR(m.body_mass[3], 60, 1e-9);
  EXPECT_NEAR(m.body_inertia[9] + m.body_inertia[10] + m.body_inertia[11], 60.0 / 6 * (1 + 4 + 9), 1e-6);
  // About x by 90 degrees the rod points along -y, then about z by 90 along +x.
  EXPECT_LT((quat_from_wxyz(m.body_quat + 8) * Vec3::UnitZ() - Vec3::UnitX()).norm(), 1e-12);
}

TEST(Compile, SeesawsAndPlatforms) {
  const auto scene = compile_yaml(kEverything);
  const mjModel& m = *scene->model;
  const int hinge = mj_name2id(&m, mjOBJ_JOINT, "board/hinge");
  ASSERT_GE(hinge, 0);
  EXPECT_NEAR(m.jnt_range[2 * hinge + 1], radians(15), 1e-12);
  ASSERT_EQ(scene->platforms.size(), 1u);
  const PlatformSlot& lift = scene->platforms[0];
  EXPECT_EQ(m.body_dofadr[lift.body], lift.first_v);
  EXPECT_EQ(m.body_dofnum[lift.body], 3);
  // `position` is the centre of the top face.
  EXPECT_NEAR(m.body_pos[3 * lift.body + 2] + m.geom_size[3 * m.body_geomadr[lift.body] + 2], 1, 1e-12);
  for (const char* name : {"lift", "board", "wall"})
    EXPECT_TRUE(scene->is_support(mj_name2id(&m, mjOBJ_BODY, name)));
  EXPECT_FALSE(scene->is_support(mj_name2id(&m, mjOBJ_BODY, "crate")));
}

TEST(Compile, TheXmlGivesTheSameModel) {
  const auto scene = compile_yaml(kEverything);
  const mjModel& m = *scene->model;
  const auto again = test::compile_mjcf(scene->xml);
  const mjModel& n = *again->model;
  ASSERT_EQ(n.nv, m.nv);
  ASSERT_EQ(n.ngeom, m.ngeom);
  for (int g = 0; g < m.ngeom; ++g) {
    EXPECT_EQ(n.geom_contype[g], m.geom_contype[g]);
    EXPECT_EQ(n.geom_conaffinity[g], m.geom_conaffinity[g]);
    EXPECT_EQ(n.geom_priority[g], m.geom_priority[g]);
    EXPECT_NEAR(n.geom_solref[mjNREF * g], m.geom_solref[mjNREF * g], 1e-6);
  }
  for (int b = 0; b < m.nbody; ++b) EXPECT_NEAR(n.body_mass[b], m.body_mass[b], 1e-4 * (1 + m.body_mass[b]));
  EXPECT_EQ(n.opt.timestep, m.opt.timestep);
  EXPECT_EQ(n.opt.disableflags, m.opt.disableflags);
}

TEST(Compile, AnActorsFrictionIsItsOwn) {
  const auto scene = compile_yaml(R"(
ground: {friction: 0.8}
actors:
  - {name: anna, motion: walk, plant: {friction: 0.5}}
  - {name: ben, motion: walk}
platforms: [{position: [0, 5, 1], friction: 0.4}]
)");
  const auto again = test::compile_mjcf(scene->xml);
  for (const mjModel* m : {scene->model.get(), again->model.get()}) {
    int with_ground = 0;
    for (int p = 0; p < m->npair; ++p) {
      const int bodies[] = {m->geom_bodyid[m->pair_geom1[p]], m->geom_bodyid[m->pair_geom2[p]]};
      const auto anna = std::count_if(bodies, bodies + 2, [&](int b) {
        return std::string(m->names + m->name_bodyadr[b]).starts_with("anna/");
      });
      EXPECT_EQ(anna, 1);
      EXPECT_EQ(m->pair_dim[p], 3);
      const bool ground = std::min(bodies[0], bodies[1]) == 0;
      EXPECT_NEAR(m->pair_friction[5 * p], ground ? 0.4 : 0.2, 1e-9);
      with_ground += ground;
    }
    EXPECT_EQ(with_ground, 5);  // trunk, two thighs, toe, heel; not the box that meets other things only
    EXPECT_EQ(m->npair, 10);
  }
  EXPECT_EQ(compile_yaml(kEverything)->model->npair, 0);
}

TEST(Compile, ABodyCannotHaveTheNameOfAThrownOne) {
  EXPECT_THROW(compile_yaml("actors: [{motion: a}]\nobjects: [{name: throw0_0}]\nthrows: [{}]\n"),
               InputError);
}

TEST(MujocoMessages, AnErrorInsideMujocoIsAnException) {
  const auto scene = compile_yaml("objects: [{name: box}]");
  const ModelPtr small(mj_copyModel(nullptr, scene->model.get()));
  small->narena = 2000;  // bytes: too little for any step
  const auto step = [&] {
    std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(small.get()), mj_deleteData);
    mj_step(small.get(), data.get());
  };
  EXPECT_THROW(step(), RunError);
}

}  // namespace
}  // namespace stunt
