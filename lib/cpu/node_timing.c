/* SPDX-License-Identifier: MIT */
/* The profile of an engine: one line for each kind of node and direction. */
#include "base/sys.h"
#include "cpu/engine_int.h"
#include "cpu/roofline.h"

static int name_line(struct bt_engine *e, int node, const char *way)
{
	const struct bt_node *n = &e->g->nodes[node];
	enum bt_activation act = n->u.linear.act;

	if (n->op != BT_OP_LINEAR)
		return bt_profile_line(e->o.profile, "%s%s",
		                       bt_opcode_name(n->op), way);
	return bt_profile_line(
	    e->o.profile, "%s %d to %d%s%s%s", bt_opcode_name(n->op),
	    e->g->nodes[n->in[0]].cols, n->cols, act == BT_ACT_NONE ? "" : ", ",
	    act == BT_ACT_NONE ? "" : bt_activation_name(act), way);
}

int bt_engine_profile_init(struct bt_engine *e)
{
	int i;

	if (e->o.profile == NULL)
		return BT_OK;
	e->lines = bt_array((size_t)e->g->n_nodes, sizeof(*e->lines));
	if (e->lines == NULL)
		return BT_ENOMEM;
	for (i = 0; i < e->g->n_nodes; i++) {
		e->lines[i][0] = name_line(e, i, "");
		e->lines[i][1] = e->o.train ? name_line(e, i, " backward") : -1;
	}
	e->pack_line = bt_profile_line(e->o.profile, "packing weights");
	return BT_OK;
}

/* Bytes for each row of the batch in a buffer of a node. */
static double per_row(const struct bt_engine *e, int node, enum bt_slot slot)
{
	return (double)e->run[node].plan[slot].size /
	       (double)bt_gemm_room(bt_max_rows(e, &e->g->nodes[node]));
}

/* What a node must read and write at least, parameters left out. */
static double node_bytes(const struct bt_engine *e, int node, bool backward)
{
	const struct bt_node *n = &e->g->nodes[node];
	double sum =
	    per_row(e, node, BT_SLOT_SAVED) + per_row(e, node, BT_SLOT_SAVED2);
	int i;

	if (backward)
		sum += per_row(e, node, BT_SLOT_GRAD);
	else
		sum += per_row(e, node, BT_SLOT_F32) +
		       per_row(e, node, BT_SLOT_BF16);
	for (i = 0; i < n->n_in; i++)
		sum += backward ? per_row(e, n->in[i], BT_SLOT_GRAD)
		                : (double)e->g->nodes[n->in[i]].cols *
		                      (double)bt_element(e->o.bf16);
	return sum * (double)bt_rows_of(e, n);
}

/* Scores and weighted sums of one attention: 2 products of length by length. */
static double attention_flop(const struct bt_engine *e, const struct bt_node *n)
{
	double sum = 0, len, keys, seen = 0;
	size_t t;

	if (n->u.attention.window > 0)
		seen = 2 * (double)n->u.attention.window + 1;
	for (t = 0; t < e->b.sequences; t++) {
		keys = len = (double)(e->b.start[t + 1] - e->b.start[t]);
		if (seen > 0 && seen < keys)
			keys = seen;
		sum += n->rows == BT_PER_TOKEN ? len * keys : keys;
	}
	return 4 * sum * n->cols;
}

double bt_engine_node_flop(const struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	if (n->op == BT_OP_LINEAR)
		return 2 * (double)bt_rows_of(e, n) * n->cols *
		       e->g->nodes[n->in[0]].cols;
	return n->op == BT_OP_ATTENTION ? attention_flop(e, n) : 0;
}

double bt_engine_node_backward_flop(const struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	double flop = bt_engine_node_flop(e, node);

	if (!e->run[node].learns)
		return 0;
	if (n->op != BT_OP_LINEAR)
		return 2 * flop;
	return flop *
	       (e->run[n->in[0]].learns + bt_gives(e, n->u.linear.weight));
}

void bt_engine_sample_limits(struct bt_engine *e)
{
	struct bt_error err = {0};

	if (e->o.profile == NULL || e->quiet)
		return;
	if (e->limits == NULL &&
	    bt_roofline_new(e->o.pool, e->o.gemm, e->o.bf16, &e->limits,
	                    &err) != BT_OK)
		return;
	bt_roofline_sample(e->limits);
}

int bt_engine_log_profile(struct bt_engine *e, struct bt_profile *p,
                          const struct bt_log *log, struct bt_error *err)
{
	int r = BT_OK;

	if (e->limits == NULL)
		r = bt_roofline_new(e->o.pool, e->o.gemm, e->o.bf16, &e->limits,
		                    err);
	return r == BT_OK ? bt_roofline_log(e->limits, p, log, err) : r;
}

void bt_engine_profiling(struct bt_engine *e, bool on)
{
	e->quiet = !on;
}

void bt_engine_node(struct bt_engine *e, int node, bool backward)
{
	const struct bt_cpu_op *op = e->run[node].op;
	bool timed = e->o.profile != NULL && !e->quiet;
	double start = timed ? bt_seconds() : 0;

	if (backward)
		op->backward(e, node);
	else
		op->forward(e, node);
	if (timed)
		bt_profile_add(e->o.profile, e->lines[node][backward],
		               bt_seconds() - start,
		               backward ? bt_engine_node_backward_flop(e, node)
		                        : bt_engine_node_flop(e, node),
		               node_bytes(e, node, backward));
}
