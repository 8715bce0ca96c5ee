// Joints that follow others, as MJCF's <equality><joint joint1 joint2 polycoef/></equality> says: the kneecap's and the
// tibia's slides of a knee, vertebrae that share one bend.
//
//   q_follower = q0_follower + sum_k c_k (q_leader - q0_leader)^k                       k = 0 ... 4; without a leader: c_0
//
// What is left free are the leaders x: q = g(x), v = G(x) x', and joint forces tau on q are G(x)^T tau on x.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "stunt/actor/actor.h"

namespace stunt {

class JointCouplings {
 public:
  JointCouplings() = default;
  // Those of the actor's model that are on. Throws InputError at `place` for a constraint of another kind (bodies that are
  // welded or pinned together close a loop), a joint that follows twice, and joints that follow each other.
  JointCouplings(const Actor& actor, const std::string& place);

  bool empty() const { return followers_.empty(); }
  bool follows(int dof) const { return !empty() && follows_[static_cast<std::size_t>(dof)] != 0; }
  void settle(VecX& q) const;  // puts the followers where their leaders want them
  // G^T tau at q, in place: what acts on a follower acts on its leader instead.
  void gather(const VecX& q, Eigen::Ref<VecX> tau) const;

 private:
  struct Follower {
    int q, dof;                // of the joint that follows
    int leader_q, leader_dof;  // -1: none, it stays where it is
    double rest, leader_rest;
    std::array<double, 5> c;
  };
  std::vector<Follower> followers_;  // whoever follows a follower comes after it
  std::vector<char> follows_;        // per dof
};

}  // namespace stunt
