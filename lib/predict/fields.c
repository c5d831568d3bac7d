/* SPDX-License-Identifier: MIT */
#include "predict/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/csv.h"
#include "record/feature.h"
#include "record/recjson.h"

struct bt_fields {
	char delimiter; /* 0: JSON */
	size_t n;
	char **name;
	bool *found; /* [n] in some record so far */

	struct bt_buf rows; /* of the block, as they are put */
	size_t *end;        /* [records of the block] into rows */
	size_t cap, chosen;
	struct bt_buf text;
	uint64_t seen;
	struct bt_buf names; /* of the first record's features */
};

int bt_fields_new(const char *list, char delimiter, struct bt_fields **res,
                  struct bt_error *err)
{
	struct bt_fields *f = bt_array0(1, sizeof(*f));
	size_t len, i, most = strlen(list) + 1;
	int r = BT_OK;

	f->delimiter = delimiter;
	f->name = bt_array0(most, sizeof(*f->name));
	f->found = bt_array0(most, sizeof(*f->found));
	for (; r == BT_OK; list += len + 1) {
		len = strcspn(list, ",");
		f->name[f->n] = bt_strndup(list, len);
		for (i = 0; i < f->n && strcmp(f->name[i], f->name[f->n]); i++)
			;
		if (len == 0 || i < f->n)
			r = bt_error_set(
			    err, BT_EARG, "the field '%s' %s", f->name[f->n],
			    len == 0 ? "has no name" : "is given twice");
		f->n++;
		if (list[len] == '\0')
			break;
	}
	if (r == BT_OK)
		*res = f;
	else
		bt_fields_free(f);
	return r;
}

void bt_fields_free(struct bt_fields *f)
{
	size_t i;

	if (f == NULL)
		return;
	for (i = 0; i < f->n; i++)
		free(f->name[i]);
	free(f->name);
	free(f->found);
	free(f->end);
	bt_buf_clear(&f->rows);
	bt_buf_clear(&f->text);
	bt_buf_clear(&f->names);
	free(f);
}

const char *bt_fields_name(const struct bt_fields *f, size_t i)
{
	return i < f->n ? f->name[i] : NULL;
}

/* One field of a payload. */
static int put_field(struct bt_fields *f, size_t i, const void *data,
                     size_t len, struct bt_error *err)
{
	enum bt_feature_kind kind = BT_FEATURE_NONE;
	struct bt_span raw = {0};
	int r = bt_record_feature_find(data, len, f->name[i], &raw, &kind, err);

	if (r < 0)
		return r;
	f->found[i] |= r == 1;
	if (f->delimiter == 0) {
		bt_buf_puts(&f->rows, ", ");
		return bt_recjson_member(f->name[i], raw, kind, &f->rows, err);
	}
	bt_buf_reset(&f->text);
	if (r == 1 && (r = bt_record_feature_show(f->name[i], raw, kind,
	                                          &f->text, err)) != BT_OK)
		return r;
	raw.p = bt_buf_at(&f->text, 0);
	raw.n = f->text.len;
	bt_buf_putc(&f->rows, f->delimiter);
	bt_csv_put(&f->rows, raw, f->delimiter);
	return f->text.oom ? bt_error_nomem(err, "reading fields") : BT_OK;
}

int bt_fields_look(struct bt_fields *f, size_t k, const void *data, size_t len,
                   struct bt_error *err)
{
	size_t i;
	int r = bt_grow(&f->end, &f->cap, k + 1, sizeof(*f->end));

	if (r == BT_OK && f->seen++ == 0)
		r = bt_record_feature_names(data, len, &f->names, err);
	if (k == 0)
		bt_buf_reset(&f->rows);
	for (i = 0; i < f->n && r == BT_OK; i++)
		r = put_field(f, i, data, len, err);
	if (r != BT_OK)
		return r;
	f->end[k] = f->rows.len;
	return f->rows.oom ? bt_error_nomem(err, "reading fields") : BT_OK;
}

int bt_fields_choose(struct bt_fields *f, size_t k, struct bt_error *err)
{
	size_t i;

	f->chosen = k;
	for (i = 0; i < f->n; i++)
		if (!f->found[i])
			return bt_error_hint(
			    err, BT_HINT_KEEP_FIELDS,
			    bt_error_set(
			        err, BT_EFORMAT,
			        "none of the first %llu records has the "
			        "feature '%s': the first one has %.*s",
			        (unsigned long long)f->seen, f->name[i],
			        f->names.len < 300 ? (int)f->names.len : 300,
			        bt_buf_at(&f->names, 0)));
	return BT_OK;
}

void bt_fields_put(const struct bt_fields *f, struct bt_buf *out)
{
	size_t at = f->chosen > 0 ? f->end[f->chosen - 1] : 0;

	bt_buf_put(out, bt_buf_at(&f->rows, at), f->end[f->chosen] - at);
}
