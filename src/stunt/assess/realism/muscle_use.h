// What muscles do in a run, as a channel of its recording: `muscle_use`, the force of each muscle over its strength (u/u_max),
// whether muscles move the character or a human's would have to (realism.h). Whoever draws a recording lights them up by it.
#pragma once

#include "stunt/assess/realism/realism.h"
#include "stunt/simulate/recording.h"

namespace stunt {

// True: muscles move it (channels muscle_activation and muscle_force). False: ActorTrack::muscles are those of a human on it.
bool moved_by_muscles(const ActorTrack& track);

// The frame that is nearest to a sample; those at the ends stand for the tenth of a second beyond them, which is not judged.
const RealismFrame& frame_at(const Realism& realism, double time);

// Adds the channel, and the muscles themselves, to the characters that have any. Nothing for a root that is fixed, a single
// sample, a run that diverged or is longer than a minute; nor for the fifth character and those after it, unless muscles move
// it.
void add_muscle_use(Recording& run);

}  // namespace stunt
