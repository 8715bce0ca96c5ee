#include "stunt/optimize/mpi_workers.h"

#include <cstdlib>

#include "stunt/core/error.h"

#ifdef STUNT_MPI
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>
#endif

namespace stunt {

bool MpiWorkers::started_by_mpirun() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

#ifdef STUNT_MPI

namespace {

enum MpiTag { kTask = 1, kResult, kEnough };

// MPI's own waiting burns a core, which somebody could work on.
constexpr auto kNap = std::chrono::microseconds(200);

void mpi_send(int to, int tag, const std::string& text) {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

struct MpiMessage {
  int from, tag;
  std::string text;
};

bool mpi_receive(MpiMessage& message) {
  int there = 0, size = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (!there) return false;
  MPI_Get_count(&status, MPI_CHAR, &size);
  message.from = status.MPI_SOURCE;
  message.tag = status.MPI_TAG;
  message.text.resize(static_cast<std::size_t>(size));
  MPI_Recv(message.text.data(), size, MPI_CHAR, message.from, message.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return true;
}

class MpiEvaluator : public Evaluator {
 public:
  explicit MpiEvaluator(int ranks) : busy_(static_cast<std::size_t>(ranks), kIdle) {}

  std::vector<Outcome> evaluate(int count, const std::function<std::string(int)>& work,
                                const std::function<bool(int)>& progress) override {
    return thread_evaluator(1)->evaluate(count, work, progress);
  }

  // All calls of MPI are made here; the thread beside only works.
  std::vector<Outcome> evaluate_tasks(const std::vector<std::string>& tasks,
                                      const std::function<std::string(const std::string&)>& work,
                                      const std::function<bool(int)>& progress) override {
    const int count = static_cast<int>(tasks.size());
    std::vector<Outcome> outcomes(tasks.size());
    std::atomic<int> next{0}, finished{0};
    std::atomic<bool> stop{false};
    const auto note = [&](int i, Outcome outcome) {
      outcomes[static_cast<std::size_t>(i)] = std::move(outcome);
      ++finished;
    };
    std::jthread here([&] {
      for (int i; !stop && (i = next++) < count;)
        note(i, attempt([&] { return work(tasks[static_cast<std::size_t>(i)]); }));
    });
    while (finished < count && !stop) {
      for (std::size_t rank = 1; rank < busy_.size(); ++rank) {
        if (busy_[rank] != kIdle) continue;
        const int i = next++;
        if (i >= count) break;
        busy_[rank] = i;
        mpi_send(static_cast<int>(rank), kTask, tasks[static_cast<std::size_t>(i)]);
      }
      MpiMessage message;
      if (mpi_receive(message)) {
        int& piece = busy_[static_cast<std::size_t>(message.from)];
        note(piece, outcome_of(message.text));
        piece = kIdle;
      } else {
        std::this_thread::sleep_for(kNap);
      }
      if (progress && !progress(finished)) stop = true;
    }
    here.join();
    if (finished < count) throw RunError("interrupted; nothing was written");
    return outcomes;
  }

 private:
  static constexpr int kIdle = -1;
  std::vector<int> busy_;  // per rank: the piece it works on
};

class OpenMpiWorkers : public MpiWorkers {
 public:
  OpenMpiWorkers() {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    evaluator_ = std::make_unique<MpiEvaluator>(size_);
  }
  // A rank that leaves with an error does not wait for the others.
  ~OpenMpiWorkers() override {
    if (rank_ == 0) {
      for (int to = 1; to < size_; ++to) mpi_send(to, kEnough, "");
    }
    if (rank_ == 0 || served_) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Evaluator& evaluator() override { return *evaluator_; }

  void serve(const std::function<Work()>& prepare) override {
    Work work;
    for (MpiMessage message;;) {
      if (!mpi_receive(message)) {
        std::this_thread::sleep_for(kNap);
        continue;
      }
      if (message.tag == kEnough) break;
      if (!work) work = prepare();
      mpi_send(0, kResult, to_text(attempt([&] { return work(message.text); })));
    }
    served_ = true;
  }

 private:
  int rank_ = 0, size_ = 1;
  bool served_ = false;
  std::unique_ptr<MpiEvaluator> evaluator_;
};

}  // namespace

bool MpiWorkers::built_in() { return true; }
std::unique_ptr<MpiWorkers> MpiWorkers::join() { return std::make_unique<OpenMpiWorkers>(); }

#else

bool MpiWorkers::built_in() { return false; }
std::unique_ptr<MpiWorkers> MpiWorkers::join() {
  throw InputError("--workers mpi", "a program that was built without Open MPI",
                   "`scripts/bootstrap --mpi`, then `make`");
}

#endif

}  // namespace stunt
