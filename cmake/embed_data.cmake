# What ships with the product (data/, and the built page of web/) is linked into the library, so the program works from any folder.
# Makes the target stunt_data: a table of (name, begin, end), read by core/embedded.cc.
file(GLOB_RECURSE embedded_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/data
  ${CMAKE_SOURCE_DIR}/data/motions/*.bvh ${CMAKE_SOURCE_DIR}/data/characters/*.xml
  ${CMAKE_SOURCE_DIR}/data/scenes/*.yaml ${CMAKE_SOURCE_DIR}/data/problems/*.yaml
  ${CMAKE_SOURCE_DIR}/data/controllers/*.yaml ${CMAKE_SOURCE_DIR}/data/muscles/*.yaml
  ${CMAKE_SOURCE_DIR}/data/creatures/*.yaml)
list(SORT embedded_files)
list(TRANSFORM embedded_files PREPEND ${CMAKE_SOURCE_DIR}/data/ OUTPUT_VARIABLE embedded_paths)
# The report page, where npm was there to build it (see the Makefile). It is named web/report.html.
file(GLOB report_page CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/dist/report.html)
if(report_page)
  list(APPEND embedded_files web/report.html)
  list(APPEND embedded_paths ${report_page})
endif()
set(assembly ".section .note.GNU-stack,\"\",%progbits\n.section .rodata\n")
set(table "")
set(index 0)
foreach(file path IN ZIP_LISTS embedded_files embedded_paths)
  string(APPEND assembly ".balign 16\nstunt_file_${index}:\n.incbin \"${path}\"\nstunt_file_${index}_end:\n.byte 0\n")
  string(APPEND assembly "stunt_name_${index}: .asciz \"${file}\"\n")
  string(APPEND table ".quad stunt_name_${index}, stunt_file_${index}, stunt_file_${index}_end\n")
  math(EXPR index "${index} + 1")
endforeach()
string(APPEND assembly ".section .data.rel.ro,\"aw\"\n.balign 8\n.global stunt_embedded_table\nstunt_embedded_table:\n${table}.quad 0, 0, 0\n")
set(assembly_file ${CMAKE_BINARY_DIR}/embedded_data.S)
file(CONFIGURE OUTPUT ${assembly_file} CONTENT "${assembly}" @ONLY)
add_library(stunt_data STATIC ${assembly_file})
set_source_files_properties(${assembly_file} PROPERTIES OBJECT_DEPENDS "${embedded_paths}")
set_target_properties(stunt_data PROPERTIES ASM_COMPILER_LAUNCHER "")
