// stunt: the program. Exit status 0: done; 1: the run failed; 2: the input or the command line is wrong.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "commands.h"
#include "console.h"
#include "stunt/core/error.h"

int main(int argc, char** argv) {
  CLI::App app{"Stunt turns recorded human motion into a physically simulated double of the actor."};
  app.set_version_flag("--version", STUNT_VERSION);
  app.require_subcommand(1);
  app.footer("Start here:  stunt track walk\nEach subcommand's --help has an example that works as printed.");
  stunt::add_track(app);
  stunt::add_run(app);
  stunt::add_info(app);
  stunt::add_fit(app);
  stunt::add_benchmark(app);
  stunt::add_lists(app);
  stunt::catch_interrupt();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "stunt: {}\n(stunt --help lists what there is)\n", error.what());
    return 2;
  } catch (const stunt::InputError& error) {
    fmt::print(stderr, "stunt: {}\n", error.what());
    return 2;
  } catch (const stunt::ExitStatus& status) {
    return status.value;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "stunt: out of memory\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stunt: {}\n", error.what());
    return 1;
  }
  return 0;
}
