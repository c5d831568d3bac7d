/* SPDX-License-Identifier: MIT */
/* The list of a unit test's tests, and main where it has nothing to prepare. */
#include "test.h"

#define MOST 100

static struct CMUnitTest tests[MOST];
static size_t n;

void add_test(const char *name, CMUnitTestFunction function)
{
	if (n == MOST)
		abort();
	tests[n].name = name;
	tests[n++].test_func = function;
}

int run_listed(void)
{
	return _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
}

__attribute__((weak)) int main(void)
{
	return run_listed();
}
