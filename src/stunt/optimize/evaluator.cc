#include "stunt/optimize/evaluator.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr int kProgressEvery = 100;  // ms
constexpr const char* kInterrupted = "interrupted; nothing was written";

class ProcessEvaluator : public Evaluator {
 public:
  explicit ProcessEvaluator(int jobs) : jobs_(jobs) {}

  std::vector<Outcome> evaluate(int count, const std::function<std::string(int)>& work,
                                const std::function<bool(int)>& progress) override {
    std::vector<Outcome> outcomes(static_cast<std::size_t>(count));
    std::vector<Child> children;
    int next = 0, finished = 0;
    while (finished < count) {
      while (next < count && static_cast<int>(children.size()) < jobs_)
        children.push_back(start(next++, work));
      std::vector<pollfd> waits;
      for (const Child& child : children) waits.push_back({child.pipe, POLLIN, 0});
      poll(waits.data(), waits.size(), kProgressEvery);
      if (progress && !progress(finished)) {
        for (const Child& child : children) kill(child.pid, SIGKILL);
        for (const Child& child : children) end(child);
        throw RunError(kInterrupted);
      }
      for (std::size_t i = children.size(); i-- > 0;) {
        if (!(waits[i].revents & (POLLIN | POLLHUP))) continue;
        char buffer[65536];
        const ssize_t n = read(children[i].pipe, buffer, sizeof buffer);
        if (n > 0) {
          children[i].text.append(buffer, static_cast<std::size_t>(n));
          continue;
        }
        outcomes[static_cast<std::size_t>(children[i].index)] = outcome(children[i], end(children[i]));
        children.erase(children.begin() + static_cast<long>(i));
        ++finished;
        if (progress) progress(finished);
      }
    }
    return outcomes;
  }

 private:
  struct Child {
    int index, pipe;
    pid_t pid;
    std::string text;  // of its outcome
  };

  static Child start(int index, const std::function<std::string(int)>& work) {
    int ends[2];
    if (pipe(ends) != 0) throw RunError("cannot make a pipe for a child process");
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid < 0) throw RunError("cannot start a child process");
    if (pid == 0) {
      close(ends[0]);
      const std::string text = to_text(attempt([&] { return work(index); }));
      for (std::size_t at = 0; at < text.size();) {
        const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
        if (written <= 0) _exit(1);
        at += static_cast<std::size_t>(written);
      }
      close(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    return {index, ends[0], pid, ""};
  }

  static int end(const Child& child) {
    close(child.pipe);
    int status = 0;
    waitpid(child.pid, &status, 0);
    return status;
  }

  static Outcome outcome(const Child& child, int status) {
    const bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !child.text.empty();
    if (!whole) return {"", "the process that did this crashed"};
    return outcome_of(child.text);
  }

  int jobs_;
};

class ThreadEvaluator : public Evaluator {
 public:
  explicit ThreadEvaluator(int jobs) : jobs_(jobs) {}

  std::vector<Outcome> evaluate(int count, const std::function<std::string(int)>& work,
                                const std::function<bool(int)>& progress) override {
    std::vector<Outcome> outcomes(static_cast<std::size_t>(count));
    std::atomic<int> next{0}, finished{0}, running{jobs_};
    std::atomic<bool> stop{false};
    std::vector<std::jthread> threads;
    for (int t = 0; t < jobs_; ++t) {
      threads.emplace_back([&] {
        for (int i; !stop && (i = next++) < count; ++finished)
          outcomes[static_cast<std::size_t>(i)] = attempt([&] { return work(i); });
        --running;
      });
    }
    while (running > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (progress && !progress(finished)) stop = true;
    }
    threads.clear();
    if (stop && finished < count) throw RunError(kInterrupted);
    return outcomes;
  }

 private:
  int jobs_;
};

}  // namespace

Evaluator::Outcome attempt(const std::function<std::string()>& work) {
  try {
    return {work(), ""};
  } catch (const std::exception& error) {
    return {"", error.what()};
  }
}

std::string to_text(const Evaluator::Outcome& outcome) {
  return outcome.error.empty() ? "+" + outcome.result : "-" + outcome.error;
}

Evaluator::Outcome outcome_of(const std::string& text) {
  return text.starts_with('+') ? Evaluator::Outcome{text.substr(1), ""}
                               : Evaluator::Outcome{"", text.substr(std::min<std::size_t>(1, text.size()))};
}

std::unique_ptr<Evaluator> process_evaluator(int jobs) { return std::make_unique<ProcessEvaluator>(jobs); }
std::unique_ptr<Evaluator> thread_evaluator(int jobs) { return std::make_unique<ThreadEvaluator>(jobs); }

}  // namespace stunt
