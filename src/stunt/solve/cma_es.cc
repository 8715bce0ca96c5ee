#include "stunt/solve/cma_es.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace stunt {
namespace {

constexpr double kLargestCondition = 1e14;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

int default_population(int n) { return 4 + static_cast<int>(3 * std::log(n)); }

void check(const CmaSpace& space) {
  const auto n = space.mean.size();
  const auto fits = [&](const VecX& bound) { return bound.size() == 0 || bound.size() == n; };
  if (n == 0) throw std::invalid_argument("a search over no numbers");
  if (space.spread.size() != n || !fits(space.lower) || !fits(space.upper))
    throw std::invalid_argument("mean, spread and bounds of a search differ in size");
  if (!space.mean.allFinite() || !space.spread.allFinite() || space.spread.minCoeff() <= 0)
    throw std::invalid_argument("the mean of a search must be finite, its spreads above zero");
  if (space.lower.size() && (space.mean - space.lower).minCoeff() < 0)
    throw std::invalid_argument("the mean of a search lies below its lower bound");
  if (space.upper.size() && (space.upper - space.mean).minCoeff() < 0)
    throw std::invalid_argument("the mean of a search lies above its upper bound");
  if (space.lower.size() && space.upper.size() && (space.upper - space.lower).minCoeff() <= 0)
    throw std::invalid_argument("the bounds of a search are empty");
}

// x folded into [low, high] as between two mirrors; `flips`: by an odd number of them.
double fold(double x, double low, double high, bool& flips) {
  flips = false;
  if (x >= low && x <= high) return x;
  if (std::isinf(high) || std::isinf(low)) {  // one mirror
    flips = true;
    return x < low ? low + (low - x) : high - (x - high);
  }
  const double width = high - low;
  double turn = std::fmod(x - low, 2 * width);
  if (turn < 0) turn += 2 * width;
  flips = turn > width;
  return std::clamp(low + (flips ? 2 * width - turn : turn), low, high);
}

// The order of values from the smallest; equal ones keep their order, no number is last.
std::vector<int> order_of(const VecX& values) {
  std::vector<int> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (std::isnan(values[a]) || std::isnan(values[b]))
      return !std::isnan(values[a]) && std::isnan(values[b]);
    return values[a] < values[b];
  });
  return order;
}

// How far a rank may move by chance: the `percent` percentile of |1 - r|, |2 - r| ... |2 lambda - 1 - r|.
double allowed_change(double rank, int population, double percent) {
  std::vector<double> distances;
  for (int i = 1; i < 2 * population; ++i) distances.push_back(std::abs(i - rank));
  std::sort(distances.begin(), distances.end());
  const double at = percent / 100 * static_cast<double>(distances.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, distances.size() - 1);
  return distances[below] + (at - static_cast<double>(below)) * (distances[above] - distances[below]);
}

}  // namespace

CmaConstants::CmaConstants(int n, int population, bool separable, bool negative_weights) {
  VecX raw(population);
  for (int i = 0; i < population; ++i) raw[i] = std::log((population + 1) / 2.0) - std::log(i + 1);
  parents = static_cast<int>((raw.array() > 0).count());
  const VecX good = raw.head(parents), bad = raw.tail(population - parents);
  mu_eff = good.sum() * good.sum() / good.squaredNorm();
  const double bad_eff = bad.squaredNorm() > 0 ? bad.sum() * bad.sum() / bad.squaredNorm() : 0;

  c_c = (4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n);
  c_s = (mu_eff + 2) / (n + mu_eff + 5);
  d_s = 1 + 2 * std::max(0.0, std::sqrt((mu_eff - 1) / (n + 1)) - 1) + c_s;
  c_1 = 2 / ((n + 1.3) * (n + 1.3) + mu_eff);
  c_mu = std::min(1 - c_1, 2 * (0.25 + mu_eff + 1 / mu_eff - 2) / ((n + 2.0) * (n + 2.0) + mu_eff));
  if (separable) {
    const double faster = (n + 2) / 3.0;
    c_1 = std::min(1.0, faster * c_1);
    c_mu = std::min(1 - c_1, faster * c_mu);
  }
  expected = std::sqrt(n) * (1 - 1 / (4.0 * n) + 1 / (21.0 * n * n));

  weights = VecX::Zero(population);
  weights.head(parents) = good / good.sum();
  if (negative_weights && bad.size() > 0 && c_mu > 0) {
    const double sum =
        std::min({1 + c_1 / c_mu, 1 + 2 * bad_eff / (mu_eff + 2), (1 - c_1 - c_mu) / (n * c_mu)});
    weights.tail(population - parents) = bad * (sum / -bad.sum());
  }
}

CmaEs::CmaEs(CmaSpace space, const CmaOptions& options)
    : space_((check(space), std::move(space))),
      options_(options),
      constants_(dimension(), options.population > 0 ? options.population : default_population(dimension()),
                 options.separable, options.negative_weights),
      random_(options.seed),
      best_cost_(std::numeric_limits<double>::quiet_NaN()),
      best_(space_.mean) {
  if (population() < 2) throw std::invalid_argument("a population must have at least 2 points");
  const int n = dimension();
  lower_ = VecX::Constant(n, -kInfinity);
  upper_ = VecX::Constant(n, kInfinity);
  if (space_.lower.size()) lower_ = space_.lower.cwiseQuotient(space_.spread);
  if (space_.upper.size()) upper_ = space_.upper.cwiseQuotient(space_.spread);
  begin(space_.mean.cwiseQuotient(space_.spread));
}

void CmaEs::begin(const VecX& mean) {
  const int n = dimension();
  mean_ = mean;
  sigma_ = 1;
  covariance_ = options_.separable ? MatX(VecX::Ones(n)) : MatX(MatX::Identity(n, n));
  path_s_ = path_c_ = VecX::Zero(n);
  axes_ = options_.separable ? MatX() : MatX(MatX::Identity(n, n));
  lengths_ = VecX::Ones(n);
  decomposed_ = generation_ = 0;
  recent_.clear();
  repeats_ = 1;
  asked_ = false;
}

void CmaEs::restart() {
  constants_ = CmaConstants(dimension(), 2 * population(), options_.separable, options_.negative_weights);
  ++restarts_;
  VecX mean = space_.mean.cwiseQuotient(space_.spread);
  for (int i = 0; i < mean.size(); ++i) {
    if (std::isfinite(lower_[i]) && std::isfinite(upper_[i])) mean[i] = random_.uniform(lower_[i], upper_[i]);
  }
  begin(mean);
}

const MatX& CmaEs::ask() {
  if (!asked_) {
    sample();
    if (options_.noisy) choose_again();
    asked_ = true;
  }
  return points_;
}

void CmaEs::sample() {
  const int n = dimension();
  scaled_.resize(n, population());
  points_.resize(n, population());
  VecX z(n);
  for (int k = 0; k < population(); ++k) {
    for (int i = 0; i < n; ++i) z[i] = random_.normal();
    z = z.cwiseProduct(lengths_);
    if (options_.separable) {
      scaled_.col(k) = mean_ + sigma_ * z;
    } else {
      scaled_.col(k) = mean_ + sigma_ * (axes_ * z);
    }
    points_.col(k) = inside(scaled_.col(k));
  }
}

// A tenth of the points and at least two: those that come first are as good a choice as any.
void CmaEs::choose_again() {
  const double wanted = std::max(2.0, 0.1 * population());
  const int whole = static_cast<int>(wanted);
  const int count = std::min(population(), whole + (random_.uniform() < wanted - whole ? 1 : 0));
  again_.resize(static_cast<std::size_t>(count));
  std::iota(again_.begin(), again_.end(), 0);
}

int CmaEs::repeats() const { return static_cast<int>(std::lround(repeats_)); }

void CmaEs::tell(const VecX& costs, const VecX& again) {
  if (!asked_) throw std::logic_error("costs are told before points were asked for");
  if (costs.size() != population() ||
      again.size() != (options_.noisy ? static_cast<Eigen::Index>(again_.size()) : 0))
    throw std::invalid_argument("not one cost for every point");
  for (int k = 0; k < population(); ++k) {
    if (costs[k] < best_cost_ || (std::isnan(best_cost_) && !std::isnan(costs[k]))) {
      best_cost_ = costs[k];
      best_ = points_.col(k);
    }
  }
  const double smallest = costs[order_of(costs).front()];
  recent_.push_back(smallest);
  const auto memory = static_cast<std::size_t>(10 + std::ceil(30.0 * dimension() / population()));
  if (recent_.size() > memory) recent_.pop_front();
  update(options_.noisy ? ranks_under_noise(costs, again) : costs);
  asked_ = false;
}

void CmaEs::tell_points(const MatX& points, const VecX& costs) {
  if (points.rows() != dimension() || points.cols() != population())
    throw std::invalid_argument("the points told are not as many as the population");
  ask();
  scaled_ = space_.spread.cwiseInverse().asDiagonal() * points;
  for (int k = 0; k < population(); ++k) points_.col(k) = inside(scaled_.col(k));
  tell(costs, VecX(options_.noisy ? costs.head(static_cast<Eigen::Index>(again_.size())) : VecX()));
}

// Algorithm 3 of Hansen et al. 2009: ranks of both judgements together, and how much they differ.
VecX CmaEs::ranks_under_noise(const VecX& costs, const VecX& again) {
  constexpr double kThreshold = 0.2, kMoreRepeats = 1.5;
  const int count = population();
  VecX both(2 * count);
  both << costs, costs;
  for (std::size_t i = 0; i < again_.size(); ++i) both[count + again_[i]] = again[static_cast<int>(i)];
  VecX rank(2 * count);
  const std::vector<int> order = order_of(both);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<double>(i) + 1;

  uncertainty_ = 0;
  for (const int k : again_) {
    const double before = rank[k], after = rank[count + k];
    const double change = std::abs(after - before) - 1;  // the two themselves lie one apart at least
    uncertainty_ += 2 * change - allowed_change(after - (after > before ? 1 : 0), count, 50 * kThreshold) -
                    allowed_change(before - (before > after ? 1 : 0), count, 50 * kThreshold);
  }
  uncertainty_ /= static_cast<double>(again_.size());
  if (uncertainty_ > 0) {
    if (repeats_ < options_.most_repeats) {
      repeats_ = std::min(kMoreRepeats * repeats_, static_cast<double>(options_.most_repeats));
    } else {
      sigma_ *= 1 + 2.0 / (dimension() + 10);
    }
  } else {
    repeats_ = std::max(1.0, repeats_ / kMoreRepeats);
  }
  return rank.head(count) + rank.tail(count);
}

VecX CmaEs::whitened(const VecX& y) const {
  if (options_.separable) return y.cwiseQuotient(lengths_);
  return axes_ * (axes_.transpose() * y).cwiseQuotient(lengths_);
}

void CmaEs::update(const VecX& costs) {
  const CmaConstants& c = constants_;
  const int n = dimension();
  const std::vector<int> order = order_of(costs);
  MatX steps(n, population());  // y, best first
  for (int k = 0; k < population(); ++k)
    steps.col(k) = (scaled_.col(order[static_cast<std::size_t>(k)]) - mean_) / sigma_;
  const VecX step = steps.leftCols(c.parents) * c.weights.head(c.parents);

  mean_ += sigma_ * step;
  path_s_ = (1 - c.c_s) * path_s_ + std::sqrt(c.c_s * (2 - c.c_s) * c.mu_eff) * whitened(step);
  const double settled = std::sqrt(1 - std::pow(1 - c.c_s, 2 * (generation_ + 1)));
  const bool moves = path_s_.norm() / settled < (1.4 + 2.0 / (n + 1)) * c.expected;  // h
  path_c_ = (1 - c.c_c) * path_c_;
  if (moves) path_c_ += std::sqrt(c.c_c * (2 - c.c_c) * c.mu_eff) * step;

  VecX weights = c.weights;
  for (int k = c.parents; k < population(); ++k) {
    if (weights[k] < 0) weights[k] *= n / whitened(steps.col(k)).squaredNorm();
  }
  const double missing = moves ? 0 : c.c_c * (2 - c.c_c);  // d(h)
  covariance_ *= 1 + c.c_1 * missing - c.c_1 - c.c_mu * c.weights.sum();
  if (options_.separable) {
    covariance_ += c.c_1 * path_c_.cwiseAbs2() + c.c_mu * (steps.cwiseAbs2() * weights);
  } else {
    covariance_ +=
        c.c_1 * path_c_ * path_c_.transpose() + c.c_mu * steps * weights.asDiagonal() * steps.transpose();
  }
  sigma_ *= std::exp(std::min(1.0, c.c_s / c.d_s * (path_s_.norm() / c.expected - 1)));
  ++generation_;
  mirror_mean();
  if (generation_ - decomposed_ > 1 / ((c.c_1 + c.c_mu) * n * 10)) decompose();
}

void CmaEs::mirror_mean() {
  for (int i = 0; i < dimension(); ++i) {
    bool flips = false;
    mean_[i] = fold(mean_[i], lower_[i], upper_[i], flips);
    if (!flips) continue;
    path_s_[i] = -path_s_[i];
    path_c_[i] = -path_c_[i];
    if (options_.separable) continue;
    covariance_.row(i) = -covariance_.row(i).eval();
    covariance_.col(i) = -covariance_.col(i).eval();
    axes_.row(i) = -axes_.row(i).eval();
  }
}

void CmaEs::decompose() {
  decomposed_ = generation_;
  if (options_.separable) {
    covariance_ = covariance_.cwiseMax(1e-300);
    lengths_ = covariance_.cwiseSqrt();
    return;
  }
  covariance_ = (0.5 * (covariance_ + covariance_.transpose())).eval();
  const Eigen::SelfAdjointEigenSolver<MatX> solver(covariance_);
  axes_ = solver.eigenvectors();
  // Rounding may make the smallest ones of a very flat distribution negative.
  lengths_ =
      solver.eigenvalues().cwiseMax(solver.eigenvalues().maxCoeff() / (10 * kLargestCondition)).cwiseSqrt();
}

VecX CmaEs::inside(const VecX& x) const {
  VecX out(x.size());
  bool flips = false;
  for (int i = 0; i < x.size(); ++i) {
    out[i] = fold(x[i], lower_[i], upper_[i], flips) * space_.spread[i];
    if (space_.lower.size()) out[i] = std::max(out[i], space_.lower[i]);  // against rounding
    if (space_.upper.size()) out[i] = std::min(out[i], space_.upper[i]);
  }
  return out;
}

VecX CmaEs::mean() const { return inside(mean_); }

VecX CmaEs::deviation() const {
  const VecX diagonal = options_.separable ? VecX(covariance_) : VecX(covariance_.diagonal());
  return sigma_ * diagonal.cwiseMax(0).cwiseSqrt().cwiseProduct(space_.spread);
}

std::string CmaEs::stopped() const {
  const auto memory = static_cast<std::size_t>(10 + std::ceil(30.0 * dimension() / population()));
  if (recent_.size() >= memory && !options_.noisy) {
    const auto [low, high] = std::minmax_element(recent_.begin(), recent_.end());
    if (*high - *low < options_.small_change) return "the best cost no longer changes";
  }
  if (!std::isfinite(sigma_) || !covariance_.allFinite()) return "the distribution has no finite width";
  if (deviation().cwiseQuotient(space_.spread).maxCoeff() < options_.small_step)
    return "the steps have become too small to matter";
  const double condition = std::pow(lengths_.maxCoeff() / lengths_.minCoeff(), 2);
  if (condition > kLargestCondition) return "the distribution is too long and thin to go on";
  return "";
}

}  // namespace stunt
