/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/tf_bundle.h"

size_t bt_tf_graph_node(struct bt_tf_graph *g)
{
	struct bt_tf_node *node;

	if (bt_grow(&g->nodes, &g->cap_nodes, g->n_nodes + 1, sizeof(*node)) !=
	    BT_OK) {
		g->failed = true;
		return SIZE_MAX;
	}
	node = &g->nodes[g->n_nodes];
	node->first = node->last = SIZE_MAX;
	node->key = NULL;
	node->key_n = 0;
	return g->n_nodes++;
}

static void link_n(struct bt_tf_graph *g, size_t from, const char *name,
                   size_t n, size_t to)
{
	struct bt_tf_edge *e;
	struct bt_tf_node *node;

	if (from >= g->n_nodes || to == SIZE_MAX)
		return;
	if (bt_grow(&g->edges, &g->cap_edges, g->n_edges + 1, sizeof(*e)) !=
	    BT_OK) {
		g->failed = true;
		return;
	}
	e = &g->edges[g->n_edges];
	e->name = name;
	e->n = n;
	e->to = to;
	e->next = SIZE_MAX;
	node = &g->nodes[from];
	if (node->last == SIZE_MAX)
		node->first = g->n_edges;
	else
		g->edges[node->last].next = g->n_edges;
	node->last = g->n_edges++;
}

void bt_tf_graph_link(struct bt_tf_graph *g, size_t from, const char *name,
                      size_t to)
{
	link_n(g, from, name, strlen(name), to);
}

struct child {
	uint64_t node;
	struct bt_span name;
};

static const struct bt_pb_member child_members[] = {
    {1, BT_PB_VARINT, offsetof(struct child, node), 0},
    {2, BT_PB_LEN, offsetof(struct child, name), 0},
    {0}};

struct attribute {
	struct bt_span name, key;
};

static const struct bt_pb_member attribute_members[] = {
    {1, BT_PB_LEN, offsetof(struct attribute, name), 0},
    {3, BT_PB_LEN, offsetof(struct attribute, key), 0},
    {0}};

/* {children=1, attributes=2, slot_variables=3, ...} */
static bool parse_object(struct bt_tf_graph *g, size_t node, struct bt_pb in)
{
	struct bt_pb rest = in, part;
	int r;

	while ((r = bt_pb_next(&rest, 1, &part)) > 0) {
		struct child c = {0};

		if (!bt_pb_read(part, child_members, &c))
			return false;
		/* whether there is such a node is seen at the end */
		if (c.node < SIZE_MAX && c.name.p != NULL)
			link_n(g, node, c.name.p, c.name.n, (size_t)c.node);
	}
	while (r == 0 && bt_pb_next(&in, 2, &part) > 0) {
		struct attribute a = {{NULL, 0}, {NULL, 0}};

		if (!bt_pb_read(part, attribute_members, &a))
			return false;
		if (!bt_span_equal(a.name, bt_span("VARIABLE_VALUE")) ||
		    a.key.p == NULL)
			continue;
		g->nodes[node].key = a.key.p;
		g->nodes[node].key_n = a.key.n;
	}
	return r == 0;
}

int bt_tf_graph_parse(struct bt_tf_graph *g, const void *data, size_t size)
{
	struct bt_pb in = {data, (const uint8_t *)data + size}, part;
	size_t node, i;
	int r;

	while ((r = bt_pb_next(&in, 1, &part)) > 0) {
		node = bt_tf_graph_node(g);
		if (node == SIZE_MAX)
			return BT_ENOMEM;
		if (!parse_object(g, node, part))
			return BT_ECORRUPT;
	}
	if (r < 0)
		return BT_ECORRUPT;
	for (i = 0; i < g->n_edges; i++)
		if (g->edges[i].to >= g->n_nodes)
			return BT_ECORRUPT;
	return g->failed ? BT_ENOMEM : BT_OK;
}

static size_t child(const struct bt_tf_graph *g, size_t from, const char *name,
                    size_t n)
{
	const struct bt_tf_edge *e;
	size_t i;

	for (i = g->nodes[from].first; i != SIZE_MAX; i = e->next) {
		e = &g->edges[i];
		if (e->n == n && memcmp(e->name, name, n) == 0)
			return e->to;
	}
	return SIZE_MAX;
}

size_t bt_tf_graph_find(const struct bt_tf_graph *g, size_t from,
                        const char *path)
{
	size_t n;

	while (from < g->n_nodes && *path != '\0') {
		n = strcspn(path, "/");
		from = child(g, from, path, n);
		path += n + (path[n] == '/');
	}
	return from < g->n_nodes ? from : SIZE_MAX;
}

/* As child, where keys are added in an order that keeps those with the same
 * beginning together: only the newest is looked at, so many stay cheap. */
static size_t newest(struct bt_tf_graph *g, size_t from, const char *name,
                     size_t n)
{
	size_t last = g->nodes[from].last, node;
	const struct bt_tf_edge *e;

	if (last != SIZE_MAX) {
		e = &g->edges[last];
		if (e->n == n && memcmp(e->name, name, n) == 0)
			return e->to;
	}
	node = bt_tf_graph_node(g);
	link_n(g, from, name, n, node);
	return node;
}

void bt_tf_graph_add(struct bt_tf_graph *g, const char *key)
{
	size_t n = strlen(key), m = strlen(BT_TF_VALUE), k, at = 0;
	const char *end, *p = key;

	if (n <= m || strcmp(key + n - m, BT_TF_VALUE) != 0 || g->n_nodes == 0)
		return;
	for (end = key + n - m; p < end && at != SIZE_MAX; p += k + 1) {
		k = strcspn(p, "/");
		at = newest(g, at, p, k);
	}
	if (at == SIZE_MAX)
		return;
	g->nodes[at].key = key;
	g->nodes[at].key_n = n;
}

/* Objects in the order in which a walk by breadth reaches them; id[i] is the
 * place of node i in it. */
static size_t number(const struct bt_tf_graph *g, size_t *order, size_t *id)
{
	size_t i, k, n = 1;

	for (i = 0; i < g->n_nodes; i++)
		id[i] = SIZE_MAX;
	order[0] = id[0] = 0;
	for (i = 0; i < n; i++)
		for (k = g->nodes[order[i]].first; k != SIZE_MAX;
		     k = g->edges[k].next)
			if (id[g->edges[k].to] == SIZE_MAX) {
				id[g->edges[k].to] = n;
				order[n++] = g->edges[k].to;
			}
	return n;
}

static void put_object(const struct bt_tf_graph *g,
                       const struct bt_tf_node *node, const size_t *id,
                       struct bt_buf *out)
{
	size_t object = bt_pb_begin(out, 1), part, k;

	for (k = node->first; k != SIZE_MAX; k = g->edges[k].next) {
		part = bt_pb_begin(out, 1);
		if (id[g->edges[k].to] != 0)
			bt_pb_put_uint(out, 1, id[g->edges[k].to]);
		bt_pb_put_bytes(out, 2, g->edges[k].name, g->edges[k].n);
		bt_pb_end(out, part);
	}
	if (node->key != NULL) {
		part = bt_pb_begin(out, 2);
		bt_pb_put_str(out, 1, "VARIABLE_VALUE");
		bt_pb_put_bytes(out, 2, node->key,
		                node->key_n - strlen(BT_TF_VALUE));
		bt_pb_put_bytes(out, 3, node->key, node->key_n);
		bt_pb_end(out, part);
	}
	bt_pb_end(out, object);
}

int bt_tf_graph_write(const struct bt_tf_graph *g, struct bt_buf *out)
{
	size_t *order = bt_array(g->n_nodes, sizeof(*order));
	size_t *id = bt_array(g->n_nodes, sizeof(*id)), i, n = 0;

	if (order != NULL && id != NULL && !g->failed && g->n_nodes > 0)
		n = number(g, order, id);
	for (i = 0; i < n; i++)
		put_object(g, &g->nodes[order[i]], id, out);
	free(order);
	free(id);
	return n == 0 || out->oom ? BT_ENOMEM : BT_OK;
}

void bt_tf_graph_clear(struct bt_tf_graph *g)
{
	free(g->nodes);
	free(g->edges);
	memset(g, 0, sizeof(*g));
}
