#include "console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace stunt {
namespace {
volatile std::sig_atomic_t was_interrupted = 0;
extern "C" void on_interrupt(int) { was_interrupted = 1; }
}  // namespace

void catch_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}
bool interrupted() { return was_interrupted != 0; }

Progress::Progress(std::string label, bool quiet)
    : label_(std::move(label)), quiet_(quiet), terminal_(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (!quiet_ && terminal_ && shown_ >= 0) fmt::print(stderr, "\r\033[K");
}

void Progress::update(double done, double total) {
  if (quiet_ || total <= 0) return;
  const int percent = static_cast<int>(100 * std::clamp(done / total, 0.0, 1.0));
  const int step = terminal_ ? 1 : 10;
  if (percent / step == shown_) return;
  shown_ = percent / step;
  if (terminal_) {
    fmt::print(stderr, "\r{} [{:<30}] {:3d} %", label_,
               std::string(static_cast<std::size_t>(percent * 30 / 100), '#'), percent);
    std::fflush(stderr);
  } else if (percent > 0) {
    fmt::print(stderr, "{}: {} %\n", label_, percent);
  }
}

void say(const std::string& line, bool quiet) {
  if (!quiet) fmt::print(stderr, "{}\n", line);
}

}  // namespace stunt
