// Acclaim's pair of files: ASF has the skeleton, AMC the motion on it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "stunt/motion/clip.h"

namespace stunt {

// The clip in the files' own axes and length unit (the numbers of the ASF as they stand, without its `length`
// factor). A bone's joint sits at the bone's start; its rest axes are those of the ASF's `axis` line. AMC has
// no frame rate: `fps` is taken. Bones whose parent is the root start at the root. Throws InputError with
// file and line.
Clip read_asf_amc(std::string_view asf, const std::string& asf_place, std::string_view amc,
                  const std::string& amc_place, double fps = 120.0);

// The ASF for an AMC: the same stem, or the stem up to the first '_' ("07.asf" for "07_01.amc"), or the only
// ASF in the folder. Throws InputError when none or several fit.
std::filesystem::path find_asf(const std::filesystem::path& amc);

}  // namespace stunt
