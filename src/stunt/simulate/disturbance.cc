#include "stunt/simulate/disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "stunt/core/easing.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr int kLargestPool = 8;  // thrown bodies of one ThrowSpec that exist at a time

constexpr const char* kHand = "hand";
constexpr double kHandSize = 0.09, kHandMass = 1;  // m, kg: a fist with some of its forearm
constexpr double kHandAway = 0.6;                  // m from what it pokes, before and after
constexpr double kHandRate = 60;                   // 1/s, of the critically damped spring that moves it
const Vec3 kHandGone(900, 900, 900);               // m: out of the world, each at its own place
constexpr double kHandStays = 0.05;                // s

BallSpec ball_of(const ThrowSpec& spec) {
  return {.shape = spec.shape,
          .size = spec.size,
          .mass = spec.mass,
          .density = spec.density,
          .traits = spec.ball};
}
bool alike(const BallSpec& a, const BallSpec& b) {
  return a.shape == b.shape && a.size == b.size && a.mass == b.mass && a.density == b.density &&
         a.traits == b.traits;
}

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
  const int body = slot.actor->find_part(name);
  if (body >= 0) return slot.first_body + body;
  std::vector<std::string> names;
  for (const ActorBody& b : slot.actor->bodies()) names.push_back(b.name);
  throw InputError(where + ".body", "'" + name + "'", fmt::format("one of {}", fmt::join(names, ", ")));
}

// The speed of quintic_ease, and the largest of it.
constexpr double kEasePeak = 1.875;
double ease_rate(double u) { return 30 * u * u * (1 - u) * (1 - u); }

// How many times a repeated event has started by time t.
int due(double t, double start, double every, int count) {
  if (t + 1e-9 < start) return 0;
  if (every <= 0) return 1;
  const int starts = 1 + static_cast<int>((t - start) / every + 1e-9);
  return count > 0 ? std::min(count, starts) : starts;
}

}  // namespace

std::vector<BallSpec> balls_of(const Scene& scene) {
  std::vector<BallSpec> balls;
  for (const ThrowSpec& spec : scene.throws) {
    balls.push_back(ball_of(spec));
    const int wanted = spec.every > 0 ? (spec.count > 0 ? spec.count : kLargestPool) : 1;
    balls.back().count = std::min(wanted, kLargestPool);
  }
  // A pool for each kind that commands throw and the scene does not, however many they are and in whatever order: a
  // throw that is commanded during a run leaves the scene as it is, and so does the run's repetition.
  for (const Command& command : scene.commands) {
    const auto* spec = std::get_if<ThrowSpec>(&command.what);
    if (!spec) continue;
    BallSpec ball = ball_of(*spec);
    ball.count = kLargestPool;
    if (std::none_of(balls.begin(), balls.end(), [&](const BallSpec& other) { return alike(ball, other); }))
      balls.push_back(ball);
  }
  std::sort(balls.begin() + static_cast<long>(scene.throws.size()), balls.end(),
            [](const BallSpec& a, const BallSpec& b) {
              return std::tie(a.shape, a.size, a.mass, a.density, a.traits.bounces, a.traits.hollow,
                              a.traits.drag) < std::tie(b.shape, b.size, b.mass, b.density, b.traits.bounces,
                                                        b.traits.hollow, b.traits.drag);
            });
  const bool commanded = std::any_of(scene.commands.begin(), scene.commands.end(), [](const Command& c) {
    return std::holds_alternative<PokeSpec>(c.what);
  });
  if (const auto hands = std::max(scene.pokes.size(), std::size_t{commanded}); hands > 0)
    balls.push_back({.size = kHandSize, .mass = kHandMass, .count = static_cast<int>(hands), .name = kHand});
  return balls;
}

Disturbances::Disturbances(const Scene& scene, const CompiledScene& compiled)
    : compiled_(&compiled),
      ground_(scene.ground),
      gravity_(scene.gravity),
      random_(scene.seed),
      balls_(balls_of(scene)) {
  for (std::size_t i = 0; i < scene.pushes.size(); ++i) add(scene.pushes[i], fmt::format("pushes.{}", i));
  for (std::size_t i = 0; i < scene.pokes.size(); ++i)
    pokes_.push_back(with_hand(scene.pokes[i], i, fmt::format("pokes.{}", i)));
  for (std::size_t i = 0; i < scene.throws.size(); ++i) {
    throws_.push_back(aimed(scene.throws[i], fmt::format("throws.{}", i)));
    const std::string prefix = fmt::format("throw{}_", i);
    for (const FreeBodySlot& slot : compiled.free_bodies) {
      if (slot.waiting && slot.name.starts_with(prefix)) throws_.back().pool.push_back(slot.body);
    }
  }
}

Disturbances::Poke Disturbances::with_hand(const PokeSpec& spec, std::size_t hand,
                                           const std::string& where) const {
  const auto& actors = compiled_->actors;
  Poke poke{.spec = spec, .body = 0, .hand = -1};
  poke.body = scene_body(actors[static_cast<std::size_t>(find_actor(*compiled_, spec.actor, where))],
                         spec.body, where);
  for (const FreeBodySlot& slot : compiled_->free_bodies) {
    if (slot.waiting && slot.name.starts_with(kHand) && hand-- == 0) poke.hand = slot.body;
  }
  if (poke.hand < 0) throw InputError(where, "a poke", "a scene that has 'pokes' already");
  return poke;
}

void Disturbances::add(const PokeSpec& spec, const std::string& where) {
  Poke poke = with_hand(spec, 0, where);
  std::erase_if(pokes_, [&](const Poke& other) { return other.hand == poke.hand && other.spec.every == 0; });
  pokes_.push_back(std::move(poke));
}

// The hand goes from its place beside the target to it, by half an ease in and out with the wanted top speed, stays a
// moment, goes back at half that speed and is gone. It is drawn along this path by a spring that pulls no harder than it may.
void Disturbances::move_hand(Poke& poke, double t, Engine& engine) const {
  const PokeSpec& spec = poke.spec;
  const double* com = &compiled_->model->body_ipos[3 * poke.body];
  const Vec3 away(std::cos(radians(spec.from_deg)), std::sin(radians(spec.from_deg)), 0);
  const double way = kHandAway + spec.reach;
  const double there = kEasePeak * way / spec.speed, s = t - poke.since;
  if (s < there / 2) {
    poke.target =
        engine.body_position(poke.body) + engine.body_rotation(poke.body) * Vec3(com[0], com[1], com[2]);
  }
  const double gone = 3 * there + kHandStays;
  if (s >= gone && !poke.gone) {
    poke.gone = true;
    engine.place_free_body(poke.hand, kHandGone + Vec3(poke.hand, 0, 0), Quat::Identity(), Vec3::Zero(),
                           Vec3::Zero());
  }
  if (poke.gone) {
    engine.apply_force(poke.hand, Vec3(0, 0, kHandMass * gravity_), engine.body_position(poke.hand));
    return;
  }
  double done = 1, rate = 0;  // share of the way, and its speed
  if (s < there) {
    done = quintic_ease(s / there);
    rate = ease_rate(s / there) / there;
  } else if (s > there + kHandStays) {
    const double back = std::min(1.0, (s - there - kHandStays) / (2 * there));
    done = 1 - quintic_ease(back);
    rate = -ease_rate(back) / (2 * there);
  }
  const Vec3 wanted = poke.target + (kHandAway - way * done) * away;
  const Vec3 place = engine.body_position(poke.hand);
  const Vec3 speed = engine.body_velocity_at(poke.hand, place);
  Vec3 pull =
      kHandMass * (kHandRate * kHandRate * (wanted - place) + 2 * kHandRate * (-way * rate * away - speed));
  if (pull.norm() > spec.force) pull *= spec.force / pull.norm();
  engine.apply_force(poke.hand, pull + Vec3(0, 0, kHandMass * gravity_), place);
}

void Disturbances::add(const PushSpec& spec, const std::string& where) {
  const int actor = find_actor(*compiled_, spec.actor, where);
  pushes_.push_back({spec, scene_body(compiled_->actors[static_cast<std::size_t>(actor)], spec.body, where)});
}

Disturbances::Throw Disturbances::aimed(const ThrowSpec& spec, const std::string& where) const {
  Throw thrown{spec, find_actor(*compiled_, spec.actor, where), 0, {}};
  thrown.body = scene_body(compiled_->actors[static_cast<std::size_t>(thrown.actor)], spec.body, where);
  return thrown;
}

void Disturbances::add(const ThrowSpec& spec, const std::string& where) {
  Throw thrown = aimed(spec, where);
  // The ball that has waited longest: each throw takes its pool and leaves it turned by one.
  for (std::size_t i = balls_.size(); i-- > 0 && thrown.pool.empty();) {
    if (!alike(balls_[i], ball_of(spec))) continue;
    int earlier = 0;
    for (const Throw& other : throws_)
      earlier += alike(ball_of(other.spec), balls_[i]) && other.spec.count == 1;
    std::vector<int> bodies;
    for (const FreeBodySlot& slot : compiled_->free_bodies) {
      if (slot.waiting && slot.name.starts_with(fmt::format("throw{}_", i))) bodies.push_back(slot.body);
    }
    std::rotate(bodies.begin(), bodies.begin() + earlier % static_cast<int>(bodies.size()), bodies.end());
    thrown.pool = bodies;
  }
  if (thrown.pool.empty()) {
    throw InputError(where, fmt::format("a {} of {} m", spec.shape, spec.size),
                     "one like those that the scene throws already");
  }
  throws_.push_back(std::move(thrown));
}

void Disturbances::apply(double t, Engine& engine, std::vector<double>& marks) {
  acting_.clear();
  acting_.reserve(pushes_.size());
  for (Push& push : pushes_) {
    const PushSpec& spec = push.spec;
    const int started = due(t, spec.start, spec.every, spec.count);
    if (started > push.started) {
      marks.push_back(t);
      push.force = spec.force;
      if (spec.random) push.force = exp_map(random_.uniform(0, 2 * kPi) * Vec3::UnitZ()) * spec.force;
    }
    push.started = started;
    if (started == 0) continue;
    const double since = t - (spec.start + (started - 1) * spec.every);
    if (since < spec.duration - 1e-9) {
      const double* com = &compiled_->model->body_ipos[3 * push.body];
      const Vec3 point =
          engine.body_position(push.body) + engine.body_rotation(push.body) * Vec3(com[0], com[1], com[2]);
      engine.apply_force(push.body, push.force, point);
      acting_.push_back({0, push.body, point, push.force.normalized(), push.force, 0});
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
  for (Poke& poke : pokes_) {
    const PokeSpec& spec = poke.spec;
    const int started = due(t, spec.start, spec.every, spec.count);
    if (started > poke.started) {
      poke.since = t;
      poke.gone = false;
      const double* com = &compiled_->model->body_ipos[3 * poke.body];
      const Vec3 at =
          engine.body_position(poke.body) + engine.body_rotation(poke.body) * Vec3(com[0], com[1], com[2]);
      const Vec3 away(std::cos(radians(spec.from_deg)), std::sin(radians(spec.from_deg)), 0);
      engine.place_free_body(poke.hand, at + kHandAway * away, Quat::Identity(), Vec3::Zero(), Vec3::Zero());
      marks.push_back(t);
    }
    poke.started = started;
    if (started > 0) move_hand(poke, t, engine);
  }
}

void Disturbances::launch(Throw& thrown, Engine& engine) {
  const ThrowSpec& spec = thrown.spec;
  const int ball = thrown.pool[thrown.started % static_cast<int>(thrown.pool.size())];
  if (spec.position) {
    engine.place_free_body(ball, *spec.position, Quat::Identity(), *spec.velocity, Vec3::Zero());
    return;
  }
  const ActorSlot& slot = compiled_->actors[static_cast<std::size_t>(thrown.actor)];
  double from = radians(spec.from_deg), height = spec.height;
  int body = thrown.body;
  if (spec.random || spec.any_side) from = random_.uniform(0, 2 * kPi);
  if (spec.random) {
    height = random_.uniform(0.6, 1.8);
    body = slot.first_body +
           static_cast<int>(random_.uniform() * static_cast<double>(slot.actor->bodies().size()));
  }
  const double* com = &compiled_->model->body_ipos[3 * body];
  const Vec3 now = engine.body_position(body) + engine.body_rotation(body) * Vec3(com[0], com[1], com[2]);
  const Vec3 moves = engine.body_velocity_at(body, now);
  const double flight = spec.distance / spec.speed;
  const Vec3 target = now + flight * moves;
  const Vec3 start(target.x() + spec.distance * std::cos(from), target.y() + spec.distance * std::sin(from),
                   ground_.height + height);
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
