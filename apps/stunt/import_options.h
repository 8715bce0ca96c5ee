// What a person can say about a motion file on the command line, for every command that reads one.
#pragma once

#include <CLI/CLI.hpp>

#include "stunt/motion/import_options.h"

namespace stunt {

// Adds --up, --unit, --fps, --facing, --role, --animation, --start, --end, --in-place, --keep-rest-frame,
// --skeleton and --force. `options` must live as long as the command.
void add_import_options(CLI::App& command, ImportOptions& options);

}  // namespace stunt
