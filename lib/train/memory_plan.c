/* SPDX-License-Identifier: MIT */
#include "train/memory_plan.h"

#include <math.h>
#include <stdio.h>

#include "base/sys.h"
#include "finetune/forward.h"
#include "optim/rows.h"
#include "train/shards.h"
#include "train/teacher.h"
#include "train/train_int.h"
#include "train/whole_update.h"

#define PAGE ((size_t)4096) /* of memory, at least */

/* A bound on the tokens that a batch of so many texts and tokens selects. */
static size_t most_selected(const struct bt_memory_plan *n,
                            const struct bt_dataset *d,
                            const struct bt_masking *masking)
{
	size_t i, own, most = 1;
	double share = 0, len, tokens;

	for (i = 0; i < d->n; i++) {
		own = bt_dataset_selected(d, i);
		len = (double)bt_dataset_length(d, i);
		if (masking != NULL && own == 0)
			own = bt_masking_most(masking, (size_t)len);
		most = own > most ? own : most;
		share = fmax(share, (double)own / len);
	}
	tokens =
	    fmin(share * (double)n->tokens, (double)most * (double)n->texts);
	return (size_t)ceil(fmax(tokens, 1));
}

int bt_memory_plan_batches(struct bt_memory_plan *n,
                           const struct bt_dataset *train,
                           const struct bt_dataset *eval,
                           const struct bt_batching *o,
                           const struct bt_masking *masking,
                           struct bt_error *err)
{
	size_t all, selected;
	struct bt_batches b;
	int r = bt_batches_init(&b, train, o, err);

	if (r != BT_OK)
		return r;
	n->tokens = bt_batches_max_tokens(&b);
	n->texts = bt_batches_max_texts(&b);
	bt_batches_clear(&b);
	if (train->selects)
		n->selected = most_selected(n, train, masking);
	if (eval == NULL)
		return BT_OK;
	selected = bt_forward_selected(eval);
	n->selected = selected > n->selected ? selected : n->selected;
	all = (size_t)eval->start[eval->n];
	n->eval_tokens = BT_FORWARD_TOKENS + eval->longest;
	if (n->eval_tokens > all)
		n->eval_tokens = all;
	n->eval_texts = eval->n < BT_FORWARD_TEXTS ? eval->n : BT_FORWARD_TEXTS;
	return BT_OK;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Of bt_gather_init. */
static size_t gather_bytes(size_t texts, size_t tokens, size_t width)
{
	return texts * (2 + width) * sizeof(int32_t) +
	       tokens * (4 * sizeof(int32_t) + 1);
}

/* Of bt_whole_update_init. */
static size_t update_bytes(struct bt_memory_plan *n, const struct bt_model *m,
                           const struct bt_batches *b,
                           const struct bt_train_opts *o)
{
	if (!bt_whole_update_is(&m->graph, o->embedding_loss,
	                        b->o.accumulate * bt_train_shards(o)))
		return 0;
	n->update_texts = bt_batches_update_texts(b);
	n->update_tokens = bt_batches_update_tokens(b);
	return bt_whole_update_bytes(m->engine, bt_model_width(m),
	                             n->update_texts) +
	       gather_bytes(n->update_texts, n->update_tokens, b->d->width);
}

/* How many pages have moments of words that the examples have. */
static size_t pages_of(const struct bt_param *p, const struct bt_dataset *d,
                       bool any)
{
	size_t row = (size_t)p->cols * sizeof(float), n = 0, i, k, end;
	size_t first = p->offset * sizeof(float);
	size_t all = (first % PAGE + (size_t)p->rows * row) / PAGE + 1;
	uint8_t *is = bt_array0(all, 1);

	if (is == NULL || any) {
		free(is);
		return all;
	}
	for (i = 0; i < d->start[d->n]; i++) {
		k = (first % PAGE + (size_t)d->ids[i] * row) / PAGE;
		end = (first % PAGE + ((size_t)d->ids[i] + 1) * row - 1) / PAGE;
		for (; k <= end; k++) {
			n += !is[k];
			is[k] = 1;
		}
	}
	free(is);
	return n;
}

/* A large table of words has gradients and moments of few rows. */
static void count_rows(struct bt_memory_plan *n, const struct bt_model *m,
                       const struct bt_dataset *train,
                       const struct bt_batches *b,
                       const struct bt_train_opts *o)
{
	size_t most, bytes, pages, rows, ranks = (size_t)bt_dist_size(o->dist);
	int word = bt_train_by_rows(m, b, o, &most);
	const struct bt_param *p = &m->graph.params[word >= 0 ? word : 0];

	if (word < 0)
		return;
	bytes = bt_param_size(p) * sizeof(float);
	rows = most * (size_t)p->cols * sizeof(float);
	n->shards = bt_shards_bytes(bt_train_shards(o), o->dist,
	                            m->graph.n_floats -
	                                bt_graph_first_trained(&m->graph) -
	                                (bytes - rows) / sizeof(float));
	pages = pages_of(p, train, o->masking != NULL) * PAGE;
	n->engine.grads -= bytes - rows;
	if (pages < bytes)
		n->moments -= (bytes - pages) * 2 / ranks;
	n->moments +=
	    bt_rows_bytes((size_t)p->rows) + bt_row_set_bytes((size_t)p->rows);
	if (ranks > 1) /* rows on their way */
		n->shards += 2 * rows;
}

int bt_memory_plan_memory(struct bt_memory_plan *n, const struct bt_model *m,
                          const struct bt_dataset *train,
                          const struct bt_dataset *eval,
                          const struct bt_train_opts *o, bool on_device,
                          struct bt_error *err)
{
	const struct bt_engine_memory *e = &n->engine;
	size_t examples = bt_dataset_bytes(train);
	struct bt_batches b;
	int r = bt_batches_init(&b, train, &o->batching, err);

	if (r != BT_OK)
		return r;
	n->steps = bt_train_steps(&b, o);
	n->data = update_bytes(n, m, &b, o);
	if (eval != NULL && eval != train)
		examples += bt_dataset_bytes(eval);
	if (o->teacher != NULL)
		examples += bt_teacher_rows(train) * (size_t)m->labels.n *
		            sizeof(*o->teacher);
	n->parameters = bt_graph_floats(&m->graph);
	n->frozen = n->parameters - bt_graph_trained(&m->graph);
	n->engine = bt_engine_memory(m->engine);
	n->shards = bt_shards_bytes(bt_train_shards(o), o->dist,
	                            m->graph.n_floats -
	                                bt_graph_first_trained(&m->graph));
	n->moments = bt_graph_trained(&m->graph) * sizeof(float) *
	             (size_t)bt_optim_moments(o->optim.kind) /
	             (size_t)bt_dist_size(o->dist);
	if (on_device)
		n->elsewhere = n->moments +
		               (2 * n->parameters - n->frozen) * sizeof(float);
	if (on_device && o->fgm > 0)
		n->elsewhere +=
		    sizeof(float) *
		    bt_param_size(&m->graph.params[bt_fgm_words(&m->graph)]);
	count_rows(n, m, train, &b, o);
	bt_batches_clear(&b);
	n->data +=
	    examples +
	    train->n * sizeof(*b.order) *
	        (o->batching.pairs    ? 3
	         : o->batching.stream ? 2
	                              : 1) +
	    gather_bytes(larger(n->texts, n->eval_texts),
	                 larger(n->tokens, n->eval_tokens), train->width);
	if (!on_device)
		n->moved =
		    bt_fgm_bytes(&m->graph, o->fgm, bt_dist_size(o->dist));
	n->held = bt_held_memory();
	n->available = bt_available_memory("");
	n->other = e->provider + (n->held > examples ? n->held - examples : 0);
	n->total = e->params + e->grads + e->packed + e->activations +
	           e->scratch + n->shards + n->moments + n->moved + n->data +
	           n->other;
	return BT_OK;
}

static void print_bytes(const char *name, size_t bytes, struct bt_buf *out)
{
	bt_buf_printf(out, "%-20s %12.1f MB\n", name,
	              (double)bytes / (1 << 20));
}

void bt_memory_plan_print(const struct bt_memory_plan *n, struct bt_buf *out)
{
	const struct bt_engine_memory *e = &n->engine;
	const struct {
		const char *name;
		size_t bytes;
	} rows[] = {
	    {"parameters", e->params},
	    {"gradients", e->grads + n->shards},
	    {"optimizer moments", n->moments},
	    {"packed weights", e->packed},
	    {"activations", e->activations},
	    {"scratch", e->scratch},
	    {"data set", n->data},
	    {"other", n->other},
	    {"peak memory", n->total},
	};
	size_t i;

	bt_buf_printf(out, "%-20s %12zu\n", "model's parameters",
	              n->parameters);
	if (n->frozen > 0)
		bt_buf_printf(out, "%-20s %12zu\n", "frozen", n->frozen);
	bt_buf_printf(out, "%-20s %12lld\n", "steps", (long long)n->steps);
	bt_buf_printf(out, "%-20s %12zu texts, %zu tokens\n", "largest batch",
	              n->texts, n->tokens);
	if (n->update_texts > 0)
		bt_buf_printf(out, "%-20s %12zu texts, %zu tokens\n",
		              "largest update", n->update_texts,
		              n->update_tokens);
	if (n->eval_texts > 0)
		bt_buf_printf(out, "%-20s %12zu texts, %zu tokens\n",
		              "in evaluation", n->eval_texts, n->eval_tokens);
	if (n->moved > 0)
		print_bytes("adversarial training", n->moved, out);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		print_bytes(rows[i].name, rows[i].bytes, out);
	if (n->elsewhere > 0)
		bt_buf_printf(out, "%-20s %12.1f MB and activations\n",
		              "on each device",
		              (double)n->elsewhere / (1 << 20));
	if (n->available != UINT64_MAX)
		bt_buf_printf(out, "%-20s %12.1f MB\n", "available",
		              (double)(n->held + n->available) / (1 << 20));
}

/* Bytes in the unit that suits them. */
static const char *amount(double bytes, char out[24])
{
	double mb = bytes / (1 << 20);

	if (mb < 10000)
		snprintf(out, 24, "%.0f MB", mb);
	else
		snprintf(out, 24, "%.4g GB", mb / 1024);
	return out;
}

int bt_memory_plan_check(const struct bt_memory_plan *n,
                         const struct bt_train_opts *o, struct bt_error *err)
{
	size_t more = n->total > n->held ? n->total - n->held : 0;
	char need[24], there[24], acts[24];

	if (more <= n->available)
		return BT_OK;
	amount((double)more, need);
	amount((double)n->available, there);
	amount((double)n->engine.activations, acts);
	if (more - n->engine.activations > n->available)
		return bt_error_set(err, BT_ENOMEM,
		                    "training needs %s of memory and only %s "
		                    "are available; only %s of it depend on "
		                    "the batch, so this takes a smaller model "
		                    "or another machine",
		                    need, there, acts);
	return bt_error_hint(
	    err,
	    o->recompute ? BT_HINT_BATCH_SMALLER
	                 : BT_HINT_BATCH_SMALLER_OR_CHECKPOINT,
	    bt_error_set(err, BT_ENOMEM,
	                 "training needs %s of memory and only %s are "
	                 "available; %s of it depend on the largest batch (%zu "
	                 "texts, %zu tokens)",
	                 need, there, acts, n->texts, n->tokens));
}
