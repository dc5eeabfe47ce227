# What `cmake --install` and `cpack` make, in three parts: the program (component `program`), the libraries (`libraries`)
# and the Python module (`python`, installed by python/CMakeLists.txt).
include(CMakePackageConfigHelpers)

install(TARGETS hardhead DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# The same program for any x86-64 machine, which this one becomes on a CPU that it was not built for (app/cpu/cpu_check.cc).
set(HARDHEAD_BASELINE_PROGRAM "" CACHE FILEPATH "Program of the preset 'baseline', to be installed beside this one")
if(HARDHEAD_BASELINE_PROGRAM)
  install(PROGRAMS ${HARDHEAD_BASELINE_PROGRAM} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/hardhead RENAME hardhead
          COMPONENT program)
endif()
set(pages ${PROJECT_BINARY_DIR}/app)
install(FILES ${pages}/hardhead.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${pages}/hardhead.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hardhead
        COMPONENT program)
install(FILES ${pages}/_hardhead DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${pages}/hardhead.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hardhead)
list(TRANSFORM hardhead_floors PREPEND hardhead_ OUTPUT_VARIABLE libraries)
install(TARGETS hardhead_all ${libraries} EXPORT hardhead ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
install(DIRECTORY ${hardhead_floors} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hardhead COMPONENT libraries
        FILES_MATCHING PATTERN "*.h" PATTERN suites EXCLUDE)
install(FILES hardhead.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hardhead COMPONENT libraries)
install(EXPORT hardhead NAMESPACE hardhead:: FILE hardheadTargets.cmake DESTINATION ${package_folder} COMPONENT libraries)

# The packages behind a floor's links, "NTL::NTL" being of the package NTL, and those of the floors below it.
function(hardhead_packages_of floor out)
  set(packages)
  get_target_property(links hardhead_${floor} LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(link MATCHES "^hardhead::(.+)")
      hardhead_packages_of(${CMAKE_MATCH_1} below)
      list(APPEND packages ${below})
    elseif(link MATCHES "^(.+)::")
      list(APPEND packages ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  set(${out} ${packages} PARENT_SCOPE)
endfunction()
set(hardhead_needs)
foreach(floor IN LISTS hardhead_floors)
  hardhead_packages_of(${floor} packages)
  list(JOIN packages " " packages)
  string(APPEND hardhead_needs "set(hardhead_needs_${floor} ${packages})\n")
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/hardheadConfig.cmake.in ${PROJECT_BINARY_DIR}/hardheadConfig.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change what a caller sees.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hardheadConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(GLOB find_modules ${CMAKE_CURRENT_LIST_DIR}/Find*.cmake)
install(FILES ${PROJECT_BINARY_DIR}/hardheadConfig.cmake ${PROJECT_BINARY_DIR}/hardheadConfigVersion.cmake ${find_modules}
        DESTINATION ${package_folder} COMPONENT libraries)

# For builds without CMake. The folder is found from where the file lies, so that the tree can be moved.
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
if(HARDHEAD_HAS_FPLLL)
  set(pkg_config_fplll "-lfplll ")
endif()
# A library comes before those that it needs.
set(pkg_config_floors ${hardhead_floors})
list(REVERSE pkg_config_floors)
list(TRANSFORM pkg_config_floors PREPEND "-lhardhead_")
list(JOIN pkg_config_floors " " pkg_config_floors)
configure_file(${CMAKE_CURRENT_LIST_DIR}/hardhead.pc.in ${PROJECT_BINARY_DIR}/hardhead.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hardhead.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libraries)

# Debian packages, one a component. Dependencies on shared libraries are read off the files.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The hardhead authors <hardhead@localhost>")
set(CPACK_PACKAGE_VENDOR "The hardhead authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_COMPONENTS_ALL program libraries)

set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${PROJECT_DESCRIPTION}\nThe program hardhead.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME hardhead)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS gnuplot-nox)

set(CPACK_COMPONENT_LIBRARIES_DESCRIPTION "${PROJECT_DESCRIPTION}\nStatic libraries and headers.")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libhardhead-dev)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_DEPENDS "libeigen3-dev, libboost-dev (>= 1.74), libgmp-dev, libmpfr-dev, coinor-libclp-dev, \
liblbfgs-dev, libntl-dev, libtbb-dev, libssl-dev, librandom123-dev, libfmt-dev, libhwy-dev, nlohmann-json3-dev")
if(HARDHEAD_HAS_FPLLL)
  string(APPEND CPACK_DEBIAN_LIBRARIES_PACKAGE_DEPENDS ", libfplll-dev")
endif()

if(HARDHEAD_HAS_PYTHON_MODULE)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${PROJECT_DESCRIPTION}\nThe Python module hardhead.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-hardhead)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS gnuplot-nox)
endif()
# Debian's place for the license, a folder a package.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright COMPONENT ${component}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
endforeach()
include(CPack)
