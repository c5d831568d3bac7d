/* SPDX-License-Identifier: MIT */
#include "hub/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/hub_cache.h"
#include "format/json.h"

#define MAX_NAME 1024
#define MAX_PART 255 /* as file systems have it */

/* Whether each part between slashes is the name of a file or folder. */
static bool is_below(const char *name)
{
	const char *p = name, *c;
	size_t n;

	if (strlen(name) > MAX_NAME)
		return false;
	for (c = name; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '\\')
			return false;
	for (;; p += n + 1) {
		n = strcspn(p, "/");
		if (n == 0 || n > MAX_PART || (n == 1 && p[0] == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		if (p[n] == '\0')
			return true;
	}
}

bool bt_hub_hash_take(const char *tag, char hash[BT_HUB_HASH])
{
	size_t n;

	if (bt_str_starts(tag, "W/"))
		tag += 2;
	if (*tag == '"')
		tag++;
	n = strspn(tag, "0123456789abcdef");
	if ((n != 40 && n != 64) ||
	    (tag[n] != '\0' && strcmp(tag + n, "\"") != 0))
		return false;
	memcpy(hash, tag, n);
	hash[n] = '\0';
	return true;
}

static int read_size(const json_t *o, struct bt_hub_file *f,
                     struct bt_error *err)
{
	int64_t size = -1;
	int r = bt_json_int(o, "size", 0, INT64_MAX, &size, err);

	if (r == BT_OK && size >= 0) {
		f->size = (uint64_t)size;
		f->sized = true;
	}
	return r;
}

/* The hash of a large file is that of its bytes, of others that of git. */
static int read_file(const json_t *o, struct bt_hub_file *f,
                     struct bt_error *err)
{
	const json_t *lfs = json_object_get(o, "lfs");
	const char *name = NULL, *hash = NULL;
	int r = bt_json_str(o, "rfilename", &name, err);

	if (r == BT_OK && name == NULL)
		r = bt_error_set(err, BT_EFORMAT, "a file has no name");
	if (r == BT_OK && !is_below(name))
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%.200s' is not the name of a file below the "
		                 "directory to write to",
		                 name);
	if (r == BT_OK)
		r = read_size(json_is_object(lfs) ? lfs : o, f, err);
	if (r == BT_OK)
		r = json_is_object(lfs) ? bt_json_str(lfs, "sha256", &hash, err)
		                        : bt_json_str(o, "blobId", &hash, err);
	if (r != BT_OK)
		return r;
	if (hash != NULL && !bt_hub_hash_take(hash, f->hash))
		return bt_error_set(err, BT_EFORMAT,
		                    "the hash of '%.200s' is '%.100s', which "
		                    "is neither SHA-256 nor SHA-1",
		                    name, hash);
	f->name = bt_strndup(name, strlen(name));
	return BT_OK;
}

static int read_all(const json_t *o, struct bt_hub_listing *l,
                    struct bt_error *err)
{
	const json_t *files = json_object_get(o, "siblings");
	const char *commit = NULL;
	size_t i, n = json_array_size(files);
	int r = bt_json_str(o, "sha", &commit, err);

	if (r != BT_OK)
		return r;
	if (commit == NULL || !bt_hub_is_commit(commit))
		return bt_error_set(err, BT_EFORMAT,
		                    "it names no commit in 'sha'");
	memcpy(l->commit, commit, sizeof(l->commit));
	l->file = bt_array0(n, sizeof(*l->file));
	if (l->file == NULL)
		return bt_error_nomem(err, "reading a listing");
	for (i = 0; i < n && r == BT_OK; i++) {
		r = read_file(json_array_get(files, i), &l->file[l->n], err);
		l->n += r == BT_OK;
	}
	return r;
}

int bt_hub_listing_read(const char *text, size_t len, struct bt_hub_listing *l,
                        struct bt_error *err)
{
	json_t *o = NULL;
	int r;

	memset(l, 0, sizeof(*l));
	r = bt_json_parse("the listing", text, len, false, &o, err);
	if (r != BT_OK)
		return r;
	r = read_all(o, l, err);
	json_decref(o);
	return r;
}

void bt_hub_listing_clear(struct bt_hub_listing *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->file[i].name);
	free(l->file);
	memset(l, 0, sizeof(*l));
}

struct bt_hub_file *bt_hub_listing_find(const struct bt_hub_listing *l,
                                        const char *dir, const char *name)
{
	size_t k = strlen(dir), i;
	const char *p;

	for (i = 0; i < l->n; i++) {
		p = l->file[i].name;
		if (k > 0 && (strncmp(p, dir, k) != 0 || p[k] != '/'))
			continue;
		if (strcmp(k > 0 ? p + k + 1 : p, name) == 0)
			return &l->file[i];
	}
	return NULL;
}
