#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/experiment/experiment.h"
#include "stunt/experiment/plot.h"

namespace stunt {
namespace {

using nlohmann::ordered_json;

constexpr double kCurveStep = 1.0 / kCurveRate;  // s

// One cell: all trials of a setup and a value.
struct Cell {
  Setup setup;
  std::string value;
  std::vector<std::size_t> trials;
};

// A trial's outcome as JSON; what cannot be told is null.
ordered_json outcome_json(const TrialOutcome& outcome) {
  if (!outcome.error.empty()) return {{"error", outcome.error}};
  if (!outcome.plans.empty()) {
    ordered_json rows = ordered_json::array();
    for (const PlanTimes& times : outcome.plans) {
      rows.push_back({{"contacts", times.contacts},
                      {"states", times.states},
                      {"dummy_variables", times.dummy_variables},
                      {"dummy_us", times.dummy_us},
                      {"plain_variables", times.plain_variables},
                      {"plain_us", times.plain_us},
                      {"dual_us", times.dual_us},
                      {"largest_difference", times.largest_difference}});
    }
    return {{"plans", rows}};
  }
  const auto number = [](const std::optional<double>& value) {
    return value ? ordered_json(*value) : ordered_json();
  };
  ordered_json json = {{"completed", outcome.completed},
                       {"fell_at_s", number(outcome.fell_at_s)},
                       {"reason", outcome.reason.empty() ? ordered_json() : ordered_json(outcome.reason)},
                       {"simulated_s", outcome.simulated_s},
                       {"joint_error_deg", number(outcome.joint_error_deg)},
                       {"position_error_cm", number(outcome.position_error_cm)},
                       {"squared_error", number(outcome.squared_error)},
                       {"plan_us", number(outcome.plan_us)},
                       {"reward", number(outcome.reward)}};
  for (const MeasuredNumber& measured : outcome.measured) json[measured.name] = measured.value;
  return json;
}

// What the trials of a cell measured, averaged over those that did.
std::vector<MeasuredNumber> measured_of(const Cell& cell, const std::vector<TrialOutcome>& outcomes) {
  std::vector<MeasuredNumber> means;
  std::vector<int> counts;
  for (const std::size_t i : cell.trials) {
    for (const MeasuredNumber& measured : outcomes[i].measured) {
      auto found = std::find_if(means.begin(), means.end(),
                                [&](const MeasuredNumber& m) { return m.name == measured.name; });
      if (found == means.end()) {
        found = means.insert(means.end(), {measured.name, 0});
        counts.push_back(0);
      }
      found->value += measured.value;
      ++counts[static_cast<std::size_t>(found - means.begin())];
    }
  }
  for (std::size_t i = 0; i < means.size(); ++i) means[i].value /= counts[i];
  return means;
}

std::vector<Cell> cells_of(const Experiment& experiment, const std::string& part) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < experiment.trials.size(); ++i) {
    const Trial& trial = experiment.trials[i];
    if (trial.part != part) continue;
    auto found = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) {
      return cell.setup == trial.setup && cell.value == trial.value;
    });
    if (found == cells.end()) found = cells.insert(cells.end(), {trial.setup, trial.value, {}});
    found->trials.push_back(i);
  }
  return cells;
}

int completed_of(const Cell& cell, const std::vector<TrialOutcome>& outcomes) {
  return static_cast<int>(std::count_if(cell.trials.begin(), cell.trials.end(),
                                        [&](std::size_t i) { return outcomes[i].completed; }));
}

template <typename T>
void add_once(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

std::string csv_field(const ordered_json& value) {
  if (value.is_null()) return "";
  if (!value.is_string())
    return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
  const std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<ordered_json>& fields) {
  std::string line;
  for (const ordered_json& field : fields) line += csv_field(field) + ',';
  line.back() = '\n';
  return line;
}

std::string plan_csv(const Experiment& experiment, const std::vector<TrialOutcome>& outcomes) {
  std::string csv = "character,contacts,states,dummy_variables,dummy_us,plain_variables,plain_us,dual_us\n";
  for (std::size_t i = 0; i < experiment.trials.size(); ++i) {
    for (const PlanTimes& row : outcomes[i].plans) {
      csv += csv_line({experiment.trials[i].setup.character, row.contacts, row.states, row.dummy_variables,
                       row.dummy_us, row.plain_variables, row.plain_us, row.dual_us});
    }
  }
  return csv;
}

std::string part_csv(const Experiment& experiment, const ExperimentPart& part,
                     const std::vector<TrialOutcome>& outcomes) {
  static const std::vector<std::string> kColumns = {
      "completed",         "fell_at_s",     "reason", "simulated_s", "joint_error_deg",
      "position_error_cm", "squared_error", "reward", "plan_us",     "error"};
  std::vector<std::string> columns = kColumns;
  for (std::size_t i = 0; i < experiment.trials.size(); ++i) {
    if (experiment.trials[i].part != part.name) continue;
    for (const MeasuredNumber& measured : outcomes[i].measured) add_once(columns, measured.name);
  }
  std::vector<ordered_json> head = {"engine", "preset", "character", "motion", part.axis, "detail"};
  head.insert(head.end(), columns.begin(), columns.end());
  std::string csv = csv_line(head);
  for (std::size_t i = 0; i < experiment.trials.size(); ++i) {
    const Trial& trial = experiment.trials[i];
    if (trial.part != part.name) continue;
    std::vector<ordered_json> line = {trial.setup.engine, trial.setup.preset, trial.setup.character,
                                      trial.motion,       trial.value,        trial.detail};
    const ordered_json outcome = outcome_json(outcomes[i]);
    for (const std::string& column : columns) line.push_back(outcome.value(column, ordered_json()));
    csv += csv_line(line);
  }
  return csv;
}

std::string curves_csv(const Experiment& experiment, const ExperimentPart& part,
                       const std::vector<TrialOutcome>& outcomes) {
  std::string csv =
      csv_line({"engine", "preset", "character", "motion", part.axis, "time_s", "squared_error_rad2"});
  for (std::size_t i = 0; i < experiment.trials.size(); ++i) {
    const Trial& trial = experiment.trials[i];
    if (trial.part != part.name) continue;
    const std::vector<double>& curve = outcomes[i].curve;
    for (std::size_t k = 0; k < curve.size(); ++k) {
      csv += csv_line({trial.setup.engine, trial.setup.preset, trial.setup.character, trial.motion,
                       trial.value, static_cast<double>(k) * kCurveStep, curve[k]});
    }
  }
  return csv;
}

std::string cell_html(const Cell& cell, const std::vector<TrialOutcome>& outcomes) {
  const int good = completed_of(cell, outcomes), total = static_cast<int>(cell.trials.size());
  const char* kind = good == total ? "good" : good == 0 ? "bad" : "some";
  if (total > 1) return fmt::format("<td class=\"{}\">{} of {}", kind, good, total);
  const TrialOutcome& outcome = outcomes[cell.trials[0]];
  if (!outcome.error.empty())
    return fmt::format("<td class=\"bad\" title=\"{}\">error", escape_html(outcome.error));
  if (good) {
    return fmt::format("<td class=\"good\" title=\"mean joint error {:.1f} deg\">done",
                       outcome.joint_error_deg.value_or(NAN));
  }
  if (!outcome.fell_at_s)
    return fmt::format("<td class=\"bad\" title=\"{}\">diverged", escape_html(outcome.reason));
  return fmt::format("<td class=\"bad\" title=\"{}\">fell {:.1f} s", escape_html(outcome.reason),
                     *outcome.fell_at_s);
}

std::string outcome_table(const ExperimentPart& part, const std::vector<Cell>& cells,
                          const std::vector<TrialOutcome>& outcomes) {
  std::vector<std::string> values;
  std::vector<Setup> setups;
  for (const Cell& cell : cells) {
    add_once(values, cell.value);
    add_once(setups, cell.setup);
  }
  std::string html = fmt::format("<table><tr><th>{}", escape_html(part.axis));
  for (const std::string& value : values) html += "<th>" + escape_html(value);
  for (const Setup& setup : setups) {
    html += "<tr><th>" + escape_html(setup.text());
    for (const std::string& value : values) {
      const auto cell = std::find_if(cells.begin(), cells.end(),
                                     [&](const Cell& c) { return c.setup == setup && c.value == value; });
      html += cell == cells.end() ? "<td>" : cell_html(*cell, outcomes);
    }
  }
  return html + "</table>\n";
}

// The share of trials survived, by a value that is a number.
std::string share_plot(const ExperimentPart& part, const std::vector<Cell>& cells,
                       const std::vector<TrialOutcome>& outcomes) {
  Plot plot{part.title, part.axis, "survived (%)", {}};
  for (const Cell& cell : cells) {
    if (plot.lines.empty() || plot.lines.back().label != cell.setup.text())
      plot.lines.push_back({cell.setup.text(), {}});
    plot.lines.back().points.push_back({std::stod(cell.value), 100.0 * completed_of(cell, outcomes) /
                                                                   static_cast<double>(cell.trials.size())});
  }
  return to_svg(plot);
}

// The first trial of each value: the built-in walk.
std::string curve_plots(const std::vector<Cell>& cells, const std::vector<TrialOutcome>& outcomes) {
  std::string html;
  std::vector<Setup> setups;
  for (const Cell& cell : cells) add_once(setups, cell.setup);
  for (const Setup& setup : setups) {
    Plot plot{setup.text(), "time (s)", "squared error (rad²)", {}, true};
    for (const Cell& cell : cells) {
      if (!(cell.setup == setup) || outcomes[cell.trials[0]].curve.empty()) continue;
      PlotLine line{cell.value, {}};
      const std::vector<double>& curve = outcomes[cell.trials[0]].curve;
      for (std::size_t k = 0; k < curve.size(); ++k) {
        line.points.push_back({static_cast<double>(k) * kCurveStep, curve[k]});
      }
      plot.lines.push_back(std::move(line));
    }
    html += to_svg(plot);
  }
  return html;
}

// What the trials of each cell measured: a row each.
std::string measured_table(const ExperimentPart& part, const std::vector<Cell>& cells,
                           const std::vector<TrialOutcome>& outcomes) {
  std::vector<std::string> names;
  for (const Cell& cell : cells) {
    for (const MeasuredNumber& measured : measured_of(cell, outcomes)) add_once(names, measured.name);
  }
  if (names.empty()) return "";
  std::string html = fmt::format("<table><tr><th>setup<th>{}", escape_html(part.axis));
  for (const std::string& name : names) html += "<th>" + escape_html(name);
  for (const Cell& cell : cells) {
    html += fmt::format("<tr><th>{}<td>{}", escape_html(cell.setup.text()), escape_html(cell.value));
    const std::vector<MeasuredNumber> means = measured_of(cell, outcomes);
    for (const std::string& name : names) {
      const auto found =
          std::find_if(means.begin(), means.end(), [&](const MeasuredNumber& m) { return m.name == name; });
      html += found == means.end() ? "<td>" : fmt::format("<td>{:.3g}", found->value);
    }
  }
  return html + "</table>\n";
}

// The lines of all trials of a setup in one figure.
std::string measured_plots(const ExperimentPart& part, const std::vector<Cell>& cells,
                           const std::vector<TrialOutcome>& outcomes) {
  std::string html;
  std::vector<Setup> setups;
  for (const Cell& cell : cells) add_once(setups, cell.setup);
  for (const Setup& setup : setups) {
    Plot plot{part.title + ": " + setup.text(), part.x_label, part.y_label, {}};
    for (const Cell& cell : cells) {
      if (!(cell.setup == setup)) continue;
      for (const MeasuredLine& line : outcomes[cell.trials[0]].lines) {
        PlotLine drawn{line.name, {}};
        for (std::size_t k = 0; k < line.x.size(); ++k) drawn.points.push_back({line.x[k], line.y[k]});
        plot.lines.push_back(std::move(drawn));
      }
    }
    if (!plot.lines.empty()) html += to_svg(plot);
  }
  return html;
}

std::string lines_csv(const Experiment& experiment, const ExperimentPart& part,
                      const std::vector<TrialOutcome>& outcomes) {
  std::string csv;
  for (std::size_t i = 0; i < experiment.trials.size(); ++i) {
    const Trial& trial = experiment.trials[i];
    if (trial.part != part.name) continue;
    for (const MeasuredLine& line : outcomes[i].lines) {
      for (std::size_t k = 0; k < line.x.size(); ++k) {
        csv +=
            csv_line({trial.setup.engine, trial.setup.preset, trial.value, line.name, line.x[k], line.y[k]});
      }
    }
  }
  return csv.empty() ? csv
                     : csv_line({"engine", "preset", part.axis, "line", part.x_label, part.y_label}) + csv;
}

std::string plan_section(const Experiment& experiment, const std::vector<TrialOutcome>& outcomes) {
  std::string html =
      "<table><tr><th>character<th>contact points<th>variables, dummy<th>µs<th>variables, "
      "plain<th>µs<th>dual, µs";
  Plot plot{"Time of a plan", "variables with dummy accelerations", "µs", {}, true};
  for (std::size_t i = 0; i < experiment.trials.size(); ++i) {
    if (outcomes[i].plans.empty()) continue;
    const std::string& character = experiment.trials[i].setup.character;
    PlotLine dummy{character + ", dummy", {}}, plain{character + ", plain", {}},
        dual{character + ", dual", {}};
    for (const PlanTimes& row : outcomes[i].plans) {
      html += fmt::format("<tr><td>{}<td>{}<td>{}<td>{:.0f}<td>{}<td>{:.0f}<td>{:.0f}",
                          escape_html(character), row.contacts, row.dummy_variables, row.dummy_us,
                          row.plain_variables, row.plain_us, row.dual_us);
      const double x = row.dummy_variables;
      dummy.points.push_back({x, row.dummy_us});
      plain.points.push_back({x, row.plain_us});
      dual.points.push_back({x, row.dual_us});
    }
    for (PlotLine* line : {&dummy, &plain, &dual}) plot.lines.push_back(std::move(*line));
  }
  return html + "</table>\n" + to_svg(plot);
}

constexpr std::string_view kPageStyle = R"(:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:var(--text);background:var(--back)}
table{border-collapse:collapse;margin:1em 0;font-size:.88em;display:block;overflow-x:auto}
th,td{border:1px solid var(--line);padding:.25em .6em;text-align:left;white-space:nowrap}
.good{color:var(--good)}.bad{color:var(--bad)}figure{display:inline-block;margin:.5em;max-width:470px;vertical-align:top}
)";

std::string page(const Experiment& experiment, const std::vector<TrialOutcome>& outcomes) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>{}: experiment</title>\n<style>{}{}</style>\n<h1>{}: tables and figures</h1>\n<p>{} "
      "runs. A setup is engine, "
      "preset, character (fit: made for the motion, in 3D). A cell counts the runs that were completed, or "
      "says when a single "
      "one fell; point at it for the reason.</p>\n",
      escape_html(experiment.title), kPlotStyle, kPageStyle, escape_html(experiment.title),
      experiment.trials.size());
  for (const std::string& note : experiment.notes) html += "<p>" + escape_html(note) + "</p>\n";
  for (const ExperimentPart& part : experiment.parts) {
    html += fmt::format("<h2 id=\"{}\">{}</h2>\n<p>{}</p>\n", part.name, escape_html(part.title),
                        escape_html(part.note));
    const std::vector<Cell> cells = cells_of(experiment, part.name);
    if (part.name == "table4") {
      html += plan_section(experiment, outcomes);
      continue;
    }
    if (!part.paper.empty()) html += "<p>The paper: " + escape_html(part.paper) + "</p>\n";
    html += outcome_table(part, cells, outcomes);
    html += measured_table(part, cells, outcomes) + measured_plots(part, cells, outcomes);
    if (part.name == "pushes" && !cells.empty()) html += share_plot(part, cells, outcomes);
    if (part.curves) html += curve_plots(cells, outcomes);
  }
  return html + "</html>\n";
}

}  // namespace

ordered_json tables(const Experiment& experiment, const std::vector<TrialOutcome>& outcomes) {
  ordered_json all = ordered_json::array();
  for (const ExperimentPart& part : experiment.parts) {
    for (const Cell& cell : cells_of(experiment, part.name)) {
      ordered_json row = {{"part", part.name},
                          {"engine", cell.setup.engine},
                          {"preset", cell.setup.preset},
                          {"character", cell.setup.character}};
      if (part.name == "table4") {
        row["outcome"] = outcome_json(outcomes[cell.trials[0]]);
      } else {
        row["value"] = cell.value;
        row["completed"] = completed_of(cell, outcomes);
        row["total"] = cell.trials.size();
        for (const MeasuredNumber& measured : measured_of(cell, outcomes))
          row["ours"][measured.name] = measured.value;
        if (!part.paper.empty()) row["paper"] = part.paper;
        if (cell.trials.size() == 1) row["outcome"] = outcome_json(outcomes[cell.trials[0]]);
      }
      all.push_back(std::move(row));
    }
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> experiment_files(const Experiment& experiment,
                                                                  const std::vector<TrialOutcome>& outcomes) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const ExperimentPart& part : experiment.parts) {
    if (part.name == "table4") {
      files.emplace_back("table4.csv", plan_csv(experiment, outcomes));
      continue;
    }
    files.emplace_back(part.name + ".csv", part_csv(experiment, part, outcomes));
    const std::string lines = lines_csv(experiment, part, outcomes);
    if (!lines.empty()) files.emplace_back(part.name + "_lines.csv", lines);
    if (part.curves) files.emplace_back(part.name + "_curves.csv", curves_csv(experiment, part, outcomes));
  }
  files.emplace_back("index.html", page(experiment, outcomes));
  return files;
}

}  // namespace stunt
