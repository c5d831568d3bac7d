/* SPDX-License-Identifier: MIT */
/* Classes lie in pages, of which most of Unicode shares one that is empty. */
#include "unicode/grapheme.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "unicode/grapheme_int.h"

#define PAGE BT_GRAPHEME_PAGE
#define PAGES 256 /* as many as the numbers in page[] can tell apart */
#define HANGUL_FIRST 0xac00u
#define HANGUL_LAST 0xd7a3u
#define HANGUL_T 28 /* syllables of the same first two letters */

static int add_range(struct bt_graphemes *g, const struct bt_gc_range *r,
                     size_t *pages)
{
	uint32_t c;
	uint8_t *page;

	for (c = r->first; c <= r->last; c++) {
		page = &g->page[c / PAGE];
		if (*page == 0) {
			if (*pages == PAGES)
				return BT_ELIMIT;
			*page = (uint8_t)(*pages)++;
		}
		g->gc[*page][c % PAGE] = r->gc;
	}
	return BT_OK;
}

/* Makes equal pages one. */
static void share_pages(struct bt_graphemes *g, size_t pages)
{
	uint8_t same[PAGES] = {0};
	size_t i, k;

	for (i = 0; i < pages; i++) {
		for (k = 0; k < i; k++)
			if (memcmp(g->gc[k], g->gc[i], PAGE) == 0)
				break;
		same[i] = (uint8_t)k;
	}
	for (i = 0; i < sizeof(g->page); i++)
		g->page[i] = same[g->page[i]];
}

int bt_graphemes_init(struct bt_graphemes *g, struct bt_error *err)
{
	size_t i, pages = 1;
	int r = BT_OK;

	memset(g, 0, sizeof(*g));
	g->gc = bt_array0(PAGES, PAGE);
	if (g->gc == NULL)
		return bt_error_nomem(err, "making character tables");
	for (i = 0; r == BT_OK && i < bt_hf_gc_n; i++)
		r = add_range(g, &bt_hf_gc[i], &pages);
	if (r != BT_OK) {
		bt_graphemes_clear(g);
		return bt_error_set(err, r, "too many classes of characters");
	}
	share_pages(g, pages);
	return BT_OK;
}

void bt_graphemes_clear(struct bt_graphemes *g)
{
	free(g->gc);
	g->gc = NULL;
}

static unsigned class_of(const struct bt_graphemes *g, uint32_t c)
{
	if (c >= HANGUL_FIRST && c <= HANGUL_LAST)
		return (c - HANGUL_FIRST) % HANGUL_T == 0 ? BT_GC_LV
		                                          : BT_GC_LVT;
	return g->gc[g->page[c / PAGE]][c % PAGE];
}

/* What is to be known of the characters before. */
struct state {
	unsigned before;  /* class of the last one */
	bool odd_ri;      /* an odd number of regional indicators up to it */
	bool picture;     /* a picture and what extends it */
	bool consonant;   /* a consonant and what joins it to the next */
	bool linked;      /* a linker among those */
	bool picture_zwj; /* a picture, then a joiner at the end */
};

static void pass(struct state *s, unsigned gc)
{
	unsigned k = gc & BT_GC_MASK;

	s->odd_ri = k == BT_GC_RI && !s->odd_ri;
	s->picture_zwj = s->picture && k == BT_GC_ZWJ;
	s->picture =
	    (gc & BT_GC_PICTURE) != 0 || (s->picture && k == BT_GC_EXTEND);
	if (gc & BT_GC_CONSONANT) {
		s->consonant = true;
		s->linked = false;
	} else if (gc & BT_GC_LINKER) {
		s->linked = s->consonant;
	} else if (!(gc & BT_GC_JOINER)) {
		s->consonant = s->linked = false;
	}
	s->before = gc;
}

static bool hangul_joins(unsigned a, unsigned b)
{
	switch (a) {
	case BT_GC_L:
		return b == BT_GC_L || b == BT_GC_V || b == BT_GC_LV ||
		       b == BT_GC_LVT;
	case BT_GC_V:
	case BT_GC_LV:
		return b == BT_GC_V || b == BT_GC_T;
	case BT_GC_T:
	case BT_GC_LVT:
		return b == BT_GC_T;
	default:
		return false;
	}
}

/* True if no cluster ends before a character of class gc: rules GB3 to GB13. */
static bool joins(const struct state *s, unsigned gc)
{
	unsigned a = s->before & BT_GC_MASK, b = gc & BT_GC_MASK;

	if (a == BT_GC_CR && b == BT_GC_LF)
		return true;
	if ((a >= BT_GC_CR && a <= BT_GC_CONTROL) ||
	    (b >= BT_GC_CR && b <= BT_GC_CONTROL))
		return false;
	if (b == BT_GC_EXTEND || b == BT_GC_ZWJ || b == BT_GC_SPACING ||
	    a == BT_GC_PREPEND || hangul_joins(a, b))
		return true;
	if ((gc & BT_GC_CONSONANT) && s->linked)
		return true;
	if ((gc & BT_GC_PICTURE) && s->picture_zwj)
		return true;
	return b == BT_GC_RI && s->odd_ri;
}

size_t bt_grapheme_len(const struct bt_graphemes *g, const uint8_t *text,
                       size_t at, size_t end)
{
	struct state s = {0};
	size_t to = at;
	unsigned gc = class_of(g, bt_utf8_get(text + to));

	do {
		pass(&s, gc);
		to += bt_utf8_len(text[to]);
		if (to == end)
			break;
		gc = class_of(g, bt_utf8_get(text + to));
	} while (joins(&s, gc));
	return to - at;
}
