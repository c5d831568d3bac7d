/* SPDX-License-Identifier: MIT */
/* A search in progress, for the files that make it up. */
#ifndef BT_TUNE_SEARCH_INT_H
#define BT_TUNE_SEARCH_INT_H

#include "tune/journal_int.h"
#include "tune/tune.h"

struct bt_tune_trial {
	char (*value)[BT_TUNE_VALUE]; /* [space.n]; NULL: as given */
	struct bt_command command;
	double relative; /* updates, to those of the first trial */
	double examples; /* of an update */
	/* so far */
	double share;           /* of its updates */
	int64_t updates, total; /* done, and to be done (0: not known) */
	double seconds;         /* of training, with evaluation */
	double metric, loss;    /* NaN: none */
	bool over, failed;      /* trained to its end; cannot be trained */
};

struct bt_tune_search {
	struct bt_tune_opts *o;
	const char *dir; /* of the search */
	json_t *inputs;  /* bt_job_inputs */
	struct bt_tune_journal journal;
	char metric[64];
	bool falls;        /* the smaller the better */
	size_t eval_texts; /* that it is of */
	/* [n]; the first `used` were begun: that of index i is trial i + 1; of
	 * the others the ones that are affordable will be */
	struct bt_tune_trial *trial;
	size_t n, cap, used;
	uint64_t draws;
	double budget, spent; /* seconds, or updates */
	double starting;      /* seconds beside training, of all starts */
	size_t starts;
	double mark; /* bt_seconds() when the last trial stopped */
	bool ended;  /* the search stops here: asked to, or out of time */
	struct bt_train_result *end;
};

static inline bool bt_tune_timed(const struct bt_tune_search *x)
{
	return x->o->minutes > 0;
}

/* Whether a comes before b: as the metric says, else by the loss. Trials that
 * failed come last. */
bool bt_tune_before(const struct bt_tune_search *x,
                    const struct bt_tune_trial *a,
                    const struct bt_tune_trial *b);

/* Adds a trial of these values, which are then its, if the command takes them
 * (*added). */
int bt_tune_add_trial(struct bt_tune_search *x, char (*value)[BT_TUNE_VALUE],
                      bool *added, struct bt_error *err) BT_MUST_USE;
void bt_tune_trial_clear(struct bt_tune_trial *t);

/* What a whole trial is expected to cost; and to start one. */
double bt_tune_trial_cost(const struct bt_tune_search *x, size_t i);
double bt_tune_start_cost(const struct bt_tune_search *x);

/* Trains trial i up to a share of its updates, unless the file has it, and
 * prints a line of the table. */
int bt_tune_train(struct bt_tune_search *x, size_t i, double share,
                  struct bt_error *err) BT_MUST_USE;

/* Removes what is left of trial i; of all (dirs.c). */
void bt_tune_drop(const struct bt_tune_search *x, size_t i);
void bt_tune_drop_all(const struct bt_tune_search *x);
/* Puts the model of trial i, and what belongs to it, into the directory. */
int bt_tune_promote(const struct bt_tune_search *x, size_t i,
                    struct bt_error *err) BT_MUST_USE;
char *bt_tune_trial_dir(const struct bt_tune_search *x, size_t i);

void bt_tune_print_heading(const struct bt_tune_search *x);
void bt_tune_print_row(const struct bt_tune_search *x, size_t i,
                       const json_t *line);

/* What came of it, in words, as facts and as the last line of the file; best
 * and second are trials, second == best: it is the only one. */
int bt_tune_report(struct bt_tune_search *x, size_t best, size_t second,
                   struct bt_error *err) BT_MUST_USE;

#endif
