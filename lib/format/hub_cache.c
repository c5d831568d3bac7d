/* SPDX-License-Identifier: MIT */
#include "format/hub_cache.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/in.h"
#include "io/path.h"

#define MAX_NAME 96      /* of each part, as the hub has it */
#define MAX_REVISION 200 /* the name of a file, with room */

/* As the hub names users and models. */
static bool is_part(const char *s, size_t n)
{
	size_t i;

	if (n == 0 || n > MAX_NAME || s[0] == '-' || s[0] == '.' ||
	    s[n - 1] == '-' || s[n - 1] == '.')
		return false;
	for (i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) &&
		    strchr("-_.", s[i]) == NULL)
			return false;
	return true;
}

bool bt_hub_is_name(const char *name)
{
	const char *slash = strchr(name, '/');
	size_t n = slash != NULL ? (size_t)(slash - name) : 0;

	if (strstr(name, "--") != NULL || strstr(name, "..") != NULL ||
	    bt_str_ends(name, ".git"))
		return false;
	return slash == NULL
	           ? is_part(name, strlen(name))
	           : is_part(name, n) && is_part(slash + 1, strlen(slash + 1));
}

bool bt_hub_is_revision(const char *s)
{
	size_t n = strlen(s), i;

	if (n == 0 || n > MAX_REVISION || strstr(s, "..") != NULL ||
	    strstr(s, "//") != NULL || s[n - 1] == '/' || s[0] == '/' ||
	    s[0] == '-' || s[0] == '.' || strstr(s, "/.") != NULL)
		return false;
	for (i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) &&
		    strchr("-_./+", s[i]) == NULL)
			return false;
	return true;
}

bool bt_hub_is_commit(const char *s)
{
	return strlen(s) == 40 && strspn(s, "0123456789abcdef") == 40;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? value : NULL;
}

char *bt_hub_cache_root(void)
{
	static const struct {
		const char *variable, *below;
	} places[] = {
	    {"HF_HUB_CACHE", ""},
	    {"HUGGINGFACE_HUB_CACHE", ""}, /* its earlier name */
	    {"HF_HOME", "/hub"},
	    {"XDG_CACHE_HOME", "/huggingface/hub"},
	    {"HOME", "/.cache/huggingface/hub"},
	};
	struct bt_buf b = BT_BUF_INIT;
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		value = variable(places[i].variable);
		if (value == NULL)
			continue;
		bt_buf_printf(&b, "%s%s", value, places[i].below);
		return bt_buf_detach(&b);
	}
	return NULL;
}

char *bt_hub_cache_folder(const char *root, const char *name, bool dataset)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *p;

	bt_buf_printf(&b, "%s/%s--", root, dataset ? "datasets" : "models");
	for (p = name; *p != '\0'; p++)
		if (*p == '/')
			bt_buf_puts(&b, "--");
		else
			bt_buf_putc(&b, *p);
	return bt_buf_detach(&b);
}

/* The snapshot of the main revision in a model's folder, or NULL. */
static char *snapshot(const char *folder)
{
	char *ref = bt_path_join(folder, "refs/" BT_HUB_MAIN), *dir = NULL;
	struct bt_buf b = BT_BUF_INIT;
	char *commit = NULL;
	size_t n = 0;

	if (bt_path_is_file(ref) &&
	    bt_in_whole(ref, 100, &commit, &n, NULL) == BT_OK) {
		while (n > 0 && isspace((unsigned char)commit[n - 1]))
			commit[--n] = '\0';
		if (strlen(commit) == n && bt_hub_is_commit(commit)) {
			bt_buf_printf(&b, "%s/snapshots/%s", folder, commit);
			dir = bt_buf_detach(&b);
		}
	}
	if (dir != NULL && !bt_path_is_dir(dir)) {
		free(dir);
		dir = NULL;
	}
	free(commit);
	free(ref);
	return dir;
}

/* Keeps a string until the process ends. */
static const char *keep(char *path)
{
	static struct kept {
		struct kept *next;
		char *path;
	} * kept;
	struct kept *k = bt_array(1, sizeof(*k));

	k->next = kept;
	k->path = path;
	kept = k;
	return path;
}

const char *bt_hub_cache_find(const char *path)
{
	char *root, *folder, *dir;

	if (path == NULL || bt_path_there(path) || !bt_hub_is_name(path))
		return path;
	root = bt_hub_cache_root();
	if (root == NULL)
		return path;
	folder = bt_hub_cache_folder(root, path, false);
	dir = snapshot(folder);
	free(folder);
	free(root);
	return dir != NULL ? keep(dir) : path;
}

char *bt_hub_cache_name(const char *dir)
{
	const char *at = strstr(dir, "/models--"), *end, *slash;
	char *name;

	end = at != NULL ? strstr(at, "/snapshots/") : NULL;
	if (end == NULL)
		return NULL;
	at += strlen("/models--");
	slash = strstr(at, "--");
	name = bt_strndup(at, (size_t)(end - at));
	if (slash != NULL && slash < end) {
		name[slash - at] = '/';
		memmove(name + (slash - at) + 1, name + (slash - at) + 2,
		        strlen(name + (slash - at) + 2) + 1);
	}
	if (bt_hub_is_name(name))
		return name;
	free(name);
	return NULL;
}

int bt_hub_cache_hint(const char *path, int code, struct bt_error *err)
{
	return bt_hub_is_name(path) ? bt_error_hint(err, BT_HINT_FETCH, code)
	                            : code;
}
