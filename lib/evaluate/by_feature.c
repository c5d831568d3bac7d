/* SPDX-License-Identifier: MIT */
#include "evaluate/by_feature_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "finetune/forward.h"
#include "record/feature.h"

#define NONE UINT32_MAX /* in place of a value's number: it has none */

struct bt_by_feature *bt_by_feature_new(const char *field,
                                        const struct bt_metrics *like)
{
	struct bt_by_feature *g = bt_array0(1, sizeof(*g));

	g->values = bt_string_set_new();
	g->field = field;
	g->like = like;
	g->none.none = true;
	return g;
}

void bt_by_feature_free(struct bt_by_feature *g)
{
	size_t i;

	if (g == NULL)
		return;
	for (i = 0; i < g->of; i++)
		bt_metrics_clear(&g->group[i].m);
	bt_metrics_clear(&g->none.m);
	bt_string_set_free(g->values);
	bt_buf_clear(&g->text);
	bt_buf_clear(&g->names);
	free(g->group);
	free(g->value);
	free(g);
}

/* The number of the value in g->text. */
static int number_value(struct bt_by_feature *g, uint32_t *number,
                        struct bt_error *err)
{
	struct bt_span text = {bt_buf_at(&g->text, 0), g->text.len};
	size_t k;

	if (g->text.oom || bt_string_set_add(g->values, text, &k) != BT_OK)
		return bt_error_nomem(err, "measuring groups");
	if (k == BT_BY_FEATURE_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "feature '%s' has more than %d values",
		                    g->field, BT_BY_FEATURE_MAX);
	*number = (uint32_t)k;
	return BT_OK;
}

int bt_by_feature_look(struct bt_by_feature *g, size_t k, const void *data,
                       size_t len, struct bt_error *err)
{
	enum bt_feature_kind kind;
	struct bt_span raw;
	int r;

	if (bt_grow(&g->value, &g->value_cap, k + 1, sizeof(*g->value)) !=
	    BT_OK)
		return bt_error_nomem(err, "measuring groups");
	g->value[k] = NONE;
	if (g->length)
		return BT_OK;
	r = bt_record_feature_find(data, len, g->field, &raw, &kind, err);
	if (r < 0)
		return r;
	if (g->seen++ == 0 && r == 0) {
		g->length = strcmp(g->field, "length") == 0;
		return bt_record_feature_names(data, len, &g->names, err);
	}
	if (r == 0)
		return BT_OK;
	g->found++;
	bt_buf_reset(&g->text);
	r = bt_record_feature_show(g->field, raw, kind, &g->text, err);
	return r == BT_OK ? number_value(g, &g->value[k], err) : r;
}

/* The group of so many tokens. */
static int number_length(struct bt_by_feature *g, size_t n, uint32_t *number,
                         struct bt_error *err)
{
	size_t most = 1;

	while (most < n)
		most *= 2;
	bt_buf_reset(&g->text);
	if (most / 2 + 1 < most)
		bt_buf_printf(&g->text, "%zu-%zu", most / 2 + 1, most);
	else
		bt_buf_printf(&g->text, "%zu", most);
	return number_value(g, number, err);
}

/* The group of a value's number, which may be a new one. */
static int find_group(struct bt_by_feature *g, uint32_t number,
                      struct bt_by_feature_group **group, struct bt_error *err)
{
	size_t n = number == NONE ? 0 : (size_t)number + 1;

	(void)!bt_grow(&g->group, &g->cap, n, sizeof(*g->group));
	for (; g->of < n; g->of++)
		memset(&g->group[g->of], 0, sizeof(*g->group));
	*group = number == NONE ? &g->none : &g->group[number];
	if ((*group)->m.n > 0)
		return BT_OK;
	bt_metrics_clear(&(*group)->m);
	return bt_metrics_init_like(&(*group)->m, g->like, err);
}

int bt_by_feature_add(struct bt_by_feature *g, const struct bt_dataset *d,
                      size_t k, const float *answer, struct bt_error *err)
{
	uint32_t number = g->value[k];
	struct bt_by_feature_group *group = NULL;
	int r = BT_OK;

	if (g->length)
		r = number_length(g, bt_dataset_length(d, k), &number, err);
	else if (g->found == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "none of the first %llu records has the "
		                    "feature '%s': the first one has %.*s",
		                    (unsigned long long)g->seen, g->field,
		                    g->names.len < 300 ? (int)g->names.len
		                                       : 300,
		                    bt_buf_at(&g->names, 0));
	if (r == BT_OK)
		r = find_group(g, number, &group, err);
	return r == BT_OK ? bt_forward_count(&group->m, d, k, answer, err) : r;
}
