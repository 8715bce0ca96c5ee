#include "stunt/reference/cleanup/balance_reference.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>

#include "stunt/reference/cleanup/contacts.h"
#include "stunt/reference/cleanup/filter.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

using Vec2 = Eigen::Vector2d;
constexpr double kAccelerationWeight = 1e-4;  // s^4, against 1 for position
constexpr double kSupportWeight = 10;
constexpr double kFlightWeight = 0.1;  // s^4: the ground cannot push in flight

// A convex region as half-planes n.x <= d.
struct Region {
  struct HalfPlane {
    Vec2 normal;
    double limit;
  };
  std::vector<HalfPlane> sides;
  Vec2 centre = Vec2::Zero();
  bool empty = true;

  Vec2 project(Vec2 p) const {
    for (int round = 0; round < 20; ++round) {
      double worst = 0;
      for (const HalfPlane& side : sides) {
        const double over = side.normal.dot(p) - side.limit;
        if (over > 0) p -= over * side.normal;
        worst = std::max(worst, over);
      }
      if (worst < 1e-6) break;
    }
    return p;
  }
};

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// Counter-clockwise convex hull (Andrew's monotone chain).
std::vector<Vec2> hull(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y()); });
  std::vector<Vec2> chain(2 * points.size());
  std::size_t k = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    while (k >= 2 && cross(chain[k - 1] - chain[k - 2], points[i] - chain[k - 2]) <= 0) --k;
    chain[k++] = points[i];
  }
  for (std::size_t i = points.size() - 1, lower = k + 1; i-- > 0;) {
    while (k >= lower && cross(chain[k - 1] - chain[k - 2], points[i] - chain[k - 2]) <= 0) --k;
    chain[k++] = points[i];
  }
  chain.resize(k > 1 ? k - 1 : k);
  return chain;
}

// The hull of the points, each edge moved inwards by the margin or by its share of the width, whichever is
// less.
Region shrunk_hull(const std::vector<Vec2>& points, const BalanceSettings& settings) {
  Region region;
  if (points.empty()) return region;
  region.empty = false;
  for (const Vec2& p : points) region.centre += p / static_cast<double>(points.size());
  const std::vector<Vec2> corners = hull(points);
  const auto add = [&](const Vec2& normal) {
    double high = -1e9, low = 1e9;
    for (const Vec2& p : points) {
      high = std::max(high, normal.dot(p));
      low = std::min(low, normal.dot(p));
    }
    region.sides.push_back({normal, high - std::min(settings.margin, settings.most * (high - low))});
  };
  if (corners.size() < 3) {  // a point or a line: its box along the line
    const Vec2 way = corners.size() == 2 ? Vec2((corners[1] - corners[0]).normalized()) : Vec2(1, 0);
    for (const Vec2& n : {way, Vec2(-way), Vec2(-way.y(), way.x()), Vec2(way.y(), -way.x())}) add(n);
    return region;
  }
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 edge = corners[(i + 1) % corners.size()] - corners[i];
    if (edge.norm() > 1e-6) add(Vec2(edge.y(), -edge.x()).normalized());
  }
  return region;
}

// Mass motion of a sampled motion.
struct MassPath {
  std::vector<Vec3> com, acceleration,
      spin_rate;  // m, m/s^2, Nm (rate of angular momentum about the centre of mass)
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
  for (int i = 0; i < n; ++i) {
    dynamics.set_state(reference.q(i), reference.v(i));
    path.com[i] = dynamics.com();
    spin[i] = dynamics.angular_momentum();
  }
  for (int i = 0; i < n; ++i) {
    const int before = std::max(i - 1, 0), after = std::min(i + 1, n - 1);
    path.spin_rate[i] = (spin[after] - spin[before]) * reference.rate() / (after - before);
  }
  path.acceleration = second_difference(path.com, reference.rate());
  return path;
}

// Minimises sum (c - c_ref)^2 + w (c'' - c_ref'')^2 + sum_i s_i (alpha_i c - beta_i c'' - t_i)^2 over a path
// c.
class PathSolver {
 public:
  PathSolver(int n, double rate) : n_(n), rate2_(rate * rate) {}

  // Row of c'' at frame i (ends copy their neighbours).
  void second(int i, int& at, double (&row)[3]) const {
    at = std::clamp(i, 1, n_ - 2) - 1;
    row[0] = row[2] = rate2_;
    row[1] = -2 * rate2_;
  }
  void factor(const std::vector<double>& weight, const std::vector<double>& alpha,
              const std::vector<double>& beta) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(static_cast<std::size_t>(n_) * 12);
    for (int i = 0; i < n_; ++i) {
      entries.emplace_back(i, i, 1.0);
      int at;
      double row[3];
      second(i, at, row);
      double mixed[5] = {0, 0, 0, 0, 0};
      const int base = std::clamp(i, 1, n_ - 2) - 1;
      for (int k = 0; k < 3; ++k) mixed[k] = -beta[i] * row[k];
      mixed[i - base] += alpha[i];
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
          entries.emplace_back(base + a, base + b,
                               kAccelerationWeight * row[a] * row[b] + weight[i] * mixed[a] * mixed[b]);
        }
      }
    }
    Eigen::SparseMatrix<double> normal(n_, n_);
    normal.setFromTriplets(entries.begin(), entries.end());
    solver_.compute(normal);
  }
  VecX solve(const VecX& reference, const VecX& reference_second, const std::vector<double>& weight,
             const std::vector<double>& alpha, const std::vector<double>& beta, const VecX& target) const {
    VecX rhs = reference;
    for (int i = 0; i < n_; ++i) {
      int at;
      double row[3];
      second(i, at, row);
      for (int k = 0; k < 3; ++k) {
        rhs[at + k] +=
            kAccelerationWeight * row[k] * reference_second[i] - weight[i] * beta[i] * row[k] * target[i];
      }
      rhs[i] += weight[i] * alpha[i] * target[i];
    }
    return solver_.solve(rhs);
  }

 private:
  int n_;
  double rate2_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver_;
};

VecX column(const std::vector<Vec3>& path, int axis) {
  VecX out(static_cast<int>(path.size()));
  for (int i = 0; i < out.size(); ++i) out[i] = path[i][axis];
  return out;
}

}  // namespace

std::shared_ptr<const SampledReference> balance_reference(const SampledReference& reference,
                                                          const BalanceSettings& settings,
                                                          BalanceReport* report) {
  const ActorPtr& actor = reference.actor();
  const int n = reference.size();
  auto current = std::make_shared<SampledReference>(reference);
  if (n < 8) return current;

  // Supports and feet as the motion has them: these stay.
  std::vector<VecX> q(n);
  ContactTable contacts(n);
  for (int i = 0; i < n; ++i) {
    q[i] = reference.q(i);
    contacts[i] = reference.contacts(i);
  }
  const PointPaths points = contact_point_paths(*actor, q);
  std::vector<Region> support(n);
  bool ever = false;
  for (int i = 0; i < n; ++i) {
    std::vector<Vec2> loaded;
    for (std::size_t p = 0; p < points[i].size(); ++p) {
      if (contacts[i][p]) loaded.push_back(points[i][p].head<2>());
    }
    support[i] = shrunk_hull(loaded, settings);
    ever = ever || !loaded.empty();
  }
  if (!ever) return current;  // nobody stands here
  std::vector<Leg> legs;
  for (const bool left : {true, false}) {
    if (auto leg = find_leg(*actor, left)) legs.push_back(*leg);
  }
  std::vector<std::vector<Vec3>> foot_position(legs.size(), std::vector<Vec3>(n));
  std::vector<std::vector<Quat>> foot_rotation(legs.size(), std::vector<Quat>(n));
  ActorDynamics dynamics(actor);
  const VecX rest = VecX::Zero(actor->nv());
  for (int i = 0; i < n; ++i) {
    dynamics.set_state(q[i], rest);
    for (std::size_t l = 0; l < legs.size(); ++l) {
      foot_position[l][i] = dynamics.body_position(legs[l].foot);
      foot_rotation[l][i] = dynamics.body_rotation(legs[l].foot);
    }
  }

  const std::vector<Vec3> original = mass_path(reference).com;
  for (int pass = 0; pass < settings.passes; ++pass) {
    const MassPath path = mass_path(*current);
    PathSolver solver(n, reference.rate());
    std::vector<double> weight(n), alpha(n), beta(n);

    // Vertical: free fall in flight.
    for (int i = 0; i < n; ++i) {
      weight[i] = support[i].empty ? kFlightWeight : 0;
      alpha[i] = 0;
      beta[i] = -1;
    }
    solver.factor(weight, alpha, beta);
    const VecX height = solver.solve(column(path.com, 2), column(path.acceleration, 2), weight, alpha, beta,
                                     VecX::Constant(n, -actor->gravity()));
    VecX rise = VecX::Zero(n);
    for (int i = 1; i + 1 < n; ++i)
      rise[i] = (height[i + 1] - 2 * height[i] + height[i - 1]) * reference.rate() * reference.rate();

    // Horizontal: the zero-moment point inside the support.
    Eigen::Matrix<double, Eigen::Dynamic, 2> moment(n, 2), target(n, 2);
    for (int i = 0; i < n; ++i) {
      const double up = std::max({actor->gravity() + rise[i], 0.2 * actor->gravity(), 0.1});
      const bool flight = support[i].empty;
      weight[i] = flight ? kFlightWeight : kSupportWeight;
      alpha[i] = flight ? 0 : 1;
      beta[i] = flight ? -1 : height[i] / up;
      const double scale = flight ? 0 : 1 / (actor->mass() * up);
      moment.row(i) << path.spin_rate[i].y() * scale, -path.spin_rate[i].x() * scale;
    }
    solver.factor(weight, alpha, beta);
    const VecX x_ref = column(path.com, 0), y_ref = column(path.com, 1);
    const VecX x_second = column(path.acceleration, 0), y_second = column(path.acceleration, 1);
    VecX x = x_ref, y = y_ref;
    const double r2 = reference.rate() * reference.rate();
    double outside = 0;
    int counted = 0;
    constexpr int kProjections = 25;
    for (int round = 0; round < kProjections; ++round) {
      for (int i = 0; i < n; ++i) {
        if (support[i].empty) {
          target.row(i).setZero();
          continue;
        }
        const int k = std::clamp(i, 1, n - 2);
        const Vec2 second((x[k + 1] - 2 * x[k] + x[k - 1]) * r2, (y[k + 1] - 2 * y[k] + y[k - 1]) * r2);
        const Vec2 p = Vec2(x[i], y[i]) - beta[i] * second - moment.row(i).transpose();
        const Vec2 inside = support[i].project(p);
        if (round == 0) {
          outside += (p - inside).norm();
          ++counted;
        }
        target.row(i) = (inside + moment.row(i).transpose()).transpose();
      }
      x = solver.solve(x_ref, x_second, weight, alpha, beta, target.col(0));
      y = solver.solve(y_ref, y_second, weight, alpha, beta, target.col(1));
    }
    if (report && pass == 0) report->outside_before = outside / std::max(counted, 1);
    if (report) report->outside_after = outside / std::max(counted, 1);

    // Move the root, lower where a leg would be too short, put the feet back.
    std::vector<double> drop(n, 0.0);
    for (int i = 0; i < n; ++i) {
      q[i].head<3>() += Vec3(x[i], y[i], height[i]) - path.com[i];
      dynamics.set_state(q[i], rest);
      for (std::size_t l = 0; l < legs.size(); ++l) {
        drop[i] = std::max(
            drop[i], hip_drop(dynamics.body_position(legs[l].thigh), foot_position[l][i], legs[l].length));
      }
    }
    smooth_drop(drop, reference.rate());
    for (int i = 0; i < n; ++i) {
      q[i][2] -= drop[i];
      for (std::size_t l = 0; l < legs.size(); ++l) {
        dynamics.set_state(q[i], rest);
        const Leg& leg = legs[l];
        const int hangs_on = actor->bodies()[leg.thigh].parent;
        if (!place_foot(*actor, leg, dynamics.body_position(leg.thigh), dynamics.body_rotation(hangs_on),
                        foot_position[l][i], foot_rotation[l][i], q[i])) {
          reach(dynamics, leg, foot_position[l][i], foot_rotation[l][i], q[i]);
        }
      }
    }
    low_pass(*actor, q, reference.rate(), settings.low_pass_hz);
    current = std::make_shared<SampledReference>(actor, reference.rate(), q, contacts);
  }
  if (report) {
    const std::vector<Vec3> final = mass_path(*current).com;
    for (int i = 0; i < n; ++i)
      report->largest_shift = std::max(report->largest_shift, (final[i] - original[i]).norm());
  }
  return current;
}

}  // namespace stunt
