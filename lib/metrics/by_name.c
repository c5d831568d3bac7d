/* SPDX-License-Identifier: MIT */
/* Metrics by their names. */
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "metrics/metrics.h"

static const struct {
	unsigned of; /* bits: who has it */
	bool falls;  /* the smaller the better */
	const char *name;
	size_t offset;
	unsigned needs;
	int above; /* it needs more classes than that */
} known[] = {
#define ALL                                                                    \
	(CLASSES | NUMBERS | LABELS | TAGS | SPANS | QUESTIONS | CHOICES |     \
	 PAIRS | MASKED)
#define CLASSES BT_METRICS_CLASSIFICATION
#define NUMBERS (BT_METRICS_REGRESSION | FITS)
#define FITS BT_METRICS_RANKING
#define LABELS BT_METRICS_MULTILABEL
#define TAGS BT_METRICS_TAGGING
#define SPANS BT_METRICS_SPANS
#define QUESTIONS BT_METRICS_QUESTIONS
#define CHOICES BT_METRICS_CHOICES
#define PAIRS BT_METRICS_EMBEDDINGS
#define MASKED BT_METRICS_MASKED
#define PROBABILITIES BT_METRICS_OF_PROBABILITIES
#define RANKS (BT_METRICS_RANKS | PROBABILITIES)
#define ROW(of, falls, name, field, needs, above)                              \
	{                                                                      \
		of, falls, name, offsetof(struct bt_metrics_summary, field),   \
		    needs, above                                               \
	}
#define M(of, falls, field) ROW(of, falls, #field, field, 0, 0)
    ROW(ALL, true, "loss", loss, PROBABILITIES, 0),
    ROW(CLASSES | LABELS | TAGS | CHOICES | PAIRS | MASKED, false, "accuracy",
        accuracy, BT_METRICS_OF_PAIRS, 0),
    M(CHOICES, false, map_at_3),
    M(MASKED, true, perplexity),
    ROW(MASKED, false, "next_accuracy", next_accuracy, BT_METRICS_OF_NEXT, 0),
    ROW(PAIRS, false, "mrr", mrr, BT_METRICS_OF_PAIRS, 0),
    ROW(PAIRS, false, "ndcg_at_10", ndcg_at_10, BT_METRICS_OF_PAIRS, 0),
    ROW(PAIRS, false, "triplet_accuracy", triplet_accuracy,
        BT_METRICS_OF_TRIPLETS, 0),
    ROW(TAGS | CLASSES, false, "precision", precision, BT_METRICS_OF_TWO, 0),
    ROW(TAGS | CLASSES, false, "recall", recall, BT_METRICS_OF_TWO, 0),
    ROW(TAGS | SPANS | QUESTIONS | CLASSES, false, "f1", f1, BT_METRICS_OF_TWO,
        0),
    M(SPANS | QUESTIONS, false, exact_match),
    M(CLASSES | LABELS | TAGS, false, macro_precision),
    M(CLASSES | LABELS | TAGS, false, macro_recall),
    M(CLASSES | LABELS | TAGS, false, macro_f1),
    M(CLASSES | LABELS | TAGS, false, weighted_precision),
    M(CLASSES | LABELS | TAGS, false, weighted_recall),
    M(CLASSES | LABELS | TAGS, false, weighted_f1),
    M(LABELS, false, micro_precision),
    M(LABELS, false, micro_recall),
    M(LABELS, false, micro_f1),
    M(LABELS, true, hamming_loss),
    ROW(CLASSES | LABELS | FITS, false, "roc_auc", roc_auc, RANKS, 0),
    ROW(CLASSES | LABELS, false, "weighted_roc_auc", weighted_roc_auc, RANKS,
        2),
    ROW(CLASSES | LABELS | FITS, false, "average_precision", average_precision,
        RANKS, 0),
    ROW(CLASSES | LABELS, true, "brier_score", brier_score, PROBABILITIES, 0),
    ROW(CLASSES | LABELS, true, "ece", ece, PROBABILITIES, 0),
    M(CLASSES, false, mcc),
    ROW(CLASSES | NUMBERS, false, "quadratic_weighted_kappa",
        quadratic_weighted_kappa, BT_METRICS_OF_WHOLE, 0),
    ROW(CLASSES, false, "top_2_accuracy", top[0], PROBABILITIES, 2),
    ROW(CLASSES, false, "top_3_accuracy", top[1], PROBABILITIES, 3),
    ROW(CLASSES, false, "top_5_accuracy", top[2], PROBABILITIES, 5),
    ROW(CLASSES, false, "top_10_accuracy", top[3], PROBABILITIES, 10),
    M(QUESTIONS, false, has_answer_exact_match),
    M(QUESTIONS, false, has_answer_f1),
    M(QUESTIONS, false, no_answer_exact_match),
    M(QUESTIONS, false, no_answer_f1),
    M(QUESTIONS, false, best_exact_match),
    M(QUESTIONS, false, best_f1),
    M(QUESTIONS, false, exact_match_average_precision),
    M(QUESTIONS, false, f1_average_precision),
    M(QUESTIONS, false, oracle_average_precision),
    M(NUMBERS, true, mse),
    M(NUMBERS, true, rmse),
    M(NUMBERS, true, mae),
    M(NUMBERS, false, r2),
    ROW(NUMBERS | PAIRS, false, "pearson", pearson, BT_METRICS_OF_SCORES, 0),
    ROW(NUMBERS | PAIRS, false, "spearman", spearman, BT_METRICS_OF_SCORES, 0),
    M(NUMBERS, false, pearson_spearman),
#undef M
#undef ROW
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

/* Other names, where the kinds of model are the same. */
static const struct {
	unsigned of;
	const char *name, *means;
} others[] = {
    {NUMBERS, "mcrmse", "rmse"},
    {CLASSES | LABELS | FITS, "log_loss", "loss"},
    {CLASSES | LABELS, "expected_calibration_error", "ece"},
    {CLASSES | NUMBERS, "qwk", "quadratic_weighted_kappa"},
    {ALL, "acc", "accuracy"},
    {CLASSES | LABELS | FITS, "auc", "roc_auc"},
    {CLASSES | LABELS, "f1_macro", "macro_f1"},
    {LABELS, "f1_micro", "micro_f1"},
    {CLASSES | LABELS, "f1_weighted", "weighted_f1"},
};

static bool is_of(const struct bt_metrics_summary *s, unsigned of)
{
	return s->kind == NULL || (of & s->kind->bit) != 0;
}

/* What metric i needs and was not there. */
static unsigned lacks(const struct bt_metrics_summary *s, size_t i)
{
	bool more =
	    s->kind != NULL && s->kind->bit == CLASSES && s->classes > 2;

	return known[i].needs & (s->lacks | (more ? BT_METRICS_OF_TWO : 0));
}

static bool is_set(const struct bt_metrics_summary *s, size_t i)
{
	return is_of(s, known[i].of) && lacks(s, i) == 0 &&
	       (s->classes == 0 || s->classes > known[i].above);
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

/* Index of the metric of that name, or KNOWN; *of: who has it under that name.
 */
static size_t find(const char *name, unsigned *of)
{
	const char *means;
	char key[40];
	size_t i;

	snprintf(key, sizeof(key), "%s", name);
	for (i = 0; key[i] != '\0'; i++)
		if (key[i] == '-')
			key[i] = '_';
	means = key;
	*of = ALL;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i].name, key) == 0) {
			means = others[i].means;
			*of = others[i].of;
		}
	for (i = 0; i < KNOWN && strcmp(known[i].name, means) != 0; i++)
		;
	if (i < KNOWN)
		*of &= known[i].of;
	return i;
}

/* What one of these bits stands for. */
static const char *lacking(const struct bt_metrics_summary *s, unsigned needs)
{
	if ((needs & BT_METRICS_OF_TWO) != 0)
		return "two classes";
	if ((needs & BT_METRICS_OF_SCORES) != 0)
		return "pairs with a score";
	if ((needs & BT_METRICS_OF_PAIRS) != 0)
		return "pairs without a score";
	if ((needs & BT_METRICS_OF_TRIPLETS) != 0)
		return "pairs with a text that the first is not to be near";
	if ((needs & BT_METRICS_OF_NEXT) != 0)
		return "next sentences, in the records and in the model";
	if ((needs & BT_METRICS_OF_WHOLE) != 0)
		return "labels that are all whole numbers, less than 256 apart";
	return s->kind != NULL && s->kind->bit == FITS
	           ? "labels that are all 0 or 1"
	           : "the probabilities of all examples";
}

/* The metric whose name is nearest, of those that are set; or NULL. */
static const char *meant(const struct bt_metrics_summary *s, const char *name)
{
	size_t k, d, least = 1 + strlen(name) / 3;
	const char *best = NULL;

	if (strlen(name) > BT_SUGGEST_LONGEST)
		return NULL;
	for (k = 0; k < KNOWN; k++) {
		d = is_set(s, k) ? bt_suggest_distance(known[k].name, name)
		                 : least;
		if (d < least) {
			least = d;
			best = known[k].name;
		}
	}
	return best;
}

int bt_metrics_find(const struct bt_metrics_summary *s, const char *name,
                    double *value, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *text;
	unsigned of;
	size_t i = find(name, &of), k;
	int r;

	if (i < KNOWN && is_of(s, of) && is_set(s, i)) {
		*value = value_of(s, i);
		return BT_OK;
	}
	for (k = 0; k < KNOWN; k++)
		if (is_set(s, k))
			bt_buf_printf(&b, "%s%s", b.len > 0 ? ", " : "",
			              known[k].name);
	text = bt_buf_str(&b);
	if (i < KNOWN && is_of(s, of) && s->classes > 0 &&
	    s->classes <= known[i].above)
		r = bt_error_set(err, BT_EARG,
		                 "metric '%s' needs more than %d classes, and "
		                 "there are %d",
		                 name, known[i].above, s->classes);
	else if (i < KNOWN && is_of(s, of))
		r = bt_error_set(err, BT_EARG, "metric '%s' needs %s", name,
		                 lacking(s, lacks(s, i)));
	else if (i < KNOWN)
		r = bt_error_set(err, BT_EARG,
		                 "metric '%s' is not available for %s, "
		                 "available: %s",
		                 name, s->kind->name, text);
	else if (meant(s, name) != NULL)
		r = bt_error_set(err, BT_EARG,
		                 "unknown metric '%s'; did you mean '%s'?",
		                 name, meant(s, name));
	else
		r = bt_error_set(err, BT_EARG,
		                 "unknown metric '%s', available: %s", name,
		                 text);
	bt_buf_clear(&b);
	return r;
}

bool bt_metrics_falls(const char *name)
{
	unsigned of;
	size_t i = find(name, &of);

	return i < KNOWN && known[i].falls;
}

unsigned bt_metrics_needs(const char *name)
{
	unsigned of;
	size_t i = find(name, &of);

	return i < KNOWN ? known[i].needs : 0;
}
