// What the mannequin needs to know of a character: where its bones go, which way its parts face, how thick they are.
// Internal to the mannequin.
#pragma once

#include <vector>

#include "stunt/actor/actor.h"

namespace stunt {

// One limb segment in its body's axes: from its joint along the bone.
struct Bone {
  Vec3 start = Vec3::Zero(), end = Vec3::Zero();  // m
  Vec3 along = Vec3::UnitX();                     // unit, from start to end
  Vec3 front = Vec3::UnitX();                     // unit: where the knee points, where the elbow bends to
  Vec3 inner = Vec3::UnitY();                     // unit: towards the other leg, or the palm's side
  double length = 0;                              // m
  double radius = 0;                              // m, of the physical shape

  Vec3 at(double share) const { return start + share * (end - start); }
};

class Anatomy {
 public:
  explicit Anatomy(const Actor& actor);

  const Actor& actor() const { return *actor_; }
  int body(Role role) const { return actor_->body(role); }
  bool human() const;    // legs and arms of both sides, pelvis and chest are known
  double scale() const;  // 1 for a stature of 1.75 m, by the length of the legs
  Side side(int body) const { return sides_[static_cast<std::size_t>(body)]; }
  const std::vector<int>& children(int body) const { return children_[static_cast<std::size_t>(body)]; }
  std::vector<int> way(int from,
                       int to) const;  // bodies from an ancestor to a body, both included; empty: no way

  // A direction that is the same for all bodies at rest, in one body's axes.
  Vec3 rest_direction(int body, const Vec3& world) const {
    return rest_turn_[static_cast<std::size_t>(body)].conjugate() * world;
  }
  Vec3 rest_point(int body, int other) const;       // another body's origin at rest, in this body's axes
  const Vec3& forward() const { return forward_; }  // unit, in the world, at rest
  const Vec3& left() const { return left_; }
  const Vec3& up() const { return up_; }

  // How far the body's physical shapes reach from its origin in a direction (unit, in its axes); `soles` counts the
  // foot's contact points too. -infinity where it has none.
  double reach(int body, const Vec3& direction, bool soles = false) const;
  std::vector<int> geoms(int body, bool soles = false) const;  // of actor().model()
  double reach_of_geom(int geom, const Vec3& direction) const;
  double radius(int body) const;  // m, of a limb's thickest shape; 0 where it has none
  Vec3 middle(int body) const;    // m, of its shapes, weighted by volume

  // The limb that a body is, up to `next` (or to where its shapes end, for -1).
  Bone bone(int body, int next) const;

 private:
  const Actor* actor_;
  std::vector<std::vector<int>> children_;
  std::vector<Side> sides_;
  std::vector<Vec3> rest_place_;
  std::vector<Quat> rest_turn_;
  Vec3 forward_ = Vec3::UnitX(), left_ = Vec3::UnitY(), up_ = Vec3::UnitZ();
};

// The part of `direction` at right angles to the unit `axis`, as unit; any such direction where there is none.
Vec3 across(const Vec3& direction, const Vec3& axis);

}  // namespace stunt
