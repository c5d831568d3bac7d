/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints of several files: an index says which tensor is in which shard.
 * That of Keras says it of groups, "/layers/dense/vars", as a name or a list.
 * An index comes from anywhere, so it may name files of its own directory only.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ckpt/open_int.h"
#include "format/json.h"
#include "io/path.h"
#include "tensor/map.h"

#define INDEX_MAX ((size_t)100 << 20)

static bool is_under(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

/*
 * Whether path, links resolved, stays in dir. The cache of the Hugging Face hub
 * is let through: there a model is a folder of links "snapshots/REVISION/NAME"
 * to "blobs/HASH" beside "snapshots".
 */
static bool stays(const char *path, const char *dir)
{
	char *real = realpath(path, NULL), *home = realpath(dir, NULL);
	bool ok = false;
	size_t n;

	if (real != NULL && home != NULL) {
		ok = is_under(real, home);
		n = (size_t)(strrchr(home, '/') - home);
		home[n] = '\0';
		if (!ok && n > 10 && strcmp(home + n - 10, "/snapshots") == 0) {
			memcpy(home + n - 10, "/blobs", 7);
			ok = is_under(real, home);
		}
	}
	free(real);
	free(home);
	return ok;
}

static int check_shard(const char *index, const char *dir, const char *name,
                       struct bt_error *err)
{
	const char *why = NULL;
	char *path;

	if (name[0] == '\0' || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0 || strchr(name, '/') != NULL)
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s' names the shard '%.100s', which is "
		                    "not a plain file name",
		                    index, name);
	path = bt_path_join(dir, name);
	if (access(path, F_OK) != 0)
		why = "which is missing";
	else if (!stays(path, dir))
		why = "a link that leads out of the directory";
	free(path);
	if (why == NULL)
		return BT_OK;
	return bt_error_set(err, BT_ECORRUPT,
	                    "'%s' names the shard '%.100s', %s", index, name,
	                    why);
}

/* The key of a tensor in the index: its name, or that of its group, made in b;
 * or NULL. */
static const char *key_of(const json_t *map, const char *name, struct bt_buf *b)
{
	const char *slash = strrchr(name, '/');

	if (json_object_get(map, name) != NULL)
		return name;
	if (slash == NULL)
		return NULL;
	bt_buf_reset(b);
	bt_buf_printf(b, "/%.*s", (int)(slash - name), name);
	name = bt_buf_str(b);
	return json_object_get(map, name) != NULL ? name : NULL;
}

/* Shard i that the index names for a key, or NULL. */
static const char *shard_of(const json_t *said, size_t i)
{
	if (json_is_array(said))
		return json_string_value(json_array_get(said, i));
	return i == 0 ? json_string_value(said) : NULL;
}

/* An entry of the index, a key and one of its shards, made in b. */
static const char *entry(struct bt_buf *b, const char *shard, const char *key)
{
	bt_buf_reset(b);
	bt_buf_printf(b, "%s/%s", shard, key);
	return bt_buf_str(b);
}

/* What a shard holds must be what the index says it holds. Adds to found the
 * entries of which there is a tensor. */
static int check_map(const struct bt_ckpt *c, size_t first, const char *index,
                     const char *shard, const json_t *map, json_t *found,
                     struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT, e = BT_BUF_INIT;
	const char *name, *key, *said = NULL;
	int r = BT_OK;
	size_t i, k;

	for (i = first; i < c->n && r == BT_OK; i++) {
		name = c->tensors[i].name;
		key = key_of(map, name, &b);
		for (k = 0; key != NULL; k++) {
			said = shard_of(json_object_get(map, key), k);
			if (said == NULL || strcmp(said, shard) == 0)
				break;
		}
		if (key == NULL)
			r = bt_error_set(err, BT_ECORRUPT,
			                 "'%s' does not list tensor '%.100s' "
			                 "of shard '%.100s'",
			                 index, name, shard);
		else if (said == NULL)
			r = bt_error_set(
			    err, BT_ECORRUPT,
			    "'%s' says that tensor '%.100s' is in '%.100s', "
			    "but it is in '%.100s'",
			    index, name, shard_of(json_object_get(map, key), 0),
			    shard);
		else
			json_object_set_new(found, entry(&e, shard, key),
			                    json_true());
	}
	bt_buf_clear(&b);
	bt_buf_clear(&e);
	return r;
}

static int read_shard(struct bt_ckpt *c, const char *index, const char *dir,
                      const char *shard, const json_t *map, json_t *found,
                      struct bt_error *err)
{
	const struct bt_ckpt_file *f;
	size_t first = c->n;
	char *path = bt_path_join(dir, shard);
	int r = bt_ckpt_map(c, path, &f, err);

	free(path);
	if (r == BT_OK)
		r = bt_ckpt_read_file(c, f, err);
	if (r == BT_OK)
		r = check_map(c, first, index, shard, map, found, err);
	return r;
}

static int by_string(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The shards of a weight_map, each once; free() the list. */
static int list_shards(const char *index, json_t *map, const char ***list,
                       size_t *n, struct bt_error *err)
{
	size_t i, k = 0, size = 0;
	const char **shards, *name;
	json_t *v;

	json_object_foreach(map, name, v) size +=
	    json_is_array(v) ? json_array_size(v) : 1;
	if (size == 0)
		return bt_error_set(
		    err, BT_ECORRUPT,
		    "'%s' is not an index of a checkpoint: it does not have "
		    "a 'weight_map' that lists a tensor",
		    index);
	shards = bt_array(size, sizeof(*shards));
	if (shards == NULL)
		return bt_error_nomem(err, "opening a checkpoint");
	json_object_foreach(map, name, v)
	{
		for (i = 0; shard_of(v, i) != NULL; i++)
			shards[k++] = shard_of(v, i);
		if (i == 0 || (json_is_array(v) && i < json_array_size(v))) {
			free(shards);
			return bt_error_set(err, BT_ECORRUPT,
			                    "'%s' does not name a shard for "
			                    "tensor '%.100s'",
			                    index, name);
		}
	}
	qsort(shards, size, sizeof(*shards), by_string);
	for (i = k = 1; i < size; i++)
		if (strcmp(shards[i], shards[k - 1]) != 0)
			shards[k++] = shards[i];
	*list = shards;
	*n = k;
	return BT_OK;
}

/* Each entry of the map must have been found. */
static int check_all_there(const char *index, json_t *map, const json_t *found,
                           struct bt_error *err)
{
	const char *name, *shard, *lost = NULL, *from = NULL;
	struct bt_buf b = BT_BUF_INIT;
	size_t i, n = 0, missing = 0;
	json_t *v;

	json_object_foreach(map, name, v)
	{
		for (i = 0; (shard = shard_of(v, i)) != NULL; i++, n++) {
			if (json_object_get(found, entry(&b, shard, name)))
				continue;
			if (missing++ == 0) {
				lost = name;
				from = shard;
			}
		}
	}
	bt_buf_clear(&b);
	if (missing == 0)
		return BT_OK;
	return bt_error_set(err, BT_ECORRUPT,
	                    "'%s' says that tensor '%.100s' is in '%.100s', "
	                    "which does not hold it (%zu of %zu tensors are "
	                    "missing)",
	                    index, lost, from, missing, n);
}

static int read_map(struct bt_ckpt *c, const char *index, json_t *map,
                    struct bt_error *err)
{
	char *dir = bt_path_of(index);
	json_t *found = json_object();
	const char **shards = NULL;
	size_t i, n = 0;
	int r = list_shards(index, map, &shards, &n, err);

	for (i = 0; i < n && r == BT_OK; i++)
		r = check_shard(index, dir, shards[i], err);
	for (i = 0; i < n && r == BT_OK; i++)
		r = read_shard(c, index, dir, shards[i], map, found, err);
	if (r == BT_OK)
		r = check_all_there(index, map, found, err);
	json_decref(found);
	free(shards);
	free(dir);
	return r;
}

int bt_ckpt_read_index(struct bt_ckpt *c, const struct bt_ckpt_file *index,
                       struct bt_error *err)
{
	struct bt_error why = {0};
	json_t *object;
	int r;

	if (index->size > INDEX_MAX)
		return bt_error_set(
		    err, BT_ELIMIT,
		    "'%s' is not a checkpoint, and too long for "
		    "an index of one: %zu bytes",
		    index->path, index->size);
	r = bt_json_parse("it", (const char *)index->data, index->size, true,
	                  &object, &why);
	if (r != BT_OK)
		return bt_error_set(
		    err, BT_ECORRUPT,
		    "'%s' is neither a checkpoint nor an index of "
		    "one: %s",
		    index->path, why.text);
	r = read_map(c, index->path, json_object_get(object, "weight_map"),
	             err);
	json_decref(object);
	if (r == BT_OK)
		bt_ckpt_drop_file(c, index);
	return r;
}
