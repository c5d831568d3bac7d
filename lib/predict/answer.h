/* SPDX-License-Identifier: MIT */
/*
 * Forms of predictions: how a model's outputs for an example become an answer
 * (a label, the labels that hold, numbers) and how that answer is written,
 * averaged over models and shown beside the truth. A task (task/task.h) has one
 * of them.
 */
#ifndef BT_PREDICT_ANSWER_H
#define BT_PREDICT_ANSWER_H

#include <jansson.h>

#include "base/buf.h"
#include "base/summary.h"
#include "format/tf_example.h"
#include "metrics/scores.h"
#include "predict/predict.h"
#include "predict/submission.h"

/* What a form works on: the options, and the answer to one example. */
struct bt_predict {
	struct bt_predict_opts o;
	int classes;             /* of the model */
	struct bt_labels labels; /* as they are written */
	int *shown;              /* [classes] which of them each is */
	bool merged;             /* there are fewer than classes */
	double *over;            /* [labels] thresholds, where there are */
	struct bt_scores scores; /* of a number; its n is 0: it is one */
	bool *on;                /* [labels] those that hold, of any number */
	struct bt_buf set;       /* their names, as one text */
	struct bt_labels sets;   /* all such texts, for a sample */
	uint64_t without;        /* records for which none holds */
	bool is_rejected;        /* the class is not likely enough */
	uint64_t n_rejected;
	struct bt_label_score *scored; /* [labels] room of sets */
	float *score;                  /* [labels] */
	struct bt_out *out;
	struct bt_submission *sample; /* NULL: rows go out as they come */
	double *logit;                /* [classes] of one record */
	double *p;  /* [labels] its probabilities, or numbers */
	int *order; /* [labels] likeliest first */
	uint64_t *counts;
	bool named, numbered; /* records had ids, or none */
	uint64_t n;           /* of numbers: how many there were, and */
	double least, most, sum;
	struct bt_buf row;
	struct bt_example_writer example; /* of a record, and what it lists: */
	float *numbers;                   /* [labels] */
	struct bt_span *names;            /* [labels] */
};

/* An example beside its outputs, for bt_answer_form.show. */
struct bt_answered {
	const struct bt_labels *labels;
	int truth;            /* its class */
	const float *targets; /* or its targets [labels->n] */
	const float *output;  /* [labels->n] */
	const double *bound;  /* as in bt_metrics */
};

struct bt_answer_form {
	const char *outputs; /* "labels", "numbers" */

	/* Sets over[l->n] from what a user gives (predict/thresholds.h), or
	 * NULL; tells log (or NULL) what follows from it. BT_EARG where the
	 * form has no such thresholds. */
	int (*thresholds)(const char *text, const struct bt_labels *l,
	                  double *over, const struct bt_log *log,
	                  struct bt_error *err);
	/* BT_EARG where the options ask for what this form does not have. */
	int (*check)(const struct bt_predict *p, struct bt_error *err);
	/* Reads the outputs [p->classes] for an example into p. */
	void (*read)(struct bt_predict *p, const float *output);
	/* Append to p->row: the header of CSV, BT_EARG where names were given
	 * that are not as many as columns; a row of CSV; the members of a JSON
	 * object behind its id. */
	int (*csv_header)(struct bt_predict *p, struct bt_error *err);
	void (*csv_row)(struct bt_predict *p);
	void (*json_row)(struct bt_predict *p);
	/* Adds features to p->example. */
	void (*record)(struct bt_predict *p);
	/* The class to put into a sample's label column, or an error; changes
	 * p->p to what its other columns take. NULL: p->order[0]. */
	int (*fill)(struct bt_predict *p, struct bt_error *err);
	/* Appends what was predicted, for the summary at the end: "a 3, b 5",
	 * no more than `most` labels. */
	void (*summary)(const struct bt_predict *p, int most, struct bt_buf *b);
	/* Adds the same, of all labels, to the summary for programs. */
	void (*facts)(const struct bt_predict *p, struct bt_summary *s);

	bool is_number; /* the answer is no class: no labels to name or merge */
	bool is_set;    /* any number of labels */

	/* The mean of several models: adds the outputs to sum[i], output map[i]
	 * (NULL: i) to the i-th; the output that the mean of n models has. */
	void (*add)(const float *output, const int *map, int labels,
	            double *sum);
	float (*mean)(double sum, size_t models);

	/* "truth -> prediction", as text and as members of a JSON object; what
	 * its loss is called. */
	void (*show)(const struct bt_answered *a, struct bt_buf *out);
	void (*show_json)(const struct bt_answered *a, json_t *o);
	const char *loss;
	bool loss_fixed; /* shown with four decimals, else six digits */
};

extern const struct bt_answer_form bt_answer_label, bt_answer_label_set,
    bt_answer_numbers, bt_answer_sigmoids;

/* Parts of forms. */

double bt_answer_sigmoid(float logit);
/* .add and .mean of forms whose outputs' sigmoids are what is averaged: the
 * mean of them is that of the logit that is returned. */
void bt_answer_add_sigmoids(const float *logits, const int *map, int labels,
                            double *sum);
float bt_answer_mean_logit(double sum, size_t models);

/* Sorts the first `most` of p->order by falling probability, the first class
 * first among equals. Logits tell apart what is 0 as a probability. */
void bt_answer_rank(struct bt_predict *p, int most);

/* The shortest text that reads back as the f32. */
void bt_answer_put_number(struct bt_buf *b, double v);

/* The first columns of CSV: the id, named so, and the fields of records. */
void bt_answer_id_header(struct bt_predict *p, struct bt_span id);

/* Labels with probabilities: "id,label" and the columns that were asked for;
 * label, or those of p->o.top; then the probabilities. */
int bt_answer_label_header(struct bt_predict *p, struct bt_error *err);
void bt_answer_label_row(struct bt_predict *p, struct bt_span label);
void bt_answer_probabilities_json(struct bt_predict *p);
void bt_answer_probabilities_record(struct bt_predict *p);
/* The error where a form has no sets of classes, and rejects nothing. */
int bt_answer_no_sets(struct bt_error *err);

/* The names of labels that are on, in p->set, with separators. */
void bt_answer_join_set(struct bt_predict *p);
/* Members or features of such a list. */
void bt_answer_set_json(struct bt_predict *p, const char *name);
void bt_answer_set_record(struct bt_predict *p, const char *name);
/* "a 3, b 5", by p->counts. */
void bt_answer_counts(const struct bt_predict *p, int most, struct bt_buf *b);

/* Adds how often each label was predicted: count[l->n]. */
void bt_answer_facts(const struct bt_labels *l, const uint64_t *count,
                     struct bt_summary *s);

/* A feature of the numbers of the n labels that order names (NULL: all in their
 * order). */
void bt_answer_add_numbers(struct bt_predict *p, const char *name,
                           const int *order, int n);

#endif
