/* SPDX-License-Identifier: MIT */
/*
 * Reading TensorFlow's checkpoints: NAME.index says what there is, the data
 * are in NAME.data-0000I-of-0000N, of which those that are missing are missed
 * only when they are read. What is no tensor of numbers (texts, types that we
 * do not have) becomes a note.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "ckpt_format/readers.h"
#include "ckpt_format/tf_read_int.h"
#include "format/json.h"
#include "tensor/map.h"

#define MAX_SHARDS 99999
#define MAX_PARTS 4096 /* of a variable, which are compared in pairs */

static bool knows(const uint8_t *data, size_t size)
{
	return size >= BT_TF_TABLE_FOOTER &&
	       memcmp(data + size - 8, bt_tf_table_magic, 8) == 0;
}

struct header {
	uint64_t shards, endianness;
};

static const struct bt_pb_member header_members[] = {
    {1, BT_PB_VARINT, offsetof(struct header, shards), 0},
    {2, BT_PB_VARINT, offsetof(struct header, endianness), 0},
    {0}};

static int read_header(struct bt_tf_read *r, struct bt_pb in,
                       struct bt_error *err)
{
	struct header h = {0};

	/* a message in the place of the number of shards */
	if (in.p < in.end && *in.p == (1 << 3 | 2))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is a checkpoint of the first version "
		                    "(V1), which is not read: TensorFlow 1 "
		                    "saves it as V2 by "
		                    "tf.train.Saver().save()",
		                    r->f->path);
	if (!bt_pb_read(in, header_members, &h) || h.shards == 0 ||
	    h.shards > MAX_SHARDS)
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s': its header is not valid",
		                    r->f->path);
	if (h.endianness != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' was written by a big-endian machine, "
		                    "which is not read",
		                    r->f->path);
	r->shards = bt_array0((size_t)h.shards, sizeof(*r->shards));
	if (r->shards == NULL)
		return bt_error_nomem(err, "reading an index");
	r->n_shards = (size_t)h.shards;
	return BT_OK;
}

/*
 * The text of the graph: its length, a checksum of the length, the bytes. The
 * checksum of the entry is that of the length as four bytes (eight where it
 * needs them), the other checksum, and the bytes.
 */
static int read_graph(struct bt_tf_read *r, const struct bt_tf_entry *e,
                      const uint8_t *p, struct bt_error *err)
{
	struct bt_pb in = {p, p + e->size};
	uint32_t crc, length, said;
	uint64_t n;

	if (!bt_pb_varint(&in, &n) || n > UINT32_MAX || in.end - in.p < 4 ||
	    n != (uint64_t)(in.end - in.p) - 4)
		return bt_tf_read_bad(r, BT_TF_GRAPH, "is damaged", err);
	length = (uint32_t)n;
	memcpy(&said, in.p, sizeof(said));
	crc = bt_crc32c(0, &length, sizeof(length));
	if (bt_crc32c_mask(crc) != said)
		return bt_tf_read_bad(r, BT_TF_GRAPH,
		                      "does not match its checksum", err);
	crc = bt_crc32c(crc, in.p, (size_t)n + 4);
	if (e->has_crc && bt_crc32c_mask(crc) != e->crc)
		return bt_tf_read_bad(r, BT_TF_GRAPH,
		                      "does not match its checksum", err);
	r->c->graph = in.p + 4;
	r->c->graph_size = (size_t)n;
	return BT_OK;
}

/* Notes what is no tensor of ours, and keeps the graph. */
static int read_other(struct bt_tf_read *r, const char *name,
                      const struct bt_tf_entry *e, struct bt_error *err)
{
	const uint8_t *p;
	const char *file;
	char what[64];
	int code;

	if (e->n_slices > 0)
		return bt_tf_read_bad(
		    r, name, "is in parts of a type that is not read", err);
	code = bt_tf_read_locate(r, name, e, &p, &file, err);
	if (code == BT_OK && p != NULL && e->dtype == BT_TF_STRING &&
	    e->rank == 0 && strcmp(name, BT_TF_GRAPH) == 0)
		code = read_graph(r, e, p, err);
	if (code != BT_OK)
		return code;
	if (e->dtype == BT_TF_STRING)
		snprintf(what, sizeof(what), "text, %llu bytes",
		         (unsigned long long)e->size);
	else
		snprintf(
		    what, sizeof(what), "TensorFlow's type %llu, %llu bytes",
		    (unsigned long long)e->dtype, (unsigned long long)e->size);
	if ((strcmp(name, BT_TF_GRAPH) == 0
	         ? bt_ckpt_add_note(r->c, name, what)
	         : bt_ckpt_leave_out(r->c, name, what)) != BT_OK)
		return bt_error_nomem(err, "reading an index");
	return BT_OK;
}

static int add_whole(struct bt_tf_read *r, const struct bt_tf_entry *e,
                     struct bt_error *err)
{
	size_t n = (size_t)(e->whole.end - e->whole.p);
	uint8_t *message;

	if (e->n_slices > MAX_PARTS)
		return bt_error_set(err, BT_ELIMIT,
		                    "'%s': tensor '%.100s' is in %zu parts (at "
		                    "most %d)",
		                    r->f->path, r->c->tensors[r->c->n - 1].name,
		                    e->n_slices, MAX_PARTS);
	if (bt_grow(&r->wholes, &r->cap_wholes, r->n_wholes + 1,
	            sizeof(*r->wholes)) != BT_OK)
		return bt_error_nomem(err, "reading an index");
	message = bt_ckpt_keep(r->c, n);
	if (message == NULL)
		return bt_error_nomem(err, "reading an index");
	memcpy(message, e->whole.p, n);
	r->wholes[r->n_wholes++] =
	    (struct bt_tf_slices){.tensor = r->c->n - 1,
	                          .message = {message, message + n},
	                          .slices = e->n_slices};
	return BT_OK;
}

static int fill(struct bt_tf_read *r, struct bt_tensor *t,
                const struct bt_tf_entry *e, struct bt_error *err)
{
	size_t n = (size_t)e->rank * sizeof(*e->shape);
	int64_t *shape = bt_ckpt_keep(r->c, n);
	const uint8_t *p;
	int code;

	memcpy(shape, e->shape, n);
	t->rank = e->rank;
	t->shape = shape;
	code =
	    bt_tensor_size(t->dtype, t->rank, shape, &t->count, &t->bytes, err);
	if (code != BT_OK)
		return bt_error_prefix(err, "'%s': tensor '%.100s'", r->f->path,
		                       t->name);
	if (e->n_slices > 0) {
		t->file = r->f->path;
		return add_whole(r, e, err);
	}
	if (t->bytes != e->size)
		return bt_tf_read_bad(
		    r, t->name, "has a shape that does not fit its size", err);
	code = bt_tf_read_locate(r, t->name, e, &p, &t->file, err);
	t->data = p;
	t->has_crc = e->has_crc;
	t->crc = e->crc;
	return code;
}

static int read_tensor(struct bt_tf_read *r, const char *key, size_t n,
                       struct bt_pb value, struct bt_error *err)
{
	json_t *utf8 = json_stringn(key, n);
	bool good = utf8 != NULL && memchr(key, '\0', n) == NULL;
	struct bt_tf_entry e;
	struct bt_tensor *t;
	enum bt_dtype dtype;
	char *name;

	json_decref(utf8);
	if (!good)
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s': the name of a tensor is not UTF-8",
		                    r->f->path);
	name = bt_ckpt_keep(r->c, n + 1);
	memcpy(name, key, n);
	name[n] = '\0';
	if (!bt_tf_entry_parse(value, &e))
		return bt_tf_read_bad(r, name, "has an entry that is not valid",
		                      err);
	if (bt_tf_dtype(e.dtype, &dtype) != BT_OK)
		return read_other(r, name, &e, err);
	t = bt_ckpt_add(r->c);
	if (t == NULL)
		return bt_error_nomem(err, "reading an index");
	t->name = name;
	t->dtype = dtype;
	return fill(r, t, &e, err);
}

/* Keys of parts begin with a 0, which no name does. */
static int keep_part(struct bt_tf_read *r, const char *key, size_t n,
                     struct bt_pb value, struct bt_error *err)
{
	size_t size = (size_t)(value.end - value.p);
	uint8_t *copy = bt_ckpt_keep(r->c, n + size);

	if (copy == NULL || bt_grow(&r->parts, &r->cap_parts, r->n_parts + 1,
	                            sizeof(*r->parts)) != BT_OK)
		return bt_error_nomem(err, "reading an index");
	memcpy(copy, key, n);
	if (size > 0)
		memcpy(copy + n, value.p, size);
	r->parts[r->n_parts++] = (struct bt_tf_part){
	    (const char *)copy, n, {copy + n, copy + n + size}};
	return BT_OK;
}

static int entry(void *ctx, const char *key, size_t n, struct bt_pb value,
                 struct bt_error *err)
{
	struct bt_tf_read *r = ctx;

	if (n == 0)
		return read_header(r, value, err);
	if (r->n_shards == 0)
		return bt_error_set(err, BT_ECORRUPT, "'%s' has no header",
		                    r->f->path);
	if (key[0] == '\0')
		return keep_part(r, key, n, value, err);
	return read_tensor(r, key, n, value, err);
}

static int by_place(const void *a, const void *b)
{
	const struct bt_tf_location *p = a, *q = b;

	if (p->shard != q->shard)
		return p->shard < q->shard ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->end > q->end) - (p->end < q->end);
}

static int check_places(struct bt_tf_read *r, struct bt_error *err)
{
	const struct bt_tf_location *p,
	    *q = NULL; /* the last one of any size */
	size_t i;

	if (r->n_places > 1)
		qsort(r->places, r->n_places, sizeof(*r->places), by_place);
	for (i = 0; i < r->n_places; i++) {
		p = &r->places[i];
		if (p->begin == p->end)
			continue;
		if (q != NULL && q->shard == p->shard && p->begin < q->end)
			return bt_error_set(err, BT_ECORRUPT,
			                    "'%s': tensors '%.100s' and "
			                    "'%.100s' overlap",
			                    r->f->path, q->name, p->name);
		q = p;
	}
	return BT_OK;
}

static int read_bundle(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                       struct bt_error *err)
{
	struct bt_tf_read r = {.c = c, .f = f};
	struct bt_tf_table table = {.path = f->path,
	                            .data = f->data,
	                            .size = f->size,
	                            .entry = entry,
	                            .ctx = &r};
	const char *path;
	size_t i;
	int code = bt_tf_table_read(&table, err);

	if (code == BT_OK && r.n_shards == 0)
		code = bt_error_set(err, BT_ECORRUPT, "'%s' has no header",
		                    f->path);
	for (i = 0; code == BT_OK && i < r.n_wholes; i++)
		code = bt_tf_slices_find(&r, &r.wholes[i], err);
	if (code == BT_OK)
		code = check_places(&r, err);
	for (i = 0; code == BT_OK && i < r.n_wholes; i++)
		code = bt_tf_slices_read(&r, &r.wholes[i], err);
	if (code == BT_OK) { /* the index is not one that holds tensors */
		path = bt_ckpt_keep_str(c, f->path);
		for (i = 0; i < c->n; i++)
			if (c->tensors[i].file == f->path)
				c->tensors[i].file = path;
		bt_ckpt_drop_file(c, f);
	}
	free(r.shards);
	free(r.places);
	free(r.parts);
	for (i = 0; i < r.n_wholes; i++)
		bt_tf_slices_clear(&r.wholes[i]);
	free(r.wholes);
	return code;
}

const struct bt_ckpt_reader bt_tf_bundle_read = {
    .format = "tensorflow",
    .knows = knows,
    .read = read_bundle,
};
