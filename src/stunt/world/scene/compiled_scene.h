// The physical part of a scene, compiled to one MuJoCo model from which every engine builds its own.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stunt/actor/actor.h"
#include "stunt/actor/attachment.h"
#include "stunt/world/scene/environment.h"

namespace stunt {

// Where an actor lives in the compiled model: its bodies, q and v are consecutive.
struct ActorSlot {
  std::string name;
  ActorPtr actor;
  int first_body;  // scene body of the actor's body 0
  int first_q, nq;
  int first_v, nv;

  // The actor's own body behind a body of the scene; -1 where it belongs to somebody else.
  int own(int scene_body) const {
    const int body = scene_body - first_body;
    return body >= 0 && body < static_cast<int>(actor->bodies().size()) ? body : -1;
  }
};

// Calls visit(own body, other scene body, sign) for each side of a contact that belongs to the actor. The force on it is
// sign * contact.force.
template <typename AnyContact, typename Visit>
void for_own_sides(const AnyContact& contact, const ActorSlot& slot, Visit visit) {
  if (const int body = slot.own(contact.body1); body >= 0) visit(body, contact.body2, -1.0);
  if (const int body = slot.own(contact.body2); body >= 0) visit(body, contact.body1, 1.0);
}

// A platform has three slide joints (x, y, z), moved by the engine along `motion` whatever stands on it.
struct PlatformSlot {
  int body;
  int first_q, first_v;
  PlatformSpec spec;
};

// A free body that is not an actor: an object of the scene, or a ball that waits to be thrown.
struct FreeBodySlot {
  std::string name;
  int body;
  int first_q, first_v;
  bool waiting;  // parked far away with no contact until it is thrown
};

constexpr int kMostActors = 256;  // the collision filter would do for 924, see compile.cc

// A character to be put into a scene.
struct PlacedActor {
  std::string name;
  ActorPtr actor;
  double friction = 1;                             // factor on that between it and whatever it stands on
  std::vector<std::pair<int, int>> touching = {};  // its own bodies that stop each other; none: they pass
  std::vector<Attachment> attachments = {};        // what `actor` already holds, for its surfaces
};

// Bodies that wait to be thrown, all alike.
struct BallSpec {
  std::string shape = "sphere";  // or box
  double size = 0.2;             // m, diameter or edge
  double mass = 0;               // kg; 0: from the density
  double density = 300;          // kg/m^3
  int count = 1;
  BallTraits traits = {};
  std::string name = "throw";  // of the bodies, before their numbers
};

// A ball that bounces: no engine collides it, world/bouncing.h does.
struct BallSlot {
  int body, geom;
  double radius;           // m
  double drag;             // coefficient
  std::vector<int> meets;  // geoms
};

// A hand and what it may hold; the two never collide.
struct GripSlot {
  int actor;  // index into CompiledScene::actors
  int hand;   // scene bodies
  int object;
  Vec3 palm;       // m, in the hand's axes: where it holds
  int constraint;  // of the MuJoCo model (an equality, inactive)
  GripSpec spec;
};

struct CompiledScene {
  ModelPtr model;   // owns the physics of all engines: masses, shapes, joints, friction
  std::string xml;  // the same as MJCF
  std::vector<ActorSlot> actors;
  std::vector<PlatformSlot> platforms;
  std::vector<FreeBodySlot> free_bodies;
  std::vector<BallSlot> balls;
  std::vector<GripSlot> grips;
  std::vector<double> restitution;  // per geom, of a ball that meets it
  ContactSpec contact;
  GroundSpec ground;
  std::vector<int> support_bodies;  // bodies that count as ground: world, platforms, seesaws, fixed objects

  bool is_support(int body) const;
  int actor_of(int body) const;  // index into actors, -1 when the body belongs to none
};

// Balls become the free bodies "<name><index>_<number>". Throws InputError.
std::shared_ptr<const CompiledScene> compile(const Environment& environment,
                                             const std::vector<PlacedActor>& actors,
                                             const std::vector<BallSpec>& balls = {});

}  // namespace stunt
