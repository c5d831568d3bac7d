/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as vocab.json and, behind a NUL, merges.txt: refused, or a
 * tokenizer that takes any text. Writes to the directory fuzz-bpe. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/out.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct bt_tok *t, struct bt_span text)
{
	struct bt_tok_encode_opts how = {.special = true, .offsets = true};
	struct bt_span none = {NULL, 0};
	struct bt_tok_scratch *s;
	struct bt_encoding e;
	size_t i;
	int k;

	if (bt_tok_scratch_new(t, &s, NULL) != BT_OK)
		return;
	for (k = 0; k < 2; k++) { /* the second time from memory */
		if (bt_tok_encode(t, s, text, none, &how, &e, NULL) != BT_OK)
			continue;
		for (i = 0; i < e.n; i++)
			if (e.ids[i] < 0 ||
			    (size_t)e.ids[i] >= bt_tok_size(t) ||
			    e.end[i] > text.n || e.start[i] > e.end[i])
				abort();
	}
	bt_tok_scratch_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
	size_t n = nul != NULL ? (size_t)(nul - data) : size;
	struct bt_span text = {(const char *)data, n};
	struct bt_error err = {0};
	struct bt_tok *t;

	mkdir("fuzz-bpe", 0777);
	if (bt_out_whole("fuzz-bpe/vocab.json", data, n, NULL) != BT_OK ||
	    bt_out_whole("fuzz-bpe/merges.txt", data + n + (nul != NULL),
	                 size - n - (nul != NULL), NULL) != BT_OK)
		return 0;
	if (bt_tok_open("fuzz-bpe", NULL, &t, &err) == BT_OK) {
		use(t, text);
		bt_tok_free(t);
	} else if (err.code == 0 || err.text[0] == '\0') {
		abort(); /* refused without a word */
	}
	return 0;
}
