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

/* {node_id=1, local_name=2} */
static bool parse_child(struct bt_tf_graph *g, size_t from, struct bt_pb in)
{
	struct bt_pb name = {NULL, NULL};
	uint64_t to = 0;
	uint32_t field;
	bool ok = true;
	int type;

	while (ok && in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return false;
		if (field == 1 && type == BT_PB_VARINT)
			ok = bt_pb_varint(&in, &to);
		else if (field == 2 && type == BT_PB_LEN)
			ok = bt_pb_bytes(&in, &name);
		else
			ok = bt_pb_skip(&in, type);
	}
	/* whether there is such a node is seen at the end */
	if (ok && to < SIZE_MAX && name.p != NULL)
		link_n(g, from, (const char *)name.p,
		       (size_t)(name.end - name.p), (size_t)to);
	return ok;
}

static bool is(struct bt_pb s, const char *word)
{
	size_t n = strlen(word);

	return s.p != NULL && (size_t)(s.end - s.p) == n &&
	       memcmp(s.p, word, n) == 0;
}

/* {name=1, full_name=2, checkpoint_key=3} */
static bool parse_attribute(struct bt_tf_node *node, struct bt_pb in)
{
	struct bt_pb part, name = {NULL, NULL}, key = {NULL, NULL};
	uint32_t field;
	int type;

	while (in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return false;
		if (type != BT_PB_LEN) {
			if (!bt_pb_skip(&in, type))
				return false;
			continue;
		}
		if (!bt_pb_bytes(&in, &part))
			return false;
		if (field == 1)
			name = part;
		else if (field == 3)
			key = part;
	}
	if (is(name, "VARIABLE_VALUE") && key.p != NULL) {
		node->key = (const char *)key.p;
		node->key_n = (size_t)(key.end - key.p);
	}
	return true;
}

/* {children=1, attributes=2, slot_variables=3, ...} */
static bool parse_object(struct bt_tf_graph *g, size_t node, struct bt_pb in)
{
	struct bt_pb part;
	uint32_t field;
	bool ok = true;
	int type;

	while (ok && in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return false;
		if (type != BT_PB_LEN) {
			ok = bt_pb_skip(&in, type);
			continue;
		}
		ok = bt_pb_bytes(&in, &part);
		if (ok && field == 1)
			ok = parse_child(g, node, part);
		else if (ok && field == 2)
			ok = parse_attribute(&g->nodes[node], part);
	}
	return ok;
}

int bt_tf_graph_parse(struct bt_tf_graph *g, const void *data, size_t size)
{
	struct bt_pb in = {data, (const uint8_t *)data + size}, part;
	uint32_t field;
	size_t node, i;
	int type;

	while (in.p < in.end) {
		if (!bt_pb_tag(&in, &field, &type))
			return BT_ECORRUPT;
		if (field != 1 || type != BT_PB_LEN) {
			if (!bt_pb_skip(&in, type))
				return BT_ECORRUPT;
			continue;
		}
		if (!bt_pb_bytes(&in, &part))
			return BT_ECORRUPT;
		node = bt_tf_graph_node(g);
		if (node == SIZE_MAX)
			return BT_ENOMEM;
		if (!parse_object(g, node, part))
			return BT_ECORRUPT;
	}
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

static void put_bytes(struct bt_buf *b, uint32_t field, const void *p, size_t n)
{
	bt_pb_put_tag(b, field, BT_PB_LEN);
	bt_pb_put_varint(b, n);
	bt_buf_put(b, p, n);
}

static void put_child(struct bt_buf *b, const struct bt_tf_edge *e, size_t id,
                      struct bt_buf *tmp)
{
	bt_buf_reset(tmp);
	if (id != 0) {
		bt_pb_put_tag(tmp, 1, BT_PB_VARINT);
		bt_pb_put_varint(tmp, id);
	}
	put_bytes(tmp, 2, e->name, e->n);
	put_bytes(b, 1, tmp->data, tmp->len);
}

static void put_value(struct bt_buf *b, const struct bt_tf_node *node,
                      struct bt_buf *tmp)
{
	size_t n = node->key_n - strlen(BT_TF_VALUE);

	bt_buf_reset(tmp);
	put_bytes(tmp, 1, "VARIABLE_VALUE", 14);
	put_bytes(tmp, 2, node->key, n);
	put_bytes(tmp, 3, node->key, node->key_n);
	put_bytes(b, 2, tmp->data, tmp->len);
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

int bt_tf_graph_write(const struct bt_tf_graph *g, struct bt_buf *out)
{
	struct bt_buf object = BT_BUF_INIT, tmp = BT_BUF_INIT;
	size_t *order = bt_array(g->n_nodes, sizeof(*order));
	size_t *id = bt_array(g->n_nodes, sizeof(*id)), i, k, n = 0;
	const struct bt_tf_node *node;

	if (order != NULL && id != NULL && !g->failed && g->n_nodes > 0)
		n = number(g, order, id);
	for (i = 0; i < n; i++) {
		node = &g->nodes[order[i]];
		bt_buf_reset(&object);
		for (k = node->first; k != SIZE_MAX; k = g->edges[k].next)
			put_child(&object, &g->edges[k], id[g->edges[k].to],
			          &tmp);
		if (node->key != NULL)
			put_value(&object, node, &tmp);
		put_bytes(out, 1, object.data, object.len);
	}
	if (n == 0 || object.oom || tmp.oom)
		out->oom = true;
	bt_buf_clear(&object);
	bt_buf_clear(&tmp);
	free(order);
	free(id);
	return out->oom ? BT_ENOMEM : BT_OK;
}

void bt_tf_graph_clear(struct bt_tf_graph *g)
{
	free(g->nodes);
	free(g->edges);
	memset(g, 0, sizeof(*g));
}
