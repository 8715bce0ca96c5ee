#include "stunt/actor/actor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/actor/creature/creature.h"
#include "stunt/actor/mjcf_reader.h"
#include "stunt/actor/mujoco_messages.h"
#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/motion/clip.h"

namespace stunt {
namespace {

// Torque limit of a joint whose file gives none (Nm).
constexpr double kDefaultTorqueLimit = 200.0;
constexpr double kLargestMass = 1e6;  // kg, of a body

bool has_free_joint(mjsBody* body) {
  for (auto* e = mjs_firstChild(body, mjOBJ_JOINT, 0); e; e = mjs_nextChild(body, e, 0)) {
    if (mjs_asJoint(e)->type == mjJNT_FREE) return true;
  }
  return false;
}
bool moves(mjsBody* body) { return mjs_firstChild(body, mjOBJ_JOINT, 1) != nullptr; }

// Leaves in `spec` the character and nothing else of the world: the first free-floating body and all below it or, where
// nothing floats, the first body that has joints (a robot on a pedestal, a planar walker).
void keep_character_only(mjSpec* spec, const std::string& place) {
  mjsBody* world = mjs_findBody(spec, "world");
  mjsElement* character = nullptr;
  bool floats = false;
  std::vector<mjsElement*> others;
  for (auto* e = mjs_firstChild(world, mjOBJ_BODY, 0); e; e = mjs_nextChild(world, e, 0)) {
    const bool free = has_free_joint(mjs_asBody(e));
    if ((free && !floats) || (!character && moves(mjs_asBody(e)))) {
      if (character) others.push_back(character);
      character = e;
      floats = free;
    } else {
      others.push_back(e);
    }
  }
  if (!character)
    throw InputError(place, "no body with a joint", "a character, best one whose root has <freejoint/>");
  for (const mjtObj type : {mjOBJ_GEOM, mjOBJ_SITE, mjOBJ_CAMERA, mjOBJ_LIGHT}) {
    for (auto* e = mjs_firstChild(world, type, 0); e; e = mjs_nextChild(world, e, 0)) others.push_back(e);
  }
  // Terrain, pictures and other things that need no small memory are not of the character either.
  for (const mjtObj type : {mjOBJ_KEY, mjOBJ_SENSOR, mjOBJ_HFIELD, mjOBJ_TEXTURE, mjOBJ_SKIN, mjOBJ_NUMERIC,
                            mjOBJ_TEXT, mjOBJ_TUPLE}) {
    for (auto* e = mjs_firstElement(spec, type); e; e = mjs_nextElement(spec, e)) others.push_back(e);
  }
  for (auto* e : others) mjs_delete(spec, e);
  for (auto* e = mjs_firstElement(spec, mjOBJ_MATERIAL); e; e = mjs_nextElement(spec, e)) {
    for (int role = 0; role < mjNTEXROLE; ++role) mjs_setInStringVec(mjs_asMaterial(e)->textures, role, "");
  }
  spec->memory = spec->nstack = -1;  // -1: as much as is needed
  spec->njmax = spec->nconmax = -1;
  spec->nuserdata = spec->nkey = 0;
  for (int* size : {&spec->nuser_body, &spec->nuser_jnt, &spec->nuser_geom, &spec->nuser_site,
                    &spec->nuser_cam, &spec->nuser_tendon, &spec->nuser_actuator, &spec->nuser_sensor})
    *size = -1;
}

// Numbers that the file could give and MuJoCo does not refuse.
void check_finite(const mjModel& m, const std::string& place) {
  const auto check = [&](const double* values, int count, const char* what) {
    for (int i = 0; i < count; ++i) {
      if (!std::isfinite(values[i]))
        throw InputError(place, fmt::format("{} among the {}", values[i], what), "finite numbers");
    }
  };
  check(m.body_mass, m.nbody, "masses of bodies");
  check(m.body_inertia, 3 * m.nbody, "inertias of bodies");
  check(m.body_pos, 3 * m.nbody, "positions of bodies");
  check(m.body_quat, 4 * m.nbody, "rotations of bodies");
  check(m.body_ipos, 3 * m.nbody, "centres of mass of bodies");
  check(m.body_iquat, 4 * m.nbody, "main axes of bodies");
  check(m.jnt_pos, 3 * m.njnt, "positions of joints");
  check(m.jnt_axis, 3 * m.njnt, "axes of joints");
  check(m.jnt_range, 2 * m.njnt, "ranges of joints");
  check(m.jnt_stiffness, m.njnt, "stiffnesses of joints");
  check(m.dof_damping, m.nv, "dampings of joints");
  check(m.dof_armature, m.nv, "armatures of joints");
  check(m.qpos0, m.nq, "joint positions at rest");
  check(m.qpos_spring, m.nq, "joint positions of springs");
  check(m.geom_pos, 3 * m.ngeom, "positions of geoms");
  check(m.geom_quat, 4 * m.ngeom, "rotations of geoms");
  check(m.geom_size, 3 * m.ngeom, "sizes of geoms");
  check(m.geom_friction, 3 * m.ngeom, "frictions of geoms");
  check(m.opt.gravity, 3, "components of gravity");
}

std::string to_xml(const mjSpec* spec, const std::string& place) {
  std::array<char, 1000> error{};
  std::string xml(std::size_t{1} << 20, '\0');
  for (;;) {
    const int needed =
        mj_saveXMLString(spec, xml.data(), static_cast<int>(xml.size()), error.data(), error.size());
    if (needed < 0)
      throw InputError(place, mujoco_message(error.data()), "a model that can be written as MJCF");
    if (needed == 0) break;
    xml.resize(static_cast<std::size_t>(needed) + 1);
  }
  xml.resize(xml.find('\0'));
  return xml;
}

double motor_limit(const mjModel& m, int joint, int axis) {
  double limit = 0;
  for (int i = 0; i < m.nu; ++i) {
    if (m.actuator_trntype[i] != mjTRN_JOINT || m.actuator_trnid[2 * i] != joint) continue;
    const double gear = std::abs(m.actuator_gear[6 * i + axis]);
    if (gear == 0) continue;
    if (m.actuator_forcelimited[i]) {
      limit += gear * std::abs(m.actuator_forcerange[2 * i + 1]);
    } else if (m.actuator_ctrllimited[i] && m.actuator_biastype[i] == mjBIAS_NONE) {
      limit += gear * std::abs(m.actuator_gainprm[mjNGAIN * i]) * std::abs(m.actuator_ctrlrange[2 * i + 1]);
    }
  }
  return limit;
}

// The places of a foot's geom that can touch a floor it stands on.
void add_contact_points(const mjModel& m, int geom, const Quat& body_rotation, bool left,
                        std::vector<ContactPoint>& points) {
  const int body = m.geom_bodyid[geom] - 1;
  const double* size = &m.geom_size[3 * geom];
  const Vec3 centre = vec3(&m.geom_pos[3 * geom]);
  const Quat rotation = quat_from_wxyz(&m.geom_quat[4 * geom]);
  if (m.geom_type[geom] == mjGEOM_SPHERE) {
    points.push_back({body, centre, size[0], left});
  } else if (m.geom_type[geom] == mjGEOM_CAPSULE) {
    for (const double side : {-1.0, 1.0}) {
      points.push_back({body, centre + rotation * Vec3(0, 0, side * size[1]), size[0], left});
    }
  } else {  // a box, or the bounding box of anything else: its four lowest corners in the rest pose
    const Vec3 half = m.geom_type[geom] == mjGEOM_BOX ? vec3(size) : vec3(&m.geom_aabb[6 * geom + 3]);
    std::vector<Vec3> corners;
    for (int i = 0; i < 8; ++i) {
      corners.push_back(centre +
                        rotation * half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    }
    std::stable_sort(corners.begin(), corners.end(), [&](const Vec3& a, const Vec3& b) {
      return (body_rotation * a).z() < (body_rotation * b).z();
    });
    for (int i = 0; i < 4; ++i) points.push_back({body, corners[i], 0.0, left});
  }
}

// The roles of the character's own bodies, whatever it holds.
Roles own_roles(const std::vector<ActorBody>& bodies) {
  Skeleton skeleton;
  std::vector<int> body_of, joint_of;  // by joint of the skeleton, by body
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const ActorBody& body = bodies[b];
    joint_of.push_back(static_cast<int>(body_of.size()));
    if (body.attached) continue;
    body_of.push_back(static_cast<int>(b));
    const bool root = body.parent < 0;
    skeleton.joints.push_back({body.name, root ? -1 : joint_of[static_cast<std::size_t>(body.parent)],
                               root ? Vec3::Zero() : body.offset, body.rest});
  }
  Roles roles = recognise_roles(skeleton);
  for (int i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    // A body that has a role's own name is that role, whatever it looks like.
    if (const int named = skeleton.find(std::string(stunt::name(role))); named >= 0) roles[role] = named;
    if (roles[role] >= 0) roles[role] = body_of[static_cast<std::size_t>(roles[role])];
  }
  return roles;
}

}  // namespace

std::shared_ptr<const Actor> Actor::from_xml(std::string_view xml, const std::string& name,
                                             const std::string& place) {
  const SpecPtr spec = parse_mjcf_text(std::string(xml), place);
  return from_spec(*spec, name, place);
}

std::shared_ptr<const Actor> Actor::from_spec(mjSpec& spec, const std::string& name,
                                              const std::string& place) {
  hook_mujoco_messages();
  keep_character_only(&spec, place);
  auto actor = std::make_shared<Actor>();
  actor->name_ = name;
  do {
    actor->model_.reset(mj_compile(&spec, nullptr));
    if (!actor->model_) throw InputError(place, mujoco_message(mjs_getError(&spec)), "an MJCF character");
  } while (embed_meshes(spec, *actor->model_));
  const mjModel& m = *actor->model_;
  check_finite(m, place);
  actor->xml_ = to_xml(&spec, place);

  for (int b = 1; b < m.nbody; ++b) {
    ActorBody body;
    body.name = m.names + m.name_bodyadr[b];
    body.parent = m.body_parentid[b] - 1;
    body.first_joint = m.body_jntadr[b];
    body.joint_count = m.body_jntnum[b];
    body.offset = vec3(&m.body_pos[3 * b]);
    body.rest = quat_from_wxyz(&m.body_quat[4 * b]);
    body.mass = m.body_mass[b];
    body.com = vec3(&m.body_ipos[3 * b]);
    const Mat3 axes = quat_from_wxyz(&m.body_iquat[4 * b]).toRotationMatrix();
    body.inertia = axes * vec3(&m.body_inertia[3 * b]).asDiagonal() * axes.transpose();
    if (!(body.mass > 0 && body.mass <= kLargestMass)) {
      throw InputError(place, fmt::format("body '{}' of mass {:g}", body.name, body.mass),
                       fmt::format("a mass above 0 and at most {:g} kg", kLargestMass));
    }
    body.attached = m.nuser_body > 0 && m.body_user[m.nuser_body * b] == kAttachmentMark;
    actor->mass_ += body.mass;
    actor->bodies_.push_back(body);
  }

  actor->torque_limits_ = VecX::Zero(m.nv);
  for (int j = 0; j < m.njnt; ++j) {
    ActorJoint joint;
    joint.name = m.names + m.name_jntadr[j];
    const int type = m.jnt_type[j];
    joint.type = type == mjJNT_FREE    ? JointType::free
                 : type == mjJNT_BALL  ? JointType::ball
                 : type == mjJNT_HINGE ? JointType::hinge
                                       : JointType::slide;
    if (joint.type == JointType::free && j > 0) {
      throw InputError(place, fmt::format("a second free joint '{}'", joint.name), "one, at the root");
    }
    joint.body = m.jnt_bodyid[j] - 1;
    joint.q_address = m.jnt_qposadr[j];
    joint.v_address = m.jnt_dofadr[j];
    joint.dofs = joint.type == JointType::free ? 6 : joint.type == JointType::ball ? 3 : 1;
    joint.axis = vec3(&m.jnt_axis[3 * j]);
    joint.anchor = vec3(&m.jnt_pos[3 * j]);
    joint.limited = m.jnt_limited[j];
    joint.lower = m.jnt_range[2 * j];
    joint.upper = m.jnt_range[2 * j + 1];
    joint.torque_limit = 0;
    if (joint.type != JointType::free) {
      for (int axis = 0; axis < joint.dofs; ++axis) {
        double limit = motor_limit(m, j, axis);
        // The root of a planar walker is carried by slides and a hinge without motors: nothing drives it.
        if (limit == 0 && joint.body > 0) limit = kDefaultTorqueLimit;
        actor->torque_limits_[joint.v_address + axis] = limit;
        joint.torque_limit = std::max(joint.torque_limit, limit);
      }
    }
    actor->joints_.push_back(joint);
  }
  while (actor->root_dofs_ < m.nv && m.dof_bodyid[actor->root_dofs_] == 1 &&
         actor->torque_limits_[actor->root_dofs_] == 0) {
    ++actor->root_dofs_;
  }
  actor->rest_q_ = Eigen::Map<const VecX>(m.qpos0, m.nq);

  actor->roles_ = own_roles(actor->bodies_);

  std::vector<Quat> world_rotations;
  for (const ActorBody& body : actor->bodies_) {
    world_rotations.push_back(body.parent < 0 ? body.rest : world_rotations[body.parent] * body.rest);
  }
  for (int geom = 0; geom < m.ngeom; ++geom) {
    const int body = m.geom_bodyid[geom] - 1;
    const bool touches_floor = ((m.geom_contype[geom] | m.geom_conaffinity[geom]) & 1) != 0;
    if (body < 0 || !touches_floor || !actor->is_foot(body)) continue;
    const bool left = body == actor->body(Role::left_foot) || body == actor->body(Role::left_toes);
    add_contact_points(m, geom, world_rotations[body], left, actor->contact_points_);
  }
  return actor;
}

std::shared_ptr<const Actor> Actor::from_file(const std::filesystem::path& path) {
  const SpecPtr spec = parse_mjcf_file(path);
  return from_spec(*spec, path.stem().string(), path.string());
}

std::shared_ptr<const Actor> Actor::load(const std::string& name_or_path) {
  if (const auto xml = embedded_file("characters/" + name_or_path + ".xml")) {
    return from_xml(*xml, name_or_path, name_or_path);
  }
  if (embedded_file("creatures/" + name_or_path + ".yaml")) return Creature::load(name_or_path)->actor();
  if (std::filesystem::exists(name_or_path)) {
    const std::string ending = std::filesystem::path(name_or_path).extension().string();
    return ending == ".yaml" || ending == ".yml" ? Creature::load(name_or_path)->actor()
                                                 : from_file(name_or_path);
  }
  throw InputError(
      "character", fmt::format("'{}'", name_or_path),
      fmt::format("an MJCF file, a creature's .yaml, 'fit', or one of {}, {}",
                  fmt::join(embedded_names("characters"), ", "), fmt::join(built_in_creatures(), ", ")));
}

int Actor::find_part(std::string_view role_or_name) const {
  if (const auto role = role_from_name(role_or_name); role && body(*role) >= 0) return body(*role);
  return find_body(role_or_name);
}

int Actor::find_body(std::string_view name) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

bool Actor::is_foot(int body) const {
  return body >= 0 && (body == roles_[Role::left_foot] || body == roles_[Role::right_foot] ||
                       body == roles_[Role::left_toes] || body == roles_[Role::right_toes]);
}

bool Actor::is_hand(int body) const {
  while (body >= 0 && bodies_[static_cast<std::size_t>(body)].attached)
    body = bodies_[static_cast<std::size_t>(body)].parent;
  return body >= 0 && (body == roles_[Role::left_hand] || body == roles_[Role::right_hand]);
}

void integrate(const Actor& actor, const VecX& q, const VecX& v, double dt, VecX& out) {
  out = q;
  mj_integratePos(&actor.model(), out.data(), v.data(), dt);
}

void difference(const Actor& actor, const VecX& from, const VecX& to, VecX& out) {
  out.resize(actor.nv());
  mj_differentiatePos(&actor.model(), out.data(), 1.0, from.data(), to.data());
}

}  // namespace stunt
