#include "stunt/experiment/convergence_page.h"

#include <fmt/format.h>

#include <cmath>

#include "stunt/experiment/plot.h"

namespace stunt {
namespace {

constexpr int kReadAgain = 5;           // s
constexpr std::size_t kLinesShown = 8;  // in one plot of numbers

// The numbers' means in units of their first spread, so that all fit one scale.
Plot paths(const Problem& problem, const std::vector<Generation>& history, std::size_t from, std::size_t to) {
  Plot plot{"Where the numbers go", "generation", "from the first mean, in first spreads", {}};
  for (std::size_t i = from; i < to; ++i) {
    const Movable& one = problem.movables()[i];
    PlotLine line{one.name.substr(one.name.rfind("controller.") == std::string::npos
                                      ? 0
                                      : one.name.rfind("controller.") + 11),
                  {}};
    for (const Generation& row : history)
      line.points.emplace_back(row.number, (row.mean[static_cast<Eigen::Index>(i)] - one.mean) / one.spread);
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

}  // namespace

std::string convergence_page(const std::string& name, const Problem& problem,
                             const std::vector<Generation>& history, int motion) {
  Plot reward{"Reward",
              "generation",
              "reward",
              {{"best of the generation", {}}, {"median", {}}, {"best so far", {}}}};
  Plot spread{"Spread", "generation", "sigma", {{"sigma", {}}}, true};
  for (const Generation& row : history) {
    const auto add = [&](PlotLine& line, double value) {
      if (std::isfinite(value)) line.points.emplace_back(row.number, value);
    };
    add(reward.lines[0], row.best);
    add(reward.lines[1], row.median);
    add(reward.lines[2], row.best_so_far);
    add(spread.lines[0], row.sigma);
  }
  std::string page = fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><meta http-equiv=\"refresh\" "
      "content=\"{}\"><title>{}</title><style>{}</style>"
      "<h1>{}</h1>",
      kReadAgain, escape_html(name), kPlotStyle, escape_html(name));
  if (!history.empty()) {
    const Generation& last = history.back();
    page += fmt::format(
        "<p>Generation {}, {} runs, {:.0f} simulated seconds{}{}. The best so far: <code>stunt run "
        "best.yaml</code>.</p>",
        last.number, last.evaluations, last.simulated_s, last.success ? ", success" : "",
        last.broken > 0 ? fmt::format(", {} runs broke", last.broken) : "");
  }
  page += to_svg(reward) + to_svg(spread);
  const std::size_t count = problem.movables().size();
  for (std::size_t from = 0; from < count; from += kLinesShown)
    page += to_svg(paths(problem, history, from, std::min(count, from + kLinesShown)));
  return page + fmt::format("<script>parent.postMessage({{motion: {}}}, '*')</script></html>\n", motion);
}

std::string optimization_page(const std::string& name) {
  return fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{}</title>"
      "<style>body{{margin:0;display:flex;flex-wrap:wrap}}iframe{{border:0;flex:1 1 "
      "32rem;height:100vh}}</style>"
      "<iframe src=\"convergence.html\" title=\"Convergence\"></iframe>"
      "<iframe id=\"motion\" title=\"The best motion so far\"></iframe>"
      "<script>let shown = 0;\n"
      "addEventListener('message', ({{data}}) => {{\n"
      "  if (!(data.motion > shown)) return;\n"
      "  shown = data.motion;\n"
      "  document.getElementById('motion').src = 'best.html?' + shown;\n"
      "}});</script></html>\n",
      escape_html(name));
}

}  // namespace stunt
