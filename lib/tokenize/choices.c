/* SPDX-License-Identifier: MIT */
/* A question with choices: each of them is the second text of a pair, whose
 * record says its number. */
#include "tokenize/job_int.h"

#define SHOWN 100 /* bytes of a label in a message */

/* Each choice's record has the names of all: their bytes are the square. */
#define MOST_CHOICES 1000

size_t bt_tokenize_find_name(const struct bt_feature *names,
                             struct bt_span label, size_t n)
{
	struct bt_pb at = names->list;
	struct bt_span name;
	size_t i;

	for (i = 0; i < n; i++)
		if (bt_feature_next_text(names, &at, &name.p, &name.n, NULL) !=
		        1 ||
		    bt_span_equal(name, label))
			break;
	return i;
}

/* Texts of a list; less than 0: an error. */
static int count_list(const struct bt_feature *list, size_t *n,
                      struct bt_error *err)
{
	struct bt_pb at = list->list;
	struct bt_span s;
	int r = 1;

	*n = 0;
	while (list->name != NULL &&
	       (r = bt_feature_next_text(list, &at, &s.p, &s.n, err)) == 1)
		(*n)++;
	return r < 0 ? r : BT_OK;
}

int bt_tokenize_choice_next(const struct bt_tokenize *j,
                            struct bt_tokenize_worker *w,
                            struct bt_tokenize_text *x, struct bt_error *err)
{
	struct bt_span *s = &x->rec.text_b;
	int r = bt_feature_next_text(&x->rec.choice_list, &x->choice, &s->p,
	                             &s->n, err);

	if (r < 0)
		return r;
	return j->opts.mend ? bt_tokenize_mend(w, 1, s, &x->mended) : BT_OK;
}

int bt_tokenize_choices(const struct bt_tokenize *j,
                        struct bt_tokenize_worker *w,
                        struct bt_tokenize_text *x, struct bt_error *err)
{
	size_t names;
	int r = count_list(&x->rec.choice_list, &x->choices, err);

	if (r == BT_OK)
		r = count_list(&x->rec.name_list, &names, err);
	if (r != BT_OK)
		return r;
	if (x->choices < 2 || names != x->choices)
		return bt_error_set(err, BT_EFORMAT,
		                    "has %zu choices and %zu names of them "
		                    "(label_names): expected equally many, at "
		                    "least two",
		                    x->choices, names);
	if (x->word != NULL || x->place != NULL || x->rec.text_b.p != NULL ||
	    j->opts.apart || j->opts.windows ||
	    j->opts.layout != BT_LAYOUT_FULL)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "has choices, which go with one text, not apart, not in "
		    "windows, and in full records");
	if (x->choices > MOST_CHOICES)
		return bt_error_set(err, BT_ELIMIT,
		                    "has %zu choices, more than %d", x->choices,
		                    MOST_CHOICES);
	if (j->opts.dummy_label != NULL ||
	    (j->opts.labels != NULL && !j->opts.model_labels))
		return bt_error_set(err, BT_EFORMAT,
		                    "has choices, whose names are its labels, "
		                    "in place of given ones and of a dummy");
	x->choice = x->rec.choice_list.list;
	return bt_tokenize_choice_next(j, w, x, err);
}

int bt_tokenize_choice_label(const struct bt_tokenize *j, size_t choices,
                             struct bt_token_rec *rec, struct bt_error *err)
{
	size_t k;

	if (j->opts.label_type == BT_LABEL_NONE || rec->label.p == NULL)
		return BT_OK;
	if (j->opts.label_type != BT_LABEL_CLASS)
		return bt_error_hint(
		    err, BT_HINT_LABEL_TYPE_CLASS,
		    bt_error_set(err, BT_EFORMAT,
		                 "holds a question with choices"));
	k = bt_tokenize_find_name(&rec->name_list, rec->label, choices);
	if (k == choices)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "the label '%.*s' names none of the %zu "
		    "choices of its record",
		    (int)(rec->label.n < SHOWN ? rec->label.n : SHOWN),
		    rec->label.p, choices);
	rec->has_label_id = true;
	rec->label_id = (int64_t)k;
	return BT_OK;
}
