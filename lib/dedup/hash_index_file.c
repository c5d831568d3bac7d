/* SPDX-License-Identifier: MIT */
#include "dedup/hash_index_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/temp_store.h"

#define HIGH_BITS 22 /* of a number, that choose its bucket */
#define BLOCK 4096   /* slots read and written at once */

struct bt_hash_index_file {
	struct bt_temp_store *slots;
	uint64_t n;
	size_t per; /* buckets of a table */
	uint64_t
	    *start; /* [BT_HASH_INDEX_FILE_TABLES * per + 1] of each bucket */
};

/* Slots of the old run as they are wanted, one after the other. */
struct reader {
	struct bt_hash_index_file *run;
	uint64_t at, end; /* of the table at hand */
	uint64_t block[BLOCK];
	size_t n, i;
};

/* Slots of the new one. */
struct writer {
	struct bt_hash_index_file *run;
	size_t bucket; /* the first one whose start is not known */
	uint64_t block[BLOCK];
	size_t n;
};

struct merge {
	struct reader in;
	struct writer out;
};

static int run_new(uint64_t n, struct bt_hash_index_file **run,
                   struct bt_error *err)
{
	struct bt_hash_index_file *r = bt_array0(1, sizeof(*r));

	r->per = (size_t)(n / BT_HASH_INDEX_FILE_TABLES /
	                  BT_HASH_INDEX_FILE_BUCKET) +
	         1;
	r->slots = bt_temp_store_new(0);
	r->start =
	    bt_array(BT_HASH_INDEX_FILE_TABLES * r->per + 1, sizeof(*r->start));
	*run = r;
	return r->start != NULL ? BT_OK
	                        : bt_error_nomem(err, "looking for duplicates");
}

void bt_hash_index_file_free(struct bt_hash_index_file *r)
{
	if (r == NULL)
		return;
	bt_temp_store_free(r->slots);
	free(r->start);
	free(r);
}

static size_t bucket_of(const struct bt_hash_index_file *r, unsigned table,
                        uint64_t slot)
{
	return table * r->per +
	       (size_t)((slot >> (64 - HIGH_BITS)) * r->per >> HIGH_BITS);
}

/* 1: *slot is the next one of the table; 0: there is no other. */
static int peek(struct reader *in, uint64_t *slot, struct bt_error *err)
{
	const void *data;
	int r;

	if (in->i == in->n && in->at < in->end) {
		in->n = in->end - in->at < BLOCK ? (size_t)(in->end - in->at)
		                                 : BLOCK;
		in->i = 0;
		r = bt_temp_store_get(in->run->slots, in->at * sizeof(*slot),
		                      in->n * sizeof(*slot), false, &data, err);
		if (r != BT_OK)
			return r;
		memcpy(in->block, data, in->n * sizeof(*slot));
		in->at += in->n;
	}
	if (in->i == in->n)
		return 0;
	*slot = in->block[in->i];
	return 1;
}

static int flush(struct writer *out, struct bt_error *err)
{
	int r = bt_temp_store_put(out->run->slots, out->block,
	                          out->n * sizeof(out->block[0]), err);

	out->n = 0;
	return r;
}

static int put(struct writer *out, unsigned table, uint64_t slot,
               struct bt_error *err)
{
	size_t bucket = bucket_of(out->run, table, slot);

	while (out->bucket <= bucket)
		out->run->start[out->bucket++] = out->run->n;
	out->block[out->n++] = slot;
	out->run->n++;
	return out->n == BLOCK ? flush(out, err) : BT_OK;
}

/* One table's slots of the old run and the part, in order. */
static int merge_table(struct merge *m, unsigned table,
                       const struct bt_hash_index_file_part *part,
                       struct bt_error *err)
{
	struct bt_hash_index_file *old = m->in.run;
	uint64_t slot = 0;
	size_t i = 0;
	int r;

	if (old != NULL) {
		m->in.at = old->start[table * old->per];
		m->in.end = old->start[(table + 1) * old->per];
	}
	while ((r = peek(&m->in, &slot, err)) == 1) {
		if (i < part->n && part->slot[i] < slot) {
			r = put(&m->out, table, part->slot[i++], err);
		} else {
			r = put(&m->out, table, slot, err);
			m->in.i++;
		}
		if (r != BT_OK)
			return r;
	}
	for (; r == BT_OK && i < part->n; i++)
		r = put(&m->out, table, part->slot[i], err);
	return r;
}

int bt_hash_index_file_merge(
    struct bt_hash_index_file *old,
    const struct bt_hash_index_file_part part[BT_HASH_INDEX_FILE_TABLES],
    struct bt_hash_index_file **run, struct bt_error *err)
{
	struct merge *m = bt_array0(1, sizeof(*m));
	uint64_t n = old != NULL ? old->n : 0;
	unsigned t;
	int r;

	for (t = 0; t < BT_HASH_INDEX_FILE_TABLES; t++)
		n += part[t].n;
	m->in.run = old;
	r = run_new(n, &m->out.run, err);
	for (t = 0; t < BT_HASH_INDEX_FILE_TABLES && r == BT_OK; t++)
		r = merge_table(m, t, &part[t], err);
	if (r == BT_OK)
		r = flush(&m->out, err);
	if (r == BT_OK) {
		while (m->out.bucket <=
		       BT_HASH_INDEX_FILE_TABLES * m->out.run->per)
			m->out.run->start[m->out.bucket++] = n;
		*run = m->out.run;
	} else {
		bt_hash_index_file_free(m->out.run);
	}
	free(m);
	return r;
}

int bt_hash_index_file_find(struct bt_hash_index_file *run, unsigned table,
                            uint64_t number, const unsigned char **slots,
                            size_t *n, struct bt_error *err)
{
	size_t bucket = bucket_of(run, table, number);
	uint64_t at = run->start[bucket];
	const void *data = NULL;
	int r = BT_OK;

	*n = (size_t)(run->start[bucket + 1] - at);
	if (*n > 0)
		r = bt_temp_store_get(run->slots, at * sizeof(number),
		                      *n * sizeof(number), false, &data, err);
	*slots = data;
	return r;
}
