// Line plots as inline SVG; colours come from the page's style (kPlotStyle), so they follow light and dark.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stunt {

struct PlotLine {
  std::string label;
  std::vector<std::pair<double, double>> points;
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotLine> lines;
  bool log_y = false;  // points at or below 0 are left out
};

extern const std::string_view kPlotStyle;  // CSS
std::string to_svg(const Plot& plot);
std::string escape_html(std::string_view text);

}  // namespace stunt
