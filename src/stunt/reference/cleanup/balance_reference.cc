#include "stunt/reference/cleanup/balance_reference.h"

#include <algorithm>
#include <cmath>

#include "stunt/core/geometry2d.h"
#include "stunt/reference/cleanup/contacts.h"
#include "stunt/reference/cleanup/filter.h"
#include "stunt/reference/cleanup/floor_touch.h"
#include "stunt/reference/cleanup/path_solver.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

constexpr int kFewestFrames = 8;
constexpr double kAccelerationWeight = 1e-4;  // s^4, against 1 for position
constexpr double kSupportWeight = 10;
constexpr PathGoal kFreeFall{.weight = 0.1, .alpha = 0, .beta = -1};  // in flight the ground cannot push
constexpr PathGoal kNoGoal{.weight = 0, .alpha = 0, .beta = -1};

using GroundPath = Eigen::Matrix<double, Eigen::Dynamic, 2>;  // x and y per frame
using Supports = std::vector<ConvexRegion>;                   // per frame; empty in flight
using Resting = std::vector<bool>;  // per frame: more than the feet carries, so nothing is wanted of it
using Held = std::vector<bool>;     // per frame: hands do

// Where trunk, thighs, knees or arms lie on the floor, the pelvis near it: who kneels still stands on a foot.
Resting find_rest(const SampledReference& reference, const Held& held) {
  constexpr double kOnTheFloor = 0.15, kPelvisLow = 0.35;  // m, of a body's centre of mass
  const Actor& actor = *reference.actor();
  ActorDynamics dynamics(reference.actor());
  const VecX at_rest = VecX::Zero(actor.nv());
  Resting resting(static_cast<std::size_t>(reference.size()));
  for (int i = 0; i < reference.size(); ++i) {
    resting[static_cast<std::size_t>(i)] = held[static_cast<std::size_t>(i)];
    dynamics.set_state(reference.q(i), at_rest);
    if (dynamics.point(0, actor.bodies()[0].com).z() > kPelvisLow) continue;
    for (std::size_t b = 0; b < actor.bodies().size(); ++b) {
      const int body = static_cast<int>(b);
      const bool hand = body == actor.body(Role::left_hand) || body == actor.body(Role::right_hand);
      if (hand || actor.is_foot(body)) continue;
      if (dynamics.point(body, actor.bodies()[b].com).z() < kOnTheFloor)
        resting[static_cast<std::size_t>(i)] = true;
    }
  }
  return resting;
}

// Hands, knees and the trunk count where the feet alone cannot carry: a hand that picks something up does not.
// Where no foot stands at all they rest, and nothing is moved.
Supports find_supports(const ActorPtr& actor, const std::vector<VecX>& q, const ContactTable& contacts,
                       const BalanceSettings& settings, Resting& resting) {
  constexpr double kOutside = 0.1;  // m, of the centre of mass from the feet
  const PointPaths points = contact_point_paths(*actor, q);
  FloorTouches touches(actor);
  ActorDynamics dynamics(actor);
  const VecX at_rest = VecX::Zero(actor->nv());
  Supports supports(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    std::vector<Vec2> loaded;
    for (std::size_t p = 0; p < points[i].size(); ++p) {
      if (contacts[i][p]) loaded.push_back(points[i][p].head<2>());
    }
    const std::vector<FloorTouch>& others = touches.find(q[i]);
    if (!others.empty() && loaded.empty()) resting[i] = true;
    if (!others.empty()) {
      dynamics.set_state(q[i], at_rest);
      const Vec2 centre = dynamics.com().head<2>();
      if (loaded.empty() || (nearest_in_hull(loaded, centre) - centre).norm() > kOutside) {
        for (const FloorTouch& touch : others) loaded.push_back(touch.point.head<2>());
      }
    }
    supports[i] = ConvexRegion::shrunk_hull(loaded, settings.margin, settings.most);
  }
  return supports;
}

// Motion of the mass over a sampled motion, per frame.
struct MassPath {
  std::vector<Vec3> com;           // m
  std::vector<Vec3> acceleration;  // m/s^2
  std::vector<Vec3> spin_rate;     // Nm, rate of angular momentum about the centre of mass
  std::vector<Mat3> inertia;       // kg m^2, of the whole body about it, world axes

  static VecX column(const std::vector<Vec3>& path, int axis) {
    VecX out(static_cast<int>(path.size()));
    for (int i = 0; i < out.size(); ++i) out[i] = path[i][axis];
    return out;
  }
};

std::vector<Vec3> second_difference(const std::vector<Vec3>& x, double rate) {
  const int n = static_cast<int>(x.size());
  std::vector<Vec3> out(n, Vec3::Zero());
  for (int i = 1; i + 1 < n; ++i) out[i] = (x[i + 1] - 2 * x[i] + x[i - 1]) * rate * rate;
  if (n > 2) {
    out.front() = out[1];
    out.back() = out[n - 2];
  }
  return out;
}

MassPath mass_path(const SampledReference& reference) {
  ActorDynamics dynamics(reference.actor());
  const int n = reference.size();
  MassPath path;
  std::vector<Vec3> spin(n);
  path.com.resize(n);
  path.spin_rate.assign(n, Vec3::Zero());
  path.inertia.resize(n);
  Jacobian momentum;
  for (int i = 0; i < n; ++i) {
    dynamics.set_state(reference.q(i), reference.v(i));
    path.com[i] = dynamics.com();
    spin[i] = dynamics.angular_momentum();
    dynamics.angular_momentum_matrix(momentum);
    path.inertia[i] = momentum.middleCols<3>(3) * dynamics.body_rotation(0).toRotationMatrix().transpose();
  }
  for (int i = 0; i < n; ++i) {
    const int before = std::max(i - 1, 0), after = std::min(i + 1, n - 1);
    path.spin_rate[i] = (spin[after] - spin[before]) * reference.rate() / (after - before);
  }
  path.acceleration = second_difference(path.com, reference.rate());
  return path;
}

// The zero-moment point p = c - lever c'' - moment of a body whose centre of mass keeps to a given height.
struct ZeroMoment {
  std::vector<double> lever;  // s^2, z / (g + z'')
  GroundPath moment;          // m, the L-term

  ZeroMoment(const Actor& actor, const VecX& height, const std::vector<Vec3>& spin_rate, double rate)
      : lever(height.size()), moment(height.size(), 2) {
    const int n = static_cast<int>(height.size());
    for (int i = 0; i < n; ++i) {
      const double rise =
          i > 0 && i + 1 < n ? (height[i + 1] - 2 * height[i] + height[i - 1]) * rate * rate : 0;
      const double up = std::max({actor.gravity() + rise, 0.05 * actor.gravity(), 0.1});
      const double scale = 1 / (actor.mass() * up);
      lever[i] = height[i] / up;
      moment.row(i) << spin_rate[i].y() * scale, -spin_rate[i].x() * scale;
    }
  }
  Vec2 at(int frame, const Vec2& c, const Vec2& acceleration) const {
    return c - lever[frame] * acceleration - moment.row(frame).transpose();
  }
};

double mean_outside(const Actor& actor, const MassPath& path, const Supports& supports, double rate) {
  const ZeroMoment zero_moment(actor, MassPath::column(path.com, 2), path.spin_rate, rate);
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < supports.size(); ++i) {
    if (supports[i].empty()) continue;
    const Vec2 p = zero_moment.at(static_cast<int>(i), path.com[i].head<2>(), path.acceleration[i].head<2>());
    sum += (p - supports[i].project(p)).norm();
    ++count;
  }
  return sum / std::max(count, 1);
}

// Vertically: free fall in flight, as it was elsewhere.
VecX falling_in_flight(const MassPath& path, const Supports& supports, const Resting& resting, double gravity,
                       double rate) {
  std::vector<PathGoal> goals;
  for (std::size_t i = 0; i < supports.size(); ++i)
    goals.push_back(supports[i].empty() && !resting[i] ? kFreeFall : kNoGoal);
  const VecX fall = VecX::Constant(static_cast<int>(supports.size()), -gravity);
  return PathSolver(std::move(goals), rate, kAccelerationWeight)
      .solve(MassPath::column(path.com, 2), MassPath::column(path.acceleration, 2), fall);
}

// Where the ground pushes little, a zero-moment point far away means a small acceleration: there the goal is for
// this, and becomes free fall where the ground does not push at all.
PathGoal support_goal(double lever) {
  constexpr double kStanding = 0.1;  // s^2, the lever of a body at rest
  return {kSupportWeight * std::min(1.0, std::pow(kStanding / lever, 2)), 1, lever};
}

// What the motion does before its first frame nobody sees; it begins where the actor was, not thrown to where balance
// would be better.
double nearness_at_start(double time) {
  constexpr double kMore = 3, kFading = 0.1;  // s
  return 1 + kMore * std::exp(-time / kFading);
}

// Horizontally: the zero-moment point inside the support, no push in flight. Which point of the support it
// should come to depends on where it is, so goals and path are found in turns.
GroundPath inside_supports(const MassPath& path, const ZeroMoment& zero_moment, const Supports& supports,
                           const Resting& resting, double rate) {
  constexpr int kRounds = 25;
  const int n = static_cast<int>(supports.size());
  std::vector<PathGoal> goals;
  for (int i = 0; i < n; ++i) {
    goals.push_back(resting[static_cast<std::size_t>(i)] ? kNoGoal
                    : supports[i].empty()                ? kFreeFall
                                                         : support_goal(zero_moment.lever[i]));
    goals.back().near = nearness_at_start(i / rate);
  }
  const PathSolver solver(std::move(goals), rate, kAccelerationWeight);
  GroundPath wanted(n, 2), acceleration(n, 2), target(n, 2);
  for (const int axis : {0, 1}) {
    wanted.col(axis) = MassPath::column(path.com, axis);
    acceleration.col(axis) = MassPath::column(path.acceleration, axis);
  }
  GroundPath c = wanted;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < n; ++i) {
      if (supports[i].empty()) {
        target.row(i).setZero();
        continue;
      }
      const int k = std::clamp(i, 1, n - 2);
      const Vec2 second = (c.row(k + 1) - 2 * c.row(k) + c.row(k - 1)) * (rate * rate);
      const Vec2 inside = supports[i].project(zero_moment.at(i, c.row(i), second));
      target.row(i) = inside.transpose() + zero_moment.moment.row(i);
    }
    for (const int axis : {0, 1}) {
      c.col(axis) = solver.solve(wanted.col(axis), acceleration.col(axis), target.col(axis));
    }
  }
  return c;
}

// Where the ground can push little, it cannot turn the body either: by how much to turn it about its centre of
// mass, rad about world axes, so that its angular momentum hardly changes there.
std::vector<Vec3> steady_spin(const MassPath& path, const VecX& height, const Held& held, double gravity,
                              double rate) {
  constexpr double kWeight = 0.1;  // s^4, against 1 for the angle
  constexpr double kFirm = 0.5;    // of the weight: pushing like this, the ground turns the body at will
  constexpr double kShare = 1.5;   // the legs do not turn with the body, so it has less inertia than it seems
  const int n = static_cast<int>(path.com.size());
  std::vector<PathGoal> goals(n, kNoGoal);
  std::vector<Vec3> wanted(n);
  for (int i = 0; i < n; ++i) {
    const int k = std::clamp(i, 1, n - 2);
    const double push = gravity + (height[k + 1] - 2 * height[k] + height[k - 1]) * rate * rate;
    goals[i].weight = held[static_cast<std::size_t>(i)]
                          ? 0
                          : kWeight * (1 - std::clamp(push / std::max(kFirm * gravity, 0.1), 0.0, 1.0));
    wanted[i] = -kShare * path.inertia[i].ldlt().solve(path.spin_rate[i]);
  }
  const PathSolver solver(std::move(goals), rate, kAccelerationWeight);
  const VecX none = VecX::Zero(n);
  std::vector<Vec3> turn(n);
  for (const int axis : {0, 1, 2}) {
    const VecX angle = solver.solve(none, none, MassPath::column(wanted, axis));
    for (int i = 0; i < n; ++i) turn[i][axis] = angle[i];
  }
  return turn;
}

// The feet of a motion: they stay where they are while its root is moved.
class KeptFeet {
 public:
  KeptFeet(const SampledReference& reference, const Resting& resting)
      : resting_(resting),
        dynamics_(reference.actor()),
        at_rest_(VecX::Zero(reference.actor()->nv())),
        rate_(reference.rate()) {
    for (const bool left : {true, false}) {
      const auto leg = find_leg(*reference.actor(), left);
      if (!leg) continue;
      legs_.push_back(*leg);
      feet_.emplace_back();
      for (int i = 0; i < reference.size(); ++i) {
        dynamics_.set_state(reference.q(i), at_rest_);
        feet_.back().push_back(foot_pose(dynamics_, *leg));
      }
    }
  }

  // Turns the body of each frame about its centre of mass and shifts it, lower where a leg would be too short,
  // and puts the feet back.
  void move_body(const std::vector<Vec3>& com, const std::vector<Vec3>& turn, const std::vector<Vec3>& shift,
                 std::vector<VecX>& q) {
    std::vector<double> drop(q.size(), 0.0);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Quat rotation = exp_map(turn[i]);
      q[i].head<3>() = com[i] + rotation * (Vec3(q[i].head<3>()) - com[i]) + shift[i];
      quat_to_wxyz(rotation * quat_from_wxyz(&q[i][3]), &q[i][3]);
      if (resting_[i]) continue;  // lying legs are not carrying
      dynamics_.set_state(q[i], at_rest_);
      for (std::size_t l = 0; l < legs_.size(); ++l) {
        const Vec3 hip = dynamics_.body_position(legs_[l].thigh);
        drop[i] = std::max(drop[i], hip_drop(hip, feet_[l][i].position, legs_[l].length));
      }
    }
    smooth_drop(drop, rate_);
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i][2] -= drop[i];
      for (std::size_t l = 0; l < legs_.size(); ++l) put_foot(dynamics_, legs_[l], feet_[l][i], q[i]);
    }
  }

 private:
  const Resting& resting_;
  ActorDynamics dynamics_;
  const VecX at_rest_;
  double rate_;
  std::vector<Leg> legs_;
  std::vector<std::vector<FootPose>> feet_;  // per leg and frame
};

}  // namespace

std::shared_ptr<const SampledReference> balance_reference(const SampledReference& reference,
                                                          const BalanceSettings& settings,
                                                          BalanceReport* report) {
  const ActorPtr& actor = reference.actor();
  const int n = reference.size();
  const double rate = reference.rate();
  std::shared_ptr<const SampledReference> current = std::make_shared<SampledReference>(reference);
  if (n < kFewestFrames) return current;

  // Supports and feet as the motion has them: these stay.
  std::vector<VecX> q(n);
  ContactTable contacts(n);
  for (int i = 0; i < n; ++i) {
    q[i] = reference.q(i);
    contacts[i] = reference.contacts(i);
  }
  const auto stands = [](const auto& points) {
    return std::any_of(points.begin(), points.end(), [](std::uint8_t c) { return c != 0; });
  };
  if (std::none_of(contacts.begin(), contacts.end(), stands)) return current;
  Held held(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) held[static_cast<std::size_t>(i)] = any_holds(settings.held, i / rate);
  Resting resting = find_rest(reference, held);
  const Supports supports = find_supports(actor, q, contacts, settings, resting);
  KeptFeet feet(reference, resting);

  for (int pass = 0; pass < settings.passes; ++pass) {
    const MassPath path = mass_path(*current);
    const VecX height = falling_in_flight(path, supports, resting, actor->gravity(), rate);
    const ZeroMoment zero_moment(*actor, height, path.spin_rate, rate);
    const GroundPath ground = inside_supports(path, zero_moment, supports, resting, rate);
    std::vector<Vec3> shift(n);
    for (int i = 0; i < n; ++i) shift[i] = Vec3(ground(i, 0), ground(i, 1), height[i]) - path.com[i];
    feet.move_body(path.com, steady_spin(path, height, held, actor->gravity(), rate), shift, q);
    low_pass(*actor, q, rate, settings.low_pass_hz);
    current = std::make_shared<SampledReference>(actor, rate, q, contacts);
  }
  if (report) {
    const MassPath before = mass_path(reference), after = mass_path(*current);
    report->outside_before = mean_outside(*actor, before, supports, rate);
    report->outside_after = mean_outside(*actor, after, supports, rate);
    report->largest_shift = 0;
    for (int i = 0; i < n; ++i) {
      report->largest_shift = std::max(report->largest_shift, (after.com[i] - before.com[i]).norm());
    }
  }
  return current;
}

}  // namespace stunt
