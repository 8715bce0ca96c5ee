// Writes the pages the browser tests open: one run, a fall, two characters, a comparison of three, five
// minutes.
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "stunt/core/files.h"
#include "stunt/report/files/summary.h"
#include "stunt/report/page/html_report.h"
#include "tests/marching_recording.h"

using namespace stunt;

namespace {

ReportEntry entry(const Recording& run, const std::string& label = "") {
  return {&run, summary_json(summarize(run)), label};
}

// The same with an injury of made-up size.
ReportEntry hurt(const Recording& run) {
  RunSummary summary = summarize(run);
  summary.actors[0].injury = {.preset = "default",
                              .measures = {{"head", "D_H", 1.4, 2.4},
                                           {"left femur, along", "D_FA_L", 0.6, 2.3},
                                           {"right foot", "D_P_R", 0, 0}},
                              .d_avg = 0.667,
                              .hic = 980};
  return {&run, summary_json(summary), ""};
}

void write(const std::filesystem::path& path, const std::vector<ReportEntry>& entries) {
  const auto start = std::chrono::steady_clock::now();
  const std::string page = html_report(entries);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_file(path, page);
  std::printf("%-20s %7.2f MB, made in %.3f s\n", path.filename().c_str(),
              static_cast<double>(page.size()) / 1e6, took);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: stunt_sample_pages FOLDER\n");
    return 2;
  }
  if (!html_report_available()) {
    std::printf("SKIPPED: this build has no report page; it is made when npm is there\n");
    return 0;
  }
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  const Recording walk = marching_recording({.name = "march", .duration = 10});
  const Recording fall = marching_recording({.name = "march", .duration = 5, .let_go = 2});
  const Recording soft = marching_recording({.name = "march", .duration = 5, .stiffness = 120});
  const Recording stiff = marching_recording({.name = "march", .duration = 5, .stiffness = 900});
  const Recording pair = marching_recording({.name = "two marchers", .duration = 4, .characters = 2});
  const Recording slope = marching_recording({.name = "uphill", .duration = 4, .slope_deg = 8});
  const Recording minutes = marching_recording({.name = "five minutes", .duration = 300});
  write(folder / "walk.html", {entry(walk)});
  write(folder / "fall.html", {hurt(fall)});
  write(folder / "pair.html", {entry(pair)});
  write(folder / "slope.html", {entry(slope)});
  write(folder / "compare.html", {entry(stiff, "stiff"), entry(soft, "soft"), entry(fall, "falls")});
  write(folder / "minutes.html", {entry(minutes)});
  return 0;
}
