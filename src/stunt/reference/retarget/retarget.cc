#include "stunt/reference/retarget/retarget.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "stunt/core/error.h"
#include "stunt/reference/cleanup/filter.h"
#include "stunt/reference/cleanup/joint_limits.h"
#include "stunt/reference/legs/leg.h"
#include "stunt/reference/retarget/anatomy.h"

namespace stunt {
namespace {

// The part of the motion's actor that a part of the character follows; where a skeleton is coarser, its
// neighbour.
const SegmentAxes* counterpart(const Anatomy& source, Role role) {
  if (const SegmentAxes* same = source.find(role)) return same;
  if (role == Role::head) return source.find(Role::neck);
  if (role == Role::chest) return source.find(Role::spine);
  return nullptr;
}

// All joints turn about one axis: a character in a plane. That axis in the world, in the rest pose.
std::optional<Vec3> planar_axis(const ActorPtr& actor) {
  ActorDynamics dynamics(actor);
  dynamics.set_state(actor->rest_q(), VecX::Zero(actor->nv()));
  std::optional<Vec3> axis;
  for (const ActorJoint& joint : actor->joints()) {
    if (joint.type == JointType::free) continue;
    if (joint.type != JointType::hinge) return std::nullopt;
    const Vec3 here = dynamics.body_rotation(joint.body) * joint.axis;
    if (!axis) axis = here;
    if (std::abs(axis->dot(here)) < 0.999) return std::nullopt;
  }
  return axis;
}

double limited(const ActorJoint& joint, double value) {
  return joint.limited ? std::clamp(value, joint.lower, joint.upper) : value;
}

// Sets the joints of one body. `base`: world rotation of the body with its joints at zero.
class BodyTurner {
 public:
  BodyTurner(const Actor& actor, const ActorBody& body)
      : body_(body), joints_(&actor.joints()[body.first_joint]) {}

  bool single_hinge() const { return body_.joint_count == 1 && joints_[0].type == JointType::hinge; }

  // A hinge that points `along` (body axes) as near as it can to a direction (world).
  void point(const Quat& base, const Vec3& along, const Vec3& direction, VecX& q) const {
    const Vec3& axis = joints_[0].axis;
    const Vec3 to = base.conjugate() * direction;
    const double sine = axis.dot(along.cross(to));
    const double cosine = along.dot(to) - axis.dot(along) * axis.dot(to);
    if (std::hypot(sine, cosine) < 0.05) return;  // along the axis: any angle is as good as the last
    const double before = q[joints_[0].q_address];
    const double angle = std::atan2(sine, cosine);
    q[joints_[0].q_address] = limited(joints_[0], before + std::remainder(angle - before, 2 * kPi));
  }

  // Any joints: as near as they can to a rotation (world).
  void turn(const Quat& base, const Quat& rotation, VecX& q) const {
    const Quat wanted = base.conjugate() * rotation;
    if (joints_[0].type == JointType::ball) {
      Vec3 w = log_map(wanted);
      if (joints_[0].limited && w.norm() > joints_[0].upper) w *= joints_[0].upper / w.norm();
      quat_to_wxyz(same_hemisphere(exp_map(w), quat_from_wxyz(&q[joints_[0].q_address])),
                   &q[joints_[0].q_address]);
      return;
    }
    // Hinges in any directions: damped Gauss-Newton from where they are.
    for (int iteration = 0; iteration < 10; ++iteration) {
      MatX J(3, body_.joint_count);
      Quat now = Quat::Identity();
      for (int j = 0; j < body_.joint_count; ++j) {
        const bool turns = joints_[j].type == JointType::hinge;
        J.col(j) = turns ? Vec3(now * joints_[j].axis) : Vec3(Vec3::Zero());
        if (turns) now = now * axis_angle(joints_[j].axis, q[joints_[j].q_address]);
      }
      const Vec3 error = log_map(wanted * now.conjugate());
      MatX normal = J.transpose() * J;
      normal.diagonal().array() += 1e-4;
      const VecX step = normal.ldlt().solve(J.transpose() * error);
      for (int j = 0; j < body_.joint_count; ++j) {
        double& value = q[joints_[j].q_address];
        if (joints_[j].type == JointType::hinge)
          value = limited(joints_[j], value + std::clamp(step[j], -0.5, 0.5));
      }
      if (step.norm() < 1e-7) break;
    }
  }

 private:
  const ActorBody& body_;
  const ActorJoint* joints_;
};

Vec3 horizontal(const Vec3& v) { return Vec3(v.x(), v.y(), 0); }

class Retargeter {
 public:
  Retargeter(const SampledReference& motion, const ActorPtr& character)
      : motion_(motion),
        actor_(*character),
        source_(motion.actor()),
        target_(character),
        source_anatomy_(motion.actor()),
        anatomy_(character),
        at_rest_(VecX::Zero(actor_.nv())),
        source_at_rest_(VecX::Zero(motion.actor()->nv())),
        planar_(planar_axis(character)) {
    scale_ = anatomy_.leg_length / source_anatomy_.leg_length;
    lift_ = anatomy_.ankle_height - scale_ * source_anatomy_.ankle_height;
    segment_.assign(actor_.bodies().size(), nullptr);
    from_.assign(actor_.bodies().size(), nullptr);
    world_.resize(actor_.bodies().size());
    for (const SegmentAxes& segment : anatomy_.segments) {
      segment_[segment.body] = &segment;
      from_[segment.body] = counterpart(source_anatomy_, segment.role);
      if (!from_[segment.body]) missing_.push_back(segment.role);
    }
    source_.set_state(motion.q(0), source_at_rest_);
    start_ = horizontal(hip_centre(source_));
    if (planar_) find_plane();
  }

  double scale() const { return scale_; }
  bool planar() const { return planar_.has_value(); }
  const std::vector<Role>& missing() const { return missing_; }

  std::vector<VecX> run() {
    std::vector<VecX> q(motion_.size());
    for (int i = 0; i < motion_.size(); ++i) {
      q[i] = i > 0 ? q[i - 1] : actor_.rest_q();
      pose(motion_.q(i), q[i]);
    }
    make_continuous(actor_, q);
    return q;
  }

 private:
  void pose(const VecX& source_q, VecX& q) {
    source_.set_state(source_q, source_at_rest_);
    for (int body = 0; body < static_cast<int>(world_.size()); ++body) turn_body(body, q);
    // The hips go where the scaled path says, whichever body the root is.
    q.head<3>().setZero();
    target_.set_state(q, at_rest_);
    Vec3 way = hip_centre(source_) - start_;
    if (planar_) way = Vec3(0, 0, way.z()) + forward_ * forward_.dot(way);
    q.head<3>() = start_ + scale_ * way + Vec3(0, 0, lift_) - hip_centre(target_);
  }

  void turn_body(int index, VecX& q) {
    const ActorBody& body = actor_.bodies()[index];
    const Quat base = body.parent < 0 ? Quat::Identity() : world_[body.parent] * body.rest;
    world_[index] = base;
    if (body.joint_count == 0) return;
    const ActorJoint* joints = &actor_.joints()[body.first_joint];
    const BodyTurner turner(actor_, body);
    if (joints[0].type == JointType::free) {
      const Quat turn = !from_[index] ? body.rest : planar_ ? in_plane(wanted(index)) : wanted(index);
      quat_to_wxyz(turn, &q[joints[0].q_address + 3]);
      world_[index] = turn;
      return;
    }
    if (from_[index] && turner.single_hinge()) {
      turner.point(base, segment_[index]->along, wanted_direction(index), q);
    } else if (from_[index]) {
      turner.turn(base, suited_to_hinge_below(index, wanted(index)), q);
    } else if (const auto share = share_of_bend(index, base)) {
      turner.turn(base, *share, q);
    }
    for (int j = 0; j < body.joint_count; ++j) {
      const int at = joints[j].q_address;
      if (joints[j].type == JointType::ball) world_[index] = world_[index] * quat_from_wxyz(&q[at]);
      if (joints[j].type == JointType::hinge)
        world_[index] = world_[index] * axis_angle(joints[j].axis, q[at]);
    }
  }

  // World rotation that the body should have now, and the direction of its segment.
  Quat wanted(int body) {
    const SegmentAxes& there = *from_[body];
    return source_.body_rotation(there.body) * there.frame() * segment_[body]->frame().conjugate();
  }
  Vec3 wanted_direction(int body) { return source_.body_rotation(from_[body]->body) * from_[body]->along; }

  // A thigh or upper arm above a hinge is turned about itself until the hinge lies across the bend. A
  // straight limb says nothing about that, so its turn fades to the wanted one.
  Quat suited_to_hinge_below(int index, const Quat& rotation) {
    constexpr double kStraight = 0.15;  // sine of the bend at which both count alike
    const Role role = segment_[index]->role;
    const bool above_hinge = role == Role::left_thigh || role == Role::right_thigh ||
                             role == Role::left_upper_arm || role == Role::right_upper_arm;
    const int below = above_hinge ? actor_.body(static_cast<Role>(static_cast<int>(role) + 1)) : -1;
    if (below < 0 || !from_[below] || actor_.bodies()[below].parent != index) return rotation;
    const auto axis = bending_axis(actor_, below);
    if (!axis) return rotation;
    const Vec3 along = wanted_direction(index), bend = along.cross(wanted_direction(below));
    Vec3 hinge = rotation * (actor_.bodies()[below].rest * *axis);
    hinge -= along * along.dot(hinge);
    if (hinge.norm() < 0.5) return rotation;
    hinge.normalize();
    const double angle = std::atan2(along.dot(hinge.cross(bend)), std::max(0.0, hinge.dot(bend)) + kStraight);
    return axis_angle(along, angle) * rotation;
  }

  // A joint that the motion's actor does not have, between two that it has (a second one in the spine or
  // neck): half of the bend.
  std::optional<Quat> share_of_bend(int index, const Quat& base) {
    if (!segment_[index]) return std::nullopt;
    const Role role = segment_[index]->role;
    const int next = role == Role::spine  ? actor_.body(Role::chest)
                     : role == Role::neck ? actor_.body(Role::head)
                                          : -1;
    if (next < 0 || !from_[next] || actor_.bodies()[next].parent != index) return std::nullopt;
    return base.slerp(0.5, wanted(next) * actor_.bodies()[next].rest.conjugate());
  }

  // The vertical plane that a planar character stays in: through the start, along the mean heading of the
  // pelvis.
  void find_plane() {
    const SegmentAxes* there = from_[0];
    if (!there) throw InputError("character '" + actor_.name() + "'", "a root that is no pelvis", "a pelvis");
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < motion_.size(); ++i) {
      source_.set_state(motion_.q(i), source_at_rest_);
      const Vec3 ahead = source_.body_rotation(there->body) * there->side.cross(there->along);
      sum += horizontal(ahead);
    }
    forward_ = sum.norm() > 1e-9 ? Vec3(sum.normalized()) : Vec3(Vec3::UnitX());
    const Quat rest = actor_.bodies()[0].rest;
    const Vec3 rest_forward = rest * segment_[0]->side.cross(segment_[0]->along);
    plane_turn_ =
        yaw_rotation(std::atan2(forward_.y(), forward_.x()) - std::atan2(rest_forward.y(), rest_forward.x()));
  }
  Quat in_plane(const Quat& rotation) const {
    const Quat rest = actor_.bodies()[0].rest;
    const Vec3 from = rest * segment_[0]->along;
    const Vec3 to = plane_turn_.conjugate() * (rotation * segment_[0]->along);
    const double pitch = std::atan2(planar_->dot(from.cross(to)), from.dot(to));
    return plane_turn_ * axis_angle(*planar_, pitch) * rest;
  }

  const SampledReference& motion_;
  const Actor& actor_;
  ActorDynamics source_, target_;
  Anatomy source_anatomy_, anatomy_;
  VecX at_rest_, source_at_rest_;
  std::optional<Vec3> planar_;
  Vec3 start_ = Vec3::Zero(), forward_ = Vec3::UnitX();
  Quat plane_turn_ = Quat::Identity();
  double scale_ = 1, lift_ = 0;
  std::vector<const SegmentAxes*> segment_, from_;  // per body of the character; null where there is none
  std::vector<Quat> world_;                         // per body: its rotation, as far as it has been set
  std::vector<Role> missing_;
};

// The character's own bodies, and the place of every body among them; what it holds is left out.
struct OwnBodies {
  std::vector<int> bodies, place;
  explicit OwnBodies(const Actor& actor) {
    for (std::size_t b = 0; b < actor.bodies().size(); ++b) {
      place.push_back(static_cast<int>(bodies.size()));
      if (!actor.bodies()[b].attached) bodies.push_back(static_cast<int>(b));
    }
  }
  int of(int body) const { return body < 0 ? -1 : place[static_cast<std::size_t>(body)]; }
};

// The same bones, joints, limits and soles, up to the digits of a file.
bool same_body(const Actor& a, const Actor& b) {
  const OwnBodies own_a(a), own_b(b);
  constexpr double kDigits = 1e-4;
  const auto near = [](const auto& x, const auto& y) { return (x - y).norm() < kDigits; };
  if (own_a.bodies.size() != own_b.bodies.size() || a.joints().size() != b.joints().size() ||
      a.contact_points().size() != b.contact_points().size() || a.nq() != b.nq()) {
    return false;
  }
  for (std::size_t i = 0; i < own_a.bodies.size(); ++i) {
    const ActorBody& x = a.bodies()[static_cast<std::size_t>(own_a.bodies[i])];
    const ActorBody& y = b.bodies()[static_cast<std::size_t>(own_b.bodies[i])];
    if (own_a.of(x.parent) != own_b.of(y.parent) || x.joint_count != y.joint_count ||
        x.first_joint != y.first_joint || (i > 0 && !near(x.offset, y.offset)) ||
        x.rest.angularDistance(y.rest) > kDigits) {
      return false;
    }
  }
  for (std::size_t i = 0; i < a.joints().size(); ++i) {
    const ActorJoint &x = a.joints()[i], &y = b.joints()[i];
    if (x.type != y.type || x.q_address != y.q_address || x.limited != y.limited ||
        !near(x.anchor, y.anchor)) {
      return false;
    }
    if (x.type == JointType::hinge && !near(x.axis, y.axis)) return false;
    if (x.limited && std::max(std::abs(x.lower - y.lower), std::abs(x.upper - y.upper)) > kDigits)
      return false;
  }
  for (std::size_t i = 0; i < a.contact_points().size(); ++i) {
    const ContactPoint &x = a.contact_points()[i], &y = b.contact_points()[i];
    if (own_a.of(x.body) != own_b.of(y.body) || x.left != y.left || !near(x.position, y.position))
      return false;
  }
  return true;
}

// Heels, balls and toes stand when those of the motion's actor do.
ContactTable carried_over(const SampledReference& motion, const Actor& character) {
  std::vector<VecX> q(motion.size());
  for (int i = 0; i < motion.size(); ++i) q[i] = motion.q(i);
  const ContactTable stands = standing(*motion.actor(), q, motion.rate());
  ContactTable out(motion.size(), std::vector<std::uint8_t>(character.contact_points().size(), 0));
  for (const bool left : {true, false}) {
    const auto from = find_leg(*motion.actor(), left), to = find_leg(character, left);
    const std::vector<int>& from_tip = from->tip.empty() ? from->ball : from->tip;
    std::vector<int> from_front = from->ball;
    if (to->tip.empty()) from_front.insert(from_front.end(), from->tip.begin(), from->tip.end());
    for (int i = 0; i < motion.size(); ++i) {
      const auto carry = [&](const std::vector<int>& there, const std::vector<int>& here) {
        const bool loaded = std::any_of(there.begin(), there.end(), [&](int p) { return stands[i][p] != 0; });
        for (const int p : here) out[i][p] = loaded;
      };
      carry(from->heel, to->heel);
      carry(from_front, to->ball);
      carry(from_tip, to->tip);
    }
  }
  return out;
}

}  // namespace

std::shared_ptr<const SampledReference> retarget(const SampledReference& motion, const ActorPtr& character,
                                                 RetargetReport* report) {
  if (same_body(*motion.actor(), *character)) {
    std::vector<VecX> q(motion.size());
    ContactTable contacts(motion.size());
    for (int i = 0; i < motion.size(); ++i) {
      q[i] = motion.q(i);
      contacts[i] = motion.contacts(i);
    }
    if (report) *report = {};
    return std::make_shared<SampledReference>(character, motion.rate(), std::move(q), std::move(contacts));
  }
  Retargeter retargeter(motion, character);
  std::vector<VecX> q = retargeter.run();
  ContactTable contacts = carried_over(motion, *character);
  RetargetReport out{retargeter.scale(), retargeter.planar(), retargeter.missing(), {}, {}, {}, 0};
  out.before = foot_errors(character, q, contacts, motion.rate());
  const std::vector<VecX> before = q;
  out.plant = plant_feet(character, q, contacts, motion.rate(), true);
  keep_within_limits(*character, q, false);
  out.after = foot_errors(character, q, contacts, motion.rate());
  out.mean_change_deg = mean_change_deg(*character, before, q);
  if (report) *report = out;
  contacts = loadable(*character, q, motion.rate());
  return std::make_shared<SampledReference>(character, motion.rate(), std::move(q), std::move(contacts));
}

}  // namespace stunt
