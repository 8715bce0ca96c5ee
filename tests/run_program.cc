#include "tests/run_program.h"
#include "places.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stunt::test {
namespace fs = std::filesystem;
namespace {

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// What happens in the child between fork and exec; returns only when something fails.
void become(const TemporaryFolder& folder, const TemporaryFolder& outputs,
            const std::vector<std::string>& words, const Circumstances& circumstances) {
  if (chdir(folder.path().c_str()) != 0) return;
  const auto redirect = [&](const char* name, int to) {
    const int file = open((outputs.path() / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return file >= 0 && dup2(file, to) >= 0;
  };
  if (!redirect("out", STDOUT_FILENO) || !redirect("err", STDERR_FILENO)) return;
  if (circumstances.largest_file > 0) {
    std::signal(SIGXFSZ, SIG_IGN);  // writing then fails with EFBIG
    const rlimit limit{circumstances.largest_file, circumstances.largest_file};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return;
  }
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
}

Outcome run(const TemporaryFolder& folder, const std::vector<std::string>& words,
            const Circumstances& circumstances) {
  const TemporaryFolder outputs;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    become(folder, outputs, words, circumstances);
    _exit(127);
  }
  int status = 0;
  if (circumstances.interrupt) {
    while (contents(outputs.path() / "err").empty() && waitpid(child, &status, WNOHANG) == 0) usleep(2000);
    kill(child, SIGINT);
  }
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = contents(outputs.path() / "out");
  outcome.err = contents(outputs.path() / "err");
  return outcome;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "stunt_test_XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

void TemporaryFolder::write(const std::string& name, const std::string& bytes) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << bytes;
}

std::string TemporaryFolder::read(const std::string& name) const { return contents(path_ / name); }

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_))
    names.push_back(entry.path().lexically_relative(path_).string());
  std::sort(names.begin(), names.end());
  return names;
}

int Outcome::error_lines() const { return static_cast<int>(std::count(err.begin(), err.end(), '\n')); }

Outcome run_program(const TemporaryFolder& folder, const std::vector<std::string>& arguments,
                    const Circumstances& circumstances) {
  std::vector<std::string> words = {program_file()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(folder, words, circumstances);
}

Outcome run_line(const TemporaryFolder& folder, const std::string& line) {
  const std::string place = fs::path(program_file()).parent_path().string();
  return run(folder, {"/bin/sh", "-c", "PATH=\"" + place + ":$PATH\"; " + line}, {});
}

}  // namespace stunt::test
