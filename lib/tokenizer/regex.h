/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions of tokenizers that are not among those written by hand
 * (pre_tokenizer.h), matched by the library PCRE2. They are meant for Oniguruma
 * with Ruby's syntax, which Hugging Face's tokenizers use: regex_read.c turns
 * one into what PCRE2 takes in the same sense, and refuses what has no such.
 * Which characters are letters is a matter of the library's version of Unicode.
 *
 * A struct bt_regex is immutable and shared by threads.
 */
#ifndef BT_TOKENIZER_REGEX_H
#define BT_TOKENIZER_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct bt_regex;

/* BT_EFORMAT for what cannot be read, or where this build has no PCRE2. */
int bt_regex_new(struct bt_span pattern, struct bt_regex **re,
                 struct bt_error *err) BT_MUST_USE;
void bt_regex_free(struct bt_regex *re); /* takes NULL */

/* True if it can match an empty text. */
bool bt_regex_is_empty(const struct bt_regex *re);

/* Matches in a text, one after the other as Oniguruma's find_iter gives them:
 * an empty one right behind another is none. */
struct bt_regex_iter {
	const struct bt_regex *re;
	void *data; /* PCRE2's */
	const uint8_t *text;
	size_t n, at, last;
	bool first;
};

/* text is valid UTF-8 and stays. */
int bt_regex_begin(struct bt_regex_iter *it, const struct bt_regex *re,
                   const uint8_t *text, size_t n) BT_MUST_USE;

/* 1: *start and *end are set; 0: there are no more; BT_ENOMEM, or BT_ELIMIT
 * where finding out takes too many steps. */
int bt_regex_next(struct bt_regex_iter *it, size_t *start,
                  size_t *end) BT_MUST_USE;
void bt_regex_end(struct bt_regex_iter *it);

/* Appends the pattern as PCRE2 takes it. */
int bt_regex_read(struct bt_span pattern, struct bt_buf *out,
                  struct bt_error *err) BT_MUST_USE;

#endif
