# Compiles the profiles under examples/ into the program, so that it needs no data folder.
# profiles_resource(OUTPUT_C): the generated source, to be added to a target.
function(profiles_resource output)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/examples
      ${PROJECT_SOURCE_DIR}/examples/networks/*.yaml
      ${PROJECT_SOURCE_DIR}/examples/clients/*.yaml
      ${PROJECT_SOURCE_DIR}/examples/servers/*.yaml)
  find_program(GLIB_COMPILE_RESOURCES glib-compile-resources REQUIRED)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/profiles.gresource.xml)
  set(text "<gresources><gresource prefix=\"/copytrial\">")
  set(depends)
  foreach(file ${files})
    string(APPEND text "<file>${file}</file>")
    list(APPEND depends ${PROJECT_SOURCE_DIR}/examples/${file})
  endforeach()
  string(APPEND text "</gresource></gresources>\n")
  file(CONFIGURE OUTPUT ${list} CONTENT "${text}" @ONLY)
  add_custom_command(OUTPUT ${output}
      COMMAND ${GLIB_COMPILE_RESOURCES} --generate-source --internal --c-name profiles
              --sourcedir=${PROJECT_SOURCE_DIR}/examples --target=${output} ${list}
      DEPENDS ${list} ${depends} VERBATIM)
  # Generated code is not held to our warnings.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS "-w")
endfunction()
