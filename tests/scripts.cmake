# Tests that are Python scripts, which run the program, or read its files, from outside. NumPy is often the system Python's
# only: look there first.
find_program(HARDHEAD_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(HARDHEAD_PYTHON python3)
if(NOT HARDHEAD_PYTHON)
  return()
endif()

# hardhead_script(NAME FILE ARGUMENTS..): a test that runs FILE with the program and ARGUMENTS. It is skipped if that exits with 77.
function(hardhead_script name file)
  add_test(NAME ${name} COMMAND ${HARDHEAD_PYTHON} -B ${PROJECT_SOURCE_DIR}/${file} $<TARGET_FILE:hardhead> ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
endfunction()

# A build with sanitizers or counters is slow, takes memory of its own, and wants its library loaded first.
string(REGEX MATCH "-fsanitize" sanitized "${CMAKE_CXX_FLAGS}")
string(REGEX MATCH "-fsanitize|--coverage" instrumented "${CMAKE_CXX_FLAGS}")

# Files against another reader and another forward pass.
hardhead_script(attention.numpy tests/attention/numpy_test.py)
hardhead_script(attention.checkpoint tests/attention/checkpoint_test.py)
hardhead_script(attention.surroundings tests/attention/surroundings_test.py)
hardhead_script(hardness.challenge_numpy tests/hardness/challenge/numpy_test.py)
hardhead_script(lwe.darmstadt tests/lwe/darmstadt_test.py)

# What the program shows a person.
hardhead_script(app.report_page tests/app/commands/report_page_test.py)
hardhead_script(app.page_accessibility tests/app/commands/page_accessibility_test.py)
hardhead_script(app.site tests/app/site_test.py)
hardhead_script(app.recheck tests/app/recheck_test.py)
hardhead_script(app.check tests/app/check_test.py)

# What the documents show: costs measured anew change docs/hardness.md, and every block is run. Python blocks need the module.
hardhead_script(app.hardness_page scripts/hardness_page.py --check)
hardhead_script(app.heads_page scripts/heads.py --check)
foreach(page claims_page front_figure glossary)
  add_test(NAME app.${page} COMMAND ${HARDHEAD_PYTHON} -B ${PROJECT_SOURCE_DIR}/scripts/${page}.py --check)
endforeach()
hardhead_script(app.snippets tests/app/snippets_test.py $<$<BOOL:${HARDHEAD_HAS_PYTHON_MODULE}>:${PROJECT_BINARY_DIR}/python>)

# Ranks, signals, memory. An interrupted command ends within a second, on a machine that does nothing else.
hardhead_script(app.mpi tests/app/mpi_test.py)
hardhead_script(app.interrupt tests/app/interrupt_test.py 1 $<IF:$<BOOL:${instrumented}>,30,10>)
if(NOT instrumented)
  hardhead_script(app.budgets scripts/budgets.py --short)
endif()

# A short part of each category of the hostile suite, all of which scripts/hostile.sh runs.
set(shim --shim $<TARGET_FILE:fault_shim>)
if(sanitized)
  set(shim)
endif()
foreach(category corpus names ends formats surroundings kills programs ranks faults)
  hardhead_script(hostile.${category} tests/hostile/hostile.py ${shim} ${category})
endforeach()
# These send signals at moments of a run, and measure how soon it ends.
set_tests_properties(hostile.kills hostile.ranks PROPERTIES RUN_SERIAL ON)

# What others get: the installed libraries.
separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
add_test(NAME consumer
         COMMAND ${HARDHEAD_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/consumer/consumer_test.py ${CMAKE_COMMAND}
                 ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER} ${flags})
set_tests_properties(consumer PROPERTIES TIMEOUT 600 RESOURCE_LOCK installation)
