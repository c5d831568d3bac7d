/* SPDX-License-Identifier: MIT */
#include "finetune/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/mem.h"

#define NO_NAME SIZE_MAX

void bt_dataset_clear(struct bt_dataset *d)
{
	free(d->start);
	free(d->ids);
	free(d->types);
	free(d->label);
	free(d->target);
	free(d->token_label);
	free(d->continues);
	free(d->weight);
	free(d->names);
	free(d->name_at);
	free(d->records);
	free(d->record_at);
	memset(d, 0, sizeof(*d));
}

size_t bt_dataset_bytes(const struct bt_dataset *d)
{
	size_t each = sizeof(*d->start) + sizeof(*d->label) +
	              d->stride * sizeof(*d->target) + sizeof(*d->weight) +
	              sizeof(*d->continues) + sizeof(*d->name_at) +
	              sizeof(*d->record_at);

	if (d->n == 0)
		return 0;
	return d->n * each +
	       d->start[d->n] * (sizeof(*d->ids) + sizeof(*d->types)) +
	       (d->token_label != NULL
	            ? d->start[d->n] * sizeof(*d->token_label) + d->n
	            : 0) +
	       d->names_len + d->record_at[d->n];
}

void bt_dataset_reset(struct bt_dataset *d)
{
	d->n = d->names_len = d->longest = d->unlabelled = d->width = 0;
	d->most_texts = 0;
	d->has_weights = d->open = d->cut = d->per_token = false;
	d->selects = false;
	d->crc = 0;
	d->sum = (struct bt_tfrecord_sum){0};
}

/* Makes arrays that share a capacity hold need elements of their sizes. */
static int grow_all(size_t *cap, size_t need, void *const *arrays,
                    const size_t *sizes, int n)
{
	size_t same = *cap;
	int i;

	if (need <= *cap)
		return BT_OK;
	for (i = 0; i < n; i++, same = i < n ? *cap : same)
		if (bt_grow(arrays[i], &same, need, sizes[i]) != BT_OK)
			return BT_ENOMEM;
	*cap = same;
	return BT_OK;
}

/* Room for one more example of n tokens. */
static int reserve(struct bt_dataset *d, size_t n)
{
	static const size_t sizes[] = {
	    sizeof(*d->start),     sizeof(*d->label),   sizeof(*d->weight),
	    sizeof(*d->continues), sizeof(*d->name_at), sizeof(*d->record_at)};
	static const size_t token_sizes[] = {sizeof(*d->ids),
	                                     sizeof(*d->types)};
	void *arrays[] = {&d->start,     &d->label,   &d->weight,
	                  &d->continues, &d->name_at, &d->record_at};
	void *tokens[] = {&d->ids, &d->types};

	if (grow_all(&d->cap, d->n + 2, arrays, sizes, 6) != BT_OK)
		return BT_ENOMEM;
	if (d->n == 0)
		d->start[0] = d->record_at[0] = 0;
	return grow_all(&d->token_cap, (size_t)d->start[d->n] + n, tokens,
	                token_sizes, 2);
}

static int add_name(struct bt_dataset *d, const struct bt_token_rec *rec)
{
	struct bt_span s = rec->id;
	char number[24];

	if (s.p == NULL && rec->has_example_id) {
		snprintf(number, sizeof(number), "%lld",
		         (long long)rec->example_id);
		s = bt_span(number);
	}
	d->name_at[d->n] = NO_NAME;
	if (s.p == NULL)
		return BT_OK;
	if (bt_grow(&d->names, &d->names_cap, d->names_len + sizeof(s.n) + s.n,
	            1) != BT_OK)
		return BT_ENOMEM;
	d->name_at[d->n] = d->names_len;
	memcpy(d->names + d->names_len, &s.n, sizeof(s.n));
	if (s.n > 0)
		memcpy(d->names + d->names_len + sizeof(s.n), s.p, s.n);
	d->names_len += sizeof(s.n) + s.n;
	return BT_OK;
}

static int add_record(struct bt_dataset *d, struct bt_span record)
{
	size_t at = d->record_at[d->n];

	d->record_at[d->n + 1] = at + record.n;
	if (record.p == NULL)
		return BT_OK;
	if (bt_grow(&d->records, &d->records_cap, at + record.n + 1, 1) !=
	    BT_OK)
		return BT_ENOMEM;
	memcpy(d->records + at, record.p, record.n);
	return BT_OK;
}

/* Room for a row of targets behind the n that are there, and so many in each:
 * the more labels are found, the longer rows become. */
static int widen(struct bt_dataset *d, size_t width)
{
	size_t stride = d->stride, floats, i;
	float *rows;

	if (width > stride)
		stride = d->n > 0 ? width + width / 2 : width;
	if (!bt_size_mul(d->n + 1, stride, &floats))
		return BT_ENOMEM;
	if (stride == d->stride || d->n == 0) {
		d->stride = stride;
		return bt_grow(&d->target, &d->target_cap, floats,
		               sizeof(*d->target));
	}
	rows = bt_array0(floats, sizeof(*rows));
	if (rows == NULL)
		return BT_ENOMEM;
	for (i = 0; i < d->n && d->stride > 0; i++)
		memcpy(rows + i * stride, d->target + i * d->stride,
		       d->stride * sizeof(*rows));
	free(d->target);
	d->target = rows;
	d->target_cap = floats;
	d->stride = stride;
	return BT_OK;
}

static int add_targets(struct bt_dataset *d, const struct bt_token_rec *rec)
{
	size_t n = rec->n_target;
	float *row;

	if (n == 0 && d->stride == 0)
		return BT_OK;
	if (widen(d, n) != BT_OK)
		return BT_ENOMEM;
	row = d->target + d->n * d->stride;
	memset(row, 0, d->stride * sizeof(*row));
	if (n > 0)
		memcpy(row, rec->target, n * sizeof(*row));
	if (n > d->width)
		d->width = n;
	d->crc = bt_crc32c(d->crc, row, n * sizeof(*row));
	return BT_OK;
}

static int add_token_labels(struct bt_dataset *d,
                            const struct bt_token_rec *rec)
{
	size_t at = (size_t)d->start[d->n];
	size_t bytes = rec->n * sizeof(*d->token_label);

	if (!rec->has_token_labels)
		return BT_OK;
	if (bt_grow(&d->token_label, &d->token_label_cap, at + rec->n,
	            sizeof(*d->token_label)) != BT_OK)
		return BT_ENOMEM;
	memcpy(d->token_label + at, rec->token_label, bytes);
	d->crc = bt_crc32c(d->crc, rec->token_label, bytes);
	return BT_OK;
}

int bt_dataset_add(struct bt_dataset *d, const struct bt_token_rec *rec,
                   int32_t label, struct bt_error *err)
{
	size_t at;

	if (d->n == UINT32_MAX - 1)
		return bt_error_set(err, BT_ELIMIT, "more than %u examples",
		                    UINT32_MAX - 1);
	if (reserve(d, rec->n) != BT_OK || add_name(d, rec) != BT_OK)
		return bt_error_nomem(err, "reading records");
	at = (size_t)d->start[d->n];
	memcpy(d->ids + at, rec->ids, rec->n * sizeof(*d->ids));
	memcpy(d->types + at, rec->types, rec->n);
	d->crc = bt_crc32c(d->crc, rec->ids, rec->n * sizeof(*rec->ids));
	d->crc = bt_crc32c(d->crc, rec->types, rec->n);
	d->crc = bt_crc32c(d->crc, &label, sizeof(label));
	d->crc = bt_crc32c(d->crc, &rec->weight, sizeof(rec->weight));
	if (add_targets(d, rec) != BT_OK || add_token_labels(d, rec) != BT_OK ||
	    add_record(d, rec->kept) != BT_OK)
		return bt_error_nomem(err, "reading records");
	d->open |= rec->open;
	d->per_token = rec->per_token;
	d->selects = rec->selects;
	d->label[d->n] = label;
	d->weight[d->n] = rec->weight;
	d->continues[d->n] = rec->window > 0        ? BT_CONTINUES_TEXT
	                     : rec->text_number > 0 ? BT_CONTINUES_GROUP
	                                            : 0;
	if (rec->text_number >= (int64_t)d->most_texts)
		d->most_texts = (size_t)rec->text_number + 1;
	d->has_weights |= rec->has_weight;
	d->unlabelled += label < 0;
	d->start[++d->n] = at + rec->n;
	if (rec->n > d->longest)
		d->longest = rec->n;
	return BT_OK;
}

/* Records on their way into a data set. */
struct reading {
	struct bt_fit fit;
	enum bt_label_mode mode;
	struct bt_token_rec rec;
	struct bt_windows windows;
	struct bt_whole whole;
};

static int add_payload(struct bt_dataset *d, struct reading *x,
                       struct bt_labels *labels, const uint8_t *data,
                       size_t len, struct bt_error *err)
{
	struct bt_token_rec *rec = &x->rec;
	int r = bt_token_rec_read(data, len, rec, err);
	int32_t label;

	if (r != BT_OK || !rec->is_real)
		return r;
	if (x->fit.length < 0)
		x->fit.length = (int)rec->n;
	if (!x->fit.per_token &&
	    (r = bt_windows_take(&x->windows, rec, err)) != 1)
		return r;
	if (!x->fit.per_token && x->windows.join == BT_WINDOWS_EACH)
		rec->window = 0;
	if (x->fit.keeps_records)
		rec->kept = (struct bt_span){(const char *)data, len};
	r = bt_dataset_check(rec, &x->fit, x->mode, labels, &label, err);
	if (r == BT_OK)
		r = bt_whole_take(&x->whole, rec, err);
	return r == BT_OK ? bt_dataset_add(d, rec, label, err) : r;
}

static int read_all(struct bt_tfrecord *in, struct reading *x,
                    struct bt_labels *labels, struct bt_dataset *d,
                    struct bt_error *err)
{
	const uint8_t *data;
	size_t len;
	int r;

	while ((r = bt_tfrecord_next(in, &data, &len, err)) == 1) {
		r = add_payload(d, x, labels, data, len, err);
		if (r != BT_OK) {
			bt_tfrecord_blame(in, err);
			return r;
		}
	}
	if (r == BT_OK && d->n == 0)
		r = bt_tfrecord_none(in, err);
	if (r == BT_OK && (r = bt_whole_end(&x->whole, err)) != BT_OK)
		bt_tfrecord_blame(in, err);
	return r;
}

int bt_dataset_read(char *const *paths, int n_paths, uint64_t expect,
                    const struct bt_fit *fit, enum bt_label_mode mode,
                    struct bt_labels *labels, struct bt_dataset *d,
                    struct bt_error *err)
{
	struct reading x = {
	    .fit = *fit, .mode = mode, .windows = {.join = fit->windows}};
	struct bt_tfrecord *in;
	int r = bt_tfrecord_open(paths, n_paths, &in, err);

	if (r != BT_OK)
		return r;
	bt_tfrecord_expect(in, expect);
	bt_dataset_reset(d);
	bt_tfrecord_add_to(in, &d->sum);
	r = read_all(in, &x, labels, d, err);
	bt_token_rec_clear(&x.rec);
	bt_windows_clear(&x.windows);
	bt_whole_clear(&x.whole);
	bt_tfrecord_close(in);
	return r;
}

int bt_dataset_divide(struct bt_dataset *d, const uint8_t *chosen,
                      struct bt_dataset *out, struct bt_error *err)
{
	struct bt_dataset rest = {.sum = d->sum}, *to;
	int r = BT_OK;
	size_t i;

	for (i = 0; i < d->n && r == BT_OK; i++) {
		struct bt_token_rec rec = {
		    .ids = d->ids + d->start[i],
		    .types = d->types + d->start[i],
		    .n = bt_dataset_length(d, i),
		    .id = bt_dataset_id(d, i),
		    .target = d->width > 0 ? d->target + i * d->stride : NULL,
		    .n_target = d->width,
		    .has_token_labels = d->token_label != NULL,
		    .token_label = d->token_label != NULL
		                       ? d->token_label + d->start[i]
		                       : NULL,
		    .open = d->open,
		    .per_token = d->per_token,
		    .selects = d->selects,
		    .window = d->continues[i] == BT_CONTINUES_TEXT,
		    .text_number =
		        d->continues[i] == BT_CONTINUES_GROUP ? d->label[i] : 0,
		    .weight = d->weight[i],
		    .has_weight = d->has_weights};

		to = chosen[i] ? out : &rest;
		if (to == out)
			rec.kept = bt_dataset_record(d, i);
		if (to != NULL)
			r = bt_dataset_add(to, &rec, d->label[i], err);
	}
	if (out != NULL && out->sum.records == 0)
		out->sum = d->sum;
	bt_dataset_clear(r == BT_OK ? d : &rest);
	if (r == BT_OK)
		*d = rest;
	return r;
}

size_t bt_dataset_pairs(const struct bt_dataset *d, int32_t sep)
{
	size_t i, n = 0;
	uint64_t at;
	int seps;

	for (i = 0; i < d->n; i++)
		for (seps = 0, at = d->start[i]; at < d->start[i + 1]; at++) {
			seps += sep >= 0 && d->ids[at] == sep;
			if (d->types[at] != 0 || seps > 1) {
				n++;
				break;
			}
		}
	return n;
}

void bt_dataset_first(struct bt_dataset *d, size_t n)
{
	size_t i;

	if (n >= d->n)
		return;
	d->n = n;
	d->longest = d->unlabelled = 0;
	d->crc = bt_crc32c(d->crc, &n, sizeof(n));
	for (i = 0; i < n; i++) {
		if (bt_dataset_length(d, i) > d->longest)
			d->longest = bt_dataset_length(d, i);
		d->unlabelled += d->label[i] < 0;
	}
}

/* The number that a token's class is given. */
static int32_t move(int32_t label, const int *map)
{
	return label >= 0 ? map[label]
	                  : BT_TOKEN_FURTHER(map[bt_token_learns(label)]);
}

int *bt_dataset_inside(const struct bt_labels *l)
{
	int *inside = bt_array((size_t)l->n, sizeof(*inside)), k;
	struct bt_buf name = BT_BUF_INIT;

	for (k = 0; inside != NULL && k < l->n; k++) {
		inside[k] = -1;
		if (strncmp(l->name[k], "B-", 2) == 0) {
			bt_buf_reset(&name);
			bt_buf_printf(&name, "I-%s", l->name[k] + 2);
			inside[k] = bt_labels_find(
			    l, (struct bt_span){name.data, name.len});
		}
		if (inside[k] < 0)
			inside[k] = k;
	}
	bt_buf_clear(&name);
	return inside;
}

int bt_dataset_continue_tags(struct bt_dataset *d, const struct bt_labels *l,
                             struct bt_error *err)
{
	int *inside = bt_dataset_inside(l);
	uint64_t i;

	if (inside == NULL)
		return bt_error_nomem(err, "reading tags");
	for (i = 0; d->token_label != NULL && i < d->start[d->n]; i++)
		if (d->token_label[i] <= BT_TOKEN_FURTHER(0))
			d->token_label[i] = move(d->token_label[i], inside);
	free(inside);
	return BT_OK;
}

int bt_dataset_relabel(struct bt_dataset *d, const int *map, int n,
                       struct bt_error *err)
{
	size_t floats, i, k;
	const float *old;
	float *rows = NULL;

	for (i = 0; d->token_label != NULL && i < d->start[d->n]; i++)
		if (bt_token_learns(d->token_label[i]) >= 0)
			d->token_label[i] = move(d->token_label[i], map);
	if (d->token_label != NULL)
		return BT_OK;
	for (i = 0; d->width == 0 && i < d->n; i++)
		if (d->label[i] >= 0)
			d->label[i] = map[d->label[i]];
	if (d->width == 0)
		return BT_OK;
	/* rows of n targets, each where its label's new number says */
	if (bt_size_mul(d->n, (size_t)n, &floats))
		rows = bt_array0(floats, sizeof(*rows));
	if (rows == NULL)
		return bt_error_nomem(err, "ordering labels");
	for (i = 0; i < d->n; i++)
		for (k = 0, old = d->target + i * d->stride; k < d->width; k++)
			rows[i * (size_t)n + (size_t)map[k]] = old[k];
	free(d->target);
	d->target = rows;
	d->target_cap = floats;
	d->stride = d->width = (size_t)n;
	return BT_OK;
}

size_t bt_dataset_known_next(const struct bt_dataset *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n && d->selects; i++)
		n += d->label[i] != BT_NEXT_UNKNOWN;
	return n;
}

size_t bt_dataset_selected(const struct bt_dataset *d, size_t i)
{
	size_t n = 0;
	uint64_t at;

	for (at = d->start[i]; at < d->start[i + 1]; at++)
		n += bt_token_begins(d->token_label[at]);
	return n;
}

size_t bt_dataset_rows(const struct bt_dataset *d, size_t i)
{
	return d->selects     ? bt_dataset_selected(d, i)
	       : d->per_token ? bt_dataset_length(d, i)
	                      : 1;
}

double bt_dataset_loss_weight(const struct bt_dataset *d, size_t i)
{
	uint64_t at;
	size_t n = 0;

	if (d->token_label == NULL)
		return (double)d->weight[i];
	for (at = d->start[i]; at < d->start[i + 1]; at++)
		n += bt_token_learns(d->token_label[at]) >= 0;
	return (double)d->weight[i] * (double)n;
}

struct bt_span bt_dataset_id(const struct bt_dataset *d, size_t i)
{
	struct bt_span s = {NULL, 0};

	if (d->name_at[i] == NO_NAME)
		return s;
	memcpy(&s.n, d->names + d->name_at[i], sizeof(s.n));
	s.p = d->names + d->name_at[i] + sizeof(s.n);
	return s;
}
