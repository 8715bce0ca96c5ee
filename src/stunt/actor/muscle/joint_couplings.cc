#include "stunt/actor/muscle/joint_couplings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stunt/core/error.h"

namespace stunt {
namespace {

const char* kind_of_equality(int type) {
  switch (type) {
    case mjEQ_CONNECT:
      return "<connect>, bodies pinned together";
    case mjEQ_WELD:
      return "<weld>, bodies welded together";
    case mjEQ_TENDON:
      return "<tendon>, tendons of coupled length";
    default:
      return "a constraint between soft bodies";
  }
}

}  // namespace

JointCouplings::JointCouplings(const Actor& actor, const std::string& place) {
  const mjModel& m = actor.model();
  follows_.assign(static_cast<std::size_t>(m.nv), 0);
  for (int e = 0; e < m.neq; ++e) {
    if (!m.eq_active0[e]) continue;
    if (m.eq_type[e] != mjEQ_JOINT)
      throw InputError(place, fmt::format("an equality {}", kind_of_equality(m.eq_type[e])),
                       "couplings of joints alone (<equality><joint/>)");
    const int joint = m.eq_obj1id[e], leader = m.eq_obj2id[e];
    Follower follower{m.jnt_qposadr[joint],
                      m.jnt_dofadr[joint],
                      leader < 0 ? -1 : m.jnt_qposadr[leader],
                      leader < 0 ? -1 : m.jnt_dofadr[leader],
                      m.qpos0[m.jnt_qposadr[joint]],
                      leader < 0 ? 0 : m.qpos0[m.jnt_qposadr[leader]],
                      {}};
    std::copy_n(&m.eq_data[mjNEQDATA * e], follower.c.size(), follower.c.begin());
    if (std::exchange(follows_[static_cast<std::size_t>(follower.dof)], 1) != 0)
      throw InputError(place,
                       fmt::format("joint '{}', which follows two others", m.names + m.name_jntadr[joint]),
                       "one leader for each joint");
    followers_.push_back(follower);
  }
  // Leaders first.
  std::vector<Follower> rest = std::move(followers_);
  followers_.clear();
  while (!rest.empty()) {
    std::vector<Follower> waiting;
    for (const Follower& one : rest) {
      const bool waits = std::any_of(rest.begin(), rest.end(),
                                     [&](const Follower& other) { return other.dof == one.leader_dof; });
      (waits ? waiting : followers_).push_back(one);
    }
    if (waiting.size() == rest.size())
      throw InputError(place, "joints that follow each other", "one that leads");
    rest = std::move(waiting);
  }
}

void JointCouplings::settle(VecX& q) const {
  for (const Follower& one : followers_) {
    const double x = one.leader_q < 0 ? 0 : q[one.leader_q] - one.leader_rest;
    double value = 0;
    for (std::size_t k = one.c.size(); k-- > 0;) value = value * x + one.c[k];
    q[one.q] = one.rest + value;
  }
}

void JointCouplings::gather(const VecX& q, Eigen::Ref<VecX> tau) const {
  for (auto one = followers_.rbegin(); one != followers_.rend(); ++one) {
    if (one->leader_q >= 0) {
      const double x = q[one->leader_q] - one->leader_rest;
      double slope = 0;
      for (std::size_t k = one->c.size(); k-- > 1;) slope = slope * x + static_cast<double>(k) * one->c[k];
      tau[one->leader_dof] += slope * tau[one->dof];
    }
    tau[one->dof] = 0;
  }
}

}  // namespace stunt
