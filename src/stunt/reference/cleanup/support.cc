#include "stunt/reference/cleanup/support.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/reference/cleanup/filter.h"

namespace stunt {
namespace {

constexpr double kGravity = 9.81;       // m/s^2
constexpr double kSmoothHeight = 10;    // Hz, of the centre of mass
constexpr double kSmoothSlip = 4;       // Hz
constexpr double kUsualSlip = 0.1;      // m/s, of a foot that rolls from heel to toes
constexpr double kShortest = 0.08;      // s, of a time without contact that shows how the body falls
constexpr double kNearFloor = 0.08;     // m: a foot that may stand
constexpr double kSliding = 1.2;        // m/s, likewise
constexpr double kSameHeight = 0.015;   // m: points of a foot that stand together
constexpr double kHeightScale = 0.02;   // m, and
constexpr double kSpeedScale = 0.4;     // m/s: what makes a foot as unlikely to stand
constexpr double kChangeOfFeet = 0.15;  // s of such unlikeliness that one change of feet is worth

std::vector<double> centre_of_mass_height(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz) {
  ActorDynamics dynamics(actor);
  const VecX still = VecX::Zero(actor->nv());
  std::vector<double> height;
  for (const VecX& pose : q) {
    dynamics.set_state(pose, still);
    height.push_back(dynamics.com().z());
  }
  low_pass(height, rate_hz, kSmoothHeight);
  return height;
}

// Of the parabola nearest to the samples from begin to end.
double mean_acceleration(const std::vector<double>& x, int begin, int end, double rate_hz) {
  Mat3 normal = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (int i = begin; i < end; ++i) {
    const double t = (i - 0.5 * (begin + end - 1)) / rate_hz;
    const Vec3 powers(1, t, 0.5 * t * t);
    normal += powers * powers.transpose();
    right += powers * x[i];
  }
  return normal.ldlt().solve(right)[2];
}

// Finds the foot that stands in a time for which no contact was found. Feet are 0 (right) and 1 (left).
class MissedSupport {
 public:
  MissedSupport(const Actor& actor, const std::vector<VecX>& q, double rate_hz, ContactTable& contacts)
      : actor_(actor), points_(contact_point_paths(actor, q)), rate_(rate_hz), contacts_(contacts) {}

  bool in_air(int i) const {
    return std::none_of(contacts_[i].begin(), contacts_[i].end(), [](std::uint8_t c) { return c != 0; });
  }

  // True where a foot near enough to the floor was found for some of the frames from begin to end.
  bool put_feet_down(int begin, int end) {
    const std::vector<int> feet = likeliest_feet(begin, end);
    bool found = false;
    for (int i = begin; i < end; ++i) {
      const FootState state = foot_state(i, feet[i - begin]);
      if (state.lowest > kNearFloor || state.speed > kSliding) continue;
      found = true;
      for (std::size_t p = 0; p < contacts_[i].size(); ++p) {
        if (foot_of(p) == feet[i - begin]) contacts_[i][p] = points_[i][p].z() < state.lowest + kSameHeight;
      }
    }
    return found;
  }

 private:
  struct FootState {
    double lowest = 1e9, speed = 0;  // m, m/s: of its lowest point
    double unlikely() const { return std::max(0.0, lowest) / kHeightScale + speed / kSpeedScale; }
  };

  int foot_of(std::size_t point) const { return actor_.contact_points()[point].left ? 1 : 0; }

  FootState foot_state(int i, int foot) const {
    FootState state;
    const int last = static_cast<int>(points_.size()) - 1;
    const int before = std::max(i - 2, 0), after = std::min(i + 2, last);
    for (std::size_t p = 0; p < points_[i].size(); ++p) {
      if (foot_of(p) != foot || points_[i][p].z() >= state.lowest) continue;
      state.lowest = points_[i][p].z();
      state.speed = (points_[after][p] - points_[before][p]).norm() * rate_ / std::max(1, after - before);
    }
    return state;
  }

  // Whether the foot stands in a frame; beyond the ends of the motion, any may.
  bool may_stand(int i, int foot) const {
    if (i < 0 || i >= static_cast<int>(contacts_.size())) return true;
    for (std::size_t p = 0; p < contacts_[i].size(); ++p) {
      if (contacts_[i][p] && foot_of(p) == foot) return true;
    }
    return false;
  }

  // The cheapest way through the two feet (Viterbi), beginning and ending with one that stands there.
  std::vector<int> likeliest_feet(int begin, int end) const {
    const double change = kChangeOfFeet * rate_;
    std::array<double, 2> cost{};
    for (int foot = 0; foot < 2; ++foot) cost[foot] = may_stand(begin - 1, foot) ? 0 : change;
    std::vector<std::array<bool, 2>> changed(end - begin);
    for (int i = begin; i < end; ++i) {
      std::array<double, 2> next{};
      for (int foot = 0; foot < 2; ++foot) {
        changed[i - begin][foot] = cost[1 - foot] + change < cost[foot];
        next[foot] = std::min(cost[foot], cost[1 - foot] + change) + foot_state(i, foot).unlikely();
      }
      cost = next;
    }
    for (int foot = 0; foot < 2; ++foot) cost[foot] += may_stand(end, foot) ? 0 : change;
    std::vector<int> feet(end - begin);
    int foot = cost[1] < cost[0] ? 1 : 0;
    for (int i = end - begin - 1; i >= 0; --i) {
      feet[i] = foot;
      if (changed[i][foot]) foot = 1 - foot;
    }
    return feet;
  }

  const Actor& actor_;
  PointPaths points_;
  double rate_;
  ContactTable& contacts_;
};

}  // namespace

int close_false_flights(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz,
                        ContactTable& contacts) {
  MissedSupport missed(*actor, q, rate_hz, contacts);
  std::vector<double> height;
  const int n = static_cast<int>(q.size());
  int closed = 0;
  for (int begin = 0; begin < n;) {
    int end = begin;
    while (end < n && missed.in_air(end)) ++end;
    if (end - begin > kShortest * rate_hz && end - begin < n) {
      if (height.empty()) height = centre_of_mass_height(actor, q, rate_hz);
      const bool falls = mean_acceleration(height, begin, end, rate_hz) < -0.5 * kGravity;
      if (!falls && missed.put_feet_down(begin, end)) ++closed;
    }
    begin = std::max(end, begin + 1);
  }
  return closed;
}

double hold_support(const Actor& actor, double rate_hz, const ContactTable& contacts, std::vector<VecX>& q) {
  const int n = static_cast<int>(q.size());
  const PointPaths points = contact_point_paths(actor, q);
  // The mean velocity (m/s) of the feet in contact, each by the mean of its points.
  std::vector<double> slip[2] = {std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  for (int i = 0; i < n; ++i) {
    const int before = std::max(i - 1, 0), after = std::min(i + 1, n - 1);
    Vec3 sum[2] = {Vec3::Zero(), Vec3::Zero()};
    int count[2] = {0, 0};
    for (std::size_t p = 0; p < contacts[i].size(); ++p) {
      if (!contacts[i][p]) continue;
      const int foot = actor.contact_points()[p].left ? 1 : 0;
      sum[foot] += (points[after][p] - points[before][p]) * rate_hz / std::max(1, after - before);
      ++count[foot];
    }
    const int feet = (count[0] > 0) + (count[1] > 0);
    for (int foot = 0; foot < 2; ++foot) {
      if (count[foot] == 0) continue;
      for (int c = 0; c < 2; ++c) slip[c][i] += sum[foot][c] / (count[foot] * feet);
    }
  }
  for (std::vector<double>& velocity : slip) low_pass(velocity, rate_hz, kSmoothSlip);
  Eigen::Vector2d way(0, 0);
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    q[i].head<2>() -= way;
    largest = std::max(largest, way.norm());
    const Eigen::Vector2d velocity(slip[0][i], slip[1][i]);
    way += velocity * std::max(0.0, 1 - kUsualSlip / std::max(1e-9, velocity.norm())) / rate_hz;
  }
  return largest;
}

}  // namespace stunt
