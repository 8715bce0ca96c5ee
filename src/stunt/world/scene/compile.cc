// One scene, one MuJoCo model. Collision filter (MuJoCo: a pair collides when one's contype meets the other's
// conaffinity): bit 0 marks support surfaces, bit 1 free objects. Of the next 12 bits each actor i has six, A_i, of its
// own choice: no six contain another six, so every actor meets the bits that another one lacks, and none its own.
//
//   what                       contype   conaffinity
//   support surface            S         F
//   free object                F         F
//   geom of actor i            A_i       S if it meets supports; F and the six bits not in A_i if it meets those
//
// A geom of an actor that meets supports only has contype 0, so nobody else finds it.
// Friction and softness of a pair are those of the geom with the higher priority: soft attachments 3, supports 2,
// objects 1, actors 0. Balls that bounce collide with nothing here: world/bouncing.h has them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "stunt/actor/mujoco_messages.h"
#include "stunt/actor/shape.h"
#include "stunt/core/error.h"
#include "stunt/world/scene/compile_grips.h"
#include "stunt/world/scene/compiled_scene.h"

namespace stunt {
namespace {

constexpr int kSupportBit = 1 << 0, kFreeBit = 1 << 1;
constexpr int kFirstActorBit = 2, kActorBits = 0b1111'1111'1111 << kFirstActorBit;
constexpr int kSoftPriority = 3, kSupportPriority = 2, kObjectPriority = 1;
constexpr double kPlatformMass = 1e6;  // kg: whatever stands on it hardly acts back within one step
constexpr double kParkingPlace = 1e3;  // m
constexpr double kRodWidth = 0.015;    // m, of what something hangs on
constexpr double kSkinFriction = 0.5;  // between limbs of one character

std::string one_line(const char* text) {
  std::string line = text ? text : "";
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line.empty() ? "no reason given" : line;
}

// The actor's six bits: the next larger number with as many bits, again and again ("Gosper's hack", HAKMEM item 175).
int actor_bits(std::size_t actor) {
  unsigned bits = 0b11'1111;
  for (std::size_t i = 0; i < actor; ++i) {
    const unsigned lowest = bits & -bits, carried = bits + lowest;
    bits = carried | (((bits ^ carried) / lowest) >> 2);
  }
  return static_cast<int>(bits << kFirstActorBit);
}

void set(double* to, const Vec3& from) { Eigen::Map<Vec3>{to} = from; }

class Compiler {
 public:
  Compiler(const Environment& scene, const std::vector<PlacedActor>& actors,
           const std::vector<BallSpec>& balls)
      : scene_(scene),
        actors_(actors),
        balls_(balls),
        spec_(mj_makeSpec()),
        world_(mjs_findBody(spec_.get(), "world")) {}

  std::shared_ptr<const CompiledScene> run() {
    set_options();
    for (std::size_t i = 0; i < actors_.size(); ++i) attach(i);
    add_ground();
    for (const auto& object : scene_.objects) add(object);
    for (const auto& platform : scene_.platforms) add(platform);
    for (const auto& seesaw : scene_.seesaws) add(seesaw);
    for (std::size_t i = 0; i < balls_.size(); ++i) add_pool(i);
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      if (actors_[i].friction != 1) scale_friction(i);
      for (const auto& [one, other] : actors_[i].touching) let_touch(i, one, other);
    }
    add_grips(scene_, actors_, *spec_);
    return finish();
  }

 private:
  void set_options() {
    mjs_setString(spec_->modelname, scene_.name.c_str());
    mjOption& option = spec_->option;
    option.timestep = scene_.timestep;
    set(option.gravity, Vec3(0, 0, -scene_.gravity));
    option.cone = mjCONE_ELLIPTIC;
    option.impratio =
        10;  // friction ten times stiffer than the normal direction: feet stick instead of creeping
    option.solver = mjSOL_NEWTON;
    option.iterations = 50;
    option.ls_iterations = 30;
    option.tolerance = 1e-6;
    option.jacobian =
        mjJAC_SPARSE;  // a character is a tree: a third faster than dense from 40 degrees of freedom on
    // Torques are applied as generalised forces; a diverged state must stay visible instead of being reset.
    option.disableflags |= mjDSBL_ACTUATION | mjDSBL_AUTORESET | mjDSBL_SENSOR;
    spec_->memory = (32 + 8 * static_cast<mjtSize>(actors_.size())) << 20;  // untouched pages cost nothing
    // The view's centre and size: without them bodies that wait far away would count.
    set(spec_->stat.center, Vec3(0, 0, 1));
    spec_->stat.extent = 4;
  }

  void set_contact(mjsGeom* geom, double friction, int contype, int conaffinity, int priority) {
    geom->friction[0] = friction;
    geom->contype = contype;
    geom->conaffinity = conaffinity;
    geom->priority = priority;
    geom->condim = 3;
    geom->solref[0] = scene_.contact.time_constant;
    geom->solref[1] = 1;
  }
  void make_support(mjsGeom* geom, double friction) {
    set_contact(geom, friction, kSupportBit, kFreeBit, kSupportPriority);
    support_geoms_.push_back(geom);
  }
  void set_restitution(mjsGeom* geom, double restitution) {
    if (restitution > 0) restitution_.push_back({geom, restitution});
  }

  void attach(std::size_t index) {
    const std::string& name = actors_[index].name;
    std::array<char, 1000> error{};
    SpecPtr own(mj_parseXMLString(actors_[index].actor->xml().c_str(), nullptr, error.data(), error.size()));
    if (!own) throw InputError(name, one_line(error.data()), "an MJCF character");
    // Actuators told the Actor its strength; an engine takes torques.
    while (mjsElement* actuator = mjs_firstElement(own.get(), mjOBJ_ACTUATOR))
      mjs_delete(own.get(), actuator);
    mjsBody* own_world = mjs_findBody(own.get(), "world");
    mjsElement* root = mjs_firstChild(own_world, mjOBJ_BODY, 0);
    mjsFrame* frame = mjs_addFrame(world_, nullptr);
    if (!root || !mjs_attach(frame->element, root, (name + "/").c_str(), "")) {
      throw InputError(name, one_line(mjs_getError(spec_.get())), "a character that fits into a scene");
    }
  }

  // In an actor's own MJCF, contype bit 0 means "meets supports" and bit 1 "meets free objects and other
  // actors"; any conaffinity (MuJoCo's default 1, 1) means both; 0, 0 is drawn and touches nothing.
  void filter_actor_geoms(mjModel& m, const ActorSlot& slot, std::size_t index) const {
    const int own = actor_bits(index), others = kFreeBit | (kActorBits ^ own);
    const int end = slot.first_body + static_cast<int>(slot.actor->bodies().size());
    for (int g = 0; g < m.ngeom; ++g) {
      if (m.geom_bodyid[g] < slot.first_body || m.geom_bodyid[g] >= end) continue;
      const bool meets_supports = (m.geom_contype[g] & 1) || m.geom_conaffinity[g];
      const bool meets_others = (m.geom_contype[g] & 2) || m.geom_conaffinity[g];
      m.geom_contype[g] = meets_others ? own : 0;
      m.geom_conaffinity[g] = (meets_supports ? kSupportBit : 0) | (meets_others ? others : 0);
      m.geom_priority[g] = 0;
      m.geom_condim[g] = 3;
      m.geom_solref[mjNREF * g] = scene_.contact.time_constant;
      m.geom_solref[mjNREF * g + 1] = 1;
    }
    for (const Attachment& attachment : actors_[index].attachments) {
      if (attachment.softness <= 0) continue;
      for_geoms(m, slot, attachment, [&](int g) {
        m.geom_priority[g] = kSoftPriority;
        m.geom_solref[mjNREF * g] = attachment.softness;
      });
    }
    for (int b = slot.first_body; b < end; ++b) unite_bits(m, b);
  }

  // MuJoCo asks the bodies first: they carry the union of their shapes' bits.
  static void unite_bits(mjModel& m, int b) {
    m.body_contype[b] = m.body_conaffinity[b] = 0;
    for (int g = m.body_geomadr[b]; g < m.body_geomadr[b] + m.body_geomnum[b]; ++g) {
      m.body_contype[b] |= m.geom_contype[g];
      m.body_conaffinity[b] |= m.geom_conaffinity[g];
    }
  }

  template <typename Visit>
  static void for_geoms(const mjModel& m, const ActorSlot& slot, const Attachment& attachment, Visit visit) {
    const int b = slot.first_body + slot.actor->find_body(attachment.name);
    for (int g = m.body_geomadr[b]; g < m.body_geomadr[b] + m.body_geomnum[b]; ++g) visit(g);
  }

  // Which geoms each ball meets, by the bits that it then gives up.
  void take_out_balls(mjModel& m, CompiledScene& compiled) const {
    compiled.restitution.assign(static_cast<std::size_t>(m.ngeom), 0.0);
    for (const auto& [geom, restitution] : restitution_)
      compiled.restitution[static_cast<std::size_t>(mjs_getId(geom->element))] = restitution;
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      for (const Attachment& attachment : actors_[i].attachments) {
        for_geoms(m, compiled.actors[i], attachment,
                  [&](int g) { compiled.restitution[static_cast<std::size_t>(g)] = attachment.restitution; });
      }
    }
    for (const auto& [geom, drag] : balls_made_) {
      BallSlot ball{
          m.geom_bodyid[mjs_getId(geom->element)], mjs_getId(geom->element), geom->size[0], drag, {}};
      for (int g = 0; g < m.ngeom; ++g) {
        if (g != ball.geom && ((m.geom_contype[g] & kFreeBit) || (m.geom_conaffinity[g] & kFreeBit)))
          ball.meets.push_back(g);
      }
      compiled.balls.push_back(std::move(ball));
    }
    for (const BallSlot& ball : compiled.balls) {
      m.geom_contype[ball.geom] = m.geom_conaffinity[ball.geom] = 0;
      unite_bits(m, ball.body);
    }
    // Two balls meet once.
    for (std::size_t i = 0; i < compiled.balls.size(); ++i) {
      std::erase_if(compiled.balls[i].meets, [&](int g) {
        for (std::size_t k = 0; k < i; ++k) {
          if (compiled.balls[k].geom == g) return true;
        }
        return false;
      });
    }
  }

  // What belongs to two shapes together is in MuJoCo a pair, by name.
  static std::string name_of(mjsGeom* geom, const std::string& fallback) {
    std::string name = mjs_getString(mjs_getName(geom->element));
    if (name.empty()) mjs_setName(geom->element, (name = fallback).c_str());
    return name;
  }

  // The names of a body's shapes that meet what `contype` stands for, see filter_actor_geoms.
  std::vector<std::string> shapes_of(std::size_t index, const ActorBody& body, int contype) {
    const std::string full = actors_[index].name + "/" + body.name;
    mjsBody* found = mjs_findBody(spec_.get(), full.c_str());
    std::vector<std::string> names;
    int count = 0;
    for (auto* e = mjs_firstChild(found, mjOBJ_GEOM, 0); e; e = mjs_nextChild(found, e, 0), ++count) {
      mjsGeom* geom = mjs_asGeom(e);
      if ((geom->contype & contype) || geom->conaffinity)
        names.push_back(name_of(geom, fmt::format("{}/shape{}", full, count)));
    }
    return names;
  }

  mjsPair* add_pair(const std::string& one, const std::string& other, double friction) {
    mjsPair* pair = mjs_addPair(spec_.get(), nullptr);
    mjs_setString(pair->geomname1, one.c_str());
    mjs_setString(pair->geomname2, other.c_str());
    pair->condim = 3;
    pair->solref[0] = scene_.contact.time_constant;
    pair->solref[1] = 1;
    pair->friction[0] = pair->friction[1] = friction;
    return pair;
  }

  // Two bodies of one actor stop each other.
  void let_touch(std::size_t index, int one, int other) {
    const auto& bodies = actors_[index].actor->bodies();
    for (const std::string& a : shapes_of(index, bodies[static_cast<std::size_t>(one)], 2)) {
      for (const std::string& b : shapes_of(index, bodies[static_cast<std::size_t>(other)], 2))
        add_pair(a, b, kSkinFriction);
    }
  }

  // An actor whose friction differs.
  void scale_friction(std::size_t index) {
    std::vector<std::string> own;
    for (const ActorBody& body : actors_[index].actor->bodies()) {
      for (std::string& name : shapes_of(index, body, 1)) own.push_back(std::move(name));
    }
    for (std::size_t s = 0; s < support_geoms_.size(); ++s) {
      const mjsGeom* support = support_geoms_[s];
      const std::string name = name_of(support_geoms_[s], fmt::format("support{}", s));
      for (const std::string& geom : own) {
        mjsPair* pair = add_pair(name, geom, actors_[index].friction * support->friction[0]);
        pair->condim = support->condim;
        std::copy_n(support->solref, mjNREF, pair->solref);
        std::copy_n(support->solimp, mjNIMP, pair->solimp);
      }
    }
  }

  void add_ground() {
    const GroundSpec& ground = scene_.ground;
    if (!ground.present) return;
    mjsGeom* plane = mjs_addGeom(world_, nullptr);
    mjs_setName(plane->element, "ground");
    plane->type = mjGEOM_PLANE;
    set(plane->size, Vec3(0, 0, 1));  // 0: endless
    set(plane->pos, Vec3(0, 0, ground.height));
    // Turning by -slope about y lifts +x; then x is turned to the uphill direction.
    quat_to_wxyz(
        yaw_rotation(radians(ground.direction_deg)) * axis_angle(Vec3::UnitY(), -radians(ground.slope_deg)),
        plane->quat);
    make_support(plane, ground.friction);
    set_restitution(plane, ground.restitution);
  }

  mjsBody* add_body(const std::string& name, const Vec3& position, const Quat& rotation) {
    mjsBody* body = mjs_addBody(world_, nullptr);
    if (mjs_setName(body->element, name.c_str()) != 0) {
      throw InputError(name, "this name twice in the scene", "names used once");
    }
    set(body->pos, position);
    quat_to_wxyz(rotation, body->quat);
    return body;
  }

  void make_free(mjsBody* body, mjsGeom* geom, double mass, double density, double friction) {
    mjsJoint* joint = mjs_addFreeJoint(body);
    joint->align = mjALIGNFREE_FALSE;
    if (mass > 0) {
      geom->mass = mass;
    } else {
      geom->density = density;
    }
    set_contact(geom, friction, kFreeBit, kFreeBit, kObjectPriority);
  }
  void make_ball(mjsGeom* geom, const BallTraits& traits) {
    if (traits.hollow) geom->typeinertia = mjINERTIA_SHELL;
    if (traits.bounces) balls_made_.push_back({geom, traits.drag});
  }

  // A ball joint at the point it hangs from, and a rod to look at.
  void hang(mjsBody* body, mjsGeom* geom, const ObjectSpec& object) {
    const Vec3 to_hook = quat_from_wxyz(body->quat).conjugate() * (*object.hangs_from - object.position);
    mjsJoint* joint = mjs_addJoint(body, nullptr);
    mjs_setName(joint->element, (object.name + "/hook").c_str());
    joint->type = mjJNT_BALL;
    set(joint->pos, to_hook);
    joint->damping[0] = object.swing_damping;
    if (object.mass > 0) {
      geom->mass = object.mass;
    } else {
      geom->density = object.density;
    }
    set_contact(geom, object.friction, kFreeBit, kFreeBit, kObjectPriority);
    if (to_hook.norm() < kRodWidth) return;
    mjsGeom* rod = add_shape(body, "capsule", Vec3(kRodWidth, to_hook.norm(), 0));
    set(rod->pos, to_hook / 2);
    quat_to_wxyz(rotation_between(Vec3::UnitZ(), to_hook.normalized()), rod->quat);
    rod->contype = rod->conaffinity = 0;
    rod->mass = 0;
  }

  void add(const ObjectSpec& object) {
    mjsBody* body = add_body(object.name, object.position, turned_deg(object.rotation_deg));
    mjsGeom* geom = add_shape(body, object.shape, object.size);
    set_restitution(geom, object.restitution);
    make_ball(geom, object.ball);
    if (object.fixed) {
      make_support(geom, object.friction);
      supports_.push_back(object.name);
    } else if (object.hangs_from) {
      hang(body, geom, object);
    } else {
      make_free(body, geom, object.mass, object.density, object.friction);
      free_.push_back({object.name, false});
    }
    if (object.plates) add_plates(body, geom, object);
  }

  // Two discs, of one material with the bar.
  void add_plates(mjsBody* body, mjsGeom* bar, const ObjectSpec& object) {
    const double diameter = object.plates->x(), width = object.plates->y();
    const auto volume = [](double across, double along) { return kPi / 4 * across * across * along; };
    const double of_bar = volume(object.size.x(), object.size.y()), of_plate = volume(diameter, width);
    const double density = object.mass > 0 ? object.mass / (of_bar + 2 * of_plate) : object.density;
    bar->mass = density * of_bar;
    for (const double side : {-0.5, 0.5}) {
      mjsGeom* plate = add_shape(body, "cylinder", Vec3(diameter, width, 0));
      plate->pos[2] = side * (object.size.y() - width);
      plate->mass = density * of_plate;
      if (object.fixed) {
        make_support(plate, object.friction);
      } else {
        set_contact(plate, object.friction, kFreeBit, kFreeBit, kObjectPriority);
      }
    }
  }

  void add(const PlatformSpec& platform) {
    const Vec3 centre = platform.position - Vec3(0, 0, platform.size.z() / 2);
    mjsBody* body = add_body(platform.name, centre, Quat::Identity());
    body->gravcomp = 1;
    mjsGeom* geom = add_shape(body, "box", platform.size);
    geom->mass = kPlatformMass;
    make_support(geom, platform.friction);
    for (int axis = 0; axis < 3; ++axis) {
      mjsJoint* joint = mjs_addJoint(body, nullptr);
      joint->type = mjJNT_SLIDE;
      set(joint->axis, Vec3::Unit(axis));
      mjs_setName(joint->element, fmt::format("{}/{}", platform.name, "xyz"[axis]).c_str());
    }
    supports_.push_back(platform.name);
  }

  void add(const SeesawSpec& seesaw) {
    mjsBody* body = add_body(seesaw.name, seesaw.position, yaw_rotation(radians(seesaw.heading_deg)));
    mjsGeom* geom = add_shape(body, "box", seesaw.size);
    geom->mass = seesaw.mass;
    make_support(geom, seesaw.friction);
    mjsJoint* hinge = mjs_addJoint(body, nullptr);
    mjs_setName(hinge->element, (seesaw.name + "/hinge").c_str());
    hinge->type = mjJNT_HINGE;
    set(hinge->axis, Vec3::UnitY());
    hinge->limited = mjLIMITED_TRUE;
    // A spec built in code is in degrees when its compiler says so, as it does by default.
    const double unit = spec_->compiler.degree ? 1 : kPi / 180;
    hinge->range[0] = -seesaw.limit_deg * unit;
    hinge->range[1] = seesaw.limit_deg * unit;
    hinge->damping[0] = seesaw.damping;
    supports_.push_back(seesaw.name);
  }

  void add_pool(std::size_t index) {
    const BallSpec& thrown = balls_[index];
    for (int i = 0; i < thrown.count; ++i) {
      const std::string name = fmt::format("{}{}_{}", thrown.name, index, i);
      const double spacing = 4 + 2 * thrown.size;
      const Vec3 place(kParkingPlace + spacing * i, spacing * static_cast<double>(index), kParkingPlace);
      mjsBody* body = add_body(name, place, Quat::Identity());
      mjsGeom* geom = add_shape(body, thrown.shape, Vec3::Constant(thrown.size));
      make_free(body, geom, thrown.mass, thrown.density, 1.0);
      make_ball(geom, thrown.traits);
      free_.push_back({name, true});
    }
  }

  std::shared_ptr<const CompiledScene> finish() {
    auto compiled = std::make_shared<CompiledScene>();
    compiled->model.reset(mj_compile(spec_.get(), nullptr));
    if (!compiled->model) {
      throw InputError(scene_.name, one_line(mjs_getError(spec_.get())), "a scene that can be compiled");
    }
    mjModel& m = *compiled->model;
    leave_out_the_needless(m);
    compiled->contact = scene_.contact;
    compiled->ground = scene_.ground;
    place_actors(m, *compiled);
    for (std::size_t i = 0; i < actors_.size(); ++i) filter_actor_geoms(m, compiled->actors[i], i);
    take_out_balls(m, *compiled);
    find_grips(scene_, *compiled);

    const auto body_id = [&](const std::string& name) { return mj_name2id(&m, mjOBJ_BODY, name.c_str()); };
    const auto first_q = [&](int body) { return m.jnt_qposadr[m.body_jntadr[body]]; };
    for (const auto& spec : scene_.platforms) {
      const int body = body_id(spec.name);
      compiled->platforms.push_back({body, first_q(body), m.body_dofadr[body], spec});
    }
    for (const auto& [name, waiting] : free_) {
      const int body = body_id(name);
      compiled->free_bodies.push_back({name, body, first_q(body), m.body_dofadr[body], waiting});
    }
    compiled->support_bodies.push_back(0);
    for (const auto& name : supports_) compiled->support_bodies.push_back(body_id(name));
    compiled->xml = write_xml(m);
    return compiled;
  }

  // What costs more than it saves here, together a tenth of a step's time: islands where there is only one, a
  // tree of shapes for bodies that have few, a second factorisation of the mass matrix for weak damping.
  void leave_out_the_needless(mjModel& m) {
    constexpr int kFewShapes = 16;
    constexpr double kWeak = 0.1;  // of a joint's speed per step
    if (actors_.size() == 1 && free_.empty()) m.opt.disableflags |= mjDSBL_ISLAND;
    const int most_shapes = *std::max_element(m.body_geomnum, m.body_geomnum + m.nbody);
    if (most_shapes <= kFewShapes) m.opt.disableflags |= mjDSBL_MIDPHASE;
    double damped = 0;
    for (int dof = 0; dof < m.nv; ++dof) {
      damped = std::max(damped, m.dof_damping[dof] * m.dof_invweight0[dof] * m.opt.timestep);
    }
    if (damped < kWeak) m.opt.disableflags |= mjDSBL_EULERDAMP;
    spec_->option.disableflags = m.opt.disableflags;
  }

  // MuJoCo numbers bodies depth first in the order they were added, so every actor is one block in each
  // array.
  void place_actors(const mjModel& m, CompiledScene& compiled) const {
    int body = 1, q = 0, v = 0;
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      const Actor& actor = *actors_[i].actor;
      compiled.actors.push_back({actors_[i].name, actors_[i].actor, body, q, actor.nq(), v, actor.nv()});
      for (const auto& own : actor.bodies()) {
        assert(actors_[i].name + "/" + own.name == m.names + m.name_bodyadr[body]);
        assert(m.body_dofnum[body] == 0 || m.body_dofadr[body] >= v);
        (void)own;
        ++body;
      }
      q += actor.nq();
      v += actor.nv();
      assert(body == m.nbody || m.body_jntadr[body] < 0 || m.jnt_qposadr[m.body_jntadr[body]] == q);
    }
    (void)m;
  }

  // The model as MJCF. Whatever was changed after compilation goes back into the spec first.
  std::string write_xml(const mjModel& m) {
    for (auto* e = mjs_firstElement(spec_.get(), mjOBJ_GEOM); e; e = mjs_nextElement(spec_.get(), e)) {
      const int g = mjs_getId(e);
      mjsGeom* geom = mjs_asGeom(e);
      geom->contype = m.geom_contype[g];
      geom->conaffinity = m.geom_conaffinity[g];
      geom->priority = m.geom_priority[g];
      geom->condim = m.geom_condim[g];
      std::copy_n(&m.geom_solref[mjNREF * g], mjNREF, geom->solref);
    }
    ModelPtr check(mj_compile(spec_.get(), nullptr));  // the XML writer takes values as compiled
    std::array<char, 1000> error{};
    std::string xml(std::size_t{1} << 20, '\0');
    for (;;) {
      const int needed = mj_saveXMLString(spec_.get(), xml.data(), static_cast<int>(xml.size()), error.data(),
                                          static_cast<int>(error.size()));
      if (!check || needed < 0)
        throw InputError(scene_.name, one_line(error.data()), "a scene that can be written as MJCF");
      if (needed == 0) break;
      xml.resize(static_cast<std::size_t>(needed) + 1);
    }
    xml.resize(xml.find('\0'));
    return xml;
  }

  const Environment& scene_;
  const std::vector<PlacedActor>& actors_;
  const std::vector<BallSpec>& balls_;
  SpecPtr spec_;
  mjsBody* world_;
  std::vector<std::string> supports_;
  std::vector<mjsGeom*> support_geoms_;
  std::vector<std::pair<std::string, bool>> free_;                     // name, waiting
  std::vector<std::pair<mjsGeom*, double>> restitution_, balls_made_;  // of a surface; drag of a ball
};

}  // namespace

bool CompiledScene::is_support(int body) const {
  return std::find(support_bodies.begin(), support_bodies.end(), body) != support_bodies.end();
}

int CompiledScene::actor_of(int body) const {
  for (std::size_t i = 0; i < actors.size(); ++i) {
    const int local = body - actors[i].first_body;
    if (local >= 0 && local < static_cast<int>(actors[i].actor->bodies().size())) return static_cast<int>(i);
  }
  return -1;
}

std::shared_ptr<const CompiledScene> compile(const Environment& environment,
                                             const std::vector<PlacedActor>& actors,
                                             const std::vector<BallSpec>& balls) {
  if (actors.size() > kMostActors) {
    throw InputError(environment.name, fmt::format("{} actors", actors.size()),
                     fmt::format("at most {}", kMostActors));
  }
  hook_mujoco_messages();
  return Compiler(environment, actors, balls).run();
}

}  // namespace stunt
