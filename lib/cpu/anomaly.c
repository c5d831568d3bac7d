/* SPDX-License-Identifier: MIT */
/*
 * Looks for the first value that is not finite, after each node's forward and
 * backward call, and names the operator that made it.
 */
#include <math.h>
#include <stdio.h>

#include "cpu/engine_int.h"

/* The parameter by which a node is known, or -1. */
static int main_param(const struct bt_node *n)
{
	switch (n->op) {
	case BT_OP_EMBED:
		return n->u.embed.word;
	case BT_OP_LINEAR:
		return n->u.linear.weight;
	case BT_OP_RESIDUAL_NORM:
	case BT_OP_NORM:
		return n->u.norm.gamma;
	case BT_OP_RELATIVE_POSITIONS:
		return n->u.relative_positions.table;
	default:
		return -1;
	}
}

/* "linear 'bert.pooler.dense.weight'", "attention of linear '...'" */
static void name_node(const struct bt_engine *e, int node, struct bt_buf *out)
{
	const struct bt_node *n = &e->g->nodes[node];
	int p = main_param(n);

	bt_buf_puts(out, bt_opcode_name(n->op));
	if (p >= 0) {
		bt_buf_printf(out, " '%s'", e->g->params[p].name);
	} else if (n->n_in > 0) {
		bt_buf_puts(out, " of ");
		name_node(e, n->in[0], out);
	}
}

static float value_at(const void *x, size_t i, bool bf16)
{
	return bf16 ? bt_bf16_to_f32(((const uint16_t *)x)[i])
	            : ((const float *)x)[i];
}

/* The first of n elements that is not finite, or n. */
static size_t find_bad(const void *x, size_t n, bool bf16)
{
	size_t i = 0;

	while (i < n && isfinite(value_at(x, i, bf16)))
		i++;
	return i;
}

static int report(struct bt_engine *e, int node, const char *pass, float value,
                  const char *where, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	int r;

	name_node(e, node, &b);
	r = bt_error_set(err, BT_ELIMIT, "%s computes %s, running %s: %s",
	                 bt_buf_str(&b) != NULL ? bt_buf_str(&b) : "?",
	                 isnan(value) ? "a NaN" : "an infinity", pass, where);
	bt_buf_clear(&b);
	return r;
}

/* Which sequence a row of a node belongs to, and which of its tokens it is. */
static size_t sequence_of(const struct bt_engine *e, const struct bt_node *n,
                          size_t row, size_t *token)
{
	size_t t = row;

	*token = 0;
	if (n->rows == BT_PER_SEQUENCE)
		return t;
	if (n->rows == BT_PER_SELECTED)
		row = e->b.selected[row];
	for (t = 0; t + 1 < e->b.sequences && e->b.start[t + 1] <= row;)
		t++;
	*token = row - e->b.start[t];
	return t;
}

/* Looks at the rows of a value of the shape of node `of`. */
static int check_rows(struct bt_engine *e, int node, int of, const void *x,
                      bool bf16, const char *pass, struct bt_error *err)
{
	const struct bt_node *n = &e->g->nodes[of];
	size_t cols = (size_t)n->cols, all = bt_rows_of(e, n) * cols, i, token;
	char where[100];

	if (x == NULL)
		return BT_OK;
	i = find_bad(x, all, bf16);
	if (i == all)
		return BT_OK;
	if (n->rows != BT_PER_RELATIVE_POSITION)
		e->bad_sequence = (long)sequence_of(e, n, i / cols, &token);
	if (n->rows == BT_PER_TOKEN || n->rows == BT_PER_SELECTED)
		snprintf(where, sizeof(where),
		         "sequence %ld of the batch, token %zu, column %zu",
		         e->bad_sequence, token, i % cols);
	else if (n->rows == BT_PER_RELATIVE_POSITION)
		snprintf(where, sizeof(where),
		         "relative position %zu, column %zu",
		         (size_t)e->rel_row0 + i / cols, i % cols);
	else
		snprintf(where, sizeof(where),
		         "sequence %ld of the batch, column %zu",
		         e->bad_sequence, i % cols);
	return report(e, node, pass, value_at(x, i, bf16), where, err);
}

int bt_check_forward(struct bt_engine *e, int node, struct bt_error *err)
{
	const struct bt_node_run *r = &e->run[node];
	int code;

	if (atomic_load(&e->failed) != BT_OK)
		return BT_OK; /* the caller reports it */
	if (node == e->g->loss || e->g->nodes[node].op == BT_OP_SOFTMAX_LOSS)
		return isfinite(e->loss)
		           ? BT_OK
		           : report(e, node, "forward", (float)e->loss,
		                    "the loss", err);
	code = check_rows(e, node, node, r->buf[BT_SLOT_F32], false, "forward",
	                  err);
	if (code == BT_OK)
		code = check_rows(e, node, node, r->buf[BT_SLOT_BF16], true,
		                  "forward", err);
	return code;
}

static int check_param(struct bt_engine *e, int node, int p,
                       struct bt_error *err)
{
	size_t n, i, at, cols = (size_t)e->g->params[p].cols;
	char where[300];

	n = bt_has_rows(e, p) ? e->n_touched * cols
	                      : bt_param_size(&e->g->params[p]);
	at = i = find_bad(bt_grad(e, p), n, false);
	if (i == n)
		return BT_OK;
	if (bt_has_rows(e, p))
		at = (size_t)e->touched[i / cols] * cols + i % cols;
	snprintf(where, sizeof(where), "gradient of '%s', element %zu",
	         e->g->params[p].name, at);
	return report(e, node, "backward", bt_grad(e, p)[i], where, err);
}

/* The gradients of a node's parameters. */
static int check_params(struct bt_engine *e, int node, struct bt_error *err)
{
	int k, p, r = BT_OK;

	for (k = 0; r == BT_OK; k++) {
		p = bt_node_param(&e->g->nodes[node], k);
		if (p < 0)
			break;
		if (bt_gives(e, p))
			r = check_param(e, node, p, err);
	}
	return r;
}

int bt_check_backward(struct bt_engine *e, int node, struct bt_error *err)
{
	const struct bt_node *n = &e->g->nodes[node];
	int k, r = BT_OK;

	if (atomic_load(&e->failed) != BT_OK)
		return BT_OK;
	for (k = 0; r == BT_OK && k < n->n_in; k++)
		if (e->run[n->in[k]].learns)
			r = check_rows(e, node, n->in[k],
			               e->run[n->in[k]].buf[BT_SLOT_GRAD],
			               e->run[n->in[k]].grad_bf16, "backward",
			               err);
	return r == BT_OK ? check_params(e, node, err) : r;
}

long bt_engine_bad_sequence(const struct bt_engine *e)
{
	return e->bad_sequence;
}
