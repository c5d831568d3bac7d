/* SPDX-License-Identifier: MIT */
/*
 * Unicode's normalisation forms. A text is a chain of clusters: a character and
 * what behind it may be moved before it or composed with it. Where the
 * characters of a cluster come from is found as the `tokenizers` package does:
 * each either takes the next of those that were there, and more if it was
 * composed, or comes from the one before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tokenizer/normalizers.h"
#include "unicode/nfd_hf.h"
#include "unicode/split_char_class.h"

#define FEW 32 /* characters of a cluster that need no memory */

struct form {
	struct bt_normalizer part;
	const uint8_t *table;
	bool compose, compat;
};

_Static_assert(BT_CHAR_DECOMPOSE_MAX <= BT_CHAR_COMPAT_MAX, "one array");

/* A character of the result. */
struct item {
	uint32_t c;
	uint32_t nth;   /* keeps sorting stable */
	int32_t change; /* 1: comes from the one before; -k: and k more */
	uint8_t class;
};

struct cluster {
	const struct form *f;
	const uint8_t *text;
	struct bt_offset_text *out;
	size_t at, end; /* where its characters stand */
	struct item few[FEW], *item;
	size_t n, cap;
};

static bool is_active(const struct form *f, uint32_t c)
{
	return (f->table[c] & BT_SPLIT_ACTIVE) != 0;
}

static int by_class(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return (x->nth > y->nth) - (x->nth < y->nth);
}

/* Canonical order: characters between those of class 0 are sorted. */
static void sort(struct item *s, size_t n)
{
	size_t i, k;
	bool sorted;

	for (i = 0; i < n; i = k + 1) {
		sorted = true;
		for (k = i; k < n && s[k].class != 0; k++)
			sorted =
			    sorted && (k == i || s[k - 1].class <= s[k].class);
		if (!sorted)
			qsort(s + i, k - i, sizeof(*s), by_class);
	}
}

/* Composes in place; returns what is left. */
static size_t compose(struct item *s, size_t n)
{
	struct item *starter = NULL;
	size_t i, k = 0;
	unsigned last = 0; /* class of the one kept before */
	uint32_t c;

	for (i = 0; i < n; i++) {
		if (starter != NULL && (k == (size_t)(starter - s) + 1 ||
		                        (last != 0 && last < s[i].class))) {
			c = bt_char_compose(starter->c, s[i].c);
			if (c != 0) {
				starter->c = c;
				starter->change += s[i].change - 1;
				continue;
			}
		}
		s[k] = s[i];
		last = s[k].class;
		if (last == 0)
			starter = &s[k];
		k++;
	}
	return k;
}

static int put(struct cluster *u)
{
	size_t at = u->at, before = at, i, src;
	uint8_t s[4];
	int32_t more;

	if (bt_offset_text_room(u->out, 4 * u->n) != BT_OK ||
	    u->out->n + 4 * u->n > INT32_MAX)
		return BT_ENOMEM;
	for (i = 0; i < u->n; i++) {
		src = u->item[i].change > 0 || at >= u->end ? before : at;
		for (more = u->item[i].change; more <= 0 && at < u->end;
		     more++) {
			before = at;
			at += bt_utf8_len(u->text[at]);
		}
		bt_offset_text_put(u->out, s, bt_utf8_put(s, u->item[i].c),
		                   src);
	}
	return BT_OK;
}

static int end_cluster(struct cluster *u)
{
	int r;

	if (u->n > 1)
		sort(u->item, u->n);
	if (u->n > 1 && u->f->compose)
		u->n = compose(u->item, u->n);
	r = put(u);
	u->n = 0;
	u->at = u->end;
	return r;
}

static int reserve(struct cluster *u, size_t more)
{
	struct item *p;
	size_t cap = 2 * (u->cap + more);

	if (u->cap - u->n >= more)
		return BT_OK;
	p = bt_array(cap, sizeof(*p));
	if (p == NULL)
		return BT_ENOMEM;
	memcpy(p, u->item, u->n * sizeof(*p));
	if (u->item != u->few)
		free(u->item);
	u->item = p;
	u->cap = cap;
	return BT_OK;
}

/* Adds the character c, of len bytes, which may begin a cluster. */
static int add(struct cluster *u, uint32_t c, unsigned len)
{
	const struct form *f = u->f;
	uint32_t d[BT_CHAR_COMPAT_MAX];
	int n, i;

	n = f->compat ? bt_char_compat(c, d)
	              : bt_char_decompose(BT_CHAR_DIALECT_HF, c, d);
	if (!is_active(f, c) && !is_active(f, d[0]) && end_cluster(u) != BT_OK)
		return BT_ENOMEM;
	if (reserve(u, (size_t)n) != BT_OK)
		return BT_ENOMEM;
	for (i = 0; i < n; i++) {
		u->item[u->n].c = d[i];
		u->item[u->n].nth = (uint32_t)u->n;
		u->item[u->n].class = (uint8_t)bt_char_order(d[i]);
		u->item[u->n++].change = i > 0;
	}
	u->end += len;
	return BT_OK;
}

/* Copies all but the last of a run of ASCII. */
static int copy_ascii(struct cluster *u, size_t to)
{
	size_t at = u->end, end = at, i;

	while (end < to && u->text[end] < 0x80)
		end++;
	if (end - at < 2)
		return BT_OK;
	if (end_cluster(u) != BT_OK ||
	    bt_offset_text_room(u->out, end - at) != BT_OK)
		return BT_ENOMEM;
	memcpy(u->out->text + u->out->n, u->text + at, end - at - 1);
	for (i = at; u->out->want_src && i < end - 1; i++)
		u->out->src[u->out->n + i - at] = (uint32_t)i;
	u->out->n += end - at - 1;
	u->at = u->end = end - 1;
	return BT_OK;
}

static bool is_same(const struct form *f, const uint8_t *text, size_t at,
                    size_t to)
{
	uint8_t all = 0;
	size_t i;

	for (i = at; i < to; i++)
		all |= text[i];
	if (all < 0x80)
		return true;
	if (!f->compose || f->compat)
		return false;
	for (; at < to; at += bt_utf8_len(text[at]))
		if (text[at] >= 0xcc && is_active(f, bt_utf8_get(text + at)))
			return false;
	return true;
}

static int form_run(const struct bt_normalizer *norm, const uint8_t *text,
                    size_t from, size_t to, struct bt_offset_text *out)
{
	struct cluster u = {.f = (const struct form *)norm,
	                    .text = text,
	                    .out = out,
	                    .at = from,
	                    .end = from,
	                    .cap = FEW};
	int r = BT_OK;

	if (is_same(u.f, text, from, to))
		return BT_NORMALIZER_SAME;
	u.item = u.few;
	while (r == BT_OK && u.end < to) {
		if (text[u.end] < 0x80)
			r = copy_ascii(&u, to);
		if (r == BT_OK)
			r = add(&u, bt_utf8_get(text + u.end),
			        bt_utf8_len(text[u.end]));
	}
	if (r == BT_OK)
		r = end_cluster(&u);
	if (u.item != u.few)
		free(u.item);
	return r;
}

struct bt_normalizer *bt_normalizer_form(const uint8_t *table,
                                         enum bt_unicode_form form)
{
	static const struct bt_normalizer_ops ops = {form_run, NULL};
	struct form *f = bt_array0(1, sizeof(*f));

	f->part.ops = &ops;
	f->table = table;
	f->compose = form == BT_NFC || form == BT_NFKC;
	f->compat = form == BT_NFKC || form == BT_NFKD;
	return &f->part;
}
