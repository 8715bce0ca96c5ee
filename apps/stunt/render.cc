// stunt render: a film strip or a video of a recording, without a screen.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "console.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/report/files/recording_file.h"
#include "stunt/report/pictures/video.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string recording, out = "strip.png", size, camera, background = "light", layout = "panels";
  std::vector<double> times;
  int count = 8, samples = -1;
  double fps = 30, speed = 1, zoom = 1, start = 0, end = -1;
  bool shapes = false, no_ghost = false, no_shadows = false, contacts = false, quiet = false;
};

void read_size(const std::string& text, PictureOptions& picture) {
  int width = 0, height = 0, used = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &width, &height, &used) != 2 ||
      used != static_cast<int>(text.size())) {
    throw InputError("--size", "'" + text + "'", "width and height in pixels, like 960x540");
  }
  picture.width = width;
  picture.height = height;
}

void apply(const Options& options, PictureOptions& picture) {
  if (!options.size.empty()) read_size(options.size, picture);
  if (!options.camera.empty()) picture.camera = options.camera;
  if (options.samples >= 0) picture.samples = options.samples;
  picture.background = options.background;
  picture.zoom = options.zoom;
  picture.ghost = !options.no_ghost;
  picture.shapes = options.shapes;
  picture.shadows = !options.no_shadows;
  picture.contacts = options.contacts;
}

void render(const Options& options) {
  const Recording recording = load_recording(options.recording);
  const fs::path out = options.out;
  if (out.extension() == ".png") {
    FilmStripOptions strip;
    apply(options, strip.picture);
    strip.times = options.times;
    strip.count = options.count;
    strip.layout = options.layout;
    write_file(out, to_png(film_strip(recording, strip)));
  } else {
    VideoOptions video;
    apply(options, video.picture);
    video.fps = options.fps;
    video.speed = options.speed;
    video.start = options.start;
    if (options.end >= 0) video.end = options.end;
    Progress progress(out.filename().string(), options.quiet);
    write_video(recording, video, out, [&](double share) {
      progress.update(share, 1);
      if (interrupted()) throw RunError("interrupted; nothing was written");
    });
  }
  say("wrote " + out.string(), options.quiet);
}

}  // namespace

void add_render(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("render", "draw a recording as film strip or video, without a screen");
  command->footer("Example:  stunt track walk --out out/walk && stunt render out/walk -o strip.png");
  command->add_option("recording", options->recording, "recording.npz, or the folder it is in")->required();
  command->add_option("-o,--out", options->out, "strip.png, or a video: .mp4, .webm, .gif")
      ->capture_default_str();
  command->add_option("--size", options->size,
                      "pixels, of one panel or of the video (default 240x320, 960x540)");
  command->add_option("--camera", options->camera,
                      "side, front, corner or top (default: side, for videos corner)");
  command->add_option("--background", options->background, "light, dark or a colour like #ffffff")
      ->capture_default_str();
  command->add_option("--zoom", options->zoom, "2 shows things twice as large")->capture_default_str();
  command->add_flag("--shapes", options->shapes, "the physical shapes instead of mannequins");
  command->add_flag("--no-ghost", options->no_ghost, "without the reference");
  command->add_flag("--no-shadows", options->no_shadows,
                    "without shadows, which take about half of the time");
  command->add_flag("--contacts", options->contacts, "with arrows for the contact forces");
  command->add_option("--samples", options->samples,
                      "per pixel, against jagged edges (default: 4; 0 is fastest)");
  command->add_option("--times", options->times, "film strip: at these times (s)")->delimiter(',');
  command->add_option("--count", options->count, "film strip: so many pictures, evenly spaced")
      ->capture_default_str();
  command
      ->add_option("--layout", options->layout, "film strip: panels, or panorama (all poses in one picture)")
      ->capture_default_str();
  command->add_option("--fps", options->fps, "video: pictures per second")->capture_default_str();
  command->add_option("--speed", options->speed, "video: 0.25 is slow motion")->capture_default_str();
  command->add_option("--start", options->start, "video: from this time on (s)")->capture_default_str();
  command->add_option("--end", options->end, "video: until this time (s; default: the end)");
  command->add_flag("--quiet", options->quiet, "no progress");
  command->callback([options, command] {
    const bool strip = fs::path(options->out).extension() == ".png";
    const std::vector<const char*> foreign = strip ? std::vector{"--fps", "--speed", "--start", "--end"}
                                                   : std::vector{"--times", "--count", "--layout"};
    for (const char* name : foreign) {
      if (command->count(name)) {
        throw InputError(name, "the output " + options->out, strip ? "a video" : "a film strip (.png)");
      }
    }
    render(*options);
  });
}

}  // namespace stunt
