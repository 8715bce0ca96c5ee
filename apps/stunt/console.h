// What the program says, and how it takes signals. Everything printed goes through here: a stream that is closed, full
// or no longer read by anybody never ends the program.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace stunt {

// Ends the program with this status, everything having been said.
struct ExitStatus {
  int value;
};

// To be called first. Ctrl-C makes interrupted() true; what does not look at it is ended a moment later, and the next
// run removes what it left behind. Writing to a pipe that nobody reads, or past the largest size of a file, fails
// instead of killing. No file opened later takes the place of a standard stream that was closed.
void prepare_process();
bool interrupted();
// For work that ends early on Ctrl-C and keeps what it has: true once, and the program is not ended for it.
bool take_interrupt();

// Results, on stdout.
void print_text(const std::string& text);
template <typename... T>
void print(fmt::format_string<T...> format, T&&... arguments) {
  print_text(fmt::format(format, std::forward<T>(arguments)...));
}

// What was assumed, is noteworthy or went wrong, on stderr.
void say(const std::string& line, bool quiet = false);

// The exit status: `status`, or 1 when something printed on stdout was lost. A reader that has seen enough (`| head`)
// loses nothing.
int finish_output(int status);

// A bar on a terminal, a plain line every 10 % elsewhere, nothing when quiet.
class Progress {
 public:
  Progress(std::string label, bool quiet);
  ~Progress();
  void update(double done, double total);

 private:
  std::string label_;
  bool quiet_, terminal_;
  int shown_ = -1;
};

// One line that changes: on a terminal in place, elsewhere a line every few seconds, nothing when quiet.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  void update(const std::string& text);

 private:
  bool quiet_, terminal_;
  double next_ = 0;  // s, when it is shown again
};

}  // namespace stunt
