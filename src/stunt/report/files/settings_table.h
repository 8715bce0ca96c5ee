// What can be set (core/settings.h), as a table for a terminal and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stunt/core/settings.h"

namespace stunt {

std::string settings_text(const std::vector<SettingRow>& rows);

// [{"name", "type", "default", "unit", "low", "high", "choices", "search": {"mean", "spread"}, "help"}, ...]; what there is
// not is left out.
nlohmann::ordered_json settings_json(const std::vector<SettingRow>& rows);

}  // namespace stunt
