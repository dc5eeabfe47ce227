# One static library per folder: hardhead_library(NAME SOURCES... LINKS...) makes hardhead::NAME.
# Includes are written from the project's root ("attention/layer/layer.h"); installed, from <prefix>/include/hardhead, or
# as <hardhead/attention/layer/layer.h> and <hardhead/hardhead.h>.
include(CheckCXXSymbolExists)

# What the build itself compiles with; who uses the installed libraries has settings of their own.
add_library(hardhead_settings INTERFACE)
target_compile_options(hardhead_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives from Eigen's and Boost's inlined vector code at -O3.
  target_compile_options(hardhead_settings INTERFACE -Wno-maybe-uninitialized)
endif()
if(HARDHEAD_UNITY)
  # A batch has the file-local names of all its files in view.
  target_compile_options(hardhead_settings INTERFACE -Wno-shadow)
endif()
if(HARDHEAD_WERROR)
  target_compile_options(hardhead_settings INTERFACE -Werror)
endif()

if(HARDHEAD_CCACHE)
  find_program(HARDHEAD_CCACHE_PROGRAM ccache)
  if(HARDHEAD_CCACHE_PROGRAM)
    # With precompiled headers ccache needs both of these.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        ${HARDHEAD_CCACHE_PROGRAM})
    add_compile_options(-fpch-preprocess)
  endif()
endif()

# The static libraries go into shared objects too, the Python module for one. An option for everything rather than
# a property of libraries: programs share their precompiled headers.
add_compile_options(-fPIC -fno-semantic-interposition)
# No a*b+c is contracted into one rounding, which compilers do as they please: roundings are those that the source says. Fused
# products and sums are written as such (attention/kernels/matrix_product_kernels.cc, and in Eigen).
add_compile_options(-ffp-contract=off)
# Batches of files fill more memory than g++ takes for granted: it would spend a tenth of its time on collecting garbage.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-expand=200 --param=ggc-min-heapsize=1000000)
endif()

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
# For every file of the build, those without Eigen too, which share precompiled headers with the others.
add_compile_definitions(EIGEN_MAX_ALIGN_BYTES=${hardhead_eigen_alignment})

set(hardhead_floors base attention sq lwe hardness learner study experiments)

function(hardhead_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(hardhead_${name} STATIC ${ARG_SOURCES})
  add_library(hardhead::${name} ALIAS hardhead_${name})
  set_target_properties(hardhead_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(hardhead_${name} PUBLIC cxx_std_20)
  target_include_directories(hardhead_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/hardhead>)
  target_link_libraries(hardhead_${name} PUBLIC $<BUILD_INTERFACE:hardhead_settings> ${ARG_LINKS})
endfunction()

# What takes long to parse is parsed once for all folders, and once more for code that only arranges what the libraries
# compute (hardhead_quick): -O1 compiles it in two thirds of the time. With g++ the level of a file is that of its
# precompiled header, whatever its command line says.
set(hardhead_common_headers
  <algorithm> <array> <atomic> <charconv> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <mutex>
  <optional> <set> <span> <string> <thread> <vector> <boost/multiprecision/gmp.hpp> <fmt/format.h> <fmt/ranges.h>
  <nlohmann/json.hpp> <tbb/blocked_range.h> <tbb/enumerable_thread_specific.h> <tbb/parallel_for.h>
  <tbb/parallel_reduce.h> <Eigen/Core>)
file(CONFIGURE OUTPUT precompiled.cc CONTENT "")
function(hardhead_precompiled_headers name)
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE hardhead_settings Boost::headers fmt::fmt nlohmann_json::nlohmann_json
                                        TBB::tbb GMP::GMP Eigen3::Eigen)
  target_precompile_headers(${name} PRIVATE ${hardhead_common_headers} ${ARGN})
endfunction()
hardhead_precompiled_headers(hardhead_precompiled)
function(hardhead_precompile target)
  target_precompile_headers(${target} REUSE_FROM hardhead_precompiled)
endfunction()

# hardhead_quick(TARGET [HEADERS]): with the precompiled headers HEADERS of hardhead_quick_headers(), or those of all.
function(hardhead_quick_headers name)
  hardhead_precompiled_headers(${name} ${ARGN})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
hardhead_quick_headers(hardhead_quick_precompiled)
function(hardhead_quick target)
  set(headers hardhead_quick_precompiled ${ARGN})
  list(POP_BACK headers last)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_precompile_headers(${target} REUSE_FROM ${last})
endfunction()

# Batches of `size` files, where HARDHEAD_UNITY asks for them. Files with options of their own stay alone.
function(hardhead_unity target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HARDHEAD_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# Kernels that Highway compiles for each target (base/numeric/simd.h), on top of the oldest CPU of the architecture,
# whatever the rest of the build is compiled for: so every target is there to be chosen and tested. The baseline is one
# lane with every version of Highway; from 1.1 on its own would be SSE2.
function(hardhead_kernels)
  set(options "-DHWY_DISABLED_TARGETS=(~(HWY_SCALAR|HWY_AVX2|HWY_AVX3))" -DHWY_BROKEN_EMU128=1)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND options -march=x86-64)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON
                              SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
