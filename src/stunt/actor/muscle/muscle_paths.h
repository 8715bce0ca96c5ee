// Where the muscles of a body run: lengths and moment arms of all of them in one pass (Geijtenbeek 2013, eq. 7.8, 7.9).
//
//   L = sum |s_i|,  s_i = p_(i+1) - p_i        arm_j = dL/dq_j = [ (p_i - c) x s_i/|s_i| , s_i/|s_i| ] . dof_j
//
// over those segments whose ends lie on different sides of dof j, c any fixed point. A muscle's force F makes the joint
// forces -F arm: it pulls towards where it is shorter.
#pragma once

#include <span>
#include <vector>

#include "stunt/actor/muscle/muscle.h"

namespace stunt {

class MusclePaths {
 public:
  MusclePaths(ActorPtr actor, std::span<const Muscle> muscles);

  // Of the actor's own model: kinematics and mj_comPos (dof axes) done.
  void update(const mjData& data);

  int size() const { return static_cast<int>(length_.size()); }
  const VecX& length() const { return length_; }  // m
  // The arms of one muscle over one joint (all dofs of one body), in m per rad or m per m.
  struct Crossing {
    int muscle, body;  // the body that the joint moves
    int dof, count;    // consecutive in v
    int first;         // in arms()
  };
  std::span<const Crossing> crossings() const { return crossings_; }  // by muscle
  std::span<const double> arms() const { return arms_; }
  double arm(int muscle, int dof) const;  // 0 where it does not cross

  void lengthening(const VecX& v, VecX& rate) const;        // m/s
  void add_torques(const VecX& force, VecX& torque) const;  // N; adds to nv joint forces
  std::span<const Vec3> points(int muscle) const;           // m, world

 private:
  struct Segment {
    int point;                // its first, in positions_
    int crossing, crossings;  // in uses_
    int muscle;
  };
  struct Use {
    int crossing;
    double sign;  // +1: the joint moves the segment's end, -1: its beginning
  };
  ActorPtr actor_;
  std::vector<MusclePoint> local_;
  std::vector<Vec3> positions_;
  std::vector<int> first_point_;
  std::vector<Segment> segments_;
  std::vector<Use> uses_;
  std::vector<Crossing> crossings_;
  std::vector<double> arms_;
  VecX length_;
};

}  // namespace stunt
