/* SPDX-License-Identifier: MIT */
/*
 * Writes which choice answers a question: CSV or JSON Lines, a row for each
 * question, whose choices come one by one. Choices are called as their records
 * name them.
 */
#ifndef BT_PREDICT_CHOICES_H
#define BT_PREDICT_CHOICES_H

#include "base/log.h"
#include "base/span.h"
#include "io/out.h"
#include "predict/fields.h"

struct bt_choices_opts {
	bool json;
	char delimiter;        /* of CSV; 0: a comma */
	const char *header;    /* names of id and label; NULL: id,label */
	size_t top;            /* the so many best; 0: the best */
	const char *separator; /* between these, in one field, and in no
	                        * choice's name; NULL: each has its own,
	                        * with its probability */
	bool proba;            /* the probability of every choice too */
	double threshold;      /* above 0: each choice counts by itself, and all
	                        * that are at least as probable, by the sigmoid of
	                        * the score, are the answer, with the separator or a
	                        * blank between; top: 0. 0: one is chosen */
	struct bt_fields *fields; /* of the records, behind the id; borrowed,
	                           * or NULL */
};

struct bt_choices;

/* Writes to out, which is borrowed. BT_EARG if the header does not name two
 * columns, the separator is empty, a field has the name of another column or
 * member, or what only CSV has is asked of JSON. */
int bt_choices_new(const struct bt_choices_opts *o, struct bt_out *out,
                   struct bt_choices **c, struct bt_error *err) BT_MUST_USE;
void bt_choices_free(struct bt_choices *c); /* takes NULL */

/* Notes how record k of a block, which 0 begins, names the choices. */
int bt_choices_look(struct bt_choices *c, size_t k, const void *data,
                    size_t len, struct bt_error *err) BT_MUST_USE;

/* Takes the score of record k of the block, a choice of the question of that
 * id (p NULL: it has none), which begins with it and has n choices, or, if n is
 * 0, goes on. Writes the answer if that was the last choice. */
int bt_choices_add(struct bt_choices *c, size_t k, struct bt_span id, size_t n,
                   float score, struct bt_error *err) BT_MUST_USE;

/* Says if questions had no ids and were numbered. */
void bt_choices_tell(const struct bt_choices *c, const struct bt_log *log);

#endif
