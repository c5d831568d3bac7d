/* SPDX-License-Identifier: MIT */
/* What every unit test includes: cmocka and a few assertions on top. */
#ifndef TEST_H
#define TEST_H

/* cmocka.h wants these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* The call succeeds; on failure its error text is printed. */
#define assert_ok(call)                                                        \
	do {                                                                   \
		if ((call) < 0)                                                \
			fail_msg("%s: %s", #call, err.text);                   \
	} while (0)

/* The call fails with that code and a text that contains the words. */
#define assert_err(call, wanted, words)                                        \
	do {                                                                   \
		err.code = 0;                                                  \
		assert_int_equal(call, wanted);                                \
		if (strstr(err.text, words) == NULL)                           \
			fail_msg("'%s' lacks '%s'", err.text, words);          \
		err.code = 0;                                                  \
	} while (0)

/* A test. Those of a file run in the order in which they stand there, and keep
 * no state between them. */
#define TEST(name)                                                             \
	static void name(void **state);                                        \
	__attribute__((constructor)) static void list_##name(void)             \
	{                                                                      \
		add_test(#name, name);                                         \
	}                                                                      \
	static void name(void **state __attribute__((unused)))

void add_test(const char *name, CMUnitTestFunction function);

/* The exit status. A file with something to prepare has a main, which ends with
 * this. */
int run_listed(void);

/* Whether another machine's processor is emulated (tests/one), some thirty
 * times slower: what does not depend on the processor is done in part there. */
static inline bool emulated(void)
{
	const char *kind = getenv("TEST_KIND");

	return kind != NULL && strcmp(kind, "emulation") == 0;
}

/* Whether a sanitizer or an emulator runs the test. */
static inline bool slow_build(void)
{
	const char *kind = getenv("TEST_KIND");

	return kind != NULL && *kind != '\0';
}

#endif
