#include "stunt/world/nearest.h"

#include <gtest/gtest.h>

#include "stunt/core/random.h"
#include "tests/test_scenes.h"

namespace stunt {
namespace {

// Against MuJoCo's own distance between a small sphere and the shape.
TEST(Nearest, AgreesWithMujocoOnEveryShape) {
  const auto scene = test::compile_mjcf(R"(<mujoco><worldbody>
    <geom type="plane" size="1 1 1" pos="0 0 -0.3"/>
    <body pos="0.1 0.2 0.3" euler="20 30 40"><geom type="sphere" size="0.2"/></body>
    <body pos="0.1 0.2 0.3" euler="20 30 40"><geom type="capsule" size="0.1 0.3" pos="0.1 0 0"/></body>
    <body pos="0.1 0.2 0.3" euler="20 30 40"><geom type="box" size="0.1 0.3 0.05" euler="10 0 70"/></body>
    <body pos="0.1 0.2 0.3" euler="20 30 40"><geom type="cylinder" size="0.2 0.02"/></body>
    <body pos="0.1 0.2 0.3" euler="20 30 40"><geom type="cylinder" size="0.05 0.3"/></body>
    <body name="probe"><freejoint/><geom type="sphere" size="0.001"/></body>
  </worldbody></mujoco>)");
  const mjModel& m = *scene->model;
  const DataPtr data(mj_makeData(&m));
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Vec3 point(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    std::copy_n(point.data(), 3, data->qpos);
    mj_kinematics(&m, data.get());
    for (int g = 0; g + 1 < m.ngeom; ++g) {
      const Vec3 place = Eigen::Map<const Vec3>(data->geom_xpos + 3 * g);
      double wxyz[4];
      mju_mat2Quat(wxyz, data->geom_xmat + 9 * g);
      const Nearest found = nearest_on(m, g, place, quat_from_wxyz(wxyz), point);
      const double distance = mj_geomDistance(&m, data.get(), g, m.ngeom - 1, 10, nullptr);
      if (found.distance > 0.01) {  // MuJoCo's iteration is exact apart, and not where shapes overlap
        EXPECT_NEAR(found.distance, distance + 0.001, 1e-4) << "geom " << g;
      } else {
        EXPECT_LT(distance, 0.011) << "geom " << g;
      }
      // Along the normal the distance grows by as much.
      const Nearest beyond = nearest_on(m, g, place, quat_from_wxyz(wxyz), point + 0.01 * found.normal);
      EXPECT_NEAR(beyond.distance, found.distance + 0.01, 1e-9) << "geom " << g;
    }
  }
}

}  // namespace
}  // namespace stunt
