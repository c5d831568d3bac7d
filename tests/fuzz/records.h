/* SPDX-License-Identifier: MIT */
/* What the entries that write records share. */
#ifndef FUZZ_RECORDS_H
#define FUZZ_RECORDS_H

#include "fuzz.h"

#include "format/tfrecord.h"

/* Looks at each record of a file. */
static inline void fuzz_records(const char *path,
                                void (*check)(const void *data, size_t len))
{
	char *paths[] = {(char *)path};
	struct bt_tfrecord *in;
	const uint8_t *data;
	size_t len;

	FUZZ_CHECK(bt_tfrecord_open(paths, 1, &in, NULL) == BT_OK);
	while (bt_tfrecord_next(in, &data, &len, NULL) == 1)
		check(data, len);
	bt_tfrecord_close(in);
}

#endif
