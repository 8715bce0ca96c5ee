#include "stunt/reference/staging/live_edit.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/core/easing.h"
#include "stunt/core/error.h"
#include "stunt/motion/edit/keys.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

constexpr double kOver = 0.5;  // m, over which a change of the ground is eased in

// A sampled motion taken apart, and what is needed to change its poses.
class Rewriter {
 public:
  explicit Rewriter(const SampledReference& motion)
      : actor_(motion.actor()),
        rate_(motion.rate()),
        dynamics_(actor_),
        still_(VecX::Zero(actor_->nv())),
        step_(still_) {
    for (int i = 0; i < motion.size(); ++i) {
      q_.push_back(motion.q(i));
      contacts_.push_back(motion.contacts(i));
    }
    for (const bool left : {true, false}) {
      if (const auto leg = find_leg(*actor_, left)) legs_.push_back(*leg);
    }
  }

  std::shared_ptr<const SampledReference> done() {
    return std::make_shared<SampledReference>(actor_, rate_, std::move(q_), std::move(contacts_));
  }

  void reach(const ReachTarget& target) {
    const double end = target.end > 0 ? target.end : frames() / rate_;
    const int body = target.part == Role::pelvis ? 0 : actor_->body(target.part);
    if (body < 0) {
      throw InputError("reach", "a character without " + std::string(name(target.part)),
                       "a part that it has");
    }
    for (int i = 0; i < frames(); ++i) {
      const double t = i / rate_;
      if (t < target.start || t > end) continue;
      // Live, the beginning is always eased in: the motion up to now was another.
      double weight = target.ramp > 0 ? quintic_ease((t - target.start) / target.ramp) : 1;
      if (target.end > 0 && target.ramp > 0) weight *= quintic_ease((end - t) / target.ramp);
      dynamics_.set_state(q_[i], still_);
      const Vec3 from = dynamics_.body_position(body);
      const Vec3 to = from + weight * (target.position ? Vec3(*target.position - from) : target.offset);
      if (target.part == Role::pelvis) {
        move_body(i, to - from);
      } else if (const Leg* leg = leg_of(body)) {
        put_foot(dynamics_, *leg, {to, dynamics_.body_rotation(body)}, q_[i]);
      } else {
        bring(i, body, to);
      }
    }
  }

  // Positions p over the ground become place(p); feet are turned by turn(p).
  template <typename Place, typename Turn>
  void move_over_ground(Place place, Turn turn) {
    if (legs_.size() != 2) throw InputError("edit", "a character without two legs", "one with two legs");
    std::vector<double> drop(q_.size(), 0.0);
    std::vector<std::array<FootPose, 2>> feet(q_.size());
    for (int i = 0; i < frames(); ++i) {
      dynamics_.set_state(q_[i], still_);
      const Vec3 root = q_[i].head<3>(), shift = place(root) - root;
      for (std::size_t l = 0; l < 2; ++l) {
        const Vec3 foot = dynamics_.body_position(legs_[l].foot);
        feet[i][l] = {place(foot), turn(foot) * dynamics_.body_rotation(legs_[l].foot)};
        const Vec3 hip = dynamics_.body_position(legs_[l].thigh) + shift;
        drop[i] = std::max(drop[i], hip_drop(hip, feet[i][l].position, legs_[l].length));
      }
      q_[i].head<3>() += shift;
    }
    smooth_drop(drop, rate_);
    for (int i = 0; i < frames(); ++i) {
      q_[i][2] -= drop[i];
      for (std::size_t l = 0; l < 2; ++l) put_foot(dynamics_, legs_[l], feet[i][l], q_[i]);
    }
  }

  double step_length() {
    std::vector<Vec3> root, feet[2];
    for (int i = 0; i < frames(); ++i) {
      dynamics_.set_state(q_[i], still_);
      root.push_back(q_[i].head<3>());
      for (std::size_t l = 0; l < legs_.size(); ++l)
        feet[l].push_back(dynamics_.body_position(legs_[l].foot));
    }
    const double length = legs_.size() == 2 ? stunt::step_length(root, feet[0], feet[1]) : 0;
    if (length <= 0)
      throw InputError("stride", "a motion that does not walk from now on", "one with two steps or more");
    return length;
  }

  int frames() const { return static_cast<int>(q_.size()); }
  Vec3 start() const { return q_.front().head<3>(); }
  Vec3 end() const { return q_.back().head<3>(); }

 private:
  const Leg* leg_of(int body) const {
    for (const Leg& leg : legs_) {
      if (leg.foot == body) return &leg;
    }
    return nullptr;
  }

  void move_body(int i, const Vec3& by) {
    std::vector<FootPose> feet;
    for (const Leg& leg : legs_) feet.push_back(foot_pose(dynamics_, leg));
    q_[i].head<3>() += by;
    for (std::size_t l = 0; l < legs_.size(); ++l) put_foot(dynamics_, legs_[l], feet[l], q_[i]);
  }

  // The joints between the body and the trunk; the head takes those of the trunk, too.
  void bring(int i, int body, const Vec3& to) {
    constexpr int kRounds = 30;
    constexpr double kDamping = 0.02, kLongest = 0.1;  // m
    const int trunk = body == actor_->body(Role::head) ? 0 : std::max(0, actor_->body(Role::chest));
    std::vector<int> dofs;
    for (int b = body; b > 0 && b != trunk; b = actor_->bodies()[static_cast<std::size_t>(b)].parent) {
      const ActorBody& part = actor_->bodies()[static_cast<std::size_t>(b)];
      for (int j = part.first_joint; j < part.first_joint + part.joint_count; ++j) {
        const ActorJoint& joint = actor_->joints()[static_cast<std::size_t>(j)];
        for (int d = 0; d < joint.dofs; ++d) dofs.push_back(joint.v_address + d);
      }
    }
    for (int round = 0; round < kRounds; ++round) {
      dynamics_.set_state(q_[i], still_);
      const Vec3 place = dynamics_.body_position(body);
      Vec3 error = to - place;
      if (error.norm() < 1e-5) return;
      if (error.norm() > kLongest) error *= kLongest / error.norm();
      dynamics_.point_jacobian(body, place, jacobian_);
      Mat3 A = kDamping * kDamping * Mat3::Identity();
      for (const int d : dofs) A += jacobian_.col(d) * jacobian_.col(d).transpose();
      const Vec3 y = A.ldlt().solve(error);
      step_.setZero();
      for (const int d : dofs) step_[d] = jacobian_.col(d).dot(y);
      integrate(*actor_, q_[i], step_, 1, moved_);
      q_[i] = moved_;
      for (const ActorJoint& joint : actor_->joints()) {
        if (joint.type == JointType::hinge && joint.limited)
          q_[i][joint.q_address] = std::clamp(q_[i][joint.q_address], joint.lower, joint.upper);
      }
    }
  }

  ActorPtr actor_;
  double rate_;
  ActorDynamics dynamics_;
  VecX still_, step_, moved_;
  Jacobian jacobian_;
  std::vector<Leg> legs_;
  std::vector<VecX> q_;
  std::vector<std::vector<std::uint8_t>> contacts_;
};

// What has come of a rate that is eased in over kOver, after s metres: the integral of smooth_step.
double eased_in(double s) {
  if (s <= 0) return 0;
  const double x = s / kOver;
  return x < 1 ? kOver * x * x * x * (1 - 0.5 * x) : s - 0.5 * kOver;
}

struct LiveEdit {
  Rewriter& motion;

  void operator()(const ReachTarget& reach) { motion.reach(reach); }
  void operator()(const StrideEdit& stride) {
    const double factor = stride.by != 0 ? 1 + stride.by / motion.step_length() : stride.factor;
    Vec3 way = motion.end() - motion.start();
    way.z() = 0;
    if (way.norm() < 0.3)
      throw InputError("stride", "a motion that goes nowhere from now on", "one that walks");
    way.normalize();
    const Vec3 start = motion.start();
    motion.move_over_ground(
        [&](const Vec3& p) { return Vec3(p + (factor - 1) * eased_in((p - start).dot(way)) * way); },
        [](const Vec3&) { return Quat::Identity(); });
  }
  void operator()(const SlopeEdit& slope) {
    const double direction = radians(slope.direction_deg), rise = std::tan(radians(slope.slope_deg));
    const Vec3 way(std::cos(direction), std::sin(direction), 0), start = motion.start();
    motion.move_over_ground(
        [&](const Vec3& p) { return Vec3(p + rise * eased_in((p - start).dot(way)) * Vec3::UnitZ()); },
        [&](const Vec3& p) {
          const double steep = rise * smooth_step((p - start).dot(way) / kOver);
          return rotation_between(Vec3::UnitZ(), (Vec3::UnitZ() - steep * way).normalized());
        });
  }
  template <typename Other>
  void operator()(const Other&) {
    throw InputError("edit", "one that cannot be made while the motion is followed",
                     "stride, warp, reach or slope; others among the edits of a motion");
  }
};

class Warped : public Reference {
 public:
  Warped(ReferencePtr inner, const WarpEdit& warp) : inner_(std::move(inner)), warp_(warp) {}
  const ActorPtr& actor() const override { return inner_->actor(); }
  double duration() const override { return inner_->duration() + warp_delay(warp_); }
  void sample(double t, ReferenceSample& out) const override {
    const WarpedTime time = warped_time(warp_, t);
    inner_->sample(time.own, out);
    out.a = time.rate * time.rate * out.a + time.rate_change * out.v;
    out.v *= time.rate;
  }

 private:
  ReferencePtr inner_;
  WarpEdit warp_;
};

}  // namespace

std::shared_ptr<const SampledReference> excerpt(const Reference& motion, double from, double to) {
  std::vector<VecX> q;
  std::vector<std::vector<std::uint8_t>> contacts;
  ReferenceSample sample;
  const int count = std::max(3, static_cast<int>(std::ceil((to - from) * kReferenceRate)) + 1);
  for (int i = 0; i < count; ++i) {
    motion.sample(from + i / kReferenceRate, sample);
    q.push_back(sample.q);
    contacts.push_back(sample.contacts);
  }
  return std::make_shared<SampledReference>(motion.actor(), kReferenceRate, std::move(q),
                                            std::move(contacts));
}

std::shared_ptr<const SampledReference> edited(const SampledReference& motion, const Edit& edit) {
  Rewriter rewriter(motion);
  std::visit(LiveEdit{rewriter}, edit);
  return rewriter.done();
}

ReferencePtr warped(ReferencePtr inner, const WarpEdit& warp, double at) {
  WarpEdit placed = warp;
  placed.at += at;
  return std::make_shared<Warped>(std::move(inner), placed);
}

}  // namespace stunt
