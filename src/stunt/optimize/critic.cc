#include "stunt/optimize/critic.h"

#include <algorithm>
#include <cmath>

#include "stunt/control/parts/capture_point.h"
#include "stunt/reference/cleanup/floor_touch.h"

namespace stunt {
namespace {

constexpr int kSamplesPerLook = 3;  // the distance changes slowly

bool stands_on_something(const ReferenceSample& sample) {
  return std::any_of(sample.contacts.begin(), sample.contacts.end(), [](std::uint8_t c) { return c != 0; });
}

}  // namespace

std::vector<Flight> find_flights(const Reference& shown, double duration, const GroundSpec& ground) {
  constexpr double kRate = 120;  // Hz
  std::vector<Flight> flights;
  ReferenceSample sample;
  FloorTouches others(shown.actor());
  double since = -1;
  bool stood = false;
  for (int i = 0; i <= duration * kRate; ++i) {
    shown.sample(i / kRate, sample);
    bool stands = sample.contacts.empty() || stands_on_something(sample);
    if (!stands) {  // or lies
      sample.q[2] -= ground.height_at(sample.q[0], sample.q[1]);
      stands = others.any(sample.q);
    }
    if (!stands && stood && since < 0) since = i / kRate;
    if (stands && since >= 0) {
      if (i / kRate - since > kFlight) flights.push_back({since, i / kRate});
      since = -1;
    }
    stood = stood || stands;
  }
  return flights;
}

Critic::Critic(Simulation& simulation, std::vector<Flight> flights)
    : flights_(std::move(flights)),
      ground_(simulation.scene().ground),
      rate_(simulation.recording().rate),
      duration_(simulation.duration()),
      own_(simulation.acts().front().slot.actor),
      shown_(simulation.acts().front().performer.shown->actor()),
      followed_(simulation.acts().front().performer.followed->actor()),
      feet_(find_feet(*simulation.acts().front().slot.actor)),
      v_(VecX::Zero(own_.actor().nv())) {
  memory_.flown.assign(flights_.size(), 0);
}

void Critic::begin(const Memory& memory) {
  memory_ = memory;
  stumbled_at_.reset();
  sum_ = last_ = 0;
  count_ = samples_ = 0;
}

void Critic::sampled(Simulation& simulation, const Moment& moment) {
  const Simulation::Act& act = simulation.acts().front();
  const double t = moment.time - act.clock_start;
  q_ = moment.q.segment(act.slot.first_q, act.slot.nq);
  v_ = moment.v.segment(act.slot.first_v, act.slot.nv);
  act.performer.shown->sample(t, shown_target_);
  own_.set_state(q_, v_);
  own_figure_.read(own_, ground_);
  shown_.set_state(shown_target_.q, shown_target_.v);
  shown_figure_.read(shown_, ground_);
  const auto broken = memory_.rules.check(t, own_figure_, shown_figure_, ground_);
  if (broken && !stumbled_at_) stumbled_at_ = broken->since;
  const auto& contacts = act.observation.contacts;
  const bool in_the_air =
      std::none_of(contacts.begin(), contacts.end(), [](const ActorContact& c) { return c.support; });
  check_flights(t, in_the_air);
  check_end(t, contacts);
  act.performer.followed->sample(t, followed_target_);
  followed_.set_state(followed_target_.q, followed_target_.v);
  memory_.anchor.follow(own_, followed_, contacts, followed_target_.contacts, feet_,
                        {.time = 0.1, .speed = 0.5}, 1 / rate_);
  if (samples_++ % kSamplesPerLook == 0) {
    const bool flight = std::any_of(flights_.begin(), flights_.end(),
                                    [&](const Flight& f) { return f.from <= t && t <= f.to; });
    keep_distance(act, flight && !in_the_air);
  }
}

void Critic::check_flights(double t, bool in_the_air) {
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    const Flight& flight = flights_[i];
    if (t >= flight.from - kFlight && t < flight.to + kFlight) memory_.flown[i] += in_the_air;
    const double since = t - (flight.to + kFlight);
    if (since >= 0 && since < 1.5 / rate_ && !stumbled_at_ &&
        memory_.flown[i] < kFlown * (flight.to - flight.from) * rate_) {
      stumbled_at_ = flight.from;
    }
  }
}

void Critic::check_end(double t, std::span<const ActorContact> contacts) {
  if (t < duration_ - kEnd) return;
  support_.clear();
  for (const ActorContact& contact : contacts) {
    if (contact.support) support_.push_back(contact.point.head<2>());
  }
  const auto own = capture_distance(own_, support_, ground_);
  support_.clear();
  const auto& points = shown_.actor().contact_points();
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (shown_target_.contacts[p])
      support_.push_back(shown_.point(points[p].body, points[p].position).head<2>());
  }
  const auto wanted = capture_distance(shown_, support_, ground_);
  memory_.end_capture = own && wanted ? std::min(memory_.end_capture, *own - *wanted) : -1;  // -1: in flight
  const bool last = t > duration_ - 1 / rate_ - 1e-6;
  if (last && memory_.end_capture > kEndCapture && !stumbled_at_) stumbled_at_ = t;
}

void Critic::keep_distance(const Simulation::Act& act, bool flies_wrongly) {
  const Vec3 offset = memory_.anchor.offset();
  const Vec3 com = own_.com() - followed_.com() - offset;
  const Vec3 rate = own_.com_velocity() - followed_.com_velocity();
  const double height = std::max(0.3, own_.com().z() - ground_.height_at(own_.com().x(), own_.com().y()));
  const Vec3 capture = com + rate / pendulum_rate(act.slot.actor->gravity(), height);
  const Vec3 turn = log_map(quat_from_wxyz(&q_[3]) * quat_from_wxyz(&followed_target_.q[3]).conjugate());
  const Vec3 spin = (own_.angular_momentum() - followed_.angular_momentum()) / act.slot.actor->mass();
  difference(*act.slot.actor, followed_target_.q, q_, difference_);
  const int joints = act.slot.nv - 6;
  const double pose = difference_.tail(joints).squaredNorm() / joints;
  double feet = 0;
  for (const Foot& foot : feet_) {
    const int body = foot.leg.foot;
    feet += (own_.body_position(body) - followed_.body_position(body) - offset).squaredNorm();
  }
  last_ = 100 * capture.head<2>().squaredNorm() + 30 * com.head<2>().squaredNorm() +
          100 * (com.z() * com.z() + 0.01 * rate.z() * rate.z()) +
          10 * (turn.head<2>().squaredNorm() + 0.3 * turn.z() * turn.z()) + 100 * spin.squaredNorm() +
          10 * pose + 10 * feet + (flies_wrongly ? 5 : 0);
  sum_ += last_;
  ++count_;
}

}  // namespace stunt
