/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "base/span.h"
#include "ckpt_format/tf_read_int.h"

static int by_key(const void *key, const void *part)
{
	const struct bt_tf_part *p = part;

	return bt_span_compare(*(const struct bt_span *)key,
	                       (struct bt_span){p->key, p->n});
}

/* Whether the newest part shares an element with another. */
static bool overlaps(const struct bt_tf_slices *w, int rank)
{
	const struct bt_tf_slice *a, *b = &w->slice[w->n - 1];
	size_t i;
	int d;

	for (i = 0; i + 1 < w->n; i++) {
		a = &w->slice[i];
		for (d = 0; d < rank; d++)
			if (b->start[d] >= a->start[d] + a->length[d] ||
			    a->start[d] >= b->start[d] + b->length[d])
				break;
		if (d == rank)
			return true;
	}
	return false;
}

/* The entry of a part, whose bytes must be as many as its elements need. */
static bool find_entry(const struct bt_tf_read *r, const struct bt_tensor *t,
                       struct bt_pb slice, int64_t *start, int64_t *length,
                       struct bt_tf_entry *e, size_t *count)
{
	struct bt_buf key = BT_BUF_INIT;
	const struct bt_tf_part *part = NULL;
	struct bt_span wanted;
	size_t bytes;

	if (r->n_parts > 0 && bt_tf_slice_key(slice, t->name, t->rank, t->shape,
	                                      &key, start, length)) {
		wanted = (struct bt_span){key.data, key.len};
		part = bsearch(&wanted, r->parts, r->n_parts, sizeof(*part),
		               by_key);
	}
	bt_buf_clear(&key);
	return part != NULL && bt_tf_entry_parse(part->value, e) &&
	       bt_tensor_size(t->dtype, t->rank, length, count, &bytes, NULL) ==
	           BT_OK &&
	       bytes == e->size;
}

static int take_part(struct bt_tf_read *r, struct bt_tf_slices *w,
                     struct bt_pb slice, struct bt_error *err)
{
	struct bt_tensor *t = &r->c->tensors[w->tensor];
	size_t rank = (size_t)t->rank, count;
	int64_t *start = w->numbers + 2 * w->n * rank;
	struct bt_tf_slice *s = &w->slice[w->n];
	const char *file;
	struct bt_tf_entry e;
	int code;

	if (!find_entry(r, t, slice, start, start + rank, &e, &count))
		return bt_tf_read_bad(r, t->name,
		                      "lacks a part, or it is damaged", err);
	s->start = start;
	s->length = start + rank;
	code = bt_tf_read_locate(r, t->name, &e, &s->data, &file, err);
	if (code != BT_OK)
		return code;
	if (s->data == NULL) {
		w->missing = true;
		t->file = file;
	} else if (e.has_crc && bt_crc32c_mask(bt_crc32c(
	                            0, s->data, (size_t)e.size)) != e.crc) {
		return bt_tf_read_bad(r, t->name, "does not match its checksum",
		                      err);
	}
	w->n++;
	if (!bt_size_add(w->count, count, &w->count) ||
	    (count > 0 && overlaps(w, t->rank)))
		return bt_tf_read_bad(r, t->name, "has parts that overlap",
		                      err);
	return BT_OK;
}

int bt_tf_slices_find(struct bt_tf_read *r, struct bt_tf_slices *w,
                      struct bt_error *err)
{
	const struct bt_tensor *t = &r->c->tensors[w->tensor];
	struct bt_pb in = w->message, slice;
	int code = BT_OK;

	/* both counts are bounded: MAX_PARTS, BT_TENSOR_MAX_RANK */
	w->numbers =
	    bt_array(2 * w->slices * (size_t)t->rank, sizeof(*w->numbers));
	w->slice = bt_array(w->slices, sizeof(*w->slice));
	if (w->numbers == NULL || w->slice == NULL)
		return bt_error_nomem(err, "reading an index");
	while (code == BT_OK && w->n < w->slices &&
	       bt_pb_next(&in, 7, &slice) > 0)
		code = take_part(r, w, slice, err);
	if (code == BT_OK && w->count != t->count)
		code = bt_tf_read_bad(
		    r, t->name, "has parts that do not make a whole", err);
	return code;
}

int bt_tf_slices_read(struct bt_tf_read *r, struct bt_tf_slices *w,
                      struct bt_error *err)
{
	struct bt_tensor *t = &r->c->tensors[w->tensor];
	uint8_t *to;
	size_t i;

	if (w->missing)
		return BT_OK;
	to = bt_ckpt_keep(r->c, t->bytes); /* as many as the parts have */
	if (to == NULL)
		return bt_error_nomem(err, "reading an index");
	for (i = 0; i < w->n; i++)
		bt_tf_slice_copy(to, w->slice[i].data,
		                 bt_dtype_bits(t->dtype) / 8, t->rank, t->shape,
		                 w->slice[i].start, w->slice[i].length);
	t->data = to;
	return BT_OK;
}

void bt_tf_slices_clear(struct bt_tf_slices *w)
{
	free(w->numbers);
	free(w->slice);
}
