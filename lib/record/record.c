/* SPDX-License-Identifier: MIT */
/* Features that both kinds of records have. */
#include "record/record_int.h"

int bt_record_read_text(const struct bt_feature *f, struct bt_span *v,
                        struct bt_error *err)
{
	return bt_feature_text(f, &v->p, &v->n, err);
}

int bt_record_read_int(const struct bt_feature *f, int64_t *v, bool *has,
                       struct bt_error *err)
{
	size_t n;
	int r = bt_feature_int64s(f, v, 1, &n, err);

	if (r != BT_OK)
		return r;
	if (n != 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "feature '%.*s' holds %zu numbers, "
		                    "expected one",
		                    (int)f->name_len, f->name, n);
	*has = true;
	return BT_OK;
}

int bt_record_read_weight(const struct bt_feature *f, float *v, bool *has,
                          struct bt_error *err)
{
	size_t n;
	int r = bt_feature_floats(f, v, 1, &n, err);

	if (r != BT_OK)
		return r;
	if (n != 1 || !bt_record_weight_is(*v))
		return bt_error_set(err, BT_EFORMAT,
		                    "feature 'weight' is not one number, 0 or "
		                    "at least %g",
		                    BT_RECORD_WEIGHT_MIN);
	*has = true;
	return BT_OK;
}

/* *n is the number of byte strings, the first of which is *v. */
static int read_labels(const struct bt_feature *f, struct bt_span *v, size_t *n,
                       struct bt_error *err)
{
	struct bt_pb at = f->list;
	struct bt_span one;
	int r;

	*n = 0;
	while ((r = bt_feature_next_text(f, &at, &one.p, &one.n, err)) == 1)
		if ((*n)++ == 0)
			*v = one;
	return r;
}

int bt_record_read_label(const struct bt_feature *f, struct bt_feature *list,
                         struct bt_span *label, bool *several, size_t *n,
                         struct bt_error *err)
{
	int r = read_labels(f, label, n, err);

	*list = *f;
	*several = *n != 1;
	if (*several)
		*label = (struct bt_span){NULL, 0};
	return r;
}

int bt_record_keep_texts(const struct bt_feature *f, struct bt_feature *kept,
                         struct bt_error *err)
{
	struct bt_span first;
	size_t n;

	*kept = *f;
	return read_labels(f, &first, &n, err);
}

int bt_record_read_list(const struct bt_feature *f, const char *name, size_t n,
                        struct bt_token_rec *rec, struct bt_error *err)
{
	size_t got;
	int r = bt_feature_int64s(f, rec->scratch, n, &got, err);

	if (r == BT_OK && got != n)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%s holds %zu numbers and input_ids %zu", name,
		                 got, n);
	return r;
}
