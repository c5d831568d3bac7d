/* SPDX-License-Identifier: MIT */
/*
 * JSON texts (RFC 8259) that follow each other in an input, in one of three
 * forms, which its beginning shows:
 *
 * lines    JSON Lines, one text on each line, LF or CRLF behind it
 * array    the values of a list, [text, text]; several such lists may follow
 * objects  texts of several lines, as jq(1) writes them: the first line ends
 *          within one
 *
 * Blank lines and blanks between texts are passed over. No more than a text is
 * kept in memory. One thread at a time.
 */
#ifndef BT_FORMAT_JSON_TEXTS_H
#define BT_FORMAT_JSON_TEXTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "io/in.h"

struct bt_json_texts {
	struct bt_span text; /* the last one, borrowed until the next call; one
	                        that is too long: how it begins */
	uint64_t line;       /* in which it begins, from 1 */
	bool bad;            /* an error is one of the text alone: reading may
	                        go on behind it */

	/* for json_texts.c */
	struct bt_in *in;
	size_t max;
	size_t used;         /* bytes of the text that are still to be passed */
	uint64_t ends;       /* of lines, passed so far */
	uint64_t text_lines; /* ends of lines in the text */
	struct bt_buf beyond;
	int form, before;
};

/* in is borrowed, and behind a byte order mark; max is the longest text, in
 * bytes. */
void bt_json_texts_init(struct bt_json_texts *t, struct bt_in *in, size_t max);
void bt_json_texts_clear(struct bt_json_texts *t);

/* 1: t->text is the next one, which may be no JSON; 0: no more; else an error.
 * With t->bad it is BT_ELIMIT for a text that is too long, and BT_EFORMAT for
 * what is wrong between texts of an array. */
int bt_json_texts_next(struct bt_json_texts *t,
                       struct bt_error *err) BT_MUST_USE;

/* The same where texts are objects without a key that stands twice: *o is the
 * next one, for the caller to json_decref(). Nothing is read behind an error.
 */
int bt_json_texts_object(struct bt_json_texts *t, json_t **o,
                         struct bt_error *err) BT_MUST_USE;

#endif
