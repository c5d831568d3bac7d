/* SPDX-License-Identifier: MIT */
/* A batch out of the examples of a data set. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "finetune/dataset.h"

int bt_gather_init(struct bt_gather *g, size_t max_texts, size_t max_tokens,
                   size_t width, struct bt_error *err)
{
	size_t targets;

	memset(g, 0, sizeof(*g));
	if (!bt_size_mul(max_texts, width, &targets))
		return bt_error_nomem(err, "making room for a batch");
	g->width = width;
	g->start = bt_array(max_texts + 1, sizeof(*g->start));
	g->labels = bt_array(max_texts > max_tokens ? max_texts : max_tokens,
	                     sizeof(*g->labels));
	g->rows = bt_array(max_texts > max_tokens ? max_texts : max_tokens,
	                   sizeof(*g->rows));
	g->targets = bt_array(targets, sizeof(*g->targets));
	g->weights = bt_array(max_texts, sizeof(*g->weights));
	g->ids = bt_array(max_tokens, sizeof(*g->ids));
	g->types = bt_array(max_tokens, sizeof(*g->types));
	if (g->start == NULL || g->rows == NULL || g->labels == NULL ||
	    g->targets == NULL || g->weights == NULL || g->ids == NULL ||
	    g->types == NULL) {
		bt_gather_clear(g);
		return bt_error_nomem(err, "making room for a batch");
	}
	g->b.start = g->start;
	g->b.ids = g->ids;
	g->b.types = g->types;
	g->b.weights = g->weights;
	g->b.loss_scale = 1;
	return BT_OK;
}

void bt_gather_clear(struct bt_gather *g)
{
	free(g->start);
	free(g->labels);
	free(g->rows);
	free(g->targets);
	free(g->weights);
	free(g->ids);
	free(g->types);
	memset(g, 0, sizeof(*g));
}

void bt_gather_fill(struct bt_gather *g, const struct bt_dataset *d,
                    const uint32_t *which, size_t first, size_t n)
{
	size_t i, k, x, len, tokens = 0;
	size_t row = g->width * sizeof(*g->targets);
	bool labelled = true;

	g->start[0] = 0;
	for (i = 0; i < n; i++) {
		x = which != NULL ? which[i] : first + i;
		len = bt_dataset_length(d, x);
		memcpy(g->ids + tokens, d->ids + d->start[x],
		       len * sizeof(*g->ids));
		memcpy(g->types + tokens, d->types + d->start[x], len);
		for (k = 0; d->token_label != NULL && k < len; k++) {
			g->labels[tokens + k] =
			    bt_token_learns(d->token_label[d->start[x] + k]);
			g->rows[tokens + k] = (uint32_t)(d->start[x] + k);
		}
		if (d->token_label == NULL) {
			g->labels[i] = d->label[x];
			g->rows[i] = (uint32_t)x;
		}
		tokens += len;
		g->start[i + 1] = (uint32_t)tokens;
		if (row > 0)
			memcpy(g->targets + i * g->width,
			       bt_dataset_target(d, x), row);
		g->weights[i] = d->weight[x];
		labelled &= d->label[x] >= 0;
	}
	g->b.sequences = n;
	g->b.tokens = tokens;
	g->b.labels = labelled ? g->labels : NULL;
	g->b.targets = labelled && row > 0 ? g->targets : NULL;
}
