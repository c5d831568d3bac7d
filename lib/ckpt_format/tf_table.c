/* SPDX-License-Identifier: MIT */
/*
 * Tables: blocks of entries, a block that says where the others are, a footer.
 * A block is entries (bytes shared with the key before, bytes of its own,
 * bytes of the value: varints; then those bytes), the places of entries that
 * share nothing, their number; behind it stand a type, 0 as it is or 1 Snappy,
 * and the masked CRC-32C of both.
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "base/span.h"
#include "ckpt_format/tf_bundle.h"
#include "format/snappy.h"

#define TRAILER 5
#define KEY_MAX 4096

/* All keys together are at most so many times as long as the file: what the
 * prefixes that they share may make of it. */
#define KEYS_GROWTH 64

const uint8_t bt_tf_table_magic[8] = {0x57, 0xfb, 0x80, 0x8b,
                                      0x24, 0x75, 0x47, 0xdb};

/* Where a block is, without its trailer. */
struct place {
	uint64_t offset, size;
};

struct block {
	const uint8_t *p;
	size_t n;
	uint8_t *own; /* free() it */
};

struct reading {
	const struct bt_tf_table *t;
	struct bt_buf key;   /* the last one of the entries */
	struct bt_buf limit; /* the last one of the block of blocks */
	size_t keys;         /* bytes of all */
	uint64_t end;        /* of the last block */
	bool any;            /* key is one */
};

/* What walks over a block. */
struct walk {
	struct reading *r;
	struct bt_buf *key;
	int (*entry)(struct reading *r, const struct bt_buf *key,
	             struct bt_pb value, struct bt_error *err);
	bool any;
};

static int damaged(const struct bt_tf_table *t, uint64_t at, const char *what,
                   struct bt_error *err)
{
	return bt_error_set(err, BT_ECORRUPT, "'%s': the block at byte %llu %s",
	                    t->path, (unsigned long long)at, what);
}

static bool parse_place(struct bt_pb *in, struct place *p)
{
	return bt_pb_varint(in, &p->offset) && bt_pb_varint(in, &p->size);
}

static int unpack(const struct bt_tf_table *t, const struct place *at,
                  const uint8_t *p, struct block *b, struct bt_error *err)
{
	size_t n;

	if (bt_snappy_length(p, (size_t)at->size, &n) != BT_OK)
		return damaged(t, at->offset, "is not Snappy", err);
	b->own = bt_array(n, 1);
	if (b->own == NULL)
		return bt_error_nomem(err, "reading an index");
	if (bt_snappy_decode(p, (size_t)at->size, b->own, n) != BT_OK) {
		free(b->own);
		return damaged(t, at->offset, "is damaged Snappy", err);
	}
	b->p = b->own;
	b->n = n;
	return BT_OK;
}

static int load(const struct bt_tf_table *t, const struct place *at,
                struct block *b, struct bt_error *err)
{
	uint64_t room = t->size - BT_TF_TABLE_FOOTER;
	const uint8_t *p;
	uint32_t crc;
	size_t n;

	if (room < TRAILER || at->offset > room - TRAILER ||
	    at->size > room - TRAILER - at->offset)
		return damaged(t, at->offset, "does not lie in the file", err);
	p = t->data + at->offset;
	n = (size_t)at->size;
	memcpy(&crc, p + n + 1, sizeof(crc));
	if (bt_crc32c_mask(bt_crc32c(0, p, n + 1)) != crc)
		return damaged(t, at->offset, "does not match its checksum",
		               err);
	if (p[n] == 1)
		return unpack(t, at, p, b, err);
	if (p[n] != 0)
		return damaged(t, at->offset, "is compressed in an unknown way",
		               err);
	b->own = NULL;
	b->p = p;
	b->n = n;
	return BT_OK;
}

/* Takes one entry off in. */
static int next(struct walk *w, struct bt_pb *in, bool first, uint64_t at,
                struct bt_error *err)
{
	const struct bt_tf_table *t = w->r->t;
	uint64_t shared, own, size;
	struct bt_pb value;
	struct bt_span rest;

	if (!bt_pb_varint(in, &shared) || !bt_pb_varint(in, &own) ||
	    !bt_pb_varint(in, &size) || shared > w->key->len ||
	    (first && shared != 0) || own > (size_t)(in->end - in->p) ||
	    size > (size_t)(in->end - in->p) - own)
		return damaged(t, at, "holds an entry that is not valid", err);
	if (shared + own > KEY_MAX ||
	    (w->r->keys += (size_t)(shared + own)) / KEYS_GROWTH > t->size)
		return bt_error_set(err, BT_ELIMIT,
		                    "'%s': the block at byte %llu holds a key "
		                    "that is too long",
		                    t->path, (unsigned long long)at);
	rest.p = bt_buf_at(w->key, (size_t)shared);
	rest.n = w->key->len - (size_t)shared;
	if (w->any &&
	    bt_span_compare((struct bt_span){(const char *)in->p, (size_t)own},
	                    rest) <= 0)
		return damaged(t, at, "holds keys out of order", err);
	w->any = true;
	w->key->len = (size_t)shared;
	bt_buf_put(w->key, in->p, (size_t)own);
	value.p = in->p + own;
	value.end = value.p + size;
	in->p = value.end;
	return w->entry(w->r, w->key, value, err);
}

static int walk(struct walk *w, const struct place *at, struct bt_error *err)
{
	struct block b = {NULL, 0, NULL};
	struct bt_pb in;
	uint32_t restarts = 0;
	bool first = true;
	int r = load(w->r->t, at, &b, err);

	if (r != BT_OK)
		return r;
	if (b.n >= 4)
		memcpy(&restarts, b.p + b.n - 4, sizeof(restarts));
	if (restarts == 0 || restarts > (b.n - 4) / 4)
		r = damaged(w->r->t, at->offset, "has no end", err);
	in.p = b.p;
	in.end = r == BT_OK ? b.p + (b.n - 4 - 4 * (size_t)restarts) : b.p;
	for (; r == BT_OK && in.p < in.end; first = false)
		r = next(w, &in, first, at->offset, err);
	free(b.own);
	return r;
}

static int give(struct reading *r, const struct bt_buf *key, struct bt_pb value,
                struct bt_error *err)
{
	return r->t->entry(r->t->ctx, bt_buf_at(key, 0), key->len, value, err);
}

/* An entry of the block of blocks. */
static int visit(struct reading *r, const struct bt_buf *key,
                 struct bt_pb value, struct bt_error *err)
{
	struct walk w = {r, &r->key, give, r->any};
	struct place at;
	int e;

	(void)key;
	if (!parse_place(&value, &at) || value.p != value.end ||
	    at.offset < r->end)
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s': its blocks do not follow each other",
		                    r->t->path);
	e = walk(&w, &at, err);
	r->end = at.offset + at.size;
	r->any = w.any;
	return e;
}

int bt_tf_table_read(const struct bt_tf_table *t, struct bt_error *err)
{
	struct reading r = {.t = t};
	struct walk w = {&r, &r.limit, visit, false};
	struct place meta, index;
	struct bt_pb in;
	int e;

	if (t->size < BT_TF_TABLE_FOOTER ||
	    memcmp(t->data + t->size - 8, bt_tf_table_magic, 8) != 0)
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s' does not end as the index of a "
		                    "TensorFlow checkpoint does",
		                    t->path);
	in.p = t->data + t->size - BT_TF_TABLE_FOOTER;
	in.end = t->data + t->size - 8;
	if (!parse_place(&in, &meta) || !parse_place(&in, &index))
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s': its footer is damaged", t->path);
	e = walk(&w, &index, err);
	bt_buf_clear(&r.key);
	bt_buf_clear(&r.limit);
	return e;
}
