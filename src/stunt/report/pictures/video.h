// A recording as mp4, webm or gif, through the ffmpeg program.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>

#include "stunt/report/pictures/render.h"

namespace stunt {

struct VideoOptions {
  PictureOptions picture;
  double fps = 30;                                       // pictures per second of video
  double speed = 1;                                      // 0.25 is slow motion, four times as long
  double start = 0;                                      // s of the recording
  double end = std::numeric_limits<double>::infinity();  // s; beyond the recording: its end
};

// Writes `path`, whose ending (.mp4, .webm, .gif) says the format; the file appears when it is whole, as write_file
// (core/files.h) does it.
// `progress` is called with the share done, 0 to 1. Throws InputError for options out of range, RunError when
// ffmpeg is missing or fails, or where there is no OpenGL.
void write_video(const Recording& recording, const VideoOptions& options, const std::filesystem::path& path,
                 const std::function<void(double)>& progress = {});

}  // namespace stunt
