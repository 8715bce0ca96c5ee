// The subcommands: each adds itself to the command line. All are thin shells over the library.
#pragma once

#include <CLI/CLI.hpp>

namespace stunt {

void add_track(CLI::App& app);
void add_run(CLI::App& app);
void add_practise(CLI::App& app);
void add_assess(CLI::App& app);
void add_info(CLI::App& app);
void add_fit(CLI::App& app);
void add_edit(CLI::App& app);
void add_benchmark(CLI::App& app);
void add_experiment(CLI::App& app);
void add_creature(CLI::App& app);
void add_optimize(CLI::App& app);
void add_optimize_gait(CLI::App& optimize);
void add_optimize_fall(CLI::App& optimize);
void add_render(CLI::App& app);
void add_report(CLI::App& app);
void add_settings(CLI::App& app);
void add_lists(CLI::App& app);  // motions, characters, controllers, engines

}  // namespace stunt
