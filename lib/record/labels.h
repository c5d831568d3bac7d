/* SPDX-License-Identifier: MIT */
/*
 * The labels of a classifier: texts, numbered 0 .. n-1. Training fixes their
 * order, a model's configuration keeps it as id2label.
 */
#ifndef BT_RECORD_LABELS_H
#define BT_RECORD_LABELS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/string_set.h"

#define BT_LABELS_MAX (1 << 20)

struct bt_labels {
	char **name; /* [n], NUL-terminated */
	int n;

	size_t cap;
	struct bt_string_set *set; /* the names, under the same numbers */
	int64_t *given;            /* [n] numbers they came with, or -1 */
	size_t given_cap;
	bool mixed; /* a label came with different numbers, or not always with
	             * one */
};

/* Zero is an empty set. */
void bt_labels_clear(struct bt_labels *l);

/* The column's width that the names take in a table: 12 to 60. */
int bt_labels_width(const struct bt_labels *l);

/* Appends the name of label i, what steers a terminal escaped, padded to the
 * width. */
void bt_labels_put(struct bt_buf *out, const struct bt_labels *l, int i,
                   int width);

/* Whether all are whole numbers, which are near or far from each other as names
 * are not. */
bool bt_labels_are_numbers(const struct bt_labels *l);

/* Whether all are called LABEL_0, LABEL_1, ..., as Hugging Face calls classes
 * of which it knows no names. */
bool bt_labels_are_unnamed(const struct bt_labels *l);

/* The number of a label, or -1. A label LABEL_7 without a name, number 7, is
 * found by its number, too. */
int bt_labels_find(const struct bt_labels *l, struct bt_span name);

/* Its number, added behind the others if it is new. Labels with a NUL in them
 * are refused. Returns the number or an error. */
int bt_labels_add(struct bt_labels *l, struct bt_span name,
                  struct bt_error *err) BT_MUST_USE;

/* Notes that records give label i that number, a published one; -1: none. */
void bt_labels_given(struct bt_labels *l, int i, int64_t number);

/*
 * Puts the labels into order: that of the numbers they were given, if all were
 * and no two alike; else by number if all of them are whole numbers; else by
 * bytes. map[old] = new, where map has room for l->n; may be
 * NULL.
 */
int bt_labels_sort(struct bt_labels *l, int *map,
                   struct bt_error *err) BT_MUST_USE;

/*
 * Puts each label at the number that its records gave it, of n in all; those of
 * which there was no record are named by their numbers. map as above. Where no
 * record gave a number and there are n labels, they are sorted.
 * BT_EFORMAT where a label has no number of these, or one of another's.
 */
int bt_labels_place(struct bt_labels *l, int n, int *map,
                    struct bt_error *err) BT_MUST_USE;

/* Reads id2label of a config.json object into l; without one l is empty. Keys
 * must be 0 .. n-1, values different texts, or whole numbers, which become
 * text.
 */
int bt_labels_from_json(const json_t *config, struct bt_labels *l,
                        struct bt_error *err) BT_MUST_USE;

/* Adds PREFIX0, PREFIX1, ... of which there are n. Hugging Face names numbers
 * that a model predicts so, with "LABEL_". */
int bt_labels_numbered(struct bt_labels *l, const char *prefix, int64_t n,
                       struct bt_error *err) BT_MUST_USE;

/* The labels in DIR/config.json; none if there is no such file. */
int bt_labels_load(const char *dir, struct bt_labels *l,
                   struct bt_error *err) BT_MUST_USE;

/*
 * Labels that a user names, in that order: a list with commas between, or, if
 * there is no comma in it, a file: a label a line, a JSON array, or a JSON
 * object with id2label or, as Model Garden's meta data of tags have it, with
 * label_list. Two at least, all different. l is overwritten.
 */
int bt_labels_parse(const char *list_or_file, struct bt_labels *l,
                    struct bt_error *err) BT_MUST_USE;

#endif
