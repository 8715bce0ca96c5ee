#include "stunt/actor/variation.h"

#include <array>
#include <cmath>

#include "stunt/core/error.h"

namespace stunt {
namespace {

// 1 for `top` and all below it. Bodies come after their parents.
std::vector<char> below(const Actor& actor, int top, const char* part) {
  if (top < 0)
    throw InputError(part, "the character '" + actor.name() + "', which has none", "a character with legs");
  std::vector<char> inside(actor.bodies().size(), 0);
  inside[top] = 1;
  for (std::size_t b = 0; b < inside.size(); ++b) {
    if (const int parent = actor.bodies()[b].parent; parent >= 0 && inside[parent]) inside[b] = 1;
  }
  return inside;
}

std::vector<double> mass_factors(const Actor& actor, const Variation& variation) {
  std::vector<double> factors(actor.bodies().size(), variation.mass);
  if (variation.legs_mass == 1 && variation.left_leg_mass == 1 && variation.upper_body_mass == 1)
    return factors;
  const std::vector<char> left = below(actor, actor.body(Role::left_thigh), "left leg");
  const std::vector<char> right = below(actor, actor.body(Role::right_thigh), "right leg");
  for (std::size_t b = 0; b < factors.size(); ++b) {
    factors[b] *= left[b] || right[b] ? variation.legs_mass : variation.upper_body_mass;
    if (left[b]) factors[b] *= variation.left_leg_mass;
  }
  return factors;
}

struct RestPose {
  std::vector<Vec3> positions;
  std::vector<Quat> rotations;
};

RestPose rest_pose(const Actor& actor) {
  RestPose pose;
  for (const ActorBody& body : actor.bodies()) {
    const bool root = body.parent < 0;
    pose.positions.push_back(root ? body.offset
                                  : pose.positions[body.parent] + pose.rotations[body.parent] * body.offset);
    pose.rotations.push_back(root ? body.rest : pose.rotations[body.parent] * body.rest);
  }
  return pose;
}

// Where a foot points in the rest pose (unit, horizontal): from the ankle to the middle of its contact
// points.
Vec3 foot_direction(const Actor& actor, const RestPose& rest, int foot, bool left) {
  Vec3 sum = Vec3::Zero();
  for (const ContactPoint& point : actor.contact_points()) {
    if (point.left == left) {
      sum += rest.positions[point.body] + rest.rotations[point.body] * point.position - rest.positions[foot];
    }
  }
  sum.z() = 0;
  if (sum.norm() < 1e-6) {
    throw InputError("foot_length", "the character '" + actor.name() + "', whose feet point nowhere",
                     "feet with contact points ahead of the ankle");
  }
  return sum.normalized();
}

void lengthen(mjsGeom* geom, const Mat3& stretch) {
  Eigen::Map<Vec3> position(geom->pos);
  position = stretch * position;
  const Mat3 axes = quat_from_wxyz(geom->quat).toRotationMatrix();
  if (geom->type == mjGEOM_BOX || geom->type == mjGEOM_ELLIPSOID) {
    for (int i = 0; i < 3; ++i) geom->size[i] *= (stretch * axes.col(i)).norm();
  } else if (geom->type == mjGEOM_CAPSULE || geom->type == mjGEOM_CYLINDER) {
    geom->size[1] *= (stretch * axes.col(2)).norm();
  }
}

// Everything on the feet and toes is moved along the foot, as seen from the ankle.
void lengthen_feet(const Actor& actor, double factor, const std::vector<mjsBody*>& bodies) {
  const RestPose rest = rest_pose(actor);
  for (const bool left : {true, false}) {
    const int foot = actor.body(left ? Role::left_foot : Role::right_foot);
    const std::vector<char> inside = below(actor, foot, "foot");
    const Vec3 forward = foot_direction(actor, rest, foot, left);
    const auto stretch_in = [&](int body) -> Mat3 {  // in a body's own axes
      const Vec3 own = rest.rotations[body].conjugate() * forward;
      return Mat3::Identity() + (factor - 1) * own * own.transpose();
    };
    for (std::size_t b = 0; b < inside.size(); ++b) {
      if (!inside[b]) continue;
      if (static_cast<int>(b) != foot) {
        Eigen::Map<Vec3> offset(bodies[b]->pos);
        offset = stretch_in(actor.bodies()[b].parent) * offset;
      }
      for (auto* e = mjs_firstChild(bodies[b], mjOBJ_GEOM, 0); e; e = mjs_nextChild(bodies[b], e, 0)) {
        lengthen(mjs_asGeom(e), stretch_in(static_cast<int>(b)));
      }
    }
  }
}

}  // namespace

ActorPtr vary(const ActorPtr& actor, const Variation& variation) {
  if (variation == Variation{} && actor->gravity() == variation.gravity) return actor;
  std::array<char, 1000> error{};
  SpecPtr spec(mj_parseXMLString(actor->xml().c_str(), nullptr, error.data(), error.size()));
  if (!spec) throw InputError(actor->name(), error.data(), "an MJCF character");
  std::vector<mjsBody*> bodies;
  for (const ActorBody& body : actor->bodies()) bodies.push_back(mjs_findBody(spec.get(), body.name.c_str()));

  const mjModel& model = actor->model();
  const std::vector<double> factors = mass_factors(*actor, variation);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    mjsBody& body = *bodies[b];
    const std::size_t id = b + 1;
    body.explicitinertial = true;
    body.mass = factors[b] * model.body_mass[id];
    std::copy_n(&model.body_ipos[3 * id], 3, body.ipos);
    std::copy_n(&model.body_iquat[4 * id], 4, body.iquat);
    for (int i = 0; i < 3; ++i)
      body.inertia[i] = factors[b] * variation.inertia * model.body_inertia[3 * id + i];
    body.fullinertia[0] = std::nan("");  // MuJoCo: not given
  }
  spec->option.gravity[2] = -variation.gravity;
  if (variation.foot_length != 1) lengthen_feet(*actor, variation.foot_length, bodies);
  return Actor::from_spec(*spec, actor->name(), actor->name());
}

}  // namespace stunt
