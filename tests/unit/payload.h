/* SPDX-License-Identifier: MIT */
/* Payloads made of JSON, for tests of what reads them. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include "files.h"

#include "record/recjson.h"

/* Makes the payload of an object in b. */
static inline void payload(const char *json, struct bt_buf *b)
{
	struct bt_example_writer w = {0};
	struct bt_error err = {0};

	bt_buf_reset(b);
	assert_ok(bt_recjson_read(json, strlen(json), &w, b, &err));
	bt_example_clear(&w);
}

#endif
