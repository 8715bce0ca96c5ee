#include "stunt/report/pictures/video.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

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
