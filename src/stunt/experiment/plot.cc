#include "stunt/experiment/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kWidth = 460, kHeight = 260, kLeft = 56, kRight = 12, kTop = 28, kBottom = 42;
constexpr int kColours = 8;
constexpr double kDecades =
    5;  // of a logarithmic axis, at most: an error that starts at zero would need hundreds

// Round numbers from low to high, about `count` of them.
std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> values;
  for (double value = std::ceil(low / step - 1e-9) * step; value <= high + 1e-9 * step; value += step)
    values.push_back(value + 0.0);
  return values;
}

struct Axis {
  double low = 0, high = 1;
  void widen(double value, bool first) {
    low = first ? value : std::min(low, value);
    high = first ? value : std::max(high, value);
  }
  void open_up() {  // a line needs some room
    if (high - low < 1e-12) {
      low -= 0.5;
      high += 0.5;
    }
  }
};

}  // namespace

const std::string_view kPlotStyle = R"(svg{max-width:100%;height:auto}
svg text{font:11px system-ui,sans-serif;fill:var(--text)}svg .title{font-weight:600;font-size:12px}
svg .grid{stroke:var(--line);stroke-width:1}svg polyline{fill:none;stroke-width:1.5;stroke:currentColor}
.c0{color:var(--c0)}.c1{color:var(--c1)}.c2{color:var(--c2)}.c3{color:var(--c3)}
.c4{color:var(--c4)}.c5{color:var(--c5)}.c6{color:var(--c6)}.c7{color:var(--c7)}
svg .again{stroke-dasharray:4 3}.key{font-size:.8em}.key span{white-space:nowrap;margin-right:1em}
:root{--text:#1d2430;--back:#fff;--line:#8884;--good:#1a7f37;--bad:#b42318;
--c0:#2563eb;--c1:#d9480f;--c2:#2b8a3e;--c3:#9c36b5;--c4:#0b7285;--c5:#c92a2a;--c6:#846358;--c7:#5c677d}
@media(prefers-color-scheme:dark){:root{--text:#dfe5ee;--back:#12161d;--good:#57c878;--bad:#ff8a7a;
--c0:#7aa7ff;--c1:#ff9f5f;--c2:#7bd88f;--c3:#d69bf0;--c4:#66d9e8;--c5:#ff8787;--c6:#d2b8a4;--c7:#adb5bd}}
)";

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string to_svg(const Plot& plot) {
  const auto height_of = [&](double y) { return plot.log_y ? std::log10(y) : y; };
  const auto shown = [&](const std::pair<double, double>& point) {
    return std::isfinite(point.first) && std::isfinite(point.second) && (!plot.log_y || point.second > 0);
  };
  Axis x, y;
  bool first = true;
  for (const PlotLine& line : plot.lines) {
    for (const auto& point : line.points) {
      if (!shown(point)) continue;
      x.widen(point.first, first);
      y.widen(height_of(point.second), first);
      first = false;
    }
  }
  y.low = plot.log_y ? std::max(y.low, y.high - kDecades) : std::min(y.low, 0.0);
  x.open_up();
  y.open_up();
  const auto to_x = [&](double value) {
    return kLeft + (kWidth - kLeft - kRight) * (value - x.low) / (x.high - x.low);
  };
  const auto to_y = [&](double value) {
    return kHeight - kBottom - (kHeight - kTop - kBottom) * (value - y.low) / (y.high - y.low);
  };

  std::string out = fmt::format(
      "<figure><svg viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" aria-label=\"{}\">\n<text "
      "class=\"title\" x=\"{}\" y=\"16\">{}</text>\n",
      kWidth, kHeight, kWidth, escape_html(plot.title), kLeft, escape_html(plot.title));
  for (const double value : ticks(x.low, x.high, 6)) {
    out += fmt::format(
        "<path class=\"grid\" d=\"M{:.1f} {}V{}\"/><text x=\"{:.1f}\" y=\"{}\" "
        "text-anchor=\"middle\">{:.4g}</text>\n",
        to_x(value), kTop, kHeight - kBottom, to_x(value), kHeight - kBottom + 14, value);
  }
  for (const double value : ticks(y.low, y.high, 5)) {
    const double label = plot.log_y ? std::pow(10, value) : value;
    out += fmt::format(
        "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{:.3g}</text>\n",
        kLeft, to_y(value), kWidth - kRight, kLeft - 4, to_y(value) + 4, label);
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     (kLeft + kWidth - kRight) / 2, kHeight - 8, escape_html(plot.x_label));
  out += fmt::format("<text transform=\"translate(12 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (kTop + kHeight - kBottom) / 2, escape_html(plot.y_label));
  std::string key;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    out += fmt::format("<polyline class=\"c{}{}\" points=\"", i % kColours, i < kColours ? "" : " again");
    for (const auto& point : plot.lines[i].points) {
      if (shown(point))
        out +=
            fmt::format("{:.1f},{:.1f} ", to_x(point.first), to_y(std::max(y.low, height_of(point.second))));
    }
    out += "\"/>\n";
    key +=
        fmt::format("<span class=\"c{}\">&#9644; {}</span> ", i % kColours, escape_html(plot.lines[i].label));
  }
  return out + "</svg><figcaption class=\"key\">" + key + "</figcaption></figure>\n";
}

}  // namespace stunt
