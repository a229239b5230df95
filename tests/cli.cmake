# One test a case, under the label "cli": cases.txt is about the program itself, NAME.txt about the command of that name, once
# the program has it in its table.
file(READ ${PROJECT_SOURCE_DIR}/cli/main.c command_table)
file(GLOB case_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cli/*.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/main.c ${case_files})

foreach(case_file ${case_files})
  get_filename_component(command ${case_file} NAME_WE)
  if(NOT command STREQUAL "cases" AND NOT command_table MATCHES "{\"${command}\",")
    continue()
  endif()
  file(STRINGS ${case_file} cases REGEX "^[a-z0-9-]+ +\\| ")
  foreach(case ${cases})
    string(REGEX MATCH "^[a-z0-9-]+" name "${case}")
    add_test(NAME cli/${command}/${name}
        COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.py ${case_file} ${name})
    copytrial_test_environment(cli/${command}/${name} cli)
  endforeach()
endforeach()
