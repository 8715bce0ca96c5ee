#include "stunt/assess/realism/human_size.h"

#include <fmt/format.h>

#include "stunt/assess/realism/realism.h"
#include "stunt/core/error.h"
#include "stunt/motion/length_unit.h"

namespace stunt {

void check_human_size(const ActorPtr& actor, const std::string& place) {
  if (!human_muscles(actor).muscles.empty()) check_human_size(stature(actor), place);
}

void check_human_size(double height, const std::string& place) {
  constexpr double kSmallest = 0.4, kTallest = 3.5;  // m: less than a baby, more than the tallest man
  if (height >= kSmallest && height <= kTallest) return;
  const LengthUnit likely = find_length_unit(height);
  throw InputError(place, fmt::format("a human of {:.3g} m", height),
                   fmt::format("one of {} to {} m; one of its metres is likely {:.4g} m{}", kSmallest,
                               kTallest, likely.metres, likely.name.empty() ? "" : ", " + likely.name));
}

}  // namespace stunt
