#include "stunt/reference/staging/slope.h"

#include <gtest/gtest.h>

#include "stunt/actor/dynamics.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

TEST(Slope, FeetThatStoodOnTheFloorStandOnThePlane) {
  const Clip clip = load_clip("walk");
  const auto motion = clean_up(fit_actor(clip), clip).reference;
  for (const double slope : {-10.0, 5.0, 12.0}) {
    const Floor plane = plane_rising(slope, 30);
    EXPECT_NEAR(plane.slope_deg(), std::abs(slope), 1e-9);
    const auto climbing = adapted_to_plane(*motion, plane);
    ASSERT_EQ(climbing->size(), motion->size());
    std::vector<VecX> before, after;
    for (int i = 0; i < motion->size(); ++i) {
      before.push_back(motion->q(i));
      after.push_back(climbing->q(i));
    }
    const PointPaths level = contact_point_paths(*motion->actor(), before);
    ActorDynamics dynamics(motion->actor());
    const Vec3 normal = Vec3(-plane.slope.x(), -plane.slope.y(), 1).normalized();
    int standing = 0;
    for (int i = 0; i < motion->size(); i += 3) {
      dynamics.set_state(after[i], VecX::Zero(motion->actor()->nv()));
      for (std::size_t p = 0; p < level[i].size(); ++p) {
        if (!motion->contacts(i)[p]) continue;
        // A sphere as far from the plane as it was from the floor.
        const ContactPoint& point = motion->actor()->contact_points()[p];
        const Vec3 centre = dynamics.point(point.body, point.position);
        const double height = (centre - Vec3(0, 0, plane.height)).dot(normal) - point.radius;
        EXPECT_NEAR(height, level[i][p].z(), 0.004) << slope << " frame " << i << " point " << p;
        ++standing;
      }
    }
    EXPECT_GT(standing, 100);
  }
}

// Nothing pulls a body down faster than gravity; a reference that asks for it loses the ground.
TEST(Slope, OnTheWayDownTheHipsHardlyFall) {
  const Clip clip = load_clip("walk");
  const auto motion = adapted_to_plane(*clean_up(fit_actor(clip), clip).reference, plane_rising(-10, 0));
  constexpr int kStep = 3;  // frames
  const double h = kStep / motion->rate();
  for (int i = kStep; i + kStep < motion->size(); ++i) {
    const double a = (motion->q(i + kStep)[2] - 2 * motion->q(i)[2] + motion->q(i - kStep)[2]) / (h * h);
    EXPECT_GT(a, -11) << i;
  }
}

TEST(Slope, LevelGroundChangesNothing) {
  const Clip clip = load_clip("walk");
  const auto motion = clean_up(fit_actor(clip), clip).reference;
  const auto same = adapted_to_plane(*motion, {});
  VecX change;
  for (int i = 0; i < motion->size(); i += 10) {
    difference(*motion->actor(), motion->q(i), same->q(i), change);
    EXPECT_LT(change.cwiseAbs().maxCoeff(), 0.02) << i;
  }
}

}  // namespace
}  // namespace stunt
