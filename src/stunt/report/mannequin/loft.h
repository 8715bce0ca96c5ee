// Smooth closed surfaces through rings: what every part of the mannequin is made of.
#pragma once

#include <span>
#include <vector>

#include "stunt/core/rotation.h"
#include "stunt/report/pictures/shapes.h"

namespace stunt {

// A closed curve around a centre: |s / side|^p + |f / depth|^p = 1, with a depth and a power p of its own for the front
// and for the back. p = 2 is an ellipse, more is squarer. All in m.
struct Ring {
  Vec3 centre = Vec3::Zero();
  Vec3 side = Vec3::UnitY(), front = Vec3::UnitX();  // unit, at right angles
  double side_half = 0, front_half = 0, back_half = 0;
  double front_power = 2, back_power = 2;

  Vec3 at(double angle) const;  // rad, from the side to the front
  Ring scaled(double factor) const;
  Ring moved(const Vec3& by) const;
};

// The surface through at least two rings, `around` vertices each, closed by the centres of the first and the last one.
// Normals are the mean of the neighbouring faces'; faces look outward whichever way the rings go.
TriangleMesh loft(std::span<const Ring> rings, int around);

// The same from ring `first` to the last, with both ends rounded off over `start` and `end` metres along the way: the
// rings between shrink like the latitudes of a ball.
std::vector<Ring> rounded_ends(std::vector<Ring> rings, double start, double end);

// A smooth way through given rings, which are `steps` + 1 afterwards: a Catmull-Rom curve in every one of their numbers.
std::vector<Ring> smooth(std::span<const Ring> rings, int steps);

// An ellipsoid with these half axes along side, front and their cross product.
TriangleMesh ellipsoid(const Vec3& centre, const Vec3& side, const Vec3& front, const Vec3& half, int around);

// The part of a lofted surface between two rings and two angles (rad) as a shell of its own, `above` the surface and as
// far below it.
TriangleMesh shell(std::span<const Ring> rings, double from, double to, double above, int around);

double volume(const TriangleMesh& mesh);  // m^3; negative when the faces look inward

}  // namespace stunt
