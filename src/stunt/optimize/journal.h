// What an optimisation has been told so far: the verdicts of every batch of runs, in order. The search itself is not
// saved: it follows from its seed and these, so that going on is doing it again without the runs.
//
//   stunt journal 1
//   problem 0123456789abcdef
//   1.25 20 stance | 0.5 3.2 pose | - crashed | ...     one line for each batch: reward, seconds, what ended it
//   whole 0123456789abcdef                              hash of all before
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stunt/optimize/objective.h"

namespace stunt {

struct RunOutcome {
  Judgement judgement;
  std::string error;  // empty, or why there is no judgement
};
using Batch = std::vector<RunOutcome>;

class Journal {
 public:
  // Without a path nothing is kept.
  Journal(std::filesystem::path path, std::string problem)
      : path_(std::move(path)), problem_(std::move(problem)) {}

  // What an earlier run left. Throws InputError where there is nothing, it is not whole, or of another problem.
  void load();
  // The next batch of an earlier run, in order; null after the last.
  const Batch* next() { return read_ < batches_.size() ? &batches_[read_++] : nullptr; }
  void add(Batch batch);
  void save() const;  // whole, or not at all
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::string problem_;
  std::vector<Batch> batches_;
  std::size_t read_ = 0;
};

}  // namespace stunt
