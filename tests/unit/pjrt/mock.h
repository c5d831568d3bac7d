/* SPDX-License-Identifier: MIT */
/* For tests of the PJRT client: the plugin that fails, lies, and counts
 * (tests/plugin/mock.c). */
#ifndef MOCK_H
#define MOCK_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "pjrt/pjrt.h"

/* What a program of it takes. */
static const struct bt_pjrt_arg args[] = {{{BT_PJRT_F32, 2, {2, 3}}, true},
                                          {{BT_PJRT_BF16, 0, {0}}, false}};

static struct bt_error err;
static char plugin[4096];
static long *alive, *wrong, *calls, *failed, *compiled;

/* Makes it a plugin like any other. */
static void forget(void)
{
	static const char *const names[] = {
	    "MOCK_MAJOR",  "MOCK_MINOR", "MOCK_GROWN",   "MOCK_STRICT",
	    "MOCK_FAIL",   "MOCK_LATE",  "MOCK_FAIL_FN", "MOCK_DEVICES",
	    "MOCK_LIE",    "MOCK_EXIT",  "MOCK_ALONE",   "MOCK_TABLE",
	    "MOCK_PARENT", "MOCK_DIES",  "MOCK_LIMIT",   "MOCK_PEAK",
	    "MOCK_ABORT",  "MOCK_FULL"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		unsetenv(names[i]);
	bt_error_clear(&err);
}

static void set(const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	setenv(name, text, 1);
}

static void all_is_freed(void)
{
	assert_int_equal(*alive, 0);
	assert_int_equal(*wrong, 0);
}

static long *count_of(void *mock, const char *name)
{
	void *p = dlsym(mock, name);

	if (p == NULL) {
		fprintf(stderr, "%s lacks %s\n", plugin, name);
		exit(1);
	}
	return p;
}

/* Comes first in main. */
static void load_mock(void)
{
	void *mock;

	snprintf(plugin, sizeof(plugin), "%s/plugin/mock.so", getenv("BUILD"));
	mock = dlopen(plugin, RTLD_NOW);
	if (mock == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	alive = count_of(mock, "mock_alive");
	wrong = count_of(mock, "mock_wrong");
	calls = count_of(mock, "mock_calls");
	failed = count_of(mock, "mock_failed");
	compiled = count_of(mock, "mock_compiled");
}

#endif
