/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "garden/file_patterns.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "io/path.h"
#include "io/url.h"

void bt_file_patterns_clear(struct bt_file_patterns *p)
{
	int i;

	for (i = 0; i < p->n; i++)
		free(p->path[i]);
	free(p->path);
	memset(p, 0, sizeof(*p));
}

/* Keys of a configuration, which have dots, are written as they are. */
static const char *dashes(const char *flag)
{
	return strchr(flag, '.') == NULL ? "--" : "";
}

static int find(const char *flag, const char *pattern,
                struct bt_file_patterns *p, size_t *cap, struct bt_error *err)
{
	int r = bt_url_refuse(pattern, BT_URL_IN, err), found;
	glob_t g;
	size_t i, n;

	if (r != BT_OK)
		return r;
	found = glob(pattern, 0, NULL, &g);
	if (found != 0 && found != GLOB_NOSPACE)
		return bt_error_set(err, BT_EIO,
		                    "%s%s: the file '%.300s' does not exist",
		                    dashes(flag), flag, pattern);
	n = found == 0 ? (size_t)p->n + g.gl_pathc : SIZE_MAX;
	if (n > INT_MAX || bt_grow(&p->path, cap, n, sizeof(*p->path)) != BT_OK)
		r = bt_error_nomem(err, "looking for files");
	for (i = 0; i < g.gl_pathc && r == BT_OK; i++)
		p->path[p->n++] =
		    bt_strndup(g.gl_pathv[i], strlen(g.gl_pathv[i]));
	if (found == 0)
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
		if (n > 0)
			r = find(flag, one, p, &cap, err);
		free(one);
		patterns += n + (patterns[n] == ',');
	}
	if (r == BT_OK && p->n == 0)
		r = bt_error_set(err, BT_EARG, "%s%s names no file",
		                 dashes(flag), flag);
	if (r != BT_OK)
		bt_file_patterns_clear(p);
	return r;
}

int bt_file_patterns_check(const char *flag, const char *patterns,
                           struct bt_error *err)
{
	struct bt_file_patterns p;
	int r = bt_file_patterns_find(flag, patterns, &p, err);

	bt_file_patterns_clear(&p);
	return r;
}

int bt_file_patterns_make(const char *dir, struct bt_error *err)
{
	int r = bt_url_refuse(dir, BT_URL_DIR_OUT, err);
	char *path, *p;

	if (r != BT_OK)
		return r;
	path = bt_strndup(dir, strlen(dir));
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
	if (hub == NULL || *hub == '\0')
		return BT_OK;
	if (!bt_path_is_dir(hub))
		return bt_error_set(err, BT_EARG,
		                    "--hub_module_url=%s: it is not a "
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
