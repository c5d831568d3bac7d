/* SPDX-License-Identifier: MIT */
#include "parquet/parquet_int.h"

#define SHOWN 60 /* bytes of a name in a message */

int bt_parquet_bad_value(struct bt_parquet *p, size_t leaf,
                         enum bt_parquet_fault fault, struct bt_error *err)
{
	static const char *const what[] = {
	    "",
	    "has a NUL",
	    "has a null in a list",
	    "has too many bytes",
	    "has a number that is not of one of its classes",
	    "is not valid UTF-8",
	    "has a decimal number of more than 256 bits"};
	struct bt_span name = p->names[leaf];
	int n = name.n < SHOWN ? (int)name.n : SHOWN;

	p->fault = fault;
	return bt_error_set(err, BT_EFORMAT, "'%.*s' %s", n, name.p,
	                    what[fault]);
}
