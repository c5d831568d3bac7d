/* SPDX-License-Identifier: MIT */
#include "recordset/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "dedup/minhash.h"
#include "dedup/string_set_disk.h"
#include "record/feature.h"
#include "record/predicate.h"

struct bt_filter {
	struct bt_filter_opts o;
	struct bt_predicate *where;      /* or NULL */
	struct bt_string_set_disk *seen; /* values, or NULL */
	struct bt_minhash *near;         /* in its place, or NULL */
	uint64_t held;    /* records for which the conditions held */
	uint64_t dropped; /* of these, as duplicates */
	uint64_t chosen;  /* the others so far */
	bool any_field;   /* some record had the feature of dedupe */

	/* hashes of values that have a label, and of both; or NULL */
	struct bt_string_set_disk *labelled;
	uint64_t records;        /* so far */
	uint64_t contradictions; /* dropped, with another label than the one
	                          * kept */
	uint64_t example;        /* the first of these records, from 1 */
};

int bt_filter_new(const struct bt_filter_opts *opts, struct bt_filter **res,
                  struct bt_error *err)
{
	struct bt_filter *c = bt_array0(1, sizeof(*c));
	int r = BT_OK;

	c->o = *opts;
	if (opts->dedupe != NULL && opts->near > 0)
		c->near = bt_minhash_new(opts->near, opts->memory);
	else if (opts->dedupe != NULL) {
		c->seen =
		    bt_string_set_disk_new(opts->memory - opts->memory / 4);
		c->labelled = bt_string_set_disk_new(opts->memory / 4);
	}
	if (opts->n_where > 0)
		r = bt_predicate_new(opts->where, opts->n_where, &c->where,
		                     err);
	if (r == BT_OK)
		*res = c;
	else
		bt_filter_free(c);
	return r;
}

void bt_filter_free(struct bt_filter *c)
{
	if (c == NULL)
		return;
	bt_predicate_free(c->where);
	bt_string_set_disk_free(c->seen);
	bt_string_set_disk_free(c->labelled);
	bt_minhash_free(c->near);
	free(c);
}

/* Whether records that are equal in a feature should have one label: it says
 * which text this is. */
static bool is_text(const char *field)
{
	static const char *const fields[] = {
	    "id", "text_a", "text_b", "words", "input_ids", "input_word_ids"};

	return BT_STR_ROW(field, fields) >= 0;
}

/* A hash of the labels in any order. */
static int hash_labels(struct bt_span raw, uint64_t *hash, struct bt_error *err)
{
	struct bt_feature f = bt_record_feature("label", raw, BT_FEATURE_BYTES);
	struct bt_pb at = f.list;
	struct bt_span s;
	int r;

	*hash = 0;
	while ((r = bt_feature_next_text(&f, &at, &s.p, &s.n, err)) == 1)
		*hash += bt_hash(s.p, s.n);
	return r == 0 ? 1 : r;
}

/* 1: the record has a label, or several, or tags, which hold for its value: not
 * for one text of a pair; *hash is theirs. */
static int find_label(const struct bt_filter *c, const void *data, size_t len,
                      uint64_t *hash, struct bt_error *err)
{
	static const char *const names[] = {"label", "label_ids", "tags"};
	const char *field = c->o.dedupe;
	const char *other = strcmp(field, "text_a") == 0   ? "text_b"
	                    : strcmp(field, "text_b") == 0 ? "text_a"
	                                                   : NULL;
	enum bt_feature_kind kind;
	struct bt_span raw;
	int r = 0;
	size_t i;

	if (other != NULL)
		r = bt_record_feature_find(data, len, other, &raw, NULL, err);
	if (r != 0)
		return r < 0 ? r : 0;
	for (i = 0; r == 0 && i < 3; i++)
		r = bt_record_feature_find(data, len, names[i], &raw, &kind,
		                           err);
	if (r != 1)
		return r;
	if (i == 1 && kind == BT_FEATURE_BYTES)
		return hash_labels(raw, hash, err);
	*hash = bt_hash(raw.p, raw.n);
	return 1;
}

/* Remembers the label of a record that is kept, or compares that of one that is
 * dropped: a value without a label contradicts none. */
static int note_label(struct bt_filter *c, struct bt_span value, bool dropped,
                      const void *data, size_t len, struct bt_error *err)
{
	uint64_t of_value = bt_hash(value.p, value.n), of_label, of_both;
	struct bt_span one = {(const char *)&of_value, sizeof(of_value)};
	struct bt_span both = {(const char *)&of_both, sizeof(of_both)};
	int r = find_label(c, data, len, &of_label, err);

	if (r != 1)
		return r;
	of_both = bt_hash_mix(of_value) ^ of_label;
	if (!dropped) {
		r = bt_string_set_disk_add(c->labelled, one, err);
		return r < 0 ? r
		             : bt_string_set_disk_add(c->labelled, both, err);
	}
	r = bt_string_set_disk_has(c->labelled, one, err);
	if (r != 1)
		return r;
	r = bt_string_set_disk_has(c->labelled, both, err);
	if (r == 0 && c->contradictions++ == 0)
		c->example = c->records;
	return r;
}

/* 1: the first record with its value, or one without the feature. */
static int is_first(struct bt_filter *c, const void *data, size_t len,
                    struct bt_error *err)
{
	struct bt_span value;
	int r = c->near != NULL ? bt_record_feature_text(data, len, c->o.dedupe,
	                                                 &value, err)
	                        : bt_record_feature_find(data, len, c->o.dedupe,
	                                                 &value, NULL, err);
	int is_new;

	if (r <= 0)
		return r < 0 ? r : 1;
	c->any_field = true;
	if (c->near != NULL)
		return bt_minhash_keep(c->near, value, err);
	is_new = bt_string_set_disk_add(c->seen, value, err);
	if (is_new < 0)
		return is_new;
	if (is_text(c->o.dedupe))
		r = note_label(c, value, is_new == 0, data, len, err);
	return r < 0 ? r : is_new;
}

int bt_filter_take(struct bt_filter *c, const void *data, size_t len,
                   struct bt_error *err)
{
	int r = 1;

	c->records++;
	if (c->where != NULL)
		r = bt_predicate_holds(c->where, data, len, err);
	if (r != 1)
		return r;
	c->held++;
	if (c->o.dedupe != NULL) {
		r = is_first(c, data, len, err);
		c->dropped += r == 0;
		if (r != 1)
			return r;
	}
	c->chosen++;
	return c->chosen > c->o.from && c->chosen <= c->o.to;
}

bool bt_filter_full(const struct bt_filter *c)
{
	return c->chosen >= c->o.to;
}

int bt_filter_end(const struct bt_filter *c, struct bt_error *err)
{
	int r = c->where != NULL ? bt_predicate_end(c->where, err) : BT_OK;

	if (r == BT_OK && c->o.dedupe != NULL && c->held > 0 && !c->any_field)
		r = bt_error_set(err, BT_EFORMAT,
		                 "no record has the feature '%s'", c->o.dedupe);
	return r;
}

uint64_t bt_filter_dropped(const struct bt_filter *c)
{
	return c->dropped;
}

void bt_filter_tell(const struct bt_filter *c, const struct bt_log *log)
{
	unsigned long long n = c->contradictions;

	if (n > 0)
		bt_log_warn(log, "labels-contradict", BT_HINT_NONE,
		            "%llu dropped record%s another label than the "
		            "record kept with the same %s, as record %llu",
		            n, n == 1 ? " has" : "s have", c->o.dedupe,
		            (unsigned long long)c->example);
}
