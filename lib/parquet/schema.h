/* SPDX-License-Identifier: MIT */
/*
 * What a Parquet file says of itself in its footer: a tree of columns, and
 * where the values of each stand.
 *
 * A leaf of the tree is a column of values. Its name is the path to it, with
 * dots between ("answers.text"), without the levels that only say that there
 * is a list. Its values come with two levels each: how far down the path
 * something is there (the definition), and which list on the path goes on with
 * it (the repetition, 0 where a row begins).
 */
#ifndef BT_PARQUET_SCHEMA_H
#define BT_PARQUET_SCHEMA_H

#include "base/buf.h"
#include "base/string_set.h"
#include "format/protobuf_wire.h"
#include "parquet/codec.h"

#define BT_PARQUET_DEPTH_MAX 32     /* of columns in columns */
#define BT_PARQUET_LEAVES_MAX 65536 /* as columns of CSV */

/* How values are stored. */
enum bt_parquet_type {
	BT_PARQUET_BOOLEAN,
	BT_PARQUET_INT32,
	BT_PARQUET_INT64,
	BT_PARQUET_INT96,
	BT_PARQUET_FLOAT,
	BT_PARQUET_DOUBLE,
	BT_PARQUET_BYTES,
	BT_PARQUET_FIXED, /* as many bytes each */
	BT_PARQUET_TYPES
};

/* What values are. */
enum bt_parquet_kind {
	BT_PARQUET_IS_TEXT,
	BT_PARQUET_IS_BOOL,
	BT_PARQUET_IS_INT,
	BT_PARQUET_IS_UINT,
	BT_PARQUET_IS_REAL,
	BT_PARQUET_IS_DATE,
	BT_PARQUET_IS_TIME,
	BT_PARQUET_IS_TIMESTAMP,
	BT_PARQUET_IS_DECIMAL,
	BT_PARQUET_IS_UUID,
	BT_PARQUET_IS_OTHER /* which is not read */
};

struct bt_parquet_node {
	struct bt_span name; /* in the footer */
	int type;            /* of a leaf; else -1 */
	size_t size;         /* bytes of a value; 0: each has its own */
	enum bt_parquet_kind kind;
	const char *other;             /* what that other is */
	int unit;                      /* of time: digits of the fraction */
	bool utc;                      /* the timestamp is */
	int scale;                     /* of a decimal */
	bool optional, repeated, list; /* list: is annotated as one */
	bool hidden;       /* only says that there is a list, or its element */
	bool wrapper;      /* repeated, and its only child is the element */
	unsigned def, rep; /* levels where it is there */
	size_t next;       /* the node behind it and all below it */
	size_t leaf, n_leaves; /* those below it, or itself */
};

struct bt_parquet_leaf {
	size_t node;
	struct bt_span name;
	unsigned list_def;             /* of its innermost list's elements */
	struct bt_string_set *classes; /* names of the numbers; or NULL */
};

/* The values of a leaf in a row group. */
struct bt_parquet_chunk {
	uint64_t at, size; /* in the file */
	uint64_t values;
	enum bt_parquet_codec codec;
	bool unread; /* its codec is not read: */
	int64_t codec_number;
};

struct bt_parquet_schema {
	struct bt_buf footer, names; /* bytes of names */
	struct bt_parquet_node *nodes;
	size_t n_nodes, nodes_cap; /* nodes[0] is the root */
	struct bt_parquet_leaf *leaves;
	size_t n_leaves, leaves_cap;
	struct bt_parquet_chunk *chunks; /* [n_groups][n_leaves] */
	size_t n_chunks, chunks_cap;
	uint64_t *rows; /* [n_groups] */
	size_t n_groups, groups_cap;
};

/* Takes over the bytes of a footer, which stands at byte `end` of a file, in
 * front of which all values are. Clear it in any case. */
int bt_parquet_schema_read(struct bt_parquet_schema *s, struct bt_buf *footer,
                           uint64_t end, struct bt_error *err) BT_MUST_USE;
void bt_parquet_schema_clear(struct bt_parquet_schema *s);

/* What a leaf's values are, from its node's metadata. */
struct bt_parquet_logical {
	int64_t converted, scale, length; /* converted: -1 where it is absent */
	struct bt_pb type;                /* the union LogicalType */
};
int bt_parquet_kind_find(struct bt_parquet_node *node,
                         const struct bt_parquet_logical *logical,
                         struct bt_error *err) BT_MUST_USE;

/* Names of classes, from what Hugging Face's data sets library writes about
 * its columns. What does not parse is as if it were not there. */
void bt_parquet_classes_find(struct bt_parquet_schema *s, struct bt_span json);

#endif
