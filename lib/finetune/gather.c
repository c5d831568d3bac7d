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
	g->next = bt_array(max_texts, sizeof(*g->next));
	g->ids = bt_array(max_tokens, sizeof(*g->ids));
	g->selected = bt_array(max_tokens, sizeof(*g->selected));
	g->types = bt_array(max_tokens, sizeof(*g->types));
	if (g->start == NULL || g->rows == NULL || g->labels == NULL ||
	    g->targets == NULL || g->weights == NULL || g->ids == NULL ||
	    g->next == NULL || g->selected == NULL || g->types == NULL) {
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
	free(g->next);
	free(g->ids);
	free(g->selected);
	free(g->types);
	memset(g, 0, sizeof(*g));
}

/* Whether tokens of example x, of a data set that selects some, are masked. */
static bool masks(const struct bt_gather *g, const struct bt_dataset *d,
                  size_t x)
{
	return g->masking != NULL && bt_dataset_selected(d, x) == 0;
}

/* The labels of example x's tokens, [len] from `tokens` on of the batch, which
 * are masked if they are to be. */
static void label_tokens(struct bt_gather *g, const struct bt_dataset *d,
                         size_t x, size_t tokens, size_t len)
{
	int32_t *label = g->labels + tokens;
	size_t i, n = g->b.n_selected;

	for (i = 0; i < len; i++) {
		label[i] = bt_token_learns(d->token_label[d->start[x] + i]);
		g->rows[tokens + i] = (uint32_t)(d->start[x] + i);
	}
	if (!d->selects)
		return;
	if (masks(g, d, x))
		(void)bt_masking_apply(g->masking, g->step, d->before + x, len,
		                       g->ids + tokens, label);
	for (i = 0; i < len; i++)
		if (bt_token_begins(label[i])) {
			g->selected[n] = (uint32_t)(tokens + i);
			g->labels[n++] = label[i];
		}
	g->b.n_selected = n;
}

const int32_t *bt_gather_ids(struct bt_gather *g, const struct bt_dataset *d,
                             size_t i)
{
	const int32_t *ids = d->ids + d->start[i];
	size_t n = bt_dataset_length(d, i);

	if (!d->selects || !masks(g, d, i))
		return ids;
	memcpy(g->ids, ids, n * sizeof(*ids));
	(void)bt_masking_apply(g->masking, g->step, d->before + i, n, g->ids,
	                       g->labels);
	return g->ids;
}

/* A batch is not to have no rows at all. */
static void end_selection(struct bt_gather *g)
{
	g->b.selected = g->selected;
	if (g->b.n_selected > 0)
		return;
	g->selected[0] = 0;
	g->labels[0] = BT_TOKEN_INSIDE;
	g->b.n_selected = 1;
}

void bt_gather_fill(struct bt_gather *g, const struct bt_dataset *d,
                    const uint32_t *which, size_t first, size_t n)
{
	size_t i, x, len, tokens = 0, passes;
	size_t row = g->width * sizeof(*g->targets);
	bool labelled = true;

	passes = g->passes > 0 ? (size_t)g->passes : 1;
	n *= passes;
	g->start[0] = 0;
	g->b.n_selected = 0;
	for (i = 0; i < n; i++) {
		x = which != NULL ? which[i / passes] : first + i / passes;
		len = bt_dataset_length(d, x);
		memcpy(g->ids + tokens, d->ids + d->start[x],
		       len * sizeof(*g->ids));
		memcpy(g->types + tokens, d->types + d->start[x], len);
		if (d->token_label != NULL) {
			label_tokens(g, d, x, tokens, len);
		} else {
			g->labels[i] = d->label[x];
			g->rows[i] = (uint32_t)x;
		}
		tokens += len;
		g->start[i + 1] = (uint32_t)tokens;
		if (row > 0)
			memcpy(g->targets + i * g->width,
			       bt_dataset_target(d, x), row);
		g->next[i] = d->label[x] == BT_NEXT_UNKNOWN ? -1 : d->label[x];
		g->weights[i] = d->weight[x];
		labelled &= d->label[x] >= 0;
	}
	if (d->selects)
		end_selection(g);
	g->b.sequences = n;
	g->b.tokens = tokens;
	g->b.next_labels = d->selects ? g->next : NULL;
	g->b.labels = labelled ? g->labels : NULL;
	g->b.targets = labelled && row > 0 ? g->targets : NULL;
}
