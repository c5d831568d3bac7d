/* SPDX-License-Identifier: MIT */
/* Whether a record fits a model. */
#include "finetune/dataset.h"

static int check_tokens(const struct bt_token_rec *rec,
                        const struct bt_fit *fit, struct bt_error *err)
{
	size_t i;

	if (rec->n > (size_t)fit->max_positions)
		return bt_error_hint(
		    err, BT_HINT_MAX_LENGTH,
		    bt_error_set(
		        err, BT_EFORMAT,
		        "holds %zu tokens, but the model takes at most "
		        "%d",
		        rec->n, fit->max_positions));
	if (fit->length > 0 && rec->n != (size_t)fit->length)
		return bt_error_hint(
		    err, BT_HINT_PAD,
		    bt_error_set(err, BT_EFORMAT,
		                 "holds %zu tokens, but the model's head "
		                 "flattens texts of exactly %d",
		                 rec->n, fit->length));
	for (i = 0; i < rec->n; i++) {
		if (rec->ids[i] >= fit->vocab_size)
			return bt_error_hint(
			    err, BT_HINT_TOKENIZE_AGAIN,
			    bt_error_set(err, BT_EFORMAT,
			                 "token id %d at position %zu, the "
			                 "model's vocabulary has %d: was it "
			                 "tokenized for another model?",
			                 rec->ids[i], i, fit->vocab_size));
		if (rec->types[i] >= fit->type_vocab_size)
			return bt_error_set(err, BT_EFORMAT,
			                    "segment id %d at position %zu, "
			                    "the model has %d",
			                    rec->types[i], i,
			                    fit->type_vocab_size);
	}
	if (fit->tokenizer == NULL || rec->tokenizer.p == NULL ||
	    bt_span_equal(rec->tokenizer, bt_span(fit->tokenizer)))
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_TOKENIZE_AGAIN,
	    bt_error_set(err, BT_EFORMAT,
	                 "was tokenized with another vocabulary (fingerprint "
	                 "%.*s, the model's is %s)",
	                 (int)rec->tokenizer.n, rec->tokenizer.p,
	                 fit->tokenizer));
}

/* Records of another task. */
static int check_kind(const struct bt_token_rec *rec,
                      const struct bt_task *task, enum bt_label_mode mode,
                      struct bt_error *err)
{
	if ((rec->has_words || rec->sub_sentence_id.kind == BT_FEATURE_INT64) &&
	    !task->per_token)
		return bt_error_hint(
		    err, BT_HINT_TASK_TAGGING,
		    bt_error_set(err, BT_EFORMAT,
		                 "holds words with tags, but the model learns "
		                 "to %s",
		                 task->learns));
	if (rec->has_places && task != &bt_task_qa)
		return bt_error_hint(err, BT_HINT_TASK_QA,
		                     bt_error_set(err, BT_EFORMAT,
		                                  "holds a question, but the "
		                                  "model learns to %s",
		                                  task->learns));
	if (bt_token_rec_is_choice(rec) && task != &bt_task_multiple_choice)
		return bt_error_hint(
		    err,
		    mode == BT_LABELS_COLLECT ? BT_HINT_TASK_CHOICE
		                              : BT_HINT_MODEL_CHOICE,
		    bt_error_set(err, BT_EFORMAT,
		                 "holds a choice of a question, but the model "
		                 "learns to %s",
		                 task->learns));
	if (rec->has_text_number && task != &bt_task_embedding &&
	    task != &bt_task_multiple_choice)
		return bt_error_hint(err, BT_HINT_TASK_EMBEDDING,
		                     bt_error_set(err, BT_EFORMAT,
		                                  "holds one text of a "
		                                  "pair, but the model "
		                                  "learns to %s",
		                                  task->learns));
	return BT_OK;
}

/* Masked tokens are the vocabulary's. */
static int check_masked(const struct bt_token_rec *rec,
                        const struct bt_fit *fit, struct bt_error *err)
{
	size_t i;

	for (i = 0; i < rec->n; i++)
		if (rec->token_label[i] >= fit->vocab_size)
			return bt_error_set(err, BT_EFORMAT,
			                    "masked_lm_ids holds %d, the "
			                    "model's vocabulary has %d",
			                    (int)rec->token_label[i],
			                    fit->vocab_size);
	return BT_OK;
}

int bt_dataset_check(struct bt_token_rec *rec, const struct bt_fit *fit,
                     enum bt_label_mode mode, struct bt_labels *labels,
                     int32_t *label, struct bt_error *err)
{
	int r = check_tokens(rec, fit, err);

	*label = -1;
	rec->n_target = 0;
	rec->texts = 0;
	rec->per_token = fit->per_token;
	rec->selects = fit->selects;
	rec->graded = fit->graded;
	if (fit->embeds && mode == BT_LABELS_OPTIONAL) {
		rec->has_token_labels = false;
		return r;
	}
	/* a text of any record may be predicted, but not a choice alone */
	if (r == BT_OK &&
	    (mode != BT_LABELS_OPTIONAL || bt_token_rec_is_choice(rec)))
		r = check_kind(rec, fit->task, mode, err);
	if (r == BT_OK)
		r = fit->task->target(rec, mode, labels, label, err);
	rec->has_token_labels &= fit->per_token;
	return r == BT_OK && fit->selects ? check_masked(rec, fit, err) : r;
}

int bt_whole_end(const struct bt_whole *w, struct bt_error *err)
{
	if (w->of == 0 || w->next == w->of)
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_TEXTS_ORDER,
	    bt_error_set(err, BT_EFORMAT,
	                 "the last question so far has %lld choices, and "
	                 "records of %lld",
	                 (long long)w->of, (long long)w->next));
}

void bt_whole_clear(struct bt_whole *w)
{
	bt_buf_clear(&w->id);
}

/* A further text that does not fit the one before it: "has another id than". */
static int misfit(const struct bt_token_rec *rec, const char *how,
                  struct bt_error *err)
{
	const char *text = rec->texts > 0 ? "choice" : "text";

	return bt_error_hint(
	    err, BT_HINT_TEXTS_ORDER,
	    bt_error_set(
	        err, BT_EFORMAT, "is %s %lld of %s and %s the %s before it",
	        text, (long long)rec->text_number,
	        rec->texts > 0 ? "a question" : "an example", how, text));
}

int bt_whole_take(struct bt_whole *w, const struct bt_token_rec *rec,
                  struct bt_error *err)
{
	bool known = rec->texts > 0, named = rec->id.p != NULL;
	float right = known ? rec->target[0] : 0;
	int64_t k = rec->text_number;

	if (k == 0 && bt_whole_end(w, err) != BT_OK)
		return BT_EFORMAT;
	if (k < 0 || (k > 0 && (k != w->next || rec->texts != w->of)))
		return misfit(rec, "does not follow", err);
	if (k > 0 && known &&
	    (named != w->has_id ||
	     (named &&
	      !bt_span_equal(
	          rec->id, (struct bt_span){bt_buf_at(&w->id, 0), w->id.len}))))
		return misfit(rec, "has another id than", err);
	if (k > 0 && right != w->right)
		return misfit(rec, "has another label than", err);
	w->next = k + 1;
	if (k > 0)
		return BT_OK;
	w->of = rec->texts;
	w->right = right;
	w->has_id = named;
	bt_buf_reset(&w->id);
	if (known && named)
		bt_buf_put(&w->id, rec->id.p, rec->id.n);
	return w->id.oom ? bt_error_nomem(err, "reading records") : BT_OK;
}
