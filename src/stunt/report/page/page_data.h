// A recording as the page plays it: poses of all bodies, contacts and curves at 60 Hz, small and quick to
// decode.
//
// Bytes: "STNT", the length of a JSON text (32 bits, little endian), the JSON, then number columns one after
// another. web/page_format.json says what the JSON and each column hold. A column holds channel after
// channel; a number x is stored as the integer round(x / step), of which the `order`-th difference in time is
// kept (order 2: what a straight line through the two numbers before does not predict), folded to unsigned
// (0, -1, 1, -2, ... as 0, 1, 2, 3, ...), in groups of 7 bits with the highest bit meaning "more follows".
// web/src/data.ts is the reader.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "stunt/simulate/recording.h"

namespace stunt {

class ColumnWriter {
 public:
  // `values`: rows x channels, row after row. Not-a-number is written as 0.
  void add(const std::string& name, std::span<const float> values, int channels, double step, int order);

  const nlohmann::json& index() const { return index_; }
  const std::string& bytes() const { return bytes_; }

 private:
  nlohmann::json index_ = nlohmann::json::object();
  std::string bytes_;
};

constexpr double kPageRate = 60;  // Hz, of the poses on the page

// `summary` is summary.json's object, shown beside the recording; null when there is none.
std::string page_data(const Recording& recording, const nlohmann::ordered_json& summary);

}  // namespace stunt
