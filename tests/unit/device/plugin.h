/* SPDX-License-Identifier: MIT */
/* What tests on XLA's plugin for CPUs share. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "fixture.h"
#include "pjrt/pjrt.h"

static inline bool has_plugin(void)
{
	struct bt_pjrt_plugin *found = NULL;
	struct bt_error err = {0};
	size_t n = 0, i;
	bool has = false;

	assert_ok(bt_pjrt_plugins(&found, &n, &err));
	for (i = 0; i < n; i++)
		has |= strcmp(found[i].name, "cpu") == 0;
	bt_pjrt_plugins_free(found, n);
	if (!has)
		print_message("no plugin for CPUs in BT_PJRT_PATH\n");
	return has;
}

static inline void open_named(struct fixture *f, const char *name, bool low)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/%s.safetensors",
	         getenv("TEST_TOP"), name);
	open_fixture(f, path, low);
}

#endif
