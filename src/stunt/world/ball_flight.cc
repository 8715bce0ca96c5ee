#include "stunt/world/ball_flight.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

#include "stunt/world/bouncing.h"
#include "stunt/world/nearest.h"

namespace stunt {

Ball ball_now(const Engine& engine, const BallSlot& slot) {
  const Vec3 centre = engine.body_position(slot.body);
  const Vec3 spin = vec3(engine.v().data() + engine.scene().model->body_dofadr[slot.body] + 3);
  return {centre, engine.body_velocity_at(slot.body, centre), engine.body_rotation(slot.body) * spin};
}

bool waits(const Engine& engine, const BallSlot& slot) {
  const auto& bodies = engine.scene().free_bodies;
  const auto body = std::find_if(bodies.begin(), bodies.end(),
                                 [&](const FreeBodySlot& free) { return free.body == slot.body; });
  const double* q = engine.q().data() + body->first_q;
  return body->waiting && std::equal(q, q + 3, engine.scene().model->qpos0 + body->first_q);
}

Vec3 bounce_impulse(const Mat3& A, const Vec3& n, const Vec3& u, double back, double friction) {
  const Vec3 sticking = A.inverse() * (back * n - u);
  const double normal = sticking.dot(n);
  if ((sticking - normal * n).norm() <= friction * normal) return sticking;
  const Vec3 sliding = u - u.dot(n) * n;
  const Vec3 direction =
      n - friction * (sliding.norm() > 1e-9 ? Vec3(sliding.normalized()) : Vec3(Vec3::Zero()));
  return (back - u.dot(n)) / n.dot(A * direction) * direction;
}

BallFlight::BallFlight(const CompiledScene& scene, const BallSlot& slot, double timestep)
    : model_(scene.model.get()),
      h_(timestep),
      radius_(slot.radius),
      mass_(model_->body_mass[slot.body]),
      inertia_(model_->body_inertia[3 * slot.body]),
      slowing_(0.5 * kAirDensity * slot.drag * kPi * slot.radius * slot.radius / mass_),
      gravity_(vec3(model_->opt.gravity)) {
  for (const int geom : slot.meets) {
    const int body = model_->geom_bodyid[geom];
    if (model_->body_weldid[body] != 0 || model_->body_mocapid[body] >= 0) continue;
    // Bodies that are welded to the world stay where the model has them, one in the other.
    Vec3 place = vec3(model_->geom_pos + 3 * geom);
    Quat rotation = quat_from_wxyz(model_->geom_quat + 4 * geom);
    for (int b = body; b != 0; b = model_->body_parentid[b]) {
      const Quat turn = quat_from_wxyz(model_->body_quat + 4 * b);
      place = vec3(model_->body_pos + 3 * b) + turn * place;
      rotation = turn * rotation;
    }
    surfaces_.push_back({geom, place, rotation, scene.restitution[static_cast<std::size_t>(geom)],
                         model_->geom_friction[3 * geom] * model_->geom_friction[3 * slot.geom]});
  }
}

Mat3 BallFlight::mobility(const Vec3& arm) const {
  return Mat3::Identity() / mass_ + (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose()) / inertia_;
}

void BallFlight::hit(Ball& ball, const Vec3& impulse, const Vec3& arm) const {
  ball.velocity += impulse / mass_;
  ball.spin += arm.cross(impulse) / inertia_;
}

int BallFlight::step(Ball& ball) const {
  const Vec3 weight_and_air = h_ * acceleration(ball.velocity);
  int bounced = -1;
  for (const Surface& surface : surfaces_) {
    const double coarse = model_->geom_rbound[surface.geom] + radius_ + h_ * ball.velocity.norm();
    if (model_->geom_type[surface.geom] != mjGEOM_PLANE &&
        (surface.place - ball.place).squaredNorm() > coarse * coarse)
      continue;
    const Nearest nearest = nearest_on(*model_, surface.geom, surface.place, surface.rotation, ball.place);
    const double gap = nearest.distance - radius_;
    const Vec3& n = nearest.normal;
    const Vec3 arm = -(radius_ + 0.5 * std::min(gap, 0.0)) * n;
    const Vec3 u = ball.velocity + ball.spin.cross(arm);
    const double falls = h_ * n.dot(gravity_);
    if (gap + h_ * (u.dot(n) + falls) > 0 || u.dot(n) >= 0) continue;
    hit(ball,
        bounce_impulse(mobility(arm), n, u + falls * n, -surface.restitution * u.dot(n), surface.friction),
        arm);
    bounced = surface.geom;
  }
  ball.velocity += weight_and_air;
  ball.place += h_ * ball.velocity;
  return bounced;
}

Ball BallFlight::through_air(Ball ball, double seconds) const {
  constexpr double kStep = 0.02;  // s
  const int steps = std::max(1, static_cast<int>(std::ceil(seconds / kStep)));
  const double h = seconds / steps;
  for (int i = 0; i < steps; ++i) {
    const Vec3 middle = ball.velocity + 0.5 * h * acceleration(ball.velocity);
    ball.place += h * middle;
    ball.velocity += h * acceleration(middle);
  }
  return ball;
}

Ball BallFlight::off(Ball ball, const Vec3& normal, const Vec3& velocity, double restitution,
                     double friction) const {
  const Vec3 arm = -radius_ * normal;
  const Vec3 u = ball.velocity + ball.spin.cross(arm) - velocity;
  if (u.dot(normal) >= 0) return ball;
  hit(ball, bounce_impulse(mobility(arm), normal, u, -restitution * u.dot(normal), friction), arm);
  return ball;
}

}  // namespace stunt
