/* SPDX-License-Identifier: MIT */
#ifndef BT_RECORD_RECORD_INT_H
#define BT_RECORD_RECORD_INT_H

#include "record/record.h"

/* Writes the features of a payload whose names no record owns; p NULL: none. It
 * was read before, so it is sound. */
void bt_record_add_passthrough(struct bt_example_writer *w,
                               struct bt_span payload);

static inline void bt_record_add_text(struct bt_example_writer *w,
                                      const char *name, struct bt_span v)
{
	if (v.p != NULL)
		bt_example_add_text(w, name, v.p, v.n);
}

/* A list as it was read, if it was. */
static inline void bt_record_add_kept(struct bt_example_writer *w,
                                      const char *name,
                                      const struct bt_feature *f)
{
	if (f->name != NULL)
		bt_example_add_list(w, name, f->kind, f->list.p,
		                    (size_t)(f->list.end - f->list.p));
}

/* Read a feature into *v, or fail as bt_feature_text and the like do. _int and
 * _weight expect one number and set *has. _label sets *label unless the list is
 * of `several`: other than one of its *n texts; _keep_texts checks a list. */
int bt_record_read_text(const struct bt_feature *f, struct bt_span *v,
                        struct bt_error *err) BT_MUST_USE;
int bt_record_read_int(const struct bt_feature *f, int64_t *v, bool *has,
                       struct bt_error *err) BT_MUST_USE;
int bt_record_read_weight(const struct bt_feature *f, float *v, bool *has,
                          struct bt_error *err) BT_MUST_USE;
int bt_record_read_label(const struct bt_feature *f, struct bt_feature *list,
                         struct bt_span *label, bool *several, size_t *n,
                         struct bt_error *err) BT_MUST_USE;
int bt_record_keep_texts(const struct bt_feature *f, struct bt_feature *kept,
                         struct bt_error *err) BT_MUST_USE;

/* The features of a question while a record is read, by these numbers. */
enum bt_question_list {
	BT_LIST_QUESTION,
	BT_LIST_CONTEXT,
	BT_LIST_ANSWERS,
	BT_LIST_ANSWER_STARTS,
	BT_LIST_TOKEN_STARTS,
	BT_LIST_TOKEN_ENDS,
	BT_LIST_MAX_CONTEXT,
	BT_LIST_START_POSITION,
	BT_LIST_END_POSITION,
	BT_QUESTION_LISTS
};
struct bt_question_lists {
	struct bt_feature list[BT_QUESTION_LISTS];
};

/* Keeps f if it is one of them. */
void bt_question_note(struct bt_question_lists *q, const struct bt_feature *f);
static inline bool bt_question_has(const struct bt_question_lists *q,
                                   enum bt_question_list k)
{
	return q->list[k].name != NULL;
}

/* BT_EFORMAT if one of question and context is missing or of another kind, or
 * answers and their starts are not equally many. */
int bt_question_read(const struct bt_question_lists *lists,
                     struct bt_question *q, struct bt_error *err) BT_MUST_USE;

/* The places of all n tokens of rec, of which the mask has rec->n; numbers are
 * decoded into rec->scratch. */
int bt_question_read_places(const struct bt_question_lists *lists, size_t n,
                            struct bt_token_rec *rec,
                            struct bt_error *err) BT_MUST_USE;

/* The tokens of the answer, which are in the text, where both are given. */
int bt_question_read_answer(const struct bt_question_lists *lists,
                            struct bt_token_rec *rec,
                            struct bt_error *err) BT_MUST_USE;

/* Decodes a list of as many numbers as input_ids has into rec->scratch. */
int bt_record_read_list(const struct bt_feature *f, const char *name, size_t n,
                        struct bt_token_rec *rec,
                        struct bt_error *err) BT_MUST_USE;

/* Room for n tokens in ids and types and for n numbers in scratch. Returns 0 or
 * BT_ENOMEM. */
int bt_token_rec_reserve(struct bt_token_rec *rec, size_t n) BT_MUST_USE;

#endif
