/* SPDX-License-Identifier: MIT */
/* What several processes can read. */
#include <string.h>
#include <sys/stat.h>

#include "dist/dist.h"

/* Whether a file gives what it has to one reader only. */
static bool is_spent(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode) ||
	        S_ISSOCK(st.st_mode));
}

int bt_dist_check_inputs(const struct bt_dist *d, char *const *paths, int n,
                         struct bt_error *err)
{
	int i = 0;

	if (d == NULL)
		return BT_OK;
	while (i < n && strcmp(paths[i], "-") != 0 && !is_spent(paths[i]))
		i++;
	if (n > 0 && i == n)
		return BT_OK;
	if (n > 0 && strcmp(paths[i], "-") != 0)
		return bt_error_set(err, BT_EARG,
		                    "each of several processes reads all "
		                    "records, and '%s' gives them to one: give "
		                    "files",
		                    paths[i]);
	return bt_error_set(err, BT_EARG,
	                    "each of several processes reads all records, and "
	                    "only one has the standard input: give files");
}
