/* SPDX-License-Identifier: MIT */
/* Features of records that are written beside their predictions: texts, columns
 * that were kept. They are noted while a block of records is read. */
#ifndef BT_PREDICT_FIELDS_H
#define BT_PREDICT_FIELDS_H

#include "base/buf.h"
#include "base/err.h"

struct bt_fields;

/* list: names with commas between. For CSV with that delimiter; 0: for JSON.
 * BT_EARG where a name is empty or repeated. */
int bt_fields_new(const char *list, char delimiter, struct bt_fields **f,
                  struct bt_error *err) BT_MUST_USE;
void bt_fields_free(struct bt_fields *f); /* takes NULL */

/* Field i's name; NULL behind the last. */
const char *bt_fields_name(const struct bt_fields *f, size_t i);

/* Notes the fields of a payload, record k of a block that begins (0) or goes
 * on. */
int bt_fields_look(struct bt_fields *f, size_t k, const void *data, size_t len,
                   struct bt_error *err) BT_MUST_USE;

/* Chooses record k of the block to be put next. BT_EFORMAT where no record so
 * far has one of the fields. */
int bt_fields_choose(struct bt_fields *f, size_t k,
                     struct bt_error *err) BT_MUST_USE;

/* Appends the fields of the chosen record: of CSV, the delimiter before each,
 * with ", " between several values of one, and empty where the record lacks it;
 * of JSON ', "name": value', as record/recjson.h has it, or null. */
void bt_fields_put(const struct bt_fields *f, struct bt_buf *out);

#endif
