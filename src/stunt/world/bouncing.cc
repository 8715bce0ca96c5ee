#include "stunt/world/bouncing.h"

#include <algorithm>
#include <cassert>

#include "stunt/world/ball_flight.h"
#include "stunt/world/contact_answer.h"
#include "stunt/world/nearest.h"

namespace stunt {
namespace {

constexpr double kSlowest = 0.05;        // m/s: slower impacts do not bounce
constexpr double kFastestOther = 50;     // m/s: how fast what is met may come, for the first, coarse look
constexpr double kPushOut = 0.2;         // of an overlap, per step
constexpr double kFastestPushOut = 0.5;  // m/s
constexpr int kContactNumbers = 12;

class BouncingEngine final : public Engine, public AsksForAnswer {
 public:
  explicit BouncingEngine(std::unique_ptr<Engine> inner)
      : inner_(std::move(inner)),
        m_(scene().model.get()),
        data_(mj_makeData(m_)),
        jacobian_(static_cast<std::size_t>(3 * m_->nv)),
        solved_(jacobian_.size()) {
    bounces_.reserve(16);
    contacts_.reserve(256);
  }

  std::string name() const override { return inner_->name(); }
  const CompiledScene& scene() const override { return inner_->scene(); }
  double time() const override { return inner_->time(); }
  std::span<const double> q() const override { return inner_->q(); }
  std::span<const double> v() const override { return inner_->v(); }
  void set_state(std::span<const double> q, std::span<const double> v) override { inner_->set_state(q, v); }
  void place_free_body(int body, const Vec3& position, const Quat& rotation, const Vec3& velocity,
                       const Vec3& angular_velocity) override {
    inner_->place_free_body(body, position, rotation, velocity, angular_velocity);
  }
  Vec3 body_position(int body) const override { return inner_->body_position(body); }
  Quat body_rotation(int body) const override { return inner_->body_rotation(body); }
  Vec3 body_velocity_at(int body, const Vec3& point) const override {
    return inner_->body_velocity_at(body, point);
  }
  std::span<double> joint_forces() override { return inner_->joint_forces(); }
  void apply_force(int body, const Vec3& force, const Vec3& point) override {
    inner_->apply_force(body, force, point);
  }
  void apply_torque(int body, const Vec3& torque) override { inner_->apply_torque(body, torque); }
  void set_contact_answer(int actor, ContactAnswer* answer) override {
    if (auto* inner = dynamic_cast<AsksForAnswer*>(inner_.get())) inner->set_contact_answer(actor, answer);
  }
  void close_grip(int grip, const Vec3& on_hand, const Vec3& on_object) override {
    inner_->close_grip(grip, on_hand, on_object);
  }
  void open_grip(int grip) override { inner_->open_grip(grip); }
  double timestep() const override { return inner_->timestep(); }
  Wrench joint_reaction(int body) override { return inner_->joint_reaction(body); }
  Vec3 body_acceleration(int body) override { return inner_->body_acceleration(body); }

  void step() override {
    bounces_.clear();
    masses_known_ = contacts_known_ = false;
    for (const BallSlot& ball : scene().balls) {
      if (waits(*inner_, ball)) continue;
      Flight flight = flight_of(ball);
      if (ball.drag > 0) slow_down(ball, flight);
      for (const int geom : ball.meets) meet(ball, flight, geom);
    }
    inner_->step();
  }

  std::span<const Contact> contacts() override {
    if (bounces_.empty()) return inner_->contacts();
    if (!contacts_known_) {
      const auto others = inner_->contacts();
      contacts_.assign(others.begin(), others.end());
      contacts_.insert(contacts_.end(), bounces_.begin(), bounces_.end());
      contacts_known_ = true;
    }
    return contacts_;
  }

  Snapshot save() const override {
    Snapshot snapshot = inner_->save();
    for (const Contact& c : bounces_) {
      for (const double x :
           {static_cast<double>(c.body1), static_cast<double>(c.body2), c.depth, c.point.x(), c.point.y(),
            c.point.z(), c.normal.x(), c.normal.y(), c.normal.z(), c.force.x(), c.force.y(), c.force.z()})
        snapshot.values.push_back(x);
    }
    snapshot.values.push_back(static_cast<double>(bounces_.size()));
    return snapshot;
  }

  void restore(const Snapshot& snapshot) override {
    Snapshot inner = snapshot;
    const auto count = static_cast<std::size_t>(inner.values.back());
    inner.values.resize(inner.values.size() - 1 - kContactNumbers * count);
    const double* from = snapshot.values.data() + inner.values.size();
    bounces_.clear();
    for (std::size_t i = 0; i < count; ++i, from += kContactNumbers) {
      bounces_.push_back({static_cast<int>(from[0]), static_cast<int>(from[1]),
                          Vec3(from[3], from[4], from[5]), Vec3(from[6], from[7], from[8]),
                          Vec3(from[9], from[10], from[11]), from[2]});
    }
    contacts_known_ = false;
    inner_->restore(inner);
  }

 private:
  // A ball as it is before the step, with the impulses that it was given so far.
  struct Flight {
    Vec3 centre, velocity, spin;  // m, m/s, rad/s, world axes
    double mass, inertia;         // kg, kg m^2
  };

  Flight flight_of(const BallSlot& ball) const {
    const Ball now = ball_now(*inner_, ball);
    return {now.place, now.velocity, now.spin, m_->body_mass[ball.body], m_->body_inertia[3 * ball.body]};
  }

  void slow_down(const BallSlot& ball, const Flight& flight) {
    const double area = kPi * ball.radius * ball.radius;
    apply_force(ball.body, -0.5 * kAirDensity * ball.drag * area * flight.velocity.norm() * flight.velocity,
                flight.centre);
  }

  void meet(const BallSlot& ball, Flight& flight, int geom) {
    const double h = timestep();
    const int other = m_->geom_bodyid[geom];
    const Quat turn = body_rotation(other);
    const Vec3 place = body_position(other) + turn * Eigen::Map<const Vec3>(m_->geom_pos + 3 * geom);
    if (m_->geom_type[geom] != mjGEOM_PLANE) {
      const double reach = m_->geom_rbound[geom] + ball.radius + h * (flight.velocity.norm() + kFastestOther);
      if ((place - flight.centre).squaredNorm() > reach * reach) return;
    }
    const Nearest nearest =
        nearest_on(*m_, geom, place, turn * quat_from_wxyz(m_->geom_quat + 4 * geom), flight.centre);
    const double gap = nearest.distance - ball.radius;
    const Vec3& n = nearest.normal;
    const Vec3 point = flight.centre - (ball.radius + 0.5 * std::min(gap, 0.0)) * n;
    const Vec3 arm = point - flight.centre;
    const Vec3 u = flight.velocity + flight.spin.cross(arm) - body_velocity_at(other, point);
    // What weight does to the ball within the step belongs to the impact, or a ball at rest would sink in.
    const double falls = h * n.dot(Eigen::Map<const Vec3>(m_->opt.gravity));
    const double closing = u.dot(n) + falls;
    if (gap + h * closing > 0) return;

    const double e = -u.dot(n) < kSlowest ? 0.0 : scene().restitution[static_cast<std::size_t>(geom)];
    const double back = e > 0      ? -e * u.dot(n)
                        : gap >= 0 ? -gap / h
                                   : std::min(-kPushOut * gap / h, kFastestPushOut);
    if (back <= closing) return;
    const double friction = m_->geom_friction[3 * geom] * m_->geom_friction[3 * ball.geom];
    const Vec3 p =
        bounce_impulse(mobility(flight, arm) + mobility(other, point), n, u + falls * n, back, friction);
    flight.velocity += p / flight.mass;
    flight.spin += arm.cross(p) / flight.inertia;
    apply_impulse(ball.body, p, point);
    if (other != 0) apply_impulse(other, -p, point);
    bounces_.push_back({other, ball.body, point, n, p / h, -gap});
  }

  // Velocity of a point per impulse there.
  static Mat3 mobility(const Flight& flight, const Vec3& arm) {
    const Mat3 cross = skew(arm);
    return Mat3::Identity() / flight.mass - cross * cross / flight.inertia;
  }
  Mat3 mobility(int body, const Vec3& point) {
    if (m_->body_weldid[body] == 0) return Mat3::Zero();
    if (!masses_known_) {
      std::copy_n(q().data(), m_->nq, data_->qpos);
      mj_kinematics(m_, data_.get());
      mj_comPos(m_, data_.get());
      mj_crb(m_, data_.get());
      mj_factorM(m_, data_.get());
      masses_known_ = true;
    }
    mj_jac(m_, data_.get(), jacobian_.data(), nullptr, point.data(), body);
    mj_solveM(m_, data_.get(), solved_.data(), jacobian_.data(), 3);
    using Rows = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;
    return Rows(jacobian_.data(), 3, m_->nv) * Rows(solved_.data(), 3, m_->nv).transpose();
  }
  static Mat3 skew(const Vec3& a) {
    Mat3 result;
    result << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return result;
  }

  std::unique_ptr<Engine> inner_;
  const mjModel* m_;
  DataPtr data_;  // for mass matrices
  std::vector<double> jacobian_, solved_;
  std::vector<Contact> bounces_, contacts_;  // of the last step: of balls; all
  bool masses_known_ = false, contacts_known_ = false;
};

}  // namespace

std::unique_ptr<Engine> with_bouncing_balls(std::unique_ptr<Engine> engine) {
  if (engine->scene().balls.empty()) return engine;
  return std::make_unique<BouncingEngine>(std::move(engine));
}

}  // namespace stunt
