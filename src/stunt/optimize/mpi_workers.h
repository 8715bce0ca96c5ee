// Runs on many machines: the program is started so many times by Open MPI, `mpirun -n 8 stunt optimize ...`. Rank 0 searches,
// writes and speaks; it works too, in a thread. The others do what it sends them. A rank that is lost ends all of them
// (mpirun sees to that): what was finished is in the journal.
//
// Optional: a program built where there is no Open MPI says so when it is asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "stunt/optimize/evaluator.h"

namespace stunt {

class MpiWorkers {
 public:
  using Work = std::function<std::string(const std::string& task)>;
  virtual ~MpiWorkers() = default;  // on rank 0: lets the others go

  static bool built_in();
  static bool started_by_mpirun();
  // Once in a program. Throws InputError where it was built without Open MPI.
  static std::unique_ptr<MpiWorkers> join();

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // On rank 0. Its evaluate_tasks() spreads the tasks over all ranks; evaluate() is closures, which stay here.
  virtual Evaluator& evaluator() = 0;
  // On the others: does tasks until rank 0 lets it go. `prepare` is called when the first comes, and may throw.
  virtual void serve(const std::function<Work()>& prepare) = 0;
};

}  // namespace stunt
