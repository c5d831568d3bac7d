/* SPDX-License-Identifier: MIT */
/* Any bytes as a vocab.txt or tokenizer.json: refused, or a tokenizer that
 * takes any text. */
#include "fuzz.h"

#include "text/tokenizer.h"

/* Encodes the input itself, every way. */
static void use(const struct bt_tok *t, struct bt_span text)
{
	struct bt_span none = {NULL, 0}, half = {text.p, text.n / 2};
	struct bt_tok_scratch *s;
	struct bt_encoding e;
	struct bt_tok_how how = {0};
	size_t i;
	int k;

	if (bt_tok_scratch_new(t, &s, NULL) != BT_OK)
		return;
	for (k = 0; k < 8; k++) {
		how.special = k & 1;
		how.offsets = k & 2;
		how.max_length = k & 4 ? 7 : 0;
		if (bt_tok_encode(t, s, text, k & 1 ? half : none, &how, &e,
		                  NULL) != BT_OK)
			continue;
		for (i = 0; i < e.n; i++)
			FUZZ_CHECK(e.ids[i] >= 0 &&
			           (size_t)e.ids[i] < bt_tok_size(t) &&
			           (!how.offsets || (e.end[i] <= text.n &&
			                             e.start[i] <= e.end[i])));
	}
	bt_tok_scratch_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path =
	    size > 0 && data[0] == '{' ? "fuzz.json" : "fuzz.txt";
	struct bt_span text = {(const char *)data, size};
	struct bt_error err = {0};
	struct bt_tok *t;

	fuzz_put(path, data, size);
	if (fuzz_told(bt_tok_open(path, NULL, &t, &err), &err) == BT_OK) {
		use(t, text);
		bt_tok_free(t);
	}
	return 0;
}
