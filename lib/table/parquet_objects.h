/* SPDX-License-Identifier: MIT */
/* Rows of a Parquet file as the JSON objects that lines of JSON Lines are. */
#ifndef BT_TABLE_PARQUET_OBJECTS_H
#define BT_TABLE_PARQUET_OBJECTS_H

#include <jansson.h>

#include "io/in.h"

/*
 * Reads an input that begins as Parquet does (parquet/parquet.h) and takes it
 * over. take gets each row, of the columns names[0..n-1] that there are; its
 * object is borrowed. An error of it gets the file and the record in front.
 */
int bt_parquet_objects(struct bt_in *in, const char *const *names, size_t n,
                       int (*take)(void *arg, const json_t *row,
                                   struct bt_error *err),
                       void *arg, struct bt_error *err) BT_MUST_USE;

#endif
