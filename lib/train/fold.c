/* SPDX-License-Identifier: MIT */
#include "train/fold.h"

#include <stdlib.h>

#include "base/mem.h"
#include "recordset/folds.h"
#include "recordset/group_folds.h"
#include "recordset/strata.h"

struct choosing {
	const struct bt_dataset *d;
	uint32_t *first; /* [n] example of each text */
	size_t n;
	int32_t *number;         /* [classes] as they first appear, or -1 */
	struct bt_bitpack class; /* [n] such numbers */
	struct bt_bitpack fold;  /* [n] */
};

/* The classes of texts, numbered by first appearance; returns their number. */
static uint32_t number_classes(struct choosing *c)
{
	int32_t found = 0, label;
	size_t i;

	for (i = 0; i < c->n; i++) {
		label = c->d->label[c->first[i]];
		if (c->number[label] < 0)
			c->number[label] = found++;
		bt_bitpack_set(&c->class, i, (uint32_t)c->number[label]);
	}
	return (uint32_t)found;
}

/* Folds of groups; classes are numbered as the labels are. */
static int choose_groups(struct choosing *c, const struct bt_fold *f,
                         uint32_t classes, struct bt_error *err)
{
	struct bt_strata *values = bt_strata_new(f->group);
	struct bt_group_folds g = {.seed = (uint32_t)f->seed,
	                           .folds = (uint32_t)f->folds,
	                           .n = (uint32_t)c->n,
	                           .class = classes > 0 ? &c->class : NULL,
	                           .classes = classes};
	struct bt_span record;
	int r = BT_OK;
	size_t i;

	for (i = 0; r == BT_OK && i < c->n; i++) {
		record = bt_dataset_record(c->d, c->first[i]);
		r = bt_strata_add(values, record.p, record.n, err);
		if (r != BT_OK)
			bt_error_prefix(err, "text %zu", i + 1);
	}
	if (r == BT_OK)
		r = bt_strata_end(values, true, &g.group, &g.groups, err);
	if (r == BT_OK)
		r = bt_group_folds_choose(&g, &c->fold, err);
	bt_strata_free(values);
	return r;
}

/* Numbers classes that texts have in the order of the labels. */
static void sort_classes(struct choosing *c, size_t most)
{
	int32_t found = 0;
	size_t i;

	for (i = 0; i < most; i++)
		if (c->number[i] >= 0)
			c->number[i] = found++;
	for (i = 0; most > 0 && i < c->n; i++)
		bt_bitpack_set(&c->class, i,
		               (uint32_t)c->number[c->d->label[c->first[i]]]);
}

static int choose(struct choosing *c, const struct bt_fold *f, bool by_class,
                  const struct bt_log *log, struct bt_error *err)
{
	uint32_t classes = 0, rare = 0;
	size_t i, most = 1;
	int r;

	for (i = 0; by_class && i < c->n; i++)
		if ((size_t)c->d->label[c->first[i]] >= most)
			most = (size_t)c->d->label[c->first[i]] + 1;
	c->number = bt_array(most, sizeof(*c->number));
	if (c->number == NULL ||
	    bt_bitpack_init(&c->class, c->n, (uint32_t)most) != BT_OK)
		return bt_error_nomem(err, "making folds");
	for (i = 0; i < most; i++)
		c->number[i] = -1;
	if (by_class)
		classes = number_classes(c);
	if (f->group != NULL) {
		sort_classes(c, by_class ? most : 0);
		return choose_groups(c, f, classes, err);
	}
	r = bt_folds_choose((uint32_t)f->seed, (uint32_t)f->folds,
	                    (uint32_t)c->n, by_class ? &c->class : NULL,
	                    classes, &c->fold, &rare, err);
	if (r == BT_OK && rare > 0 && f->fold == 0) /* once */
		bt_log_warn(log, "stratum-too-small", BT_HINT_NONE,
		            "%u label%s fewer texts than there are folds: not "
		            "every fold tests %s",
		            rare, rare == 1 ? " has" : "s have",
		            rare == 1 ? "it" : "them");
	return r;
}

static int divide(const struct choosing *c, const struct bt_fold *f,
                  struct bt_dataset *d, struct bt_dataset *held,
                  uint32_t **number, struct bt_error *err)
{
	uint8_t *chosen = bt_array0(d->n, 1);
	uint32_t *numbers = bt_array(c->n, sizeof(*numbers));
	size_t i, k, end, n = 0;
	int r = BT_OK;

	if (chosen == NULL || numbers == NULL)
		r = bt_error_nomem(err, "making folds");
	for (i = 0; r == BT_OK && i < c->n; i++) {
		if (bt_bitpack_get(&c->fold, i) != (uint32_t)f->fold)
			continue;
		numbers[n++] = (uint32_t)i;
		end = i + 1 < c->n ? c->first[i + 1] : d->n;
		for (k = c->first[i]; k < end; k++)
			chosen[k] = 1;
	}
	if (r == BT_OK)
		r = bt_dataset_divide(d, chosen, held, err);
	free(chosen);
	if (r == BT_OK && number != NULL)
		*number = numbers;
	else
		free(numbers);
	return r;
}

int bt_fold_take(const struct bt_fold *f, const struct bt_task *task,
                 struct bt_dataset *d, struct bt_dataset *held,
                 uint32_t **number, const struct bt_log *log,
                 struct bt_error *err)
{
	struct choosing c = {
	    .d = d, .class = BT_BITPACK_INIT, .fold = BT_BITPACK_INIT};
	int r = BT_OK;

	if (!bt_task_of_texts(task))
		return bt_error_set(
		    err, BT_EARG,
		    "this model learns to %s: folds are of texts "
		    "with labels or numbers",
		    task->learns);
	c.first = bt_dataset_find_texts(d, &c.n);
	if (c.first == NULL)
		r = bt_error_nomem(err, "making folds");
	if (r == BT_OK)
		r = choose(&c, f, task == &bt_task_classification, log, err);
	if (r == BT_OK)
		r = divide(&c, f, d, held, number, err);
	free(c.first);
	free(c.number);
	bt_bitpack_clear(&c.class);
	bt_bitpack_clear(&c.fold);
	return r;
}
