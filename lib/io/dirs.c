/* SPDX-License-Identifier: MIT */
#include "io/dirs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int bt_dirs_above(const char *path, struct bt_error *err)
{
	char *copy = bt_strndup(path, strlen(path)), *p = copy;
	int r = BT_OK;

	if (copy == NULL)
		return bt_error_nomem(err, "making directories");
	while (r == BT_OK && *p != '\0' && (p = strchr(p + 1, '/')) != NULL) {
		*p = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST &&
		    access(copy, F_OK) != 0)
			r = bt_error_sys(err, errno, "cannot create '%s'",
			                 copy);
		*p = '/';
	}
	free(copy);
	return r;
}
