/* SPDX-License-Identifier: MIT */
/*
 * Where characters come from that canonical ordering moved: as the `tokenizers`
 * package has it, which orders all marks, those to be dropped among them, gives
 * the places out in the new order, and drops marks then.
 */
#include "tokenizer/bert_normalizer_int.h"

#include <stdlib.h>

#include "base/mem.h"
#include "unicode/nfd_hf.h"

struct item {
	uint32_t c;
	uint32_t src; /* of the place, not of the character */
	uint32_t nth; /* keeps sorting stable */
	uint8_t class;
	bool more; /* not the first of what one character became */
};

static int by_class(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return (x->nth > y->nth) - (x->nth < y->nth);
}

static bool is_dropped(const struct bt_bert_normalizer *m, uint32_t c)
{
	return (bt_bert_normalizer_entry(m, c) & BT_ACT_MASK) == BT_ACT_DROP;
}

/* The character before the marks that stand in front of p. */
static const uint8_t *go_back(const struct bt_bert_normalizer *m,
                              const uint8_t *p, const uint8_t *from)
{
	uint32_t c;

	while (p > from) {
		p = bt_utf8_back(p);
		c = bt_utf8_get(p);
		if (!is_dropped(m, c))
			break;
	}
	return p;
}

/* Lists what raw[from .. to-1] is decomposed to; returns the number. */
static size_t list(const struct bt_bert_normalizer *m, const uint8_t *raw,
                   const uint8_t *from, const uint8_t *to, struct item *item)
{
	uint32_t part[BT_CHAR_DECOMPOSE_MAX], c;
	const uint8_t *p;
	size_t n = 0;
	int parts, i;

	for (p = from; p < to; p += bt_utf8_len(*p)) {
		c = bt_utf8_get(p);
		if (is_dropped(m, c) && bt_char_order(c) == 0)
			continue; /* when the text was cleaned */
		parts = bt_char_decompose(BT_CHAR_DIALECT_HF, c, part);
		for (i = 0; i < parts; i++, n++) {
			item[n].c = part[i];
			item[n].src = (uint32_t)(p - raw);
			item[n].nth = (uint32_t)n;
			item[n].class = (uint8_t)bt_char_order(part[i]);
			item[n].more = i > 0;
		}
	}
	return n;
}

/* Sorts what lies between characters of class 0; places stay where they are,
 * but are given to whole characters only. */
static void order(struct item *item, size_t n, uint32_t *place)
{
	size_t places = 0, next = 0, i, k;

	for (i = 0; i < n; i++)
		if (!item[i].more)
			place[places++] = item[i].src;
	for (i = 0; i < n; i = k + 1) {
		for (k = i; k < n && item[k].class != 0; k++)
			;
		if (k > i + 1)
			qsort(item + i, k - i, sizeof(*item), by_class);
	}
	for (i = 0; i < n; i++) {
		if (!item[i].more)
			next++;
		item[i].src = place[next > 0 ? next - 1 : 0];
	}
}

/* Sets the places in the output, from its end back to at. */
static void hand_out(const struct bt_bert_normalizer *m,
                     const struct item *item, size_t n,
                     struct bt_offset_text *out, size_t at)
{
	uint32_t low[BT_CHAR_LOWER_MAX];
	size_t end = out->n, start, i;
	uint8_t props;
	int k;

	while (n-- > 0 && end > at) {
		bt_char_props(BT_CHAR_DIALECT_HF, item[n].c, 1, &props);
		if (props & BT_CHAR_IS_MARK)
			continue;
		k = m->opts.lower
		        ? bt_char_lower(BT_CHAR_DIALECT_HF, item[n].c, low)
		        : 1;
		for (; k > 0 && end > at; k--, end = start) {
			start =
			    (size_t)(bt_utf8_back(out->text + end) - out->text);
			for (i = start; i < end; i++)
				out->src[i] = item[n].src;
		}
	}
}

int bt_bert_normalizer_place(const struct bt_bert_normalizer *m,
                             const uint8_t *raw, const uint8_t *from,
                             const uint8_t *p, const uint8_t *end,
                             struct bt_offset_text *out, size_t at)
{
	size_t most;
	struct item *item;
	uint32_t *place;

	p = go_back(m, p, from);
	most = (size_t)(end - p) * 2; /* no character has more a byte */
	item = bt_array(most, sizeof(*item));
	place = bt_array(most, sizeof(*place));
	if (item != NULL && place != NULL) {
		most = list(m, raw, p, end, item);
		order(item, most, place);
		hand_out(m, item, most, out, at);
	}
	free(place);
	free(item);
	return item != NULL && place != NULL ? BT_OK : BT_ENOMEM;
}
