/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as the payload of a record: features, text and token records,
 * statistics, and JSON there and back. */
#include "fuzz.h"

#include "finetune/dataset.h"
#include "format/escape.h"
#include "record/feature.h"
#include "record/recjson.h"
#include "record/record.h"
#include "recordset/stats.h"

static void features(const uint8_t *data, size_t size)
{
	struct bt_error err = {0};
	struct bt_example x;
	struct bt_feature f;
	struct bt_buf b = BT_BUF_INIT, line = BT_BUF_INIT;
	struct bt_span list;
	struct bt_pb at;
	const char *s;
	int64_t ints[9];
	float reals[9];
	size_t n;

	bt_example_open(&x, data, size);
	while (fuzz_told(bt_example_next(&x, &f, &err), &err) == 1) {
		fuzz_read(f.name, f.name_len);
		if (bt_feature_text(&f, &s, &n, NULL) == BT_OK)
			fuzz_read(s, n);
		at = f.list;
		while (bt_feature_next_text(&f, &at, &s, &n, NULL) == 1)
			FUZZ_CHECK(s >= (const char *)data &&
			           n <=
			               size - (size_t)(s - (const char *)data));
		if (bt_feature_int64s(&f, ints, 9, &n, NULL) == BT_OK)
			fuzz_read(ints, (n < 9 ? n : 9) * sizeof(*ints));
		if (bt_feature_floats(&f, reals, 9, &n, NULL) == BT_OK)
			fuzz_read(reals, (n < 9 ? n : 9) * sizeof(*reals));
		list.p = (const char *)f.list.p;
		list.n = (size_t)(f.list.end - f.list.p);
		bt_buf_reset(&b);
		bt_error_clear(&err);
		fuzz_told(bt_record_feature_show("x", list, f.kind, &b, &err),
		          &err);
		bt_escape_line(&line, (struct bt_span){bt_buf_at(&b, 0), b.len},
		               b.len / 2);
		FUZZ_CHECK(line.len == 0 ||
		           memchr(line.data, '\n', line.len) == NULL);
		bt_buf_reset(&line);
		bt_error_clear(&err);
	}
	bt_buf_clear(&b);
	bt_buf_clear(&line);
}

/* What is written from a record reads as the same record. */
static void texts(const uint8_t *data, size_t size)
{
	struct bt_example_writer w = {.features = BT_BUF_INIT};
	struct bt_text_rec a = {0}, b = {0};
	struct bt_error err = {0};
	struct bt_span out;

	if (fuzz_told(bt_text_rec_read(data, size, &a, &err), &err) == BT_OK) {
		out = bt_text_rec_make(&w, &a);
		FUZZ_CHECK(bt_text_rec_read(out.p, out.n, &b, &err) == BT_OK);
		FUZZ_CHECK(bt_span_equal(a.text_a, b.text_a) &&
		           bt_span_equal(a.label, b.label) &&
		           bt_span_equal(a.id, b.id) &&
		           bt_span_equal(a.text_b, b.text_b));
	}
	bt_example_clear(&w);
}

/* The record as two examples of a data set, for the task of that number,
 * and again where the labels are known. */
static void examples(struct bt_token_rec *rec, int kind)
{
	static const struct bt_task *const tasks[] = {
	    &bt_task_classification, &bt_task_regression, &bt_task_multi_label,
	    &bt_task_tagging,        &bt_task_qa,         &bt_task_ranking,
	    &bt_task_multiple_choice};
	bool chooses = tasks[kind] == &bt_task_multiple_choice;
	struct bt_fit fit = {.vocab_size = 1 << 30,
	                     .type_vocab_size = 256,
	                     .max_positions = 1 << 30,
	                     .per_token = tasks[kind]->per_token,
	                     .task = tasks[kind]};
	struct bt_labels labels = {0};
	struct bt_dataset d = {0};
	struct bt_error err = {0};
	int32_t label;
	int i;

	if (rec->label.p == NULL && rec->has_label_id && rec->label_id > 999)
		return; /* as many labels are slow */
	for (i = 0; i < 3; i++) {
		if (fuzz_told(bt_dataset_check(rec, &fit,
		                               i < 2 ? BT_LABELS_COLLECT
		                                     : BT_LABELS_KNOWN,
		                               &labels, &label, &err),
		              &err) != BT_OK)
			break;
		FUZZ_CHECK(rec->n_target == 0 || label < 0 ||
		           rec->n_target == (chooses ? 2 : (size_t)labels.n));
		FUZZ_CHECK(bt_dataset_add(&d, rec, label, &err) == BT_OK);
		if (d.width > 0)
			fuzz_read(bt_dataset_target(&d, (size_t)i),
			          d.width * sizeof(float));
	}
	bt_dataset_clear(&d);
	bt_labels_clear(&labels);
}

static void tokens(const uint8_t *data, size_t size)
{
	struct bt_example_writer w = {.features = BT_BUF_INIT};
	struct bt_token_rec a = {0}, b = {0};
	struct bt_buf out = BT_BUF_INIT;
	struct bt_error err = {0};

	if (fuzz_told(bt_token_rec_read(data, size, &a, &err), &err) == BT_OK) {
		FUZZ_CHECK(bt_token_rec_write(&w, &a, BT_LAYOUT_FULL, a.n + 3,
		                              &out) == BT_OK);
		FUZZ_CHECK(bt_token_rec_read(out.data, out.len, &b, &err) ==
		           BT_OK);
		FUZZ_CHECK(a.n == b.n);
		FUZZ_CHECK(a.n == 0 || memcmp(a.ids, b.ids, a.n * 4) == 0);
		FUZZ_CHECK(a.n == 0 || memcmp(a.types, b.types, a.n) == 0);
		examples(&b, 0);
		examples(&b, 1);
		examples(&b, 2);
		examples(&b, 3);
		examples(&b, 4);
		examples(&b, 5);
		examples(&b, 6);
	}
	bt_buf_clear(&out);
	bt_example_clear(&w);
	bt_token_rec_clear(&a);
	bt_token_rec_clear(&b);
}

/* JSON of JSON's payload is the same JSON. */
static void json(const uint8_t *data, size_t size)
{
	struct bt_example_writer w = {.features = BT_BUF_INIT};
	struct bt_buf one = BT_BUF_INIT, two = BT_BUF_INIT, b = BT_BUF_INIT;
	struct bt_error err = {0};

	if (fuzz_told(bt_recjson_write(data, size, &one, &err), &err) ==
	        BT_OK &&
	    fuzz_told(bt_recjson_read(one.data, one.len, &w, &b, &err), &err) ==
	        BT_OK) {
		FUZZ_CHECK(bt_recjson_write(b.data, b.len, &two, &err) ==
		           BT_OK);
		FUZZ_CHECK(one.len == two.len &&
		           memcmp(one.data, two.data, one.len) == 0);
	}
	bt_buf_clear(&one);
	bt_buf_clear(&two);
	bt_buf_clear(&b);
	bt_example_clear(&w);
}

static void statistics(const uint8_t *data, size_t size)
{
	struct bt_recstats *s = bt_recstats_new();
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};

	FUZZ_CHECK(s != NULL);
	if (fuzz_told(bt_recstats_add(s, data, size, &err), &err) == BT_OK)
		fuzz_told(bt_recstats_report(s, &b, &err), &err);
	bt_buf_clear(&b);
	bt_recstats_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	features(data, size);
	texts(data, size);
	tokens(data, size);
	json(data, size);
	statistics(data, size);
	return 0;
}
