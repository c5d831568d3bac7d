/* SPDX-License-Identifier: MIT */
#include "unicode/split_char_class.h"

#include <utf8proc.h>

#include "base/mem.h"

/* Hangul syllables are composed by arithmetic. */
#define L_BASE 0x1100u
#define V_BASE 0x1161u
#define T_BASE 0x11a7u
#define S_BASE 0xac00u
#define L_COUNT 19u
#define V_COUNT 21u
#define T_COUNT 28u

uint32_t bt_char_compose(uint32_t a, uint32_t b)
{
	utf8proc_int32_t pair[3] = {(utf8proc_int32_t)a, (utf8proc_int32_t)b,
	                            0};
	uint32_t c;

	if (a - L_BASE < L_COUNT && b - V_BASE < V_COUNT)
		return S_BASE + ((a - L_BASE) * V_COUNT + b - V_BASE) * T_COUNT;
	if (a - S_BASE < L_COUNT * V_COUNT * T_COUNT &&
	    (a - S_BASE) % T_COUNT == 0 && b > T_BASE && b < T_BASE + T_COUNT)
		return a + b - T_BASE;
	if (b < 0x300 || utf8proc_normalize_utf32(
	                     pair, 2, UTF8PROC_COMPOSE | UTF8PROC_STABLE) != 1)
		return 0;
	c = (uint32_t)pair[0];
	return bt_range_has(bt_hf_whole, bt_hf_whole_n, c) ? 0 : c;
}

static void paint(uint8_t *table, const struct bt_range *r, size_t n, int bit)
{
	size_t i;
	uint32_t c;

	for (i = 0; i < n; i++)
		for (c = r[i].first; c <= r[i].last; c++)
			table[c] |= (uint8_t)bit;
}

uint8_t *bt_split_table(void)
{
	static const struct bt_range white[] = {
	    {0x9, 0xd},       {0x20, 0x20},     {0x85, 0x85},
	    {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
	    {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f},
	    {0x3000, 0x3000}};
	uint8_t *t = bt_array0(BT_SPLIT_CHARS, 1);

	if (t == NULL)
		return NULL;
	paint(t, white, sizeof(white) / sizeof(*white), BT_SPLIT_WHITE);
	paint(t, bt_hf_letters, bt_hf_letters_n, BT_SPLIT_LETTER);
	paint(t, bt_hf_numbers, bt_hf_numbers_n, BT_SPLIT_NUMBER);
	paint(t, bt_hf_late_numbers, bt_hf_late_numbers_n, BT_SPLIT_LATE);
	paint(t, bt_hf_punct, bt_hf_punct_n, BT_SPLIT_PUNCT);
	paint(t, bt_hf_active, bt_hf_active_n, BT_SPLIT_ACTIVE);
	return t;
}
