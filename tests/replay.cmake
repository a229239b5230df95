foreach(name analysis cursor durations frame match smb1 smb2 tcp_measure)
  copytrial_test(test_${name} unit/test_${name}.c unit replay ZLIB::ZLIB)
endforeach()
foreach(name idmap nbss sim_capture stream)
  copytrial_test(test_${name} property/test_${name}.c property replay)
endforeach()
add_test(NAME golden/tshark_capture
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/golden/tshark_capture.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(golden/tshark_capture golden)
foreach(name captures smb_messages)
  copytrial_test(test_${name} golden/test_${name}.c golden replay PkgConfig::JANSSON)
endforeach()
foreach(name rate timing)
  copytrial_test(test_${name} unit/test_${name}.c unit replay)
endforeach()
copytrial_test(test_breakdown property/test_breakdown.c property replay)
# Without --only it compares all of the public captures, which takes tshark some minutes.
add_test(NAME golden/compare_tshark
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/compare_tshark.py --only traces
        --program $<TARGET_FILE:copytrial>)
copytrial_test_environment(golden/compare_tshark golden)
copytrial_test(test_self_replay model/test_self_replay.c model replay PkgConfig::JANSSON)
