// The numbers among described settings (settings.h), by name: what an optimiser moves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stunt/core/settings.h"

namespace stunt {

struct NumberSetting {
  std::string name;  // "actors.0.controller.stiffness.knee"; entries of vectors as "pushes.0.force.1"
  double value;
  About about;
};

// All that are set now; those left open are not among them.
std::vector<NumberSetting> list_described_numbers(const Fields::Describe& describe);
template <typename T>
std::vector<NumberSetting> list_numbers(T settings) {
  return list_described_numbers([&](Fields& fields) { describe(fields, settings); });
}

// Gives those that `values` names their value, whatever their bounds.
void set_described_numbers(const Fields::Describe& describe, const std::map<std::string, double>& values);
template <typename T>
void set_numbers(T& settings, const std::map<std::string, double>& values) {
  set_described_numbers([&](Fields& fields) { describe(fields, settings); }, values);
}

}  // namespace stunt
