/* SPDX-License-Identifier: MIT */
#include "io/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

int bt_path_above(const char *path, struct bt_error *err)
{
	char *copy = bt_strndup(path, strlen(path)), *p = copy;
	int r = BT_OK;

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

int bt_path_could(const char *path, bool above, struct bt_error *err)
{
	bool more = true;
	char *at = bt_strndup(path, strlen(path));
	struct stat st;
	size_t n;
	int e = 0;

	while (more && stat(at, &st) != 0 && errno == ENOENT && *at != '\0' &&
	       strcmp(at, ".") != 0 && strcmp(at, "/") != 0) {
		/* without the last name; "." is left of a name alone */
		for (n = strlen(at); n > 1 && at[n - 1] == '/'; n--)
			;
		while (n > 0 && at[n - 1] != '/')
			n--;
		strcpy(at + n, n == 0 ? "." : "");
		more = above;
	}
	if (stat(at, &st) != 0)
		e = errno;
	else if (!S_ISDIR(st.st_mode))
		e = ENOTDIR;
	else if (access(at, W_OK | X_OK) != 0)
		e = errno;
	free(at);
	if (e == 0)
		return BT_OK;
	if (e == ENOTDIR && bt_path_there(path))
		return bt_error_set(err, BT_EIO, "'%s' is not a directory",
		                    path);
	return bt_error_sys(err, e, "cannot %s '%s'",
	                    bt_path_there(path) ? "write to" : "create", path);
}

char *bt_path_join(const char *dir, const char *name)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s%s%s", dir, bt_str_ends(dir, "/") ? "" : "/",
	              name);
	return bt_buf_detach(&b);
}

char *bt_path_quoted(const char *path)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "'%s'", path);
	return bt_buf_detach(&b);
}

char *bt_path_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct bt_buf b = BT_BUF_INIT;

	if (bt_path_is_dir(path))
		bt_buf_puts(&b, path);
	else if (slash == NULL)
		bt_buf_putc(&b, '.');
	else
		bt_buf_put(&b, path, (size_t)(slash - path) + (slash == path));
	return bt_buf_detach(&b);
}

const char *bt_path_ending(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash != NULL ? slash : path, '.');

	return dot != NULL ? dot + 1 : "";
}

bool bt_path_ends(const char *path, const char *const *ends, size_t n)
{
	static const char *const packed[] = {"", ".gz", ".zst", ".zstd",
	                                     ".zip"};
	size_t len = strlen(path), i, k, a, b;

	for (i = 0; i < n; i++)
		for (k = 0; k < sizeof(packed) / sizeof(packed[0]); k++) {
			a = strlen(ends[i]);
			b = strlen(packed[k]);
			if (len >= a + b &&
			    memcmp(path + len - a - b, ends[i], a) == 0 &&
			    strcmp(path + len - b, packed[k]) == 0)
				return true;
		}
	return false;
}

bool bt_path_is_tsv(const char *path)
{
	static const char *const ends[] = {".tsv", ".TSV"};

	return bt_path_ends(path, ends, 2);
}

bool bt_path_there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

int bt_path_entry(DIR *dir, const char *path, const struct dirent **e,
                  struct bt_error *err)
{
	errno = 0;
	*e = readdir(dir);
	return *e == NULL && errno != 0
	           ? bt_error_sys(err, errno, "cannot read '%s'", path)
	           : BT_OK;
}

int bt_path_refuse_pipe(const char *path, struct bt_error *err)
{
	struct stat st;

	if (strcmp(path, "-") != 0 &&
	    (stat(path, &st) != 0 || S_ISREG(st.st_mode) ||
	     S_ISDIR(st.st_mode)))
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "'%s' is not a file: it is read twice, so write it "
	                    "to a file first",
	                    path);
}

bool bt_path_is_inside(const char *path)
{
	return *path != '/' && strstr(path, "..") == NULL;
}

bool bt_path_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool bt_path_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool bt_path_same(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool bt_path_means_dir(const char *path)
{
	return bt_str_ends(path, "/") || bt_path_is_dir(path);
}
