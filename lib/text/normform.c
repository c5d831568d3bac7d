/* SPDX-License-Identifier: MIT */
/* The decomposing normal forms of Unicode, NFD and NFKD. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/charcompat.h"
#include "text/steps_int.h"
#include "text/utf8.h"

struct form {
	struct bt_norm part;
	bool compat;
};

/* A character of a class other than 0, which may have to move. */
struct mark {
	uint32_t c, src;
	size_t place;
	unsigned order;
};

struct run {
	struct bt_normed *out;
	struct mark *mark; /* those since the last character of class 0 */
	size_t n, cap;
};

static int compare(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static int write(struct run *r, uint32_t c, uint32_t src)
{
	uint8_t s[4];

	if (bt_normed_room(r->out, sizeof(s)) != BT_OK ||
	    r->out->n + sizeof(s) > INT32_MAX)
		return BT_ENOMEM;
	bt_normed_put(r->out, s, bt_utf8_put(s, c), src);
	return BT_OK;
}

static int flush(struct run *r)
{
	size_t i;

	if (r->n > 1)
		qsort(r->mark, r->n, sizeof(*r->mark), compare);
	for (i = 0; i < r->n; i++)
		if (write(r, r->mark[i].c, r->mark[i].src) != BT_OK)
			return BT_ENOMEM;
	r->n = 0;
	return BT_OK;
}

static int take(struct run *r, uint32_t c, uint32_t src)
{
	unsigned order = bt_char_order(c);

	if (order == 0)
		return flush(r) == BT_OK ? write(r, c, src) : BT_ENOMEM;
	if (bt_grow(&r->mark, &r->cap, r->n + 1, sizeof(*r->mark)) != BT_OK)
		return BT_ENOMEM;
	r->mark[r->n] = (struct mark){c, src, r->n, order};
	r->n++;
	return BT_OK;
}

static bool is_ascii(const uint8_t *text, size_t from, size_t to)
{
	for (; from < to; from++)
		if (text[from] >= 0x80)
			return false;
	return true;
}

static int form_run(const struct bt_norm *norm, const uint8_t *text,
                    size_t from, size_t to, struct bt_normed *out)
{
	bool compat = ((const struct form *)norm)->compat;
	uint32_t with[BT_CHAR_COMPAT_MAX], c;
	struct run r = {.out = out};
	size_t at;
	int n, i, ret = BT_OK;

	if (is_ascii(text, from, to))
		return BT_NORM_SAME;
	for (at = from; ret == BT_OK && at < to; at += bt_utf8_len(text[at])) {
		c = bt_utf8_get(text + at);
		n = compat ? bt_char_compat(c, with)
		           : bt_char_decompose(BT_SCHOOL_HF, c, with);
		for (i = 0; ret == BT_OK && i < n; i++)
			ret = take(&r, with[i], (uint32_t)at);
	}
	if (ret == BT_OK)
		ret = flush(&r);
	free(r.mark);
	return ret;
}

static void part_free(struct bt_norm *part)
{
	free(part);
}

int bt_norm_decompose(bool compat, struct bt_norm **norm, struct bt_error *err)
{
	static const struct bt_norm_ops ops = {form_run, part_free};
	struct form *f = bt_array0(1, sizeof(*f));

	if (f == NULL)
		return bt_error_nomem(err, "opening a tokenizer");
	f->part.ops = &ops;
	f->compat = compat;
	*norm = &f->part;
	return BT_OK;
}
