/* SPDX-License-Identifier: MIT */
#include "recordset/filter.h"

#include <stdlib.h>

#include "base/mem.h"
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
};

int bt_filter_new(const struct bt_filter_opts *opts, struct bt_filter **res,
                  struct bt_error *err)
{
	struct bt_filter *c = bt_array0(1, sizeof(*c));
	int r = BT_OK;

	c->o = *opts;
	if (opts->dedupe != NULL && opts->near > 0)
		c->near = bt_minhash_new(opts->near, opts->memory);
	else if (opts->dedupe != NULL)
		c->seen = bt_string_set_disk_new(opts->memory);
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
	bt_minhash_free(c->near);
	free(c);
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

	if (r <= 0)
		return r < 0 ? r : 1;
	c->any_field = true;
	return c->near != NULL ? bt_minhash_keep(c->near, value, err)
	                       : bt_string_set_disk_add(c->seen, value, err);
}

int bt_filter_take(struct bt_filter *c, const void *data, size_t len,
                   struct bt_error *err)
{
	int r = 1;

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
