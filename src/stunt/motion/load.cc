#include "stunt/motion/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/nearest_name.h"
#include "stunt/motion/readers/amass.h"
#include "stunt/motion/readers/asf_amc.h"
#include "stunt/motion/readers/assimp_reader.h"
#include "stunt/motion/readers/bvh.h"
#include "stunt/motion/readers/deepmimic.h"
#include "stunt/motion/readers/scanner.h"
#include "stunt/motion/readers/text.h"
#include "stunt/motion/readers/trial.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{1} << 30;
constexpr double kAmcFrameRate = 120.0;

// What the ending says; empty where it says nothing.
std::string kind_by_ending(const fs::path& path) {
  const std::string ending = path.extension().string();
  for (const auto& [known, kind] : {std::pair{".bvh", "bvh"},
                                    {".amc", "amc"},
                                    {".asf", "asf"},
                                    {".json", "json"},
                                    {".npz", "npz"},
                                    {".fbx", "fbx"},
                                    {".gltf", "gltf"},
                                    {".glb", "gltf"},
                                    {".c3d", "c3d"},
                                    {".pkl", "pickle"},
                                    {".pickle", "pickle"},
                                    {".joblib", "pickle"},
                                    {".pt", "pickle"},
                                    {".pth", "pickle"}}) {
    if (equals_ignoring_case(ending, known)) return kind;
  }
  return "";
}

std::string kind_by_content(std::string_view bytes) {
  Scanner scan(bytes.substr(0, 2000), "");
  const std::string_view word = scan.peek();
  if (equals_ignoring_case(word, "HIERARCHY")) return "bvh";
  if (bytes.starts_with("PK")) return "npz";
  if (bytes.starts_with("Kaydara FBX") || bytes.substr(0, 200).find("FBX") != std::string_view::npos)
    return "fbx";
  if (bytes.starts_with("glTF")) return "gltf";
  if (word == "{") return bytes.find("\"Frames\"") != std::string_view::npos ? "json" : "gltf";
  if (bytes.substr(0, 2000).find(":FULLY-SPECIFIED") != std::string_view::npos) return "amc";
  return "";
}

// What the kind of file says for certain; the person's own word goes before it.
ImportOptions known_by_format(const std::string& kind, const Clip& clip, const ImportOptions& asked) {
  ImportOptions options = asked;
  const auto say = [](auto& option, auto value) {
    if (!option) option = value;
  };
  if (kind == "json") {
    say(options.unit_m, 1.0);
    say(options.up_axis, "y");
    say(options.forward_axis, "x");
    say(options.drop_rest_frame, false);
  } else if (kind == "npz") {
    say(options.unit_m, 1.0);
    if (clip.source.format == "amass") say(options.up_axis, "z");
    say(options.drop_rest_frame, false);
  }
  return options;
}

Clip read_kind(const std::string& kind, const fs::path& path, std::string bytes,
               const ImportOptions& options) {
  const std::string place = path.string();
  if (kind == "bvh") return read_bvh(bytes, place);
  if (kind == "json") return read_deepmimic(bytes, place);
  if (kind == "npz") return read_amass(std::move(bytes), place);
  if (kind == "c3d") {
    throw InputError(
        place, "a C3D file, which has markers and no skeleton",
        "the motion of a skeleton, such as BVH or FBX: let the capture software solve the markers");
  }
  if (kind == "pickle") {
    throw InputError(place, "a Python pickle, which only the program that wrote it can read safely",
                     "an .npz of plain arrays: poses (frames x 72) and trans (frames x 3)");
  }
  if (kind == "fbx" || kind == "gltf") {
    const auto read = [&] {
      if (!kind_by_ending(path).empty()) return read_with_assimp_file(path, options.animation);
      return read_with_assimp(bytes, bytes.starts_with("glTF") ? "glb" : kind, place, options.animation);
    };
    try_reading([&] { read(); }, place);
    return read();
  }
  if (kind == "amc") {
    const fs::path asf = options.skeleton ? fs::path(*options.skeleton) : find_asf(path);
    Clip clip = read_asf_amc(decode_utf16(read_file(asf, kLargestFile)), asf.string(), bytes, place,
                             options.fps.value_or(kAmcFrameRate));
    clip.notes.push_back(
        fmt::format("The skeleton is that of {} (--skeleton changes it).", asf.filename().string()));
    if (!options.fps) {
      clip.notes.push_back(fmt::format(
          "AMC does not say its frame rate; {} per second is assumed (--fps changes it).", kAmcFrameRate));
    }
    return clip;
  }
  if (kind == "asf") throw InputError(place, "a skeleton without motion", "the .amc file beside it");
  throw InputError(place, "an unknown kind of file",
                   "BVH, ASF/AMC, DeepMimic JSON, AMASS or SMPL NPZ, FBX, glTF or GLB");
}

}  // namespace

Clip load_clip(const std::string& name_or_path, const ImportOptions& options) {
  Clip clip;
  if (const auto built_in = embedded_file("motions/" + name_or_path + ".bvh")) {
    clip = read_bvh(*built_in, name_or_path);
    interpret(clip, options, name_or_path);
    clip.name = name_or_path;
    return clip;
  }
  const fs::path path = name_or_path;
  std::error_code error;
  if (!fs::exists(path, error)) {
    const std::string meant = nearest_name(name_or_path, embedded_names("motions"));
    throw InputError(name_or_path, "no such file and no built-in motion of this name",
                     embedded_file("scenes/" + name_or_path + ".yaml")
                         ? fmt::format("a motion; this is a scene: stunt run {}", name_or_path)
                     : meant.empty() ? "a motion file, or a name that `stunt motions` lists"
                                     : fmt::format("a motion file, or perhaps '{}'", meant));
  }
  std::string bytes = read_file(path, kLargestFile);
  std::string kind = kind_by_ending(path);
  const bool text = kind.empty() || kind == "bvh" || kind == "amc" || kind == "asf" || kind == "json";
  if (text) bytes = decode_utf16(std::move(bytes));
  if (kind.empty()) kind = kind_by_content(bytes);
  clip = read_kind(kind, path, std::move(bytes), options);
  interpret(clip, known_by_format(kind, clip, options), name_or_path);
  if (options.animation && clip.animations.empty()) {
    throw InputError(name_or_path + ": --animation", "a kind of file with a single motion",
                     "FBX, glTF or GLB");
  }
  clip.name = to_utf8(path.stem().string());
  return clip;
}

}  // namespace stunt
