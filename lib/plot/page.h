/* SPDX-License-Identifier: MIT */
/* What bert-eval reports, as one page of HTML that needs nothing else. */
#ifndef BT_PLOT_PAGE_H
#define BT_PLOT_PAGE_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

struct bt_page {
	const char *title;
	const char *command; /* the command line that made it, or NULL */
	const char *data;    /* what it was made of, or NULL */
	const char *made_by; /* program and version */
};

/* Appends the page: figures, pictures (plot/evaluation.h), groups, the worst
 * errors with their texts, labels that look wrong, texts that may be known, the
 * comparison with another model. */
int bt_page_write(const json_t *report, const struct bt_page *p,
                  struct bt_buf *out, struct bt_error *err) BT_MUST_USE;

#endif
