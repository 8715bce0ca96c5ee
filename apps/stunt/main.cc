// stunt: the program. Exit status 0: done; 1: the run failed; 2: the input or the command line is wrong.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "stunt/core/error.h"
#include "stunt/core/nearest_name.h"

namespace {

// A word in the place of a subcommand that is none: the command line's library would only say that one is missing.
void check_subcommand(const CLI::App& app, const char* word) {
  if (!word || word[0] == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return;
    known.push_back(command->get_name());
  }
  const std::string meant = stunt::nearest_name(word, known);
  throw stunt::InputError("command line", fmt::format("'{}'", word),
                          meant.empty() ? fmt::format("one of: {}", fmt::join(known, ", "))
                                        : fmt::format("perhaps '{}' (stunt --help tells how)", meant));
}

// Carries out the command line; the exit status.
int run(int argc, char** argv) {
  CLI::App app{"Stunt turns recorded human motion into a physically simulated double of the actor."};
  app.set_version_flag("--version", STUNT_VERSION);
  app.require_subcommand(1);
  app.footer("Start here:  stunt track walk\nEach subcommand's --help has an example that works as printed.");
  stunt::add_track(app);
  stunt::add_run(app);
  stunt::add_practise(app);
  stunt::add_assess(app);
  stunt::add_info(app);
  stunt::add_fit(app);
  stunt::add_edit(app);
  stunt::add_benchmark(app);
  stunt::add_experiment(app);
  stunt::add_creature(app);
  stunt::add_optimize(app);
  stunt::add_render(app);
  stunt::add_report(app);
  stunt::add_settings(app);
  stunt::add_lists(app);
  if (argc == 1) {
    stunt::say(app.help());
    return 2;
  }
  try {
    check_subcommand(app, argv[argc > 1 ? 1 : argc]);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const auto chosen = app.get_subcommands();
    stunt::say(fmt::format("stunt: command line: {} (stunt {}--help tells how)", error.what(),
                           chosen.empty() ? "" : chosen[0]->get_name() + " "));
    return 2;
  } catch (const stunt::InputError& error) {
    stunt::say(fmt::format("stunt: {}", error.what()));
    return 2;
  } catch (const stunt::ExitStatus& status) {
    return status.value;
  } catch (const std::bad_alloc&) {
    stunt::say("stunt: out of memory");
    return 1;
  } catch (const std::exception& error) {
    stunt::say(fmt::format("stunt: {}", error.what()));
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  stunt::prepare_process();
  // "stunt help" and "stunt help track" as people try them.
  char flag[] = "--help";
  std::vector<char*> words(argv, argv + argc);
  if (argc > 1 && argc < 4 && std::string(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    words.push_back(flag);
  }
  return stunt::finish_output(run(static_cast<int>(words.size()), words.data()));
}
