/* SPDX-License-Identifier: MIT */
/* The names of all metrics, for help texts. */
#include <string.h>

#include "metrics/metrics.h"

#define LINE 80 /* columns */

void bt_metrics_list(struct bt_buf *out)
{
	static const struct bt_metrics_kind *const kinds[] = {
	    &bt_metrics_classification, &bt_metrics_multilabel,
	    &bt_metrics_regression,     &bt_metrics_ranking,
	    &bt_metrics_tagging,        &bt_metrics_spans,
	    &bt_metrics_questions,      &bt_metrics_choices,
	    &bt_metrics_embeddings,     &bt_metrics_masked};
	struct bt_metrics_summary s = {0};
	const char *name;
	size_t i, k, from;
	double v;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		s.kind = kinds[i];
		bt_buf_printf(out, "  %s:\n", s.kind->name);
		from = out->len;
		for (k = 0; (name = bt_metrics_name(k, &s, &v)) != NULL; k++) {
			if (out->len > from &&
			    out->len - from + 2 + strlen(name) > LINE) {
				bt_buf_putc(out, '\n');
				from = out->len;
			}
			bt_buf_printf(out, "%s%s",
			              out->len > from ? " " : "    ", name);
		}
		bt_buf_putc(out, '\n');
	}
}
