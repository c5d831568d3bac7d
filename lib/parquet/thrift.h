/* SPDX-License-Identifier: MIT */
/*
 * Thrift's compact protocol, in which Parquet writes its metadata: bounded
 * reading in place, which asks for no memory. A table of members says which
 * fields of a struct are wanted and where they go; others are passed over.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
#ifndef BT_PARQUET_THRIFT_H
#define BT_PARQUET_THRIFT_H

#include "format/protobuf_wire.h"

#define BT_THRIFT_DEPTH_MAX 32 /* of structs and lists in each other */

enum bt_thrift_kind {
	BT_THRIFT_INT,    /* int64_t, of any width */
	BT_THRIFT_BOOL,   /* bool */
	BT_THRIFT_TEXT,   /* struct bt_span */
	BT_THRIFT_STRUCT, /* struct bt_pb: to be read from there */
	BT_THRIFT_LIST    /* struct bt_thrift_list */
};

/* of what a list holds */
#define BT_THRIFT_OF_STRUCTS 12

struct bt_thrift_list {
	struct bt_pb rest; /* p NULL: the field is absent */
	int type;          /* of the elements */
	size_t n;          /* elements; not more than there are bytes */
};

struct bt_thrift_member {
	int id;
	enum bt_thrift_kind kind;
	size_t at; /* offset in the struct */
};

/*
 * Reads the struct that is next, to its end. Members that it lacks stay as they
 * are. False where the bytes are not such a struct, or end in it.
 */
bool bt_thrift_read(struct bt_pb *in, const struct bt_thrift_member *members,
                    size_t n, void *to) BT_MUST_USE;

/* A list of structs that may be absent, which has none then. */
static inline bool bt_thrift_has_structs(const struct bt_thrift_list *list)
{
	return list->n == 0 || list->type == BT_THRIFT_OF_STRUCTS;
}

#endif
