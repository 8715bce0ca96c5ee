#include "stunt/core/rotation.h"

#include <gtest/gtest.h>

#include "stunt/core/random.h"

namespace stunt {
namespace {

Vec3 random_vector(Random& random, double size) {
  return size * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
}

TEST(Rotation, LogInvertsExp) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 w = random_vector(random, i % 2 ? 1.7 : 1e-7);
    EXPECT_LT((log_map(exp_map(w)) - w).norm(), 1e-12 + 1e-9 * w.norm());
  }
}

TEST(Rotation, ExpAgreesWithEigensAngleAxis) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3 w = random_vector(random, 3);
    const Mat3 expected = Eigen::AngleAxisd(w.norm(), w.normalized()).toRotationMatrix();
    EXPECT_LT((exp_map(w).toRotationMatrix() - expected).norm(), 1e-12);
  }
}

TEST(Rotation, HeadingIsTheYawOfAnUprightBody) {
  for (double yaw = -3; yaw < 3; yaw += 0.25) {
    EXPECT_NEAR(heading(yaw_rotation(yaw) * axis_angle(Vec3::UnitY(), 0.4)), yaw, 1e-12);
  }
}

TEST(Rotation, TwistIsTheAngleAboutTheAxis) {
  const Vec3 axis = Vec3(1, 2, 3).normalized();
  for (double angle = -3; angle < 3; angle += 0.5) {
    EXPECT_NEAR(twist_angle(axis_angle(axis, angle), axis), angle, 1e-12);
    const Quat swing = axis_angle(axis.cross(Vec3::UnitZ()).normalized(), 0.3);
    EXPECT_NEAR(twist_angle(swing * axis_angle(axis, angle), axis), angle, 1e-12);
  }
}

}  // namespace
}  // namespace stunt
