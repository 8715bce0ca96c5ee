#include "stunt/experiment/injury_falling.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "stunt/core/error.h"
#include "stunt/optimize/evaluator.h"
#include "stunt/optimize/falls.h"

namespace stunt {
namespace {

constexpr int kStarts = 100;
constexpr std::uint64_t kUnseen =
    1000;  // added to the seed: none of the falls that the numbers were found over

struct Way {
  const char* name;
  const char* how;
  bool fights;
};
constexpr Way kWays[] = {{"limp", "limp", false},
                         {"stiff", "stiff", false},
                         {"fights on, then limp", "limp", true},
                         {"protects itself", "protect", false}};

// One start, fallen from in every way.
struct FourFalls {
  std::vector<ToppledOutcome> ways;
};
void describe(Fields& fields, FourFalls& falls) { fields.list("ways", falls.ways, ""); }

double middle_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

// "ahead", "back" or "aside": where a push drives a body.
std::string side_of(Toppled& start) {
  const Simulation::Act& act = start.simulation->acts().front();
  const double turn =
      std::atan2(start.force.y(), start.force.x()) - heading(quat_from_wxyz(&act.observation.q[3]));
  const double c = std::cos(turn);
  return c > 0.7 ? "ahead" : c < -0.7 ? "back" : "aside";
}

}  // namespace

void add_falling_well(Study& study, const ExperimentOptions& options, const std::vector<std::string>& engines,
                      const std::function<bool(double)>& progress) {
  StudyPart table{
      "protect", "Falling well, over the same hundred falls",
      "Tracked motions are pushed over. From the moment when balance cannot be saved each body falls in "
      "four ways; a row is a median over the falls, and pairs compare a fall with the same one limp. "
      "Contacts as soft as the tissue over a hip (24 ms), steps of 1 ms."};
  StudyPart parts{
      "protect_measures", "What hurts in these falls",
      "Mean over the falls of each measure of preset default; 1 is the threshold of serious injury."};
  StudyPart each{"protect_falls", "Each of these falls", "D_AVG and HIC15, preset default."};
  for (const std::string& engine : engines) {
    FallsSpec spec;
    spec.motions = options.motions.empty() ? toppled_motions() : options.motions;
    spec.count = kStarts;
    spec.seed = options.seed + kUnseen;
    spec.engine = engine;
    std::vector<Toppled> starts = topple(spec, progress);
    const auto evaluator = process_evaluator(options.jobs);
    const auto results = evaluate<FourFalls>(
        *evaluator, kStarts,
        [&](int i) {
          FourFalls out;
          for (const Way& way : kWays)
            out.ways.push_back(
                fall_from(starts[static_cast<std::size_t>(i)], {.how = way.how}, spec, way.fights));
          return out;
        },
        [&](int done) { return !progress || progress(static_cast<double>(done) / kStarts); });
    for (std::size_t w = 0; w < std::size(kWays); ++w) {
      std::vector<double> d, hic, paper, worst, ratio, paper_ratio, hic_change;
      int better = 0, diverged = 0;
      for (const auto& [falls, error] : results) {
        if (!error.empty()) throw RunError("a fall could not be run: " + error);
        const ToppledOutcome &one = falls.ways[w], &limp = falls.ways[0];
        if (one.diverged || limp.diverged) {
          ++diverged;
          continue;
        }
        d.push_back(one.standard.d_avg);
        paper.push_back(one.paper.d_avg);
        hic.push_back(one.standard.hic);
        worst.push_back(one.standard.d_worst3);
        ratio.push_back(one.standard.d_avg / limp.standard.d_avg);
        paper_ratio.push_back(one.paper.d_avg / limp.paper.d_avg);
        hic_change.push_back(one.standard.hic - limp.standard.hic);
        better += one.standard.d_avg < limp.standard.d_avg;
      }
      table.rows.push_back({{"engine", engine},
                            {"falls", kWays[w].name},
                            {"D_AVG", middle_of(d)},
                            {"D_AVG, of limp", middle_of(ratio)},
                            {"better than limp", better},
                            {"D_AVG paper", middle_of(paper)},
                            {"paper, of limp", middle_of(paper_ratio)},
                            {"HIC15", middle_of(hic)},
                            {"HIC15 less limp", middle_of(hic_change)},
                            {"three highest", middle_of(worst)},
                            {"diverged", diverged}});
    }
    const std::size_t measures = results.front().value.ways.front().standard.measures.size();
    for (std::size_t m = 0; m < measures; ++m) {
      nlohmann::ordered_json row = {
          {"engine", engine}, {"measure", results.front().value.ways.front().standard.measures[m].name}};
      for (std::size_t w = 0; w < std::size(kWays); ++w) {
        double sum = 0;
        int count = 0;
        for (const auto& [falls, error] : results) {
          if (falls.ways[w].diverged || falls.ways[w].standard.measures.size() != measures) continue;
          sum += falls.ways[w].standard.measures[m].value;
          ++count;
        }
        row[kWays[w].name] = sum / std::max(count, 1);
      }
      parts.rows.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      nlohmann::ordered_json row = {{"engine", engine},
                                    {"fall", static_cast<int>(i) + 1},
                                    {"motion", std::filesystem::path(starts[i].motion).stem().string()},
                                    {"pushed", side_of(starts[i])},
                                    {"push N", starts[i].force.norm()},
                                    {"pushed at s", starts[i].pushed_at},
                                    {"lost at s", starts[i].at}};
      for (std::size_t w = 0; w < std::size(kWays); ++w) {
        row[std::string("D_AVG ") + kWays[w].name] = results[i].value.ways[w].standard.d_avg;
        row[std::string("HIC15 ") + kWays[w].name] = results[i].value.ways[w].standard.hic;
      }
      each.rows.push_back(std::move(row));
    }
  }
  study.parts.push_back(std::move(table));
  study.parts.push_back(std::move(parts));
  study.parts.push_back(std::move(each));
}

}  // namespace stunt
