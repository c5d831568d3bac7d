/* SPDX-License-Identifier: MIT */
/* WordPiece in linear time whatever the vocabulary, by links in its trie. */
#include "tokenizer/wordpiece_int.h"

#include <stdlib.h>

#include "base/mem.h"

/* The byte that leads from its parent to v. */
static uint8_t byte_of(const struct bt_trie *t, uint32_t v)
{
	return (uint8_t)(t->unit[t->unit[v].parent].base >> 1 ^ v);
}

static bool is_node(const struct bt_trie *t, uint32_t v)
{
	return t->unit[v].parent < t->n && byte_of(t, v) != BT_TRIE_END;
}

void bt_wordpiece_linear_free(struct bt_wordpiece_linear *k)
{
	if (k == NULL)
		return;
	free(k->link);
	free(k->up);
	free(k->stack);
	free(k);
}

/* Lists the children of each node one after the other: those of v are
 * child[from[v] .. from[v+1]-1]. */
static void list_children(const struct bt_trie *t, uint32_t *from,
                          uint32_t *child)
{
	uint32_t v, u;

	for (v = 0; v < t->n; v++)
		if (is_node(t, v))
			from[t->unit[v].parent + 2]++;
	for (v = 2; v <= t->n; v++)
		from[v] += from[v - 1];
	for (v = 0; v < t->n; v++)
		if (is_node(t, v)) {
			u = t->unit[v].parent;
			child[from[u + 1]++] = v;
		}
}

/* Sets the links of v, whose parent and all nodes less deep have theirs. */
static void set_link(const struct bt_wordpiece *wp,
                     struct bt_wordpiece_linear *k, uint32_t v)
{
	const struct bt_trie *t = wp->trie;
	uint32_t u = t->unit[v].parent, z = k->link[u], to = BT_TRIE_NONE;
	uint8_t c = byte_of(t, v);

	if (bt_trie_is_end(t, v)) {
		k->link[v] = wp->more;
		k->up[v] = v;
		return;
	}
	k->up[v] = k->up[u];
	while (z != BT_TRIE_NONE &&
	       (to = bt_trie_step(t, z, c)) == BT_TRIE_NONE) {
		k->up[v] = v;
		z = k->link[z];
	}
	k->link[v] = to;
}

/* Sets all links, those of nodes less deep first. */
static void set_links(const struct bt_wordpiece *wp,
                      struct bt_wordpiece_linear *k, const uint32_t *from,
                      const uint32_t *child, uint32_t *queue)
{
	size_t head = 0, tail = 0, i;
	uint32_t v;

	k->link[wp->more] = k->up[wp->more] = BT_TRIE_NONE;
	queue[tail++] = wp->more;
	while (head < tail) {
		v = queue[head++];
		for (i = from[v]; i < from[v + 1]; i++) {
			set_link(wp, k, child[i]);
			queue[tail++] = child[i];
		}
	}
}

int bt_wordpiece_linear_new(const struct bt_wordpiece *wp,
                            struct bt_wordpiece_linear **links)
{
	size_t n = wp->trie->n;
	struct bt_wordpiece_linear *k = bt_array0(1, sizeof(*k));
	uint32_t *from = bt_array0(n + 2, sizeof(*from));
	uint32_t *child = bt_array(n, sizeof(*child));
	uint32_t *queue = bt_array(n, sizeof(*queue));
	int r = BT_ENOMEM;

	if (k != NULL) {
		k->link = bt_array(n, sizeof(*k->link));
		k->up = bt_array(n, sizeof(*k->up));
	}
	if (k != NULL && k->link != NULL && k->up != NULL && from != NULL &&
	    child != NULL && queue != NULL) {
		list_children(wp->trie, from, child);
		set_links(wp, k, from, child, queue);
		*links = k;
		r = BT_OK;
	} else {
		bt_wordpiece_linear_free(k);
	}
	free(from);
	free(child);
	free(queue);
	return r;
}

/* Puts what is in F(v) behind the n pieces there are, the first of which begins
 * at start; each piece takes at least a byte, so that there is room for both
 * lists. Returns the new n. */
static size_t put(const struct bt_wordpiece *wp, struct bt_wordpiece_linear *k,
                  uint32_t v, size_t start, struct bt_piece *piece, size_t n)
{
	const struct bt_trie *t = wp->trie;
	size_t top = 0, count, i, at = n > 0 ? piece[n - 1].end : start;
	uint32_t z, id;
	uint8_t c;

	for (k->stack[top++] = v; top > 0;) {
		v = k->up[k->stack[--top]];
		if (bt_trie_is_end(t, v)) {
			id = bt_trie_number(t, v);
			piece[n].id = (int32_t)id;
			piece[n].start = (uint32_t)at;
			at += wp->vocab->token[id].n - wp->prefix;
			piece[n++].end = (uint32_t)at;
			continue;
		}
		c = byte_of(t, v);
		v = t->unit[v].parent;
		for (count = 0, z = k->link[v];
		     z != BT_TRIE_NONE && bt_trie_step(t, z, c) == BT_TRIE_NONE;
		     z = k->link[z])
			count++;
		for (i = count, z = k->link[v]; i > 0; i--, z = k->link[z])
			k->stack[top + i - 1] = z;
		top += count;
		if (k->up[v] != BT_TRIE_NONE)
			k->stack[top++] = v;
	}
	return n;
}

int64_t bt_wordpiece_linear_cut(const struct bt_wordpiece *wp,
                                struct bt_wordpiece_linear *k,
                                const uint8_t *text, size_t at, size_t end,
                                struct bt_piece *piece)
{
	uint32_t v = wp->more, to;
	size_t n = 0, i = at;

	if (bt_grow(&k->stack, &k->stack_cap, end - at + 1,
	            sizeof(*k->stack)) != BT_OK)
		return BT_ENOMEM;
	for (;;) {
		to =
		    i < end ? bt_trie_step(wp->trie, v, text[i]) : BT_TRIE_NONE;
		if (to != BT_TRIE_NONE) {
			v = to;
			i++;
			continue;
		}
		if (i == end && v == wp->more)
			return (int64_t)n;
		if (k->link[v] == BT_TRIE_NONE)
			return 0;
		n = put(wp, k, v, at, piece, n);
		v = k->link[v];
	}
}
