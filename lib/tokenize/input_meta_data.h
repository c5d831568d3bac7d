/* SPDX-License-Identifier: MIT */
/*
 * The JSON file about training data that TensorFlow Model Garden's tools hand
 * on (input_meta_data): counts of examples, their length, the kind of labels.
 * Several runs fill one file, a part of the data each.
 */
#ifndef BT_TOKENIZE_INPUT_META_DATA_H
#define BT_TOKENIZE_INPUT_META_DATA_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tokenize/job.h"

struct bt_metadata {
	/* "train", "eval", "test", "test=KEY"; of a retrieval task "eval=KEY"
	 * or "test=KEY", where KEY is "de-en.de" */
	const char *part;
	const char *processor; /* processor_type, or NULL */
	enum bt_label_type label_type;
	size_t max_length; /* of the padded records */
	int labels;        /* of BT_LABEL_CLASS */
};

/* Looks at the file, if it is there: BT_EFORMAT where it is about other data
 * than m; sees that it can be written. BT_EARG where m makes no sense. */
int bt_metadata_check(const char *path, const struct bt_metadata *m,
                      struct bt_error *err) BT_MUST_USE;

/* Writes count as the number of examples of m's part into the file, which is
 * made where there is none; what it says of other parts stays. */
int bt_metadata_update(const char *path, const struct bt_metadata *m,
                       uint64_t count, bool weights,
                       struct bt_error *err) BT_MUST_USE;

/* How many examples a part has. */
struct bt_metadata_count {
	const char *part;
	uint64_t n;
};

/* Writes the file afresh, whatever is there: n parts, of which m->part is
 * none. */
int bt_metadata_write(const char *path, const struct bt_metadata *m,
                      const struct bt_metadata_count *parts, size_t n,
                      bool weights, struct bt_error *err) BT_MUST_USE;

#endif
