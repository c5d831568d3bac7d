/* SPDX-License-Identifier: MIT */
/* What tests on a plugin share: XLA's for CPUs, or the one that BT_TEST_DEVICE
 * names, where there is one to try. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "fixture.h"
#include "pjrt/pjrt.h"

static inline const char *plugin_name(void)
{
	const char *name = getenv("BT_TEST_DEVICE");

	return name != NULL ? name : "cpu";
}

static inline bool has_plugin(void)
{
	struct bt_pjrt_plugin *found = NULL;
	struct bt_error err = {0};
	size_t n = 0, i;
	bool has = false;

	assert_ok(bt_pjrt_plugins(&found, &n, &err));
	for (i = 0; i < n; i++)
		has |= strcmp(found[i].name, plugin_name()) == 0;
	bt_pjrt_plugins_free(found, n);
	if (!has)
		print_message("no plugin '%s' in BT_PJRT_PATH\n",
		              plugin_name());
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
