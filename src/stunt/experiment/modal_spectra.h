// Figure 1 of Jain and Liu 2011: how fast a motion moves along its principal components, and along the modes of the body.
#pragma once

#include <vector>

#include "stunt/experiment/experiment.h"
#include "stunt/reference/reference.h"

namespace stunt {

// Amplitude (of all three together, relative to the largest) against frequency (Hz) of the three strongest and the three weakest
// principal components of the joints' motion, and of the three softest and three stiffest modes at the first pose, over `seconds`
// from `start` on: whole cycles of the motion.
struct ModalSpectra {
  std::vector<MeasuredLine> lines;      // one for each of the four
  std::vector<MeasuredNumber> numbers;  // mean frequency (Hz) of each, weighted by power
};
ModalSpectra modal_spectra(const Reference& reference, double start, double seconds);

}  // namespace stunt
