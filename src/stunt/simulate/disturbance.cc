#include "stunt/simulate/disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/core/error.h"

namespace stunt {
namespace {

int find_actor(const CompiledScene& compiled, const std::string& name, const std::string& where) {
  if (compiled.actors.empty()) throw InputError(where, "a scene without actors", "somebody to disturb");
  if (name.empty()) return 0;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < compiled.actors.size(); ++i) {
    if (compiled.actors[i].name == name) return static_cast<int>(i);
    names.push_back(compiled.actors[i].name);
  }
  throw InputError(where + ".actor", "'" + name + "'", fmt::format("one of {}", fmt::join(names, ", ")));
}

int scene_body(const ActorSlot& slot, const std::string& name, const std::string& where) {
  const int body = find_body(*slot.actor, name);
  if (body >= 0) return slot.first_body + body;
  std::vector<std::string> names;
  for (const ActorBody& b : slot.actor->bodies()) names.push_back(b.name);
  throw InputError(where + ".body", "'" + name + "'", fmt::format("one of {}", fmt::join(names, ", ")));
}

// How many times a repeated event has started by time t.
int due(double t, double start, double every, int count) {
  if (t + 1e-9 < start) return 0;
  if (every <= 0) return 1;
  const int starts = 1 + static_cast<int>((t - start) / every + 1e-9);
  return count > 0 ? std::min(count, starts) : starts;
}

}  // namespace

int find_body(const Actor& actor, const std::string& role_or_name) {
  for (int role = 0; role < kRoleCount; ++role) {
    if (role_or_name == name(static_cast<Role>(role)) && actor.body(static_cast<Role>(role)) >= 0) {
      return actor.body(static_cast<Role>(role));
    }
  }
  return actor.find_body(role_or_name);
}

Disturbances::Disturbances(const Scene& scene, const CompiledScene& compiled)
    : compiled_(compiled), ground_(scene.ground), gravity_(scene.gravity), random_(scene.seed) {
  for (std::size_t i = 0; i < scene.pushes.size(); ++i) {
    const std::string where = fmt::format("pushes.{}", i);
    const int actor = find_actor(compiled, scene.pushes[i].actor, where);
    pushes_.push_back({scene.pushes[i], scene_body(compiled.actors[actor], scene.pushes[i].body, where)});
  }
  for (std::size_t i = 0; i < scene.throws.size(); ++i) {
    const std::string where = fmt::format("throws.{}", i);
    Throw thrown{scene.throws[i], find_actor(compiled, scene.throws[i].actor, where), 0, {}};
    thrown.body = scene_body(compiled.actors[thrown.actor], thrown.spec.body, where);
    const std::string prefix = fmt::format("throw{}_", i);
    for (const FreeBodySlot& slot : compiled.free_bodies) {
      if (slot.waiting && slot.name.starts_with(prefix)) thrown.pool.push_back(slot.body);
    }
    throws_.push_back(std::move(thrown));
  }
}

void Disturbances::apply(double t, Engine& engine, std::vector<double>& marks) {
  for (Push& push : pushes_) {
    const PushSpec& spec = push.spec;
    const int started = due(t, spec.start, spec.every, spec.count);
    if (started > push.started) marks.push_back(t);
    push.started = started;
    if (started == 0) continue;
    const double since = t - (spec.start + (started - 1) * spec.every);
    if (since < spec.duration - 1e-9) {
      const double* com = &compiled_.model->body_ipos[3 * push.body];
      const Vec3 point =
          engine.body_position(push.body) + engine.body_rotation(push.body) * Vec3(com[0], com[1], com[2]);
      engine.apply_force(push.body, spec.force, point);
    }
  }
  for (Throw& thrown : throws_) {
    const int started = due(t, thrown.spec.start, thrown.spec.every, thrown.spec.count);
    if (started > thrown.started && !thrown.pool.empty()) {
      launch(thrown, engine);
      marks.push_back(t);
    }
    thrown.started = started;
  }
}

void Disturbances::launch(Throw& thrown, Engine& engine) {
  const ThrowSpec& spec = thrown.spec;
  const ActorSlot& slot = compiled_.actors[thrown.actor];
  double from = radians(spec.from_deg), height = spec.height;
  int body = thrown.body;
  if (spec.random) {
    from = random_.uniform(0, 2 * kPi);
    height = random_.uniform(0.6, 1.8);
    body = slot.first_body +
           static_cast<int>(random_.uniform() * static_cast<double>(slot.actor->bodies().size()));
  }
  const double* com = &compiled_.model->body_ipos[3 * body];
  const Vec3 now = engine.body_position(body) + engine.body_rotation(body) * Vec3(com[0], com[1], com[2]);
  const Vec3 moves = engine.body_velocity_at(body, now);
  const double flight = spec.distance / spec.speed;
  const Vec3 target = now + flight * moves;
  const Vec3 start(target.x() + spec.distance * std::cos(from), target.y() + spec.distance * std::sin(from),
                   ground_.height + height);
  const int ball = thrown.pool[thrown.started % static_cast<int>(thrown.pool.size())];
  engine.place_free_body(ball, start, Quat::Identity(), throw_velocity(start, target, spec.speed, gravity_),
                         Vec3::Zero());
}

Vec3 throw_velocity(const Vec3& from, const Vec3& target, double speed, double gravity) {
  const Vec3 way = target - from;
  const double x = std::hypot(way.x(), way.y()), z = way.z();
  if (gravity <= 0 || x < 1e-6) return speed * way.normalized();
  // Height z at distance x with elevation a: z = x tan a - g x^2 / (2 v^2 cos^2 a), a quadratic in tan a.
  const double c = gravity * x * x / (2 * speed * speed);
  const double discriminant = x * x - 4 * c * (z + c);
  const double elevation = discriminant < 0 ? kPi / 4 : std::atan((x - std::sqrt(discriminant)) / (2 * c));
  return speed *
         Vec3(std::cos(elevation) * way.x() / x, std::cos(elevation) * way.y() / x, std::sin(elevation));
}

}  // namespace stunt
