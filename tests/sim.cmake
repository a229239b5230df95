copytrial_test(test_closed_forms model/test_closed_forms.c model sim)
