// Many pieces of work at once, with results that do not depend on how they were spread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stunt/core/settings.h"

namespace stunt {

class Evaluator {
 public:
  struct Outcome {
    std::string result;  // what the work returned
    std::string error;   // empty, or why there is no result
  };
  virtual ~Evaluator() = default;
  // `work(i)` for all i below `count`; the outcomes in order of i. `progress` is told how many are done; when it returns
  // false, all work is dropped and RunError thrown.
  virtual std::vector<Outcome> evaluate(int count, const std::function<std::string(int)>& work,
                                        const std::function<bool(int)>& progress = {}) = 0;
  // The same for work that is told all it needs by a text, so that it may be done elsewhere (mpi_workers.h).
  virtual std::vector<Outcome> evaluate_tasks(const std::vector<std::string>& tasks,
                                              const std::function<std::string(const std::string&)>& work,
                                              const std::function<bool(int)>& progress = {}) {
    return evaluate(
        static_cast<int>(tasks.size()), [&](int i) { return work(tasks[static_cast<std::size_t>(i)]); },
        progress);
  }
};

// What a piece of work comes to, an exception being an error.
Evaluator::Outcome attempt(const std::function<std::string()>& work);
// An outcome on its way between processes: '+' and the result, or '-' and the error.
std::string to_text(const Evaluator::Outcome& outcome);
Evaluator::Outcome outcome_of(const std::string& text);

// Each piece in a process of its own, `jobs` at a time: one that crashes costs one piece.
std::unique_ptr<Evaluator> process_evaluator(int jobs);
// In `jobs` threads of this process: no copies, quick to start; for work that cannot crash.
std::unique_ptr<Evaluator> thread_evaluator(int jobs);

// The same for work that returns a struct with a describe() (core/settings.h).
template <typename T>
struct Evaluated {
  T value;
  std::string error;  // empty, or why there is no value
};
template <typename T>
std::vector<Evaluated<T>> evaluate(Evaluator& evaluator, int count, const std::function<T(int)>& work,
                                   const std::function<bool(int)>& progress = {}) {
  const auto outcomes = evaluator.evaluate(
      count, [&](int i) { return write_settings(work(i)); }, progress);
  std::vector<Evaluated<T>> out(outcomes.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].error = outcomes[i].error;
    if (out[i].error.empty()) read_settings(Config::parse(outcomes[i].result, "result"), out[i].value);
  }
  return out;
}

}  // namespace stunt
