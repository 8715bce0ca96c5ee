#include "stunt/experiment/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kStudyStyle =
    R"(body{font:15px/1.5 system-ui,sans-serif;margin:1.5em;max-width:1100px;
color:var(--text);background:var(--back)}table{border-collapse:collapse;margin:1em 0;font-size:.88em;display:block;
overflow-x:auto}th,td{border:1px solid var(--line);padding:.25em .6em;text-align:left;white-space:nowrap}
figure{display:inline-block;margin:.5em;max-width:470px;vertical-align:top}
)";

std::string cell_text(const ordered_json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_number_float()) return fmt::format("{:.4g}", cell.get<double>());
  return cell.dump();
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv(const StudyPart& part) {
  std::string out;
  for (std::size_t r = 0; r < part.rows.size(); ++r) {
    std::string head, line;
    for (const auto& [key, cell] : part.rows[r].items()) {
      head += (head.empty() ? "" : ",") + quoted(key);
      line += (line.empty() ? "" : ",") + quoted(cell.is_null() ? "" : cell_text(cell));
    }
    if (r == 0) out += head + "\n";
    out += line + "\n";
  }
  return out;
}

std::string html_table(const StudyPart& part) {
  if (part.rows.empty()) return "";
  std::string out = "<table><tr>";
  for (const auto& [key, cell] : part.rows[0].items()) out += "<th>" + escape_html(key) + "</th>";
  out += "</tr>\n";
  for (const ordered_json& row : part.rows) {
    out += "<tr>";
    for (const auto& [key, cell] : row.items()) out += "<td>" + escape_html(cell_text(cell)) + "</td>";
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

}  // namespace

ordered_json tables(const Study& study) {
  ordered_json all = ordered_json::array();
  for (const StudyPart& part : study.parts) {
    for (const ordered_json& row : part.rows) {
      ordered_json whole{{"part", part.name}};
      whole.update(row);
      all.push_back(std::move(whole));
    }
  }
  return all;
}

std::string study_text(const Study& study) {
  std::string out;
  for (const StudyPart& part : study.parts) {
    out += fmt::format("{}{}: {}\n", out.empty() ? "" : "\n", part.name, part.title);
    if (part.rows.empty()) continue;
    std::vector<std::vector<std::string>> lines(1);
    for (const auto& [key, cell] : part.rows[0].items()) lines[0].push_back(key);
    for (const ordered_json& row : part.rows) {
      lines.emplace_back();
      for (const auto& [key, cell] : row.items()) lines.back().push_back(cell_text(cell));
    }
    std::vector<std::size_t> widths(lines[0].size(), 0);
    for (const auto& line : lines) {
      for (std::size_t c = 0; c < std::min(line.size(), widths.size()); ++c)
        widths[c] = std::max(widths[c], line[c].size());
    }
    for (const auto& line : lines) {
      std::string text;
      for (std::size_t c = 0; c < std::min(line.size(), widths.size()); ++c)
        text += fmt::format("{:<{}}  ", line[c], widths[c]);
      text.erase(text.find_last_not_of(' ') + 1);
      out += text + "\n";
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> study_files(const Study& study) {
  std::vector<std::pair<std::string, std::string>> files;
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{0}</title>\n<style>{1}{2}</style>\n<h1>{0}</h1>\n",
      escape_html(study.title), kPlotStyle, kStudyStyle);
  for (const std::string& note : study.notes) html += "<p>" + escape_html(note) + "</p>\n";
  for (const StudyPart& part : study.parts) {
    html += fmt::format("<h2 id=\"{}\">{}</h2>\n<p>{}</p>\n", part.name, escape_html(part.title),
                        escape_html(part.note));
    for (const Plot& plot : part.plots) html += to_svg(plot);
    html += html_table(part);
    files.emplace_back(part.name + ".csv", csv(part));
  }
  files.emplace_back("index.html", html + "</html>\n");
  return files;
}

}  // namespace stunt
