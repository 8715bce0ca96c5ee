#include "stunt/world/ode/ode_model.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <mutex>

#include "stunt/core/error.h"

namespace stunt {

static_assert(sizeof(dReal) == sizeof(double), "ODE must be built with double precision");

namespace {

// kg m^2 added to every body of an actor: without it a character falls apart at steps of a millisecond.
constexpr double kLeastActorArmature = 0.01;
constexpr double kShareOfSmallBody = 0.05;  // of the body's mass, for a small body between two of its joints
constexpr double kStopErp = 0.2, kStopCfm = 1e-7;
constexpr double kLeastInertia = 1e-6;  // kg m^2, so that a mass point can be a body

struct Segment {
  int first, count;
  OdeLink::Type type;
};

// Cuts the joints of a body into pieces that are each one ODE joint.
std::vector<Segment> segments(const mjModel& m, int body) {
  std::vector<Segment> result;
  const int end = m.body_jntadr[body] + m.body_jntnum[body];
  const auto axis = [&](int j) { return vec3(m.jnt_axis + 3 * j); };
  const auto hinges_here = [&](int first, int count) {
    if (first + count > end) return false;
    for (int j = first; j < first + count; ++j) {
      if (m.jnt_type[j] != mjJNT_HINGE) return false;
      if ((vec3(m.jnt_pos + 3 * j) - vec3(m.jnt_pos + 3 * first)).norm() > 1e-9) return false;
    }
    return true;
  };
  for (int j = m.body_jntadr[body]; j < end;) {
    Segment segment{j, 1, OdeLink::Type::hinges};
    if (m.jnt_type[j] == mjJNT_FREE) {
      segment.type = OdeLink::Type::free;
    } else if (m.jnt_type[j] == mjJNT_BALL) {
      segment.type = OdeLink::Type::ball;
    } else if (m.jnt_type[j] == mjJNT_SLIDE) {
      segment.type = OdeLink::Type::slide;
    } else if (hinges_here(j, 3) && std::abs(axis(j).cross(axis(j + 1)).dot(axis(j + 2))) > 0.3) {
      segment.count = 3;
    } else if (hinges_here(j, 2) && std::abs(axis(j).dot(axis(j + 1))) < 1e-6) {
      segment.count = 2;
    }
    result.push_back(segment);
    j += segment.count;
  }
  return result;
}

dBodyID make_body(dWorldID world, double mass, const Mat3& inertia, const Vec3& position,
                  const Quat& rotation) {
  dBodyID body = dBodyCreate(world);
  dMass parameters;
  dMassSetParameters(&parameters, mass, 0, 0, 0, inertia(0, 0), inertia(1, 1), inertia(2, 2), inertia(0, 1),
                     inertia(0, 2), inertia(1, 2));
  dBodySetMass(body, &parameters);
  dBodySetPosition(body, position.x(), position.y(), position.z());
  const dQuaternion q = {rotation.w(), rotation.x(), rotation.y(), rotation.z()};
  dBodySetQuaternion(body, q);
  dBodySetFiniteRotationMode(body, 1);  // turns by the exponential map instead of to first order
  return body;
}

void silent(int, const char*, va_list) {}

// ODE would end the process after this returns.
void fail(int, const char* message, va_list arguments) {
  std::array<char, 300> text{};
  std::vsnprintf(text.data(), text.size(), message, arguments);
  throw RunError(std::string("ODE: ") + text.data());
}

}  // namespace

void use_ode_in_this_thread() {
  static std::once_flag once;
  std::call_once(once, [] {
    dInitODE2(0);
    dSetMessageHandler(silent);  // the solver's remarks on singular systems
    dSetErrorHandler(fail);
    dSetDebugHandler(fail);
  });
  thread_local const bool ready = dAllocateODEDataForThread(dAllocateMaskAll) != 0;
  if (!ready) throw RunError("ODE could not be initialised");
}

OdeModel::OdeModel(std::shared_ptr<const CompiledScene> scene) : scene_(std::move(scene)) {
  use_ode_in_this_thread();
  const mjModel& m = model();
  world_ = dWorldCreate();
  // ODE's default lets all worlds share one list of jobs, which is not safe when they step in several threads.
  threading_ = dThreadingAllocateSelfThreadedImplementation();
  dWorldSetStepThreadingImplementation(world_, dThreadingImplementationGetFunctions(threading_), threading_);
  // Room for a few hundred constraints from the start, so that no later step allocates; untouched pages cost
  // nothing.
  const dWorldStepReserveInfo room{sizeof(dWorldStepReserveInfo), 2.0F, 16U << 20};
  dWorldSetStepMemoryReservationPolicy(world_, &room);
  dWorldSetGravity(world_, m.opt.gravity[0], m.opt.gravity[1], m.opt.gravity[2]);
  dWorldSetERP(world_, 0.2);
  dWorldSetCFM(world_, 1e-10);

  std::unique_ptr<mjData, void (*)(mjData*)> rest(mj_makeData(&m), mj_deleteData);
  mj_kinematics(&m, rest.get());  // at qpos0
  places_.assign(static_cast<std::size_t>(m.nbody), {-1, Vec3::Zero(), Quat::Identity()});
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_weldid[b] == b) add_links(b, *rest);
  }
  for (int b = 0; b < m.nbody; ++b) {
    Place& place = places_[static_cast<std::size_t>(b)];
    place.link = places_[static_cast<std::size_t>(m.body_weldid[b])].link;
    const Quat link_turn = link_rotation(place.link);
    place.offset = link_turn.conjugate() * (vec3(rest->xpos + 3 * b) - link_position(place.link));
    place.turn = link_turn.conjugate() * quat_from_wxyz(rest->xquat + 4 * b);
  }
  add_geoms();
  add_pairs();
}

OdeModel::~OdeModel() {
  for (const OdeGeom& geom : geoms_) dGeomDestroy(geom.id);
  dWorldDestroy(world_);
  dThreadingFreeImplementation(threading_);
}

// Mass of a body and of all that is welded to it, in its axes.
OdeModel::Mass OdeModel::weld_mass(int root, const mjData& rest) const {
  const mjModel& m = model();
  const Quat turn = quat_from_wxyz(rest.xquat + 4 * root);
  const Vec3 origin = vec3(rest.xpos + 3 * root);
  const auto com_of = [&](int b) { return Vec3(turn.conjugate() * (vec3(rest.xipos + 3 * b) - origin)); };
  Mass sum{0, Vec3::Zero(), Mat3::Zero()};
  for (int b = root; b < m.nbody; ++b) {
    if (m.body_weldid[b] != root) continue;
    sum.mass += m.body_mass[b];
    sum.com += m.body_mass[b] * com_of(b);
  }
  sum.mass = std::max(sum.mass, 1e-6);
  sum.com /= sum.mass;
  for (int b = root; b < m.nbody; ++b) {
    if (m.body_weldid[b] != root) continue;
    const Mat3 axes =
        turn.conjugate() *
        Mat3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rest.ximat + 9 * b));
    const Vec3 arm = com_of(b) - sum.com;
    sum.inertia += axes * vec3(m.body_inertia + 3 * b).asDiagonal() * axes.transpose() +
                   m.body_mass[b] * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  }
  // Except for balls, which no constraint of ODE's holds and whose spin must be right.
  const auto& balls = scene_->balls;
  if (std::none_of(balls.begin(), balls.end(), [&](const BallSlot& ball) { return ball.body == root; }))
    sum.inertia.diagonal().array() += kLeastInertia;
  return sum;
}

double OdeModel::armature(int first_joint, int joints, int body) const {
  const mjModel& m = model();
  double largest = scene_->actor_of(body) >= 0 ? kLeastActorArmature : 0;
  for (int j = first_joint; j < first_joint + joints; ++j) {
    if (m.jnt_type[j] == mjJNT_HINGE || m.jnt_type[j] == mjJNT_BALL) {
      largest = std::max(largest, m.dof_armature[m.jnt_dofadr[j]]);
    }
  }
  return largest;
}

void OdeModel::add_links(int body, const mjData& rest) {
  const mjModel& m = model();
  const Quat turn = quat_from_wxyz(rest.xquat + 4 * body);
  const Vec3 origin = vec3(rest.xpos + 3 * body);
  Mass mass = weld_mass(body, rest);
  int parent = places_[static_cast<std::size_t>(m.body_weldid[m.body_parentid[body]])].link;

  auto pieces = segments(m, body);
  for (const PlatformSlot& platform : scene_->platforms) {
    if (platform.body == body) pieces = {{m.body_jntadr[body], 3, OdeLink::Type::platform}};
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool last = i + 1 == pieces.size();
    OdeLink link;
    link.type = pieces[i].type;
    link.scene_body = body;
    link.parent = parent;
    link.first_joint = pieces[i].first;
    link.joints = pieces[i].count;
    link.own_limits =
        link.type == OdeLink::Type::ball || (link.type == OdeLink::Type::hinges && link.joints == 3);
    link.mass = last ? mass.mass : kShareOfSmallBody * mass.mass;
    link.com = last ? mass.com : vec3(m.jnt_pos + 3 * link.first_joint);
    link.inertia = last ? mass.inertia : Mat3(kLeastInertia * Mat3::Identity());
    link.inertia.diagonal().array() +=
        std::max(armature(link.first_joint, link.joints, body), last ? 0.0 : 1e-3);
    link.rest = link_rotation(parent).conjugate() * turn;
    const Vec3 anchor = vec3(m.jnt_pos + 3 * link.first_joint);
    link.anchor = anchor - link.com;
    link.parent_anchor = link_rotation(parent).conjugate() * (origin + turn * anchor - link_position(parent));
    const Vec3& arm = link.anchor;
    link.joint_inertia =
        link.inertia + link.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    link.least_inertia = Eigen::SelfAdjointEigenSolver<Mat3>(link.joint_inertia).eigenvalues()[0];
    link.body = make_body(world_, link.mass, link.inertia, origin + turn * link.com, turn);
    link.joint = nullptr;
    if (!last) {  // taken from the body itself
      mass.mass -= link.mass;
      mass.inertia *= 1 - kShareOfSmallBody;
    }
    if (link.type == OdeLink::Type::platform) {
      dBodySetKinematic(link.body);
    } else if (link.type != OdeLink::Type::free) {
      add_joint(link, rest);
    }
    parent = static_cast<int>(links_.size());
    links_.push_back(link);
    places_[static_cast<std::size_t>(body)].link = parent;
  }
}

// The link is ODE's first body, the parent its second: stops and angles then have MuJoCo's sign.
void OdeModel::add_joint(OdeLink& link, const mjData& rest) {
  const Quat turn = quat_from_wxyz(rest.xquat + 4 * link.scene_body);
  const Vec3 anchor =
      vec3(rest.xpos + 3 * link.scene_body) + turn * vec3(model().jnt_pos + 3 * link.first_joint);
  const auto axis = [&](int i) { return Vec3(turn * joint_axis(link.first_joint + i)); };
  const dBodyID parent = link.parent < 0 ? nullptr : links_[static_cast<std::size_t>(link.parent)].body;
  if (link.own_limits) {
    link.joint = dJointCreateBall(world_, nullptr);
    dJointAttach(link.joint, link.body, parent);
    dJointSetBallAnchor(link.joint, anchor.x(), anchor.y(), anchor.z());
  } else if (link.type == OdeLink::Type::slide) {
    link.joint = dJointCreateSlider(world_, nullptr);
    dJointAttach(link.joint, link.body, parent);
    dJointSetSliderAxis(link.joint, axis(0).x(), axis(0).y(), axis(0).z());
  } else if (link.joints == 2) {
    link.joint = dJointCreateUniversal(world_, nullptr);
    dJointAttach(link.joint, link.body, parent);
    dJointSetUniversalAnchor(link.joint, anchor.x(), anchor.y(), anchor.z());
    // ODE's first axis is fixed to the first body, the link: that is MuJoCo's second hinge.
    dJointSetUniversalAxis1(link.joint, axis(1).x(), axis(1).y(), axis(1).z());
    dJointSetUniversalAxis2(link.joint, axis(0).x(), axis(0).y(), axis(0).z());
  } else {
    link.joint = dJointCreateHinge(world_, nullptr);
    dJointAttach(link.joint, link.body, parent);
    dJointSetHingeAnchor(link.joint, anchor.x(), anchor.y(), anchor.z());
    dJointSetHingeAxis(link.joint, axis(0).x(), axis(0).y(), axis(0).z());
  }
  set_stops(link);
}

void OdeModel::set_stops(const OdeLink& link) {
  const mjModel& m = model();
  if (link.own_limits) return;
  for (int i = 0; i < link.joints; ++i) {
    const int j = link.first_joint + i;
    if (!m.jnt_limited[j]) continue;
    const double zero = m.qpos0[m.jnt_qposadr[j]];
    const double low = m.jnt_range[2 * j] - zero, high = m.jnt_range[2 * j + 1] - zero;
    const auto set = [&](auto set_parameter, int group) {
      set_parameter(link.joint, group + dParamLoStop, low);
      set_parameter(link.joint, group + dParamHiStop, high);
      set_parameter(link.joint, group + dParamStopERP, kStopErp);
      set_parameter(link.joint, group + dParamStopCFM, kStopCfm);
    };
    if (link.type == OdeLink::Type::slide) {
      set(dJointSetSliderParam, 0);
    } else if (link.joints == 2) {
      set(dJointSetUniversalParam, i == 0 ? dParamGroup2 : 0);
    } else {
      set(dJointSetHingeParam, 0);
    }
  }
}

// Discs become boxes, other cylinders and ellipsoids capsules, meshes the box that holds them.
void OdeModel::add_geoms() {
  const mjModel& m = model();
  for (int g = 0; g < m.ngeom; ++g) {
    if (!m.geom_contype[g] && !m.geom_conaffinity[g]) continue;
    const double* size = m.geom_size + 3 * g;
    const int body = m.geom_bodyid[g];
    const Place& place = places_[static_cast<std::size_t>(body)];
    Vec3 position = place.offset + place.turn * vec3(m.geom_pos + 3 * g);
    Quat rotation = place.turn * quat_from_wxyz(m.geom_quat + 4 * g);
    OdeGeom geom{nullptr, place.link, body, m.geom_rbound[g]};
    switch (m.geom_type[g]) {
      case mjGEOM_PLANE: {
        const Vec3 normal = rotation * Vec3::UnitZ();
        geom.id = dCreatePlane(nullptr, normal.x(), normal.y(), normal.z(), normal.dot(position));
        geom.radius = std::numeric_limits<double>::infinity();
        geoms_.push_back(geom);
        continue;
      }
      case mjGEOM_SPHERE:
        geom.id = dCreateSphere(nullptr, size[0]);
        break;
      case mjGEOM_CAPSULE:
        geom.id = dCreateCapsule(nullptr, size[0], 2 * size[1]);
        break;
      case mjGEOM_BOX:
        geom.id = dCreateBox(nullptr, 2 * size[0], 2 * size[1], 2 * size[2]);
        break;
      case mjGEOM_CYLINDER:
        if (size[0] > 2 * size[1]) {  // a disc: a box of the same area
          const double edge = std::sqrt(kPi) * size[0];
          geom.id = dCreateBox(nullptr, edge, edge, 2 * size[1]);
          break;
        }
        geom.id = dCreateCapsule(nullptr, size[0], std::max(2 * (size[1] - size[0]), 1e-3));
        geom.radius = std::max(geom.radius, size[0] + 1e-3);
        break;
      case mjGEOM_ELLIPSOID: {
        const int longest = static_cast<int>(std::max_element(size, size + 3) - size);
        const double across = std::sqrt(size[(longest + 1) % 3] * size[(longest + 2) % 3]);
        geom.id = dCreateCapsule(nullptr, across, std::max(2 * (size[longest] - across), 1e-3));
        geom.radius = std::max(geom.radius, across + 1e-3);
        rotation = rotation * rotation_between(Vec3::UnitZ(), Vec3::Unit(longest));
        break;
      }
      default: {
        const double* box = m.geom_aabb + 6 * g;  // centre, half edges
        geom.id = dCreateBox(nullptr, 2 * box[3], 2 * box[4], 2 * box[5]);
        geom.radius = vec3(box + 3).norm();
        position += rotation * vec3(box);
        break;
      }
    }
    const dQuaternion turn = {rotation.w(), rotation.x(), rotation.y(), rotation.z()};
    if (place.link >= 0) {
      dGeomSetBody(geom.id, links_[static_cast<std::size_t>(place.link)].body);
      dGeomSetOffsetPosition(geom.id, position.x(), position.y(), position.z());
      dGeomSetOffsetQuaternion(geom.id, turn);
    } else {
      dGeomSetPosition(geom.id, position.x(), position.y(), position.z());
      dGeomSetQuaternion(geom.id, turn);
    }
    dGeomSetCategoryBits(geom.id, static_cast<unsigned long>(m.geom_contype[g]));
    dGeomSetCollideBits(geom.id, static_cast<unsigned long>(m.geom_conaffinity[g]));
    dGeomSetData(geom.id, reinterpret_cast<void*>(static_cast<std::intptr_t>(g)));
    geoms_.push_back(geom);
  }
}

// Two bodies that the model excludes from collision.
static bool kept_apart(const mjModel& m, int one, int other) {
  const int signature = (std::min(one, other) << 16) + std::max(one, other);
  return std::find(m.exclude_signature, m.exclude_signature + m.nexclude, signature) !=
         m.exclude_signature + m.nexclude;
}

// A fixed list instead of an ODE space: a space's order depends on its history, and then the solver's last
// bits do.
void OdeModel::add_pairs() {
  const mjModel& m = model();
  if (m.opt.disableflags & mjDSBL_CONTACT) return;
  std::vector<int> mujoco_geom;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_contype[g] || m.geom_conaffinity[g]) mujoco_geom.push_back(g);
  }
  const auto moves = [&](std::size_t i) {
    const int link = geoms_[i].link;
    return link >= 0 && links_[static_cast<std::size_t>(link)].type != OdeLink::Type::platform;
  };
  const auto parent_of = [&](int link) {
    return link < 0 ? -1 : links_[static_cast<std::size_t>(link)].parent;
  };
  for (std::size_t i = 0; i < geoms_.size(); ++i) {
    for (std::size_t k = i + 1; k < geoms_.size(); ++k) {
      const int a = mujoco_geom[i], b = mujoco_geom[k];
      int named = 0;  // a pair with a name of its own collides whatever its bits, with its own friction
      while (named < m.npair && !(std::minmax(m.pair_geom1[named], m.pair_geom2[named]) == std::minmax(a, b)))
        ++named;
      if (named == m.npair && !(m.geom_contype[a] & m.geom_conaffinity[b]) &&
          !(m.geom_contype[b] & m.geom_conaffinity[a]))
        continue;
      if (kept_apart(m, m.geom_bodyid[a], m.geom_bodyid[b])) continue;
      const int link_a = geoms_[i].link, link_b = geoms_[k].link;
      if ((!moves(i) && !moves(k)) || link_a == link_b) continue;
      if (link_a >= 0 && link_b >= 0 && (parent_of(link_a) == link_b || parent_of(link_b) == link_a))
        continue;
      const int higher = m.geom_priority[a] - m.geom_priority[b];
      const double friction_a = m.geom_friction[3 * a], friction_b = m.geom_friction[3 * b];
      double friction = higher > 0 ? friction_a : higher < 0 ? friction_b : std::max(friction_a, friction_b);
      const double tau_a = m.geom_solref[mjNREF * a], tau_b = m.geom_solref[mjNREF * b];
      double tau = higher > 0 ? tau_a : higher < 0 ? tau_b : (tau_a + tau_b) / 2;
      if (named < m.npair) {
        friction = m.pair_friction[5 * named];
        tau = m.pair_solref[mjNREF * named];
      }
      if (tau <= 0) tau = scene_->contact.time_constant;  // MuJoCo: stiffness and damping instead
      const bool swap = !moves(i);
      pairs_.push_back({static_cast<int>(swap ? k : i), static_cast<int>(swap ? i : k), friction, tau});
    }
  }
}

Vec3 OdeModel::joint_axis(int joint) const { return vec3(model().jnt_axis + 3 * joint); }

}  // namespace stunt
