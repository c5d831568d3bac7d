/* SPDX-License-Identifier: MIT */
/*
 * YAML 1.1 as a tree of values, read through libyaml. Plain scalars become what
 * PyYAML makes of them once Model Garden has taught it that 1e-5 is a number
 * (garden/yaml_scalar.c). JSON is YAML, too.
 *
 * A tree is plain memory: one thread at a time changes it.
 */
#ifndef BT_GARDEN_YAML_H
#define BT_GARDEN_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum bt_yaml_kind {
	BT_YAML_NULL,
	BT_YAML_BOOL,
	BT_YAML_INT,
	BT_YAML_REAL,
	BT_YAML_STR,
	BT_YAML_DATE, /* and time: its text */
	BT_YAML_LIST,
	BT_YAML_MAP
};

/* Bounds on what a text may claim. */
#define BT_YAML_SIZE ((size_t)1 << 20)
#define BT_YAML_TEXT ((size_t)1 << 18) /* bytes of one value or key */
#define BT_YAML_DEPTH 64
#define BT_YAML_NODES ((size_t)20000) /* aliases count as what they name */

struct bt_yaml {
	enum bt_yaml_kind kind;
	bool truth;
	int64_t whole;
	double real;
	char *text; /* of STR and DATE; may hold no NUL */

	struct bt_yaml **item; /* [n] of LIST and MAP */
	char **key;            /* [n] of MAP, all different */
	size_t n, item_cap, key_cap;

	int line; /* where it stood, from 1; 0: nowhere */
	int from; /* the owner's to use */
};

/*
 * Parses one document; an empty one is null. name is for messages, which are
 * "NAME:LINE: ...". Of two values under one key the later counts, as it does
 * for PyYAML. *v is the caller's to free.
 */
int bt_yaml_parse(const char *name, const char *text, size_t len,
                  struct bt_yaml **v, struct bt_error *err) BT_MUST_USE;
int bt_yaml_load(const char *path, struct bt_yaml **v,
                 struct bt_error *err) BT_MUST_USE;

/* Sets v to a plain scalar, by its text. BT_EFORMAT for a whole number of more
 * than 64 bits. */
int bt_yaml_scalar(const char *text, struct bt_yaml *v,
                   struct bt_error *err) BT_MUST_USE;

struct bt_yaml *bt_yaml_new(enum bt_yaml_kind kind);
struct bt_yaml *bt_yaml_new_text(enum bt_yaml_kind kind, const char *text);
struct bt_yaml *bt_yaml_copy(const struct bt_yaml *v);
void bt_yaml_free(struct bt_yaml *v); /* takes NULL */

/* The value under a key of a mapping; NULL if there is none. */
struct bt_yaml *bt_yaml_get(const struct bt_yaml *map, const char *key);

/* Puts a value under a key, in the place of the one there, or at the end of a
 * list (key NULL). The value becomes the tree's. */
void bt_yaml_put(struct bt_yaml *to, const char *key, struct bt_yaml *value);

/* "a list" and so on. */
const char *bt_yaml_kind_name(enum bt_yaml_kind kind);

bool bt_yaml_equal(const struct bt_yaml *a, const struct bt_yaml *b);

/* A value in flow style: [a, b], {k: v}, scalars quoted where they must be. */
void bt_yaml_put_flow(const struct bt_yaml *v, struct bt_buf *out);

#endif
