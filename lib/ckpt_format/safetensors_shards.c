/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/safetensors.h"
#include "ckpt_format/writer.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"
#include "tensor/checkpoint_reader.h"

/* Some of the tensors of a source. */
struct part {
	const struct bt_tensor_source *s;
	const struct bt_tensor *const *which; /* NULL: all */
};

static int fill(void *ctx, size_t i, struct bt_out *out, struct bt_error *err)
{
	const struct part *p = ctx;
	size_t k = p->which != NULL ? (size_t)(p->which[i] - p->s->tensors) : i;

	return bt_tensor_source_put(p->s, k, out, NULL, err);
}

int bt_safetensors_write_tensors(const struct bt_tensor_source *s,
                                 const char *path,
                                 const struct bt_ckpt_note *notes,
                                 size_t n_notes, struct bt_error *err)
{
	struct part all = {s, NULL};
	struct bt_safetensors st = {.tensors = s->tensors,
	                            .count = s->count,
	                            .notes = notes,
	                            .n_notes = n_notes,
	                            .fill = fill,
	                            .ctx = &all,
	                            .behind = s->behind};

	return bt_safetensors_save(path, &st, err);
}

/* Shards being made. */
struct shards {
	const struct bt_tensor_source *s;
	const char *dir;
	const struct bt_ckpt_note *notes;
	size_t n_notes;
	const struct bt_tensor **order; /* natural, of their names */
	size_t *first; /* of each shard in order; behind the last, s->count */
	size_t n;
	struct bt_tensor *tensors; /* of one shard */
	json_t *map;
};

static int by_name(const void *a, const void *b)
{
	return bt_ckpt_compare((*(const struct bt_tensor *const *)a)->name,
	                       (*(const struct bt_tensor *const *)b)->name);
}

static void cut(struct shards *h, size_t most)
{
	size_t i, bytes = 0, size;

	h->n = 0;
	for (i = 0; i < h->s->count; i++) {
		size = h->order[i]->bytes;
		if (i == 0 || size > most || bytes > most - size) {
			h->first[h->n++] = i;
			bytes = 0;
		}
		bytes += size;
	}
	h->first[h->n] = h->s->count;
}

static int write_shard(struct shards *h, size_t k, struct bt_error *err)
{
	size_t first = h->first[k], n = h->first[k + 1] - first, i;
	struct part part = {h->s, h->order + first};
	struct bt_safetensors st = {.tensors = h->tensors,
	                            .count = n,
	                            .notes = h->notes,
	                            .n_notes = h->n_notes,
	                            .fill = fill,
	                            .ctx = &part,
	                            .behind = h->s->behind};
	char name[64], *path;
	int r;

	snprintf(name, sizeof(name), "model-%05zu-of-%05zu.safetensors", k + 1,
	         h->n);
	for (i = 0; i < n; i++) {
		h->tensors[i] = *h->order[first + i];
		json_object_set_new(h->map, h->tensors[i].name,
		                    json_string(name));
	}
	path = bt_path_join(h->dir, name);
	r = bt_safetensors_save(path, &st, err);
	free(path);
	return r;
}

static int write_index(struct shards *h, struct bt_error *err)
{
	char *path = bt_path_join(h->dir, BT_FILE_SHARDS);
	size_t i, total = 0;
	json_t *o;
	int r;

	for (i = 0; i < h->s->count; i++)
		total += h->s->tensors[i].bytes;
	o = json_pack("{s:{s:I},s:O}", "metadata", "total_size",
	              (json_int_t)total, "weight_map", h->map);
	r = bt_json_save(path, o, err);
	json_decref(o);
	free(path);
	return r;
}

int bt_safetensors_write_shards(const struct bt_tensor_source *s,
                                const char *dir, size_t most,
                                const struct bt_ckpt_note *notes,
                                size_t n_notes, struct bt_error *err)
{
	struct shards h = {.s = s,
	                   .dir = dir,
	                   .notes = notes,
	                   .n_notes = n_notes,
	                   .map = json_object()};
	/* names are the keys of the index, where two would become one */
	int r = bt_tensor_source_check_names(s, err);
	size_t i;

	h.order = bt_array(s->count, sizeof(*h.order));
	h.first = bt_array(s->count + 1, sizeof(*h.first));
	h.tensors = bt_array(s->count, sizeof(*h.tensors));
	if (!h.order || !h.first || !h.tensors)
		r = bt_error_nomem(err, "writing a checkpoint");
	if (r == BT_OK) {
		for (i = 0; i < s->count; i++)
			h.order[i] = &s->tensors[i];
		qsort(h.order, s->count, sizeof(*h.order), by_name);
		cut(&h, most);
	}
	for (i = 0; r == BT_OK && i < h.n; i++)
		r = write_shard(&h, i, err);
	if (r == BT_OK)
		r = write_index(&h, err);
	free(h.order);
	free(h.first);
	free(h.tensors);
	json_decref(h.map);
	return r;
}
