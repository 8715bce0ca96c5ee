// A motion played faster or slower around a hit, so that the striking body meets it at another speed (hit-and-react
// section 4): its clock runs as it always does away from the hit, `factor` times as fast at the hit, and in between
// smoothly. By eq. 2, v = sum r_i x w_i, a factor on the joints' speeds is the same factor on the body's.
//
//   dt / dT = 1 + (1/factor - 1) w(T),   w = (1 + cos(pi (T - hit) / window)) / 2 within the window, 0 outside
//
// with T the motion's own time and t the time it takes. The paper weighs the time step by a sinusoid as a function of t;
// of T it has a closed form, and the time of the hit is known beforehand.
#pragma once

namespace stunt {

// The sinusoid: 1 at 0, 0 from -1 and 1 on.
double hit_weight(double x);

struct TimeScale {
  double hit = 0;     // s, in the motion's own time
  double window = 0;  // s, before and after it; 0: nothing is changed
  double factor = 1;  // above 0

  double taken(double own) const;       // s that it takes from the motion's start to its time `own`
  double own(double taken) const;       // s: the motion's time after that
  double speed(double own_time) const;  // how many times as fast it runs there
};

}  // namespace stunt
