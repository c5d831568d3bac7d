/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* A byte of options and any bytes as questions: refused with a word, or records
 * whose answers stand in their contexts. */
#include "records.h"

#include "base/utf8.h"
#include "record/record.h"
#include "table/squad.h"

/* The bytes of `text` before character k. */
static size_t bytes(struct bt_span text, int64_t k)
{
	size_t at = 0;

	for (; k > 0 && at < text.n; k--)
		at += bt_utf8_len((uint8_t)text.p[at]);
	FUZZ_CHECK(k == 0);
	return at;
}

static void check(const void *data, size_t len)
{
	struct bt_text_rec rec;
	struct bt_span answer;
	struct bt_pb at;
	int64_t start[512];
	size_t n = 0, i, from;

	FUZZ_CHECK(bt_text_rec_read(data, len, &rec, NULL) == BT_OK);
	FUZZ_CHECK(rec.question.context.p != NULL && rec.id.p != NULL);
	if (rec.question.answers.name == NULL)
		return;
	FUZZ_CHECK(bt_feature_int64s(&rec.question.starts, start, 512, &n,
	                             NULL) == BT_OK);
	at = rec.question.answers.list;
	for (i = 0; bt_feature_next_text(&rec.question.answers, &at, &answer.p,
	                                 &answer.n, NULL) == 1 &&
	            i < 512;
	     i++) {
		from = bytes(rec.question.context, start[i]);
		FUZZ_CHECK(rec.question.context.n - from >= answer.n &&
		           memcmp(rec.question.context.p + from, answer.p,
		                  answer.n) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char in[] = "fuzz-squad", *paths[] = {in};
	struct bt_squad_stats stats = {0};
	struct bt_squad_opts o = {0};
	struct bt_error err = {0};
	struct bt_out *out;
	unsigned how;
	int r;

	how = fuzz_byte(&data, &size);
	o.no_answers = how & 1;
	o.realign = how & 2;
	fuzz_put(in, data, size);
	FUZZ_CHECK(bt_out_open("fuzz-records", BT_OUT_BINARY, &out, NULL) ==
	           BT_OK);
	r = bt_squad_convert(paths, 1, &o, out, NULL, &stats, &err);
	if (fuzz_told(r, &err) != BT_OK) {
		bt_out_abandon(out);
		return 0;
	}
	FUZZ_CHECK(bt_out_commit(out, NULL) == BT_OK);
	fuzz_records("fuzz-records", check);
	return 0;
}
