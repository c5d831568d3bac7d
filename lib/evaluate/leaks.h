/* SPDX-License-Identifier: MIT */
/*
 * Evaluated texts that the model may know already: those that occur in other
 * records, usually those trained on, or are similar to one there, and those
 * that repeat an earlier evaluated text. Texts are made of the tokens, and
 * compared as in dedup/minhash.h: similar is a Jaccard similarity of
 * BT_LEAKS_SIMILAR or more.
 */
#ifndef BT_EVALUATE_LEAKS_H
#define BT_EVALUATE_LEAKS_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/tokenizer.h"

#define BT_LEAKS_SIMILAR 0.8
#define BT_LEAKS_SHOWN 20 /* pairs that are kept */

struct bt_leaks;

/* Reads the token records of a file, whose name, as tok, is borrowed. */
int bt_leaks_open(const char *path, const struct bt_tok *tok,
                  struct bt_leaks **leaks, struct bt_error *err) BT_MUST_USE;
void bt_leaks_close(struct bt_leaks *l); /* takes NULL */

/* The payload of the next evaluated record, the number-th from 1. */
int bt_leaks_look(struct bt_leaks *l, uint64_t number, const void *data,
                  size_t len, struct bt_error *err) BT_MUST_USE;

/* A line. The JSON is an object: "file", "texts" (evaluated), "equal" and
 * "similar" (to one in the file), "repeated", and "pairs", the most similar
 * ones first, with their "similarity", "record" (evaluated), "text" and "other"
 * (the text there). NULL: out of memory. */
void bt_leaks_report(const struct bt_leaks *l, struct bt_buf *out);
json_t *bt_leaks_json(const struct bt_leaks *l);

#endif
