/* Runs a suite of Check. */
#ifndef NG_TESTS_RUN_SUITE_H
#define NG_TESTS_RUN_SUITE_H

#include <check.h>
#include <stdlib.h>

/* The exit status: whether all tests of the suite passed. The suite is freed. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
