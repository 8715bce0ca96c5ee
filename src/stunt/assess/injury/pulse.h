// Measures of a quantity over time, fed one step after the other: what is written down of a crash test.
//
// A value is the mean over its step, as engines have it: sums are then exact integrals. Nothing is allocated after
// construction.
#pragma once

#include <cstddef>
#include <vector>

namespace stunt {

// The largest mean over a window of `window` seconds (Geijtenbeek 2013, eq. 5.1). A window that is no whole number of
// steps takes part of its oldest one.
class WindowMean {
 public:
  WindowMean(double window, double timestep);
  void push(double value);
  double largest() const { return largest_; }
  double at() const { return at_; }  // s since the first step, end of that window

 private:
  double timestep_, steps_;  // of the window
  std::vector<double> ring_;
  std::size_t pushed_ = 0;
  double sum_ = 0, largest_ = 0, at_ = 0;
};

// The highest level that is kept for `window` seconds: the largest over time of the least value in a window. Of 3 ms it is
// the "3 ms clip" of crash tests.
class SustainedLevel {
 public:
  SustainedLevel(double window, double timestep);
  void push(double value);
  double largest() const { return largest_; }
  double at() const { return at_; }

 private:
  double timestep_;
  std::vector<double> ring_;
  std::size_t pushed_ = 0;
  double largest_ = 0, at_ = 0;
};

// The Head Injury Criterion of an acceleration in g:
//   HIC = max over t1 < t2 of (t2 - t1) [1/(t2 - t1) integral a dt]^2.5         t in s
// over all windows from 3 ms to `longest` (HIC15: 0.015 s; Versace 1971, NHTSA), or of just that length (eq. 5.2).
class HeadInjury {
 public:
  HeadInjury(double longest, bool fixed, double timestep);
  void push(double acceleration_g);
  double largest() const { return largest_; }
  double window() const { return window_; }  // s, of the worst one
  double at() const { return at_; }          // s, its end

 private:
  double timestep_, steps_;
  bool fixed_;
  std::vector<double> ring_;  // values, the newest at pushed_ - 1
  std::size_t pushed_ = 0;
  double largest_ = 0, window_ = 0, at_ = 0;
};

}  // namespace stunt
