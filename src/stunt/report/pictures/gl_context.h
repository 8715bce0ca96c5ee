// An OpenGL context without a screen, for MuJoCo's renderer. The GL libraries are loaded when one is made, so
// that the program starts on machines that have none.
#pragma once

#include <memory>
#include <string>

namespace stunt {

class GlContext {
 public:
  // EGL without a surface (a graphics card, or Mesa in software), else OSMesa (software). The context is
  // current in this thread until it is destroyed. The environment variable STUNT_GL=egl|osmesa allows only
  // one of them. Throws RunError that says what was tried and what to install.
  static std::unique_ptr<GlContext> make();
  virtual ~GlContext() = default;
  virtual std::string name() const = 0;  // "EGL" or "OSMesa"
};

}  // namespace stunt
