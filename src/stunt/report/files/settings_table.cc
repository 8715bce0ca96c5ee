#include "stunt/report/files/settings_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

std::string bounds_text(const SettingRow& row) {
  if (!row.about.choices.empty()) return fmt::format("{}", fmt::join(row.about.choices, ", "));
  const Limit& bounds = row.about.bounds;
  const bool low = std::isfinite(bounds.low), high = std::isfinite(bounds.high);
  if (!low && !high) return "";
  if (!high) return fmt::format("{} {}", bounds.open_low ? ">" : ">=", bounds.low);
  return fmt::format("{}{} to {}", bounds.open_low ? "> " : "", bounds.low, bounds.high);
}

}  // namespace

std::string settings_text(const std::vector<SettingRow>& rows) {
  std::size_t name = 4, value = 7, unit = 4, bounds = 6;
  constexpr std::size_t kWidest = 28;
  for (const SettingRow& row : rows) {
    name = std::max(name, row.name.size());
    value = std::max(value, std::min(kWidest, row.value.size()));
    unit = std::max(unit, row.about.unit.size());
    bounds = std::max(bounds, std::min(kWidest, bounds_text(row).size()));
  }
  const auto line = [&](const std::string& a, const std::string& b, const std::string& c,
                        const std::string& d, const std::string& e) {
    std::string text =
        fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}", a, name, b, value, c, unit, d, bounds, e);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string out = line("name", "default", "unit", "bounds", "what it does");
  for (const SettingRow& row : rows)
    out += line(row.name, row.value, row.about.unit, bounds_text(row), row.about.help);
  return out;
}

nlohmann::ordered_json settings_json(const std::vector<SettingRow>& rows) {
  auto out = nlohmann::ordered_json::array();
  for (const SettingRow& row : rows) {
    nlohmann::ordered_json one{{"name", row.name}, {"type", row.type}};
    if (!row.value.empty()) one["default"] = row.value;
    if (!row.about.unit.empty()) one["unit"] = row.about.unit;
    if (std::isfinite(row.about.bounds.low)) one["low"] = row.about.bounds.low;
    if (std::isfinite(row.about.bounds.high)) one["high"] = row.about.bounds.high;
    if (!row.about.choices.empty()) one["choices"] = row.about.choices;
    if (row.about.search)
      one["search"] = {{"mean", row.about.search->mean}, {"spread", row.about.search->spread}};
    one["help"] = row.about.help;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace stunt
