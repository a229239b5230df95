foreach(name units yaml rng samples tally outfile)
  copytrial_test(test_${name} unit/test_${name}.c unit base)
endforeach()
