// What the ground must have done for a body to move as it did: Geijtenbeek 2013, section 4.2.3, step 2.
//
// The ground can push but not pull, it holds no more than friction allows, and it pushes only where the body touches
// it. Of the external force and moment that a motion needs, this is the largest part that such ground can give. The
// rest is what no ground explains (realism.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stunt/core/geometry2d.h"
#include "stunt/motion/roles.h"
#include "stunt/world/engine.h"

namespace stunt {

// A place of the body that touches the ground.
struct SupportPoint {
  int body;       // of the actor
  Side side;      // left or right foot; middle: any other part
  Vec3 position;  // m, world
};

// What the ground does to the body at one place.
struct PointLoad {
  int body;      // of the actor
  Side side;     // as the support point
  Vec3 point;    // m, world
  Vec3 force;    // N, world axes
  double twist;  // Nm, about the ground's normal, beside the force
};

// How the load is shared between places.
enum class Split {
  // The centre of pressure lies in the hull of everything that touches the ground, and the shares of the places
  // reproduce it: of all such shares those whose places lie nearest to it (least sum of share times squared
  // distance: the corners of the Delaunay triangle that it lies in).
  hull,
  // Eq. 4.8, 4.9: each foot pushes at its own point that is nearest to the wanted centre of pressure, the nearer
  // foot more: in proportion to 1/distance, which is what 4.9 says with its two weights exchanged. Reproduces the
  // centre of pressure only where it lies on the line between the two points or in a foot.
  paper
};
Split split_from_name(const std::string& name);  // "hull" or "paper"; throws InputError

struct Ground {
  Vec3 point = Vec3::Zero();    // m, anywhere on the plane
  Vec3 normal = Vec3::UnitZ();  // unit
  double friction = 1;          // mu
};

struct GroundReaction {
  Wrench total{Vec3::Zero(), Vec3::Zero()};  // moment about the world's origin
  Vec3 wanted_centre = Vec3::Zero();         // m, c_e of eq. 4.7: where the wanted force meets the plane
  Vec3 centre = Vec3::Zero();                // m, where it really pushes
  std::vector<PointLoad> loads;              // empty where nothing touches, or the wanted force pulls
};

// `wanted`: the external force and moment, about the world's origin. `supports`: what touches now, as seen on the
// plane: heights above it are dropped.
GroundReaction ground_reaction(const Wrench& wanted, std::span<const SupportPoint> supports,
                               const Ground& ground, Split split = Split::hull);

// Shares (each >= 0, sum 1) of `points` that put their mean at p: those of the triangle of points with the least sum of
// share times squared distance from p. p must lie in the hull; rounding is forgiven.
std::vector<double> nearest_shares(std::span<const Vec2> points, const Vec2& p);

}  // namespace stunt
