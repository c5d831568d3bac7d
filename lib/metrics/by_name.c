/* SPDX-License-Identifier: MIT */
/* Metrics by their names. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metrics/metrics.h"

static const struct {
	unsigned of; /* bits: who has it */
	bool falls;  /* the smaller the better */
	const char *name;
	size_t offset;
} known[] = {
#define ALL (CLASSES | NUMBERS | LABELS)
#define CLASSES BT_METRICS_CLASSIFICATION
#define NUMBERS BT_METRICS_REGRESSION
#define LABELS BT_METRICS_MULTILABEL
#define M(of, falls, field)                                                    \
	{                                                                      \
		of, falls, #field, offsetof(struct bt_metrics_summary, field)  \
	}
    M(ALL, true, loss),
    M(CLASSES | LABELS, false, accuracy),
    M(CLASSES | LABELS, false, macro_precision),
    M(CLASSES | LABELS, false, macro_recall),
    M(CLASSES | LABELS, false, macro_f1),
    M(CLASSES | LABELS, false, weighted_precision),
    M(CLASSES | LABELS, false, weighted_recall),
    M(CLASSES | LABELS, false, weighted_f1),
    M(LABELS, false, micro_precision),
    M(LABELS, false, micro_recall),
    M(LABELS, false, micro_f1),
    M(LABELS, true, hamming_loss),
    M(LABELS, false, roc_auc),
    M(CLASSES, false, mcc),
    M(NUMBERS, true, mse),
    M(NUMBERS, true, rmse),
    M(NUMBERS, true, mae),
    M(NUMBERS, false, r2),
    M(NUMBERS, false, pearson),
    M(NUMBERS, false, spearman),
    M(NUMBERS, false, pearson_spearman),
#undef M
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

static bool is_set(const struct bt_metrics_summary *s, size_t i)
{
	return s->kind == NULL || (known[i].of & s->kind->bit) != 0;
}

static double value_of(const struct bt_metrics_summary *s, size_t i)
{
	double v;

	memcpy(&v, (const char *)s + known[i].offset, sizeof(v));
	return v;
}

const char *bt_metrics_name(size_t i, const struct bt_metrics_summary *s,
                            double *value)
{
	size_t k;

	for (k = 0; k < KNOWN; k++)
		if (is_set(s, k) && i-- == 0) {
			*value = value_of(s, k);
			return known[k].name;
		}
	return NULL;
}

/* Index of the metric of that name, or KNOWN. */
static size_t find(const char *name)
{
	char key[40], *at;
	size_t i;

	snprintf(key, sizeof(key), "%s", name);
	for (i = 0; key[i] != '\0'; i++)
		if (key[i] == '-')
			key[i] = '_';
	at = strcmp(key, "mcrmse") == 0 ? key + 2 : key; /* the same */
	for (i = 0; i < KNOWN && strcmp(known[i].name, at) != 0; i++)
		;
	return i;
}

int bt_metrics_find(const struct bt_metrics_summary *s, const char *name,
                    double *value, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i = find(name), k;
	const char *text;
	int r;

	if (i < KNOWN && is_set(s, i)) {
		*value = value_of(s, i);
		return BT_OK;
	}
	for (k = 0; k < KNOWN; k++)
		if (is_set(s, k))
			bt_buf_printf(&b, "%s%s", b.len > 0 ? ", " : "",
			              known[k].name);
	text = bt_buf_str(&b);
	if (i < KNOWN)
		r = bt_error_set(err, BT_EARG,
		                 "metric '%s' is not available for %s, "
		                 "available: %s",
		                 name, s->kind->name, text);
	else
		r = bt_error_set(err, BT_EARG,
		                 "unknown metric '%s', available: %s", name,
		                 text);
	bt_buf_clear(&b);
	return r;
}

bool bt_metrics_falls(const char *name)
{
	size_t i = find(name);

	return i < KNOWN && known[i].falls;
}
