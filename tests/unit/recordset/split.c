/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Splits, folds and the classes they go by. */
#include "files.h"

#include <zlib.h>

#include "format/tf_example.h"
#include "recordset/folds.h"
#include "recordset/random_state_int.h"
#include "recordset/split.h"
#include "recordset/strata.h"

#define N 70000

static uint32_t order[N], start[BT_SPLIT_MAX + 1];

static uint32_t checksum(const uint32_t *v, uint32_t n)
{
	return (uint32_t)crc32(0, (const Bytef *)v, (uInt)(n * sizeof(*v)));
}

/* train_test_split(np.arange(70000), test_size=.1, random_state=42) of
 * scikit-learn, stratified by i * i % 7 or not: CRC-32 of int32 arrays. */
TEST(known_answers)
{
	static const uint32_t class[] = {0, 1, 2, 0, 3};
	struct bt_bitpack group = BT_BITPACK_INIT;
	struct bt_error err = {0};
	struct bt_split p;
	uint32_t i;

	for (i = 0; i < N; i++)
		assert_ok(bt_bitpack_add(&group, class[(uint64_t)i * i % 7]));
	assert_ok(bt_split_parse("train=.9,test=.1", &p, &err));
	assert_ok(bt_split_order(&p, 42, N, NULL, 0, order, start, &err));
	assert_int_equal(start[1], 63000);
	assert_int_equal(order[0], 42878);
	assert_int_equal(order[63000], 46730);
	assert_int_equal(checksum(order, 63000), 3990975090u);
	assert_int_equal(checksum(order + 63000, 7000), 1292405785u);
	assert_ok(bt_split_order(&p, 42, N, &group, 4, order, start, &err));
	assert_int_equal(checksum(order, 63000), 3412509018u);
	assert_int_equal(checksum(order + 63000, 7000), 2785898481u);
	bt_bitpack_clear(&group);
}

/* Every record has its place, and both functions say the same. */
static void check_split(const struct bt_split *p, uint32_t n, uint32_t classes)
{
	struct bt_bitpack group = BT_BITPACK_INIT, part = BT_BITPACK_INIT;
	const struct bt_bitpack *class = classes > 0 ? &group : NULL;
	struct bt_error err = {0};
	uint8_t *seen = calloc(n, 1);
	uint32_t i, k = 0;

	assert_non_null(seen);
	for (i = 0; i < n && classes > 0; i++)
		assert_ok(bt_bitpack_add(&group, i * 7 % classes));
	assert_ok(bt_split_order(p, n, n, class, classes, order, start, &err));
	assert_ok(bt_split_parts(p, n, n, class, classes, &part, &err));
	assert_int_equal(part.n, n);
	for (i = 0; i < n; i++) {
		while (i >= start[k + 1])
			k++;
		assert_true(order[i] < n);
		assert_int_equal(seen[order[i]]++, 0);
		assert_int_equal(bt_bitpack_get(&part, order[i]), k);
	}
	assert_int_equal(start[p->n], n);
	bt_bitpack_clear(&part);
	bt_bitpack_clear(&group);
	free(seen);
}

/* Whatever the shares and classes. */
TEST(nothing_is_lost)
{
	static const char *const splits[] = {
	    "a=1",
	    "a=.5,b=.5",
	    "a=.7,b=.2,c=.1",
	    "a=0,b=1",
	    "a=1,b=0",
	    "a=0,b=0,c=1",
	    "a=.6,b=0,c=.4,d=0",
	    "a=.125,b=.125,c=.125,d=.125,e=.125,f=.125,g=.125,h=.125"};
	struct bt_error err = {0};
	struct bt_split p;
	uint32_t n, classes;
	size_t k;

	for (k = 0; k < sizeof(splits) / sizeof(splits[0]); k++) {
		assert_ok(bt_split_parse(splits[k], &p, &err));
		for (n = 20; n < 300; n += 31)
			for (classes = 0; classes < n; classes += 1 + n / 5)
				check_split(&p, n, classes);
	}
	assert_ok(bt_split_parse("a=.8,b=.1,c=.1", &p, &err));
	check_split(&p, N, 0);
	check_split(&p, N, 3);
}

/* Turning back is the opposite of shuffling, also past what is drawn at once,
 * and the generator goes on alike. */
TEST(unshuffled)
{
	static const uint32_t sizes[] = {0,     1,      2,      3,     65535,
	                                 65536, 131072, 131073, 200001};
	struct bt_bitpack v;
	struct bt_mt19937 a, b, c;
	struct bt_error err = {0};
	uint32_t i, n;
	size_t k;

	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		n = sizes[k];
		assert_ok(bt_bitpack_init(&v, n + 5, 250));
		for (i = 0; i < n + 5; i++)
			bt_bitpack_set(&v, i, i % 251);
		bt_mt19937_init(&a, 3);
		b = c = a;
		bt_random_state_shuffle_packed(&a, &v, 3, n);
		assert_ok(bt_random_state_unshuffle(&b, &v, 3, n));
		bt_random_state_skip(&c, n);
		for (i = 0; i < n + 5; i++)
			assert_int_equal(bt_bitpack_get(&v, i), i % 251);
		assert_int_equal(bt_mt19937_draw(&a), bt_mt19937_draw(&b));
		bt_mt19937_draw(&c);
		assert_int_equal(bt_mt19937_draw(&a), bt_mt19937_draw(&c));
		bt_bitpack_clear(&v);
	}
}

TEST(what_is_refused)
{
	static const char *const bad[] = {
	    "",       "a",          "a=.5",      "=1",    "a=2,b=-1",
	    "a=.5,,", "a=.5,b=0.4", "a/b=1",     "a=nan", "a=.5,b=.5,",
	    "a=0x1",  "a=1e400",    "a= .5,b=.5"};
	struct bt_bitpack part = BT_BITPACK_INIT;
	uint32_t rare;
	struct bt_error err = {0};
	struct bt_split p;
	size_t k;

	for (k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		if (bt_split_parse(bad[k], &p, &err) != BT_EARG)
			fail_msg("'%s' is taken", bad[k]);
		bt_error_clear(&err);
	}
	assert_ok(bt_split_parse("a=.9,b=.1", &p, &err));
	assert_err(bt_split_order(&p, 1, 1, NULL, 0, order, start, &err),
	           BT_EFORMAT, "1 record leaves none for part 'a'");
	assert_err(bt_split_parts(&p, 1, 1, NULL, 0, &part, &err), BT_EFORMAT,
	           "1 record leaves none for part 'a'");
	assert_ok(bt_split_order(&p, 1, 0, NULL, 0, order, start, &err));
	assert_ok(bt_split_parts(&p, 1, 0, NULL, 0, &part, &err));
	bt_bitpack_clear(&part);
	assert_err(bt_folds_choose(1, 3, 2, NULL, 0, &part, &rare, &err),
	           BT_EFORMAT, "3 folds need as many records");
	bt_bitpack_clear(&part);
}

/* KFold(3, shuffle=True, random_state=42).split(range(11)) */
TEST(folds_known_answer)
{
	static const uint8_t wanted[] = {0, 1, 1, 2, 1, 0, 2, 2, 1, 0, 0};
	struct bt_bitpack fold = BT_BITPACK_INIT, group = BT_BITPACK_INIT;
	struct bt_error err = {0};
	uint32_t i, sizes[9], rare;

	assert_ok(bt_folds_choose(42, 3, 11, NULL, 0, &fold, &rare, &err));
	for (i = 0; i < 11; i++)
		assert_int_equal(bt_bitpack_get(&fold, i), wanted[i]);
	bt_bitpack_clear(&fold);
	for (i = 0; i < 100; i++)
		assert_ok(bt_bitpack_add(&group, i % 3));
	assert_ok(bt_folds_choose(7, 9, 100, &group, 3, &fold, &rare, &err));
	memset(sizes, 0, sizeof(sizes));
	for (i = 0; i < 100; i++)
		sizes[bt_bitpack_get(&fold, i)]++;
	for (i = 0; i < 9; i++)
		assert_true(sizes[i] == 11 || sizes[i] == 12);
	bt_bitpack_clear(&fold);
	bt_bitpack_clear(&group);
}

enum { TEXT, INT, REAL };

static void put(struct bt_strata *c, int kind, const char *value)
{
	struct bt_example_writer w = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	int64_t n = strtoll(value, NULL, 10);
	float x = strtof(value, NULL);

	bt_example_begin(&w);
	if (kind == TEXT)
		bt_example_add_text(&w, "label", value, strlen(value));
	else if (kind == INT)
		bt_example_add_int64s(&w, "label", &n, 1);
	else
		bt_example_add_floats(&w, "label", &x, 1);
	bt_example_end(&w, &b);
	assert_ok(bt_strata_add(c, b.data, b.len, &err));
	bt_buf_clear(&b);
	bt_example_clear(&w);
}

/* values with blanks between; the classes they get, as digits */
static void check_classes(int kind, const char *values, const char *appeared,
                          const char *sorted)
{
	const struct bt_bitpack *class;
	struct bt_error err = {0};
	struct bt_strata *c;
	char copy[200], *word;
	uint32_t n, i, k;

	for (k = 0; k < 2; k++) {
		c = bt_strata_new("label");
		snprintf(copy, sizeof(copy), "%s", values);
		for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
			put(c, kind, word);
		assert_ok(bt_strata_end(c, k == 1, &class, &n, &err));
		assert_int_equal(class->n, strlen(appeared));
		for (i = 0; i < class->n; i++)
			assert_int_equal(bt_bitpack_get(class, i),
			                 (k ? sorted : appeared)[i] - '0');
		bt_strata_free(c);
	}
	c = bt_strata_new("nosuch");
	assert_err(bt_strata_add(c, "", 0, &err), BT_EFORMAT,
	           "has no feature 'nosuch'");
	bt_strata_free(c);
	bt_strata_free(NULL);
}

TEST(classes_in_order)
{
	check_classes(TEXT, "b a b c a", "01021", "10120");
	check_classes(TEXT, "longer z a", "012", "120");
	check_classes(TEXT, "10 9 -1 9", "0121", "2101");
	check_classes(TEXT, "10 9 -1 x", "0123", "1203");
	check_classes(TEXT, "1.5 -2 10", "012", "102");
	check_classes(TEXT, "01 1 0", "012", "120");
	check_classes(INT, "300 7 -1 7", "0121", "2101");
	check_classes(REAL, "300 7.5 -1 7.5", "0121", "2101");
}
