/* SPDX-License-Identifier: MIT */
/*
 * Measures of a classifier, as scikit-learn defines them: classes present in
 * truth or prediction count; 0/0 is 0; macro is the plain mean over those
 * classes, weighted the mean by true count. Of a model that finds any number of
 * labels, where macro counts all of them. Metrics of probabilities take them as
 * f32, as predictions are written; those that rank (ROC AUC, average precision)
 * look at one class after the other, of two at the second, and leave out
 * classes that no example has. And of one that predicts numbers, as
 * scikit-learn and SciPy define them; of several the mean over these.
 * Of one that tags words, as conlleval and seqeval (in its default mode, or
 * strictly) define them: an entity is right if its type, first and last word
 * are.
 * Of one that finds answers: in each window of a text the two tokens with the
 * largest sum of logits, of which the first is not behind the last, beside
 * those of the answer. And of answers to questions, as
 * the scripts of SQuAD define them (metrics/squad.h), but from 0 to 1.
 * And of embeddings of pairs of texts: by the cosine, how near the second text
 * of each is to the first among those of all pairs, behind others that are
 * equally near; or how cosines agree with the scores of the pairs. And of
 * masked tokens, over the vocabulary. And of the choices of questions, by their
 * scores: equally good ones are before the right one.
 */
#ifndef BT_METRICS_METRICS_H
#define BT_METRICS_METRICS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "metrics/scores.h"
#include "metrics/squad.h"
#include "record/labels.h"

#define BT_METRICS_BINS 15 /* of the calibration error, of equal width */
#define BT_METRICS_TOPS 4  /* K of top-K accuracy: */
extern const int bt_metrics_top[BT_METRICS_TOPS];

/* Sums over examples that have one class. */
struct bt_metrics_sums {
	double distance; /* squares of the distances from truth to prediction */
	double brier;    /* squares of the errors of all probabilities */
	uint64_t top[BT_METRICS_TOPS]; /* truths among the likeliest K */
	/* by the probability of the likeliest class */
	uint64_t bin_n[BT_METRICS_BINS], bin_hits[BT_METRICS_BINS];
	double bin_p[BT_METRICS_BINS];
};

/* What the outputs of classes and labels are. */
enum bt_metrics_output {
	BT_METRICS_LOGITS,
	BT_METRICS_PROBABILITIES, /* whose bounds are probabilities */
	BT_METRICS_ANSWERS        /* 1 for what is predicted, else 0 */
};

struct bt_metrics {
	const struct bt_metrics_kind *kind;
	enum bt_metrics_output output;
	uint64_t n;      /* examples */
	double loss_sum; /* over these */

	/* where each example has one class, else 0 and NULL */
	int classes;
	uint64_t *count; /* [truth][prediction], or NULL */
	/* [classes] of count: its diagonal, sums of its rows and columns */
	uint64_t *hits, *support, *predicted;
	struct bt_metrics_sums sums;
	float *p; /* [classes] probabilities of the last one */
	/* What metrics that rank need of all examples, as long as it takes no
	 * more bytes than keep, which is 0 once it does: classes, and
	 * probabilities [n][classes], or [n] of the second of two. To be set
	 * before the first example. */
	size_t keep;
	int32_t *is;
	float *kept;
	size_t is_cap, kept_cap;

	/* where its targets are a row of numbers (kind->has_rows) */
	size_t width;         /* outputs */
	size_t rows;          /* of embeddings, [rows][width] in guess; is has
	                       * the number of each text in its pair, truth
	                       * the pair's score */
	float *truth, *guess; /* [n][width] */
	size_t truth_cap, guess_cap;
	/* of embeddings a hash of the tokens, equal where these are: of the
	 * text that is added next, to be set before, and [rows] of all */
	uint64_t text, *texts;
	size_t texts_cap;
	struct bt_pool *pool; /* of a summary of embeddings; NULL: one thread.
	                       * Borrowed */
	/* [width] the logits above which labels are predicted, NULL: 0; or see
	 * bt_metrics_predicted. Borrowed */
	const double *bound;
	/* of numbers, what scores they become for the kappa; NULL: the nearest
	 * of those from the smallest to the largest of truth, or that of the
	 * whole that these examples are from, unless this is NULL. Borrowed */
	const struct bt_scores *scores;
	const struct bt_metrics *whole;

	struct bt_metrics_tags *tags; /* of words (tagging.c), else NULL */
	double exact_sum, f1_sum;     /* of spans; exact: of masked tokens, and
	                               * of choices, whose average precisions f1
	                               * is */
	uint64_t next_n, next_right;  /* of next sentences, beside these */
	double next_sum;              /* of their losses */
	struct bt_squad *squad;       /* of answers (questions.c), else NULL */
	enum bt_squad_rules rules;    /* of it */
};

struct bt_metrics_summary;

/*
 * One kind of metrics. truth is the class of an example, targets [width] are
 * its numbers, or 1 for each label that holds and else 0; output are the
 * model's [outputs].
 */
struct bt_metrics_kind {
	const char *name; /* what is measured: "classes" */
	unsigned bit;     /* which of the metrics by name it has */
	bool has_rows;
	struct {
		const char *name, *label;
	} shown[4]; /* in the line of an epoch, after the losses */

	/* Where outputs are tags or answers: what they are called, before the
	 * first example; of tags the beginning of a text, before its words;
	 * that all is counted anew; and that it is forgotten. NULL where they
	 * are not. */
	int (*name_outputs)(struct bt_metrics *m, const struct bt_labels *l,
	                    struct bt_error *err);
	void (*begin)(struct bt_metrics *m);
	void (*reset)(struct bt_metrics *m);
	void (*clear)(struct bt_metrics *m);
	double (*loss)(const struct bt_metrics *m, int truth,
	               const float *targets, const float *output);
	/* Whether an output is right; NULL where there is no such thing. */
	bool (*is_right)(const struct bt_metrics *m, int truth,
	                 const float *targets, const float *output);
	int (*add)(struct bt_metrics *m, int truth, const float *targets,
	           const float *output, struct bt_error *err);
	/* Where an answer is the first and last of the tokens of an example:
	 * their numbers are targets [2]; logits [tokens][2]. Else NULL. */
	void (*add_span)(struct bt_metrics *m, const float *targets,
	                 const float *logits, size_t tokens);
	void (*summary)(const struct bt_metrics *m,
	                struct bt_metrics_summary *s);
	/* One of the two: labels are reported one by one, or not. */
	void (*report)(const struct bt_metrics *m, const struct bt_labels *l,
	               int confusions, struct bt_buf *out);
	void (*report_all)(const struct bt_metrics *m,
	                   const struct bt_metrics_summary *s,
	                   struct bt_buf *out);
	/* Why metrics that rank are NaN, for a message; NULL where NaN depends
	 * on the predictions, too. */
	void (*undefined)(const struct bt_metrics *m, const struct bt_labels *l,
	                  struct bt_buf *out);
	/* Adds what bt_metrics_json says beside the summary, or NULL; not 0: no
	 * memory. */
	int (*json)(const struct bt_metrics *m, const struct bt_labels *l,
	            json_t *o);
};

/* Bits for kind->bit. */
enum {
	BT_METRICS_CLASSIFICATION = 1,
	BT_METRICS_REGRESSION = 2,
	BT_METRICS_MULTILABEL = 4,
	BT_METRICS_TAGGING = 8,
	BT_METRICS_SPANS = 16,
	BT_METRICS_QUESTIONS = 32,
	BT_METRICS_EMBEDDINGS = 64,
	BT_METRICS_MASKED = 128,
	BT_METRICS_RANKING = 256,
	BT_METRICS_CHOICES = 512
};

extern const struct bt_metrics_kind bt_metrics_choices,
    bt_metrics_classification, bt_metrics_embeddings, bt_metrics_masked,
    bt_metrics_multilabel, bt_metrics_questions, bt_metrics_ranking,
    bt_metrics_regression, bt_metrics_spans, bt_metrics_tagging;

int bt_metrics_init(struct bt_metrics *m, const struct bt_metrics_kind *kind,
                    int outputs, struct bt_error *err) BT_MUST_USE;
/* Tells m what its outputs are called, where its kind must know. */
int bt_metrics_name_outputs(struct bt_metrics *m, const struct bt_labels *l,
                            struct bt_error *err) BT_MUST_USE;
/* Counts entities strictly by a scheme of tags (entities.h), before the first
 * example. BT_EARG if there is no such scheme, m is not of words, or a tag of l
 * is not the scheme's. */
int bt_metrics_set_scheme(struct bt_metrics *m, const char *name,
                          const struct bt_labels *l,
                          struct bt_error *err) BT_MUST_USE;
/* The same kind, outputs and bounds as another's, without its matrix: little
 * memory, for a summary alone. */
int bt_metrics_init_like(struct bt_metrics *m, const struct bt_metrics *like,
                         struct bt_error *err) BT_MUST_USE;
void bt_metrics_clear(struct bt_metrics *m);
void bt_metrics_reset(struct bt_metrics *m);

/* Outputs of the model for each example. */
size_t bt_metrics_outputs(const struct bt_metrics *m);

/* The class that logits [classes] predict: the largest, the first of equal
 * ones. bound is NULL or, for two classes, the probability from which one of
 * them is predicted, as f32; the other's is INFINITY. */
int bt_metrics_predicted(const float *logits, int classes, const double *bound);

/* The probabilities [classes] of logits, as metrics take them. */
void bt_metrics_probabilities(const float *logits, int classes, float *p);

/* Adds one example. BT_ENOMEM alone. */
int bt_metrics_add(struct bt_metrics *m, int truth, const float *targets,
                   const float *output, struct bt_error *err) BT_MUST_USE;

/* Adds to metrics of masked tokens the two logits of a next sentence; label is
 * BT_NEXT_UNKNOWN where it is not to count. */
void bt_metrics_add_next(struct bt_metrics *m, int label,
                         const float logits[2]);

/* Adds the answer to a question to metrics of these; see bt_squad_add. */
int bt_metrics_add_answer(struct bt_metrics *m, const struct bt_span *reference,
                          size_t n, const struct bt_squad_answer *answer,
                          struct bt_error *err) BT_MUST_USE;

/* Adds answer i of metrics of such answers to others. BT_ENOMEM alone. */
int bt_metrics_pick_answer(struct bt_metrics *m, const struct bt_metrics *from,
                           size_t i, struct bt_error *err) BT_MUST_USE;

struct bt_class_metrics {
	double precision, recall, f1;
	uint64_t support, predicted;
};

void bt_metrics_class(const struct bt_metrics *m, int k,
                      struct bt_class_metrics *c);

/* An example's score for a class, and whether it has the class. */
struct bt_metrics_scored {
	float score;
	bool holds;
};

/* The area under the ROC curve (NaN where all have the class, or none) and the
 * average precision (NaN where none has). Sorts x. */
void bt_metrics_curve(struct bt_metrics_scored *x, size_t n, double *roc_auc,
                      double *average_precision);

/* The same of class k, from what was kept. BT_ENOMEM alone. */
int bt_metrics_class_curve(const struct bt_metrics *m, int k, double *roc_auc,
                           double *average_precision) BT_MUST_USE;

/* Of one label among those of which any number may hold; roc_auc is NaN where
 * it always holds, or never, average_precision where never. BT_ENOMEM alone. */
struct bt_label_metrics {
	double precision, recall, f1, roc_auc, average_precision;
	uint64_t hits, support, predicted;
};

int bt_metrics_label(const struct bt_metrics *m, size_t k,
                     struct bt_label_metrics *c) BT_MUST_USE;

/* What metrics may need beside the right kind. */
enum {
	BT_METRICS_RANKS = 1,            /* probabilities of all examples, of
	                                  * which some have a class, others not */
	BT_METRICS_OF_PROBABILITIES = 2, /* of each */
	BT_METRICS_OF_SCORES = 4,        /* pairs with a score */
	BT_METRICS_OF_PAIRS = 8,         /* pairs without one */
	BT_METRICS_OF_TRIPLETS = 16,     /* with texts not to be near */
	BT_METRICS_OF_NEXT = 32,         /* of next sentences */
	BT_METRICS_OF_WHOLE = 64,        /* numbers that bt_scores_span takes */
	BT_METRICS_OF_TWO = 128          /* just two classes: a matter of the
	                                  * summary's classes, not of lacks */
};

struct bt_metrics_summary {
	const struct bt_metrics_kind *kind; /* whose are set; NULL: none, and
	                                     * all names are known */
	unsigned lacks; /* of the above: what was not there */
	int classes;    /* 0: any number */

	double loss, accuracy;
	double macro_precision, macro_recall, macro_f1;
	double weighted_precision, weighted_recall, weighted_f1;
	double mcc; /* Matthews correlation */
	/* of classes: how many are predicted at all; the most frequent one of
	 * the truth, and its share of the examples */
	int predicted, commonest;
	double commonest_share;
	/* of classes in their order, of numbers as scores */
	double quadratic_weighted_kappa;
	double top[BT_METRICS_TOPS];
	double ece; /* expected calibration error, of the likeliest class, or
	             * of all labels */
	/* mean of the squared errors of probabilities, for more than two
	 * classes their sum; of labels the mean over these */
	double brier_score;

	/* of entities, over all types; the macro and weighted ones are over
	 * types, and accuracy is the share of words with their tag; of two
	 * classes, of the second one */
	double precision, recall, f1;

	/* of spans exact_match is the share of windows with both tokens right;
	 * f1 is then that of an answer's tokens, the mean over windows */

	/* of embeddings, and accuracy, of pairs without a score, means of the
	 * place of the right text: 1 / it; and 1 / log2(it + 1), or 0 behind
	 * the first ten */
	double mrr, ndcg_at_10;
	double triplet_accuracy; /* share of those whose right text is nearer
	                          * than the wrong ones given for it */

	/* of choices, and accuracy: the mean average precision of the first
	 * three, 1 / the place of the right one among these */
	double map_at_3;

	/* of masked tokens, and accuracy: the exponential of their loss; and
	 * the share of next sentences that are predicted right, whose loss is
	 * added to it */
	double perplexity, next_accuracy;

	/* of answers, and f1: of all, of questions that have an answer and of
	 * those that have none; the best ones and average precisions that some
	 * threshold of null odds gives */
	double exact_match, has_answer_exact_match, has_answer_f1;
	double no_answer_exact_match, no_answer_f1;
	double best_exact_match, best_f1;
	double exact_match_average_precision, f1_average_precision;
	double oracle_average_precision;

	/* of labels; accuracy is the share of examples with just their labels,
	 * mcc is not */
	double micro_precision, micro_recall, micro_f1;
	double hamming_loss; /* share of labels that are wrong */

	/* of two classes: the second's; else the mean over those, or labels,
	 * for which there is one */
	double roc_auc, average_precision;
	double weighted_roc_auc; /* by true count */

	/* of numbers; the loss is the mse */
	double mse, mae; /* mean squared, absolute error */
	double rmse;     /* the mse's root; of several numbers its mean */
	double r2;       /* coefficient of determination */
	double pearson, spearman;
	double pearson_spearman; /* mean of both: GLUE's */
};

/* Makes the summary; BT_ENOMEM for numbers alone. */
void bt_metrics_summary(const struct bt_metrics *m,
                        struct bt_metrics_summary *s);

/* A measure by name ("accuracy", "weighted_f1", ...); dashes count as
 * underscores. BT_EARG for a name that is unknown, of the other kind or needs
 * what s lacks. */
int bt_metrics_find(const struct bt_metrics_summary *s, const char *name,
                    double *value, struct bt_error *err) BT_MUST_USE;

/* The name of measure i = 0, 1, ... and its value; NULL behind the last. */
const char *bt_metrics_name(size_t i, const struct bt_metrics_summary *s,
                            double *value);

/* True if a larger value of that measure is worse. */
bool bt_metrics_falls(const char *name);

/* Which of the above that measure needs, as far as classes are ranked. */
unsigned bt_metrics_needs(const char *name);

/* Appends the names of each kind's measures, as lines of a help text. */
void bt_metrics_list(struct bt_buf *out);

/* The report as text: a line a class, averages, accuracy and loss; with
 * confusion also the pairs of classes most often taken for one another. */
void bt_metrics_report(const struct bt_metrics *m, const struct bt_labels *l,
                       int confusions, struct bt_buf *out);

/* Puts the number of examples and the summary into an object. Returns 0, or
 * another number when out of memory. */
void bt_metrics_json_summary(const struct bt_metrics *m, json_t *o);

/* The report as a JSON object, with the whole confusion matrix. NULL when out
 * of memory; the caller json_decref()s it. */
json_t *bt_metrics_json(const struct bt_metrics *m, const struct bt_labels *l);

#endif
