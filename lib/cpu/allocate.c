/* SPDX-License-Identifier: MIT */
/* The memory of an engine: taken once, and made anew for longer sequences. */
#include <stdlib.h>

#include "cpu/engine_int.h"

size_t bt_scratch_need(const struct bt_engine *e)
{
	const struct bt_node *n;
	size_t need = 0, s, q;
	int i;

	for (i = 0; i < e->g->n_nodes; i++) {
		n = &e->g->nodes[i];
		s = 2 * bt_round_up((size_t)n->cols, 128) + 128;
		if (n->op == BT_OP_EMBED && !e->o.train &&
		    s < BT_EMBED_ROWS * (size_t)n->cols) /* of rows in bf16 */
			s = BT_EMBED_ROWS * (size_t)n->cols;
		if (s > need)
			need = s;
		if (n->op != BT_OP_ATTENTION)
			continue;
		q = n->rows == BT_PER_TOKEN ? e->o.max_length : 1;
		s = bt_attend_scratch(q, e->o.max_length,
		                      (size_t)n->u.attention.head_dim,
		                      n->u.attention.relative_positions >= 0);
		if (s > need)
			need = s;
	}
	return need;
}

void bt_scratch_free(struct bt_engine *e)
{
	int i;

	for (i = 0; e->scratch != NULL && i < bt_pool_threads(e->o.pool); i++)
		free(e->scratch[i]);
	free(e->scratch);
	e->scratch = NULL;
}

static int allocate_scratch(struct bt_engine *e)
{
	int i, n = bt_pool_threads(e->o.pool);

	e->scratch = bt_array0((size_t)n, sizeof(*e->scratch));
	for (i = 0; i < n; i++) {
		e->scratch[i] = aligned_alloc(
		    BT_ALIGN,
		    bt_round_up(e->scratch_floats * sizeof(float), BT_ALIGN));
		if (e->scratch[i] == NULL)
			return BT_ENOMEM;
	}
	return BT_OK;
}

static int allocate_arenas(struct bt_engine *e, struct bt_error *err)
{
	size_t size;
	int i;

	if (!bt_size_mul(e->g->n_floats, sizeof(float), &size) ||
	    bt_arena_init(&e->params, size) != BT_OK ||
	    (bt_learns(e) && bt_arena_init(&e->grads, size) != BT_OK))
		return bt_error_set(err, BT_ENOMEM,
		                    "out of memory for %zu parameters",
		                    e->g->n_floats);
	if (bt_learns(e) && bt_graph_scattered(e->g))
		bt_arena_sparse(&e->grads, 0, size);
	e->param = bt_array((size_t)e->g->n_params, sizeof(*e->param));
	if (e->param == NULL)
		return bt_error_nomem(err, "placing parameters");
	for (i = 0; i < e->g->n_params; i++)
		e->param[i] = (float *)e->params.base + e->g->params[i].offset;
	return BT_OK;
}

static int allocate_weights(struct bt_engine *e, struct bt_error *err)
{
	const struct bt_node *n;
	int i, r;

	for (i = 0; i < e->g->n_nodes; i++) {
		n = &e->g->nodes[i];
		if (n->op != BT_OP_LINEAR)
			continue;
		if (e->run[i].packer == i &&
		    (r = bt_gemm_weight_new(
		         e->gemm, n->cols, e->g->nodes[n->in[0]].cols,
		         e->run[i].packs_backward, &e->run[i].weight, err)))
			return r;
		e->run[i].weight = e->run[e->run[i].packer].weight;
	}
	return BT_OK;
}

/* What is said of each token of a batch. */
static int allocate_tokens(struct bt_engine *e)
{
	size_t i;

	free(e->positions);
	free(e->numbers);
	e->positions = bt_array0(e->o.max_tokens, sizeof(*e->positions));
	e->numbers = bt_array(e->o.max_tokens, sizeof(*e->numbers));
	if (e->positions == NULL || e->numbers == NULL)
		return BT_ENOMEM;
	for (i = 0; i < e->o.max_tokens; i++)
		e->numbers[i] = (int32_t)i;
	return BT_OK;
}

/* Zeros, tokens, and of an embedding that learns the rows touched. Such an
 * engine does not grow. */
static int allocate_tables(struct bt_engine *e)
{
	const struct bt_node *n = &e->g->nodes[0];
	size_t rows;
	int i, widest = 1;

	for (i = 0; i < e->g->n_nodes; i++)
		if (e->g->nodes[i].cols > widest)
			widest = e->g->nodes[i].cols;
	e->zeros = bt_array0((size_t)widest, sizeof(*e->zeros));
	if (e->zeros == NULL || allocate_tokens(e) != BT_OK)
		return BT_ENOMEM;
	if (n->op != BT_OP_EMBED || !bt_gives(e, n->u.embed.word))
		return BT_OK;
	rows = (size_t)e->g->params[n->u.embed.word].rows;
	e->touched = bt_array(rows, sizeof(*e->touched));
	e->touch = bt_array0(rows, sizeof(*e->touch));
	e->grad_row = bt_array(e->o.max_tokens, sizeof(*e->grad_row));
	return e->touched != NULL && e->touch != NULL && e->grad_row != NULL
	           ? BT_OK
	           : BT_ENOMEM;
}

int bt_engine_allocate(struct bt_engine *e, struct bt_error *err)
{
	int r;

	if (allocate_tables(e) != BT_OK || allocate_scratch(e) != BT_OK ||
	    bt_rope_allocate(e) != BT_OK || bt_relative_allocate(e) != BT_OK)
		return bt_error_nomem(err, "preparing the model");
	r = allocate_arenas(e, err);
	if (r == BT_OK)
		r = allocate_weights(e, err);
	return r == BT_OK ? bt_allocate_buffers(e, err) : r;
}

/* Texts of nearly the same length are not each a reason to grow. */
#define STEP 64

int bt_engine_grow(struct bt_engine *e, size_t tokens, size_t selected,
                   size_t length, struct bt_error *err)
{
	int r;

	if (length <= e->o.max_length && tokens <= e->o.max_tokens &&
	    selected <= e->o.max_selected)
		return BT_OK;
	if (bt_learns(e))
		return bt_error_set(err, BT_EARG,
		                    "a sequence of %zu tokens exceeds %zu",
		                    length, e->o.max_length);
	if (length > e->o.max_length)
		e->o.max_length = bt_round_up(length, STEP);
	if (tokens > e->o.max_tokens)
		e->o.max_tokens = bt_round_up(tokens, STEP);
	if (selected > e->o.max_selected)
		e->o.max_selected = bt_round_up(selected, STEP);
	bt_arena_clear(&e->activations);
	bt_scratch_free(e);
	bt_rope_free(e);
	free(e->rel_rows);
	e->rel_rows = NULL;
	bt_relative_plan(e);
	e->scratch_floats = bt_scratch_need(e);
	r = bt_plan_buffers(e, err);
	if (r != BT_OK)
		return r;
	if (allocate_tokens(e) != BT_OK || allocate_scratch(e) != BT_OK ||
	    bt_rope_allocate(e) != BT_OK || bt_relative_allocate(e) != BT_OK)
		return bt_error_set(err, BT_ENOMEM,
		                    "out of memory for sequences of %zu tokens",
		                    e->o.max_length);
	return bt_allocate_buffers(e, err);
}
