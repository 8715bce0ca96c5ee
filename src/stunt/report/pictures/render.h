// Pictures of a recording without a screen: MuJoCo's renderer on EGL or OSMesa.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stunt/report/pictures/png.h"
#include "stunt/simulate/recording.h"

namespace stunt {

struct PictureOptions {
  int width = 960, height = 540;     // pixels
  std::string camera = "corner";     // side, front, corner (between both), top; follows the characters
  std::string background = "light";  // light, dark, or a colour #rrggbb
  double zoom = 1;                   // 2 shows things twice as large
  bool ghost = true;                 // the reference, as a tinted outline
  bool shapes = false;               // the characters' physical shapes instead of mannequins
  bool contacts = false;             // forces at contacts, as arrows
  bool shadows = true;
  int samples = 4;  // per pixel, against jagged edges; 0 is fastest
};

// Draws any moment of one recording. Making one takes a while (it starts OpenGL); a picture takes
// milliseconds.
class Painter {
 public:
  // Throws InputError for options out of range and recordings without samples, RunError where there is no
  // OpenGL.
  Painter(const Recording& recording, const PictureOptions& options);
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  // At the sample nearest to `time` (s). `label` is written into the lower left corner.
  void paint(double time, Image& picture, const std::string& label = "");

  // All these moments in one picture, each character where it was. Balls and the like are left out.
  void paint_together(const std::vector<double>& times, Image& picture);
  double together_aspect(const std::vector<double>& times) const;  // width / height that shows them best

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct FilmStripOptions {
  PictureOptions picture = {.width = 240, .height = 320, .camera = "side", .samples = 4};  // of one panel
  std::vector<double> times;  // s; empty: `count` evenly spaced
  int count = 8;
  std::string layout = "panels";  // panels: one picture beside the other; panorama: all poses in one picture
};

// Poses side by side, as papers print them. Throws InputError for a time outside the recording.
Image film_strip(const Recording& recording, const FilmStripOptions& options);

}  // namespace stunt
