/* SPDX-License-Identifier: MIT */
/* Not under emulation: no code depends on the machine; fuzz/where is run */
/* Not under thread: starts no threads */
/* What chooses records: conditions, ranges, duplicates, near duplicates; and
 * what keeps them meanwhile. */
#include "payload.h"

#include "base/philox.h"
#include "dedup/minhash.h"
#include "dedup/record_store.h"
#include "dedup/string_set_disk.h"
#include "io/temp_store.h"
#include "record/predicate.h"
#include "recordset/filter.h"
#include "recordset/last_n.h"

static int holds(const char *condition, const char *json)
{
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_predicate *w;
	int r;

	payload(json, &b);
	assert_ok(bt_predicate_new(&condition, 1, &w, &err));
	r = bt_predicate_holds(w, b.data, b.len, &err);
	bt_predicate_free(w);
	bt_buf_clear(&b);
	return r;
}

TEST(conditions)
{
	static const struct {
		const char *condition, *json;
		int wanted;
	} cases[] = {
	    {"a=x", "{\"a\": \"x\"}", 1},
	    {"a=x", "{\"a\": \"xy\"}", 0},
	    {"a=x", "{\"b\": \"x\"}", 0},
	    {"a=", "{\"a\": \"\"}", 1},
	    {"a=", "{\"a\": \"x\"}", 0},
	    {"a=b=c", "{\"a\": \"b=c\"}", 1},
	    {"a=x", "{\"a\": [\"y\", \"x\"]}", 1},
	    {"a=7", "{\"a\": \"7\"}", 1},
	    {"a=7", "{\"a\": 7}", 1},
	    {"a=7.0", "{\"a\": 7}", 1},
	    {"a=7.5", "{\"a\": 7}", 0},
	    {"a=7", "{\"a\": [1, 7]}", 1},
	    {"a=9223372036854775807", "{\"a\": 9223372036854775807}", 1},
	    {"a=9223372036854775806", "{\"a\": 9223372036854775807}", 0},
	    {"a=-9223372036854775808", "{\"a\": -9223372036854775808}", 1},
	    {"a=.1", "{\"a\": 0.1}", 1},
	    {"a=7", "{\"a\": 7.0}", 1},
	    {"a=1e39", "{\"a\": 7.0}", 0},
	    {"a=x", "{\"a\": 7}", BT_EFORMAT},
	    {"a=x", "{\"a\": 7.0}", BT_EFORMAT},
	    {"a<7", "{\"a\": 6}", 1},
	    {"a<7", "{\"a\": 7}", 0},
	    {"a<=7", "{\"a\": 7}", 1},
	    {"a>7", "{\"a\": [1, 8]}", 1},
	    {"a>=7.5", "{\"a\": 7}", 0},
	    {"a>9223372036854775806", "{\"a\": 9223372036854775807}", 1},
	    {"a<=.1", "{\"a\": 0.1}", 1},
	    {"a<.1", "{\"a\": 0.1}", 0},
	    {"a>-1e9", "{\"a\": -2.5}", 1},
	    {"a<10", "{\"a\": \"9\"}", 1},
	    {"a<10", "{\"a\": \"\"}", 0},
	    {"a<10", "{\"a\": \"x\"}", BT_EFORMAT},
	    {"a=<1", "{\"a\": \"<1\"}", 1},
	    {"a=x", "{\"a\": null}", 0},
	    {"a=x", "{\"a\": {\"bytes\": []}}", 0},
	};
	static const char *const none[] = {"a", "=x", "", "<1"};
	const char *text = "a<x";
	struct bt_error err = {0};
	struct bt_predicate *w;
	size_t i;
	int r;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = holds(cases[i].condition, cases[i].json);
		if (r != cases[i].wanted)
			fail_msg("%s of %s: %d", cases[i].condition,
			         cases[i].json, r);
	}
	assert_err(bt_predicate_new(&text, 1, &w, &err), BT_EARG,
	           "'x' is not a number");
	bt_error_clear(&err);
	for (i = 0; i < 4; i++)
		assert_err(bt_predicate_new(&none[i], 1, &w, &err), BT_EARG,
		           "expected FIELD=VALUE");
	assert_int_equal(holds("a=x", "{}"), 0);
}

/* Numbers of the records 0 .. 9, {"n": i, "h": i / 2}, that go on, as digits.
 */
static void check_choice(const struct bt_filter_opts *o, const char *wanted,
                         uint64_t dropped)
{
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_filter *c;
	char json[64], got[11] = "";
	int i, n = 0, r;

	assert_ok(bt_filter_new(o, &c, &err));
	for (i = 0; i < 10 && !bt_filter_full(c); i++) {
		snprintf(json, sizeof(json), "{\"n\": %d, \"h\": \"half %d\"}",
		         i, i / 2);
		payload(json, &b);
		r = bt_filter_take(c, b.data, b.len, &err);
		assert_true(r == 0 || r == 1);
		if (r == 1)
			got[n++] = (char)('0' + i);
	}
	assert_string_equal(got, wanted);
	assert_ok(bt_filter_end(c, &err));
	assert_int_equal(bt_filter_dropped(c), dropped);
	bt_filter_free(c);
	bt_buf_clear(&b);
}

TEST(choices)
{
	static const char *const even[] = {"h=half 2"};
	struct bt_filter_opts o = BT_FILTER_OPTS_INIT;

	check_choice(&o, "0123456789", 0);
	o.to = 3;
	check_choice(&o, "012", 0);
	o.from = 2;
	check_choice(&o, "2", 0);
	o.from = 3;
	check_choice(&o, "", 0);
	o.from = 8;
	o.to = 100;
	check_choice(&o, "89", 0);
	o.from = 0;
	o.dedupe = "h";
	check_choice(&o, "02468", 5);
	o.near = 1;
	check_choice(&o, "02468", 5);
	o.near = .3; /* one of three shingles is in both */
	check_choice(&o, "0", 9);
	o.near = 0;
	o.where = even;
	o.n_where = 1;
	check_choice(&o, "4", 1);
}

TEST(features_that_are_nowhere)
{
	static const char *const where[] = {"nosuch=1"};
	struct bt_filter_opts o = BT_FILTER_OPTS_INIT;
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_filter *c;
	int k;

	payload("{\"n\": 1}", &b);
	for (k = 0; k < 3; k++) {
		o.n_where = k == 0;
		o.where = where;
		o.dedupe = k > 0 ? "nosuch" : NULL;
		o.near = k > 1 ? .8 : 0;
		assert_ok(bt_filter_new(&o, &c, &err));
		assert_ok(bt_filter_end(c, &err));
		assert_int_equal(bt_filter_take(c, b.data, b.len, &err), k > 0);
		assert_err(bt_filter_end(c, &err), BT_EFORMAT,
		           "no record has the feature 'nosuch'");
		bt_filter_free(c);
	}
	o.dedupe = "n";
	assert_ok(bt_filter_new(&o, &c, &err));
	assert_err(bt_filter_take(c, b.data, b.len, &err), BT_EFORMAT,
	           "is not one byte string");
	assert_err(bt_filter_take(c, "\x0a\x7f", 2, &err), BT_ECORRUPT, "");
	bt_filter_free(c);
	bt_buf_clear(&b);
}

TEST(the_last_ones)
{
	struct bt_last_n t;
	char name[16];
	size_t max, n, i;

	for (max = 0; max < 6; max++)
		for (n = 0; n < 14; n++) {
			bt_last_n_init(&t, max);
			for (i = 0; i < n; i++) {
				snprintf(name, sizeof(name), "r%zu", i);
				assert_int_equal(bt_last_n_put(&t, name, i % 4),
				                 0);
			}
			assert_int_equal(t.n, n < max ? n : max);
			for (i = 0; i < t.n; i++)
				assert_int_equal(bt_last_n_get(&t, i)->len,
				                 (n - t.n + i) % 4);
			bt_last_n_clear(&t);
		}
}

#define BIG 600000

static char stored[BIG + 1000];

static size_t stored_length(size_t i)
{
	return i == 77 ? BIG : i * 97 % 20000;
}

static void check_stored(struct bt_record_store *s, size_t i)
{
	struct bt_error err = {0};
	const void *got;
	size_t len;

	assert_ok(bt_record_store_get(s, i, &got, &len, &err));
	assert_int_equal(len, stored_length(i));
	assert_memory_equal(got, stored + i, len);
}

/* What is put comes back, in any order and between further ones, wherever the
 * limit lies; in order, more than once. */
TEST(stored_payloads)
{
	struct bt_error err = {0};
	struct bt_record_store *s;
	size_t limit, i, n;
	int in_order, round;

	for (i = 0; i < sizeof(stored); i++)
		stored[i] = (char)(i * 31 + (i >> 9));
	for (limit = 0; limit <= 3000000; limit += 749999)
		for (in_order = 0; in_order < 2; in_order++) {
			s = bt_record_store_new(limit, in_order);
			for (n = 0; n < 300; n++) {
				assert_ok(bt_record_store_put(
				    s, stored + n, stored_length(n), &err));
				check_stored(s,
				             in_order ? 0 : n * 7919 % (n + 1));
			}
			assert_int_equal(bt_record_store_count(s), n);
			for (round = 0; round < 2; round++)
				for (i = 0; i < n; i++)
					check_stored(s,
					             in_order ? i : n - 1 - i);
			bt_record_store_free(s);
		}
	bt_record_store_free(NULL);
}

/* Any bytes of it, across the border of memory and file. */
TEST(spilled_bytes)
{
	struct bt_error err = {0};
	struct bt_temp_store *s;
	const void *got;
	size_t at = 0, n, i;

	s = bt_temp_store_new(100000);
	for (n = 1; at + n < BIG; at += n, n = n * 2 % 9973)
		assert_ok(bt_temp_store_put(s, stored + at, n, &err));
	assert_int_equal(bt_temp_store_size(s), at);
	for (i = 0; i < 3000; i++) {
		n = i * 7919 % (i % 10 == 0 ? at : 5000);
		assert_ok(bt_temp_store_get(s, i * 104729 % (at - n), n, i & 1,
		                            &got, &err));
		assert_memory_equal(got, stored + i * 104729 % (at - n), n);
	}
	assert_ok(bt_temp_store_get(s, at, 0, true, &got, &err));
	bt_temp_store_free(s);
	bt_temp_store_free(NULL);
}

/* So many that the least memory does not hold what is kept of each. */
#define SEEN 70000

TEST(seen_before)
{
	struct bt_error err = {0};
	struct bt_string_set_disk *s;
	char name[32];
	int limit, round, i;

	for (limit = 0; limit < 2; limit++) {
		s = bt_string_set_disk_new(limit ? 1 << 20 : 100);
		for (round = 0; round < 2; round++)
			for (i = 0; i < SEEN; i++) {
				snprintf(name, sizeof(name), "%d", i * 17);
				assert_int_equal(bt_string_set_disk_has(
				                     s, bt_span(name), &err),
				                 round == 1);
				assert_int_equal(bt_string_set_disk_add(
				                     s, bt_span(name), &err),
				                 round == 0);
			}
		assert_int_equal(bt_string_set_disk_has(s, bt_span(""), &err),
		                 0);
		assert_int_equal(bt_string_set_disk_add(s, bt_span(""), &err),
		                 1);
		assert_int_equal(bt_string_set_disk_add(s, bt_span(""), &err),
		                 0);
		bt_string_set_disk_free(s);
	}
	bt_string_set_disk_free(NULL);
}

#define TEXTS 400

static char texts[TEXTS][64];
static double like[TEXTS][TEXTS]; /* of the later, the earlier one */
static bool found_pair[TEXTS][TEXTS];
static bool copy[TEXTS]; /* of an earlier text, which alone makes pairs */

/* Half of them are an earlier one with a few letters changed. */
static void make_texts(void)
{
	uint64_t x = 0;
	int i, k, n;

	for (i = 0; i < TEXTS; i++) {
		n = 3 + (int)bt_random_below(1, 0, 0, x++, 50);
		for (k = 0; k < n; k++)
			texts[i][k] =
			    (char)('a' + bt_random_below(1, 0, 0, x++, 8));
		texts[i][n] = 0;
		if (i < 2 || bt_random_below(1, 0, 0, x++, 2) == 0)
			continue;
		strcpy(texts[i],
		       texts[bt_random_below(1, 0, 0, x++, (uint64_t)i)]);
		n = (int)strlen(texts[i]);
		for (k = (int)bt_random_below(1, 0, 0, x++, 6); k > 0; k--)
			texts[i][bt_random_below(1, 0, 0, x++, (uint64_t)n)] =
			    'z';
	}
}

/* The shingles of text i: how many there are, and how many j has, too. */
static int shingles_of(int i, int j, int *both)
{
	int n = (int)strlen(texts[i]), len = n < 5 ? n : 5, a, b, distinct = 0;
	char one[6] = "";

	*both = 0;
	for (a = 0; a + len <= n; a++) {
		memcpy(one, texts[i] + a, (size_t)len);
		for (b = 0; b < a; b++)
			if (memcmp(texts[i] + b, one, (size_t)len) == 0)
				break;
		if (b < a)
			continue;
		distinct++;
		/* a short text is a shingle of its own length */
		if (len < 5 || strlen(texts[j]) < 5)
			*both += strcmp(texts[i], texts[j]) == 0;
		else
			*both += strstr(texts[j], one) != NULL;
	}
	return distinct;
}

static int count_pair(void *arg, const struct bt_minhash_pair *pair,
                      struct bt_error *err)
{
	int *found = arg, i, j = found[0];

	(void)err;
	memcpy(&i, pair->tag.p, sizeof(i));
	assert_int_equal(pair->text.n, strlen(texts[i]));
	if (pair->similarity != like[j][i])
		fail_msg("'%s', '%s': %g", texts[i], texts[j],
		         pair->similarity);
	assert_false(found_pair[j][i]);
	found_pair[j][i] = true;
	found[1]++;
	return BT_OK;
}

static void compare_all(void)
{
	int i, j, both, other;

	for (j = 0; j < TEXTS; j++)
		for (i = 0; i < j; i++) {
			copy[j] |= strcmp(texts[i], texts[j]) == 0;
			other = shingles_of(j, i, &both);
			like[j][i] = both / ((double)shingles_of(i, j, &both) +
			                     other - both);
		}
}

TEST(near_as_by_brute_force)
{
	static const double thresholds[] = {.1, .3, .5, .8, .95, 1};
	struct bt_error err = {0};
	struct bt_span tag;
	struct bt_minhash *near;
	int t, i, j, wanted, found[2];

	make_texts();
	compare_all();
	for (t = 0; t < 6; t++) {
		memset(found_pair, 0, sizeof(found_pair));
		near = bt_minhash_new(thresholds[t], t % 2 ? 1 << 20 : 500);
		for (j = 0; j < TEXTS; j++) {
			for (i = 0, wanted = 0; i < j; i++) {
				if (copy[i] ||
				    (copy[j] && strcmp(texts[i], texts[j])))
					continue;
				wanted += like[j][i] >= thresholds[t];
			}
			found[0] = j;
			found[1] = 0;
			tag.p = (char *)&j;
			tag.n = sizeof(j);
			assert_ok(bt_minhash_pairs(near, tag, bt_span(texts[j]),
			                           count_pair, found, &err));
			assert_int_equal(found[1], wanted);
		}
		bt_minhash_free(near);
	}
	bt_minhash_free(NULL);
}

/* What is kept is like nothing that was, what is not is like something. */
TEST(near_keeps_one_of_each)
{
	struct bt_error err = {0};
	int kept[TEXTS], n = 0, i, k, both, other, near_one;
	struct bt_minhash *near;
	double v;

	make_texts();
	near = bt_minhash_new(.5, 0);
	for (i = 0; i < TEXTS; i++) {
		for (k = 0, near_one = 0; k < n && !near_one; k++) {
			other = shingles_of(i, kept[k], &both);
			v = both / ((double)shingles_of(kept[k], i, &both) +
			            other - both);
			near_one = v >= .5;
		}
		assert_int_equal(bt_minhash_keep(near, bt_span(texts[i]), &err),
		                 !near_one);
		if (!near_one)
			kept[n++] = i;
	}
	assert_true(n > TEXTS / 4 && n < TEXTS);
	bt_minhash_free(near);
}

static int similarity_of(void *arg, const struct bt_minhash_pair *pair,
                         struct bt_error *err)
{
	(void)err;
	*(double *)arg = pair->similarity;
	return BT_OK;
}

/* Case, white space, bytes that are no UTF-8. */
TEST(what_counts_in_a_text)
{
	static const struct {
		const char *a, *b;
		double wanted;
	} cases[] = {
	    {"Hello World", " hello\t\nworld\r", 1},
	    {"\303\211T\303\211 ICI", "\303\251t\303\251 ici", 1},
	    {"a\302\240b", "a b", 1}, /* no-break space */
	    {"", "   ", 1},
	    {"abc", "abd", 0},
	    {"abcdef", "abcde", .5},
	    {"abcd\377f", "abcd\376f", 0},
	    {"abcd\377f", "abcd\377F", 1},
	    {"\303", "\303\251", 0},
	    {"\360\237\230", "\360\237\230\200", 0},
	};
	struct bt_error err = {0};
	struct bt_minhash *near;
	double got;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		near = bt_minhash_new(BT_MINHASH_MIN, 100);
		got = 0;
		assert_ok(bt_minhash_pairs(near, bt_span("a"),
		                           bt_span(cases[i].a), similarity_of,
		                           &got, &err));
		assert_ok(bt_minhash_pairs(near, bt_span("b"),
		                           bt_span(cases[i].b), similarity_of,
		                           &got, &err));
		if (got != cases[i].wanted)
			fail_msg("case %zu: %g", i, got);
		bt_minhash_free(near);
	}
}
