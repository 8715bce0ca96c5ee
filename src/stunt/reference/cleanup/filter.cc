#include "stunt/reference/cleanup/filter.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

// Coefficients of the second-order Butterworth low-pass by the bilinear transform, corrected so that the two
// passes together are 3 dB down at the cut-off (Winter 2009, section 2.2.4.4: divide by (2^(1/2) - 1)^(1/4)).
struct Biquad {
  double b0, b1, b2, a1, a2;
};
Biquad butterworth(double rate_hz, double cutoff_hz) {
  const double corrected = cutoff_hz / std::pow(std::sqrt(2.0) - 1.0, 0.25);
  const double w = std::tan(kPi * std::min(corrected / rate_hz, 0.49));
  const double norm = 1 / (1 + std::sqrt(2.0) * w + w * w);
  return {w * w * norm, 2 * w * w * norm, w * w * norm, 2 * (w * w - 1) * norm,
          (1 - std::sqrt(2.0) * w + w * w) * norm};
}

void run(const Biquad& f, std::vector<double>& x) {
  // Starts as if the first value had been there for ever.
  double x1 = x.front(), x2 = x1, y1 = x1, y2 = x1;
  for (double& value : x) {
    const double y = f.b0 * value + f.b1 * x1 + f.b2 * x2 - f.a1 * y1 - f.a2 * y2;
    x2 = x1;
    x1 = value;
    y2 = y1;
    y1 = y;
    value = y;
  }
}

// The q index of each quaternion.
std::vector<int> quaternion_addresses(const Actor& actor) {
  std::vector<int> addresses;
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type == JointType::free) addresses.push_back(joint.q_address + 3);
    if (joint.type == JointType::ball) addresses.push_back(joint.q_address);
  }
  return addresses;
}

}  // namespace

void low_pass(std::vector<double>& signal, double rate_hz, double cutoff_hz) {
  const int n = static_cast<int>(signal.size());
  if (n < 3 || cutoff_hz >= 0.5 * rate_hz) return;
  const int pad = std::min(n - 1, static_cast<int>(std::ceil(rate_hz / cutoff_hz)) * 2);
  std::vector<double> x(n + 2 * pad);
  for (int i = 0; i < pad; ++i) {
    x[i] = 2 * signal.front() - signal[pad - i];
    x[n + 2 * pad - 1 - i] = 2 * signal.back() - signal[n - 1 - (pad - i)];
  }
  std::copy(signal.begin(), signal.end(), x.begin() + pad);
  const Biquad filter = butterworth(rate_hz, cutoff_hz);
  run(filter, x);
  std::reverse(x.begin(), x.end());
  run(filter, x);
  std::reverse(x.begin(), x.end());
  std::copy(x.begin() + pad, x.begin() + pad + n, signal.begin());
}

void make_continuous(const Actor& actor, std::vector<VecX>& q) {
  for (const int at : quaternion_addresses(actor)) {
    for (std::size_t i = 1; i < q.size(); ++i) {
      if (q[i].segment<4>(at).dot(q[i - 1].segment<4>(at)) < 0) q[i].segment<4>(at) *= -1;
    }
  }
}

void low_pass(const Actor& actor, std::vector<VecX>& q, double rate_hz, double cutoff_hz) {
  make_continuous(actor, q);
  std::vector<double> signal(q.size());
  for (int c = 0; c < actor.nq(); ++c) {
    for (std::size_t i = 0; i < q.size(); ++i) signal[i] = q[i][c];
    low_pass(signal, rate_hz, cutoff_hz);
    for (std::size_t i = 0; i < q.size(); ++i) q[i][c] = signal[i];
  }
  for (const int at : quaternion_addresses(actor)) {
    for (VecX& pose : q) pose.segment<4>(at).normalize();
  }
}

namespace {

constexpr double kQuickest = 360;  // rad/s^2: how a person's joint gathers speed at most

// Two to four frames away from the line between the frames around them, for one joint, there and back at a stroke.
int remove_excursions(std::vector<VecX>& q, double rate_hz, double least_change, int first, int size) {
  constexpr double kMostTime = 0.17;  // s, between the frames around it
  const int longest = std::min(4, static_cast<int>(kMostTime * rate_hz) - 1);
  constexpr double kFar = 0.5;  // rad
  const double sudden = std::max({kFar / 2, kQuickest / (rate_hz * rate_hz), least_change});
  const double scale = size == 4 ? 2 : 1;
  const int n = static_cast<int>(q.size());
  VecX from, to, between;
  // How much the step after a frame differs from the one before it.
  const auto change_at = [&](int i) {
    if (i < 1 || i + 1 >= n) return sudden;
    return scale *
           (q[i - 1].segment(first, size) - 2 * q[i].segment(first, size) + q[i + 1].segment(first, size))
               .norm();
  };
  const auto line = [&](int k, int length) {
    between = from + (to - from) * (static_cast<double>(k) / (length + 1));
    if (size == 4) between.normalize();
  };
  int replaced = 0;
  for (int i = 1; i + 2 < n; ++i) {
    from = q[i - 1].segment(first, size);
    if (scale * (q[i].segment(first, size) - from).norm() < kFar / 2 || change_at(i - 1) < sudden) continue;
    for (int length = 2; length <= longest && i + length < n; ++length) {
      to = q[i + length].segment(first, size);
      double least = 1e9, most = 0;
      for (int k = 1; k <= length; ++k) {
        line(k, length);
        const double away = scale * (q[i + k - 1].segment(first, size) - between).norm();
        least = std::min(least, away);
        most = std::max(most, away);
      }
      if (most < kFar || least < kFar / 2 || scale * (to - from).norm() > most / 2) continue;
      if (change_at(i + length) < sudden) continue;
      for (int k = 1; k <= length; ++k) {
        line(k, length);
        q[i + k - 1].segment(first, size) = between;
      }
      replaced += length;
      break;
    }
  }
  return replaced;
}

}  // namespace

int remove_spikes(const Actor& actor, std::vector<VecX>& q, double rate_hz) {
  constexpr double kFewest = 20;                                                   // Hz
  const double threshold = std::max(0.05, 0.5 * kQuickest / (rate_hz * rate_hz));  // rad
  make_continuous(actor, q);
  const int n = static_cast<int>(q.size());
  if (n < 5 || rate_hz < kFewest) return 0;
  int replaced = 0;
  std::vector<double> deviation(n), sorted;
  for (const ActorJoint& joint : actor.joints()) {
    const int at = joint.q_address;
    const bool free = joint.type == JointType::free;
    const bool rotation = free || joint.type == JointType::ball;
    const int size = rotation ? 4 : 1, first = free ? at + 3 : at;
    // Distance of a frame from the middle of its neighbours; for a quaternion, twice that is the angle.
    const auto bend = [&](const VecX& before, const VecX& here, const VecX& after) {
      return (rotation ? 2 : 1) * (here - 0.5 * (before + after)).norm();
    };
    const auto part = [&](int i) { return q[i].segment(first, size); };
    const auto measure = [&] {  // and what stands out of them
      for (int i = 1; i + 1 < n; ++i) deviation[i] = bend(part(i - 1), part(i), part(i + 1));
      sorted.assign(deviation.begin() + 1, deviation.end() - 1);
      std::sort(sorted.begin(), sorted.end());
      return std::max(10 * sorted[sorted.size() / 2], 2.5 * sorted[sorted.size() * 9 / 10]);
    };
    replaced += remove_excursions(q, rate_hz, 2 * measure(), first, size);
    const double unusual = measure();
    for (int i = 1; i + 1 < n; ++i) {
      const bool peak = deviation[i] >= deviation[i - 1] && deviation[i] >= deviation[i + 1];
      if (!peak || deviation[i] < threshold || deviation[i] < unusual) continue;
      // Without a spike the motion is straighter beside it too; what lands, or hits, is as sharp elsewhere.
      const VecX middle = 0.5 * (part(i - 1) + part(i + 1));
      const double before = i < 2 ? 0 : bend(part(i - 2), part(i - 1), middle) - deviation[i - 1];
      const double after = i + 2 >= n ? 0 : bend(middle, part(i + 1), part(i + 2)) - deviation[i + 1];
      if (before + after > 0) continue;
      q[i].segment(first, size) = middle;
      if (rotation) q[i].segment(first, size).normalize();
      ++replaced;
    }
  }
  return replaced;
}

std::vector<VecX> resample(const Actor& actor, const std::vector<VecX>& q, double from_hz, double to_hz) {
  if (std::abs(from_hz - to_hz) < 1e-3 * to_hz) return q;
  const double last = static_cast<double>(q.size() - 1);
  const int count = static_cast<int>(std::floor(last / from_hz * to_hz + 1e-6)) + 1;
  std::vector<VecX> out(count);
  VecX step;
  for (int k = 0; k < count; ++k) {
    const double at = std::min(k / to_hz * from_hz, last);
    const int i = std::min(static_cast<int>(at), static_cast<int>(last) - 1);
    difference(actor, q[i], q[i + 1], step);
    integrate(actor, q[i], step, at - i, out[k]);
  }
  return out;
}

}  // namespace stunt
