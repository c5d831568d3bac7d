/* SPDX-License-Identifier: MIT */
/* The merges of a SentencePiece model, which has pieces with scores only. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tokenizer_file/sentencepiece_open_int.h"

#define PIECE_MAX 1024 /* bytes: what it takes grows with their square */

/* A way to make a piece. */
struct way {
	double score;
	uint32_t id;
	uint32_t first, chars; /* characters of its first half, of it all */
	uint32_t at;           /* bytes of the first half */
};

struct ways {
	struct way *way;
	size_t n, cap;
};

/* Longer halves come first: of a piece that is the first half. */
static int by_score(const void *a, const void *b)
{
	const struct way *x = a, *y = b;
	uint32_t x2 = x->chars - x->first, y2 = y->chars - y->first;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->first != y->first)
		return x->first > y->first ? -1 : 1;
	if (x2 != y2)
		return x2 > y2 ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_id(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->id != y->id)
		return x->id > y->id ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Adds the ways to make a token of two others. */
static int add_ways(struct ways *l, const struct bt_vocab *v, size_t id,
                    double score, struct bt_error *err)
{
	struct bt_span s = v->token[id];
	const uint8_t *p = (const uint8_t *)s.p;
	uint32_t node = BT_TRIE_ROOT, first = 0;
	size_t at = 0, from = l->n, i;
	unsigned len;

	if (s.n > PIECE_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "piece %zu has more than %d bytes", id,
		                    PIECE_MAX);
	while (at < s.n) {
		for (len = bt_utf8_len(p[at]); len > 0; len--)
			node = bt_trie_step(&v->trie, node, p[at++]);
		first++;
		if (at == s.n || !bt_trie_is_end(&v->trie, node) ||
		    bt_trie_find(&v->trie, p + at, s.n - at) < 0)
			continue;
		if (l->n == BT_VOCAB_MAX)
			return bt_error_set(err, BT_ELIMIT,
			                    "more than %zu merges", l->n);
		if (bt_grow(&l->way, &l->cap, l->n + 1, sizeof(*l->way)) !=
		    BT_OK)
			return bt_error_nomem(err, "reading a vocabulary");
		l->way[l->n++] =
		    (struct way){score, (uint32_t)id, first, 0, (uint32_t)at};
	}
	for (i = from; i < l->n; i++)
		l->way[i].chars = first;
	return BT_OK;
}

int bt_spm_merges(const struct bt_vocab *v, const double *score, bool by_order,
                  struct bt_bpe_merge **merge, size_t *n, struct bt_error *err)
{
	struct ways l = {0};
	const struct bt_span *s;
	struct bt_bpe_merge *m = NULL;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < v->n; i++)
		if (v->token[i].n > 0)
			r = add_ways(&l, v, i, score[i], err);
	if (r == BT_OK && (m = bt_array(l.n + 1, sizeof(*m))) == NULL)
		r = bt_error_nomem(err, "reading a vocabulary");
	if (r != BT_OK)
		goto out;
	if (l.n > 0)
		qsort(l.way, l.n, sizeof(*l.way), by_order ? by_id : by_score);
	for (i = 0; i < l.n; i++) {
		s = &v->token[l.way[i].id];
		m[i].a = (struct bt_span){s->p, l.way[i].at};
		m[i].b =
		    (struct bt_span){s->p + l.way[i].at, s->n - l.way[i].at};
	}
	*merge = m;
	*n = l.n;
out:
	free(l.way);
	return r;
}
