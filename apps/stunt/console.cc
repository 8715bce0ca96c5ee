#include "console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace stunt {
namespace {

constexpr int kPatience = 150'000;  // us from Ctrl-C until work that does not look at interrupted() is ended

volatile std::sig_atomic_t was_interrupted = 0;

extern "C" void on_interrupt(int) {
  was_interrupted = 1;
  const itimerval soon{{0, 0}, {0, kPatience}};
  setitimer(ITIMER_REAL, &soon, nullptr);
}

extern "C" void on_patience_over(int) {
  constexpr char kMessage[] = "stunt: interrupted\n";
  [[maybe_unused]] const auto told = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  _exit(1);
}

void print_error(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool reader_left(int stream) {
  pollfd state{stream, POLLOUT, 0};
  return poll(&state, 1, 0) == 1 && (state.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

void prepare_process() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Not for writing: what is printed there counts as lost, as it would have been.
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) _exit(1);
  }
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGALRM, on_patience_over);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() { return was_interrupted != 0; }

bool take_interrupt() {
  if (!interrupted()) return false;
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  was_interrupted = 0;
  return true;
}

void print_text(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void say(const std::string& line, bool quiet) {
  if (!quiet) print_error(line + "\n");
}

int finish_output(int status) {
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && !std::ferror(stdout)) return status;
  if (reader_left(STDOUT_FILENO)) return status;
  say(fmt::format("stunt: cannot write to stdout{}",
                  flushed ? "" : fmt::format(": {}", std::strerror(error))));
  return status == 0 ? 1 : status;
}

Progress::Progress(std::string label, bool quiet)
    : label_(std::move(label)), quiet_(quiet), terminal_(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (!quiet_ && terminal_ && shown_ >= 0) print_error("\r\033[K");
}

void Progress::update(double done, double total) {
  if (quiet_ || total <= 0) return;
  const int percent = static_cast<int>(100 * std::clamp(done / total, 0.0, 1.0));
  const int step = terminal_ ? 1 : 10;
  if (percent / step == shown_) return;
  shown_ = percent / step;
  if (terminal_) {
    print_error(fmt::format("\r{} [{:<30}] {:3d} %", label_,
                            std::string(static_cast<std::size_t>(percent * 30 / 100), '#'), percent));
  } else if (percent > 0) {
    print_error(fmt::format("{}: {} %\n", label_, percent));
  }
}

StatusLine::StatusLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO)) {}

StatusLine::~StatusLine() {
  if (!quiet_ && terminal_ && next_ > 0) print_error("\r\033[K");
}

void StatusLine::update(const std::string& text) {
  if (quiet_) return;
  const double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (now < next_) return;
  next_ = now + (terminal_ ? 0.1 : 5);
  print_error(terminal_ ? "\r\033[K" + text : text + "\n");
}

}  // namespace stunt
