/* SPDX-License-Identifier: MIT */
/*
 * Token records in memory: all tokens one behind the other, with offsets. It is
 * read once, checked against the model it is for, and then only looked at.
 */
#ifndef BT_FINETUNE_DATASET_H
#define BT_FINETUNE_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cpu/engine.h"
#include "dist/dist.h"
#include "finetune/masking.h"
#include "format/tfrecord.h"
#include "record/labels.h"
#include "record/record.h"
#include "record/windows.h"
#include "task/task.h"

/* What the records must fit. */
struct bt_fit {
	int vocab_size, type_vocab_size, max_positions;
	bool per_token;     /* the model's outputs are those of tokens, */
	bool selects;       /* and only of those that stand for something */
	bool embeds;        /* the model embeds texts, whatever its task */
	bool graded;        /* a ranker's numbers may be degrees, above 1 */
	bool keeps_records; /* as they are, for what is asked of them later */
	int length;         /* tokens of each text; 0: any, -1: as many as
	                     * the first one has */
	const struct bt_task *task;
	const char *tokenizer; /* fingerprint of the model's, or NULL */
	/* for bt_dataset_read: how the windows of a text are to be joined,
	 * unless per_token */
	enum bt_windows_join windows;
};

/* The texts of an example, as records of them come one by one: whether they
 * follow each other and, where the task knows their number
 * (bt_token_rec.texts), whether all are there, with one id and one label. Zero
 * is before the first record. */
struct bt_whole {
	int64_t next, of; /* of: 0 where it is not known */
	float right;      /* the first target */
	bool has_id;
	struct bt_buf id;
};

void bt_whole_clear(struct bt_whole *w);

/* BT_EFORMAT where the record does not follow the one before it; at the end,
 * where some are missing. */
int bt_whole_take(struct bt_whole *w, const struct bt_token_rec *rec,
                  struct bt_error *err) BT_MUST_USE;
int bt_whole_end(const struct bt_whole *w, struct bt_error *err) BT_MUST_USE;

/* How an example goes on with the one before it. */
enum {
	BT_CONTINUES_TEXT = 1, /* a further window of the same text */
	BT_CONTINUES_GROUP = 2 /* a further text that is judged with it */
};

struct bt_dataset {
	size_t n;        /* examples */
	uint64_t before; /* those that came before them, for messages */
	uint64_t *start; /* [n + 1] */
	int32_t *ids;    /* [start[n]] */
	uint8_t *types;
	int32_t *label; /* [n] number in labels, or -1: none; where tokens are
	                 * masked BT_NEXT_FOLLOWS, _RANDOM or _UNKNOWN */
	float *target;  /* [n][stride], of them width: numbers to predict, or 1
	                 * for each label that there is; else none */
	size_t width, stride;
	/* where tokens are classified, [start[n]]: the class of a word's first
	 * token, BT_TOKEN_UNLABELLED if its class is not known, and of all
	 * other tokens BT_TOKEN_INSIDE, or BT_TOKEN_FURTHER of their word's
	 * class if training learns from these, too; else NULL */
	int32_t *token_label;
	bool per_token;     /* the model's outputs are those of tokens, */
	bool selects;       /* and only where these are not BT_TOKEN_INSIDE */
	uint8_t *continues; /* [n] see below; 0: it begins a text */
	size_t most_texts;  /* of one example */
	float *weight;      /* [n] */
	bool has_weights;
	bool cut;          /* windows of the last text are still to come */
	char *names;       /* ids as texts, each with its length before it */
	size_t *name_at;   /* [n] into names */
	char *records;     /* as they were read, or NULL */
	size_t *record_at; /* [n + 1] into records */

	size_t longest;    /* tokens */
	size_t unlabelled; /* examples without a label */
	bool open;         /* that there may be any number of labels shows in
	                    * some record */
	uint32_t crc;      /* of tokens, labels and weights, to tell data sets
	                    * apart */
	struct bt_tfrecord_sum sum; /* of the records that were read, also
	                             * where others got a part of them */

	size_t cap, token_cap, names_len, names_cap, target_cap,
	    token_label_cap, records_cap;
};

void bt_dataset_clear(struct bt_dataset *d);

/* Checks one record against the model and reads its targets, as the task does
 * (bt_task.target). */
int bt_dataset_check(struct bt_token_rec *rec, const struct bt_fit *fit,
                     enum bt_label_mode mode, struct bt_labels *labels,
                     int32_t *label, struct bt_error *err) BT_MUST_USE;

/* Appends one record. */
int bt_dataset_add(struct bt_dataset *d, const struct bt_token_rec *rec,
                   int32_t label, struct bt_error *err) BT_MUST_USE;

/* Bytes that the examples take. */
size_t bt_dataset_bytes(const struct bt_dataset *d);

/* Forgets the examples and keeps the memory. */
void bt_dataset_reset(struct bt_dataset *d);

/* Reads all records of the inputs (none: standard input). Errors name file and
 * record. No record at all is an error, and so is a number other than expect,
 * unless that is 0. */
int bt_dataset_read(char *const *paths, int n_paths, uint64_t expect,
                    const struct bt_fit *fit, enum bt_label_mode mode,
                    struct bt_labels *labels, struct bt_dataset *d,
                    struct bt_error *err) BT_MUST_USE;

/*
 * A text is an example, or several that are its windows. How many texts there
 * are; and the first example of each, to be freed, or NULL when out of memory.
 */
size_t bt_dataset_texts(const struct bt_dataset *d);
uint32_t *bt_dataset_find_texts(const struct bt_dataset *d, size_t *n);

/* Divides the weight of each text among its windows. */
void bt_dataset_share_weights(struct bt_dataset *d);

/* Moves the examples i with chosen[i] to the end of out, with the records that
 * are kept of them, or nowhere where that is NULL; all keep their old order. Of
 * the others records are no longer kept. */
int bt_dataset_divide(struct bt_dataset *d, const uint8_t *chosen,
                      struct bt_dataset *out, struct bt_error *err) BT_MUST_USE;

/*
 * Keeps a random share of the texts of each label, rounded up: a function of
 * the seed. A larger share holds all of a smaller one's.
 */
int bt_dataset_subsample(struct bt_dataset *d, double share, uint64_t seed,
                         struct bt_error *err) BT_MUST_USE;

/*
 * Moves a random share of the texts (rounded up, a function of the seed) from d
 * to the end of out, both in their old order. Each label gives its share,
 * rounded down or up, but never its last text.
 */
int bt_dataset_split(struct bt_dataset *d, double share, uint64_t seed,
                     struct bt_dataset *out, struct bt_error *err) BT_MUST_USE;

/* How many examples are pairs of texts: those with another segment than the
 * first or, where a family does not look at segments and sep is the token that
 * ends a text, not -1, with more than one of that. */
size_t bt_dataset_pairs(const struct bt_dataset *d, int32_t sep);

/* Forgets all but the first n examples. */
void bt_dataset_first(struct bt_dataset *d, size_t n);

/* Gives labels new numbers, of n: map[old] = new. */
int bt_dataset_relabel(struct bt_dataset *d, const int *map, int n,
                       struct bt_error *err) BT_MUST_USE;

/* What the tag of a word becomes on its further tokens: inside[k] for class k,
 * [l->n] and to be freed, I-TYPE where that is B-TYPE and there is such a
 * label; NULL: out of memory. */
int *bt_dataset_inside(const struct bt_labels *l) BT_MUST_USE;

/* Makes the class of a word's further tokens I-TYPE where the word's is B-TYPE
 * and there is such a label, as transformers' run_ner with label_all_tokens.
 */
int bt_dataset_continue_tags(struct bt_dataset *d, const struct bt_labels *l,
                             struct bt_error *err) BT_MUST_USE;

/* Text of example i's id; p NULL where it had none. */
struct bt_span bt_dataset_id(const struct bt_dataset *d, size_t i);

/* The record of example i, where records are kept; else p is NULL. */
static inline struct bt_span bt_dataset_record(const struct bt_dataset *d,
                                               size_t i)
{
	struct bt_span s = {NULL, 0};

	if (d->records == NULL)
		return s;
	s.p = d->records + d->record_at[i];
	s.n = d->record_at[i + 1] - d->record_at[i];
	return s;
}

static inline size_t bt_dataset_length(const struct bt_dataset *d, size_t i)
{
	return (size_t)(d->start[i + 1] - d->start[i]);
}

/* The targets of all examples; borrowed. */
static inline struct bt_task_data bt_dataset_targets(const struct bt_dataset *d)
{
	return (struct bt_task_data){.n = d->n,
	                             .label = d->label,
	                             .target = d->target,
	                             .width = d->width,
	                             .stride = d->stride,
	                             .open = d->open,
	                             .start = d->start,
	                             .token_label = d->token_label};
}

/* Examples that say whether the second segment follows the first. */
size_t bt_dataset_known_next(const struct bt_dataset *d);

/* Tokens of example i that stand for something, where tokens are classified. */
size_t bt_dataset_selected(const struct bt_dataset *d, size_t i);

/* Rows of the logits of example i. */
size_t bt_dataset_rows(const struct bt_dataset *d, size_t i);

/* What example i weighs in the loss: its weight, times its labelled tokens
 * where these are classified. */
double bt_dataset_loss_weight(const struct bt_dataset *d, size_t i);

/* The targets of example i: [d->width]; NULL where it has a class. */
static inline const float *bt_dataset_target(const struct bt_dataset *d,
                                             size_t i)
{
	return d->width > 0 ? d->target + i * d->stride : NULL;
}

/*
 * A batch gathered from chosen examples, in memory that is taken once.
 */
struct bt_gather {
	struct bt_batch b;
	uint32_t *start;
	uint32_t *rows; /* the example of each, or, where tokens are classified,
	                 * the token of each among those of the data set */
	uint32_t *selected; /* the tokens of the batch that are classified */
	int32_t *ids, *labels;
	int32_t *next; /* of the texts, or -1: not said */
	/* while bt_forward hands out an example's logits: its second ones, or
	 * NULL */
	const float *next_logits;
	uint8_t *types;
	float *targets, *weights;
	size_t width;
	struct bt_masking *masking; /* examples of which no token stands for
	                             * something are masked, at this step, each
	                             * by its number; borrowed, or NULL */
	uint32_t step;
	int passes;    /* each example comes so many times, one behind the
	                * other; 0: once */
	size_t tokens; /* of a batch of bt_forward; 0: as many as usual */
	struct bt_dist *dist; /* ranks that share its work; borrowed, or NULL */
	struct bt_device *device; /* that computes in place of bt_forward's
	                           * engine, whose model it has; likewise */
};

/* width: targets of a text, that of the examples' data set; 0: they are not
 * gathered. */
int bt_gather_init(struct bt_gather *g, size_t max_texts, size_t max_tokens,
                   size_t width, struct bt_error *err) BT_MUST_USE;
void bt_gather_clear(struct bt_gather *g);

/* Fills g->b's texts, tokens, ids, types, labels, targets, weights from
 * examples which[0 .. n-1], or first .. first+n-1 where which is NULL. labels
 * and targets are NULL in the batch if an example has none. Where tokens are
 * selected labels are theirs, and one is, whose label is negative, where none
 * would be. */
void bt_gather_fill(struct bt_gather *g, const struct bt_dataset *d,
                    const uint32_t *which, size_t first, size_t n);

/* The ids of example i as a batch would have them, valid until g is filled. */
const int32_t *bt_gather_ids(struct bt_gather *g, const struct bt_dataset *d,
                             size_t i);

#endif
