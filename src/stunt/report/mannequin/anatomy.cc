#include "stunt/report/mannequin/anatomy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stunt/report/pictures/palette.h"

namespace stunt {
namespace {

constexpr int kHiddenFrom = 3;  // groups of geoms that viewers do not show: contact points

double shape_volume(const mjModel& m, int geom) {
  const double* s = m.geom_size + 3 * geom;
  switch (m.geom_type[geom]) {
    case mjGEOM_SPHERE:
      return 4.0 / 3 * kPi * s[0] * s[0] * s[0];
    case mjGEOM_CAPSULE:
      return kPi * s[0] * s[0] * (2 * s[1] + 4.0 / 3 * s[0]);
    case mjGEOM_CYLINDER:
      return kPi * s[0] * s[0] * 2 * s[1];
    case mjGEOM_ELLIPSOID:
      return 4.0 / 3 * kPi * s[0] * s[1] * s[2];
    default:
      return 8 * s[0] * s[1] * s[2];
  }
}

// The unit direction of a hinge that bends one way much further than the other, towards which it carries `along`;
// zero where the body has other joints.
Vec3 bends_towards(const Actor& actor, int body, const Vec3& along) {
  const ActorBody& part = actor.bodies()[static_cast<std::size_t>(body)];
  if (part.joint_count != 1) return Vec3::Zero();
  const ActorJoint& joint = actor.joints()[static_cast<std::size_t>(part.first_joint)];
  if (joint.type != JointType::hinge || !joint.limited) return Vec3::Zero();
  const double sense = joint.upper + joint.lower;
  if (std::abs(sense) < 0.5) return Vec3::Zero();
  const Vec3 way = joint.axis.cross(along) * (sense > 0 ? 1.0 : -1.0);
  return way.norm() > 0.5 ? Vec3(way.normalized()) : Vec3(Vec3::Zero());
}

}  // namespace

Vec3 across(const Vec3& direction, const Vec3& axis) {
  const Vec3 flat = direction - direction.dot(axis) * axis;
  if (flat.norm() > 1e-6) return flat.normalized();
  return axis.unitOrthogonal();
}

Anatomy::Anatomy(const Actor& actor) : actor_(&actor) {
  const auto& bodies = actor.bodies();
  children_.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const ActorBody& part = bodies[b];
    sides_.push_back(body_side(actor, static_cast<int>(b)));
    if (part.parent < 0) {
      rest_place_.push_back(Vec3::Zero());
      rest_turn_.push_back(part.rest);
      continue;
    }
    const auto parent = static_cast<std::size_t>(part.parent);
    children_[parent].push_back(static_cast<int>(b));
    rest_place_.push_back(rest_place_[parent] + rest_turn_[parent] * part.offset);
    rest_turn_.push_back(rest_turn_[parent] * part.rest);
  }
  // Which way the character faces: from hip to hip, and up along the trunk.
  const int pelvis = body(Role::pelvis), chest = body(Role::chest);
  const int left = body(Role::left_thigh), right = body(Role::right_thigh);
  if (pelvis < 0 || left < 0 || right < 0) return;
  const auto place = [&](int b) { return rest_place_[static_cast<std::size_t>(b)]; };
  const Vec3 hips = 0.5 * (place(left) + place(right));
  const int above = chest >= 0 ? chest : body(Role::head);
  const Vec3 trunk = above >= 0 ? Vec3(place(above) - hips) : Vec3(Vec3::UnitZ());
  const Vec3 aside = place(left) - place(right);
  if (trunk.norm() > 1e-3) up_ = trunk.normalized();
  if (aside.norm() > 1e-3) {
    left_ = across(aside, up_);
  } else {
    // Legs in one plane: their hinges turn about the axis across it.
    const int knee = body(Role::left_shank);
    if (knee >= 0) {
      const ActorBody& part = bodies[static_cast<std::size_t>(knee)];
      if (part.joint_count > 0) {
        const Vec3 axis = rest_turn_[static_cast<std::size_t>(knee)] *
                          actor.joints()[static_cast<std::size_t>(part.first_joint)].axis;
        if (axis.norm() > 0.5) left_ = across(axis, up_);
      }
    }
  }
  forward_ = left_.cross(up_);
}

bool Anatomy::human() const {
  for (const Role role :
       {Role::pelvis, Role::chest, Role::left_thigh, Role::right_thigh, Role::left_shank, Role::right_shank,
        Role::left_upper_arm, Role::right_upper_arm, Role::left_forearm, Role::right_forearm}) {
    if (body(role) < 0) return false;
  }
  return !way(body(Role::pelvis), body(Role::chest)).empty();
}

double Anatomy::scale() const {
  const int shank = body(Role::left_shank), foot = body(Role::left_foot);
  double legs = 0;
  if (shank >= 0) legs += actor_->bodies()[static_cast<std::size_t>(shank)].offset.norm();
  legs = foot >= 0 ? legs + actor_->bodies()[static_cast<std::size_t>(foot)].offset.norm() : 2 * legs;
  return legs > 0 ? legs / 0.86 : 1;
}

std::vector<int> Anatomy::way(int from, int to) const {
  std::vector<int> bodies;
  for (int b = to; b >= 0; b = actor_->bodies()[static_cast<std::size_t>(b)].parent) {
    bodies.insert(bodies.begin(), b);
    if (b == from) return bodies;
  }
  return {};
}

Vec3 Anatomy::rest_point(int body, int other) const {
  const auto b = static_cast<std::size_t>(body), o = static_cast<std::size_t>(other);
  return rest_turn_[b].conjugate() * (rest_place_[o] - rest_place_[b]);
}

std::vector<int> Anatomy::geoms(int body, bool soles) const {
  const mjModel& m = actor_->model();
  std::vector<int> out;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_bodyid[g] != body + 1 || m.geom_type[g] == mjGEOM_PLANE) continue;
    if (!soles && (m.geom_group[g] >= kHiddenFrom || m.geom_rgba[4 * g + 3] == 0)) continue;
    out.push_back(g);
  }
  return out;
}

double Anatomy::reach_of_geom(int geom, const Vec3& direction) const {
  const mjModel& m = actor_->model();
  const double* s = m.geom_size + 3 * geom;
  const Vec3 d = quat_from_wxyz(m.geom_quat + 4 * geom).conjugate() * direction;
  const double centre = vec3(m.geom_pos + 3 * geom).dot(direction);
  switch (m.geom_type[geom]) {
    case mjGEOM_SPHERE:
      return centre + s[0];
    case mjGEOM_CAPSULE:
      return centre + s[0] + s[1] * std::abs(d.z());
    case mjGEOM_CYLINDER:
      return centre + s[0] * std::hypot(d.x(), d.y()) + s[1] * std::abs(d.z());
    case mjGEOM_ELLIPSOID:
      return centre + Vec3(s[0] * d.x(), s[1] * d.y(), s[2] * d.z()).norm();
    case mjGEOM_MESH: {
      double most = -std::numeric_limits<double>::infinity();
      const int mesh = m.geom_dataid[geom];
      for (int v = 0; mesh >= 0 && v < m.mesh_vertnum[mesh]; ++v) {
        const float* p = m.mesh_vert + 3 * static_cast<std::ptrdiff_t>(m.mesh_vertadr[mesh] + v);
        most = std::max(most, Vec3(p[0], p[1], p[2]).dot(d));
      }
      return centre + most;
    }
    default:
      return centre + std::abs(s[0] * d.x()) + std::abs(s[1] * d.y()) + std::abs(s[2] * d.z());
  }
}

double Anatomy::reach(int body, const Vec3& direction, bool soles) const {
  double most = -std::numeric_limits<double>::infinity();
  for (const int geom : geoms(body, soles)) most = std::max(most, reach_of_geom(geom, direction));
  return most;
}

double Anatomy::radius(int body) const {
  const mjModel& m = actor_->model();
  double most = 0;
  for (const int geom : geoms(body)) {
    const double* s = m.geom_size + 3 * geom;
    double own = s[0];
    if (m.geom_type[geom] != mjGEOM_SPHERE && m.geom_type[geom] != mjGEOM_CAPSULE &&
        m.geom_type[geom] != mjGEOM_CYLINDER) {
      double half[] = {s[0], s[1], s[2]};
      std::sort(half, half + 3);
      own = std::sqrt(half[0] * half[1]);  // of a bar of this cross-section, about
    }
    most = std::max(most, own);
  }
  return most;
}

Vec3 Anatomy::middle(int body) const {
  const mjModel& m = actor_->model();
  Vec3 sum = Vec3::Zero();
  double all = 0;
  for (const int geom : geoms(body)) {
    const double share = shape_volume(m, geom);
    sum += share * vec3(m.geom_pos + 3 * geom);
    all += share;
  }
  return all > 0 ? Vec3(sum / all) : Vec3(Vec3::Zero());
}

Bone Anatomy::bone(int body, int next) const {
  Bone bone;
  const Vec3 centre = middle(body);
  bone.radius = radius(body);
  if (next >= 0) {
    bone.end = actor_->bodies()[static_cast<std::size_t>(next)].offset;
  } else if (centre.norm() > 1e-3) {
    // Along its longest shape, if that is long; else to where its shapes are.
    Vec3 way = centre.normalized();
    const mjModel& m = actor_->model();
    double longest = 2;  // half length over radius
    for (const int geom : geoms(body)) {
      const double* s = m.geom_size + 3 * geom;
      const bool round = m.geom_type[geom] == mjGEOM_CAPSULE || m.geom_type[geom] == mjGEOM_CYLINDER;
      if (!round || s[1] < longest * s[0]) continue;
      longest = s[1] / s[0];
      const Vec3 axis = quat_from_wxyz(m.geom_quat + 4 * geom) * Vec3::UnitZ();
      way = axis.dot(centre) < 0 ? Vec3(-axis) : axis;
    }
    bone.end = std::max(1e-3, reach(body, way) - 0.4 * bone.radius) * way;
  }
  bone.length = (bone.end - bone.start).norm();
  bone.along = bone.length > 1e-6 ? Vec3((bone.end - bone.start) / bone.length) : rest_direction(body, -up_);
  if (bone.radius <= 0) bone.radius = 0.14 * bone.length;
  // Shapes that lie beside the line between the joints, as those of a planar character do, take the limb along.
  const Vec3 beside = centre - centre.dot(bone.along) * bone.along;
  if (beside.norm() > 0.8 * bone.radius) {
    bone.start += beside;
    bone.end += beside;
  }
  // Where a hinge says which way a knee or an elbow bends, that is surer than the rest pose.
  bone.front = across(rest_direction(body, forward_), bone.along);
  const bool leg = body == this->body(Role::left_thigh) || body == this->body(Role::right_thigh) ||
                   body == this->body(Role::left_shank) || body == this->body(Role::right_shank);
  const bool upper = body == this->body(Role::left_thigh) || body == this->body(Role::right_thigh) ||
                     body == this->body(Role::left_upper_arm) || body == this->body(Role::right_upper_arm);
  const int hinge = upper ? next : body;
  if (hinge >= 0) {
    const ActorBody& lower = actor_->bodies()[static_cast<std::size_t>(hinge)];
    const Vec3 along = upper ? Vec3(lower.rest.conjugate() * bone.along) : bone.along;
    Vec3 bend = bends_towards(*actor_, hinge, along);
    if (upper) bend = lower.rest * bend;
    if (bend.norm() > 0.5) bone.front = across(leg ? Vec3(-bend) : bend, bone.along);
  }
  bone.inner = (side(body) == Side::right ? -1.0 : 1.0) * bone.along.cross(bone.front);
  return bone;
}

}  // namespace stunt
