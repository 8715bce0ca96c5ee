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
constexpr double kTakeOffTime = 0.12;   // s, around a flight
constexpr double kShortest = 0.08;      // s, of a time without contact that shows how the body falls
constexpr double kFlight = 0.08;        // s: the shortest that is told from the support around it
constexpr double kSmoothedAway = 0.05;  // s, of each end of a flight, by the filter and the fit
constexpr double kNearFloor = 0.08;     // m: a foot that may stand
constexpr double kSliding = 1.2;        // m/s, likewise
constexpr double kSameHeight = 0.015;   // m: points of a foot that stand together
constexpr double kHeightScale = 0.02;   // m, and
constexpr double kSpeedScale = 0.4;     // m/s: what makes a foot as unlikely to stand
constexpr double kChangeOfFeet = 0.15;  // s of such unlikeliness that one change of feet is worth
constexpr double kNeverLeft = 0.02;     // m: a foot that stays as low throughout slides or turns on the floor
constexpr double kSunk = 0.03;          // m under the floor, that planting a foot can make up for
constexpr double kSmoothHover = 3;      // Hz, of what takes the body to the floor

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

  // The greatest height of the lowest point over the frames from begin to end.
  double clearance(int begin, int end) const {
    double most = -1e9;
    for (int i = begin; i < end; ++i) most = std::max(most, lowest(i));
    return most;
  }
  // The lowest point of the foot that stands, of the higher one where both do; 0 where none does.
  double highest_standing(int i) const {
    double height = -1e9;
    for (int foot = 0; foot < 2; ++foot) {
      if (may_stand(i, foot)) height = std::max(height, foot_state(i, foot).lowest);
    }
    return height > -1e8 ? height : 0;
  }
  double lowest(int i) const { return std::min(foot_state(i, 0).lowest, foot_state(i, 1).lowest); }

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

// A body that is carried may sink for a moment as fast as one that falls, but not for long; a captured flight is often
// slower than a real one.
bool falls(double acceleration, double time) {
  constexpr double kLong = 0.3;  // s
  return acceleration < (time < kLong ? -0.5 : -0.3) * kGravity;
}

struct Unsupported {
  int begin, end;  // frames without any contact
  bool falls;
  bool carried = false;  // by hands, or by what lies on the floor
};
// A time without contact in which the body does not fall as a whole may have jumps in it, where the support around them
// was missed: it is cut where the body falls for longer than kFlight. Two such falls are one flight where the body falls
// over both together: a capture may be wrong in between.
void split_at_flights(const std::vector<double>& height, int begin, int end, double rate_hz,
                      std::vector<Unsupported>& times) {
  const int n = static_cast<int>(height.size());
  const int window = std::max(2, static_cast<int>(0.04 * rate_hz));
  const int hidden = static_cast<int>(kSmoothedAway * rate_hz);
  const auto falling = [&](int from, int to) {
    return falls(mean_acceleration(height, std::max(0, from), std::min(n, to), rate_hz),
                 (to - from) / rate_hz);
  };
  std::vector<Unsupported> flights;
  for (int i = begin; i < end;) {
    int last = i;
    while (last < end && falling(last - window, last + window + 1)) ++last;
    if (last - i > kFlight * rate_hz) {
      if (!flights.empty() && falling(flights.back().begin, last))
        flights.back().end = last;
      else
        flights.push_back({i, last, true});
    }
    i = std::max(last, i + 1);
  }
  int start = begin;  // of what is carried
  for (Unsupported flight : flights) {
    flight.begin = std::max(start, flight.begin - hidden);
    flight.end = std::min(end, flight.end + hidden);
    if (flight.begin > start) times.push_back({start, flight.begin, false});
    times.push_back(flight);
    start = flight.end;
  }
  if (end > start) times.push_back({start, end, false});
}

// Short ones do not show how the body falls; they may be of a flight.
std::vector<Unsupported> unsupported_times(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz,
                                           const MissedSupport& missed, const std::vector<TimeSpan>& held) {
  std::vector<Unsupported> times;
  std::vector<double> height;
  const int n = static_cast<int>(q.size());
  for (int begin = 0; begin < n;) {
    int end = begin;
    while (end < n && missed.in_air(end)) ++end;
    const bool hangs = end > begin && any_holds(held, 0.5 * (begin + end - 1) / rate_hz);
    if (hangs) {
      times.push_back({begin, end, true, true});
    } else if (end - begin > kShortest * rate_hz && end - begin < n) {
      if (height.empty()) height = centre_of_mass_height(actor, q, rate_hz);
      if (falls(mean_acceleration(height, begin, end, rate_hz), (end - begin) / rate_hz))
        times.push_back({begin, end, true});
      else
        split_at_flights(height, begin, end, rate_hz, times);
    } else if (end > begin && end - begin < n) {
      times.push_back({begin, end, true});
    }
    begin = std::max(end, begin + 1);
  }
  return times;
}

}  // namespace

int close_false_flights(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz,
                        ContactTable& contacts, const std::vector<TimeSpan>& held) {
  MissedSupport missed(*actor, q, rate_hz, contacts);
  int closed = 0;
  for (const Unsupported& time : unsupported_times(actor, q, rate_hz, missed, held)) {
    if (time.carried || (time.falls && missed.clearance(time.begin, time.end) > kNeverLeft)) continue;
    if (missed.put_feet_down(time.begin, time.end)) ++closed;
  }
  return closed;
}

double bring_to_floor(const ActorPtr& actor, double rate_hz, const ContactTable& contacts,
                      std::vector<VecX>& q, const std::vector<TimeSpan>& held) {
  const int n = static_cast<int>(q.size());
  ContactTable found = contacts;
  const MissedSupport missed(*actor, q, rate_hz, found);
  std::vector<double> drop(n, 0.0);  // m, by which the body goes down (up: negative)
  std::vector<std::uint8_t> known(n, 1);
  bool hovers = false;
  for (int i = 0; i < n; ++i) {
    drop[i] = std::min(0.0, missed.highest_standing(i) + kSunk);
    hovers = hovers || drop[i] < 0;
  }
  for (const Unsupported& time : unsupported_times(actor, q, rate_hz, missed, held)) {
    for (int i = time.begin; i < time.end; ++i) {
      known[i] = !time.falls;
      drop[i] = missed.lowest(i);
    }
    hovers = hovers || (!time.falls && missed.clearance(time.begin, time.end) > kNearFloor);
  }
  if (!hovers) return 0;
  for (int i = 0; i < n; ++i) {
    if (!missed.in_air(i)) drop[i] += std::max(0.0, missed.lowest(i));
  }
  // Through flights the way from what was before to what is after them.
  for (int i = 0, before = -1; i < n; ++i) {
    if (!known[i]) continue;
    for (int k = before + 1; k < i; ++k) {
      const double x = before < 0 ? 1 : static_cast<double>(k - before) / (i - before);
      drop[k] = (1 - x) * drop[std::max(before, 0)] + x * drop[i];
    }
    before = i;
  }
  for (int i = n - 1, last = -1; i >= 0 && last < 0; --i) {
    if (!known[i]) continue;
    last = i;
    for (int k = i + 1; k < n; ++k) drop[k] = drop[i];
  }
  low_pass(drop, rate_hz, kSmoothHover);
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    q[i][2] -= drop[i];
    largest = std::max(largest, std::abs(drop[i]));
  }
  return largest;
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
  // Feet that take off or land roll, and are left to it.
  const int around = static_cast<int>(kTakeOffTime * rate_hz);
  for (int i = 0; i < n; ++i) {
    if (std::any_of(contacts[i].begin(), contacts[i].end(), [](std::uint8_t c) { return c != 0; })) continue;
    for (int k = std::max(0, i - around); k < std::min(n, i + around + 1); ++k) slip[0][k] = slip[1][k] = 0;
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
