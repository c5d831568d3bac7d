/* SPDX-License-Identifier: MIT */
/* Token records: reading them, and their memory. */
#include "record/record_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void bt_token_rec_clear(struct bt_token_rec *rec)
{
	free(rec->ids);
	free(rec->types);
	free(rec->scratch);
	free(rec->target);
	free(rec->word);
	free(rec->place);
	free(rec->token_label);
	memset(rec, 0, sizeof(*rec));
}

int bt_token_rec_reserve(struct bt_token_rec *rec, size_t n)
{
	size_t cap = rec->cap;

	return bt_grow(&rec->ids, &cap, n, sizeof(*rec->ids)) ||
	               bt_grow(&rec->types, &rec->cap, n, 1) ||
	               bt_grow(&rec->scratch, &rec->scratch_cap, n,
	                       sizeof(*rec->scratch))
	           ? BT_ENOMEM
	           : BT_OK;
}

/* The lists while a record is read. */
struct lists {
	struct bt_feature ids, mask, types, words;
	struct bt_question_lists question;
	bool text;
};

/* A float is a number to predict; a list is kept as it stands. */
static int read_label_ids(const struct bt_feature *f, struct bt_token_rec *rec,
                          struct bt_error *err)
{
	bool number = f->kind == BT_FEATURE_FLOAT;
	size_t n;
	int r = number ? bt_feature_floats(f, &rec->label_value, 1, &n, err)
	               : bt_feature_int64s(f, &rec->label_id, 1, &n, err);

	if (r != BT_OK)
		return r;
	if (n != 1) {
		rec->id_list = *f;
		return BT_OK;
	}
	if (number && !isfinite(rec->label_value))
		return bt_error_set(
		    err, BT_EFORMAT,
		    "feature 'label_ids' is not a finite number");
	rec->has_label_value = number;
	rec->has_label_id = !number;
	return BT_OK;
}

/* Keeps a feature that is a list, to be read when all are there. */
static bool keep_list(const struct bt_feature *f, struct lists *l,
                      struct bt_token_rec *rec)
{
	const struct {
		const char *name;
		struct bt_feature *kept;
	} lists[] = {
	    {"input_ids", &l->ids},
	    {"input_mask", &l->mask},
	    {"segment_ids", &l->types},
	    {"word_ids", &l->words},
	    {"words", &rec->word_list},
	    {"tags", &rec->tag_list},
	    {"sentence_id", &rec->sentence_id},
	    {"sub_sentence_id", &rec->sub_sentence_id},
	    {"masked_lm_positions", &rec->masked_positions},
	    {"masked_lm_ids", &rec->masked_ids},
	    {"masked_lm_weights", &rec->masked_weights},
	    {"next_sentence_labels", &rec->next_sentence},
	    /* as later programs for pre-training call them */
	    {"input_word_ids", &l->ids},
	    {"input_type_ids", &l->types},
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (bt_feature_is(f, lists[i].name)) {
			*lists[i].kept = *f;
			return true;
		}
	return false;
}

static int read_token_feature(const struct bt_feature *f, struct lists *l,
                              struct bt_token_rec *rec, struct bt_error *err)
{
	bool has = false;
	int64_t v = 1;
	size_t n;
	int r;

	if (keep_list(f, l, rec))
		return BT_OK;
	if (bt_feature_is(f, "label_all")) {
		r = bt_record_read_int(f, &v, &has, err);
		rec->label_all = r == BT_OK && has && v != 0;
		return r;
	} else if (bt_feature_is(f, "window"))
		return bt_record_read_int(f, &rec->window, &rec->has_window,
		                          err);
	else if (bt_feature_is(f, "text_number"))
		return bt_record_read_int(f, &rec->text_number,
		                          &rec->has_text_number, err);
	else if (bt_feature_is(f, "text_a"))
		l->text = true;
	else if (bt_feature_is(f, "id"))
		return bt_record_read_text(f, &rec->id, err);
	else if (bt_feature_is(f, "label"))
		return bt_record_read_label(f, &rec->label_list, &rec->label,
		                            &rec->several, &n, err);
	else if (bt_feature_is(f, "label_names"))
		return bt_record_keep_texts(f, &rec->name_list, err);
	else if (bt_feature_is(f, "tokenizer"))
		return bt_record_read_text(f, &rec->tokenizer, err);
	else if (bt_feature_is(f, "label_ids"))
		return read_label_ids(f, rec, err);
	else if (bt_feature_is(f, "example_id"))
		return bt_record_read_int(f, &rec->example_id,
		                          &rec->has_example_id, err);
	else if (bt_feature_is(f, "weight"))
		return bt_record_read_weight(f, &rec->weight, &rec->has_weight,
		                             err);
	else if (bt_feature_is(f, "is_real_example")) {
		r = bt_record_read_int(f, &v, &has, err);
		rec->is_real = v != 0;
		return r;
	} else
		bt_question_note(&l->question, f);
	return BT_OK;
}

static int out_of_range(const char *name, int64_t v, size_t at,
                        struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT,
	                    "%s holds %lld at position %zu, out of range", name,
	                    (long long)v, at);
}

/* The words of the tokens, which must go up. */
static int read_words(const struct bt_feature *f, size_t n,
                      struct bt_token_rec *rec, struct bt_error *err)
{
	int64_t last = -1;
	size_t i;
	int r = bt_record_read_list(f, "word_ids", n, rec, err);

	if (r == BT_OK &&
	    bt_grow(&rec->word, &rec->word_cap, n, sizeof(*rec->word)) != BT_OK)
		return bt_error_nomem(err, "reading a record");
	for (i = 0; r == BT_OK && i < n; i++) {
		if (rec->scratch[i] < -1 || rec->scratch[i] > INT32_MAX ||
		    (rec->scratch[i] >= 0 && rec->scratch[i] < last))
			return out_of_range("word_ids", rec->scratch[i], i,
			                    err);
		rec->word[i] = (int32_t)rec->scratch[i];
		if (rec->scratch[i] >= 0)
			last = rec->scratch[i];
	}
	rec->has_words = r == BT_OK;
	return r;
}

/* Sets rec->n to the number of leading ones; the rest must be zeros. */
static int read_mask(const struct bt_feature *f, size_t n,
                     struct bt_token_rec *rec, struct bt_error *err)
{
	size_t i, real = 0;
	int r = bt_record_read_list(f, "input_mask", n, rec, err);

	if (r != BT_OK)
		return r;
	while (real < n && rec->scratch[real] == 1)
		real++;
	for (i = real; i < n; i++)
		if (rec->scratch[i] != 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "input_mask is not ones followed "
			                    "by zeros (position %zu)",
			                    i);
	rec->n = real;
	return BT_OK;
}

static int read_lists(const struct lists *l, struct bt_token_rec *rec,
                      struct bt_error *err)
{
	size_t n, i;
	int r = bt_feature_int64s(&l->ids, NULL, 0, &n, err);

	if (r != BT_OK)
		return r;
	if (bt_token_rec_reserve(rec, n) != BT_OK)
		return bt_error_nomem(err, "reading a record");
	r = bt_feature_int64s(&l->ids, rec->scratch, n, &n, err);
	for (i = 0; r == BT_OK && i < n; i++) {
		if (rec->scratch[i] < 0 || rec->scratch[i] > INT32_MAX)
			return out_of_range("input_ids", rec->scratch[i], i,
			                    err);
		rec->ids[i] = (int32_t)rec->scratch[i];
	}
	if (r != BT_OK)
		return r;
	if (n > 0)
		memset(rec->types, 0, n);
	if (l->types.name != NULL) {
		r = bt_record_read_list(&l->types, "segment_ids", n, rec, err);
		for (i = 0; r == BT_OK && i < n; i++) {
			if (rec->scratch[i] < 0 || rec->scratch[i] > 255)
				return out_of_range("segment_ids",
				                    rec->scratch[i], i, err);
			rec->types[i] = (uint8_t)rec->scratch[i];
		}
		if (r != BT_OK)
			return r;
	}
	rec->n = n;
	if (l->words.name != NULL) {
		r = read_words(&l->words, n, rec, err);
		if (r != BT_OK)
			return r;
	}
	if (bt_question_has(&l->question, BT_LIST_TOKEN_STARTS))
		r = bt_question_read(&l->question, &rec->question, err);
	if (r == BT_OK && l->mask.name != NULL)
		r = read_mask(&l->mask, n, rec, err);
	if (r == BT_OK && bt_question_has(&l->question, BT_LIST_TOKEN_STARTS))
		r = bt_question_read_places(&l->question, n, rec, err);
	if (r == BT_OK &&
	    (bt_question_has(&l->question, BT_LIST_TOKEN_STARTS) ||
	     (bt_question_has(&l->question, BT_LIST_START_POSITION) &&
	      bt_question_has(&l->question, BT_LIST_END_POSITION))))
		r = bt_question_read_answer(&l->question, rec, err);
	return r;
}

/* Forgets the last record but keeps its memory. */
static void reset(struct bt_token_rec *rec)
{
	*rec = (struct bt_token_rec){.ids = rec->ids,
	                             .types = rec->types,
	                             .cap = rec->cap,
	                             .scratch = rec->scratch,
	                             .scratch_cap = rec->scratch_cap,
	                             .target = rec->target,
	                             .target_cap = rec->target_cap,
	                             .word = rec->word,
	                             .word_cap = rec->word_cap,
	                             .place = rec->place,
	                             .place_cap = rec->place_cap,
	                             .token_label = rec->token_label,
	                             .token_label_cap = rec->token_label_cap,
	                             .is_real = true,
	                             .weight = 1};
}

int bt_token_rec_set(struct bt_token_rec *rec, const int32_t *ids,
                     const uint8_t *types, size_t n)
{
	reset(rec);
	if (bt_token_rec_reserve(rec, n) != BT_OK)
		return BT_ENOMEM;
	if (n > 0) {
		memcpy(rec->ids, ids, n * sizeof(*ids));
		memcpy(rec->types, types, n);
	}
	rec->n = n;
	return BT_OK;
}

int bt_token_rec_set_words(struct bt_token_rec *rec, const int32_t *word)
{
	if (bt_grow(&rec->word, &rec->word_cap, rec->n, sizeof(*rec->word)) !=
	    BT_OK)
		return BT_ENOMEM;
	if (rec->n > 0)
		memcpy(rec->word, word, rec->n * sizeof(*word));
	rec->has_words = true;
	return BT_OK;
}

int bt_token_rec_set_places(struct bt_token_rec *rec,
                            const struct bt_token_place *place)
{
	if (bt_grow(&rec->place, &rec->place_cap, rec->n,
	            sizeof(*rec->place)) != BT_OK)
		return BT_ENOMEM;
	if (rec->n > 0)
		memcpy(rec->place, place, rec->n * sizeof(*place));
	rec->has_places = true;
	return BT_OK;
}

int bt_token_rec_fill(struct bt_token_rec *rec, size_t n)
{
	if (bt_token_rec_reserve(rec, n) != BT_OK ||
	    (rec->has_words && bt_grow(&rec->word, &rec->word_cap, n,
	                               sizeof(*rec->word)) != BT_OK) ||
	    (rec->has_places && bt_grow(&rec->place, &rec->place_cap, n,
	                                sizeof(*rec->place)) != BT_OK))
		return BT_ENOMEM;
	for (; rec->n < n; rec->n++) {
		rec->ids[rec->n] = rec->pad_id;
		rec->types[rec->n] = 0;
		if (rec->has_words)
			rec->word[rec->n] = -1;
		if (rec->has_places)
			rec->place[rec->n] = (struct bt_token_place){-1, -1, 0};
	}
	return BT_OK;
}

int bt_token_rec_read(const void *data, size_t len, struct bt_token_rec *rec,
                      struct bt_error *err)
{
	struct lists l = {0};
	struct bt_example x;
	struct bt_feature f;
	int r;

	reset(rec);
	bt_example_open(&x, data, len);
	while ((r = bt_example_next(&x, &f, err)) == 1) {
		r = read_token_feature(&f, &l, rec, err);
		if (r != BT_OK)
			return r;
	}
	if (r != 0)
		return r;
	if (l.ids.name == NULL &&
	    (l.text || rec->word_list.name != NULL ||
	     bt_question_has(&l.question, BT_LIST_QUESTION)))
		return bt_error_hint(
		    err, BT_HINT_TOKENIZE_FIRST,
		    bt_error_set(err, BT_EFORMAT, "holds text, not tokens"));
	if (l.ids.name == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "is not a token record: it has no "
		                    "feature 'input_ids'");
	r = read_lists(&l, rec, err);
	if (r == BT_OK && rec->n == 0 && rec->is_real)
		r = bt_error_set(err, BT_EFORMAT, "holds no tokens");
	return r;
}
