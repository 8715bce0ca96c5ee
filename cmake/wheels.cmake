# MuJoCo and ProxQP come as PyPI wheels with their C and C++ headers (and MuJoCo's shared library) inside.
# scripts/bootstrap unpacks them into .venv.
file(GLOB site_packages ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages)
if(NOT site_packages)
  message(FATAL_ERROR "no .venv here: run scripts/bootstrap (or just `make`)")
endif()

file(GLOB mujoco_library ${site_packages}/mujoco/libmujoco.so.*)
if(NOT mujoco_library)
  message(FATAL_ERROR "no MuJoCo in ${site_packages}: run scripts/bootstrap")
endif()
add_library(mujoco SHARED IMPORTED)
set_target_properties(mujoco PROPERTIES
  IMPORTED_LOCATION ${mujoco_library}
  INTERFACE_INCLUDE_DIRECTORIES ${site_packages}/mujoco/include
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${site_packages}/mujoco/include)

add_library(proxsuite INTERFACE)
target_include_directories(proxsuite SYSTEM INTERFACE ${site_packages}/cmeel.prefix/include)
target_link_libraries(proxsuite INTERFACE Eigen3::Eigen)
