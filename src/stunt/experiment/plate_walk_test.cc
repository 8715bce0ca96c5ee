#include "stunt/experiment/plate_walk.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "places.h"
#include "stunt/core/error.h"
#include "stunt/experiment/realism_experiment.h"

namespace stunt {
namespace {

// The ground reaction of a captured walk against what force plates measured under it.
TEST(PlateWalk, EstimatedForcesAreThoseOfThePlates) {
  const std::filesystem::path folder = in_source("../shared/biomech/moco_example3DWalking");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "OpenSim's example3DWalking is not here";
  const PlateWalk walk = read_plate_walk(folder);
  EXPECT_NEAR(walk.mass_kg, 85.27, 0.5);
  const PlateValidation found = validate_on_plates(walk, 0);
  const PlateComparison& both = found.rows.at(0);
  EXPECT_GT(both.r.z(), 0.99);
  EXPECT_LT(both.rms.z(), 2);
  EXPECT_GT(both.r.x(), 0.97);
  EXPECT_LT(both.centre_ahead, 0.040);
  EXPECT_LT(both.centre_aside, 0.020);
  EXPECT_LT(found.kappa, 0.05);
}

TEST(PlateWalk, AFolderWithoutAWalkIsRefused) { EXPECT_THROW(read_plate_walk("no such folder"), InputError); }

}  // namespace
}  // namespace stunt
