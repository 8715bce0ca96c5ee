#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <proxsuite/proxqp/dense/dense.hpp>

#include "stunt/solve/qp.h"

namespace stunt {
namespace {

namespace dense = proxsuite::proxqp::dense;
using proxsuite::proxqp::InitialGuessStatus;
using proxsuite::proxqp::QPSolverOutput;
using Clock = std::chrono::steady_clock;

// ProxQP itself cannot watch the clock: under a time limit it runs in rounds of this many outer iterations.
constexpr int kRound = 10;

class ProxQpSolver final : public QpSolver {
 public:
  const QpResult& solve(const QpProblem& problem, const VecX* guess) override {
    const auto start = Clock::now();
    clean_up(problem);
    result_.status = check_problem(problem, guess);
    if (result_.status == QpStatus::solved && problem.variables() > 0) {
      load(problem, guess);
      run(start);
      read(problem);
    }
    result_.microseconds = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    return result_;
  }

 private:
  void clean_up(const QpProblem& problem) {
    const int n = problem.variables();
    result_.x.setZero(n);
    result_.y.setZero(problem.equalities());
    result_.z.setZero(problem.rows());
    result_.w.setZero(n);
    result_.primal_residual = result_.dual_residual = 0.0;
    result_.iterations = 0;
  }

  void load(const QpProblem& problem, const VecX* guess) {
    const int n = problem.variables(), equalities = problem.equalities(), rows = problem.rows();
    bool fresh = false;
    if (!qp_ || qp_->model.dim != n || qp_->model.n_eq != equalities || qp_->model.n_in != rows) {
      qp_.emplace(n, equalities, rows, true);
      fresh = true;
      H_.resize(n, n);
      lower_.resize(n);
      upper_.resize(n);
    }
    H_ = problem.H.selfadjointView<Eigen::Lower>();
    A_ = problem.A;
    C_ = problem.C;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    lower_.setConstant(-infinity);
    upper_.setConstant(infinity);
    if (problem.lower.size() > 0) lower_ = problem.lower;
    if (problem.upper.size() > 0) upper_ = problem.upper;

    auto& settings = qp_->settings;
    settings.eps_abs = 1e-12;
    settings.eps_rel = options.tolerance;
    settings.check_duality_gap = true;  // else multipliers of limits that are not reached pass
    settings.eps_duality_gap_abs = 1e-12;
    settings.eps_duality_gap_rel = options.tolerance;
    settings.initial_guess =
        guess != nullptr ? InitialGuessStatus::WARM_START : InitialGuessStatus::NO_INITIAL_GUESS;
    using Vector = proxsuite::optional<dense::VecRef<double>>;
    using Matrix = proxsuite::optional<dense::MatRef<double>>;
    const auto A = equalities > 0 ? Matrix(A_) : Matrix();
    const auto b = equalities > 0 ? Vector(problem.b) : Vector();
    const auto C = rows > 0 ? Matrix(C_) : Matrix();
    const auto l = rows > 0 ? Vector(problem.l) : Vector();
    const auto u = rows > 0 ? Vector(problem.u) : Vector();
    if (fresh) {
      qp_->init(H_, problem.g, A, b, C, l, u, lower_, upper_);
    } else {
      qp_->update(H_, problem.g, A, b, C, l, u, lower_, upper_, true);
    }
    guess_ = guess;
  }

  // With multipliers that fit: what is left of the gradient where the guess touches a bound. They are written
  // where ProxQP looks for them, since its own entry (0.7.3) refuses multipliers of bounds.
  void start_from_guess() {
    auto& start = qp_->results;
    const int n = static_cast<int>(guess_->size()), rows = static_cast<int>(start.z.size()) - n;
    gradient_.noalias() = H_ * *guess_;
    gradient_ += qp_->model.g;
    start.x = *guess_;
    start.y.setZero();
    start.z.setZero();
    for (int i = 0; i < n; ++i) {
      if (start.x[i] <= lower_[i]) start.z[rows + i] = std::min(0.0, -gradient_[i]);
      if (start.x[i] >= upper_[i]) start.z[rows + i] = std::max(0.0, -gradient_[i]);
    }
  }

  void run(Clock::time_point start) {
    auto& settings = qp_->settings;
    const bool timed = std::isfinite(options.time_limit);
    int left = options.max_iterations;
    result_.status = QpStatus::iteration_limit;
    settings.max_iter = timed ? std::min(kRound, left) : left;
    if (guess_ != nullptr) start_from_guess();
    qp_->solve();
    while (true) {
      const auto& info = qp_->results.info;
      result_.iterations += static_cast<int>(info.iter);
      left -= static_cast<int>(settings.max_iter);
      switch (info.status) {
        case QPSolverOutput::PROXQP_SOLVED:
          result_.status = QpStatus::solved;
          return;
        case QPSolverOutput::PROXQP_PRIMAL_INFEASIBLE:
          result_.status = QpStatus::infeasible;
          return;
        case QPSolverOutput::PROXQP_MAX_ITER_REACHED:
          break;
        default:
          return;  // dual infeasible: unbounded
      }
      if (left <= 0) return;
      if (timed && Clock::now() - start > std::chrono::duration<double>(options.time_limit)) {
        result_.status = QpStatus::time_limit;
        return;
      }
      settings.max_iter = std::min(kRound, left);
      settings.initial_guess = InitialGuessStatus::WARM_START_WITH_PREVIOUS_RESULT;
      qp_->solve();
    }
  }

  void read(const QpProblem& problem) {
    const auto& results = qp_->results;
    if (!results.x.allFinite()) {
      result_.status = QpStatus::numerical;
      return;
    }
    result_.x = results.x;
    result_.y = results.y;
    result_.z = results.z.head(problem.rows());
    result_.w = results.z.tail(problem.variables());
    result_.primal_residual = results.info.pri_res;
    result_.dual_residual = results.info.dua_res;
  }

  std::optional<dense::QP<double>> qp_;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMajor H_, A_, C_;  // ProxQP's own layout
  VecX lower_, upper_, gradient_;
  const VecX* guess_ = nullptr;
  QpResult result_;
};

}  // namespace

std::unique_ptr<QpSolver> make_proxqp_solver() { return std::make_unique<ProxQpSolver>(); }

}  // namespace stunt
