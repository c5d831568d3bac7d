/* SPDX-License-Identifier: MIT */
/* Rows of CSV as the JSON objects that lines of JSON Lines are. */
#ifndef BT_TABLE_CSV_OBJECTS_H
#define BT_TABLE_CSV_OBJECTS_H

#include <jansson.h>
#include <stdbool.h>

#include "format/charset.h"
#include "format/csv.h"
#include "io/in.h"

struct bt_csv_object_column {
	const char *name; /* or its number, from 1; NULL: none */
	bool needed;      /* that it is not there is an error */
	bool lists;       /* what Python or JSON writes as a list or an object
	                   * becomes one (table/literal.h) */
};

/*
 * Reads an input, from which a byte order mark was taken, and takes it over.
 * take gets each row: of the columns [n] that there are, texts and lists; its
 * object is borrowed. An error of it gets the file and the record in front.
 */
int bt_csv_objects(struct bt_in *in, const struct bt_csv_opts *csv,
                   enum bt_charset charset,
                   const struct bt_csv_object_column *columns, size_t n,
                   int (*take)(void *arg, const json_t *row,
                               struct bt_error *err),
                   void *arg, struct bt_error *err) BT_MUST_USE;

#endif
