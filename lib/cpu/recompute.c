/* SPDX-License-Identifier: MIT */
/*
 * The schedule of a graph of N nodes: node i runs forward at time i and, when
 * training, backward some time after all of them, the last node first.
 *
 * With recomputation (Chen et al. 2016, "Training Deep Nets with Sublinear
 * Memory Cost") the graph is cut into segments. Values that only their own
 * segment reads are dropped in the forward pass and recomputed just before the
 * segment's backward pass; values that the next segment reads are kept. The
 * last segment is not recomputed: its backward pass follows at once. Nor is one
 * that has none.
 *
 * A segment ends at a node such that no later node reads an earlier one, except
 * relative positions, which are few and small. In BERT these are the outputs of
 * the norms.
 */
#include <stdlib.h>

#include "cpu/engine_int.h"

/* True for each node behind which only its own output is read. */
static void find_cuts(const struct bt_engine *e, bool *cut)
{
	const struct bt_graph *g = e->g;
	int i, k, u, reach;

	for (i = 0; i < g->n_nodes; i++)
		cut[i] = true;
	for (i = 0; i < g->n_nodes; i++)
		for (k = 0; k < g->nodes[i].n_in; k++) {
			reach = g->nodes[i].in[k];
			if (g->nodes[reach].rows == BT_PER_RELATIVE_POSITION)
				continue;
			for (u = reach + 1; u < i; u++)
				cut[u] = false;
		}
}

static bool any_learns(const struct bt_engine *e, int first, int end)
{
	while (first < end && !e->run[first].learns)
		first++;
	return first < end;
}

int bt_plan_schedule(struct bt_engine *e, int stride)
{
	int n = e->g->n_nodes, i, end, first, t = n, last = 0, cuts = 0;
	bool *cut = bt_array(n > 0 ? (size_t)n : 1, sizeof(*cut));

	if (cut == NULL)
		return BT_ENOMEM;
	find_cuts(e, cut);
	/* a segment ends at the first cut and at each stride-th after it; the
	 * logits are not recomputed: the caller holds a pointer to them */
	for (i = 0; i < n; i++) {
		e->run[i].segment = last;
		if (stride > 0 && i < e->g->logits && cut[i] &&
		    cuts++ % stride == 0)
			last++;
		e->run[i].recompute_at = -1;
		e->run[i].backward_at = i;
	}
	for (end = n; e->o.train && end > 0; end = first) {
		for (first = end; first > 0; first--)
			if (e->run[first - 1].segment !=
			    e->run[end - 1].segment)
				break;
		for (i = first; i < end && e->run[i].segment != last &&
		                any_learns(e, first, end);
		     i++)
			e->run[i].recompute_at = t++;
		for (i = end - 1; i >= first; i--)
			e->run[i].backward_at = t++;
	}
	e->end = t;
	free(cut);
	return BT_OK;
}

/* Lets the buffers of a node be those of its first or second computation. */
static void bind(struct bt_engine *e, int node, bool second)
{
	struct bt_node_run *r = &e->run[node];
	const struct bt_slot_plan *p = second ? r->recompute_plan : r->plan;
	int k;

	for (k = 0; k < BT_SLOTS; k++)
		if (p[k].size != 0)
			r->buf[k] = (char *)e->activations.base + p[k].offset;
}

void bt_bind_buffers(struct bt_engine *e)
{
	int i;

	for (i = 0; i < e->g->n_nodes; i++)
		bind(e, i, false);
}

void bt_recompute(struct bt_engine *e, int node)
{
	const struct bt_node_run *r = e->run;
	int i = node;

	if (r[node].recompute_at < 0 || r[node + 1].segment == r[node].segment)
		return;
	while (i > 0 && r[i - 1].segment == r[node].segment)
		i--;
	for (; i <= node; i++) {
		bind(e, i, true);
		bt_engine_node(e, i, false);
	}
}
