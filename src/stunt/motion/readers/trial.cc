#include "stunt/motion/readers/trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr int kOutOfMemory = 3;  // exit status of the child

void limit(decltype(RLIMIT_CPU) what, rlim_t value) {
  rlimit now{};
  getrlimit(what, &now);
  now.rlim_cur = now.rlim_max == RLIM_INFINITY ? value : std::min(value, now.rlim_max);
  setrlimit(what, &now);
}

// Address space that the process has (bytes); 0 where it cannot be known.
std::size_t size_of_process() {
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void read_and_exit(const std::function<void()>& read, const TrialLimits& limits) {
  for (const int signal : {SIGINT, SIGTERM, SIGSEGV, SIGABRT, SIGXCPU}) std::signal(signal, SIG_DFL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds));
#if !defined(__SANITIZE_ADDRESS__)  // which maps terabytes
  limit(RLIMIT_AS, size_of_process() + limits.bytes);
#endif
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  // Not by catching std::bad_alloc: a reader may do that itself, and the second reading has no limit.
  std::set_new_handler([] { _exit(kOutOfMemory); });
  try {
    read();
  } catch (...) {
    _exit(0);
  }
  _exit(0);
}

}  // namespace

void try_reading(const std::function<void()>& read, const std::string& place, const TrialLimits& limits) {
  const pid_t child = fork();
  if (child < 0) return;
  if (child == 0) read_and_exit(read, limits);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGINT || signal == SIGTERM) throw RunError("interrupted");
    throw InputError(place,
                     signal == SIGXCPU || signal == SIGKILL
                         ? fmt::format("a file that takes more than {} s to read", limits.seconds)
                         : fmt::format("a file that its reader crashes on (signal {})", signal),
                     "a sound one: exporting it again may help");
  }
  if (WEXITSTATUS(status) == kOutOfMemory) {
    throw InputError(place, "a file that takes too much memory to read", "a smaller or a sound one");
  }
}

}  // namespace stunt
