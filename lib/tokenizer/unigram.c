/* SPDX-License-Identifier: MIT */
#include "tokenizer/unigram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tokenizer/normalizers.h"
#include "tokenizer/word_encode.h"

#define UNKNOWN_PENALTY 10.0 /* an unknown character below the worst piece */

int bt_unigram_init(struct bt_unigram *u, const struct bt_vocab *v,
                    double *score, int32_t unknown, bool bytes,
                    struct bt_error *err)
{
	double least = INFINITY;
	char name[8];
	size_t i;

	if (unknown < 0 || (size_t)unknown >= v->n)
		return bt_error_set(err, BT_EFORMAT,
		                    "the id of the unknown token is outside "
		                    "the vocabulary");
	for (i = 0; i < v->n; i++) {
		if (!isfinite(score[i]))
			return bt_error_set(err, BT_EFORMAT,
			                    "the score of token %zu is not a "
			                    "number",
			                    i);
		if (score[i] < least)
			least = score[i];
	}
	memset(u, 0, sizeof(*u));
	u->trie = &v->trie;
	u->score = score;
	u->unknown_score = least - UNKNOWN_PENALTY;
	u->unknown = unknown;
	u->bytes = bytes;
	/* without all of them there is no use for any */
	for (i = 0; bytes && i < 256; i++) {
		snprintf(name, sizeof(name), "<0x%02X>", (unsigned)i & 255);
		u->byte[i] = (int32_t)bt_vocab_find(v, bt_span(name));
	}
	return BT_OK;
}

void bt_unigram_clear(struct bt_unigram *u)
{
	free(u->score);
	u->score = NULL;
}

static inline void offer(struct bt_unigram_node *to, double score,
                         uint32_t from, int32_t id)
{
	if (to->id != BT_UNIGRAM_NONE && !(score > to->score))
		return;
	to->score = score;
	to->from = from;
	to->id = id;
}

/* Offers the nodes behind every piece that begins at node[at]. */
static void go_on(const struct bt_unigram *u, const uint8_t *word, size_t n,
                  size_t at, struct bt_unigram_node *node)
{
	size_t len = bt_utf8_len(word[at]), i;
	double score = node[at].score;
	uint32_t s = BT_TRIE_ROOT, id;
	bool alone = false; /* the character is a piece */

	for (i = at; i < n; i++) {
		s = bt_trie_step(u->trie, s, word[i]);
		if (s == BT_TRIE_NONE)
			break;
		if (!bt_trie_is_end(u->trie, s))
			continue;
		id = bt_trie_number(u->trie, s);
		offer(&node[i + 1], u->score[id] + score, (uint32_t)at,
		      (int32_t)id);
		alone = alone || i + 1 - at == len;
	}
	if (!alone)
		offer(&node[at + len], u->unknown_score + score, (uint32_t)at,
		      u->unknown);
}

static struct bt_piece *put(struct bt_piece *p, int32_t id, size_t start,
                            size_t end)
{
	p--;
	p->id = id;
	p->start = (uint32_t)start;
	p->end = (uint32_t)end;
	return p;
}

/* Puts the tokens of text[start .. end-1], none of whose characters is known,
 * before p. */
static struct bt_piece *put_unknown(const struct bt_unigram *u,
                                    const uint8_t *text, size_t start,
                                    size_t end, struct bt_piece *p)
{
	int64_t id = bt_trie_find(u->trie, text + start, end - start);
	size_t i;

	if (id >= 0)
		return put(p, (int32_t)id, start, end);
	for (i = start; u->bytes && i < end; i++)
		if (u->byte[text[i]] < 0)
			break;
	if (!u->bytes || i < end)
		return put(p, u->unknown, start, end);
	for (i = end; i > start; i--)
		p = put(p, u->byte[text[i - 1]], start, end);
	return p;
}

static int cut(const void *model, void *w, const uint8_t *text, size_t from,
               size_t to, struct bt_pieces *out)
{
	const struct bt_unigram *u = model;
	struct bt_unigram_work *work = w;
	size_t n = to - from, at, end;
	struct bt_unigram_node *node;
	struct bt_piece *p, *top;

	if (bt_grow(&work->node, &work->cap, n + 1, sizeof(*node)) != BT_OK ||
	    bt_pieces_room(out, n) != BT_OK)
		return BT_ENOMEM;
	node = work->node;
	for (at = 0; at <= n; at++)
		node[at].id = BT_UNIGRAM_NONE;
	node[0].score = 0;
	for (at = 0; at < n; at += bt_utf8_len(text[from + at]))
		go_on(u, text + from, n, at, node);
	/* backwards, into the end of the room */
	top = p = out->piece + out->n + n;
	for (at = n; at > 0; at = node[at].from) {
		if (node[at].id != u->unknown) {
			p = put(p, node[at].id, from + node[at].from,
			        from + at);
			continue;
		}
		end = at;
		while (node[at].from > 0 &&
		       node[node[at].from].id == u->unknown)
			at = node[at].from;
		p = put_unknown(u, text, from + node[at].from, from + end, p);
	}
	memmove(out->piece + out->n, p, (size_t)(top - p) * sizeof(*p));
	out->n += (size_t)(top - p);
	return BT_OK;
}

int bt_unigram_encode(const struct bt_unigram *u, struct bt_unigram_work *work,
                      const uint8_t *text, size_t from, size_t to,
                      struct bt_pieces *out)
{
	const struct bt_word_run run = {&work->words, cut, u, work};

	return bt_word_run(&run, text, from, to, out);
}

/* The part of a tokenizer (component_int.h). */
struct model {
	struct bt_tok_model part;
	struct bt_unigram u;
};

static int model_cut(const struct bt_tok_model *model, void *work,
                     const uint8_t *text, size_t from, size_t to,
                     struct bt_pieces *out)
{
	return bt_unigram_encode(&((const struct model *)model)->u, work, text,
	                         from, to, out);
}

static int model_work_new(const struct bt_tok_model *model, void **work)
{
	struct bt_unigram_work *w = bt_array0(1, sizeof(*w));

	(void)model;
	if (bt_word_cache_init(&w->words, BT_WORD_BITS) != BT_OK) {
		free(w);
		return BT_ENOMEM;
	}
	*work = w;
	return BT_OK;
}

static void model_work_free(void *work)
{
	struct bt_unigram_work *w = work;

	if (w == NULL)
		return;
	free(w->node);
	bt_word_cache_clear(&w->words);
	free(w);
}

static void model_free(struct bt_tok_model *model)
{
	bt_unigram_clear(&((struct model *)model)->u);
	free(model);
}

int bt_tok_model_unigram(const struct bt_vocab *vocab, double *score,
                         int32_t unknown, bool bytes,
                         struct bt_tok_model **model, struct bt_error *err)
{
	static const struct bt_tok_model_ops ops = {
	    model_cut, NULL, model_work_new, model_work_free, model_free};
	struct model *m = bt_array0(1, sizeof(*m));
	int r;

	m->part.ops = &ops;
	r = bt_unigram_init(&m->u, vocab, score, unknown, bytes, err);
	if (r != BT_OK) {
		free(score);
		free(m);
		return r;
	}
	*model = &m->part;
	return BT_OK;
}
