/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a vocab.txt or tokenizer.json: refused, or a tokenizer that
 * takes any text. A tokenizer.json with a member more, whose name makes that
 * all is read by jansson, is the same or is refused as well. */
#include "fuzz.h"

#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"

/* Encodes the input itself, every way. */
static void use(const struct bt_tok *t, struct bt_span text)
{
	struct bt_span none = {NULL, 0}, half = {text.p, text.n / 2};
	struct bt_tok_scratch *s;
	struct bt_encoding e;
	struct bt_tok_encode_opts how = {0};
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

/* As fuzz.json with the member. */
static void compare(const uint8_t *data, size_t size, int r,
                    const struct bt_error *err, const struct bt_tok *t)
{
	static const char member[] = "\"\\u0076ersion\":\"1.0\",";
	size_t n = sizeof(member) - 1;
	struct bt_error why = {0};
	struct bt_tok *u = NULL;
	uint8_t *text = malloc(size + n);

	if (text == NULL)
		return;
	text[0] = '{'; /* what the file says of it comes later, and counts */
	memcpy(text + 1, member, n);
	memcpy(text + 1 + n, data + 1, size - 1);
	fuzz_put("fuzz.json", text, size + n);
	free(text);
	/* {} has no member for the comma */
	if (fuzz_told(bt_tok_open("fuzz.json", NULL, &u, &why), &why) == r) {
		if (r == BT_OK)
			FUZZ_CHECK(strcmp(bt_tok_fingerprint(t),
			                  bt_tok_fingerprint(u)) == 0);
		else if (strstr(err->text, "JSON") == NULL &&
		         strstr(why.text, "JSON") == NULL)
			FUZZ_CHECK(strcmp(err->text, why.text) == 0);
	} else {
		FUZZ_CHECK(r != BT_OK && strstr(err->text, "JSON") != NULL);
	}
	bt_tok_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path =
	    size > 0 && data[0] == '{' ? "fuzz.json" : "fuzz.txt";
	struct bt_span text = {(const char *)data, size};
	struct bt_error err = {0};
	struct bt_tok *t = NULL;
	int r;

	fuzz_put(path, data, size);
	r = fuzz_told(bt_tok_open(path, NULL, &t, &err), &err);
	if (r == BT_OK)
		use(t, text);
	if (strcmp(path, "fuzz.json") == 0)
		compare(data, size, r, &err, t);
	bt_tok_free(t);
	return 0;
}
