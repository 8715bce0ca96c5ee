// stunt report: recordings as one page to watch and to compare.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "console.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/report/files/recording_file.h"
#include "stunt/report/files/summary.h"
#include "stunt/report/page/html_report.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;

// The summary written beside the recording has the timings of the run; without it they are left out.
nlohmann::ordered_json summary_of(const Recording& recording, const fs::path& path) {
  const fs::path beside = path.parent_path() / "summary.json";
  if (path.filename() == "recording.npz" && fs::exists(beside)) {
    auto summary = nlohmann::ordered_json::parse(read_file(beside), nullptr, false);
    if (summary.is_object()) return summary;
    say(beside.string() +
        ": not readable as JSON; the numbers are taken from the recording, without timings");
  }
  return summary_json(summarize(recording));
}

}  // namespace

void add_report(CLI::App& app) {
  struct Options {
    std::vector<std::string> recordings, labels;
    std::string out = "report.html";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("report", "make a page that plays recordings, side by side when several");
  command->footer("Example:  stunt track walk --out out/walk && stunt report out/walk -o walk.html");
  command->add_option("recordings", options->recordings, "recording.npz files, or the folders they are in")
      ->required();
  command->add_option("-o,--out", options->out, "the page")->capture_default_str();
  command->add_option("--label", options->labels, "a name for each recording, in the same order")
      ->delimiter(',');
  command->callback([options] {
    if (!options->labels.empty() && options->labels.size() != options->recordings.size()) {
      throw InputError("--label", fmt::format("{} names", options->labels.size()),
                       fmt::format("one for each of the {} recordings", options->recordings.size()));
    }
    std::vector<Recording> recordings;
    std::vector<ReportEntry> entries;
    for (const std::string& given : options->recordings) recordings.push_back(load_recording(given));
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      const fs::path path = recording_path(options->recordings[i]);
      std::string label = options->labels.empty() ? "" : options->labels[i];
      if (label.empty() && recordings.size() > 1) {
        label = path.filename() == "recording.npz"
                    ? fs::absolute(path).lexically_normal().parent_path().filename().string()
                    : path.stem().string();
      }
      entries.push_back({&recordings[i], summary_of(recordings[i], path), label});
    }
    if (!html_report_available())
      throw RunError("this build has no report page: install npm and run make again");
    write_file(options->out, html_report(entries));
    say("wrote " + options->out);
  });
}

}  // namespace stunt
