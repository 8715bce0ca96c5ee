#include "stunt/optimize/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "stunt/core/error.h"
#include "stunt/core/files.h"

namespace stunt {
namespace {

constexpr const char* kHead = "stunt journal 1";

std::string journal_hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return fmt::format("{:016x}", h);
}

// Words in a line must not be mistaken for its structure.
std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '|' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string line_of(const Batch& batch) {
  std::string line;
  for (const RunOutcome& run : batch) {
    if (!line.empty()) line += " | ";
    if (run.error.empty()) {
      line += fmt::format("{} {} {}", run.judgement.reward, run.judgement.lasted_s,
                          run.judgement.ended.empty() ? "-" : plain(run.judgement.ended));
    } else {
      line += "- " + plain(run.error);
    }
  }
  return line;
}

double number(const std::string& word, const std::string& place) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    throw InputError(place, "'" + word + "'", "a number");
  return value;
}

Batch batch_of(const std::string& line, const std::string& place) {
  Batch batch;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(" | ", at), line.size());
    std::istringstream words(line.substr(at, end - at));
    std::string first, second, rest;
    words >> first;
    RunOutcome run;
    if (first == "-") {
      std::getline(words >> std::ws, run.error);
    } else {
      words >> second;
      std::getline(words >> std::ws, rest);
      run.judgement = {number(first, place), number(second, place), rest == "-" ? "" : rest};
    }
    batch.push_back(std::move(run));
    at = end + 3;
  }
  return batch;
}

}  // namespace

void Journal::load() {
  const std::string place = path_.string();
  if (!std::filesystem::exists(path_))
    throw InputError(place, "no such file", "what an earlier run left, to go on from");
  const std::string text = read_file(path_);
  const std::size_t last = text.rfind("whole ");
  if (!text.starts_with(kHead) || last == std::string::npos ||
      text.substr(last) != "whole " + journal_hash(std::string_view(text).substr(0, last)) + "\n") {
    throw InputError(place, "a file that was cut or changed", "one as an optimisation left it");
  }
  std::istringstream lines(text.substr(0, last));
  std::string line, word;
  std::getline(lines, line);
  lines >> word >> word;
  std::getline(lines, line);
  if (word != problem_)
    throw InputError(place, "a checkpoint of another problem (" + word + ")", "one of this: " + problem_);
  while (std::getline(lines, line)) batches_.push_back(batch_of(line, place));
}

void Journal::add(Batch batch) {
  batches_.push_back(std::move(batch));
  read_ = batches_.size();
}

void Journal::save() const {
  if (path_.empty()) return;
  std::string text = fmt::format("{}\nproblem {}\n", kHead, problem_);
  for (const Batch& batch : batches_) text += line_of(batch) + "\n";
  text += "whole " + journal_hash(text) + "\n";
  write_file(path_, text);
}

}  // namespace stunt
