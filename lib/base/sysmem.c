/* SPDX-License-Identifier: MIT */
/* How much memory is left: what the kernel says of the machine, and what the
 * limits of this process and its control groups, version 1 or 2, let it have.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/sys.h"

/* The number behind a key at the beginning of a line of the file, or with key
 * "" the file's first number. False where there is none, as for "max". */
static bool number_in(const char *path, const char *key, uint64_t *out)
{
	FILE *f = fopen(path, "r");
	char line[256];
	size_t n = strlen(key);
	bool found = false;

	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, n) == 0)
			found = sscanf(line + n, "%" SCNu64, out) == 1;
	if (f != NULL)
		fclose(f);
	return found;
}

/* Files of the memory controller of a version. */
struct names {
	const char *mount, *limit, *usage, *cache;
};

static const struct names versions[] = {
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "},
    {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
};

static bool read_number(const char *dir, const char *file, const char *key,
                        uint64_t *out)
{
	struct bt_buf b = BT_BUF_INIT;
	bool found;

	bt_buf_printf(&b, "%s/%s", dir, file);
	found = bt_buf_str(&b) != NULL && number_in(bt_buf_str(&b), key, out);
	bt_buf_clear(&b);
	return found;
}

/* Lowers *left to what a group leaves. File pages not used of late count as
 * usage, but the kernel drops them before it refuses. */
static void look_at_group(const char *dir, const struct names *v,
                          uint64_t *left)
{
	uint64_t limit, usage, cache = 0;

	if (!read_number(dir, v->limit, "", &limit) ||
	    !read_number(dir, v->usage, "", &usage))
		return;
	if (read_number(dir, "memory.stat", v->cache, &cache))
		usage -= cache < usage ? cache : usage;
	limit -= usage < limit ? usage : limit;
	if (limit < *left)
		*left = limit;
}

/* A group and all groups above it. In a container the path may be one of the
 * host; then the mount itself is our group. */
static void look_at_groups(const char *root, const struct names *v,
                           const char *path, uint64_t *left)
{
	struct bt_buf b = BT_BUF_INIT;
	char *dir, *end;
	size_t mount;

	bt_buf_printf(&b, "%s%s", root, v->mount);
	mount = b.len;
	bt_buf_puts(&b, path);
	dir = bt_buf_detach(&b);
	if (dir == NULL)
		return;
	end = dir + strlen(dir);
	for (;;) {
		while (end > dir + mount && end[-1] == '/')
			end--;
		*end = '\0';
		look_at_group(dir, v, left);
		if (end == dir + mount)
			break;
		while (end > dir + mount && end[-1] != '/')
			end--;
	}
	free(dir);
}

/* Lines are "4:memory:/a/b" (version 1) and "0::/a/b" (version 2). */
static void look_at_line(const char *root, char *line, uint64_t *left)
{
	char *kind = strchr(line, ':'), *path;

	line[strcspn(line, "\n")] = '\0';
	path = kind != NULL ? strchr(kind + 1, ':') : NULL;
	if (path == NULL)
		return;
	*path++ = '\0';
	kind++;
	if (strcmp(kind, "memory") == 0)
		look_at_groups(root, &versions[0], path, left);
	else if (*kind == '\0')
		look_at_groups(root, &versions[1], path, left);
}

/* What ulimit -v leaves of addresses. */
static void look_at_limit(const char *proc, uint64_t *left)
{
	uint64_t pages = 0, held, most;
	long page = sysconf(_SC_PAGESIZE);
	struct rlimit l;

	if (getrlimit(RLIMIT_AS, &l) != 0 || l.rlim_cur == RLIM_INFINITY)
		return;
	most = (uint64_t)l.rlim_cur;
	(void)read_number(proc, "self/statm", "", &pages);
	held = page > 0 ? pages * (uint64_t)page : 0;
	most -= held < most ? held : most;
	if (most < *left)
		*left = most;
}

uint64_t bt_available_memory(const char *root)
{
	struct bt_buf b = BT_BUF_INIT;
	uint64_t left = UINT64_MAX;
	char line[4200];
	FILE *f = NULL;

	bt_buf_printf(&b, "%s/proc", root);
	if (bt_buf_str(&b) == NULL)
		return left;
	if (read_number(bt_buf_str(&b), "meminfo", "MemAvailable:", &left))
		left = left < UINT64_MAX / 1024 ? left * 1024 : left;
	look_at_limit(bt_buf_str(&b), &left);
	bt_buf_puts(&b, "/self/cgroup");
	if (bt_buf_str(&b) != NULL)
		f = fopen(bt_buf_str(&b), "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		look_at_line(root, line, &left);
	if (f != NULL)
		fclose(f);
	bt_buf_clear(&b);
	return left;
}
