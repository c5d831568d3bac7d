/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* YAML: what scalars are, trees, faults with their places, bounds, and that
 * what is written reads back. */
#include "files.h"

#include <math.h>

#include "format/python_repr.h"
#include "garden/yaml.h"

static struct bt_yaml *parse(const char *text)
{
	struct bt_error err = {0};
	struct bt_yaml *v = NULL;

	if (bt_yaml_parse("x.yaml", text, strlen(text), &v, &err) != BT_OK)
		fail_msg("%s: %s", text, err.text);
	return v;
}

static void reads(const char *text, const char *wanted)
{
	struct bt_yaml *v = parse(text);
	struct bt_buf b = BT_BUF_INIT;

	bt_yaml_put_flow(v, &b);
	assert_string_equal(bt_buf_str(&b), wanted);
	bt_buf_clear(&b);
	bt_yaml_free(v);
}

static void faults_n(const char *text, size_t n, int code, const char *wanted)
{
	struct bt_error err = {0};
	struct bt_yaml *v = NULL;

	assert_int_equal(bt_yaml_parse("x.yaml", text, n, &v, &err), code);
	assert_null(v);
	assert_string_equal(err.text, wanted);
}

static void faults(const char *text, const char *wanted)
{
	faults_n(text, strlen(text), BT_EFORMAT, wanted);
}

static const struct {
	const char *text;
	enum bt_yaml_kind kind;
	double value; /* of a number or a boolean */
} scalars[] = {
    {"true", BT_YAML_BOOL, 1},
    {"True", BT_YAML_BOOL, 1},
    {"yes", BT_YAML_BOOL, 1},
    {"on", BT_YAML_BOOL, 1},
    {"false", BT_YAML_BOOL, 0},
    {"no", BT_YAML_BOOL, 0},
    {"off", BT_YAML_BOOL, 0},
    {"OFF", BT_YAML_BOOL, 0},
    {"y", BT_YAML_STR, 0},
    {"n", BT_YAML_STR, 0},
    {"tRUE", BT_YAML_STR, 0},
    {"null", BT_YAML_NULL, 0},
    {"~", BT_YAML_NULL, 0},
    {"", BT_YAML_NULL, 0},
    {"None", BT_YAML_STR, 0},
    {"1e-5", BT_YAML_REAL, 1e-5},
    {"3e5", BT_YAML_REAL, 3e5},
    {"1E-5", BT_YAML_REAL, 1e-5},
    {"-2e+3", BT_YAML_REAL, -2000},
    {"3.0e-05", BT_YAML_REAL, 3e-5},
    {"1.5e-5", BT_YAML_REAL, 1.5e-5},
    {"3.0E+5", BT_YAML_REAL, 3e5},
    {".5", BT_YAML_REAL, .5},
    {".5e-3", BT_YAML_REAL, .5e-3},
    {"1.", BT_YAML_REAL, 1},
    {"-0.25", BT_YAML_REAL, -.25},
    {"1_0.5_0", BT_YAML_REAL, 10.5},
    {"3.0e5", BT_YAML_STR, 0},
    {".5e3", BT_YAML_STR, 0},
    {"-.5", BT_YAML_STR, 0},
    {"1e", BT_YAML_STR, 0},
    {"e5", BT_YAML_STR, 0},
    {".", BT_YAML_STR, 0},
    {"-", BT_YAML_STR, 0},
    {"0", BT_YAML_INT, 0},
    {"-12", BT_YAML_INT, -12},
    {"+7", BT_YAML_INT, 7},
    {"0x10", BT_YAML_INT, 16},
    {"-0xfF", BT_YAML_INT, -255},
    {"010", BT_YAML_INT, 8},
    {"0b101", BT_YAML_INT, 5},
    {"1_000", BT_YAML_INT, 1000},
    {"08", BT_YAML_STR, 0},
    {"0x", BT_YAML_STR, 0},
    {"0o17", BT_YAML_STR, 0},
    {"1:30", BT_YAML_INT, 90},
    {"-1:30:05", BT_YAML_INT, -5405},
    {"1:30.5", BT_YAML_REAL, 90.5},
    {"1:75", BT_YAML_STR, 0},
    {"0:30", BT_YAML_STR, 0},
    {"2024-01-01", BT_YAML_DATE, 0},
    {"2024-1-1", BT_YAML_STR, 0},
    {"2001-12-14t21:59:43.10-05:00", BT_YAML_DATE, 0},
    {"2001-12-14 21:59:43 Z", BT_YAML_DATE, 0},
    {"2001-12-14 21:59", BT_YAML_STR, 0},
    {".nan", BT_YAML_REAL, (double)NAN},
    {".NAN", BT_YAML_REAL, (double)NAN},
    {"-.inf", BT_YAML_REAL, -HUGE_VAL},
    {"+.Inf", BT_YAML_REAL, HUGE_VAL},
    {"NaN", BT_YAML_STR, 0},
    {"inf", BT_YAML_STR, 0},
    {"gs://bucket/x", BT_YAML_STR, 0},
};

TEST(scalar_types)
{
	size_t i;
	double got;

	for (i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		struct bt_yaml v = {0};
		struct bt_error err = {0};

		assert_ok(bt_yaml_scalar(scalars[i].text, &v, &err));
		if (v.kind != scalars[i].kind)
			fail_msg("'%s' is %s", scalars[i].text,
			         bt_yaml_kind_name(v.kind));
		got = v.kind == BT_YAML_INT    ? (double)v.whole
		      : v.kind == BT_YAML_BOOL ? (double)v.truth
		                               : v.real;
		if (!(got == scalars[i].value ||
		      (isnan(got) && isnan(scalars[i].value))))
			fail_msg("'%s' is %g", scalars[i].text, got);
		free(v.text);
	}
}

TEST(trees)
{
	reads("a: 1\nb: {c: [x, 'y z', \"1\"], d: }\n",
	      "{a: 1, b: {c: [x, 'y z', '1'], d: null}}");
	reads("{\"a\": [1, 2.5, null, true, \"on\"]}",
	      "{a: [1, 2.5, null, true, 'on']}");
	reads("", "null");
	reads("# nothing but a word\n", "null");
	reads("--- x\n...\n", "x");
	reads("- a\n- - b\n  - {}\n- []\n", "[a, [b, {}], []]");
	reads("a: &x [1, 2]\nb: *x\n", "{a: [1, 2], b: [1, 2]}");
	reads("a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: 2}");
	reads("a: &m {p: 1, q: 2}\nb: {<<: *m, q: 3}\n",
	      "{a: {p: 1, q: 2}, b: {q: 3, p: 1}}");
	reads("b: {<<: [{p: 1}, {p: 2, r: 3}], q: 3}",
	      "{b: {q: 3, p: 1, r: 3}}");
	reads("a: 1\na: 2\n", "{a: 2}");
	reads("a: !!str 1\nb: !!float 1\nc: !!int '7'\nd: ! 5\n",
	      "{a: '1', b: 1.0, c: 7, d: '5'}");
	reads("a: |\n  one\n  two\n", "{a: \"one\\x0atwo\\x0a\"}");
	reads("a: 'it''s'\nb: \"q\\\"\\t\"\n",
	      "{a: 'it''s', b: \"q\\\"\\x09\"}");
	reads("[1e-5, 1e6, 1e22, -0.0, 0.0001, 123456.75, .inf, -.inf, .nan]",
	      "[1.0e-05, 1000000.0, 1.0e+22, -0.0, 0.0001, 123456.75, .inf, "
	      "-.inf, .nan]");
}

TEST(bad_texts)
{
	faults("a: b: c\n",
	       "x.yaml:1: mapping values are not allowed in this context");
	faults("a: 1\nb: *x\n", "x.yaml:2: the anchor 'x' is not defined");
	faults("a: &x [*x]\n", "x.yaml:1: a value that holds itself");
	faults("a: 1\n--- \nb: 2\n", "x.yaml:2: a second document begins");
	faults("[1]: 2\n", "x.yaml:1: a key that is not a name");
	faults("a:\n  b: !!python/object:os.system x\n",
	       "x.yaml:2: a value of type 'python/object:os.system', which no "
	       "configuration has");
	faults("a: !!set {b, c}",
	       "x.yaml:1: a value of type 'tag:yaml.org,2002:set', which no "
	       "configuration has");
	faults("a: !!int x\n", "x.yaml:1: 'x' is not a whole number");
	faults(
	    "a: 99999999999999999999\n",
	    "x.yaml:1: '99999999999999999999' is not a whole number of 64 bits");
	faults("a: 0x_\n", "x.yaml:1: '0x_' is not a whole number of 64 bits");
	faults("a: {<<: 3}\n",
	       "x.yaml:1: '<<' takes a mapping or a list of them");
	faults("a: \"\\0\"\n", "x.yaml:1: a value with a NUL character in it");
	faults("\"\\0\": 1\n", "x.yaml:1: a key with a NUL character in it");
	faults("a: \xff\n", "x.yaml:1: invalid leading UTF-8 octet");
}

/* Each level names the one before nine times. */
TEST(bombs)
{
	struct bt_buf b = BT_BUF_INIT;
	char deep[300];
	int i, j;

	bt_buf_puts(&b, "l0: &l0 x\n");
	for (i = 1; i < 12; i++) {
		bt_buf_printf(&b, "l%d: &l%d [", i, i);
		for (j = 0; j < 9; j++)
			bt_buf_printf(&b, "%s*l%d", j > 0 ? ", " : "", i - 1);
		bt_buf_puts(&b, "]\n");
	}
	faults_n(b.data, b.len, BT_ELIMIT,
	         "x.yaml:6: there are more than 20000 values, aliases counted "
	         "as what they stand for");
	bt_buf_clear(&b);
	memset(deep, '[', sizeof(deep));
	faults_n(deep, sizeof(deep), BT_ELIMIT,
	         "x.yaml:1: values nested deeper than 64");
	for (i = 0; i < 300000; i++)
		bt_buf_puts(&b, "- 1\n");
	faults_n(b.data, b.len, BT_ELIMIT,
	         "x.yaml: more than 1048576 bytes of YAML");
	faults_n(b.data, 100000, BT_ELIMIT,
	         "x.yaml:20000: there are more than 20000 values, aliases "
	         "counted as what they stand for");
	bt_buf_clear(&b);
}

TEST(files)
{
	struct bt_error err = {0};
	struct bt_yaml *v = NULL;

	file_put("y.yaml", "a:\n  - 1\n", 9);
	assert_ok(bt_yaml_load("y.yaml", &v, &err));
	assert_int_equal(bt_yaml_get(v, "a")->item[0]->line, 2);
	bt_yaml_free(v);
	v = NULL;
	assert_int_equal(bt_yaml_load("none.yaml", &v, &err), BT_EIO);
	assert_null(v);
}

TEST(python_numbers)
{
	static const struct {
		double v;
		const char *s;
	} t[] = {{0, "0.0"},
	         {-0.0, "-0.0"},
	         {1, "1.0"},
	         {0.9986154437065125, "0.9986154437065125"},
	         {1e-4, "0.0001"},
	         {1.5e-5, "1.5e-05"},
	         {1e-5, "1e-05"},
	         {1e15, "1000000000000000.0"},
	         {1e16, "1e+16"},
	         {123456789012345680.0, "1.2345678901234568e+17"},
	         {-2.5, "-2.5"},
	         {100, "100.0"},
	         {1e100, "1e+100"},
	         {0.1f, "0.10000000149011612"},
	         {12.0625, "12.0625"}};
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		bt_buf_reset(&b);
		bt_py_real(t[i].v, &b);
		assert_string_equal(bt_buf_str(&b), t[i].s);
	}
	bt_buf_reset(&b);
	bt_py_str("it's", &b);
	bt_py_str("a\"b'\\", &b);
	assert_string_equal(bt_buf_str(&b), "\"it's\"'a\"b\\'\\\\'");
	bt_buf_clear(&b);
}
