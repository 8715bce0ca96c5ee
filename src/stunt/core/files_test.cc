#include "stunt/core/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "stunt/core/error.h"
#include "stunt/core/temporary.h"
#include "tests/run_program.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

TEST(Files, ALinkIsFollowedAndStaysALink) {
  const TemporaryFolder folder;
  folder.write("far/real.txt", "old");
  fs::create_symlink("far/real.txt", folder.path() / "second");
  fs::create_symlink("second", folder.path() / "first");
  write_file(folder.path() / "first", "new");
  EXPECT_EQ(folder.read("far/real.txt"), "new");
  EXPECT_EQ(fs::read_symlink(folder.path() / "first"), "second");
  EXPECT_EQ(fs::read_symlink(folder.path() / "second"), "far/real.txt");

  fs::create_symlink("far/not_yet.txt", folder.path() / "dangling");
  write_file(folder.path() / "dangling", "made");
  EXPECT_EQ(folder.read("far/not_yet.txt"), "made");

  fs::create_symlink("snake", folder.path() / "snake");
  EXPECT_THROW(write_file(folder.path() / "snake", "x"), RunError);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"dangling", "far", "far/not_yet.txt", "far/real.txt",
                                                      "first", "second", "snake"}));
}

TEST(Files, WhatIsNoRegularFileIsWrittenInto) {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::jthread reader([&] {
    const int end = open(pipe.c_str(), O_RDONLY);
    std::array<char, 100> buffer;
    for (ssize_t n; (n = read(end, buffer.data(), buffer.size())) > 0;)
      got.append(buffer.data(), static_cast<std::size_t>(n));
    close(end);
  });
  write_file(pipe, "through the pipe");
  reader.join();
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));

  fs::create_symlink("/dev/null", folder.path() / "nothing");
  write_file(folder.path() / "nothing", "gone");
  EXPECT_TRUE(fs::is_character_file(folder.path() / "nothing"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "nothing"));
  EXPECT_THROW(write_file("/dev/full", "too much"), RunError);
  EXPECT_THROW(write_file(folder.path(), "a folder"), InputError);
}

TEST(Files, PermissionsStay) {
  const TemporaryFolder folder;
  folder.write("secret", "old");
  const fs::path secret = folder.path() / "secret";
  fs::permissions(secret, fs::perms::owner_read | fs::perms::owner_write);
  write_file(secret, "new");
  EXPECT_EQ(fs::status(secret).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(folder.read("secret"), "new");
}

TEST(Files, WritingPastTheLimitLeavesTheOldFile) {
  const TemporaryFolder folder;
  folder.write("file", "old");
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file(folder.path() / "file", std::string(5000, 'x'));
    } catch (const RunError& error) {
      _exit(std::string(error.what()).ends_with("file: File too large") ? 3 : 4);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(folder.read("file"), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(Files, WhatAKilledRunLeftIsRemovedAndWhatARunningOneWritesIsNot) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const Temporary file = Temporary::file(folder.path(), "file");
    const Temporary inside = Temporary::folder(folder.path(), "folder");
    create_file(inside.path() / "half", "half", "half");
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(folder.names().size(), 3u);
  folder.write(".stunt-mine.part", "not one of ours");
  const Temporary running = Temporary::file(folder.path(), "file");
  write_file(folder.path() / "result", "x");
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{running.path().filename(), ".stunt-mine.part", "result"}));
}

}  // namespace
}  // namespace stunt
