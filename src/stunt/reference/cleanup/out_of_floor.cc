#include "stunt/reference/cleanup/out_of_floor.h"

#include <algorithm>
#include <array>

#include "stunt/reference/cleanup/body_height.h"
#include "stunt/reference/cleanup/floor_touch.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

constexpr double kLeft = 0.005, kNoticed = 0.01;  // m: depth that is left, and from which on it is changed

class Raising {
 public:
  Raising(const ActorPtr& actor, double rate_hz, std::vector<VecX>& q)
      : actor_(*actor),
        rate_(rate_hz),
        q_(q),
        touches_(actor),
        dynamics_(actor),
        still_(VecX::Zero(actor->nv())) {
    for (const bool left : {true, false}) {
      if (const auto leg = find_leg(actor_, left)) legs_.push_back(*leg);
    }
    arm_.assign(actor_.bodies().size(), 0);
    for (std::size_t b = 0; b < arm_.size(); ++b) {
      const int body = static_cast<int>(b), parent = actor_.bodies()[b].parent;
      arm_[b] = body == actor_.body(Role::left_upper_arm) || body == actor_.body(Role::right_upper_arm) ||
                (parent >= 0 && arm_[static_cast<std::size_t>(parent)]);
    }
  }

  // The deepest point (m, positive) of arms or of the rest, over all frames: per frame.
  std::vector<double> depths(bool arms) {
    std::vector<double> depth;
    for (const VecX& pose : q_) {
      double deepest = 0;
      for (const FloorTouch& touch : touches_.find(pose, -kLeft)) {
        if (static_cast<bool>(arm_[static_cast<std::size_t>(touch.body)]) == arms)
          deepest = std::max(deepest, -kLeft - touch.point.z());
      }
      depth.push_back(deepest);
    }
    return depth;
  }

  // Feet stay.
  void raise(const std::vector<double>& depth) {
    std::vector<double> most;
    for (const double d : depth) most.push_back(-d);
    const std::vector<double> path = smooth_below(most, rate_);
    for (std::size_t i = 0; i < q_.size(); ++i) {
      if (std::abs(path[i]) < 1e-4) continue;
      std::vector<FootPose> feet;
      dynamics_.set_state(q_[i], still_);
      for (const Leg& leg : legs_) feet.push_back(foot_pose(dynamics_, leg));
      q_[i][2] -= path[i];
      for (std::size_t l = 0; l < legs_.size(); ++l) put_foot(dynamics_, legs_[l], feet[l], q_[i]);
    }
  }

  // By damped least squares on the arm's own joints.
  void turn_arms(VecX& pose) {
    constexpr int kRounds = 8;
    constexpr double kDamping = 0.01;  // m^2
    for (int round = 0; round < kRounds; ++round) {
      VecX change = VecX::Zero(actor_.nv());
      dynamics_.set_state(pose, still_);
      std::array<double, 2> deepest = {0, 0};
      std::array<VecX, 2> row;
      for (const FloorTouch& touch : touches_.find(pose, -kLeft)) {
        if (!arm_[static_cast<std::size_t>(touch.body)]) continue;
        const std::size_t side = descends_from(touch.body, actor_.body(Role::left_upper_arm)) ? 0 : 1;
        const double depth = -kLeft - touch.point.z();
        if (depth <= deepest[side]) continue;
        deepest[side] = depth;
        dynamics_.point_jacobian(touch.body, touch.point, jacobian_);
        row[side] = jacobian_.row(2).transpose();
        for (const ActorJoint& joint : actor_.joints()) {
          if (!arm_[static_cast<std::size_t>(joint.body)])
            row[side].segment(joint.v_address, joint.dofs).setZero();
        }
      }
      if (deepest[0] + deepest[1] < 1e-3) return;
      for (const std::size_t side : {0, 1}) {
        if (deepest[side] > 0) change += row[side] * (deepest[side] / (row[side].squaredNorm() + kDamping));
      }
      VecX next;
      integrate(actor_, pose, change, 1, next);
      pose = next;
    }
  }

 private:
  bool descends_from(int body, int ancestor) const {
    for (; body >= 0; body = actor_.bodies()[static_cast<std::size_t>(body)].parent) {
      if (body == ancestor) return true;
    }
    return false;
  }

  const Actor& actor_;
  double rate_;
  std::vector<VecX>& q_;
  FloorTouches touches_;
  ActorDynamics dynamics_;
  const VecX still_;
  std::vector<Leg> legs_;
  std::vector<std::uint8_t> arm_;  // per body
  Jacobian jacobian_;
};

double largest(const std::vector<double>& depth) { return *std::max_element(depth.begin(), depth.end()); }

}  // namespace

double bring_out_of_floor(const ActorPtr& actor, double rate_hz, std::vector<VecX>& q) {
  Raising raising(actor, rate_hz, q);
  const std::vector<double> body = raising.depths(false), arms = raising.depths(true);
  const double deepest = std::max(largest(body), largest(arms));
  if (deepest < kNoticed) return 0;
  if (largest(body) > kNoticed) raising.raise(body);
  const std::vector<double> arms_now = raising.depths(true);
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (arms_now[i] > 0) raising.turn_arms(q[i]);
  }
  const std::vector<double> rest = raising.depths(true);
  if (largest(rest) > kNoticed) raising.raise(rest);
  return deepest;
}

}  // namespace stunt
