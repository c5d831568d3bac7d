/* SPDX-License-Identifier: MIT */
/*
 * The same candidates for the label of each row, as the choices of a question:
 * a model of entailment (NLI), which never saw them, then chooses one [Yin et
 * al. 2019, "Benchmarking Zero-shot Text Classification"].
 */
#ifndef BT_TABLE_CANDIDATES_H
#define BT_TABLE_CANDIDATES_H

#include "base/buf.h"
#include "base/span.h"
#include "record/labels.h"

/* That of transformers; {} stands for a candidate. */
#define BT_CANDIDATES_TEMPLATE "This example is {}."

struct bt_candidates {
	struct bt_labels labels;
	size_t n;
	struct bt_span *name; /* [n] of labels */
	struct bt_span *text; /* [n] the template with each of them */
	struct bt_buf bytes;  /* of the texts */
};

/*
 * The labels are given as to bt_labels_parse; none has blanks at its ends.
 * template: NULL is the one above. BT_EARG if it lacks a {} or is not UTF-8.
 * On success *c must be cleared.
 */
int bt_candidates_init(struct bt_candidates *c, const char *labels,
                       const char *template, struct bt_error *err) BT_MUST_USE;

/* Zero is none. */
void bt_candidates_clear(struct bt_candidates *c);

#endif
