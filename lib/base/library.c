/* SPDX-License-Identifier: MIT */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

int bt_library_load(const char *name, bool global,
                    const struct bt_symbol *symbols, size_t n, void *api,
                    struct bt_error *err)
{
	void *library =
	    dlopen(name, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
	void *p;
	size_t i;

	for (i = 0; i < n; i++) {
		p = library != NULL ? dlsym(library, symbols[i].name) : NULL;
		if (p == NULL)
			return bt_error_set(err, BT_EARG, "%s", dlerror());
		memcpy((char *)api + symbols[i].at, &p, sizeof(p));
	}
	return BT_OK;
}
