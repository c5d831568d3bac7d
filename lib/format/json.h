/* SPDX-License-Identifier: MIT */
/* JSON files, through jansson. */
#ifndef BT_FORMAT_JSON_H
#define BT_FORMAT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

/* Reads a file that holds one JSON object. The caller json_decref()s it. Whole
 * numbers that do not fit into 64 bits are read as reals. */
int bt_json_load(const char *path, json_t **object,
                 struct bt_error *err) BT_MUST_USE;

/* The same of dir/name; *object is NULL where there is no such file. */
int bt_json_load_in(const char *dir, const char *name, json_t **object,
                    struct bt_error *err) BT_MUST_USE;

/* Reads a file that holds one JSON list; *list is NULL after an error. */
int bt_json_load_list(const char *path, json_t **list,
                      struct bt_error *err) BT_MUST_USE;

/* Parses len bytes as one JSON object; name is for messages. With unique, a key
 * that stands twice is an error; else the last one counts. */
int bt_json_parse(const char *name, const char *data, size_t len, bool unique,
                  json_t **object, struct bt_error *err) BT_MUST_USE;

/* The same with unique, of a text that begins in this line of an input. */
int bt_json_parse_from(uint64_t line, struct bt_span text, json_t **object,
                       struct bt_error *err) BT_MUST_USE;

/* As bt_json_parse, with whole numbers as bt_json_load reads them; \u0000 is
 * taken in values, for which the caller looks at json_string_length. */
int bt_json_parse_nul(const char *name, const char *data, size_t len,
                      json_t **object, struct bt_error *err) BT_MUST_USE;

/* A number, or null for one that JSON has no form for. */
json_t *bt_json_finite(double v);

/* The list or object or, where an addition to it failed, NULL, and it is freed.
 */
json_t *bt_json_whole(json_t *v, bool failed);

/* Puts each list of numbers in printed JSON on one line, in place. */
void bt_json_join_lists(char *text);

#define BT_JSON_DIGITS 9 /* of the numbers in a file of bt_json_save */

/* Writes an object, indented by two, as an atomic file. */
int bt_json_save(const char *path, const json_t *object,
                 struct bt_error *err) BT_MUST_USE;

/*
 * Optional members: where the key is absent or null, *v keeps its value. A
 * member of another type, or out of [lo, hi], is BT_EFORMAT and named.
 */
int bt_json_int(const json_t *o, const char *key, int64_t lo, int64_t hi,
                int64_t *v, struct bt_error *err) BT_MUST_USE;
int bt_json_real(const json_t *o, const char *key, double lo, double hi,
                 double *v, struct bt_error *err) BT_MUST_USE;
int bt_json_bool(const json_t *o, const char *key, bool *v,
                 struct bt_error *err) BT_MUST_USE;
/* The same for a variable that has a third value while nothing is said. */
int bt_json_flag(const json_t *o, const char *key, int *v,
                 struct bt_error *err) BT_MUST_USE;
/* Borrowed from o; one with \u0000 is BT_EFORMAT. */
int bt_json_str(const json_t *o, const char *key, const char **v,
                struct bt_error *err) BT_MUST_USE;

/* A string with whatever is in it, borrowed; absent if v is none. */
static inline struct bt_span bt_json_text(const json_t *v)
{
	struct bt_span s = {json_string_value(v), json_string_length(v)};

	return s;
}

#endif
