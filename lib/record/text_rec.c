/* SPDX-License-Identifier: MIT */
/* Text records. */
#include "record/record_int.h"

#include <string.h>

bool bt_text_rec_is_open(const struct bt_text_rec *rec)
{
	return rec->several ||
	       (rec->name_list.name != NULL && rec->number_list.name == NULL &&
	        rec->choice_list.name == NULL);
}

static int read_text_feature(const struct bt_feature *f,
                             struct bt_text_rec *rec,
                             struct bt_question_lists *question, bool *tokens,
                             bool *others, struct bt_error *err)
{
	size_t n;

	if (bt_feature_is(f, "text_a"))
		return bt_record_read_text(f, &rec->text_a, err);
	if (bt_feature_is(f, "text_b"))
		return bt_record_read_text(f, &rec->text_b, err);
	if (bt_feature_is(f, "id"))
		return bt_record_read_text(f, &rec->id, err);
	if (bt_feature_is(f, "label"))
		return bt_record_read_label(f, &rec->label_list, &rec->label,
		                            &rec->several, &rec->n_labels, err);
	if (bt_feature_is(f, "label_ids") && f->kind != BT_FEATURE_FLOAT)
		return bt_record_read_int(f, &rec->label_id, &rec->has_label_id,
		                          err);
	if (bt_feature_is(f, "label_ids")) {
		rec->number_list = *f;
		return bt_feature_floats(f, NULL, 0, &n, err);
	}
	if (bt_feature_is(f, "label_names"))
		return bt_record_keep_texts(f, &rec->name_list, err);
	if (bt_feature_is(f, "choices"))
		return bt_record_keep_texts(f, &rec->choice_list, err);
	if (bt_feature_is(f, "weight"))
		return bt_record_read_weight(f, &rec->weight, &rec->has_weight,
		                             err);
	if (bt_feature_is(f, "words"))
		rec->word_list = *f;
	if (bt_feature_is(f, "before"))
		rec->before_list = *f;
	if (bt_feature_is(f, "after"))
		rec->after_list = *f;
	if (bt_feature_is(f, "input_ids"))
		*tokens = true;
	else if (!bt_record_owns((struct bt_span){f->name, f->name_len})) {
		bt_question_note(question, f);
		*others = true;
	}
	return BT_OK;
}

int bt_text_rec_read(const void *data, size_t len, struct bt_text_rec *rec,
                     struct bt_error *err)
{
	struct bt_example x;
	struct bt_feature f;
	struct bt_question_lists question = {0};
	bool tokens = false, others = false;
	int r;

	memset(rec, 0, sizeof(*rec));
	bt_example_open(&x, data, len);
	while ((r = bt_example_next(&x, &f, err)) == 1) {
		r = read_text_feature(&f, rec, &question, &tokens, &others,
		                      err);
		if (r != BT_OK)
			return r;
	}
	if (r != 0)
		return r;
	if (others)
		rec->others = (struct bt_span){data, len};
	if (rec->text_a.p != NULL || (rec->word_list.name != NULL && !tokens)) {
		if (rec->text_a.p != NULL)
			rec->word_list.name = NULL;
		return BT_OK;
	}
	if (bt_question_has(&question, BT_LIST_QUESTION) && !tokens)
		return bt_question_read(&question, &rec->question, err);
	if (tokens)
		return bt_error_hint(
		    err, BT_HINT_TOKENIZED,
		    bt_error_set(err, BT_EFORMAT,
		                 "holds tokens (input_ids), not text"));
	return bt_error_set(err, BT_EFORMAT,
	                    "is not a text record: it has no feature 'text_a', "
	                    "'words' or 'question'");
}

static void put_choice(struct bt_buf *key, struct bt_span s)
{
	uint64_t n = s.n;

	bt_buf_put(key, &n, sizeof(n));
	if (n > 0)
		bt_buf_put(key, s.p, s.n);
}

int bt_text_rec_key(const struct bt_text_rec *rec, struct bt_buf *key,
                    struct bt_error *err)
{
	struct bt_pb at = rec->choice_list.list;
	uint64_t n = rec->text_a.n;
	struct bt_span s;
	size_t i;
	int r = 1;

	bt_buf_reset(key);
	bt_buf_put(key, &n, sizeof(n));
	if (rec->text_a.n > 0)
		bt_buf_put(key, rec->text_a.p, rec->text_a.n);
	if (rec->text_b.n > 0)
		bt_buf_put(key, rec->text_b.p, rec->text_b.n);
	for (i = 0; rec->choices != NULL && i < rec->n_names; i++)
		put_choice(key, rec->choices[i]);
	while (rec->choice_list.name != NULL && r == 1) {
		r = bt_feature_next_text(&rec->choice_list, &at, &s.p, &s.n,
		                         err);
		if (r < 0)
			return r;
		if (r == 1)
			put_choice(key, s);
	}
	return key->oom ? bt_error_nomem(err, "comparing texts") : BT_OK;
}

struct bt_span bt_text_rec_make(struct bt_example_writer *w,
                                const struct bt_text_rec *rec)
{
	size_t i;

	bt_example_begin(w);
	if (rec->choices != NULL)
		bt_example_add_texts(w, "choices", rec->choices, rec->n_names);
	else
		bt_record_add_kept(w, "choices", &rec->choice_list);
	bt_record_add_text(w, "id", rec->id);
	if (rec->several && rec->label_list.name != NULL)
		bt_record_add_kept(w, "label", &rec->label_list);
	else if (rec->several)
		bt_example_add_texts(w, "label", rec->labels, rec->n_labels);
	else
		bt_record_add_text(w, "label", rec->label);
	if (rec->numbers != NULL)
		bt_example_add_floats(w, "label_ids", rec->numbers,
		                      rec->n_names);
	else if (rec->has_label_id)
		bt_example_add_int64s(w, "label_ids", &rec->label_id, 1);
	else
		bt_record_add_kept(w, "label_ids", &rec->number_list);
	if (rec->names != NULL)
		bt_example_add_texts(w, "label_names", rec->names,
		                     rec->n_names);
	else
		bt_record_add_kept(w, "label_names", &rec->name_list);
	bt_record_add_text(w, "text_a", rec->text_a);
	bt_record_add_text(w, "text_b", rec->text_b);
	if (rec->has_weight)
		bt_example_add_floats(w, "weight", &rec->weight, 1);
	for (i = 0; i < rec->n_kept; i++)
		bt_record_add_text(w, rec->kept[i].name, rec->kept[i].value);
	bt_record_add_passthrough(w, rec->others);
	return bt_example_finish(w);
}
