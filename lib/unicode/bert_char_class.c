/* SPDX-License-Identifier: MIT */
#include "unicode/bert_char_class.h"

#include <string.h>
#include <utf8proc.h>

#if UTF8PROC_VERSION_MAJOR * 100 + UTF8PROC_VERSION_MINOR < 207
#error "libutf8proc 2.7 (Unicode 14) or newer is needed"
#endif

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct bt_range white[] = {
    {0x9, 0xd},       {0x20, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},
    {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
    {0x205f, 0x205f}, {0x3000, 0x3000}};

/* Ideographs, as Google's code lists them. */
static const struct bt_range cjk[] = {{0x3400, 0x4dbf},   {0x4e00, 0x9fff},
                                      {0xf900, 0xfaff},   {0x20000, 0x2a6df},
                                      {0x2a700, 0x2b81f}, {0x2b820, 0x2ceaf},
                                      {0x2f800, 0x2fa1f}};

/* Characters with case outside the categories Lu, Ll, Lt: the properties
 * Other_Lowercase and Other_Uppercase. */
static const struct bt_range other_case[] = {
    {0xaa, 0xaa},       {0xba, 0xba},       {0x2b0, 0x2b8},
    {0x2c0, 0x2c1},     {0x2e0, 0x2e4},     {0x345, 0x345},
    {0x37a, 0x37a},     {0x1d2c, 0x1d6a},   {0x1d78, 0x1d78},
    {0x1d9b, 0x1dbf},   {0x2071, 0x2071},   {0x207f, 0x207f},
    {0x2090, 0x209c},   {0x2160, 0x217f},   {0x24b6, 0x24e9},
    {0x2c7c, 0x2c7d},   {0xa69c, 0xa69d},   {0xa770, 0xa770},
    {0xa7f8, 0xa7f9},   {0xab5c, 0xab5f},   {0x10780, 0x10780},
    {0x10783, 0x10785}, {0x10787, 0x107b0}, {0x107b2, 0x107ba},
    {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}};

/* Word_Break = MidLetter, MidNumLet or Single_Quote. */
static const struct bt_range mid_word[] = {
    {0x27, 0x27},     {0x2e, 0x2e},     {0x3a, 0x3a},     {0xb7, 0xb7},
    {0x387, 0x387},   {0x55f, 0x55f},   {0x5f4, 0x5f4},   {0x2018, 0x2019},
    {0x2024, 0x2024}, {0x2027, 0x2027}, {0xfe13, 0xfe13}, {0xfe52, 0xfe52},
    {0xfe55, 0xfe55}, {0xff07, 0xff07}, {0xff0e, 0xff0e}, {0xff1a, 0xff1a}};

/* The first range that does not end before c. */
static size_t search(const struct bt_range *r, size_t n, uint32_t c)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (c > r[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool bt_range_has(const struct bt_range *r, size_t n, uint32_t c)
{
	size_t i = search(r, n, c);

	return i < n && c >= r[i].first;
}

static const struct bt_shift *find(const struct bt_shift *s, size_t n,
                                   uint32_t c)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (c > s[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && c >= s[lo].first ? &s[lo] : NULL;
}

static utf8proc_category_t category(uint32_t c)
{
	return utf8proc_category((utf8proc_int32_t)c);
}

static bool is_ascii_punct(uint32_t c)
{
	return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) ||
	       (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
}

static bool is_line_blank(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r';
}

static uint8_t google_props(uint32_t c)
{
	utf8proc_category_t k = category(c);
	int p = 0;

	if (c == 0 || c == 0xfffd ||
	    ((k == UTF8PROC_CATEGORY_CC || k == UTF8PROC_CATEGORY_CF) &&
	     !is_line_blank(c)))
		p |= BT_CHAR_IS_CONTROL;
	if ((k >= UTF8PROC_CATEGORY_PC && k <= UTF8PROC_CATEGORY_PO) ||
	    is_ascii_punct(c))
		p |= BT_CHAR_IS_PUNCT;
	if (k == UTF8PROC_CATEGORY_MN)
		p |= BT_CHAR_IS_MARK;
	if (k == UTF8PROC_CATEGORY_ZS || is_line_blank(c))
		p |= BT_CHAR_IS_BLANK;
	if (c >= 0x1c && c <= 0x1f) /* white space to Python */
		p |= BT_CHAR_IS_WHITE;
	return (uint8_t)p;
}

/* Sets bits in props, which begins at the character first, for those of its n
 * characters that the ranges cover. */
static void paint(const struct bt_range *r, size_t ranges, uint32_t first,
                  size_t n, int bits, uint8_t *props)
{
	uint32_t end = first + (uint32_t)n, c;
	size_t i;

	for (i = search(r, ranges, first); i < ranges && r[i].first < end; i++)
		for (c = r[i].first < first ? first : r[i].first;
		     c <= r[i].last && c < end; c++)
			props[c - first] |= (uint8_t)bits;
}

void bt_char_props(enum bt_char_dialect school, uint32_t first, size_t n,
                   uint8_t *props)
{
	size_t i;

	memset(props, 0, n);
	paint(white, COUNT(white), first, n, BT_CHAR_IS_WHITE, props);
	paint(cjk, COUNT(cjk), first, n, BT_CHAR_IS_CJK, props);
	if (school == BT_CHAR_DIALECT_GOOGLE) {
		for (i = 0; i < n; i++)
			props[i] |= google_props(first + (uint32_t)i);
		return;
	}
	paint(white, COUNT(white), first, n, BT_CHAR_IS_BLANK, props);
	paint(bt_hf_dropped, bt_hf_dropped_n, first, n, BT_CHAR_IS_CONTROL,
	      props);
	paint(bt_hf_punct, bt_hf_punct_n, first, n, BT_CHAR_IS_PUNCT, props);
	paint(bt_hf_marks, bt_hf_marks_n, first, n, BT_CHAR_IS_MARK, props);
	/* the fast tokenizers begin the range 2B820-2CEAF at 2B920 */
	for (i = 0; i < n; i++)
		if (first + i >= 0x2b820 && first + i < 0x2b920)
			props[i] &= (uint8_t)~BT_CHAR_IS_CJK;
}

unsigned bt_char_class(enum bt_char_dialect school, uint32_t c)
{
	const struct bt_shift *s;

	if (school == BT_CHAR_DIALECT_GOOGLE)
		return (unsigned)utf8proc_get_property((utf8proc_int32_t)c)
		    ->combining_class;
	s = find(bt_hf_classes, bt_hf_classes_n, c);
	return s != NULL ? (unsigned)s->by : 0;
}

int bt_char_lower(enum bt_char_dialect school, uint32_t c,
                  uint32_t out[BT_CHAR_LOWER_MAX])
{
	const struct bt_shift *s = NULL;

	if (c == 0x130) { /* the only one that becomes two */
		out[0] = 'i';
		out[1] = 0x307;
		return 2;
	}
	if (school == BT_CHAR_DIALECT_HF)
		s = find(bt_hf_lower, bt_hf_lower_n, c);
	if (s != NULL)
		out[0] = (uint32_t)((int32_t)c + s->by);
	else
		out[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
	return 1;
}

int bt_char_decompose(enum bt_char_dialect school, uint32_t c,
                      uint32_t out[BT_CHAR_DECOMPOSE_MAX])
{
	utf8proc_int32_t to[BT_CHAR_DECOMPOSE_MAX];
	utf8proc_ssize_t n, i;

	out[0] = c;
	if (c < 0xc0 || (school == BT_CHAR_DIALECT_HF &&
	                 bt_range_has(bt_hf_whole, bt_hf_whole_n, c)))
		return 1;
	n = utf8proc_decompose_char((utf8proc_int32_t)c, to,
	                            BT_CHAR_DECOMPOSE_MAX, UTF8PROC_DECOMPOSE,
	                            NULL);
	if (n < 1 || n > BT_CHAR_DECOMPOSE_MAX)
		return 1; /* the longest one of Unicode has four */
	for (i = 0; i < n; i++)
		out[i] = (uint32_t)to[i];
	return (int)n;
}

/* Takes the characters of the ranges out of plain. */
static void unmark(const struct bt_shift *r, size_t ranges, uint32_t first,
                   size_t n, bool *plain)
{
	uint32_t end = first + (uint32_t)n, c;
	size_t lo = 0, hi = ranges, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (first > r[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < ranges && r[lo].first < end; lo++)
		for (c = r[lo].first < first ? first : r[lo].first;
		     c <= r[lo].last && c < end; c++)
			plain[c - first] = false;
}

void bt_char_plain(enum bt_char_dialect school, uint32_t first, size_t n,
                   bool *plain)
{
	const utf8proc_property_t *p;
	uint32_t c;
	size_t i;

	for (i = 0; i < n; i++) {
		c = first + (uint32_t)i;
		p = utf8proc_get_property((utf8proc_int32_t)c);
		/* syllables of Hangul are decomposed by a rule, not a table */
		plain[i] = p->decomp_seqindex == UINT16_MAX &&
		           p->lowercase_seqindex == UINT16_MAX &&
		           p->combining_class == 0 &&
		           (c < 0xac00 || c > 0xd7a3);
	}
	if (school != BT_CHAR_DIALECT_HF)
		return;
	unmark(bt_hf_lower, bt_hf_lower_n, first, n, plain);
	unmark(bt_hf_classes, bt_hf_classes_n, first, n, plain);
}

bool bt_char_is_word(uint32_t c)
{
	utf8proc_category_t k = category(c);

	return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_NL) ||
	       k == UTF8PROC_CATEGORY_PC || c == 0x200c || c == 0x200d ||
	       (c >= 0x24b6 && c <= 0x24e9) ||
	       (c >= 0x1f130 &&
	        bt_range_has(other_case, COUNT(other_case), c)) ||
	       bt_range_has(bt_hf_words, bt_hf_words_n, c);
}

bool bt_char_is_cased(uint32_t c)
{
	utf8proc_category_t k = category(c);

	return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LT) ||
	       bt_range_has(other_case, COUNT(other_case), c);
}

bool bt_char_is_case_ignorable(uint32_t c)
{
	utf8proc_category_t k = category(c);

	return k == UTF8PROC_CATEGORY_MN || k == UTF8PROC_CATEGORY_ME ||
	       k == UTF8PROC_CATEGORY_CF || k == UTF8PROC_CATEGORY_LM ||
	       k == UTF8PROC_CATEGORY_SK ||
	       bt_range_has(mid_word, COUNT(mid_word), c);
}
