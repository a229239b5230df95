foreach(name analysis cursor durations encode files frame match protocol smb1 smb2 tcp_measure timeline)
  copytrial_test(test_${name} unit/test_${name}.c unit replay PkgConfig::ZSTD ZLIB::ZLIB)
endforeach()
copytrial_test(test_pcap_writer unit/test_pcap_writer.c unit replay PkgConfig::PCAP)
copytrial_test(test_pcapng_files golden/test_pcapng_files.c golden replay PkgConfig::PCAP)
set_source_files_properties(unit/test_pcap_writer.c golden/test_pcapng_files.c PROPERTIES COMPILE_DEFINITIONS "_DEFAULT_SOURCE;_DARWIN_C_SOURCE;__BSD_VISIBLE=1")
foreach(name idmap nbss sim_capture stream)
  copytrial_test(test_${name} property/test_${name}.c property replay)
endforeach()
add_test(NAME golden/tshark_capture
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/golden/tshark_capture.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(golden/tshark_capture golden)
foreach(name captures smb_messages)
  copytrial_test(test_${name} golden/test_${name}.c golden replay PkgConfig::JANSSON)
endforeach()
copytrial_test(test_byte_source unit/test_byte_source.c unit replay PkgConfig::ZSTD ZLIB::ZLIB)
foreach(name frame_tunnels inputs intake pcapng payload_sample rate timing trace_change)
  copytrial_test(test_${name} unit/test_${name}.c unit replay)
endforeach()
copytrial_test(test_breakdown property/test_breakdown.c property replay)
copytrial_test(test_windows property/test_windows.c property replay)
# Without --only it compares all of the public captures, which takes tshark some minutes.
add_test(NAME golden/compare_tshark
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/compare_tshark.py --only traces
        --program $<TARGET_FILE:copytrial>)
copytrial_test_environment(golden/compare_tshark golden)
copytrial_test(test_self_replay model/test_self_replay.c model replay PkgConfig::JANSSON)
copytrial_test(test_closed_loop model/test_closed_loop.c model replay m)
copytrial_test(test_spread unit/test_spread.c unit replay m)
foreach(name codec smb2_compression smb2_encryption smb2_key_list transforms)
  copytrial_test(test_${name} unit/test_${name}.c unit replay)
endforeach()
copytrial_test(test_compression_vectors golden/test_compression_vectors.c golden replay)
copytrial_test(test_transformed_messages golden/test_transformed_messages.c golden replay)
copytrial_test(test_snap_length property/test_snap_length.c property replay ZLIB::ZLIB)
copytrial_test(test_rdc unit/test_rdc.c unit replay)
copytrial_test(test_rdc_versions property/test_rdc_versions.c property replay)
copytrial_test(test_codecs property/test_codecs.c property replay)
copytrial_test(test_findings unit/test_findings.c unit replay)
copytrial_test(test_usage unit/test_usage.c unit replay)
copytrial_test(test_answers property/test_answers.c property replay)
add_test(NAME model/waits
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/model/waits.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(model/waits model)
add_test(NAME model/threads
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/model/threads.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(model/threads model)
add_test(NAME model/sweep
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/model/sweep.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(model/sweep model)
add_test(NAME model/calibrate
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/model/calibrate.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(model/calibrate model)
# The long form, with a seed in which queues and random losses are hard to tell apart.
add_test(NAME model/closed_loop_long COMMAND test_closed_loop 200 2)
copytrial_test_environment(model/closed_loop_long model)
add_test(NAME model/bursts
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/model/bursts.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(model/bursts model)
add_test(NAME model/congestion
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/model/congestion.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(model/congestion model)
add_test(NAME model/simulated_capture
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/model/simulated_capture.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(model/simulated_capture model)
add_test(NAME model/as_client
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/model/as_client.py $<TARGET_FILE:copytrial>)
copytrial_test_environment(model/as_client model)
