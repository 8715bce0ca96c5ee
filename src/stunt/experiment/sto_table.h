// OpenSim's tables (.sto, .mot).
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "stunt/core/error.h"
#include "stunt/core/files.h"

namespace stunt {

// OpenSim's table files: a header, names, and rows of numbers.
class StoTable {
 public:
  explicit StoTable(const std::filesystem::path& path) : place_(path.string()) {
    std::istringstream text(read_file(path));
    std::string line;
    while (std::getline(text, line) && !line.starts_with("endheader")) {
    }
    std::getline(text, line);
    std::istringstream names(line);
    for (std::string name; names >> name;) names_.push_back(name);
    while (std::getline(text, line)) {
      std::istringstream numbers(line);
      std::vector<double> row;
      for (double x; numbers >> x;) row.push_back(x);
      if (row.empty()) continue;
      if (row.size() != names_.size())
        throw InputError(place_, fmt::format("a row of {} numbers", row.size()),
                         fmt::format("{}, one for each name", names_.size()));
      rows_.push_back(std::move(row));
    }
    if (rows_.size() < 2) throw InputError(place_, fmt::format("{} rows", rows_.size()), "at least 2");
  }
  std::size_t size() const { return rows_.size(); }
  // The column whose name has this part.
  std::size_t column(const std::string& part) const {
    for (std::size_t c = 0; c < names_.size(); ++c) {
      if (names_[c] == part || names_[c].find("/" + part + "/") != std::string::npos) return c;
    }
    throw InputError(place_, "no column '" + part + "'", "one");
  }
  double at(std::size_t row, std::size_t column) const { return rows_[row][column]; }

 private:
  std::string place_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace stunt
