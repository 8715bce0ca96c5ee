// A smooth correction of a sampled signal that is given at some frames and fades out between them.
//
//   min_e  sum_given w_i (e_i - d_i)^2 + sum_others e_i^2 + T^6 sum_i (third difference of e)_i^2
//
// With large w the curve goes through what is given, with velocity and acceleration to match; elsewhere it
// returns to zero within about T. The normal equations are banded.
#pragma once

#include <vector>

namespace stunt {

struct CorrectionTargets {
  explicit CorrectionTargets(int frames) : value(frames, 0.0), weight(frames, 1.0) {}
  void set(int frame, double target, bool exactly = true);
  std::vector<double> value, weight;
};

class SmoothCorrection {
 public:
  SmoothCorrection(int frames, double rate_hz);
  std::vector<double> through(const CorrectionTargets& targets) const;

 private:
  int n_;
  double stiffness_;  // T^6, in frames
};

}  // namespace stunt
