/* SPDX-License-Identifier: MIT */
#include "record/feature.h"

#include "base/num.h"
#include "format/escape.h"

int bt_record_feature_find(const void *data, size_t len, const char *name,
                           struct bt_span *value, enum bt_feature_kind *kind,
                           struct bt_error *err)
{
	struct bt_example x;
	struct bt_feature f;
	int r, found = 0;

	bt_example_open(&x, data, len);
	while ((r = bt_example_next(&x, &f, err)) == 1) {
		if (!bt_feature_is(&f, name))
			continue;
		value->p = (const char *)f.list.p;
		value->n = (size_t)(f.list.end - f.list.p);
		if (kind != NULL)
			*kind = f.kind;
		found = 1;
	}
	return r == 0 ? found : r;
}

struct bt_feature bt_record_feature(const char *name, struct bt_span raw,
                                    enum bt_feature_kind kind)
{
	struct bt_feature f = {.name = name, .kind = kind};

	f.name_len = strlen(name);
	f.list.p = (const uint8_t *)raw.p;
	f.list.end = raw.n > 0 ? f.list.p + raw.n : f.list.p;
	return f;
}

int bt_record_feature_names(const void *data, size_t len, struct bt_buf *out,
                            struct bt_error *err)
{
	struct bt_example x;
	struct bt_feature f;
	int r;

	bt_example_open(&x, data, len);
	while ((r = bt_example_next(&x, &f, err)) == 1) {
		bt_buf_puts(out, out->len > 0 ? ", " : "");
		bt_escape_line(out, (struct bt_span){f.name, f.name_len}, 60);
	}
	return r;
}

int bt_record_feature_text(const void *data, size_t len, const char *name,
                           struct bt_span *text, struct bt_error *err)
{
	enum bt_feature_kind kind;
	struct bt_feature f;
	struct bt_span raw;
	int r = bt_record_feature_find(data, len, name, &raw, &kind, err);

	if (r != 1)
		return r;
	f = bt_record_feature(name, raw, kind);
	r = bt_feature_text(&f, &text->p, &text->n, err);
	return r == BT_OK ? 1 : r;
}

static int show_texts(const struct bt_feature *f, size_t *n, struct bt_buf *out,
                      struct bt_error *err)
{
	struct bt_pb at = f->list;
	struct bt_span s;
	int r;

	for (*n = 0; (r = bt_feature_next_text(f, &at, &s.p, &s.n, err)) == 1;
	     (*n)++) {
		bt_buf_puts(out, *n > 0 ? ", " : "");
		bt_buf_put(out, s.p, s.n);
	}
	return r;
}

static int show_ints(const struct bt_feature *f, size_t *n, struct bt_buf *out,
                     struct bt_error *err)
{
	int64_t v[BT_RECORD_FEATURE_SHOWN];
	int r = bt_feature_int64s(f, v, BT_RECORD_FEATURE_SHOWN, n, err);
	size_t i;

	for (i = 0; r == BT_OK && i < *n && i < BT_RECORD_FEATURE_SHOWN; i++)
		bt_buf_printf(out, "%s%lld", i > 0 ? ", " : "",
		              (long long)v[i]);
	return r;
}

static int show_floats(const struct bt_feature *f, size_t *n,
                       struct bt_buf *out, struct bt_error *err)
{
	float v[BT_RECORD_FEATURE_SHOWN];
	char text[32];
	int r = bt_feature_floats(f, v, BT_RECORD_FEATURE_SHOWN, n, err);
	size_t i;

	for (i = 0; r == BT_OK && i < *n && i < BT_RECORD_FEATURE_SHOWN; i++) {
		bt_format_f32(text, sizeof(text), v[i]);
		bt_buf_printf(out, "%s%s", i > 0 ? ", " : "", text);
	}
	return r;
}

int bt_record_feature_show(const char *name, struct bt_span raw,
                           enum bt_feature_kind kind, struct bt_buf *out,
                           struct bt_error *err)
{
	struct bt_feature f = bt_record_feature(name, raw, kind);
	size_t n = 0;
	int r = BT_OK;

	if (kind == BT_FEATURE_BYTES)
		r = show_texts(&f, &n, out, err);
	else if (kind == BT_FEATURE_INT64)
		r = show_ints(&f, &n, out, err);
	else if (kind == BT_FEATURE_FLOAT)
		r = show_floats(&f, &n, out, err);
	if (r == BT_OK && n > BT_RECORD_FEATURE_SHOWN)
		return bt_error_set(err, BT_EFORMAT,
		                    "feature '%s' is a list of %zu values, too "
		                    "long to be shown",
		                    name, n);
	return r;
}
