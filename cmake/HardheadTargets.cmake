# One static library per folder: hardhead_library(NAME SOURCES... LINKS...) makes hardhead::NAME.
# Includes are written from the project's root ("attention/layer.h"); installed, from <prefix>/include/hardhead.
include(CheckCXXSymbolExists)

# What the build itself compiles with; who uses the installed libraries has settings of their own.
add_library(hardhead_settings INTERFACE)
target_compile_options(hardhead_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives from Eigen's and Boost's inlined vector code at -O3.
  target_compile_options(hardhead_settings INTERFACE -Wno-maybe-uninitialized)
endif()
if(HARDHEAD_WERROR)
  target_compile_options(hardhead_settings INTERFACE -Werror)
endif()

# The static libraries go into shared objects too, the Python module for one. An option for everything rather than
# a property of libraries: programs share their precompiled headers.
add_compile_options(-fPIC -fno-semantic-interposition)

# How Eigen aligns and frees memory follows from -march, so a program built without ours would free our matrices
# wrongly: the alignment is fixed here and goes with the libraries.
check_cxx_symbol_exists(__AVX512F__ "" HARDHEAD_FLAGS_HAVE_AVX512)
check_cxx_symbol_exists(__AVX__ "" HARDHEAD_FLAGS_HAVE_AVX)
if(HARDHEAD_FLAGS_HAVE_AVX512)
  set(hardhead_eigen_alignment 64)
elseif(HARDHEAD_FLAGS_HAVE_AVX)
  set(hardhead_eigen_alignment 32)
else()
  set(hardhead_eigen_alignment 16)
endif()

set(hardhead_floors base attention sq lwe hardness learner study)

function(hardhead_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(hardhead_${name} STATIC ${ARG_SOURCES})
  add_library(hardhead::${name} ALIAS hardhead_${name})
  set_target_properties(hardhead_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(hardhead_${name} PUBLIC cxx_std_20)
  target_include_directories(hardhead_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/hardhead>)
  target_link_libraries(hardhead_${name} PUBLIC $<BUILD_INTERFACE:hardhead_settings> ${ARG_LINKS})
endfunction()

# Eigen is most of a translation unit's parse time: folders that use it share attention's precompiled header.
function(hardhead_precompile_eigen target)
  if(target STREQUAL "hardhead_attention")
    target_precompile_headers(${target} PRIVATE <Eigen/Dense>)
  else()
    target_precompile_headers(${target} REUSE_FROM hardhead_attention)
  endif()
endfunction()
