#include "rehearse_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "console.h"

namespace stunt {

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

nlohmann::ordered_json rehearse_json(const RehearseOptions& options) {
  if (!options.rehearse) return nullptr;
  if (options.rollouts) return {{"rollouts", *options.rollouts}};
  return {{"budget_s", options.budget}};
}

void add_rehearse_options(CLI::App& command, RehearseOptions& options) {
  CLI::Option* rehearse = command.add_flag("--rehearse", options.rehearse,
                                           "practise where it falls or stumbles (docs/rehearsal.md)");
  CLI::Option* budget =
      command.add_option("--budget", options.budget, "seconds to practise at most (default 60)")
          ->needs(rehearse);
  budget->check([](const std::string& text) {
    double value = 0;
    const bool good = CLI::detail::lexical_cast(text, value) && value > 0 && value <= 1e6;
    return good ? "" : fmt::format("found '{}', expected a number of seconds above 0", text);
  });
  command
      .add_option("--rollouts", options.rollouts,
                  "instead of the budget, and reproducible: stretches of 0.15 s to try at most")
      ->needs(rehearse)
      ->excludes(budget)
      ->check([](const std::string& text) {
        int value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value > 0;
        return good ? "" : fmt::format("found '{}', expected a whole number above 0", text);
      });
}

Rehearsal rehearse_shown(const Scene& scene, const RehearseOptions& options, int threads,
                         const std::string& label, bool quiet) {
  StatusLine line(quiet);
  return rehearse(scene,
                  {.budget = options.budget,
                   .rollouts = options.rollouts,
                   .unasked = options.unasked,
                   .threads = threads},
                  [&](const RehearsalProgress& now) {
                    if (now.rollouts == 0) return !take_interrupt();  // nothing to practise so far
                    const std::string left =
                        options.unasked    ? fmt::format("{:.0f} % of the practice left", 100 * now.left)
                        : options.rollouts ? fmt::format("{:.0f} rollouts left", now.left * *options.rollouts)
                                           : fmt::format("{:.0f} s left", now.left * options.budget);
                    line.update(fmt::format("{} {}: gets to {:.2f} s of {:.2f} s, {} rollouts, {}", label,
                                            now.doing, now.reached, now.duration, now.rollouts, left));
                    return !take_interrupt();
                  });
}

}  // namespace stunt
