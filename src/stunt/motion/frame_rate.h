// Frame rates as people mean them: a file that prints 0.0083333 s for a frame means 120 frames per second.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stunt {

// The rate meant by a frame time (s, above 0) that was printed as `text`: the nearest usual rate that prints
// so, or the nearest whole one, or else 1 / frame_time. Adds a sentence to `notes` when it changes the rate
// by more than 0.01 %.
double frame_rate_from_printed_time(double frame_time, std::string_view text,
                                    std::vector<std::string>& notes);

}  // namespace stunt
