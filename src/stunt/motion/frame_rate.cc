#include "stunt/motion/frame_rate.h"

#include <fmt/format.h>

#include <cmath>

namespace stunt {

double frame_rate_from_printed_time(double frame_time, std::string_view text,
                                    std::vector<std::string>& notes) {
  const double printed = 1.0 / frame_time;
  if (std::abs(printed - std::round(printed)) < 1e-9 * printed) return std::round(printed);

  // What one step of the last printed digit is worth, s. With an exponent nothing can be said.
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || text.find_first_of("eE") != std::string_view::npos) return printed;
  const double last_digit = std::pow(10.0, -static_cast<double>(text.size() - point - 1));
  const auto distance = [&](double rate) { return std::abs(1.0 / rate - frame_time); };

  double best = printed;
  double best_distance = 1.000001 * last_digit;
  for (const double rate : {24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 144.0, 150.0, 200.0,
                            240.0, 24.0 / 1.001, 30.0 / 1.001, 60.0 / 1.001, 120.0 / 1.001}) {
    if (distance(rate) < best_distance) {
      best = rate;
      best_distance = distance(rate);
    }
  }
  if (best == printed && printed >= 1.0 && distance(std::round(printed)) < best_distance)
    best = std::round(printed);
  if (std::abs(best - printed) > 1e-4 * printed) {
    notes.push_back(fmt::format("A frame time of {} s is read as {:.6g} frames per second.", text, best));
  }
  return best;
}

}  // namespace stunt
