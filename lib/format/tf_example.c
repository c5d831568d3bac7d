/* SPDX-License-Identifier: MIT */
#include "format/tf_example.h"

#include <string.h>

static int bad(struct bt_error *err)
{
	return bt_error_set(err, BT_ECORRUPT, "is not a tf.Example");
}

void bt_example_open(struct bt_example *x, const void *data, size_t len)
{
	x->rest.p = data;
	x->rest.end = x->rest.p + len;
	x->features.p = x->features.end = x->rest.p;
}

/* Reads a Feature: the last list in it counts, as in any protobuf oneof. */
static bool read_feature(struct bt_pb in, struct bt_feature *f)
{
	uint32_t field;
	int type;

	f->kind = BT_FEATURE_NONE;
	f->list.p = f->list.end = in.p;
	while (in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return false;
		if (field > 3 || type != BT_PB_LEN) {
			if (!bt_pb_skip(&in, type))
				return false;
			continue;
		}
		if (!bt_pb_bytes(&in, &f->list))
			return false;
		f->kind = (enum bt_feature_kind)field;
	}
	return true;
}

static bool read_entry(struct bt_pb in, struct bt_feature *f)
{
	struct bt_pb value = {in.p, in.p}, bytes;
	uint32_t field;
	int type;

	f->name = "";
	f->name_len = 0;
	while (in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return false;
		if (type != BT_PB_LEN) {
			if (!bt_pb_skip(&in, type))
				return false;
			continue;
		}
		if (!bt_pb_bytes(&in, &bytes))
			return false;
		if (field == 1) {
			f->name = (const char *)bytes.p;
			f->name_len = (size_t)(bytes.end - bytes.p);
		} else if (field == 2) {
			value = bytes;
		}
	}
	return read_feature(value, f);
}

/* The next features: 1, 0 at the end. Those of a SequenceExample's context
 * would be taken for all that it holds. */
static int next_features(struct bt_example *x, struct bt_error *err)
{
	struct bt_pb bytes;
	uint32_t field;
	int type;

	while (x->rest.p < x->rest.end) {
		if (!bt_pb_tag(&x->rest, &field, &type))
			return bad(err);
		if (type != BT_PB_LEN) {
			if (!bt_pb_skip(&x->rest, type))
				return bad(err);
			continue;
		}
		if (!bt_pb_bytes(&x->rest, &bytes))
			return bad(err);
		if (field == 2)
			return bt_error_set(err, BT_EFORMAT,
			                    "is a tf.SequenceExample, expected "
			                    "a tf.Example");
		if (field == 1) {
			x->features = bytes;
			return 1;
		}
	}
	return 0;
}

int bt_example_next(struct bt_example *x, struct bt_feature *f,
                    struct bt_error *err)
{
	struct bt_pb entry;
	int r;

	for (;;) {
		r = bt_pb_next(&x->features, 1, &entry);
		if (r < 0)
			return bad(err);
		if (r > 0)
			return read_entry(entry, f) ? 1 : bad(err);
		r = next_features(x, err);
		if (r != 1)
			return r;
	}
}

bool bt_feature_is(const struct bt_feature *f, const char *name)
{
	return strlen(name) == f->name_len &&
	       memcmp(f->name, name, f->name_len) == 0;
}

static int wrong(const struct bt_feature *f, const char *expected,
                 struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT, "feature '%.*s' is not %s",
	                    (int)f->name_len, f->name, expected);
}

int bt_feature_text(const struct bt_feature *f, const char **s, size_t *len,
                    struct bt_error *err)
{
	struct bt_pb in = f->list, one, extra;

	if (f->kind != BT_FEATURE_BYTES || bt_pb_next(&in, 1, &one) != 1 ||
	    bt_pb_next(&in, 1, &extra) != 0)
		return wrong(f, "one byte string", err);
	*s = (const char *)one.p;
	*len = (size_t)(one.end - one.p);
	return BT_OK;
}

int bt_feature_next_text(const struct bt_feature *f, struct bt_pb *at,
                         const char **s, size_t *len, struct bt_error *err)
{
	struct bt_pb one;
	int r = f->kind == BT_FEATURE_BYTES ? bt_pb_next(at, 1, &one) : -1;

	if (r < 0)
		return wrong(f, "a list of byte strings", err);
	if (r > 0) {
		*s = (const char *)one.p;
		*len = (size_t)(one.end - one.p);
	}
	return r;
}

/* The next values of a list, packed or one by itself: 1; 0 at the end; -1. */
static int next_values(struct bt_pb *in, int single, struct bt_pb *values)
{
	uint32_t field;
	int type;

	while (in->p < in->end) {
		if (!bt_pb_tag(in, &field, &type))
			return -1;
		if (field == 1 && type == BT_PB_LEN)
			return bt_pb_bytes(in, values) ? 1 : -1;
		values->p = in->p;
		if (!bt_pb_skip(in, type))
			return -1;
		values->end = in->p;
		if (field == 1 && type == single)
			return 1;
	}
	return 0;
}

int bt_feature_int64s(const struct bt_feature *f, int64_t *out, size_t max,
                      size_t *n, struct bt_error *err)
{
	struct bt_pb in = f->list, values;
	int r = f->kind == BT_FEATURE_INT64 ? 1 : -1;
	uint64_t v;
	size_t k = 0;

	while (r > 0 && (r = next_values(&in, BT_PB_VARINT, &values)) > 0)
		for (; values.p < values.end; k++) {
			if (!bt_pb_varint(&values, &v))
				return wrong(f, "a list of int64", err);
			if (k < max)
				out[k] = (int64_t)v;
		}
	if (r < 0)
		return wrong(f, "a list of int64", err);
	*n = k;
	return BT_OK;
}

int bt_feature_floats(const struct bt_feature *f, float *out, size_t max,
                      size_t *n, struct bt_error *err)
{
	struct bt_pb in = f->list, values;
	int r = f->kind == BT_FEATURE_FLOAT ? 1 : -1;
	size_t k = 0;

	while (r > 0 && (r = next_values(&in, BT_PB_I32, &values)) > 0) {
		if ((values.end - values.p) % 4 != 0)
			return wrong(f, "a list of floats", err);
		for (; values.p < values.end; values.p += 4, k++)
			if (k < max)
				memcpy(&out[k], values.p, 4);
	}
	if (r < 0)
		return wrong(f, "a list of floats", err);
	*n = k;
	return BT_OK;
}

/* Bytes of a length-delimited field number 1..15 that holds n bytes. */
static size_t field_size(size_t n)
{
	return 1 + bt_pb_varint_size(n) + n;
}

/* As put_head, where there is room; returns what follows. */
static char *write_head(char *p, uint32_t field, size_t n)
{
	*p++ = (char)(field << 3 | BT_PB_LEN);
	for (; n >= 0x80; n >>= 7)
		*p++ = (char)(n | 0x80);
	*p++ = (char)n;
	return p;
}

static void put_head(struct bt_buf *b, uint32_t field, size_t n)
{
	char head[11];

	bt_buf_put(b, head, (size_t)(write_head(head, field, n) - head));
}

#define HEADS (4 * (1 + 10)) /* most bytes of four of them */

/* The map entry, its key, the Feature and the list, whose bytes are to
 * follow. */
static void put_list_head(struct bt_buf *b, const char *name, size_t key,
                          enum bt_feature_kind kind, size_t list)
{
	size_t feature = field_size(list);
	char *p = bt_buf_reserve(b, HEADS + key);

	if (p == NULL)
		return;
	p = write_head(p, 1, field_size(key) + field_size(feature));
	p = write_head(p, 1, key);
	memcpy(p, name, key);
	p = write_head(p + key, 2, feature);
	p = write_head(p, kind, list);
	b->len = (size_t)(p - b->data);
}

/* Everything before the values, which are the list's one field. */
static void put_feature(struct bt_buf *b, const char *name,
                        enum bt_feature_kind kind, size_t values)
{
	if (values == 0 && kind != BT_FEATURE_BYTES) {
		put_list_head(b, name, strlen(name), kind,
		              0); /* no empty packed field */
		return;
	}
	put_list_head(b, name, strlen(name), kind, field_size(values));
	put_head(b, 1, values);
}

#define FRONT 16 /* room for what stands before the features */

void bt_example_begin(struct bt_example_writer *w)
{
	bt_buf_reset(&w->features);
	if (bt_buf_reserve(&w->features, FRONT) != NULL)
		w->features.len = FRONT;
}

void bt_example_add_text(struct bt_example_writer *w, const char *name,
                         const char *s, size_t len)
{
	put_feature(&w->features, name, BT_FEATURE_BYTES, len);
	bt_buf_put(&w->features, s, len);
}

void bt_example_add_texts(struct bt_example_writer *w, const char *name,
                          const struct bt_span *v, size_t n)
{
	size_t list = 0, i;

	for (i = 0; i < n; i++)
		list += field_size(v[i].n);
	put_list_head(&w->features, name, strlen(name), BT_FEATURE_BYTES, list);
	for (i = 0; i < n; i++) {
		put_head(&w->features, 1, v[i].n);
		bt_buf_put(&w->features, v[i].p, v[i].n);
	}
}

void bt_example_add_int64s(struct bt_example_writer *w, const char *name,
                           const int64_t *v, size_t n)
{
	size_t bytes = 0, i;

	for (i = 0; i < n; i++)
		bytes += bt_pb_varint_size((uint64_t)v[i]);
	put_feature(&w->features, name, BT_FEATURE_INT64, bytes);
	for (i = 0; i < n; i++)
		bt_pb_put_varint(&w->features, (uint64_t)v[i]);
}

void bt_example_add_floats(struct bt_example_writer *w, const char *name,
                           const float *v, size_t n)
{
	put_feature(&w->features, name, BT_FEATURE_FLOAT, n * sizeof(*v));
	bt_buf_put(&w->features, v, n * sizeof(*v));
}

static void put_list(struct bt_buf *b, const char *name, size_t key,
                     enum bt_feature_kind kind, const void *list, size_t len)
{
	if (kind == BT_FEATURE_NONE) {
		put_head(b, 1, field_size(key) + field_size(0));
		put_head(b, 1, key);
		bt_buf_put(b, name, key);
		put_head(b, 2, 0);
		return;
	}
	put_list_head(b, name, key, kind, len);
	bt_buf_put(b, list, len);
}

void bt_example_add_list(struct bt_example_writer *w, const char *name,
                         enum bt_feature_kind kind, const void *list,
                         size_t len)
{
	put_list(&w->features, name, strlen(name), kind, list, len);
}

void bt_example_add_feature(struct bt_example_writer *w,
                            const struct bt_feature *f)
{
	put_list(&w->features, f->name, f->name_len, f->kind, f->list.p,
	         (size_t)(f->list.end - f->list.p));
}

struct bt_span bt_example_finish(struct bt_example_writer *w)
{
	struct bt_span v = {NULL, 0};
	char head[11];
	size_t n;

	if (w->features.oom)
		return v;
	n = (size_t)(write_head(head, 1, w->features.len - FRONT) - head);
	v.p = w->features.data + FRONT - n;
	v.n = w->features.len - FRONT + n;
	memcpy(w->features.data + FRONT - n, head, n);
	return v;
}

void bt_example_end(struct bt_example_writer *w, struct bt_buf *out)
{
	struct bt_span v = bt_example_finish(w);

	bt_buf_reset(out);
	bt_buf_put(out, v.p, v.n);
	out->oom |= v.p == NULL;
}

void bt_example_clear(struct bt_example_writer *w)
{
	bt_buf_clear(&w->features);
}
