/* SPDX-License-Identifier: MIT */
/* Pictures of what bert-eval reports as JSON. */
#ifndef BT_PLOT_EVALUATION_H
#define BT_PLOT_EVALUATION_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* The first is drawn where nothing else is asked for and the report has it. */
#define BT_EVALUATION_KINDS "confusion|classes|reliability|roc|precision-recall"

struct bt_evaluation_picture {
	const char *kind;     /* of these */
	const char *title;    /* or NULL: that of the kind */
	double width, height; /* pixels, height 0: as it needs; or letters */
	bool shares;          /* confusion: shares of a row, not counts */
	bool text;            /* letters, not SVG */
};

/* Whether a report has what a picture of a kind shows. */
bool bt_evaluation_has(const json_t *report, const char *kind);

/* Appends a picture. BT_EFORMAT: the report lacks it, or is not bert-eval's. */
int bt_evaluation_draw(const json_t *report,
                       const struct bt_evaluation_picture *p,
                       struct bt_buf *out, struct bt_error *err) BT_MUST_USE;

#endif
