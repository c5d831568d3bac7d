/* SPDX-License-Identifier: MIT */
/*
 * In order, each payload has its length before it. In any order the lengths are
 * kept apart as varints, and for each STEP-th payload where it and its length
 * stand.
 */
#include "dedup/record_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "format/protobuf_wire.h"
#include "io/temp_store.h"

#define STEP 32

struct mark {
	uint64_t payload; /* of number STEP * i */
	uint64_t length;  /* in lengths */
};

struct bt_record_store {
	bool in_order;
	struct bt_temp_store *bytes;
	size_t n;
	uint64_t next;  /* in order: where the payload to be read stands */
	size_t next_no; /* its number */
	struct bt_buf lengths;
	struct mark *marks;
	size_t marks_cap;
};

struct bt_record_store *bt_record_store_new(size_t limit, bool in_order)
{
	struct bt_record_store *s = bt_array0(1, sizeof(*s));

	s->in_order = in_order;
	s->bytes = bt_temp_store_new(limit);
	return s;
}

void bt_record_store_free(struct bt_record_store *s)
{
	if (s == NULL)
		return;
	bt_temp_store_free(s->bytes);
	bt_buf_clear(&s->lengths);
	free(s->marks);
	free(s);
}

/* Remembers where the next payload, of len bytes, will stand. */
static int note(struct bt_record_store *s, size_t len)
{
	size_t k = s->n / STEP;

	if (s->n % STEP == 0) {
		if (bt_grow(&s->marks, &s->marks_cap, k + 1,
		            sizeof(*s->marks)) != BT_OK)
			return BT_ENOMEM;
		s->marks[k].payload = bt_temp_store_size(s->bytes);
		s->marks[k].length = s->lengths.len;
	}
	bt_pb_put_varint(&s->lengths, len);
	return s->lengths.oom ? BT_ENOMEM : BT_OK;
}

int bt_record_store_put(struct bt_record_store *s, const void *data, size_t len,
                        struct bt_error *err)
{
	uint64_t head = len;
	int r = BT_OK;

	if (s->in_order)
		r = bt_temp_store_put(s->bytes, &head, sizeof(head), err);
	else if (note(s, len) != BT_OK)
		r = bt_error_nomem(err, "keeping records");
	if (r == BT_OK)
		r = bt_temp_store_put(s->bytes, data, len, err);
	s->n += r == BT_OK;
	return r;
}

size_t bt_record_store_count(const struct bt_record_store *s)
{
	return s->n;
}

static int get_next(struct bt_record_store *s, size_t i, const void **data,
                    size_t *len, struct bt_error *err)
{
	const void *p;
	uint64_t n;
	int r;

	if (i == 0)
		s->next = s->next_no = 0;
	assert(i == s->next_no);
	r = bt_temp_store_get(s->bytes, s->next, sizeof(n), true, &p, err);
	if (r != BT_OK)
		return r;
	memcpy(&n, p, sizeof(n));
	r = bt_temp_store_get(s->bytes, s->next + sizeof(n), (size_t)n, true,
	                      data, err);
	if (r != BT_OK)
		return r;
	*len = (size_t)n;
	s->next += sizeof(n) + n;
	s->next_no++;
	return BT_OK;
}

int bt_record_store_get(struct bt_record_store *s, size_t i, const void **data,
                        size_t *len, struct bt_error *err)
{
	struct bt_pb at;
	uint64_t start, n = 0;
	size_t k;

	if (s->in_order)
		return get_next(s, i, data, len, err);
	start = s->marks[i / STEP].payload;
	at.p = (const uint8_t *)s->lengths.data + s->marks[i / STEP].length;
	at.end = (const uint8_t *)s->lengths.data + s->lengths.len;
	for (k = 0; k <= i % STEP; k++) {
		start += n;
		if (!bt_pb_varint(&at, &n)) /* ours, and whole */
			assert(0);
	}
	*len = (size_t)n;
	return bt_temp_store_get(s->bytes, start, (size_t)n, false, data, err);
}
