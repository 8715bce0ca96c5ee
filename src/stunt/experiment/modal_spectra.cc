#include "stunt/experiment/modal_spectra.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "stunt/control/modal/modes.h"

namespace stunt {
namespace {

constexpr double kSampleRate = 120, kHighest = 20;  // Hz
constexpr int kTogether = 3;                        // components in one line

// Power of each column's deviation from its mean, summed over columns, at multiples of `step` Hz.
std::vector<double> power(const MatX& signals, double step, int count) {
  std::vector<double> sums;
  for (int k = 1; k <= count; ++k) {
    double sum = 0;
    for (int column = 0; column < signals.cols(); ++column) {
      double real = 0, imaginary = 0;
      for (int i = 0; i < signals.rows(); ++i) {
        const double angle = 2 * kPi * k * step * i / kSampleRate;
        real += signals(i, column) * std::cos(angle);
        imaginary += signals(i, column) * std::sin(angle);
      }
      sum += real * real + imaginary * imaginary;
    }
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

ModalSpectra modal_spectra(const Reference& reference, double start, double seconds) {
  const ActorPtr actor = reference.actor();
  const int joints = actor->nv() - Modes::kRigid, samples = static_cast<int>(seconds * kSampleRate + 0.5);
  ReferenceSample first, sample;
  reference.sample(start, first);
  ActorDynamics dynamics(actor);
  dynamics.set_state(first.q, first.v);
  Modes modes(*actor, paper_joint_stiffness(*actor));
  modes.compute(dynamics);
  MatX poses(samples, joints), coordinates(samples, joints);
  VecX change, p(joints);
  for (int i = 0; i < samples; ++i) {
    reference.sample(start + i / kSampleRate, sample);
    difference(*actor, first.q, sample.q, change);
    modes.to_modes(change, p);
    poses.row(i) = change.tail(joints).transpose();
    coordinates.row(i) = p.transpose();
  }
  poses.rowwise() -= poses.colwise().mean().eval();
  coordinates.rowwise() -= coordinates.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<MatX> components(poses.transpose() * poses);  // weakest first
  const MatX along = poses * components.eigenvectors();

  ModalSpectra result;
  const double step = kSampleRate / samples;
  const int count = static_cast<int>(kHighest / step);
  const auto add = [&](const char* name, const MatX& signals) {
    const std::vector<double> powers = power(signals, step, count);
    const double largest = *std::max_element(powers.begin(), powers.end());
    MeasuredLine line{name, {}, {}};
    double total = 0, weighted = 0;
    for (int k = 0; k < count; ++k) {
      line.x.push_back((k + 1) * step);
      line.y.push_back(largest > 0 ? std::sqrt(powers[static_cast<std::size_t>(k)] / largest) : 0);
      total += powers[static_cast<std::size_t>(k)];
      weighted += (k + 1) * step * powers[static_cast<std::size_t>(k)];
    }
    result.lines.push_back(std::move(line));
    result.numbers.push_back({std::string(name) + ", mean frequency (Hz)", total > 0 ? weighted / total : 0});
  };
  add("three strongest components", along.rightCols(kTogether));
  add("three weakest components", along.leftCols(kTogether));
  add("three softest modes", coordinates.leftCols(kTogether));
  add("three stiffest modes", coordinates.rightCols(kTogether));
  return result;
}

}  // namespace stunt
