/* SPDX-License-Identifier: MIT */
#include "record/recjson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "format/base64.h"
#include "format/charset.h"
#include "format/escape.h"
#include "record/feature.h"

static bool is_utf8(const char *s, size_t n)
{
	return bt_charset_check(BT_CHARSET_UTF8, s, n) == n;
}

static int put_texts(struct bt_buf *b, const struct bt_feature *f,
                     struct bt_error *err)
{
	struct bt_pb at = f->list;
	const char *s;
	size_t n, i, count = 0;
	int r;

	while ((r = bt_feature_next_text(f, &at, &s, &n, err)) == 1)
		count++;
	if (r == BT_OK && count == 0)
		bt_buf_puts(b, "{\"bytes\": []}");
	if (r != BT_OK || count == 0)
		return r;
	at = f->list;
	bt_buf_puts(b, count > 1 ? "[" : "");
	for (i = 0; i < count; i++) {
		r = bt_feature_next_text(f, &at, &s, &n, err);
		if (r != 1)
			return r;
		bt_buf_puts(b, i > 0 ? ", " : "");
		if (is_utf8(s, n)) {
			bt_escape_quoted(b, (struct bt_span){s, n}, true);
			continue;
		}
		bt_buf_puts(b, "{\"base64\": \"");
		bt_base64_put(b, s, n);
		bt_buf_puts(b, "\"}");
	}
	bt_buf_puts(b, count > 1 ? "]" : "");
	return BT_OK;
}

static int put_ints(struct bt_buf *b, const struct bt_feature *f,
                    struct bt_error *err)
{
	int64_t *v;
	size_t n, i;
	int r = bt_feature_int64s(f, NULL, 0, &n, err);

	if (r == BT_OK && n == 0)
		bt_buf_puts(b, "{\"int64\": []}");
	if (r != BT_OK || n == 0)
		return r;
	v = bt_array(n, sizeof(*v));
	if (v == NULL)
		return bt_error_nomem(err, "reading a feature");
	r = bt_feature_int64s(f, v, n, &n, err);
	bt_buf_puts(b, n > 1 ? "[" : "");
	for (i = 0; i < n && r == BT_OK; i++) {
		bt_buf_puts(b, i > 0 ? ", " : "");
		bt_buf_decimal(b, v[i]);
	}
	bt_buf_puts(b, n > 1 ? "]" : "");
	free(v);
	return r;
}

static int put_floats(struct bt_buf *b, const struct bt_feature *f,
                      struct bt_error *err)
{
	bool finite = true;
	char s[32];
	float *v;
	size_t n, i;
	int r = bt_feature_floats(f, NULL, 0, &n, err);

	if (r == BT_OK && n == 0)
		bt_buf_puts(b, "{\"float\": []}");
	if (r != BT_OK || n == 0)
		return r;
	v = bt_array(n, sizeof(*v));
	if (v == NULL)
		return bt_error_nomem(err, "reading a feature");
	r = bt_feature_floats(f, v, n, &n, err);
	for (i = 0; i < n && r == BT_OK; i++)
		finite = finite && isfinite(v[i]);
	if (!finite) {
		bt_buf_puts(b, "{\"float\": \"");
		bt_base64_put(b, v, n * sizeof(*v));
		bt_buf_puts(b, "\"}");
		n = 0;
	}
	bt_buf_puts(b, n > 1 ? "[" : "");
	for (i = 0; i < n && r == BT_OK; i++) {
		bt_format_f32(s, sizeof(s), v[i]);
		bt_buf_puts(b, i > 0 ? ", " : "");
		bt_buf_puts(b, s);
		bt_buf_puts(b, strpbrk(s, ".e") == NULL ? ".0" : "");
	}
	bt_buf_puts(b, n > 1 ? "]" : "");
	free(v);
	return r;
}

static int put_feature(struct bt_buf *b, const struct bt_feature *f,
                       struct bt_error *err)
{
	if (!is_utf8(f->name, f->name_len) ||
	    memchr(f->name, 0, f->name_len) != NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "has a feature whose name is not text");
	bt_escape_quoted(b, (struct bt_span){f->name, f->name_len}, true);
	bt_buf_puts(b, ": ");
	switch (f->kind) {
	case BT_FEATURE_BYTES:
		return put_texts(b, f, err);
	case BT_FEATURE_FLOAT:
		return put_floats(b, f, err);
	case BT_FEATURE_INT64:
		return put_ints(b, f, err);
	default:
		bt_buf_puts(b, "null");
		return BT_OK;
	}
}

int bt_recjson_member(const char *name, struct bt_span raw,
                      enum bt_feature_kind kind, struct bt_buf *out,
                      struct bt_error *err)
{
	struct bt_feature f = bt_record_feature(name, raw, kind);

	return put_feature(out, &f, err);
}

int bt_recjson_write(const void *data, size_t len, struct bt_buf *out,
                     struct bt_error *err)
{
	struct bt_example x;
	struct bt_feature f;
	bool first = true;
	int r;

	bt_buf_putc(out, '{');
	bt_example_open(&x, data, len);
	while ((r = bt_example_next(&x, &f, err)) == 1) {
		bt_buf_puts(out, first ? "" : ", ");
		first = false;
		r = put_feature(out, &f, err);
		if (r != BT_OK)
			return r;
	}
	bt_buf_putc(out, '}');
	if (r == BT_OK && out->oom)
		r = bt_error_nomem(err, "writing JSON");
	return r;
}
