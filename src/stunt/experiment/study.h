// An experiment that is not counted in runs: parts with a table each, and plots.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "stunt/experiment/plot.h"

namespace stunt {

struct StudyPart {
  std::string name;  // "figure_4_4": of the file and on the command line
  std::string title;
  std::string note;                               // how it was done, and what the paper found
  std::vector<nlohmann::ordered_json> rows = {};  // one object per row; all with the same keys
  std::vector<Plot> plots = {};
};

struct Study {
  std::string title;
  std::vector<StudyPart> parts = {};
  std::vector<std::string> notes = {};  // what was left out, and why
};

// All rows, each with its part: [{"part": ..., ...}].
nlohmann::ordered_json tables(const Study& study);

// For a terminal.
std::string study_text(const Study& study);

// File name and content: a CSV for each part, and index.html with tables and plots.
std::vector<std::pair<std::string, std::string>> study_files(const Study& study);

}  // namespace stunt
