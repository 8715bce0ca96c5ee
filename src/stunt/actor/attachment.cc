#include "stunt/actor/attachment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "stunt/actor/shape.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

// The axes of a part that attachments are placed in, in the part's own.
Quat part_axes(const Actor& actor, int body) {
  const ActorBody& part = actor.bodies()[static_cast<std::size_t>(body)];
  Quat rest = part.rest;  // in the world
  for (int b = part.parent; b >= 0; b = actor.bodies()[static_cast<std::size_t>(b)].parent)
    rest = actor.bodies()[static_cast<std::size_t>(b)].rest * rest;
  const Vec3 anchor = part.joint_count > 0 ? actor.joints()[static_cast<std::size_t>(part.first_joint)].anchor
                                           : Vec3(Vec3::Zero());
  Vec3 along = part.com - anchor;
  if (along.norm() < 1e-6) along = rest.conjugate() * Vec3::UnitX();
  along.normalize();
  Vec3 up = rest.conjugate() * Vec3::UnitZ();
  if (std::abs(up.dot(along)) > 0.9) up = rest.conjugate() * Vec3::UnitX();
  up = (up - up.dot(along) * along).normalized();
  Mat3 axes;
  axes << along, up.cross(along), up;
  return Quat(axes);
}

// The most that the limb can hold out level at `distance` (m) from the part's joint: kg, and the joint that gives way.
struct Holds {
  double mass;
  std::string joint;
  double strength;  // Nm
};
Holds holds(const Actor& actor, int body, double distance) {
  const auto& bodies = actor.bodies();
  std::vector<int> children(bodies.size(), 0);
  for (const ActorBody& b : bodies) {
    if (b.parent >= 0 && !b.attached) ++children[static_cast<std::size_t>(b.parent)];
  }
  Holds least{1e9, "", 0};
  double carried = 0;  // kg of the limb from the joint outwards
  double moment = 0;   // kg m about the joint
  double lever = distance;
  for (int b = body; bodies[static_cast<std::size_t>(b)].parent >= 0;
       b = bodies[static_cast<std::size_t>(b)].parent) {
    const ActorBody& part = bodies[static_cast<std::size_t>(b)];
    if (b != body && children[static_cast<std::size_t>(b)] > 1) break;  // the trunk
    carried += part.mass;
    moment += part.mass * part.com.norm();
    for (int j = part.first_joint; j < part.first_joint + part.joint_count; ++j) {
      const ActorJoint& joint = actor.joints()[static_cast<std::size_t>(j)];
      const double mass = (joint.torque_limit / actor.gravity() - moment) / std::max(lever, 1e-3);
      if (mass < least.mass) least = {std::max(0.0, mass), joint.name, joint.torque_limit};
    }
    lever += part.offset.norm();
    moment += carried * part.offset.norm();
  }
  return least;
}

}  // namespace

void describe(Fields& fields, Attachment& attachment) {
  fields("to", attachment.to, {.help = "role or name of the body it is fixed to"});
  fields("name", attachment.name, {.help = "its own name; default: its shape"});
  describe_shape(fields, attachment.shape, attachment.size);
  if (attachment.name.empty()) attachment.name = attachment.shape;
  fields.require(attachment.name.size() <= 60 && attachment.name.find('/') == std::string::npos, "name",
                 "'" + attachment.name.substr(0, 60) + "'", "a name of 1 to 60 letters without '/'");
  fields("mass", attachment.mass, {.unit = "kg", .bounds = above_to(0, 1e3), .help = "of it alone"});
  fields("offset", attachment.offset,
         {.unit = "m",
          .bounds = between(-10, 10),
          .help = "of its centre from the joint: x along the part, z up in the rest pose"});
  fields("orientation_deg", attachment.orientation_deg,
         {.unit = "deg", .bounds = between(-1e6, 1e6), .help = "turns about those x, then y, then z"});
  fields("friction", attachment.friction, {.bounds = between(0, 100), .help = "sliding"});
  fields("softness", attachment.softness,
         {.unit = "s",
          .bounds = between(0, 1),
          .help = "contact time constant of what it touches: 0.03 is a padded glove; 0: the scene's"});
  fields("restitution", attachment.restitution,
         {.bounds = between(0, 1), .help = "speed a bouncing ball leaves it with, of that it came with"});
  fields("covers", attachment.covers,
         {.help = "the part is inside it, as a fist in a glove: only the attachment touches anything"});
}

ActorPtr attach(const ActorPtr& actor, const std::vector<Attachment>& attachments) {
  if (attachments.empty()) return actor;
  std::array<char, 1000> error{};
  SpecPtr spec(mj_parseXMLString(actor->xml().c_str(), nullptr, error.data(), error.size()));
  if (!spec) throw InputError(actor->name(), error.data(), "an MJCF character");
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    const Attachment& attachment = attachments[i];
    const std::string where = fmt::format("attach.{}", i);
    const int to = actor->find_part(attachment.to);
    if (to < 0) {
      std::vector<std::string> names;
      for (const ActorBody& body : actor->bodies()) names.push_back(body.name);
      throw InputError(where + ".to", "'" + attachment.to + "'",
                       fmt::format("one of {}", fmt::join(names, ", ")));
    }
    if (mjs_findBody(spec.get(), attachment.name.c_str())) {
      throw InputError(where + ".name", "'" + attachment.name + "' a second time", "names used once");
    }
    const ActorBody& part = actor->bodies()[static_cast<std::size_t>(to)];
    const Holds most = holds(*actor, to, attachment.offset.norm());
    if (attachment.mass > most.mass) {
      throw InputError(
          where + ".mass", fmt::format("{:g} kg", attachment.mass),
          fmt::format("at most {:.2g} kg, held out level: more than {:g} Nm would be needed at {}", most.mass,
                      most.strength, most.joint));
    }
    const Quat axes = part_axes(*actor, to);
    const Vec3 anchor = part.joint_count > 0
                            ? actor->joints()[static_cast<std::size_t>(part.first_joint)].anchor
                            : Vec3(Vec3::Zero());
    mjsBody* holder = mjs_findBody(spec.get(), part.name.c_str());
    if (attachment.covers) {
      for (auto* e = mjs_firstChild(holder, mjOBJ_GEOM, 0); e; e = mjs_nextChild(holder, e, 0))
        mjs_asGeom(e)->contype = mjs_asGeom(e)->conaffinity = 0;
    }
    mjsBody* body = mjs_addBody(holder, nullptr);
    mjs_setName(body->element, attachment.name.c_str());
    Eigen::Map<Vec3>{body->pos} = anchor + axes * attachment.offset;
    quat_to_wxyz(axes * turned_deg(attachment.orientation_deg), body->quat);
    mjs_setDouble(body->userdata, &kAttachmentMark, 1);
    mjsGeom* geom = add_shape(body, attachment.shape, attachment.size);
    geom->mass = attachment.mass;
    geom->friction[0] = attachment.friction;
    geom->contype = geom->conaffinity = 1;
  }
  return Actor::from_spec(*spec, actor->name(), actor->name());
}

}  // namespace stunt
