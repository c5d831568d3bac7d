/* SPDX-License-Identifier: MIT */
#include "io/dirs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
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

char *bt_dirs_join(const char *dir, const char *name)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s/%s", dir, name);
	return bt_buf_detach(&b);
}

char *bt_dirs_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct bt_buf b = BT_BUF_INIT;

	if (bt_dirs_is_dir(path))
		bt_buf_puts(&b, path);
	else if (slash == NULL)
		bt_buf_putc(&b, '.');
	else
		bt_buf_put(&b, path, (size_t)(slash - path) + (slash == path));
	return bt_buf_detach(&b);
}

bool bt_dirs_there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

bool bt_dirs_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool bt_dirs_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
