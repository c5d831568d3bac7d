/* SPDX-License-Identifier: MIT */
#include "train/class_weight.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

#define LARGEST 1e6
#define TOLD 10 /* classes whose weights are said */

static void balance(const struct bt_dataset *d, int classes, double *w)
{
	int present = 0, k;
	size_t i;

	for (k = 0; k < classes; k++)
		w[k] = 0;
	for (i = 0; i < d->n; i++)
		w[d->label[i]]++;
	for (k = 0; k < classes; k++)
		present += w[k] > 0;
	for (k = 0; k < classes; k++)
		w[k] = w[k] > 0 ? (double)d->n / (present * w[k]) : 1;
}

static int number(struct bt_span s, double *w, struct bt_error *err)
{
	char text[40];

	if (s.n < sizeof(text)) {
		memcpy(text, s.p, s.n);
		text[s.n] = '\0';
		if (bt_parse_f64(text, 0, LARGEST, w) == BT_OK)
			return BT_OK;
	}
	return bt_error_set(err, BT_EARG,
	                    "class weight '%.*s' is not a number from 0 to %g",
	                    (int)(s.n < 100 ? s.n : 100), s.p, LARGEST);
}

/* One of the list: the i-th, from 0. */
static int item(struct bt_span s, int i, const struct bt_labels *l, double *w,
                struct bt_error *err)
{
	struct bt_span value = s;
	int k = i;

	while (value.n > 0 && value.p[value.n - 1] != '=')
		value.n--;
	if (value.n > 0) {
		struct bt_span name = {s.p, value.n - 1};

		k = bt_labels_find(l, name);
		if (k < 0)
			return bt_error_set(
			    err, BT_EARG,
			    "class weights: '%.*s' is not a label",
			    (int)(name.n < 100 ? name.n : 100), name.p);
		s.p += value.n;
		s.n -= value.n;
	} else if (k >= l->n) {
		return bt_error_set(
		    err, BT_EARG, "more class weights than labels (%d)", l->n);
	}
	return number(s, &w[k], err);
}

static int from_list(const char *list, const struct bt_labels *l, double *w,
                     struct bt_error *err)
{
	bool named = strchr(list, '=') != NULL;
	const char *end;
	int i, r = BT_OK;

	for (i = 0; i < l->n; i++)
		w[i] = 1;
	for (i = 0; r == BT_OK; i++, list = end + 1) {
		end = strchr(list, ',');
		if (end == NULL)
			end = list + strlen(list);
		if (named && memchr(list, '=', (size_t)(end - list)) == NULL)
			return bt_error_set(err, BT_EARG,
			                    "class weight '%.*s' is not "
			                    "LABEL=NUMBER",
			                    (int)(end - list), list);
		r = item((struct bt_span){list, (size_t)(end - list)}, i, l, w,
		         err);
		if (*end == '\0')
			break;
	}
	if (r == BT_OK && !named && i + 1 != l->n)
		return bt_error_set(err, BT_EARG,
		                    "%d class weights for %d labels", i + 1,
		                    l->n);
	return r;
}

static void say(const struct bt_labels *l, const double *w, struct bt_buf *b)
{
	int i;

	for (i = 0; i < l->n && i < TOLD; i++)
		bt_buf_printf(b, "%s'%s' %.4g", i > 0 ? ", " : "", l->name[i],
		              w[i]);
	if (i < l->n)
		bt_buf_puts(b, ", ...");
}

int bt_class_weight(struct bt_dataset *d, const struct bt_labels *l,
                    const char *how, struct bt_buf *said, struct bt_error *err)
{
	double *w = bt_array((size_t)l->n, sizeof(*w)), sum = 0;
	int r = BT_OK;
	size_t i;

	if (w == NULL)
		return bt_error_nomem(err, "weighting classes");
	if (strcmp(how, "balanced") == 0)
		balance(d, l->n, w);
	else
		r = from_list(how, l, w, err);
	for (i = 0; r == BT_OK && i < d->n; i++) {
		d->weight[i] = (float)((double)d->weight[i] * w[d->label[i]]);
		sum += (double)d->weight[i];
	}
	if (r == BT_OK && sum <= 0)
		r = bt_error_set(err, BT_EARG,
		                 "the class weights leave every training "
		                 "example without weight");
	if (r == BT_OK) {
		d->has_weights = true;
		say(l, w, said);
	}
	free(w);
	return r;
}
