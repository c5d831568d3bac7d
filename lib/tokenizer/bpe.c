/* SPDX-License-Identifier: MIT */
/* Making the model. */
#include "tokenizer/bpe_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

#define SEVERAL 16 /* merges that are looked up at a time */
#define NO_SYMBOL UINT32_MAX

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

static int bad_result(size_t i, const struct bt_bpe_merge *merge, size_t skip,
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

/* A merge by its tokens. */
struct known {
	int32_t a, b, made;
};

/* Finds n merges, at most SEVERAL, that are number i of all and on. */
static int find_several(const struct bt_bpe *m,
                        const struct bt_bpe_merge *merge, size_t i, size_t n,
                        struct known *to, struct bt_error *err)
{
	struct walk both[SEVERAL], half[2 * SEVERAL];
	size_t skip = m->opts.prefix.n, k, cut;

	for (k = 0; k < n; k++) {
		half[2 * k] =
		    begin_walk(BT_TRIE_ROOT, merge[k].a.p, merge[k].a.n);
		half[2 * k + 1] =
		    begin_walk(BT_TRIE_ROOT, merge[k].b.p, merge[k].b.n);
	}
	walk_all(m->trie, half, 2 * n);
	for (k = 0; k < n; k++) {
		to[k].a = id_at(m->trie, half[2 * k].node);
		to[k].b = id_at(m->trie, half[2 * k + 1].node);
		cut = merge[k].b.n < skip ? merge[k].b.n : skip;
		both[k] = begin_walk(half[2 * k].node, merge[k].b.p + cut,
		                     merge[k].b.n - cut);
	}
	walk_all(m->trie, both, n);
	for (k = 0; k < n; k++) {
		if (to[k].a < 0)
			return bad_merge(i + k, "the first half", merge[k].a,
			                 err);
		if (to[k].b < 0 || merge[k].b.n < skip)
			return bad_merge(i + k, "the second half", merge[k].b,
			                 err);
		to[k].made = id_at(m->trie, both[k].node);
		if (to[k].made < 0)
			return bad_result(i + k, &merge[k], skip, err);
	}
	return BT_OK;
}

/* Each token is a symbol of its own number. */
static int number_alike(struct bt_bpe *m, const struct known *merge, size_t n,
                        size_t tokens)
{
	size_t i;

	m->made = bt_array(n, sizeof(*m->made));
	if (m->made == NULL)
		return BT_ENOMEM;
	for (i = 0; i < n; i++)
		m->made[i] = (uint32_t)merge[i].made;
	for (i = 0; i < tokens; i++) {
		m->symbol_of[i] = (uint32_t)i;
		m->token_of[i] = (int32_t)i;
	}
	return BT_OK;
}

/* What no merge makes comes first, then what each makes, if that differs. */
static int number(struct bt_bpe *m, const struct known *merge, size_t n,
                  size_t tokens)
{
	uint32_t next = 0;
	size_t i;

	m->symbol_of = bt_array(tokens, sizeof(*m->symbol_of));
	m->token_of = bt_array(tokens, sizeof(*m->token_of));
	if (m->symbol_of == NULL || m->token_of == NULL)
		return BT_ENOMEM;
	for (i = 0; i < tokens; i++)
		m->symbol_of[i] = NO_SYMBOL;
	m->base = n < tokens ? (uint32_t)(tokens - n) : 0;
	for (i = 0; i < n; i++) {
		if (m->symbol_of[merge[i].made] != NO_SYMBOL)
			return number_alike(m, merge, n, tokens);
		m->symbol_of[merge[i].made] = m->base + (uint32_t)i;
	}
	for (i = 0; i < tokens; i++) {
		if (m->symbol_of[i] == NO_SYMBOL)
			m->symbol_of[i] = next++;
		m->token_of[m->symbol_of[i]] = (int32_t)i;
	}
	return BT_OK;
}

static int put_pairs(struct bt_bpe *m, const struct known *merge, size_t n,
                     size_t tokens)
{
	int r = bt_bpe_ranks_init(&m->pairs, n, tokens);
	size_t i;

	for (i = 0; r == BT_OK && i < n; i++)
		r = bt_bpe_ranks_put(&m->pairs, m->symbol_of[merge[i].a],
		                     m->symbol_of[merge[i].b], (uint32_t)i);
	return r;
}

/* The bytes as symbols, if that is what words begin as. */
static void list_symbols(struct bt_bpe *m)
{
	int b;

	m->quick = m->single && !m->opts.ignore_merges && m->pairs.slot != NULL;
	for (b = 0; b < 256; b++) {
		if (m->byte_id[b] < 0)
			m->quick = false;
		else
			m->byte_symbol[b] = m->symbol_of[m->byte_id[b]];
	}
}

/* The merges of two bytes, where all begins. */
static int list_byte_merges(struct bt_bpe *m, const struct known *merge,
                            size_t n, size_t tokens)
{
	uint16_t *byte_of = bt_array0(tokens, sizeof(*byte_of)), x, y;
	size_t i;

	m->byte_merge = bt_array0(256 * 256, sizeof(*m->byte_merge));
	if (byte_of == NULL || m->byte_merge == NULL) {
		free(byte_of);
		return BT_ENOMEM;
	}
	for (i = 0; i < 256; i++)
		byte_of[m->byte_id[i]] = (uint16_t)(i + 1);
	for (i = 0; i < n; i++) {
		x = byte_of[merge[i].a];
		y = byte_of[merge[i].b];
		if (x > 0 && y > 0)
			m->byte_merge[(x - 1) << 8 | (y - 1)] = (uint32_t)i + 1;
	}
	free(byte_of);
	return BT_OK;
}

/* Merges as pairs of symbols. */
static int set_merges(struct bt_bpe *m, const struct known *merge, size_t n,
                      size_t tokens)
{
	int r = number(m, merge, n, tokens);

	if (r == BT_OK)
		r = put_pairs(m, merge, n, tokens);
	if (r != BT_OK)
		return r;
	list_symbols(m);
	return m->quick ? list_byte_merges(m, merge, n, tokens) : BT_OK;
}

static int add_merges(struct bt_bpe *m, const struct bt_bpe_merge *merge,
                      size_t n, size_t tokens, struct bt_error *err)
{
	struct known *known;
	int r = BT_OK;
	size_t i;

	if (n > BT_VOCAB_MAX)
		return bt_error_set(err, BT_ELIMIT, "more than %zu merges",
		                    BT_VOCAB_MAX);
	known = bt_array(n, sizeof(*known));
	if (known == NULL)
		return bt_error_nomem(err, "reading merges");
	for (i = 0; r == BT_OK && i < n; i += SEVERAL)
		r = find_several(m, merge + i, i,
		                 n - i < SEVERAL ? n - i : SEVERAL, known + i,
		                 err);
	if (r == BT_OK && set_merges(m, known, n, tokens) != BT_OK)
		r = bt_error_nomem(err, "reading merges");
	free(known);
	return r;
}

static void bpe_free(struct bt_tok_model *model)
{
	struct bt_bpe *m = (struct bt_bpe *)model;

	free((char *)(uintptr_t)m->opts.prefix.p);
	free((char *)(uintptr_t)m->opts.suffix.p);
	bt_bpe_ranks_clear(&m->pairs);
	free(m->made);
	free(m->symbol_of);
	free(m->token_of);
	free(m->byte_merge);
	free(m);
}

int bt_tok_model_bpe(const struct bt_vocab *vocab,
                     const struct bt_bpe_merge *merge, size_t merges,
                     const struct bt_bpe_opts *opts,
                     struct bt_tok_model **model, struct bt_error *err)
{
	static const struct bt_tok_model_ops ops = {
	    bt_bpe_encode, bt_bpe_encode_words, bt_bpe_work_new,
	    bt_bpe_work_free, bpe_free};
	struct bt_bpe *m = bt_array0(1, sizeof(*m));
	int r;

	m->part.ops = &ops;
	m->trie = &vocab->trie;
	m->opts = *opts;
	m->opts.prefix.p = bt_strndup(opts->prefix.p, opts->prefix.n);
	m->opts.suffix.p = bt_strndup(opts->suffix.p, opts->suffix.n);
	if (m->opts.prefix.p == NULL || m->opts.suffix.p == NULL) {
		bpe_free(&m->part);
		return bt_error_nomem(err, "opening a tokenizer");
	}
	m->single = opts->bytes && opts->prefix.n + opts->suffix.n == 0;
	m->more = bt_trie_walk(m->trie, opts->prefix.p, opts->prefix.n);
	list_bytes(m);
	r = add_merges(m, merge, merges, vocab->n, err);
	if (r != BT_OK) {
		bpe_free(&m->part);
		return r;
	}
	*model = &m->part;
	return BT_OK;
}
