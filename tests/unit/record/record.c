/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* tf.Example and the two kinds of records, from friend and foe. */
#include "files.h"

#include "base/mem.h"
#include "format/tf_example.h"
#include "format/tfrecord.h"
#include "record/record.h"

/* input_ids = [101, 102, 0, 0], label_ids = [1], as TensorFlow writes it. */
static const uint8_t vector[] = {
    0x0a, 0x2b, 0x0a, 0x15, 0x0a, 0x09, 0x69, 0x6e, 0x70, 0x75, 0x74, 0x5f,
    0x69, 0x64, 0x73, 0x12, 0x08, 0x1a, 0x06, 0x0a, 0x04, 0x65, 0x66, 0x00,
    0x00, 0x0a, 0x12, 0x0a, 0x09, 0x6c, 0x61, 0x62, 0x65, 0x6c, 0x5f, 0x69,
    0x64, 0x73, 0x12, 0x05, 0x1a, 0x03, 0x0a, 0x01, 0x01};

TEST(known_example)
{
	static const int64_t ids[] = {101, 102, 0, 0}, label = 1;
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_example x;
	struct bt_feature f;
	int64_t got[4];
	size_t n;

	bt_example_begin(&w);
	bt_example_add_int64s(&w, "input_ids", ids, 4);
	bt_example_add_int64s(&w, "label_ids", &label, 1);
	bt_example_end(&w, &b);
	assert_int_equal(b.len, sizeof(vector));
	assert_memory_equal(b.data, vector, sizeof(vector));

	bt_example_open(&x, vector, sizeof(vector));
	assert_int_equal(bt_example_next(&x, &f, &err), 1);
	assert_true(bt_feature_is(&f, "input_ids"));
	assert_false(bt_feature_is(&f, "input_id"));
	assert_int_equal(f.kind, BT_FEATURE_INT64);
	assert_ok(bt_feature_int64s(&f, got, 4, &n, &err));
	assert_int_equal(n, 4);
	assert_memory_equal(got, ids, sizeof(ids));
	assert_int_equal(bt_example_next(&x, &f, &err), 1);
	assert_true(bt_feature_is(&f, "label_ids"));
	assert_int_equal(bt_example_next(&x, &f, &err), 0);
	bt_example_clear(&w);
	bt_buf_clear(&b);
}

TEST(every_kind_comes_back)
{
	static const int64_t ints[] = {-1, INT64_MIN, INT64_MAX, 0, 128};
	static const float floats[] = {1.5f, -0.0f, 3e38f};
	static const uint8_t minus_one[] = {0x1a, 0x0c, 0x0a, 0x0a, 0xff,
	                                    0xff, 0xff, 0xff, 0xff, 0xff,
	                                    0xff, 0xff, 0xff, 0x01};
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_example x;
	struct bt_feature f;
	int64_t got[5];
	float real[3];
	const char *s;
	size_t n;

	bt_example_begin(&w);
	bt_example_add_int64s(&w, "i", ints, 1);
	bt_example_end(&w, &b);
	assert_memory_equal(b.data + b.len - sizeof(minus_one), minus_one,
	                    sizeof(minus_one));

	bt_example_begin(&w);
	bt_example_add_int64s(&w, "i", ints, 5);
	bt_example_add_int64s(&w, "none", NULL, 0);
	bt_example_add_floats(&w, "f", floats, 3);
	bt_example_add_text(&w, "t", "a\0b", 3);
	bt_example_add_text(&w, "e", "", 0);
	bt_example_end(&w, &b);
	bt_example_open(&x, b.data, b.len);
	assert_int_equal(bt_example_next(&x, &f, &err), 1);
	assert_ok(bt_feature_int64s(&f, got, 5, &n, &err));
	assert_int_equal(n, 5);
	assert_memory_equal(got, ints, sizeof(ints));
	assert_ok(bt_feature_int64s(&f, NULL, 0, &n, &err));
	assert_int_equal(n, 5);
	assert_err(bt_feature_floats(&f, real, 3, &n, &err), BT_EFORMAT,
	           "feature 'i' is not a list of floats");
	assert_err(bt_feature_text(&f, &s, &n, &err), BT_EFORMAT,
	           "feature 'i' is not one byte string");
	assert_int_equal(bt_example_next(&x, &f, &err), 1);
	assert_ok(bt_feature_int64s(&f, NULL, 0, &n, &err));
	assert_int_equal(n, 0);
	assert_int_equal(bt_example_next(&x, &f, &err), 1);
	assert_ok(bt_feature_floats(&f, real, 3, &n, &err));
	assert_int_equal(n, 3);
	assert_memory_equal(real, floats, sizeof(floats));
	assert_int_equal(bt_example_next(&x, &f, &err), 1);
	assert_ok(bt_feature_text(&f, &s, &n, &err));
	assert_int_equal(n, 3);
	assert_memory_equal(s, "a\0b", 3);
	assert_int_equal(bt_example_next(&x, &f, &err), 1);
	assert_ok(bt_feature_text(&f, &s, &n, &err));
	assert_non_null(s);
	assert_int_equal(n, 0);
	assert_int_equal(bt_example_next(&x, &f, &err), 0);
	bt_example_clear(&w);
	bt_buf_clear(&b);
}

/* A feature with the bytes of a list, which may be any. */
static struct bt_feature feature(enum bt_feature_kind kind, const void *list,
                                 size_t n)
{
	struct bt_feature f = {"f", 1, kind, {list, list}};

	f.list.end += n;
	return f;
}

/* As some writers do: one tag for each value, or a mixture. */
TEST(lists_need_not_be_packed)
{
	static const uint8_t ints[] = {0x08, 5, 0x08, 0x96, 0x01,
	                               0x0a, 2, 7,    8, /* packed */
	                               0x12, 1, 'x',     /* unknown field */
	                               0x08, 9};
	static const int64_t wanted[] = {5, 150, 7, 8, 9};
	static const uint8_t floats[] = {0x0d, 0, 0,    0x80, 0x3f, 0x0a,
	                                 4,    0, 0,    0,    0x40, 0x0d,
	                                 0,    0, 0x40, 0x40};
	struct bt_error err = {0};
	struct bt_feature f = feature(BT_FEATURE_INT64, ints, sizeof(ints));
	int64_t got[5];
	float real[3];
	size_t n;

	assert_ok(bt_feature_int64s(&f, got, 5, &n, &err));
	assert_int_equal(n, 5);
	assert_memory_equal(got, wanted, sizeof(wanted));
	f = feature(BT_FEATURE_FLOAT, floats, sizeof(floats));
	assert_ok(bt_feature_floats(&f, real, 3, &n, &err));
	assert_int_equal(n, 3);
	assert_true(real[0] == 1 && real[1] == 2 && real[2] == 3);
}

TEST(malformed_lists)
{
	static const struct {
		uint8_t bytes[16];
		size_t n;
	} ints[] =
	    {
	        {{0x08}, 1},          /* a tag without a value */
	        {{0x08, 0x80}, 2},    /* a value without an end */
	        {{0x0a, 2, 7}, 3},    /* a length beyond the end */
	        {{0x0a, 1, 0x80}, 3}, /* a packed value beyond its list */
	        {{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	          1},
	         11}, /* a length of 2^64 - 1 */
	        {{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	          0xff, 1},
	         12},                 /* a varint of eleven bytes */
	        {{0x00, 1}, 2},       /* field number 0 */
	        {{0x0b}, 1},          /* a group */
	        {{0x0e, 1}, 2},       /* no such wire type */
	        {{0x11, 1, 2, 3}, 4}, /* half a fixed64 */
	    },
	  floats[] = {
	      {{0x0d, 0, 0, 0}, 4},       /* three bytes */
	      {{0x0a, 3, 0, 0, 0}, 5},    /* a packed list of three bytes */
	      {{0x0a, 8, 0, 0, 0, 0}, 6}, /* a length beyond the end */
	      {{0x0d}, 1},
	  };
	struct bt_error err = {0};
	struct bt_feature f;
	int64_t got[16];
	float real[16];
	size_t i, n = 77;

	for (i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
		f = feature(BT_FEATURE_INT64, ints[i].bytes, ints[i].n);
		assert_err(bt_feature_int64s(&f, got, 16, &n, &err), BT_EFORMAT,
		           "feature 'f' is not a list of int64");
	}
	for (i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
		f = feature(BT_FEATURE_FLOAT, floats[i].bytes, floats[i].n);
		assert_err(bt_feature_floats(&f, real, 16, &n, &err),
		           BT_EFORMAT, "feature 'f' is not a list of floats");
	}
	assert_int_equal(n, 77);
}

TEST(no_example_at_all)
{
	static const struct {
		uint8_t bytes[16];
		size_t n;
	} bad[] = {
	    {{0x0a, 5, 0x0a}, 3},
	    {{0x0a, 2, 0x0a, 9}, 4},
	    {{0x0a, 3, 0x0a, 1, 0x0a}, 5},
	    {{0x0a, 4, 0x0a, 2, 0x12, 7}, 6},
	    {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	     11},
	    {{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
	     11},
	    {{'t', 'e', 'x', 't'}, 4},
	};
	struct bt_error err = {0};
	struct bt_example x;
	struct bt_feature f;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bt_example_open(&x, bad[i].bytes, bad[i].n);
		assert_err(bt_example_next(&x, &f, &err), BT_ECORRUPT,
		           "is not a tf.Example");
	}
	bt_example_open(&x, "", 0);
	assert_int_equal(bt_example_next(&x, &f, &err), 0);
	bt_example_open(&x, "\x0a\x00\x12\x02\x0a\x00", 6);
	assert_err(bt_example_next(&x, &f, &err), BT_EFORMAT,
	           "is a tf.SequenceExample, expected a tf.Example");
}

static volatile size_t read_for_real; /* so that no read is optimised away */

/* Reads everything there is in bytes that stand at the very end of a block, so
 * that a sanitizer sees a step beyond. Returns what the text record's reader
 * said. */
static int devour(const void *data, size_t n, struct bt_token_rec *tokens)
{
	char *copy = malloc(n != 0 ? n : 1);
	struct bt_text_rec text;
	struct bt_example x;
	struct bt_feature f;
	int64_t ints[4];
	float floats[4];
	const char *s;
	size_t k, sum = 0;
	int r;

	assert_non_null(copy);
	memcpy(copy, data, n);
	bt_example_open(&x, copy, n);
	while (bt_example_next(&x, &f, NULL) == 1) {
		for (k = 0; k < f.name_len; k++)
			sum += (unsigned char)f.name[k];
		if (bt_feature_text(&f, &s, &k, NULL) == BT_OK)
			while (k > 0)
				sum += (unsigned char)s[--k];
		if (bt_feature_int64s(&f, ints, 4, &k, NULL) == BT_OK)
			sum += k;
		if (bt_feature_floats(&f, floats, 4, &k, NULL) == BT_OK)
			sum += k;
	}
	r = bt_text_rec_read(copy, n, &text, NULL);
	if (r == BT_OK)
		for (k = 0; k < text.text_a.n; k++)
			sum += (unsigned char)text.text_a.p[k];
	if (bt_token_rec_read(copy, n, tokens, NULL) == BT_OK)
		for (k = 0; k < tokens->n; k++) {
			assert_true(tokens->ids[k] >= 0);
			sum += (size_t)tokens->ids[k] + tokens->types[k];
		}
	free(copy);
	read_for_real = sum;
	return r;
}

/* A record that has everything. */
static void make_record(struct bt_buf *b)
{
	static const int64_t ids[] = {101, 30522, 102, 0},
	                     mask[] = {1, 1, 1, 0};
	static const int64_t types[] = {0, 0, 1, 0}, label = 3;
	static const float weight = 0.5f;
	struct bt_example_writer w = {BT_BUF_INIT};

	bt_example_begin(&w);
	bt_example_add_text(&w, "id", "q7", 2);
	bt_example_add_int64s(&w, "input_ids", ids, 4);
	bt_example_add_int64s(&w, "input_mask", mask, 4);
	bt_example_add_text(&w, "label", "yes", 3);
	bt_example_add_int64s(&w, "label_ids", &label, 1);
	bt_example_add_int64s(&w, "segment_ids", types, 4);
	bt_example_add_text(&w, "text_a", "hello", 5);
	bt_example_add_floats(&w, "weight", &weight, 1);
	bt_example_end(&w, b);
	bt_example_clear(&w);
}

/* No prefix of an Example is one with a text_a, since all of it is one field.
 */
TEST(every_prefix)
{
	struct bt_token_rec tokens = {0};
	struct bt_buf b = BT_BUF_INIT;
	size_t n;

	make_record(&b);
	assert_int_equal(devour(b.data, b.len, &tokens), BT_OK);
	for (n = 0; n < b.len; n++)
		assert_true(devour(b.data, n, &tokens) < 0);
	bt_buf_clear(&b);
	bt_token_rec_clear(&tokens);
}

TEST(every_byte_changed)
{
	struct bt_token_rec tokens = {0};
	struct bt_buf b = BT_BUF_INIT;
	int v, refused = 0;
	size_t i;
	char old;

	make_record(&b);
	for (i = 0; i < b.len; i++) {
		old = b.data[i];
		for (v = 0; v < 256; v++) {
			b.data[i] = (char)v;
			refused += devour(b.data, b.len, &tokens) < 0;
		}
		b.data[i] = old;
	}
	assert_true(refused > 0);
	bt_buf_clear(&b);
	bt_token_rec_clear(&tokens);
}

static void write_text(struct bt_example_writer *w,
                       const struct bt_text_rec *rec, struct bt_buf *b)
{
	struct bt_span v = bt_text_rec_make(w, rec);

	assert_non_null(v.p);
	bt_buf_reset(b);
	bt_buf_put(b, v.p, v.n);
}

TEST(text_records)
{
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_error err = {0};
	struct bt_text_rec in = {.text_a = bt_span("a question"),
	                         .label = bt_span("")},
	                   out;
	struct bt_buf b = BT_BUF_INIT;

	write_text(&w, &in, &b);
	assert_ok(bt_text_rec_read(b.data, b.len, &out, &err));
	assert_true(bt_span_equal(out.text_a, in.text_a));
	assert_null(out.id.p);
	assert_null(out.text_b.p);
	assert_non_null(out.label.p); /* empty is not absent */
	assert_int_equal(out.label.n, 0);
	assert_false(out.has_weight);

	in.id = bt_span("17");
	in.text_b = bt_span("an answer");
	in.has_weight = true;
	in.weight = 0.25f;
	write_text(&w, &in, &b);
	assert_ok(bt_text_rec_read(b.data, b.len, &out, &err));
	assert_true(bt_span_equal(out.id, in.id));
	assert_true(bt_span_equal(out.text_b, in.text_b));
	assert_true(out.has_weight && out.weight == 0.25f);

	in.text_a.p = NULL;
	in.weight = 1;
	write_text(&w, &in, &b);
	assert_err(bt_text_rec_read(b.data, b.len, &out, &err), BT_EFORMAT,
	           "has no feature 'text_a'");
	in.weight = -1;
	write_text(&w, &in, &b);
	assert_err(bt_text_rec_read(b.data, b.len, &out, &err), BT_EFORMAT,
	           "'weight'");
	assert_err(bt_text_rec_read(vector, sizeof(vector), &out, &err),
	           BT_EFORMAT, "holds tokens (input_ids), not text");
	bt_example_clear(&w);
	bt_buf_clear(&b);
}

TEST(token_records)
{
	static int32_t ids[] = {101, 2147483647, 102};
	static uint8_t types[] = {0, 255, 1};
	struct bt_token_rec in = {0}, out = {0};
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	size_t pad;

	for (pad = 0; pad <= 130; pad += 65) {
		in.ids = malloc(sizeof(ids));
		in.types = malloc(sizeof(types));
		assert_true(in.ids != NULL && in.types != NULL);
		memcpy(in.ids, ids, sizeof(ids));
		memcpy(in.types, types, sizeof(types));
		in.n = in.cap = 3;
		in.id = bt_span("x");
		in.tokenizer = bt_span("f00d");
		in.has_label_id = true;
		in.label_id = -7;
		assert_ok(bt_token_rec_write(&w, &in, BT_LAYOUT_FULL, pad, &b));
		bt_token_rec_clear(&in);
		assert_ok(bt_token_rec_read(b.data, b.len, &out, &err));
		assert_int_equal(out.n, 3);
		assert_memory_equal(out.ids, ids, sizeof(ids));
		assert_memory_equal(out.types, types, sizeof(types));
		assert_true(bt_span_equal(out.id, bt_span("x")));
		assert_true(bt_span_equal(out.tokenizer, bt_span("f00d")));
		assert_null(out.label.p);
		assert_true(out.has_label_id && out.label_id == -7);
		assert_true(out.is_real && !out.has_example_id);
	}
	bt_token_rec_clear(&out);
	bt_example_clear(&w);
	bt_buf_clear(&b);
}

/* Lists given as text, "1 1 0"; NULL leaves the feature out. */
static int read_lists(const char *ids, const char *mask, const char *types,
                      struct bt_token_rec *rec, struct bt_error *err)
{
	const char *const names[] = {"input_ids", "input_mask", "segment_ids"};
	const char *texts[3];
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_buf b = BT_BUF_INIT;
	int64_t v[8];
	size_t n;
	char *end;
	int i, r;

	texts[0] = ids;
	texts[1] = mask;
	texts[2] = types;
	bt_example_begin(&w);
	for (i = 0; i < 3; i++) {
		const char *s = texts[i];

		if (s == NULL)
			continue;
		for (n = 0; *s != '\0' && n < 8; n++, s = end)
			v[n] = strtoll(s, &end, 10);
		bt_example_add_int64s(&w, names[i], v, n);
	}
	bt_example_end(&w, &b);
	r = bt_token_rec_read(b.data, b.len, rec, err);
	bt_example_clear(&w);
	bt_buf_clear(&b);
	return r;
}

TEST(token_records_of_others)
{
	static const struct {
		const char *ids, *mask, *types, *words;
	} bad[] = {
	    {NULL, "1", "0", "has no feature 'input_ids'"},
	    {"", "", "", "holds no tokens"},
	    {"5 6", "0 0", "0 0", "holds no tokens"},
	    {"5 6", "1", "0 0", "input_mask holds 1 numbers and input_ids 2"},
	    {"5 6", "1 1", "0 0 0", "segment_ids holds 3 numbers"},
	    {"5 6", "0 1", "0 0", "not ones followed by zeros (position 1)"},
	    {"5 6", "1 2", "0 0", "not ones followed by zeros (position 1)"},
	    {"5 -1", "1 1", "0 0", "input_ids holds -1 at position 1"},
	    {"2147483648", NULL, NULL, "input_ids holds 2147483648"},
	    {"5", "1", "256", "segment_ids holds 256 at position 0"},
	    {"5", "1", "-1", "segment_ids holds -1 at position 0"},
	};
	struct bt_token_rec rec = {0};
	struct bt_error err = {0};
	struct bt_text_rec text = {.text_a = bt_span("hello")};
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	assert_ok(read_lists("5 6 7", NULL, NULL, &rec, &err));
	assert_int_equal(rec.n, 3);
	assert_int_equal(rec.types[2], 0);
	assert_ok(read_lists("5 6 0", "1 1 0", NULL, &rec, &err));
	assert_int_equal(rec.n, 2);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_err(read_lists(bad[i].ids, bad[i].mask, bad[i].types,
		                      &rec, &err),
		           BT_EFORMAT, bad[i].words);
	write_text(&w, &text, &b);
	assert_err(bt_token_rec_read(b.data, b.len, &rec, &err), BT_EFORMAT,
	           "holds text, not tokens");
	assert_int_equal(err.hint, BT_HINT_TOKENIZE_FIRST);
	bt_token_rec_clear(&rec);
	bt_example_clear(&w);
	bt_buf_clear(&b);
}

/* Reads a real file of records of 128 padded tokens each. */
static void read_real(const char *name, int wanted)
{
	const char *path = real_data(name);
	struct bt_token_rec rec = {0};
	struct bt_error err = {0};
	struct bt_tfrecord *r;
	const uint8_t *data;
	char *file[1];
	size_t len, i;
	int n = 0, e;

	if (path == NULL)
		skip();
	file[0] = bt_strndup(path, strlen(path));
	assert_ok(bt_tfrecord_open(file, 1, &r, &err));
	while ((e = bt_tfrecord_next(r, &data, &len, &err)) == 1) {
		assert_ok(bt_token_rec_read(data, len, &rec, &err));
		n++;
		assert_true(rec.n >= 5 && rec.n <= 128);
		assert_int_equal(rec.ids[0], 101);
		assert_int_equal(rec.ids[rec.n - 1], 102);
		assert_int_equal(rec.types[0], 0);
		assert_int_equal(rec.types[rec.n - 1], 1);
		for (i = 0; i < rec.n; i++)
			assert_true(rec.ids[i] < 30522 && rec.types[i] < 2);
		assert_true(rec.has_label_id && rec.is_real);
		assert_true(rec.label_id == 0 || rec.label_id == 1);
	}
	assert_ok(e);
	assert_int_equal(n, wanted);
	bt_tfrecord_close(r);
	bt_token_rec_clear(&rec);
	free(file[0]);
}

TEST(real_training_records)
{
	read_real("tf/bert_tiny_mrpc/mrpc_output/train.tf_record", 3668);
}

TEST(real_evaluation_records)
{
	read_real("tf/bert_tiny_mrpc/mrpc_output/eval.tf_record", 408);
}
