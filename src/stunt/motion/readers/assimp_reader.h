// FBX and glTF through the assimp library.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "stunt/motion/clip.h"

namespace stunt {

// The first animation that moves a skeleton, sampled at the file's key rate, in the file's axes and unit.
// Joints are the nodes that are animated or carry a mesh as bones; scales are multiplied into the bones,
// which stay rigid. `hint` is the format's ending ("fbx", "glb", "gltf"). Only what is in `bytes` is read: a
// glTF with its buffers in other files needs read_with_assimp_file. Throws InputError.
Clip read_with_assimp(std::string_view bytes, const std::string& hint, const std::string& place);
Clip read_with_assimp_file(const std::filesystem::path& path);

}  // namespace stunt
