/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Records as JSON and back, their statistics, where they come from and where
 * they go. */
#include "payload.h"

#include <unistd.h>

#include "base/philox.h"
#include "io/out_set.h"
#include "recordset/job.h"
#include "recordset/stats.h"

/* Whatever a feature holds comes back byte for byte. */
TEST(json_there_and_back)
{
	struct bt_example_writer w = {0}, again = {0};
	struct bt_buf b = BT_BUF_INIT, json = BT_BUF_INIT, back = BT_BUF_INIT;
	struct bt_error err = {0};
	uint64_t x = 0;
	int64_t ints[4];
	float floats[4];
	uint32_t bits;
	int round, i, n;

	for (round = 0; round < 3000; round++) {
		n = (int)bt_random_below(1, 0, 0, x++, 5);
		for (i = 0; i < n; i++) {
			ints[i] = (int64_t)bt_random_u64(1, 0, 0, x++);
			ints[i] >>= bt_random_below(1, 0, 0, x++, 64);
			bits = (uint32_t)bt_random_u64(1, 0, 0, x++);
			memcpy(&floats[i], &bits, sizeof(bits));
		}
		bt_buf_reset(&b);
		bt_buf_reset(&json);
		bt_buf_reset(&back);
		bt_example_begin(&w);
		bt_example_add_int64s(&w, "i", ints, (size_t)n);
		bt_example_add_floats(&w, "f", floats, (size_t)n);
		bt_example_add_text(&w, "t", (const char *)ints, (size_t)n * 3);
		bt_example_add_list(&w, "n", BT_FEATURE_NONE, "", 0);
		bt_example_end(&w, &b);
		assert_ok(bt_recjson_write(b.data, b.len, &json, &err));
		assert_null(memchr(json.data, '\n', json.len));
		assert_ok(
		    bt_recjson_read(json.data, json.len, &again, &back, &err));
		assert_int_equal(back.len, b.len);
		assert_memory_equal(back.data, b.data, b.len);
	}
	bt_example_clear(&w);
	bt_example_clear(&again);
	bt_buf_clear(&b);
	bt_buf_clear(&json);
	bt_buf_clear(&back);
}

/* Neither a changed payload nor a changed text does harm. */
TEST(json_of_damage)
{
	static const char good[] = "{\"a\": [\"x\", {\"base64\": \"/w==\"}], "
	                           "\"f\": {\"float\": \"AACAfw==\"}, "
	                           "\"i\": [1, -2], \"n\": null}";
	struct bt_example_writer w = {0};
	struct bt_buf b = BT_BUF_INIT, out = BT_BUF_INIT;
	struct bt_error err = {0};
	char bad[sizeof(good)];
	size_t i;
	int bit, r, refused = 0;

	payload(good, &b);
	for (i = 0; i < b.len; i++)
		for (bit = 0; bit < 8; bit++) {
			b.data[i] = (char)(b.data[i] ^ 1 << bit);
			bt_buf_reset(&out);
			bt_error_clear(&err);
			r = bt_recjson_write(b.data, b.len, &out, &err);
			assert_true(r == BT_OK || err.text[0] != '\0');
			refused += r != BT_OK;
			b.data[i] = (char)(b.data[i] ^ 1 << bit);
		}
	assert_true(refused > 50);
	for (i = 0; i < sizeof(good) - 1; i++)
		for (bit = 0; bit < 8; bit++) {
			memcpy(bad, good, sizeof(bad));
			bad[i] = (char)(bad[i] ^ 1 << bit);
			bt_buf_reset(&out);
			bt_error_clear(&err);
			r = bt_recjson_read(bad, sizeof(bad) - 1, &w, &out,
			                    &err);
			assert_true(r == BT_OK || err.text[0] != '\0');
		}
	for (i = 0; i < sizeof(good) - 1; i++) {
		bt_error_clear(&err);
		assert_true(bt_recjson_read(good, i, &w, &out, &err) < 0);
	}
	bt_example_clear(&w);
	bt_buf_clear(&b);
	bt_buf_clear(&out);
}

TEST(statistics)
{
	static const char *const records[] = {
	    "{\"text_a\": \"abc\", \"label\": \"y\"}",
	    "{\"text_a\": \"\", \"label\": \"x\"}",
	    "{\"text_a\": \"ab\", \"text_b\": \"cde\", \"label\": \"x\"}",
	    "{\"input_ids\": [7, 8, 0], \"input_mask\": [1, 1, 0], \"label_ids\": 3}"};
	struct bt_recstats *s = bt_recstats_new();
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT, out = BT_BUF_INIT;
	size_t i;

	assert_non_null(s);
	for (i = 0; i < 4; i++) {
		payload(records[i], &b);
		assert_ok(bt_recstats_add(s, b.data, b.len, &err));
	}
	assert_ok(bt_recstats_report(s, &out, &err));
	assert_non_null(bt_buf_str(&out));
	assert_non_null(strstr(out.data, "records: 4, bytes: "));
	assert_non_null(strstr(out.data, "labels: 3, records without one: 0\n"
	                                 "         2  x\n"));
	assert_non_null(strstr(out.data, "texts: 8 bytes in all, mean 2.7, "
	                                 "least 0, most 5 (record 3), "
	                                 "empty 1\n"));
	assert_non_null(strstr(out.data, "tokens: 2 tokens in all"));
	assert_err(bt_recstats_add(s, "\x0a\x7f", 2, &err), BT_ECORRUPT, "");
	bt_recstats_free(s);
	bt_recstats_free(NULL);
	bt_buf_clear(&b);
	bt_buf_clear(&out);
}

/* The records of a file from JSON Lines. */
static void make_records(const char *name, const char *lines)
{
	struct bt_recordset_opts o = BT_RECORDSET_OPTS_INIT;
	struct bt_recordset_sum sum;
	struct bt_error err = {0};
	char *paths[] = {(char *)"lines"};

	file_put("lines", lines, strlen(lines));
	o.from.kind = BT_INPUT_JSON;
	o.output = name;
	assert_ok(bt_recordset(&o, paths, 1, &sum, &err));
}

/* How many payloads come of the file, or an error. */
static int count_of(const char *name, const struct bt_input_opts *o,
                    struct bt_error *err)
{
	char *paths[] = {(char *)name};
	struct bt_input *s;
	const uint8_t *data;
	size_t len;
	int r, n = 0;

	bt_error_clear(err);
	r = bt_input_open(paths, 1, o, &s, err);
	if (r != BT_OK)
		return r;
	while ((r = bt_input_next(s, &data, &len, err)) == 1)
		n++;
	assert_int_equal(bt_input_total(s), n);
	bt_input_close(s);
	return r == 0 ? n : r;
}

TEST(sources)
{
	struct bt_input_opts o = {.kind = BT_INPUT_RECORDS};
	struct bt_error err = {0};
	size_t size, max;
	char *data;
	int n;

	make_records("a.rec", "{\"a\": 1}\n\n{\"a\": 2}\r\n {\"a\": 3}");
	assert_int_equal(count_of("a.rec", &o, &err), 3);
	data = file_get("a.rec", &size);
	for (max = 0; max <= size + 1; max++) {
		o.limited = true;
		o.max = max;
		n = count_of("a.rec", &o, &err);
		assert_int_equal(n, max < size ? BT_ELIMIT : 3);
		if (max < size)
			assert_non_null(strstr(err.text, "bytes allowed"));
	}
	o.limited = false;
	data[14]++; /* in the first payload */
	file_put("b.rec", data, size);
	assert_int_equal(count_of("b.rec", &o, &err), BT_ECORRUPT);
	o.kind = BT_INPUT_RECOVER;
	assert_int_equal(count_of("b.rec", &o, &err), 2);
	assert_int_equal(count_of("lines", &o, &err), BT_ECORRUPT);
	o.kind = BT_INPUT_JSON;
	assert_int_equal(count_of("lines", &o, &err), 3);
	assert_int_equal(count_of("a.rec", &o, &err), BT_EFORMAT);
	assert_non_null(strstr(err.text, "cannot read 'a.rec': line 1: "));
	for (max = 0; max < 32; max++) {
		o.limited = true;
		o.max = max;
		n = count_of("lines", &o, &err);
		assert_int_equal(n, max < 29 ? BT_ELIMIT : 3);
	}
	assert_int_equal(count_of("nosuch", &o, &err), BT_EIO);
	free(data);
}

TEST(what_is_put)
{
	static const struct {
		enum bt_sink_what what;
		const char *wanted;
	} cases[] = {
	    {BT_SINK_JSON, "{\"text_a\": \"one\"}\n{\"text_a\": \"two\"}\n"
	                   "{\"text_a\": \"One\"}\n"},
	    {BT_SINK_COUNT, "3\n"},
	    {BT_SINK_VERIFY, "3 records, 111 bytes\n"},
	    {BT_SINK_LEAK, "t.rec:2\ttwo\n"},
	    {BT_SINK_PAIRS, "t.rec:1\tt.rec:3\t1.0000\tone\tOne\n"},
	};
	struct bt_recordset_opts o = BT_RECORDSET_OPTS_INIT;
	struct bt_error err = {0};
	struct bt_recordset_sum sum;
	char *paths[] = {(char *)"t.rec"};
	size_t i;

	make_records("other.rec", "{\"text_a\": \"two\"}");
	make_records("t.rec", "{\"text_a\": \"one\"}\n{\"text_a\": \"two\"}\n"
	                      "{\"text_a\": \"One\"}");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		o.put.what = cases[i].what;
		o.put.leak = "other.rec";
		o.put.field = "text_a";
		o.put.near = .8;
		o.output = "got";
		assert_ok(bt_recordset(&o, paths, 1, &sum, &err));
		file_is("got", cases[i].wanted);
		assert_int_equal(sum.count, 3);
		assert_int_equal(sum.found, i > 2);
	}
	o.put.field = "nosuch";
	assert_err(bt_recordset(&o, paths, 1, &sum, &err), BT_EFORMAT,
	           "no record has the feature 'nosuch'");
	o.put.leak = "lines";
	o.put.what = BT_SINK_LEAK;
	assert_err(bt_recordset(&o, paths, 1, &sum, &err), BT_EFORMAT,
	           "'lines'");
}

/* Every record is in one shard, in one part, in one test file. */
TEST(where_it_goes)
{
	struct bt_recordset_opts o = BT_RECORDSET_OPTS_INIT,
	                         none = BT_RECORDSET_OPTS_INIT;
	struct bt_error err = {0};
	struct bt_recordset_sum sum;
	char lines[2000] = "", name[32], *paths[] = {(char *)"a.rec"};
	struct bt_input_opts from = {.kind = BT_INPUT_RECORDS};
	int i, at = 0;

	for (i = 0; i < 30; i++)
		at += snprintf(lines + at, sizeof(lines) - (size_t)at,
		               "{\"n\": %d}\n", i);
	make_records("a.rec", lines);
	o.output = "sh";
	o.shards = 4;
	assert_ok(bt_recordset(&o, paths, 1, &sum, &err));
	assert_int_equal(sum.count, 30);
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "sh-0000%d-of-00004", i);
		assert_int_equal(count_of(name, &from, &err), 7 + (i < 2));
	}
	o.shards = 0;
	o.split = "a=.8,b=.2";
	assert_ok(bt_recordset(&o, paths, 1, &sum, &err));
	assert_int_equal(count_of("sh-a", &from, &err), 24);
	assert_int_equal(count_of("sh-b", &from, &err), 6);
	o.split = NULL;
	o.folds = 3;
	assert_ok(bt_recordset(&o, paths, 1, &sum, &err));
	assert_int_equal(count_of("sh-train-3", &from, &err), 20);
	assert_int_equal(count_of("sh-test-3", &from, &err), 10);

	none.output = "none";
	none.counts = true;
	none.expect = UINT64_MAX;
	assert_err(bt_recordset(&none, paths, 1, &sum, &err), BT_ETRUNCATED,
	           "read 30 records, expected 18446744073709551615");
	none.expect = 30;
	none.split = "a=1,b=1";
	assert_err(bt_recordset(&none, paths, 1, &sum, &err), BT_EARG,
	           "add up to 2");
	assert_int_not_equal(access("none", F_OK), 0);
	assert_int_not_equal(access("none-a", F_OK), 0);
}

/* A file that cannot appear takes the others with it. */
TEST(all_or_none)
{
	struct bt_out_set o = {.n = 0};
	struct bt_error err = {0};

	assert_ok(bt_out_set_add(&o, "p1", BT_OUT_TEXT, &err));
	assert_ok(bt_out_set_add(&o, "p2", BT_OUT_TEXT, &err));
	assert_err(bt_out_set_add(&o, "p1", BT_OUT_TEXT, &err), BT_EARG,
	           "'p1' is written twice");
	assert_err(bt_out_set_add(&o, "no/such", BT_OUT_TEXT, &err), BT_EIO,
	           "no/such");
	bt_out_set_clear(&o);
	assert_int_not_equal(access("p1", F_OK), 0);
	assert_ok(bt_out_set_add(&o, "p1", BT_OUT_TEXT, &err));
	assert_ok(bt_out_set_add(&o, "p2", BT_OUT_TEXT, &err));
	assert_ok(bt_out_write(o.out[1], "x", 1, &err));
	assert_ok(bt_out_set_commit(&o, &err));
	bt_out_set_clear(&o);
	file_is("p1", "");
	file_is("p2", "x");
}
