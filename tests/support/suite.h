/* Suites of Check. Their tests have no limit of time of their own: tests/meson.build sets one for the whole program. */
#ifndef NG_TESTS_SUITE_H
#define NG_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* A new test case of the suite, by which it is freed. */
static inline TCase *add_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 0);
    suite_add_tcase(suite, tests);
    return tests;
}

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
