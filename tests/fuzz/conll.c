/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* A byte of options and any bytes as sentences of tagged words: refused with a
 * word, or records of as many tags as words. */
#include "records.h"

#include "record/record.h"
#include "table/conll.h"

static size_t texts(const struct bt_feature *f)
{
	struct bt_pb at = f->list;
	struct bt_span s;
	size_t n = 0;

	if (f->name == NULL)
		return 0;
	while (bt_feature_next_text(f, &at, &s.p, &s.n, NULL) == 1)
		n++;
	return n;
}

static void check(const void *data, size_t len)
{
	struct bt_feature f, words = {0}, tags = {0};
	struct bt_text_rec rec;
	struct bt_example x;

	FUZZ_CHECK(bt_text_rec_read(data, len, &rec, NULL) == BT_OK);
	bt_example_open(&x, data, len);
	while (bt_example_next(&x, &f, NULL) == 1) {
		if (bt_feature_is(&f, "words"))
			words = f;
		if (bt_feature_is(&f, "tags"))
			tags = f;
	}
	FUZZ_CHECK(texts(&words) > 0);
	FUZZ_CHECK(tags.name == NULL || texts(&tags) == texts(&words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const columns[] = {NULL, "1", "2", "tokens"};
	char in[] = "fuzz-conll", *paths[] = {in};
	struct bt_conll_stats stats = {0};
	struct bt_conll_opts o = {0};
	struct bt_error err = {0};
	struct bt_out *out;
	unsigned how;
	int r;

	how = fuzz_byte(&data, &size);
	o.word = columns[how & 3];
	o.tag = columns[how >> 2 & 3];
	o.no_tags = how & 16;
	o.documents = how & 32;
	if (how & 64) {
		o.spans = "s";
		o.text = "t";
		o.tag = o.word = NULL;
	}
	fuzz_put(in, data, size);
	FUZZ_CHECK(bt_out_open("fuzz-records", BT_OUT_BINARY, &out, NULL) ==
	           BT_OK);
	r = bt_conll_convert(paths, 1, &o, out, &stats, &err);
	if (fuzz_told(r, &err) != BT_OK) {
		bt_out_abandon(out);
		return 0;
	}
	FUZZ_CHECK(bt_out_commit(out, NULL) == BT_OK);
	fuzz_records("fuzz-records", check);
	return 0;
}
