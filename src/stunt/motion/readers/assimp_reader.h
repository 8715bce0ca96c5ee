// FBX and glTF through the assimp library.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "stunt/motion/clip.h"

namespace stunt {

// One animation that moves a skeleton, sampled at the file's key rate, in the file's axes and unit.
// Joints are the nodes that are animated or carry a mesh as bones; scales are multiplied into the bones,
// which stay rigid. `hint` is the format's ending ("fbx", "glb", "gltf"). Only what is in `bytes` is read: a
// glTF with its buffers in other files needs read_with_assimp_file. Throws InputError.
// `animation` is a name or a number from 1; without it, the longest that moves the body. Clip::animations lists
// them all.
Clip read_with_assimp(std::string_view bytes, const std::string& hint, const std::string& place,
                      const std::optional<std::string>& animation = {});
Clip read_with_assimp_file(const std::filesystem::path& path,
                           const std::optional<std::string>& animation = {});

}  // namespace stunt
