#include "stunt/report/pictures/video.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/report/pictures/gl_context.h"
#include "tests/marching_recording.h"

namespace stunt {
namespace {

class Video : public testing::Test {
 protected:
  void SetUp() override {
    try {
      GlContext::make();
    } catch (const RunError& error) {
      GTEST_SKIP() << error.what();
    }
    folder_ = std::filesystem::temp_directory_path() / ("stunt-video-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

// What ffmpeg's own reader finds in the file.
std::string probe(const std::filesystem::path& file, const std::string& what) {
  const std::string command =
      "ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=" + what + " -of csv=p=0 '" +
      file.string() + "'";
  std::string out;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, pipe)) out += line;
    pclose(pipe);
  }
  return out;
}

TEST_F(Video, HasTheAskedSizeAndLength) {
  if (std::system("command -v ffprobe >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs ffmpeg and ffprobe";
  const Recording run = marching_recording({.duration = 1});
  VideoOptions options;
  options.picture.width = 160;
  options.picture.height = 120;
  options.fps = 10;
  options.speed = 0.5;
  double done = 0;
  for (const char* name : {"a.mp4", "a.webm", "a.gif"}) {
    write_video(run, options, folder_ / name, [&](double share) { done = share; });
    EXPECT_EQ(done, 1) << name;
    EXPECT_EQ(probe(folder_ / name, "width,height,nb_read_frames"), "160,120,21\n") << name;
  }
}

// An ffmpeg of our own, first in PATH: it floods its messages before it reads a picture.
class FakeFfmpeg {
 public:
  FakeFfmpeg(const std::filesystem::path& folder, const std::string& script) : path_(std::getenv("PATH")) {
    std::filesystem::create_directories(folder);
    write_file(folder / "ffmpeg", "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder / "ffmpeg", std::filesystem::perms::owner_all);
    setenv("PATH", (folder.string() + ":" + path_).c_str(), 1);
  }
  ~FakeFfmpeg() { setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_;
};

const char* const kCopyInput = "for last; do :; done\ncat > \"$last\"\n";

TEST_F(Video, AFloodOfMessagesBlocksNothing) {
  const FakeFfmpeg fake(folder_ / "bin",
                        "head -c 3000000 /dev/zero | tr '\\0' x >&2\n" + std::string(kCopyInput));
  const Recording run = marching_recording({.duration = 0.2});
  VideoOptions options;
  options.picture.width = 64;
  options.picture.height = 48;
  options.fps = 10;
  write_video(run, options, folder_ / "a.mp4");
  EXPECT_EQ(std::filesystem::file_size(folder_ / "a.mp4"), 3u * 64 * 48 * 3);
}

TEST_F(Video, IsWrittenThroughLinksAndIntoPipes) {
  const FakeFfmpeg fake(folder_ / "bin", kCopyInput);
  const Recording run = marching_recording({.duration = 0.1});
  VideoOptions options;
  options.picture.width = 64;
  options.picture.height = 48;
  options.fps = 1;
  const std::size_t size = 64 * 48 * 3;
  write_file(folder_ / "target", "old");
  std::filesystem::create_symlink("target", folder_ / "link.mp4");
  write_video(run, options, folder_ / "link.mp4");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.mp4"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "target"), size);

  const std::filesystem::path pipe = folder_ / "pipe.mp4";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] {
    std::ifstream stream(pipe, std::ios::binary);
    received.assign(std::istreambuf_iterator<char>(stream), {});
  });
  write_video(run, options, pipe);
  reader.join();
  EXPECT_EQ(received.size(), size);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(Video, AFailedOneLeavesTheOldFile) {
  const FakeFfmpeg fake(folder_ / "bin", "echo no such codec >&2\nexit 1\n");
  const Recording run = marching_recording({.duration = 0.1});
  write_file(folder_ / "a.mp4", "old");
  try {
    write_video(run, {}, folder_ / "a.mp4");
    ADD_FAILURE() << "no error";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("no such codec"), std::string::npos) << error.what();
  }
  EXPECT_EQ(read_file(folder_ / "a.mp4"), "old");
}

TEST_F(Video, SaysWhatIsMissing) {
  const Recording run = marching_recording({.duration = 0.1});
  VideoOptions options;
  EXPECT_THROW(write_video(run, options, folder_ / "a.avi"), InputError);
  options.start = 5;
  EXPECT_THROW(write_video(run, options, folder_ / "a.mp4"), InputError);
  options.start = 0;
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  try {
    write_video(run, options, folder_ / "a.mp4");
    ADD_FAILURE() << "no error without ffmpeg";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("apt-get install ffmpeg"), std::string::npos) << error.what();
  }
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace stunt
