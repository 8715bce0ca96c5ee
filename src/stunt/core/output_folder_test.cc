#include "stunt/core/output_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "stunt/core/error.h"
#include "stunt/core/random.h"
#include "tests/run_program.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

constexpr int kFilesOfASet = 5;

// A run whose files all hold its number. Even runs have one file more than odd ones.
void write_set(const fs::path& folder, int run) {
  OutputFolder output(folder);
  for (int i = 0; i < kFilesOfASet + (run % 2 == 0); ++i)
    output.add("file" + std::to_string(i), std::to_string(run));
  output.commit();
}

// The number of the run whose files are in the folder; -1 when they are not of one run.
int run_in(const fs::path& folder) {
  std::string first;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("file")) continue;
    std::ifstream stream(entry.path());
    std::string text;
    std::getline(stream, text);
    if (first.empty()) first = text;
    if (text.empty() || text != first) return -1;
    ++files;
  }
  if (first.empty()) return -1;
  const int run = std::atoi(first.c_str());
  return files == kFilesOfASet + (run % 2 == 0) ? run : -1;
}

TEST(OutputFolder, ReplacesTheLastRunAndKeepsWhatIsNotOfIt) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "deep" / "out";
  write_set(out, 2);
  folder.write("deep/out/notes.txt", "mine");
  folder.write("deep/out/pictures/one.png", "picture");
  fs::create_symlink("notes.txt", out / "link");
  fs::permissions(out, fs::perms::owner_all);
  write_set(out / "", 3);
  EXPECT_EQ(run_in(out), 3);
  EXPECT_EQ(folder.names(),
            (Names{"deep", "deep/out", "deep/out/.stunt-files", "deep/out/file0", "deep/out/file1",
                   "deep/out/file2", "deep/out/file3", "deep/out/file4", "deep/out/link",
                   "deep/out/notes.txt", "deep/out/pictures", "deep/out/pictures/one.png"}));
  EXPECT_EQ(folder.read("deep/out/notes.txt"), "mine");
  EXPECT_EQ(fs::read_symlink(out / "link"), "notes.txt");
  EXPECT_EQ(fs::status(out).permissions(), fs::perms::owner_all);
}

TEST(OutputFolder, WithoutCommitNothingRemains) {
  const TemporaryFolder folder;
  {
    OutputFolder output(folder.path() / "deep" / "out");
    output.add("file", "x");
    EXPECT_THROW(output.add("file", "y"), InputError);
  }
  EXPECT_TRUE(folder.names().empty());
  folder.write("taken", "");
  EXPECT_THROW(OutputFolder(folder.path() / "taken"), InputError);
}

TEST(OutputFolder, ALinkToAFolderStaysALink) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "real");
  fs::create_directory_symlink("real", folder.path() / "link");
  write_set(folder.path() / "link", 1);
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(run_in(folder.path() / "real"), 1);
}

// A process that stands in the folder must not find itself in a removed one.
TEST(OutputFolder, TheCurrentFolderStaysTheSameFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "here");
  const pid_t child = fork();
  if (child == 0) {
    if (chdir((folder.path() / "here").c_str()) != 0) _exit(1);
    try {
      write_set(".", 2);
      write_set(".", 3);
    } catch (const std::exception&) {
      _exit(2);
    }
    _exit(run_in(".") == 3 && fs::exists(fs::current_path()) ? 0 : 3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(run_in(folder.path() / "here"), 3);
}

TEST(OutputFolder, ATooFullFolderIsFilledFileByFile) {
  const TemporaryFolder folder;
  for (int i = 0; i < 1200; ++i) folder.write("out/own" + std::to_string(i), "mine");
  write_set(folder.path() / "out", 2);
  write_set(folder.path() / "out", 3);
  EXPECT_EQ(run_in(folder.path() / "out"), 3);
  EXPECT_EQ(folder.names().size(), 1u + 1200 + kFilesOfASet + 1);
}

// Two processes write set after set into one folder; each is killed at a random moment and started again.
TEST(OutputFolder, KillsAndOtherRunsNeverMixResults) {
  const char* wanted = std::getenv("STUNT_KILLS");
  const int kills = wanted ? std::atoi(wanted) : 250;
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  write_set(out, 1);
  folder.write("out/notes.txt", "mine");
  const auto start = [&](int first) {
    const pid_t child = fork();
    if (child != 0) return child;
    try {
      for (int run = first;; run += 2) {
        write_set(out, run);
        write_set(out, run + 1);
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
  };
  Random random(1);
  int mixed = 0, lost = 0, next = 10;
  std::set<int> seen;
  std::array<pid_t, 2> writers = {start(next), start(next + 100'000)};
  for (int i = 0; i < kills; ++i) {
    usleep(static_cast<useconds_t>(2000 + 8000 * random.uniform()));
    pid_t& writer = writers[static_cast<std::size_t>(i % 2)];
    kill(writer, SIGKILL);
    int status = 0;
    waitpid(writer, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "a writer gave up";
    // The other still writes: stop it while looking.
    kill(writers[static_cast<std::size_t>(1 - i % 2)], SIGSTOP);
    waitpid(writers[static_cast<std::size_t>(1 - i % 2)], &status, WUNTRACED);  // it stops a little later
    const int run = run_in(out);
    mixed += run < 0;
    seen.insert(run);
    lost += folder.read("out/notes.txt") != "mine";
    kill(writers[static_cast<std::size_t>(1 - i % 2)], SIGCONT);
    next += 1000;
    writer = start(next);
  }
  for (const pid_t writer : writers) {
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
  }
  EXPECT_EQ(mixed, 0);
  EXPECT_EQ(lost, 0);
  EXPECT_GT(seen.size(), static_cast<std::size_t>(kills / 4)) << "too few runs came to their end";
  write_set(out, 5);
  EXPECT_EQ(run_in(out), 5);
  EXPECT_EQ(folder.names(), (Names{"out", "out/.stunt-files", "out/file0", "out/file1", "out/file2",
                                   "out/file3", "out/file4", "out/notes.txt"}));
}

}  // namespace
}  // namespace stunt
