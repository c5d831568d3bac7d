/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Lines of conditions, an empty line, and records they are put to: JSON, or
 * bytes that are taken as a payload. */
#include "fuzz.h"

#include "record/predicate.h"
#include "record/recjson.h"

#define MOST 8

static void put_to(struct bt_predicate *w, const char *p, size_t n)
{
	struct bt_example_writer x = {.features = BT_BUF_INIT};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};

	fuzz_told(bt_predicate_holds(w, p, n, &err), &err);
	bt_error_clear(&err);
	if (bt_recjson_read(p, n, &x, &b, &err) == BT_OK)
		fuzz_told(bt_predicate_holds(w, b.data, b.len, &err), &err);
	bt_error_clear(&err);
	fuzz_told(bt_predicate_end(w, &err), &err);
	bt_buf_clear(&b);
	bt_example_clear(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *at = text, *line;
	const char *conditions[MOST];
	struct bt_error err = {0};
	struct bt_predicate *w;
	int n = 0;

	FUZZ_CHECK(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	while (n < MOST && (line = strchr(at, '\n')) != NULL && line > at) {
		*line = '\0';
		conditions[n++] = at;
		at = line + 1;
	}
	if (*at == '\n')
		at++;
	if (fuzz_told(bt_predicate_new(conditions, n, &w, &err), &err) ==
	    BT_OK) {
		put_to(w, at, size - (size_t)(at - text));
		bt_predicate_free(w);
	}
	free(text);
	return 0;
}
