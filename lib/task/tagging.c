/* SPDX-License-Identifier: MIT */
/* Each word of a text has one of several tags: softmax and cross entropy of its
 * first token's output (Devlin et al. 2018, "BERT", 5.3). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "op/ops.h"
#include "task/target.h"

/* The class of a tag; less than 0 is an error, but for
 * BT_TOKEN_UNLABELLED. */
static int tag_number(struct bt_span tag, enum bt_label_mode mode,
                      struct bt_labels *labels, int32_t *number,
                      struct bt_error *err)
{
	int k;

	if (mode == BT_LABELS_COLLECT) {
		k = bt_labels_add(labels, tag, err);
		*number = k;
		return k < 0 ? k : BT_OK;
	}
	k = bt_labels_find(labels, tag);
	if (k < 0 && mode == BT_LABELS_KNOWN)
		return bt_target_unknown(tag, labels, err);
	*number = k < 0 ? BT_TOKEN_UNLABELLED : k;
	return BT_OK;
}

static int lacks_words(const struct bt_token_rec *rec, struct bt_error *err)
{
	if (rec->has_words)
		return BT_OK;
	return bt_error_hint(err, BT_HINT_TASK_WORDS,
	                     bt_error_set(err, BT_EFORMAT,
	                                  "the model tags words, and the "
	                                  "record has no 'word_ids'"));
}

/* The tag of word number `word`, to which *at and *next, the number of the tag
 * behind it, move on. */
static int read_tag(const struct bt_token_rec *rec, int32_t word,
                    struct bt_pb *at, int32_t *next, struct bt_span *tag,
                    struct bt_error *err)
{
	int r;

	while (*next <= word) {
		r = bt_feature_next_text(&rec->tag_list, at, &tag->p, &tag->n,
		                         err);
		if (r == 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "holds word %d, but only %d tags",
			                    (int)word + 1, (int)*next);
		if (r < 0)
			return r;
		(*next)++;
	}
	return BT_OK;
}

/* A number of the record; absent: it stays as it is. */
static int read_number(const struct bt_feature *f, int64_t *v,
                       struct bt_error *err)
{
	size_t n = 1;
	int r = f->name == NULL ? BT_OK : bt_feature_int64s(f, v, 1, &n, err);

	if (r == BT_OK && n != 1)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%.*s holds %zu numbers, expected one",
		                 (int)f->name_len, f->name, n);
	return r;
}

/* Reads label_ids as scratch, a number for each token, padding included: *n. */
static int read_ids(struct bt_token_rec *rec, size_t *n, struct bt_error *err)
{
	const struct bt_feature *f = &rec->id_list;
	int r = bt_feature_int64s(f, NULL, 0, n, err);

	if (r == BT_OK && bt_grow(&rec->scratch, &rec->scratch_cap, *n,
	                          sizeof(*rec->scratch)) != BT_OK)
		r = bt_error_nomem(err, "reading a record");
	if (r == BT_OK)
		r = bt_feature_int64s(f, rec->scratch, *n, n, err);
	if (r == BT_OK && *n < rec->n)
		r = bt_error_set(err, BT_EFORMAT,
		                 "label_ids holds %zu numbers for %zu tokens",
		                 *n, rec->n);
	return r;
}

/* As Model Garden has them: label_ids holds the class of each token that begins
 * a word, and less than 0 for the others; a sentence may be divided. */
static int by_numbers(struct bt_token_rec *rec, enum bt_label_mode mode,
                      struct bt_labels *labels, int32_t *label,
                      struct bt_error *err)
{
	size_t i, n = 0;
	int r = read_ids(rec, &n, err);

	if (r == BT_OK)
		r = read_number(&rec->sentence_id, &rec->example_id, err);
	if (r == BT_OK)
		r = read_number(&rec->sub_sentence_id, &rec->window, err);
	rec->has_example_id |= rec->sentence_id.name != NULL;
	for (i = 0; r == BT_OK && i < n; i++) {
		if (i >= rec->n && rec->scratch[i] >= 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "label_ids holds %lld at position "
			                    "%zu, behind the last token",
			                    (long long)rec->scratch[i], i);
		if (i >= rec->n)
			continue;
		rec->token_label[i] = BT_TOKEN_INSIDE;
		if (rec->scratch[i] < 0)
			continue;
		rec->token_label[i] = BT_TOKEN_UNLABELLED;
		r = bt_target_by_number(rec->scratch[i], mode, labels,
		                        &rec->token_label[i], err);
		if (r == BT_OK && rec->token_label[i] >= 0)
			*label = 0;
	}
	rec->has_token_labels = r == BT_OK;
	return r;
}

/* The tags of the words that the tokens belong to. */
static int by_words(struct bt_token_rec *rec, enum bt_label_mode mode,
                    struct bt_labels *labels, int32_t *label,
                    struct bt_error *err)
{
	struct bt_pb at = rec->tag_list.list;
	int32_t next = 0, last = -1, word, of_word = BT_TOKEN_UNLABELLED;
	struct bt_span tag = {NULL, 0};
	size_t i;
	int r = lacks_words(rec, err);

	for (i = 0; r == BT_OK && i < rec->n; i++) {
		word = rec->word[i];
		rec->token_label[i] = BT_TOKEN_INSIDE;
		if (word == last && word >= 0 && rec->label_all && of_word >= 0)
			rec->token_label[i] = BT_TOKEN_FURTHER(of_word);
		if (word < 0 || word == last)
			continue;
		if (last >= 0 && word != last + 1)
			return bt_error_set(err, BT_EFORMAT,
			                    "word_ids holds %d behind %d: "
			                    "words are missing",
			                    (int)word, (int)last);
		last = word;
		rec->token_label[i] = BT_TOKEN_UNLABELLED;
		if (rec->tag_list.name == NULL)
			continue;
		r = read_tag(rec, word, &at, &next, &tag, err);
		if (r == BT_OK)
			r = tag_number(tag, mode, labels, &rec->token_label[i],
			               err);
		of_word = rec->token_label[i];
		if (r == BT_OK && of_word >= 0)
			*label = 0;
	}
	rec->has_token_labels = r == BT_OK;
	return r;
}

static int target(struct bt_token_rec *rec, enum bt_label_mode mode,
                  struct bt_labels *labels, int32_t *label,
                  struct bt_error *err)
{
	bool numbers = !rec->has_words &&
	               rec->id_list.kind == BT_FEATURE_INT64 &&
	               rec->id_list.name != NULL;

	if (bt_grow(&rec->token_label, &rec->token_label_cap, rec->n,
	            sizeof(*rec->token_label)) != BT_OK)
		return bt_error_nomem(err, "reading a record");
	return numbers ? by_numbers(rec, mode, labels, label, err)
	               : by_words(rec, mode, labels, label, err);
}

/* The entropy of the tags. */
static double guess(const struct bt_task_data *d, int tags, double smoothing)
{
	double *count = bt_array0((size_t)tags, sizeof(*count)), n = 0, sum = 0;
	uint64_t i;
	int k;

	(void)smoothing;
	if (count == NULL)
		return INFINITY;
	for (i = 0; i < d->start[d->n]; i++)
		if ((k = bt_token_learns(d->token_label[i])) >= 0) {
			count[k]++;
			n++;
		}
	for (k = 0; k < tags; k++)
		if (count[k] > 0)
			sum -= count[k] / n * log(count[k] / n);
	free(count);
	return sum;
}

static void describe(const struct bt_task_data *d, int outputs, char *out,
                     size_t size)
{
	unsigned long long words = 0;
	uint64_t i;

	for (i = 0; i < d->start[d->n]; i++)
		words += d->token_label[i] >= 0;
	snprintf(out, size, "%d tags of %llu words", outputs, words);
}

const struct bt_task bt_task_tagging = {
    .name = "tagging",
    .pipeline = "token-classification",
    .problem_type = BT_PROBLEM_TOKENS,
    .output = "tag",
    .outputs = "tags",
    .predicts = "tags of words",
    .learns = "tag words",
    .least = 2,
    .names_outputs = true,
    .per_token = true,
    .distils = true,
    .truth = "tags",
    .truth_hint = BT_HINT_TASK_WORDS,
    .metric = "f1",
    .metrics = &bt_metrics_tagging,
    .answer = &bt_answer_label,
    .target = target,
    .knows = bt_target_map,
    .plain_loss = bt_op_softmax_loss,
    .guess = guess,
    .describe = describe,
};
