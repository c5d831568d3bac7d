/* SPDX-License-Identifier: MIT */
/*
 * A task that a model is fine-tuned for. All else (data set, training,
 * evaluation, prediction, export) knows a task only through its struct bt_task,
 * so that a new one is a file beside classification.c and a line in the table
 * of task.c.
 */
#ifndef BT_TASK_TASK_H
#define BT_TASK_TASK_H

#include "base/hint.h"
#include "metrics/metrics.h"
#include "model/config.h"
#include "op/graph.h"
#include "predict/answer.h"
#include "record/labels.h"
#include "record/record.h"

enum bt_label_mode {
	BT_LABELS_COLLECT, /* new labels are added to the set */
	BT_LABELS_KNOWN,   /* a label outside the set is an error */
	BT_LABELS_OPTIONAL /* a label outside the set counts as none */
};

/* The targets of a data set; a view. */
struct bt_task_data {
	size_t n;             /* examples */
	const int32_t *label; /* [n] class, or 0 beside targets */
	const float *target;  /* [n][stride], of them width; or width is 0 */
	size_t width, stride;
	bool open; /* some record shows that it may have any number of labels */
	/* where tokens are classified, else NULL: start[n] of these, negative
	 * where a token has no class; example i has start[i] on */
	const uint64_t *start;
	const int32_t *token_label;
};

static inline const float *bt_task_target(const struct bt_task_data *d,
                                          size_t i)
{
	return d->target + i * d->stride;
}

struct bt_task {
	const char *name;         /* "classification" */
	const char *problem_type; /* of config.json */
	const char *pipeline;     /* that Hugging Face's hub calls it */
	const char *output,
	    *outputs;         /* one of a model's outputs: "class"; more */
	const char *predicts; /* "classes": "the model predicts ..." */
	const char *learns; /* "choose one class": "the model learns to ..." */
	int least;          /* outputs that a trained model has at least */
	bool names_outputs; /* outputs are labels, sorted by name or by their
	                     * given numbers, not in the records' order */
	bool per_token;     /* the outputs are for each token; classes are of
	                     * words, which their first tokens stand for */
	bool masks;         /* tokens are masked, to be told: the outputs are
	                     * those of the vocabulary, for these alone */
	bool one_label; /* exactly one label holds: classes can be weighted, the
	                 * label smoothed */
	bool distils;   /* a model can learn from another's outputs */
	const char *truth; /* what a record has to learn from: "a label" */
	enum bt_hint truth_hint; /* how records get it */
	const char *metric; /* chooses the best model, unless the user does */
	const struct bt_metrics_kind *metrics;
	const struct bt_answer_form *answer;

	/*
	 * Reads what is to be predicted of a record into *label (-1: nothing,
	 * 0: rec->target) and, if the task has targets, rec->target
	 * [rec->n_target], one for each label. label_id without a text counts
	 * as the label of that number (KNOWN) or, as do all below it, as its
	 * decimal text (COLLECT): a class that is seldom or never seen keeps
	 * its number.
	 */
	int (*target)(struct bt_token_rec *rec, enum bt_label_mode mode,
	              struct bt_labels *labels, int32_t *label,
	              struct bt_error *err);

	/* Refuses training data from which nothing can be learnt, beside those
	 * with one class. found are its labels; given: their
	 * number was fixed by the user. May be NULL. */
	int (*check)(const struct bt_task_data *d,
	             const struct bt_labels *found, bool given,
	             struct bt_error *err);

	/* Whether a model of this task with the labels known fits the data's;
	 * map[i] is then the number that label i of the data has there. NULL:
	 * it has none, and fits. */
	bool (*knows)(const struct bt_labels *found,
	              const struct bt_labels *known, int *map);

	/* Whether label k is among example i's; NULL where labels do not. */
	bool (*has)(const struct bt_task_data *d, size_t i, int k);

	/* Adds the loss of g->logits, which is the node of this operator; or,
	 * where that is NULL, sets g->loss; activated: the head's last layer
	 * has an activation. A misfit is bt_graph_misfit's. */
	int (*plain_loss)(struct bt_graph *g, int logits);
	void (*loss)(struct bt_graph *g, bool activated);

	/* The loss of the best constant output; NULL where what is compared or
	 * masked differs from batch to batch. */
	double (*guess)(const struct bt_task_data *d, int outputs,
	                double smoothing);

	/* The data in a few words: "77 labels". */
	void (*describe)(const struct bt_task_data *d, int outputs, char *out,
	                 size_t size);
};

extern const struct bt_task bt_task_classification, bt_task_embedding,
    bt_task_masked_lm, bt_task_multi_label, bt_task_multiple_choice, bt_task_qa,
    bt_task_ranking, bt_task_regression, bt_task_tagging;

/* Whether the task predicts numbers, rather than classes or labels. */
static inline bool bt_task_has_numbers(const struct bt_task *task)
{
	return task == &bt_task_regression || task == &bt_task_ranking;
}

/* Whether a text has labels or numbers by itself: then it can be in a fold, and
 * its windows be joined. */
static inline bool bt_task_of_texts(const struct bt_task *task)
{
	return task == &bt_task_classification ||
	       task == &bt_task_multi_label || bt_task_has_numbers(task);
}

/* Whether pairs of texts that are to be embedded have scores. */
bool bt_task_has_scores(const struct bt_task_data *d);

/* The task of that name; NULL, and BT_EARG with the names that there are. */
const struct bt_task *bt_task_find(const char *name, struct bt_error *err);

/* The task of a configuration's problem_type: classification unless it is
 * another's. */
const struct bt_task *bt_task_of(const char *problem_type);

/* Builds a model for the task: encoder, head and loss (model/family.h). */
int bt_task_graph(const struct bt_task *task, struct bt_graph *g,
                  const struct bt_config *c, int outputs) BT_MUST_USE;

#endif
