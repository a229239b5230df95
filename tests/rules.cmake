# The rules of the code that a compiler doesn't know. Python's standard library is all they need.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
# What is found may be a script that starts the interpreter, at ten times the time of most tests: ask for the real one.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE Python3_EXECUTABLE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

function(copytrial_rule name script)
  add_test(NAME rules/${name}
      COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/rules/${script}.py ${ARGN} COMMAND_EXPAND_LISTS)
  copytrial_test_environment(rules/${name} rules)
endfunction()

set(package_includes)
foreach(package GLIB GSL YAML JANSSON PCAP LZ4 CRYPTO ZSTD PAGES)
  foreach(folder ${${package}_INCLUDE_DIRS})
    list(APPEND package_includes -isystem ${folder})
  endforeach()
endforeach()

copytrial_rule(selftest selftest ${CMAKE_C_COMPILER})
copytrial_rule(includes includes ${PROJECT_SOURCE_DIR})
copytrial_rule(calls calls ${PROJECT_SOURCE_DIR})
copytrial_rule(format format ${PROJECT_SOURCE_DIR})
copytrial_rule(headers headers ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER} -D_XOPEN_SOURCE=700 ${package_includes})
set(archives)
foreach(folder base sim replay report)
  if(TARGET ${folder})
    list(APPEND archives $<TARGET_FILE:${folder}>)
  endif()
endforeach()
copytrial_rule(symbols symbols ${CMAKE_NM} $<TARGET_FILE:copytrial> ${archives})
copytrial_rule(docs docs ${PROJECT_SOURCE_DIR} $<TARGET_FILE:copytrial>)
add_test(NAME rules/gallery
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/docs/claims.py $<TARGET_FILE:copytrial> --check)
copytrial_test_environment(rules/gallery rules)
