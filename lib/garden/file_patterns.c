/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "garden/file_patterns.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "io/url.h"

void bt_file_patterns_clear(struct bt_file_patterns *p)
{
	int i;

	for (i = 0; i < p->n; i++)
		free(p->path[i]);
	free(p->path);
	memset(p, 0, sizeof(*p));
}

static int add(struct bt_file_patterns *p, size_t *cap, const char *path,
               struct bt_error *err)
{
	if (p->n == INT_MAX ||
	    bt_grow(&p->path, cap, (size_t)p->n + 1, sizeof(*p->path)) != BT_OK)
		return bt_error_nomem(err, "looking for files");
	p->path[p->n] = bt_strndup(path, strlen(path));
	if (p->path[p->n] == NULL)
		return bt_error_nomem(err, "looking for files");
	p->n++;
	return BT_OK;
}

static int find(const char *flag, const char *pattern,
                struct bt_file_patterns *p, size_t *cap, struct bt_error *err)
{
	int r = bt_url_refuse(pattern, BT_URL_IN, err), found;
	glob_t g;
	size_t i;

	if (r != BT_OK)
		return r;
	found = glob(pattern, 0, NULL, &g);
	if (found == GLOB_NOSPACE)
		return bt_error_nomem(err, "looking for files");
	if (found != 0)
		return bt_error_set(err, BT_EIO,
		                    "--%s: there is no file '%.300s'", flag,
		                    pattern);
	for (i = 0; i < g.gl_pathc && r == BT_OK; i++)
		r = add(p, cap, g.gl_pathv[i], err);
	globfree(&g);
	return r;
}

int bt_file_patterns_find(const char *flag, const char *patterns,
                          struct bt_file_patterns *p, struct bt_error *err)
{
	size_t cap = 0, n;
	int r = BT_OK;
	char *one;

	memset(p, 0, sizeof(*p));
	while (r == BT_OK && *patterns != '\0') {
		n = strcspn(patterns, ",");
		one = bt_strndup(patterns, n);
		r = one == NULL ? bt_error_nomem(err, "looking for files")
		                : BT_OK;
		if (r == BT_OK && n > 0)
			r = find(flag, one, p, &cap, err);
		free(one);
		patterns += n + (patterns[n] == ',');
	}
	if (r == BT_OK && p->n == 0)
		r = bt_error_set(err, BT_EARG, "--%s names no file", flag);
	if (r != BT_OK)
		bt_file_patterns_clear(p);
	return r;
}

int bt_file_patterns_make(const char *dir, struct bt_error *err)
{
	int r = bt_url_refuse(dir, BT_URL_DIR_OUT, err);
	char *path, *p;

	if (r != BT_OK)
		return r;
	path = bt_strndup(dir, strlen(dir));
	if (path == NULL)
		return bt_error_nomem(err, "making a directory");
	for (p = path; r == BT_OK && p != NULL && *p != '\0';) {
		p = strchr(p + 1, '/');
		if (p != NULL)
			*p = '\0';
		if (mkdir(path, 0777) != 0 && errno != EEXIST &&
		    errno != EISDIR && (p == NULL || errno != EROFS))
			r = bt_error_sys(err, errno, "cannot create '%s'",
			                 path);
		if (p != NULL)
			*p = '/';
	}
	free(path);
	return r;
}

int bt_file_patterns_hub(const char *hub, const char **init,
                         struct bt_error *err)
{
	struct stat s;

	if (hub == NULL || *hub == '\0')
		return BT_OK;
	if (stat(hub, &s) != 0 || !S_ISDIR(s.st_mode))
		return bt_error_set(err, BT_EARG,
		                    "--hub_module_url=%s: there is no such "
		                    "directory, and nothing is fetched: give "
		                    "that of a local copy, or the weights by "
		                    "--init_checkpoint",
		                    hub);
	if (*init != NULL)
		return bt_error_set(err, BT_EARG,
		                    "--hub_module_url=%s: --init_checkpoint is "
		                    "given, too",
		                    hub);
	*init = hub;
	return BT_OK;
}
