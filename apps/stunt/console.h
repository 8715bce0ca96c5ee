// What a person sees while the program works: progress on stderr, and Ctrl-C.
#pragma once

#include <string>

namespace stunt {

// Ends the program with this status, everything having been said.
struct ExitStatus {
  int value;
};

void catch_interrupt();
bool interrupted();

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

// What was assumed or is noteworthy, on stderr.
void say(const std::string& line, bool quiet = false);

}  // namespace stunt
