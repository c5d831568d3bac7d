/* SPDX-License-Identifier: MIT */
#include "tokenizer/regex_fold_int.h"

#include <utf8proc.h>

#define LAST 0xffff /* none beyond is several */
#define MOST 4      /* that one is */

/* What c is, without its case; returns how many. */
static utf8proc_ssize_t fold(uint32_t c, utf8proc_int32_t to[MOST])
{
	utf8proc_ssize_t n = utf8proc_decompose_char(
	    (utf8proc_int32_t)c, to, MOST, UTF8PROC_CASEFOLD, NULL);

	if (n < 1 || n > MOST) {
		to[0] = (utf8proc_int32_t)c;
		n = 1;
	}
	return n;
}

static void list(struct bt_folds *f)
{
	utf8proc_int32_t to[MOST];
	uint32_t c;

	for (c = 0x80; c <= LAST && f->n < BT_REGEX_FOLDS_MAX; c++)
		if (fold(c, to) > 1)
			f->fold[f->n++] = (struct bt_fold){c, (uint32_t)to[0],
			                                   (uint32_t)to[1]};
}

bool bt_folds_have(struct bt_folds *f, uint32_t low, uint32_t high)
{
	size_t i;

	if (f->n == 0)
		list(f);
	for (i = 0; i < f->n; i++)
		if (f->fold[i].c >= low && f->fold[i].c <= high)
			return true;
	return false;
}

bool bt_folds_begin(struct bt_folds *f, uint32_t a, uint32_t b)
{
	utf8proc_int32_t x[MOST], y[MOST];
	size_t i;

	if (f->n == 0)
		list(f);
	fold(a, x);
	fold(b, y);
	for (i = 0; i < f->n; i++)
		if (f->fold[i].first == (uint32_t)x[0] &&
		    f->fold[i].second == (uint32_t)y[0])
			return true;
	return false;
}
