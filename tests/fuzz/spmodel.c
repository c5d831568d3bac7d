/* SPDX-License-Identifier: MIT */
/* Any bytes as the file of a SentencePiece model: refused, or one whose map of
 * characters takes any text. The bytes serve as a map, too. */
#include <stdlib.h>
#include <string.h>

#include "io/charset.h"
#include "text/charsmap.h"
#include "text/parts_int.h"
#include "text/spmodel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Normalises the bytes that are UTF-8 with a map, if it is one. */
static void use_map(const void *map, size_t n, const uint8_t *text, size_t size)
{
	size_t good =
	    bt_charset_check(BT_CHARSET_UTF8, (const char *)text, size);
	struct bt_normed out = {.want_src = true};
	struct bt_error err = {0};
	struct bt_charsmap m;
	int k, r;

	if (bt_charsmap_init(&m, map, n, &err) != BT_OK) {
		if (err.text[0] == '\0')
			abort(); /* refused without a word */
		return;
	}
	for (k = 0; k < 2; k++) {
		out.n = 0;
		r = k == 0 ? bt_charsmap_run(&m, text, 0, good, &out)
		           : bt_charsmap_run_longest(&m, text, 0, good, &out);
		if (r == BT_OK &&
		    bt_charset_check(BT_CHARSET_UTF8, (char *)out.text,
		                     out.n) != out.n)
			abort();
	}
	bt_normed_clear(&out);
	bt_charsmap_clear(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	struct bt_error err = {0};
	struct bt_spmodel m;

	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	if (bt_spmodel_parse(&m, copy, size, &err) == BT_OK) {
		if (m.charsmap.n > 0)
			use_map(m.charsmap.p, m.charsmap.n, data, size);
		bt_spmodel_clear(&m);
	} else if (err.text[0] == '\0') {
		abort();
	}
	use_map(data, size, data, size);
	return 0;
}
