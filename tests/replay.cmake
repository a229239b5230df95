copytrial_test(test_codec unit/test_codec.c unit replay)
copytrial_test(test_compression_vectors golden/test_compression_vectors.c golden replay)
copytrial_test(test_codecs property/test_codecs.c property replay)
