/* SPDX-License-Identifier: MIT */
#include "dedup/string_set_disk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "dedup/hash_index.h"
#include "format/protobuf_wire.h"
#include "io/temp_store.h"

#define PLACE_BITS 42 /* of where a string stands; 4 TB */
#define PLACES ((UINT64_C(1) << PLACE_BITS) - 1)

struct bt_string_set_disk {
	struct bt_temp_store *bytes; /* length as a varint, bytes */
	struct bt_hash_index *places;
	struct bt_buf one; /* the string at hand in this form */
	uint64_t hash;
};

struct bt_string_set_disk *bt_string_set_disk_new(size_t memory)
{
	struct bt_string_set_disk *s = bt_array0(1, sizeof(*s));

	s->bytes = bt_temp_store_new(memory / 2);
	s->places = bt_hash_index_new(memory / 2, PLACE_BITS);
	return s;
}

void bt_string_set_disk_free(struct bt_string_set_disk *s)
{
	if (s == NULL)
		return;
	bt_hash_index_free(s->places);
	bt_temp_store_free(s->bytes);
	bt_buf_clear(&s->one);
	free(s);
}

/* 1: the string at hand stands at the place. */
static int is_there(void *arg, uint64_t place, struct bt_error *err)
{
	struct bt_string_set_disk *s = arg;
	const void *data;
	int r;

	if (bt_temp_store_size(s->bytes) - place < s->one.len)
		return 0;
	r = bt_temp_store_get(s->bytes, place, s->one.len, false, &data, err);
	return r == BT_OK ? memcmp(data, s->one.data, s->one.len) == 0 : r;
}

int bt_string_set_disk_has(struct bt_string_set_disk *s, struct bt_span v,
                           struct bt_error *err)
{
	bt_buf_reset(&s->one);
	bt_pb_put_varint(&s->one, v.n);
	if (v.n > 0)
		bt_buf_put(&s->one, v.p, v.n);
	if (s->one.oom)
		return bt_error_nomem(err, "looking for duplicates");
	s->hash = bt_hash(v.p, v.n);
	return bt_hash_index_find(s->places, s->hash, is_there, s, err);
}

int bt_string_set_disk_add(struct bt_string_set_disk *s, struct bt_span v,
                           struct bt_error *err)
{
	uint64_t place = bt_temp_store_size(s->bytes);
	int r = bt_string_set_disk_has(s, v, err);

	if (r != 0)
		return r < 0 ? r : 0;
	if (place >= PLACES)
		return bt_error_set(err, BT_ELIMIT,
		                    "more than 4 TB of different values");
	r = bt_temp_store_put(s->bytes, s->one.data, s->one.len, err);
	if (r == BT_OK)
		r = bt_hash_index_add(s->places, s->hash, place, err);
	return r == BT_OK ? 1 : r;
}
