/* SPDX-License-Identifier: MIT */
/* Classes of characters for the rules of Unicode Standard Annex 29. */
#ifndef BT_UNICODE_GRAPHEME_INT_H
#define BT_UNICODE_GRAPHEME_INT_H

#include <stddef.h>
#include <stdint.h>

enum bt_gc {
	BT_GC_OTHER,
	BT_GC_CR,
	BT_GC_LF,
	BT_GC_CONTROL,
	BT_GC_EXTEND,
	BT_GC_ZWJ,
	BT_GC_SPACING,
	BT_GC_PREPEND,
	BT_GC_L,
	BT_GC_V,
	BT_GC_T,
	BT_GC_LV,
	BT_GC_LVT,
	BT_GC_RI,
	BT_GC_MASK = 15,
	/* and bits beside these */
	BT_GC_PICTURE = 16,   /* Extended_Pictographic */
	BT_GC_CONSONANT = 32, /* Indic_Conjunct_Break */
	BT_GC_LINKER = 64,
	BT_GC_JOINER = 128 /* Indic_Conjunct_Break=Extend */
};

struct bt_gc_range {
	uint32_t first, last;
	uint8_t gc;
};

/* In the order of code points (table_grapheme.c). */
extern const struct bt_gc_range bt_hf_gc[];
extern const size_t bt_hf_gc_n;

#endif
