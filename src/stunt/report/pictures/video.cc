#include "stunt/report/pictures/video.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <thread>

#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/temporary.h"

namespace stunt {
namespace {

using Arguments = std::vector<std::string>;

Arguments encoder(const std::string& ending, const PictureOptions& picture) {
  if (ending == ".mp4" || ending == ".webm") {
    if (picture.width % 2 || picture.height % 2) {
      throw InputError("picture size", fmt::format("{}x{}", picture.width, picture.height),
                       "even numbers of pixels for " + ending);
    }
  }
  if (ending == ".mp4") {
    return {"-c:v",     "libx264", "-preset",   "veryfast",   "-crf", "20",
            "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f",   "mp4"};
  }
  if (ending == ".webm") {
    return {"-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8",       "-row-mt", "1",
            "-crf", "32",         "-b:v",      "0",        "-pix_fmt",  "yuv420p", "-f",      "webm"};
  }
  if (ending == ".gif") {
    // One palette for the whole film, made from what moves.
    return {"-vf", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4",
            "-f", "gif"};
  }
  throw InputError("video file", "the ending '" + ending + "'", ".mp4, .webm or .gif");
}

// The ffmpeg program with raw pictures going in. Its messages are read while it runs, so that it never waits for us, and
// the first of them are kept for the error.
class Ffmpeg {
 public:
  explicit Ffmpeg(const Arguments& arguments) {
    std::array<int, 2> pictures{}, messages{}, started{};
    if (pipe2(pictures.data(), O_CLOEXEC) || pipe2(messages.data(), O_CLOEXEC) ||
        pipe2(started.data(), O_CLOEXEC)) {
      throw RunError(std::string("no pipe to ffmpeg: ") + std::strerror(errno));
    }
    std::vector<char*> words;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    child_ = fork();
    if (child_ < 0) throw RunError(std::string("ffmpeg cannot be started: ") + std::strerror(errno));
    if (child_ == 0) {
      dup2(pictures[0], STDIN_FILENO);
      dup2(messages[1], STDERR_FILENO);
      execvp(words[0], words.data());
      const int problem = errno;
      [[maybe_unused]] const auto told = write(started[1], &problem, sizeof problem);
      _exit(127);
    }
    close(pictures[0]);
    close(messages[1]);
    close(started[1]);
    input_ = pictures[1];
    listener_ = std::thread([this, from = messages[0]] { listen(from); });
    int problem = 0;
    const auto got = read(started[0], &problem, sizeof problem);  // nothing when exec worked
    close(started[0]);
    if (got > 0) {
      finish();
      throw RunError(
          problem == ENOENT
              ? "videos need the ffmpeg program, and it is not in PATH.\nOn Debian and Ubuntu, install it "
                "with: apt-get install ffmpeg"
              : std::string("ffmpeg cannot be started: ") + std::strerror(problem));
    }
    // A dead ffmpeg shows as a failed write with its message, not as a signal that ends the program.
    signal(SIGPIPE, SIG_IGN);
  }
  ~Ffmpeg() {
    if (child_ > 0) {
      kill(child_, SIGTERM);
      finish();
    }
  }
  Ffmpeg(const Ffmpeg&) = delete;
  Ffmpeg& operator=(const Ffmpeg&) = delete;

  void send(const Image& picture) {
    const std::uint8_t* bytes = picture.rgb.data();
    std::size_t left = picture.rgb.size();
    while (left > 0) {
      const auto written = write(input_, bytes, left);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        const std::string said = finish();
        throw RunError("ffmpeg stopped: " + (said.empty() ? std::string("it gave no reason") : said));
      }
      bytes += written;
      left -= static_cast<std::size_t>(written);
    }
  }

  void done() {
    const std::string said = finish();
    if (status_ != 0)
      throw RunError("ffmpeg failed: " + (said.empty() ? std::string("it gave no reason") : said));
  }

 private:
  static constexpr std::size_t kMostSaid = 4096;  // bytes of messages that are kept

  void listen(int from) {
    std::array<char, 4096> buffer;
    for (ssize_t got; (got = read(from, buffer.data(), buffer.size())) > 0 || (got < 0 && errno == EINTR);) {
      if (got > 0)
        said_.append(buffer.data(), std::min(static_cast<std::size_t>(got), kMostSaid - said_.size()));
    }
    close(from);
  }

  // Waits for its end; what it said.
  std::string finish() {
    close(input_);
    listener_.join();
    while (waitpid(child_, &status_, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    while (!said_.empty() && said_.back() == '\n') said_.pop_back();
    return said_;
  }

  pid_t child_ = -1;
  int input_ = -1, status_ = 0;
  std::string said_;  // of the listener, until it has ended
  std::thread listener_;
};

}  // namespace

void write_video(const Recording& recording, const VideoOptions& options, const std::filesystem::path& path,
                 const std::function<void(double)>& progress) {
  if (!(options.fps >= 1 && options.fps <= 240)) {
    throw InputError("frames per second", fmt::format("{}", options.fps), "1 to 240");
  }
  if (!(options.speed >= 0.01 && options.speed <= 100)) {
    throw InputError("speed", fmt::format("{}", options.speed), "0.01 to 100");
  }
  const Arguments encoding = encoder(path.extension().string(), options.picture);
  Painter painter(recording, options.picture);
  const double start = std::max(options.start, recording.time.front());
  const double end = std::min(options.end, recording.time.back());
  if (!(start <= end)) {
    throw InputError("time of the video", fmt::format("{} to {} s", options.start, options.end),
                     fmt::format("times from {:.3f} to {:.3f} s, which the recording covers",
                                 recording.time.front(), recording.time.back()));
  }

  // ffmpeg writes where nobody else does; the whole file then goes the way of every other output.
  const std::filesystem::path temporary = std::filesystem::temp_directory_path();
  remove_leftovers(temporary);
  const Temporary folder = Temporary::folder(temporary, path);
  const std::filesystem::path file = folder.path() / ("video" + path.extension().string());
  Arguments arguments = {"ffmpeg",    "-hide_banner",
                         "-loglevel", "error",
                         "-nostats",  "-y",
                         "-f",        "rawvideo",
                         "-pix_fmt",  "rgb24",
                         "-s",        fmt::format("{}x{}", options.picture.width, options.picture.height),
                         "-r",        fmt::format("{}", options.fps),
                         "-i",        "-",
                         "-an"};
  arguments.insert(arguments.end(), encoding.begin(), encoding.end());
  arguments.push_back(std::filesystem::absolute(file).string());

  Ffmpeg ffmpeg(arguments);
  const int frames = 1 + static_cast<int>(std::floor((end - start) / options.speed * options.fps + 1e-6));
  Image picture;
  for (int i = 0; i < frames; ++i) {
    painter.paint(start + i * options.speed / options.fps, picture);
    ffmpeg.send(picture);
    if (progress) progress(static_cast<double>(i + 1) / frames);
  }
  ffmpeg.done();
  write_file(path, read_file(file, std::size_t{8} << 30));
}

}  // namespace stunt
