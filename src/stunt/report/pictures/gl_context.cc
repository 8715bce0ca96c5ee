#include "stunt/report/pictures/gl_context.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "stunt/core/error.h"

namespace stunt {
namespace {

// MuJoCo finds the GL functions through the symbols of the process (hence RTLD_GLOBAL), by the way MUJOCO_GL
// names.
class Library {
 public:
  Library(const char* file, const char* mujoco_name) : handle_(dlopen(file, RTLD_NOW | RTLD_GLOBAL)) {
    if (!handle_) throw RunError(std::string(file) + " is not installed");
    setenv("MUJOCO_GL", mujoco_name, 1);
  }
  template <typename Function>
  Function* find(const char* symbol) const {
    void* address = dlsym(handle_, symbol);
    if (!address) throw RunError(std::string(symbol) + " is missing in the GL library");
    return reinterpret_cast<Function*>(address);
  }

 private:
  void* handle_;  // never closed: drivers keep threads and exit handlers of their own
};

// The few constants and functions of EGL 1.5 used here, so that no EGL headers are needed to build.
namespace egl {
using Display = void*;
using Config = void*;
using Context = void*;
using Device = void*;
constexpr int kNone = 0x3038, kSurfaceType = 0x3033, kPbufferBit = 0x0001, kRenderableType = 0x3040,
              kOpenglBit = 0x0008, kRedSize = 0x3024, kGreenSize = 0x3023, kBlueSize = 0x3022,
              kDepthSize = 0x3025;
constexpr unsigned kOpenglApi = 0x30A2, kPlatformDevice = 0x313F, kPlatformSurfaceless = 0x31DD;
}  // namespace egl

class EglContext : public GlContext {
 public:
  EglContext() : library_("libEGL.so.1", "egl") {
    for (const auto display : displays()) {
      if (try_display(display)) return;
    }
    throw RunError("EGL offers no display that draws OpenGL");
  }
  ~EglContext() override {
    make_current_(display_, nullptr, nullptr, nullptr);
    library_.find<unsigned(egl::Display, egl::Context)>("eglDestroyContext")(display_, context_);
  }
  std::string name() const override { return "EGL"; }

 private:
  // Devices first (a graphics card, where there is one), then Mesa's surfaceless platform.
  std::vector<egl::Display> displays() const {
    using GetProc = void*(const char*);
    auto* get_proc = library_.find<GetProc>("eglGetProcAddress");
    using QueryDevices = unsigned(int, egl::Device*, int*);
    using GetPlatformDisplay = egl::Display(unsigned, void*, const int*);
    auto* query_devices = reinterpret_cast<QueryDevices*>(get_proc("eglQueryDevicesEXT"));
    auto* get_display = reinterpret_cast<GetPlatformDisplay*>(get_proc("eglGetPlatformDisplayEXT"));
    std::vector<egl::Display> found;
    if (!get_display) return found;
    std::array<egl::Device, 16> devices{};
    int count = 0;
    if (query_devices && query_devices(static_cast<int>(devices.size()), devices.data(), &count)) {
      for (int i = 0; i < count; ++i) found.push_back(get_display(egl::kPlatformDevice, devices[i], nullptr));
    }
    found.push_back(get_display(egl::kPlatformSurfaceless, nullptr, nullptr));
    return found;
  }

  bool try_display(egl::Display display) {
    if (!display) return false;
    if (!library_.find<unsigned(egl::Display, int*, int*)>("eglInitialize")(display, nullptr, nullptr))
      return false;
    const std::array<int, 13> wanted = {egl::kSurfaceType,
                                        egl::kPbufferBit,
                                        egl::kRenderableType,
                                        egl::kOpenglBit,
                                        egl::kRedSize,
                                        8,
                                        egl::kGreenSize,
                                        8,
                                        egl::kBlueSize,
                                        8,
                                        egl::kDepthSize,
                                        24,
                                        egl::kNone};
    egl::Config config = nullptr;
    int count = 0;
    library_.find<unsigned(egl::Display, const int*, egl::Config*, int, int*)>("eglChooseConfig")(
        display, wanted.data(), &config, 1, &count);
    if (count < 1 || !library_.find<unsigned(unsigned)>("eglBindAPI")(egl::kOpenglApi)) return false;
    const auto context = library_.find<egl::Context(egl::Display, egl::Config, egl::Context, const int*)>(
        "eglCreateContext")(display, config, nullptr, nullptr);
    if (!context) return false;
    make_current_ = library_.find<unsigned(egl::Display, void*, void*, egl::Context)>("eglMakeCurrent");
    if (!make_current_(display, nullptr, nullptr, context)) return false;
    display_ = display;
    context_ = context;
    return true;
  }

  Library library_;
  egl::Display display_ = nullptr;
  egl::Context context_ = nullptr;
  unsigned (*make_current_)(egl::Display, void*, void*, egl::Context) = nullptr;
};

class OsMesaContext : public GlContext {
 public:
  OsMesaContext() : library_("libOSMesa.so.8", "osmesa") {
    constexpr int kFormat = 0x22, kDepthBits = 0x30, kRgba = 0x1908;
    const std::array<int, 5> wanted = {kFormat, kRgba, kDepthBits, 24, 0};
    context_ = library_.find<void*(const int*, void*)>("OSMesaCreateContextAttribs")(wanted.data(), nullptr);
    if (!context_) throw RunError("OSMesa makes no context");
    // The pictures are drawn into a buffer of MuJoCo's own; OSMesa needs one to be current at all.
    constexpr unsigned kUnsignedByte = 0x1401;
    using MakeCurrent = std::uint8_t(void*, void*, unsigned, int, int);
    if (!library_.find<MakeCurrent>("OSMesaMakeCurrent")(context_, pixels_.data(), kUnsignedByte, 8, 8)) {
      throw RunError("OSMesa's context cannot be made current");
    }
  }
  ~OsMesaContext() override { library_.find<void(void*)>("OSMesaDestroyContext")(context_); }
  std::string name() const override { return "OSMesa"; }

 private:
  Library library_;
  std::array<std::uint8_t, 8 * 8 * 4> pixels_{};
  void* context_ = nullptr;
};

}  // namespace

std::unique_ptr<GlContext> GlContext::make() {
  const char* only = std::getenv("STUNT_GL");
  const std::string_view wanted = only ? only : "";
  if (!wanted.empty() && wanted != "egl" && wanted != "osmesa") {
    throw InputError("environment variable STUNT_GL", "'" + std::string(wanted) + "'", "egl or osmesa");
  }
  std::string problems;
  if (wanted != "osmesa") {
    try {
      return std::make_unique<EglContext>();
    } catch (const RunError& error) {
      problems += std::string("\n  EGL: ") + error.what();
    }
  }
  if (wanted != "egl") {
    try {
      return std::make_unique<OsMesaContext>();
    } catch (const RunError& error) {
      problems += std::string("\n  OSMesa: ") + error.what();
    }
  }
  throw RunError("pictures need OpenGL, and none was found:" + problems +
                 "\nOn Debian and Ubuntu, install it with: apt-get install libosmesa6");
}

}  // namespace stunt
