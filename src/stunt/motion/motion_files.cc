#include "stunt/motion/motion_files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "stunt/core/error.h"

namespace stunt {

namespace fs = std::filesystem;

std::vector<std::string> motion_files(const std::string& folder) {
  if (!fs::is_directory(folder)) throw InputError(folder, "no such folder", "a folder with motion files");
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string ending = entry.path().extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    static const std::vector<std::string> kEndings = {".bvh",  ".amc", ".fbx",  ".glb",
                                                      ".gltf", ".npz", ".json", ".txt"};
    const bool licence = entry.path().stem() == "README" || entry.path().stem() == "LICENSE";
    if (entry.is_regular_file() && !licence &&
        std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end()) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw InputError(folder, "no motion files", "BVH, AMC, FBX, glTF, NPZ or DeepMimic files");
  return files;
}

}  // namespace stunt
