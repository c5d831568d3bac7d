/* SPDX-License-Identifier: MIT */
/* Making the model: the table of pairs. */
#include "text/bpe_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "text/utf8.h"

#define SEVERAL 16 /* merges that are looked up at a time */

void bt_byte_chars(uint16_t c[256])
{
	uint16_t next = 0x100;
	int b;

	for (b = 0; b < 256; b++)
		c[b] = (b >= 33 && b <= 126) || (b >= 161 && b != 173)
		           ? (uint16_t)b
		           : next++;
}

static int32_t find(const struct bt_trie *t, const void *s, size_t n)
{
	return n == 0 ? -1 : (int32_t)bt_trie_find(t, s, n);
}

static void list_bytes(struct bt_bpe *m)
{
	uint16_t c[256];
	char name[8];
	int b;

	bt_byte_chars(c);
	for (b = 0; b < 256; b++) {
		m->byte_len[b] = (uint8_t)bt_utf8_put(m->byte_text[b], c[b]);
		m->byte_id[b] = find(m->trie, m->byte_text[b], m->byte_len[b]);
		snprintf(name, sizeof(name), "<0x%02X>", (unsigned)b);
		m->fallback[b] = find(m->trie, name, 6);
	}
}

static int bad_merge(size_t i, const char *what, struct bt_span s,
                     struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT,
	                    "merge %zu: %s '%.*s' is not in the vocabulary",
	                    i + 1, what, (int)(s.n < 100 ? s.n : 100), s.p);
}

/* A pair that is there already is overruled. */
static void put_pair(struct bt_bpe *m, int32_t a, int32_t b, size_t rank,
                     int32_t id)
{
	uint64_t key = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
	uint64_t h = bt_pair_hash(key), bit = h >> m->maybe_shift;
	size_t i = (size_t)h & m->mask;

	m->maybe[bit / 64] |= (uint64_t)1 << bit % 64;
	while (m->pair[i].key != BT_PAIR_NONE && m->pair[i].key != key)
		i = (i + 1) & m->mask;
	m->pair[i].key = key;
	m->pair[i].rank = (uint32_t)rank;
	m->pair[i].id = id;
}

/* A string on its way through the trie. */
struct walk {
	const uint8_t *p, *end;
	uint32_t node;
};

static struct walk begin_walk(uint32_t node, const char *p, size_t n)
{
	const uint8_t *q = (const uint8_t *)p;

	return (struct walk){q, q + n, node};
}

/* Takes n strings through the trie, a byte of each at a time: they wait for the
 * memory together. */
static void walk_all(const struct bt_trie *t, struct walk *w, size_t n)
{
	size_t i, left;
	uint8_t c;

	do {
		left = 0;
		for (i = 0; i < n; i++) {
			if (w[i].p == w[i].end || w[i].node == BT_TRIE_NONE)
				continue;
			c = *w[i].p++;
			w[i].node = c == BT_TRIE_END
			                ? BT_TRIE_NONE
			                : bt_trie_step(t, w[i].node, c);
			left++;
		}
	} while (left > 0);
}

static int32_t id_at(const struct bt_trie *t, uint32_t node)
{
	return node == BT_TRIE_NONE || !bt_trie_is_end(t, node)
	           ? -1
	           : (int32_t)bt_trie_number(t, node);
}

static int bad_result(size_t i, const struct bt_merge *merge, size_t skip,
                      struct bt_error *err)
{
	struct bt_buf both = BT_BUF_INIT;
	int r;

	bt_buf_put(&both, merge->a.p, merge->a.n);
	bt_buf_put(&both, merge->b.p + skip, merge->b.n - skip);
	r = both.oom ? bt_error_nomem(err, "reading merges")
	             : bad_merge(i, "the result",
	                         (struct bt_span){both.data, both.len}, err);
	bt_buf_clear(&both);
	return r;
}

/* Adds n merges, at most SEVERAL, that are number i of all and on. */
static int add_several(struct bt_bpe *m, const struct bt_merge *merge, size_t i,
                       size_t n, struct bt_error *err)
{
	struct walk both[SEVERAL], half[2 * SEVERAL];
	size_t skip = m->opts.prefix.n, k, cut;
	int32_t a[SEVERAL], b[SEVERAL], id;

	for (k = 0; k < n; k++) {
		half[2 * k] =
		    begin_walk(BT_TRIE_ROOT, merge[k].a.p, merge[k].a.n);
		half[2 * k + 1] =
		    begin_walk(BT_TRIE_ROOT, merge[k].b.p, merge[k].b.n);
	}
	walk_all(m->trie, half, 2 * n);
	for (k = 0; k < n; k++) {
		a[k] = id_at(m->trie, half[2 * k].node);
		b[k] = id_at(m->trie, half[2 * k + 1].node);
		cut = merge[k].b.n < skip ? merge[k].b.n : skip;
		both[k] = begin_walk(half[2 * k].node, merge[k].b.p + cut,
		                     merge[k].b.n - cut);
		bt_bpe_expect(m, a[k], b[k]);
	}
	walk_all(m->trie, both, n);
	for (k = 0; k < n; k++) {
		if (a[k] < 0)
			return bad_merge(i + k, "the first half", merge[k].a,
			                 err);
		if (b[k] < 0 || merge[k].b.n < skip)
			return bad_merge(i + k, "the second half", merge[k].b,
			                 err);
		id = id_at(m->trie, both[k].node);
		if (id < 0)
			return bad_result(i + k, &merge[k], skip, err);
		put_pair(m, a[k], b[k], i + k, id);
	}
	return BT_OK;
}

static int add_merges(struct bt_bpe *m, const struct bt_merge *merge, size_t n,
                      struct bt_error *err)
{
	size_t i, size = 16;
	int r = BT_OK;

	if (n > BT_VOCAB_MAX)
		return bt_error_set(err, BT_ELIMIT, "more than %zu merges",
		                    BT_VOCAB_MAX);
	m->maybe_shift = 64 - 7;
	while (size < 2 * n) {
		size *= 2;
		m->maybe_shift--;
	}
	m->mask = size - 1;
	m->pair = bt_array(size, sizeof(*m->pair));
	m->maybe = bt_array0(size / 8, sizeof(*m->maybe));
	if (m->pair == NULL || m->maybe == NULL)
		return bt_error_nomem(err, "reading merges");
	for (i = 0; i < size; i++)
		m->pair[i].key = BT_PAIR_NONE;
	for (i = 0; r == BT_OK && i < n; i += SEVERAL)
		r = add_several(m, merge + i, i,
		                n - i < SEVERAL ? n - i : SEVERAL, err);
	return r;
}

static void bpe_free(struct bt_model *model)
{
	struct bt_bpe *m = (struct bt_bpe *)model;

	free((char *)(uintptr_t)m->opts.prefix.p);
	free((char *)(uintptr_t)m->opts.suffix.p);
	free(m->pair);
	free(m->maybe);
	free(m);
}

int bt_model_bpe(const struct bt_vocab *vocab, const struct bt_merge *merge,
                 size_t merges, const struct bt_bpe_opts *opts,
                 struct bt_model **model, struct bt_error *err)
{
	static const struct bt_model_ops ops = {bt_bpe_cut, bt_bpe_cut_words,
	                                        bt_bpe_work_new,
	                                        bt_bpe_work_free, bpe_free};
	struct bt_bpe *m = bt_array0(1, sizeof(*m));
	int r;

	if (m == NULL)
		return bt_error_nomem(err, "opening a tokenizer");
	m->part.ops = &ops;
	m->trie = &vocab->trie;
	m->opts = *opts;
	m->opts.prefix.p = bt_strndup(opts->prefix.p, opts->prefix.n);
	m->opts.suffix.p = bt_strndup(opts->suffix.p, opts->suffix.n);
	if (m->opts.prefix.p == NULL || m->opts.suffix.p == NULL) {
		bpe_free(&m->part);
		return bt_error_nomem(err, "opening a tokenizer");
	}
	m->more = bt_trie_walk(m->trie, opts->prefix.p, opts->prefix.n);
	list_bytes(m);
	r = add_merges(m, merge, merges, err);
	if (r != BT_OK) {
		bpe_free(&m->part);
		return r;
	}
	*model = &m->part;
	return BT_OK;
}
