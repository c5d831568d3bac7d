/* SPDX-License-Identifier: MIT */
/* What the values of a column are: its logical type or, in older files, its
 * converted one. */
#include "parquet/schema.h"
#include "parquet/thrift.h"

/* Converted types. */
enum {
	UTF8,
	MAP,
	MAP_KEY_VALUE,
	LIST,
	ENUM,
	DECIMAL,
	DATE,
	TIME_MILLIS,
	TIME_MICROS,
	TIMESTAMP_MILLIS,
	TIMESTAMP_MICROS,
	UINT_8,
	UINT_64 = 14,
	INT_8,
	INT_64 = 18,
	JSON,
	BSON,
	INTERVAL
};

/* Members of the union of logical types. */
enum {
	L_STRING = 1,
	L_MAP,
	L_LIST,
	L_ENUM,
	L_DECIMAL,
	L_DATE,
	L_TIME,
	L_TIMESTAMP,
	L_INTEGER = 10,
	L_UNKNOWN,
	L_JSON,
	L_BSON,
	L_UUID,
	L_FLOAT16,
	L_MAX = 20
};

static bool read_union(struct bt_pb in, struct bt_pb *of, int n)
{
	struct bt_thrift_member members[L_MAX];
	int i;

	for (i = 0; i < n; i++)
		members[i] = (struct bt_thrift_member){i, BT_THRIFT_STRUCT,
		                                       (size_t)i * sizeof(*of)};
	return in.p == NULL || bt_thrift_read(&in, members, (size_t)n, of);
}

/* A struct of a time: whether it is UTC, and its unit. */
static bool read_time(struct bt_pb in, struct bt_parquet_node *node)
{
	static const struct bt_thrift_member members[] = {
	    {1, BT_THRIFT_BOOL, 0}, {2, BT_THRIFT_STRUCT, 8}};
	struct {
		bool utc;
		_Alignas(8) struct bt_pb unit;
	} t = {0};
	struct bt_pb units[4] = {{NULL, NULL}};

	if (!bt_thrift_read(&in, members, 2, &t) ||
	    !read_union(t.unit, units, 4))
		return false;
	node->utc = t.utc;
	node->unit = units[1].p != NULL ? 3 : units[2].p != NULL ? 6 : 9;
	return true;
}

static bool read_integer(struct bt_pb in, struct bt_parquet_node *node)
{
	static const struct bt_thrift_member member = {2, BT_THRIFT_BOOL, 0};
	bool is_signed = true;

	if (!bt_thrift_read(&in, &member, 1, &is_signed))
		return false;
	node->kind = is_signed ? BT_PARQUET_IS_INT : BT_PARQUET_IS_UINT;
	return true;
}

static bool read_decimal(struct bt_pb in, struct bt_parquet_node *node)
{
	static const struct bt_thrift_member member = {1, BT_THRIFT_INT, 0};
	int64_t scale = 0;

	if (!bt_thrift_read(&in, &member, 1, &scale) || scale < 0 ||
	    scale > 1000)
		return false;
	node->kind = BT_PARQUET_IS_DECIMAL;
	node->scale = (int)scale;
	return true;
}

static void other(struct bt_parquet_node *node, const char *what)
{
	node->kind = BT_PARQUET_IS_OTHER;
	node->other = what;
}

/* What the stored type alone says. */
static void by_type(struct bt_parquet_node *node)
{
	static const enum bt_parquet_kind kinds[BT_PARQUET_TYPES] = {
	    BT_PARQUET_IS_BOOL,      BT_PARQUET_IS_INT,  BT_PARQUET_IS_INT,
	    BT_PARQUET_IS_TIMESTAMP, BT_PARQUET_IS_REAL, BT_PARQUET_IS_REAL,
	    BT_PARQUET_IS_TEXT,      BT_PARQUET_IS_TEXT};

	node->kind = kinds[node->type];
	node->unit = 9;
}

static bool by_logical(struct bt_parquet_node *node, const struct bt_pb *of)
{
	if (of[L_LIST].p != NULL || of[L_MAP].p != NULL)
		node->list = true;
	else if (of[L_DECIMAL].p != NULL)
		return read_decimal(of[L_DECIMAL], node);
	else if (of[L_DATE].p != NULL)
		node->kind = BT_PARQUET_IS_DATE;
	else if (of[L_TIME].p != NULL) {
		node->kind = BT_PARQUET_IS_TIME;
		return read_time(of[L_TIME], node);
	} else if (of[L_TIMESTAMP].p != NULL) {
		node->kind = BT_PARQUET_IS_TIMESTAMP;
		return read_time(of[L_TIMESTAMP], node);
	} else if (of[L_INTEGER].p != NULL)
		return read_integer(of[L_INTEGER], node);
	else if (of[L_BSON].p != NULL)
		other(node, "BSON");
	else if (of[L_UUID].p != NULL)
		node->kind = BT_PARQUET_IS_UUID;
	else if (of[L_FLOAT16].p != NULL)
		node->kind = BT_PARQUET_IS_REAL;
	return true;
}

static bool by_converted(struct bt_parquet_node *node, int64_t converted,
                         int64_t scale)
{
	if (converted >= UINT_8 && converted <= UINT_64)
		node->kind = BT_PARQUET_IS_UINT;
	else if (converted >= INT_8 && converted <= INT_64)
		node->kind = BT_PARQUET_IS_INT;
	else if (converted == DATE)
		node->kind = BT_PARQUET_IS_DATE;
	else if (converted == TIME_MILLIS || converted == TIME_MICROS)
		node->kind = BT_PARQUET_IS_TIME;
	else if (converted == TIMESTAMP_MILLIS || converted == TIMESTAMP_MICROS)
		node->kind = BT_PARQUET_IS_TIMESTAMP;
	else if (converted == DECIMAL)
		node->kind = BT_PARQUET_IS_DECIMAL;
	else if (converted == BSON)
		other(node, "BSON");
	else if (converted == INTERVAL)
		other(node, "intervals");
	/* a map is a list of keys with their values */
	node->list =
	    converted == LIST || converted == MAP || converted == MAP_KEY_VALUE;
	node->utc = node->kind == BT_PARQUET_IS_TIMESTAMP;
	node->unit =
	    converted == TIME_MILLIS || converted == TIMESTAMP_MILLIS ? 3 : 6;
	node->scale = (int)scale;
	return scale >= 0 && scale <= 1000;
}

/* Whether values that are stored so can be what is said of them. */
static bool agrees(const struct bt_parquet_node *node)
{
	int t = node->type;
	bool whole = t == BT_PARQUET_INT32 || t == BT_PARQUET_INT64;
	bool bytes = t == BT_PARQUET_BYTES || t == BT_PARQUET_FIXED;

	switch (node->kind) {
	case BT_PARQUET_IS_TEXT:
		return bytes;
	case BT_PARQUET_IS_BOOL:
		return t == BT_PARQUET_BOOLEAN;
	case BT_PARQUET_IS_INT:
	case BT_PARQUET_IS_UINT:
	case BT_PARQUET_IS_TIME:
		return whole;
	case BT_PARQUET_IS_REAL:
		return t == BT_PARQUET_FLOAT || t == BT_PARQUET_DOUBLE ||
		       (t == BT_PARQUET_FIXED && node->size == 2);
	case BT_PARQUET_IS_DATE:
		return t == BT_PARQUET_INT32;
	case BT_PARQUET_IS_TIMESTAMP:
		return t == BT_PARQUET_INT64 || t == BT_PARQUET_INT96;
	case BT_PARQUET_IS_DECIMAL:
		return whole || bytes;
	case BT_PARQUET_IS_UUID:
		return t == BT_PARQUET_FIXED && node->size == 16;
	default:
		return true;
	}
}

int bt_parquet_kind_find(struct bt_parquet_node *node,
                         const struct bt_parquet_logical *logical,
                         struct bt_error *err)
{
	static const size_t sizes[BT_PARQUET_TYPES] = {1, 4, 8, 12, 4, 8, 0, 0};
	struct bt_pb of[L_MAX] = {{NULL, NULL}};
	bool ok = true;

	if (node->type >= 0) {
		by_type(node);
		node->size = sizes[node->type];
		if (node->type == BT_PARQUET_FIXED)
			node->size = (size_t)logical->length;
		ok = node->type != BT_PARQUET_FIXED ||
		     (logical->length > 0 && logical->length <= 1 << 20);
	}
	if (ok && logical->type.p != NULL)
		ok = read_union(logical->type, of, L_MAX) &&
		     by_logical(node, of);
	else if (ok && logical->converted >= 0)
		ok = by_converted(node, logical->converted, logical->scale);
	if (ok && (node->type < 0 || agrees(node)))
		return BT_OK;
	return bt_error_set(
	    err, BT_ECORRUPT, "the type of column '%.*s' makes no sense",
	    (int)(node->name.n < 60 ? node->name.n : 60), node->name.p);
}
