/* SPDX-License-Identifier: MIT */
/* Normalising a text with the table. */
#include "tokenizer/bert_normalizer_int.h"

#include <string.h>

#include "unicode/simd16.h"

/* A text while it is normalised. */
struct run {
	const struct bt_bert_normalizer *m;
	const uint8_t *raw, *from, *end;
	struct bt_offset_text *out;
	size_t moved_from; /* output from here on may be out of order ... */
	const uint8_t *moved_raw; /* which came of what begins here ... */
	bool moved;               /* ... if this is set */
};

static void put(struct run *r, const uint8_t *s, size_t n, const uint8_t *src)
{
	bt_offset_text_put(r->out, s, n, (size_t)(src - r->raw));
}

static unsigned class_at(const struct run *r, size_t at)
{
	return bt_char_class(r->m->opts.school, bt_utf8_get(r->out->text + at));
}

/* Sorts the characters of text[at .. end-1], none of class 0, by their class;
 * those of equal class keep their order. The room behind the text is used. */
static void sort_classes(struct run *r, size_t at, size_t end)
{
	struct bt_offset_text *out = r->out;
	size_t n = end - at, copy = out->n, i, len;
	unsigned k = 0, next;

	memcpy(out->text + copy, out->text + at, n);
	if (out->want_src)
		memcpy(out->src + copy, out->src + at, n * sizeof(*out->src));
	while (at < end) {
		/* the smallest class above k, then its characters */
		next = 256;
		for (i = 0; i < n; i += bt_utf8_len(out->text[copy + i])) {
			unsigned c = class_at(r, copy + i);

			if (c > k && c < next)
				next = c;
		}
		k = next;
		for (i = 0; i < n; i += len) {
			len = bt_utf8_len(out->text[copy + i]);
			if (class_at(r, copy + i) != k)
				continue;
			memmove(out->text + at, out->text + copy + i, len);
			if (out->want_src)
				memmove(out->src + at, out->src + copy + i,
				        len * sizeof(*out->src));
			at += len;
		}
	}
}

/* Brings what may be out of order into canonical order; p is how far the text
 * was read. */
static int settle(struct run *r, const uint8_t *p)
{
	struct bt_offset_text *out = r->out;
	size_t at = r->moved_from, end = out->n, start;
	unsigned k, last;
	bool sorted;

	r->moved = false;
	out->ordered = false;
	while (at < end) {
		last = class_at(r, at);
		start = at;
		sorted = true;
		at += bt_utf8_len(out->text[at]);
		while (last != 0 && at < end && (k = class_at(r, at)) != 0) {
			sorted = sorted && k >= last;
			last = k;
			at += bt_utf8_len(out->text[at]);
		}
		if (sorted)
			continue;
		if (bt_offset_text_room(out, at - start) != BT_OK)
			return BT_ENOMEM;
		sort_classes(r, start, at);
	}
	if (!out->want_src || r->m->opts.school != BT_CHAR_DIALECT_HF)
		return BT_OK;
	return bt_bert_normalizer_place(r->m, r->raw, r->from, r->moved_raw, p,
	                                out, r->moved_from);
}

/* Copies what can be printed from p on, sixteen by sixteen; returns how much.
 */
static size_t run_sixteens(const struct run *r, const uint8_t *p, uint8_t *to,
                           uint32_t *src)
{
	size_t n = (size_t)(r->end - p), done = 0, i;
	bool lower = r->m->ascii_lower;

	while (done + 16 <= n && bt_simd16_copy(p + done, lower, to + done))
		done += 16;
	/* the last ones together with some that were copied before */
	if (done + 16 > n && n >= 16 &&
	    bt_simd16_copy(p + n - 16, lower, to + n - 16))
		done = n;
	for (i = 0; src != NULL && i < done; i++)
		src[i] = (uint32_t)((size_t)(p - r->raw) + i);
	return done;
}

/* Copies a run of bytes below 0x80; returns where it ends. These are of class
 * 0: what may be out of order before them need not be settled at once. */
static const uint8_t *run_ascii(struct run *r, const uint8_t *p)
{
	const uint8_t *map = r->m->ascii;
	struct bt_offset_text *out = r->out;
	uint8_t *to = out->text + out->n, c;
	uint32_t *src = out->want_src ? out->src + out->n : NULL;
	size_t n = run_sixteens(r, p, to, src);

	to += n;
	if (src != NULL)
		src += n;
	for (p += n; p < r->end; p++) {
		c = map[*p];
		if (c >= BT_ASCII_NONE) {
			if (c == BT_ASCII_NONE)
				break;
			continue;
		}
		*to++ = c;
		if (src != NULL)
			*src++ = (uint32_t)(p - r->raw);
	}
	out->n = (size_t)(to - out->text);
	return p;
}

/* True where words are cut in front of or behind the character. */
static bool ends_word(const struct bt_bert_normalizer *m, uint32_t c)
{
	uint32_t e = bt_bert_normalizer_entry(m, c);

	if ((e & BT_ACT_MASK) == BT_ACT_DROP)
		return false;
	return (e & BT_ACT_MASK) == BT_ACT_SPACE || (e & 3) == BT_CHAR_WHITE ||
	       e & BT_ACT_PAD;
}

/* Passed over by the rule of the final sigma: what cleaning removes, too. */
static bool is_passed(const struct bt_bert_normalizer *m, uint32_t c)
{
	uint8_t props;

	if (bt_char_is_case_ignorable(c))
		return true;
	bt_char_props(m->opts.school, c, 1, &props);
	return m->opts.clean && props & BT_CHAR_IS_CONTROL;
}

/* Unicode's rule Final_Sigma: a letter with case before it in the word, none
 * behind it. */
static bool is_final_sigma(const struct run *r, const uint8_t *p)
{
	const uint8_t *q = p;
	uint32_t c = 0;
	bool cased = false;

	while (q > r->from) {
		q = bt_utf8_back(q);
		c = bt_utf8_get(q);
		cased = !ends_word(r->m, c) && bt_char_is_cased(c);
		if (ends_word(r->m, c) || !is_passed(r->m, c))
			break;
		cased = false;
	}
	if (!cased)
		return false;
	for (q = p + bt_utf8_len(*p); q < r->end; q += bt_utf8_len(*q)) {
		c = bt_utf8_get(q);
		if (ends_word(r->m, c))
			return true;
		if (!is_passed(r->m, c))
			return !bt_char_is_cased(c);
	}
	return true;
}

/* Normalises one character that is not ASCII; len is its length. */
static int run_other(struct run *r, const uint8_t *p, unsigned len)
{
	uint32_t e = bt_bert_normalizer_entry(r->m, bt_utf8_get(p));
	static const uint8_t space = ' ';
	const uint8_t *s;
	uint8_t sigma[4];
	unsigned n;

	if (r->moved && !(e & BT_ACT_MOVES) &&
	    (e & BT_ACT_MASK) != BT_ACT_DROP && settle(r, p) != BT_OK)
		return BT_ENOMEM;
	if (e & BT_ACT_MOVES && !r->moved) {
		r->moved = true;
		r->moved_from = r->out->n;
		r->moved_raw = p;
	}
	if (e & BT_ACT_PAD)
		put(r, &space, 1, p);
	switch (e & BT_ACT_MASK) {
	case BT_ACT_SAME:
		put(r, p, len, p);
		break;
	case BT_ACT_SPACE:
		put(r, &space, 1, p);
		break;
	case BT_ACT_REPLACE:
		s = r->m->pool + (e >> BT_ACT_POOL);
		put(r, s + 1, *s, p);
		break;
	case BT_ACT_SIGMA:
		n = bt_utf8_put(sigma, BT_FINAL_SIGMA + !is_final_sigma(r, p));
		put(r, sigma, n, p);
		break;
	default:
		break;
	}
	if (e & BT_ACT_PAD)
		put(r, &space, 1, p);
	return BT_OK;
}

int bt_bert_normalizer_run(const struct bt_bert_normalizer *m,
                           const uint8_t *raw, size_t from, size_t to,
                           struct bt_offset_text *out)
{
	struct run r = {m, raw, raw + from, raw + to, out, 0, NULL, false};
	const uint8_t *p = r.from;
	unsigned len;

	out->n = 0;
	out->ordered = true;
	while (p < r.end) {
		if (bt_offset_text_room(out, (size_t)(r.end - p) +
		                                 BT_NORM_MOST_BYTES) != BT_OK)
			return BT_ENOMEM;
		p = run_ascii(&r, p);
		if (p == r.end)
			break;
		len = bt_utf8_len(*p);
		if (run_other(&r, p, len) != BT_OK)
			return BT_ENOMEM;
		p += len;
	}
	return r.moved ? settle(&r, p) : BT_OK;
}
