/* SPDX-License-Identifier: MIT */
/* The table: what becomes of each character under the settings. */
#include "tokenizer/bert_normalizer_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "unicode/nfd_hf.h"

#define LAST_CHAR 0x10ffffu
#define CAPITAL_SIGMA 0x3a3u

/* The replacement of one character while the table is made. */
struct becomes {
	uint32_t c[BT_NORM_MOST];
	int n;
	bool starter_dropped; /* a mark of class 0 was */
};

static void lower_all(enum bt_char_dialect school, struct becomes *b)
{
	struct becomes from = *b;
	int i;

	b->n = 0;
	for (i = 0; i < from.n; i++)
		b->n += bt_char_lower(school, from.c[i], b->c + b->n);
}

static bool is_mark(enum bt_char_dialect school, uint32_t c)
{
	uint8_t props;

	bt_char_props(school, c, 1, &props);
	return (props & BT_CHAR_IS_MARK) != 0;
}

/* c is the character that all this comes from and props are its own. */
static void strip_all(enum bt_char_dialect school, uint32_t c, uint8_t props,
                      struct becomes *b)
{
	uint32_t part[BT_CHAR_DECOMPOSE_MAX];
	struct becomes from = *b;
	int i, j, n;
	bool mark;

	b->n = 0;
	for (i = 0; i < from.n; i++) {
		n = bt_char_decompose(school, from.c[i], part);
		for (j = 0; j < n; j++) {
			mark = part[j] == c ? (props & BT_CHAR_IS_MARK) != 0
			                    : is_mark(school, part[j]);
			if (!mark)
				b->c[b->n++] = part[j];
			else if (school == BT_CHAR_DIALECT_HF
			             ? bt_char_order(part[j]) == 0
			             : bt_char_class(school, part[j]) == 0)
				b->starter_dropped = true;
		}
	}
}

static struct becomes fold(const struct bt_bert_normalizer_opts *o, uint32_t c,
                           uint8_t props)
{
	struct becomes b = {{c}, 1, false};

	/* Google makes it lower case first, the fast tokenizers last */
	if (o->lower && o->school == BT_CHAR_DIALECT_GOOGLE)
		lower_all(o->school, &b);
	if (o->strip)
		strip_all(o->school, c, props, &b);
	if (o->lower && o->school == BT_CHAR_DIALECT_HF)
		lower_all(o->school, &b);
	return b;
}

static enum bt_char_kind kind_of(uint8_t props)
{
	if (props & BT_CHAR_IS_WHITE)
		return BT_CHAR_WHITE;
	return props & BT_CHAR_IS_PUNCT ? BT_CHAR_PUNCT : BT_CHAR_WORD;
}

static uint32_t add_replacement(const struct becomes *b, struct bt_buf *pool)
{
	uint8_t s[1 + BT_NORM_MOST * 4];
	size_t n = 1, at = pool->len;
	int i;

	for (i = 0; i < b->n; i++)
		n += bt_utf8_put(s + n, b->c[i]);
	s[0] = (uint8_t)(n - 1);
	bt_buf_put(pool, s, n);
	return BT_ACT_REPLACE | (uint32_t)at << BT_ACT_POOL;
}

/* Syllables of Hangul are decomposed by a rule, into letters that are no marks
 * and have no case. */
static bool is_syllable(uint32_t c)
{
	return c >= 0xac00 && c <= 0xd7a3;
}

/* What happens to c, which is plain or not (bt_char_plain), apart from its
 * kind. */
static uint32_t make_action(const struct bt_bert_normalizer_opts *o, uint32_t c,
                            uint8_t props, bool plain, struct bt_buf *pool)
{
	struct becomes b;
	uint32_t e = 0, k = c - 0xac00; /* of a syllable */
	int i;

	if (o->clean && props & BT_CHAR_IS_CONTROL)
		return BT_ACT_DROP;
	if (o->clean && props & BT_CHAR_IS_BLANK)
		return BT_ACT_SPACE;
	if (o->cjk && props & BT_CHAR_IS_CJK)
		e |= BT_ACT_PAD;
	if (o->school == BT_CHAR_DIALECT_GOOGLE && o->lower &&
	    c == CAPITAL_SIGMA)
		return e | BT_ACT_SIGMA;
	if (is_syllable(c) && o->strip) {
		b = (struct becomes){
		    {0x1100 + k / 588, 0x1161 + k / 28 % 21, 0x11a7 + k % 28},
		    k % 28 != 0 ? 3 : 2,
		    false};
		return e | add_replacement(&b, pool);
	}
	if (is_syllable(c) || (plain && !(props & BT_CHAR_IS_MARK)))
		return e | BT_ACT_SAME;
	b = fold(o, c, props);
	if (b.n == 0)
		return e | (b.starter_dropped ? BT_ACT_MARK : BT_ACT_DROP);
	for (i = 0; o->strip && i < b.n; i++)
		if (bt_char_class(o->school, b.c[i]) != 0)
			e |= BT_ACT_MOVES;
	if (b.n == 1 && b.c[0] == c)
		return e | BT_ACT_SAME;
	return e | add_replacement(&b, pool);
}

/* Ranges of pages whose characters are all like those of the page before:
 * ideographs, private use, what is in no version of Unicode. */
static const struct bt_range dull[] = {
    {0x3480, 0x4d7f},   {0x4e80, 0x9f7f},   {0xd880, 0xdfff},
    {0xe080, 0xf87f},   {0x12080, 0x1237f}, {0x13080, 0x133ff},
    {0x17080, 0x1877f}, {0x20080, 0x2a67f}, {0x2a780, 0x2b77f},
    {0x2ba00, 0x2ce7f}, {0x2cf80, 0x2f7ff}, {0x2fb00, 0xdffff},
    {0xe0280, 0xeffff}, {0xf0080, 0xfff7f}, {0x100080, 0x10ff7f}};

static bool is_dull(uint32_t first)
{
	size_t i;

	for (i = 0; i < sizeof(dull) / sizeof(dull[0]); i++)
		if (first >= dull[i].first && first <= dull[i].last)
			return true;
	return false;
}

static int fill_pages(struct bt_bert_normalizer *m, struct bt_buf *table,
                      struct bt_buf *pool)
{
	uint32_t entry[BT_BERT_NORMALIZER_PAGE], c, first;
	uint8_t props[BT_BERT_NORMALIZER_PAGE];
	bool plain[BT_BERT_NORMALIZER_PAGE];
	size_t pages = 0, i;

	for (first = 0; first <= LAST_CHAR; first += BT_BERT_NORMALIZER_PAGE) {
		if (!is_dull(first)) {
			bt_char_props(m->opts.school, first,
			              BT_BERT_NORMALIZER_PAGE, props);
			bt_char_plain(m->opts.school, first,
			              BT_BERT_NORMALIZER_PAGE, plain);
			for (i = 0; i < BT_BERT_NORMALIZER_PAGE; i++) {
				c = first + (uint32_t)i;
				entry[i] = make_action(&m->opts, c, props[i],
				                       plain[i], pool) |
				           kind_of(props[i]);
			}
			if (pages == 0 ||
			    memcmp(table->data + table->len - sizeof(entry),
			           entry, sizeof(entry)) != 0) {
				bt_buf_put(table, entry, sizeof(entry));
				pages++;
			}
			if (table->oom || pool->oom)
				return BT_ENOMEM;
		}
		m->page[first / BT_BERT_NORMALIZER_PAGE] =
		    (uint16_t)(pages - 1);
	}
	return BT_OK;
}

static void fill_ascii(struct bt_bert_normalizer *m)
{
	uint32_t e;
	int c;

	memset(m->ascii, BT_ASCII_NONE, sizeof(m->ascii));
	for (c = 0; c < 128; c++) {
		e = bt_bert_normalizer_entry(m, (uint32_t)c);
		m->kind[c] = e & 3;
		switch (e & BT_ACT_MASK) {
		case BT_ACT_SAME:
			m->ascii[c] = (uint8_t)c;
			break;
		case BT_ACT_SPACE:
			m->ascii[c] = ' ';
			break;
		case BT_ACT_REPLACE: /* a capital letter, by one byte */
			m->ascii[c] = m->pool[(e >> BT_ACT_POOL) + 1];
			break;
		default:
			m->ascii[c] = BT_ASCII_DROP;
		}
	}
	m->ascii_lower = m->opts.lower;
}

int bt_bert_normalizer_new(const struct bt_bert_normalizer_opts *opts,
                           struct bt_bert_normalizer **norm,
                           struct bt_error *err)
{
	struct bt_buf table = BT_BUF_INIT, pool = BT_BUF_INIT;
	struct bt_bert_normalizer *m = bt_array0(1, sizeof(*m));

	if (m == NULL)
		return bt_error_nomem(err, "making character tables");
	m->opts = *opts;
	if (fill_pages(m, &table, &pool) != BT_OK) {
		bt_buf_clear(&table);
		bt_buf_clear(&pool);
		bt_bert_normalizer_free(m);
		return bt_error_nomem(err, "making character tables");
	}
	m->entry = (uint32_t *)(void *)table.data;
	m->pool = (uint8_t *)pool.data;
	fill_ascii(m);
	*norm = m;
	return BT_OK;
}

void bt_bert_normalizer_free(struct bt_bert_normalizer *m)
{
	if (m == NULL)
		return;
	free(m->entry);
	free(m->pool);
	free(m);
}
