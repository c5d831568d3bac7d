/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as the file of a SentencePiece model: refused, or one whose map of
 * characters takes any text, and that makes a tokenizer for a family, which the
 * last byte chooses. The bytes serve as a map, too. Writes to fuzz-spm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/charset.h"
#include "io/out.h"
#include "tokenizer/component_int.h"
#include "tokenizer/precompiled_charsmap.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/sentencepiece_proto.h"
#include "tokenizer_file/tokenizer_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Normalises the bytes that are UTF-8 with a map, if it is one. */
static void use_map(const void *map, size_t n, const uint8_t *text, size_t size)
{
	size_t good =
	    bt_charset_check(BT_CHARSET_UTF8, (const char *)text, size);
	struct bt_offset_text out = {.want_src = true};
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
	bt_offset_text_clear(&out);
	bt_charsmap_clear(&m);
}

static void encode(const struct bt_tok *t, struct bt_span text)
{
	struct bt_tok_encode_opts how = {.special = true, .offsets = true};
	struct bt_span none = {NULL, 0};
	struct bt_tok_scratch *s;
	struct bt_encoding e;
	size_t i;

	if (bt_tok_scratch_new(t, &s, NULL) != BT_OK)
		return;
	if (bt_tok_encode(t, s, text, none, &how, &e, NULL) == BT_OK)
		for (i = 0; i < e.n; i++)
			if (e.ids[i] < 0 ||
			    (size_t)e.ids[i] >= bt_tok_size(t) ||
			    e.end[i] > text.n || e.start[i] > e.end[i])
				abort();
	bt_tok_scratch_free(s);
}

/* The tokenizer, and the same saved. */
static void use_family(const uint8_t *data, size_t size)
{
	static const char *const class[] = {"XLMRoberta", "Camembert", "Albert",
	                                    "DebertaV2", "Llama"};
	struct bt_span text = {(const char *)data, size};
	struct bt_tok *t = NULL, *u = NULL;
	struct bt_error err = {0};
	char config[100];

	text.n = bt_charset_check(BT_CHARSET_UTF8, text.p, size);
	snprintf(config, sizeof(config),
	         "{\"tokenizer_class\":\"%sTokenizer\"}",
	         class[size > 0 ? data[size - 1] % 5 : 0]);
	mkdir("fuzz-spm", 0777);
	mkdir("fuzz-spm/saved", 0777);
	if (bt_out_whole("fuzz-spm/tokenizer.model", data, size, NULL) !=
	        BT_OK ||
	    bt_out_whole("fuzz-spm/tokenizer_config.json", config,
	                 strlen(config), NULL) != BT_OK)
		return;
	if (bt_tok_open("fuzz-spm", NULL, &t, &err) != BT_OK) {
		if (err.text[0] == '\0')
			abort();
		return;
	}
	encode(t, text);
	if (bt_tok_save(t, "fuzz-spm/saved", 0, &err) == BT_OK &&
	    (bt_tok_open("fuzz-spm/saved", NULL, &u, &err) != BT_OK ||
	     strcmp(bt_tok_fingerprint(t), bt_tok_fingerprint(u)) != 0)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	bt_tok_free(t);
	bt_tok_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	struct bt_error err = {0};
	struct bt_spm_proto m;

	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	if (bt_spm_proto_parse(&m, copy, size, &err) == BT_OK) {
		if (m.charsmap.n > 0)
			use_map(m.charsmap.p, m.charsmap.n, data, size);
		bt_spm_proto_clear(&m);
	} else if (err.text[0] == '\0') {
		abort();
	}
	use_map(data, size, data, size);
	use_family(data, size);
	return 0;
}
