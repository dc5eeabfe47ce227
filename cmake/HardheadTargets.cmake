# One static library per folder: hardhead_library(NAME SOURCES... LINKS...) makes hardhead::NAME.
# Includes are written from the project's root ("attention/layer.h").
add_library(hardhead_settings INTERFACE)
target_compile_features(hardhead_settings INTERFACE cxx_std_20)
target_include_directories(hardhead_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(hardhead_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives from Eigen's and Boost's inlined vector code at -O3.
  target_compile_options(hardhead_settings INTERFACE -Wno-maybe-uninitialized)
endif()
if(HARDHEAD_WERROR)
  target_compile_options(hardhead_settings INTERFACE -Werror)
endif()

function(hardhead_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(hardhead_${name} STATIC ${ARG_SOURCES})
  add_library(hardhead::${name} ALIAS hardhead_${name})
  target_link_libraries(hardhead_${name} PUBLIC hardhead_settings ${ARG_LINKS})
endfunction()

# Eigen is most of a translation unit's parse time: folders that use it share attention's precompiled header.
function(hardhead_precompile_eigen target)
  if(target STREQUAL "hardhead_attention")
    target_precompile_headers(${target} PRIVATE <Eigen/Dense>)
  else()
    target_precompile_headers(${target} REUSE_FROM hardhead_attention)
  endif()
endfunction()
