/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* JSON Lines: the values of wanted keys, errors with their places, and the same
 * verdict on any text as a parser of JSON from elsewhere gives. */
#include "files.h"

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/philox.h"
#include "format/jsonl.h"

static const struct bt_span flat[] = {{"a", 1}, {"b", 1}};
static const struct bt_span inner[] = {{"m.a", 3}, {"m.n.b", 5}};
static const struct bt_span unnamed[] = {{"m.", 2}, {".n", 2}};
static const struct bt_span *keys = flat;
static bool with_lists;                /* the values of both may be lists */
static const char kinds[] = "-SKHNLC"; /* by enum bt_jsonl_fault */

static struct bt_jsonl *open_text(const char *s, size_t n, size_t max)
{
	struct bt_error err = {0};
	struct bt_jsonl *j;
	struct bt_in *in;

	file_put("x.jsonl", s, n);
	assert_ok(bt_in_open("x.jsonl", &in, &err));
	assert_ok(bt_jsonl_from(in, keys, 2, max, &j, &err));
	if (with_lists)
		bt_jsonl_allow_list(j, 0);
	if (with_lists)
		bt_jsonl_allow_list(j, 1);
	return j;
}

/* What is read, as a text: [a][b]; or the kind and the message of a bad line.
 */
static void expect_max(const char *text, size_t n, size_t max,
                       const char *wanted)
{
	struct bt_jsonl *j = open_text(text, n, max);
	const struct bt_span *v;
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	size_t k;
	int r, i;

	while ((r = bt_jsonl_next(j, &v, &err)) != 0) {
		if (r < 0) {
			assert_int_not_equal(bt_jsonl_fault(j), BT_JSONL_FINE);
			bt_buf_printf(&b, "%c %s;", kinds[bt_jsonl_fault(j)],
			              err.text);
			bt_error_clear(&err);
			continue;
		}
		for (i = 0; i < 2; i++) {
			bt_buf_puts(&b, v[i].p == NULL ? "null" : "[");
			for (k = 0; v[i].p != NULL && k < v[i].n; k++)
				bt_buf_putc(&b, v[i].p[k] != '\0' ? v[i].p[k]
				                                  : '|');
			if (v[i].p != NULL)
				bt_buf_putc(&b, ']');
			else
				assert_int_equal(v[i].n, 0);
		}
		bt_buf_putc(&b, ';');
	}
	assert_string_equal(bt_buf_str(&b), wanted);
	assert_int_equal(bt_jsonl_offset(j), n);
	bt_buf_clear(&b);
	bt_jsonl_close(j);
}

static void expect(const char *text, const char *wanted)
{
	expect_max(text, strlen(text), 1000, wanted);
}

TEST(good_lines)
{
	expect("{\"a\":\"x\",\"b\":\"y\"}\n{\"b\":1,\"a\":2}\n",
	       "[x][y];[2][1];");
	expect("\xEF\xBB\xBF{\"a\":\"x\",\"b\":\"\"}\r\n\n \t\r\n"
	       " { \"b\" : null , \"a\" : true } ",
	       "[x][];[true]null;");
	expect("{\"a\":-0.50e+07,\"b\":12345678901234567890}",
	       "[-0.50e+07][12345678901234567890];");
	expect("{\"z\":[1,{\"a\":[]},\"\\u00e9\"],\"a\":1,\"y\":{},\"b\":2}",
	       "[1][2];");
	expect(
	    "{\"\\u0061\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"b\":\"x\\u00e9\"}",
	    "[\"\\/\b\f\n\r\t][x\xC3\xA9];");
	expect("{\"a\":\"\\ud83d\\uDE00!\",\"b\":\"\\uffff\\u0800\\u07ff\"}",
	       "[\xF0\x9F\x98\x80!][\xEF\xBF\xBF\xE0\xA0\x80\xDF\xBF];");
}

TEST(bad_lines)
{
	expect("{\"a\":1}\n{\"a\":1,\"b\":2}\n",
	       "K record 1 (line 1): has no key 'b'; its keys are 'a';[1][2];");
	expect("{}", "K record 1 (line 1): has no key 'a', nor any;");
	expect("\n{\"a\":{\"c\":1},\"b\":2}",
	       "H record 1 (line 2): byte 6: 'a' holds an object, expected a "
	       "string, number or boolean;");
	expect("{\"b\":[],\"a\":2}",
	       "H record 1 (line 1): byte 6: 'b' holds a list, expected a "
	       "string, number or boolean;");
	expect("{\"a\":\"\\u0000\",\"b\":2}",
	       "N record 1 (line 1): a NUL in 'a';");
	expect("{\"a\":\"\xFF\",\"b\":2}",
	       "C record 1 (line 1): byte 7: not valid utf-8 (byte FF);");
	expect("{\"a\":\"\\ud83d\",\"b\":2}",
	       "S record 1 (line 1): byte 8: half of a surrogate pair;");
	expect("{\"a\":1,\"a\":2,\"b\":3}",
	       "S record 1 (line 1): byte 12: a key that stands twice;");
	expect("{\"a\":01}",
	       "S record 1 (line 1): byte 7: expected ',' or '}';");
	expect("{\"a\":tru}", "S record 1 (line 1): byte 6: expected a value;");
	expect("{\"a\":NaN}\n{\"c\":[-Infinity]}",
	       "S record 1 (line 1): byte 6: NaN and Infinity are not JSON: "
	       "null stands for a missing value;"
	       "S record 2 (line 2): byte 7: NaN and Infinity are not JSON: "
	       "null stands for a missing value;");
	expect("{\"a\":\"x", "S record 1 (line 1): byte 8: the string is not "
	                     "closed;");
	expect("{\"a\":\"x\ty\"}", "S record 1 (line 1): byte 8: a control "
	                           "character in a string;");
	expect("{\"a\":1}{", "S record 1 (line 1): byte 8: text behind the "
	                     "object;");
	expect("7\n", "S record 1 (line 1): byte 1: expected an object;");
}

/* Members of members. */
TEST(members)
{
	keys = inner;
	expect("{\"m\":{\"a\":1,\"n\":{\"b\":2}}}", "[1][2];");
	expect("{\"m\":{\"n\":{\"x\":[{}],\"b\":\"\\u00e9\"},\"a\":null}}",
	       "null[\xC3\xA9];");
	expect("{\"m.a\":1,\"m\":{\"n.b\":2,\"a.b\":3}}", "[1][2];");
	expect("{\"m\":null}\n{\"m\":{\"a\":1,\"n\":null}}",
	       "nullnull;[1]null;");
	expect("{\"m\":{\"n\":{}},\"a\":1}",
	       "K record 1 (line 1): has no key 'm.a'; the keys of 'm' are "
	       "'n';");
	expect("{\"x\":{\"a\":1}, \"m\" : { } }",
	       "K record 1 (line 1): has no key 'm.a', nor any in 'm';");
	expect("{\"m\":3}",
	       "K record 1 (line 1): has no key 'm.a'; its keys are 'm';");
	expect("{\"m\":[{\"a\":1}]}",
	       "H record 1 (line 1): byte 6: 'm.a' holds a list, expected a "
	       "string, number or boolean;");
	expect("{\"m\":{\"a\":{\"b\":1}}}",
	       "H record 1 (line 1): byte 11: 'm.a' holds an object, expected "
	       "a string, number or boolean;");
	expect("{\"m\":{\"a\":1},\"m\":{\"a\":1}}",
	       "S record 1 (line 1): byte 23: a key that stands twice;");
	expect("{\"m\":{\"a\":1,}}",
	       "S record 1 (line 1): byte 13: expected a key in quotes;");
	expect("{\"m\":{\"a\":1", "S record 1 (line 1): byte 12: expected ',' "
	                          "or '}';");
	keys = flat;
}

/* Lists, and members of the objects of a list. */
TEST(lists)
{
	with_lists = true;
	expect("{\"a\":[\"x\",2,true],\"b\":[ ]}", "[|x|2|true|][|];");
	keys = inner;
	expect("{\"m\":{\"n\":{\"b\":[1]},\"a\":2}}", "[2][|1|];");
	expect("{\"m\": [ {\"a\":\"\\\"\",\"n\":{\"b\":2,\"c\":3}} , "
	       "{\"n\":{\"b\":4},\"a\":\"\"} ] }",
	       "[|\"||][|2|4|];");
	expect("{\"m\":[]}\n{\"m\":{\"a\":1,\"n\":[{\"b\":\"y\"}]}}",
	       "[|][|];[1][|y|];");
	expect("{\"m\":[{\"a\":1,\"n\":null}]}",
	       "K record 1 (line 1): byte 22: an object without a 'n.b' in a "
	       "list of such;");
	expect(
	    "{\"m\":[3]}",
	    "H record 1 (line 1): byte 7: 'm.a' holds a list with other values, "
	    "expected objects;");
	expect("{\"m\":{\"a\":[null]}}",
	       "H record 1 (line 1): byte 12: 'm.a' holds a list with other "
	       "values, expected strings, numbers or booleans;");
	expect("{\"m\":[{\"a\":[1]}]}",
	       "H record 1 (line 1): byte 12: 'a' holds a list, expected a "
	       "string, number or boolean;");
	expect("{\"m\":[{\"a\":1}",
	       "S record 1 (line 1): byte 14: expected ',' or ']';");
	expect("{\"m\":[", "S record 1 (line 1): byte 7: expected an object;");
	expect("{\"m\":[{\"a\":1,\"n.b\":2},]}",
	       "S record 1 (line 1): byte 23: expected an object;");
	keys = unnamed;
	expect("{\"m\":[{\"\":1},{\"\":2}],\"\":[{\"n\":3}]}", "[|1|2|][|3|];");
	expect(
	    "{\"m\":[1],\".n\":2}",
	    "H record 1 (line 1): byte 7: 'm.' holds a list with other values, "
	    "expected objects;");
	keys = flat;
	with_lists = false;
}

/* Keys that are empty, and the deepest ones. */
TEST(odd_keys)
{
	static char inside[4000], s[8000];
	struct bt_span deep[] = {{inside, 0}, {"b", 1}};
	size_t depth, i;

	keys = unnamed;
	expect("{\"m\":{\"\":1},\"\":{\"n\":2}}", "[1][2];");
	expect("{\"m.\":1,\".n\":2}", "[1][2];");
	keys = deep;
	for (depth = 500; depth <= 501; depth++) {
		for (i = 0; i < depth; i++) {
			strcpy(inside + 2 * i, "a.");
			strcpy(s + 5 * i, "{\"a\":");
		}
		strcpy(inside + 2 * depth, "a");
		strcpy(s + 5 * depth, "{\"a\":1}");
		memset(s + 5 * depth + 7, '}', depth - 1);
		strcpy(s + 6 * depth + 6, ",\"b\":2}");
		deep[0].n = strlen(inside);
		expect_max(s, strlen(s), 5000,
		           depth == 500 ? "[1][2];"
		                        : "S record 1 (line 1): byte 2506: "
		                          "nested too deeply;");
	}
	keys = flat;
}

TEST(arrays)
{
	/* how a program prints a list, with and without line ends */
	expect("[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4}]", "[1][2];[3][4];");
	expect(" [\n  {\n    \"a\": \"x\",\n    \"b\": \"]},[{\\\"\"\n  },\r\n"
	       "  {\"b\": null, \"a\": 1}\n]\n",
	       "[x][]},[{\"];[1]null;");
	expect("\xEF\xBB\xBF[]\n", "");
	/* two files behind each other */
	expect("[{\"a\":1,\"b\":2}]\n[]\n[{\"a\":3,\"b\":4}]",
	       "[1][2];[3][4];");
}

TEST(bad_arrays)
{
	static const char text[] =
	    "[{\"a\": \"123456789012345678901234567890\"},"
	    "{\"a\":1,\"b\":2}]";

	/* reading goes on behind what is bad */
	expect("[\n1,\n\"a\",\n[{\"a\":1}],\n{\"a\":1,},\n{\"a\":1,\"b\":2}]",
	       "S record 1 (line 2): byte 1: expected an object;"
	       "S record 2 (line 3): byte 1: expected an object;"
	       "S record 3 (line 4): byte 1: a list, expected an object;"
	       "S record 4 (line 5): byte 8: expected a key in quotes;"
	       "[1][2];");
	expect("[{\"a\":1,\"b\":2}\n {\"a\":0,\"b\":0},{\"a\":3,\"b\":4},]",
	       "[1][2];"
	       "S record 2 (line 2): expected ',' or ']' before the value;"
	       "[3][4];S record 4 (line 2): expected a value behind the ',';");
	expect("[{\"a\":1,\"b\":2}",
	       "[1][2];S record 2 (line 1): the array ends without a ']';");
	expect("[{\"a\":1,\"b\":2},",
	       "[1][2];S record 2 (line 1): the array ends without a ']';");
	expect("[\n{\"a\":1,\n\"b\":\"2",
	       "S record 1 (line 2): byte 15: the string is not closed;"
	       "S record 2 (line 3): the array ends without a ']';");
	/* so does a line end in one, behind which quotes are others: what is
	 * lost is at least told */
	expect("[{\"a\":\"x\ny\",\"b\":1},{\"a\":1,\"b\":2}]",
	       "S record 1 (line 1): byte 8: a control character in a string;"
	       "S record 2 (line 2): the array ends without a ']';");
	expect("[,{\"a\":1,\"b\":2}]",
	       "S record 1 (line 1): expected a value before the ',';[1][2];");
	/* a string that is not closed ends with its line */
	expect("[{\"a\":\"x},\n\"b\":1},{\"a\":1,\"b\":2}]",
	       "S record 1 (line 1): byte 10: a control character in a string;"
	       "[1][2];");
	expect("[] x\n", "S record 1 (line 1): byte 1: expected an object;");
	expect_max(text, strlen(text), 20,
	           "L record 1 (line 1): longer than 20 bytes;[1][2];");
}

TEST(objects_of_several_lines)
{
	expect("{\n\"a\": 1,\n\"b\": 2\n}\n{\"a\":\n3, \"b\": 4}{\"a\":5,"
	       "\"b\":6}",
	       "[1][2];[3][4];[5][6];");
	expect("{\"a\": 1,\n\"b\": 2}\nx, {\n{\n \"a\": 1}\n",
	       "[1][2];S record 2 (line 3): byte 1: expected an object;"
	       "S record 3 (line 3): byte 1: expected an object;"
	       "K record 4 (line 4): has no key 'b'; its keys are 'a';");
	expect("{\n,]}\n]\n{\"a\": 1, \"b\": 2}",
	       "S record 1 (line 1): byte 3: expected a key in quotes;"
	       "S record 2 (line 2): byte 1: expected an object;"
	       "S record 3 (line 3): byte 1: expected an object;[1][2];");
}

TEST(limits)
{
	static const char
	    deep[] = "{\"a\":1,\"b\":2,\"c\":",
	    line[] = "{\"a\":\"12345678\",\"b\":1}\n{\"a\":\"1\",\"b\":2}\n";
	size_t n = sizeof(deep) - 1;
	char *s = malloc(n + 3000);

	expect_max(line, strlen(line), 22, "[12345678][1];[1][2];");
	expect_max(line, strlen(line), 21,
	           "L record 1 (line 1): longer than 21 "
	           "bytes;[1][2];");
	assert_non_null(s);
	memcpy(s, deep, n);
	memset(s + n, '[', 500);
	memset(s + n + 500, ']', 500);
	strcpy(s + n + 1000, "}");
	expect_max(s, strlen(s), 5000, "[1][2];");
	memset(s + n, '[', 501);
	expect_max(s, strlen(s), 5000,
	           "S record 1 (line 1): byte 518: nested too deeply;");
	free(s);
}

/* A line of several blocks of the input, and what follows it. */
TEST(long_lines)
{
	size_t n = (size_t)5 << 20, i;
	struct bt_error err = {0};
	const struct bt_span *v;
	struct bt_jsonl *j;
	char *s = malloc(n + 100);

	assert_non_null(s);
	i = (size_t)sprintf(s, "{\"b\":1,\"a\":\"");
	memset(s + i, 'x', n);
	sprintf(s + i + n, "\"}\n{\"a\":\"y\",\"b\":2}");
	j = open_text(s, strlen(s), BT_JSONL_LINE_MAX);
	assert_int_equal(bt_jsonl_next(j, &v, &err), 1);
	assert_int_equal(v[0].n, n);
	assert_int_equal(bt_jsonl_raw(j).n, i + n + 2);
	assert_int_equal(bt_jsonl_next(j, &v, &err), 1);
	assert_true(bt_span_equal(v[0], bt_span("y")));
	assert_int_equal(bt_jsonl_line(j), 2);
	assert_int_equal(bt_jsonl_next(j, &v, &err), 0);
	bt_jsonl_close(j);
	free(s);
}

/* Their verdict: 1 an object, 0 none, -1 one with a key that stands twice. */
static int judge(const char *s, size_t n, json_t **o)
{
	size_t flags = JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL;
	json_t *twice;
	int r;

	*o = json_loadb(s, n, flags | JSON_REJECT_DUPLICATES, NULL);
	if (*o != NULL)
		return json_is_object(*o);
	twice = json_loadb(s, n, flags, NULL);
	r = json_is_object(twice) ? -1 : 0;
	json_decref(twice);
	return r;
}

static void compare(const char *s, size_t n)
{
	struct bt_error err = {0};
	const struct bt_span *v;
	const json_t *m;
	struct bt_jsonl *j;
	json_t *o;
	int theirs = judge(s, n, &o), r, i;
	enum bt_jsonl_fault fault;

	if (*bt_span_trim((struct bt_span){s, n}, " ").p == '[') {
		json_decref(o);
		return; /* a list of objects, to us */
	}
	j = open_text(s, n, 1000);
	r = bt_jsonl_next(j, &v, &err);
	fault = bt_jsonl_fault(j);
	/* a key of ours that is missing, or nested, ends the look at a line */
	if (theirs >= 0 && r != 0 && fault != BT_JSONL_KEY &&
	    fault != BT_JSONL_NUL && (theirs == 1) != (r == 1))
		fail_msg("'%.*s': %d, %s", (int)n, s, theirs, err.text);
	for (i = 0; r == 1 && theirs == 1 && i < 2; i++) {
		m = json_object_get(o, keys[i].p);
		assert_non_null(m);
		if (json_is_string(m))
			assert_true(bt_span_equal(
			    v[i], (struct bt_span){json_string_value(m),
			                           json_string_length(m)}));
	}
	bt_jsonl_close(j);
	json_decref(o);
}

/* Texts that are nearly JSON: seeds with characters changed, added and lost. */
TEST(nearly_json)
{
	static const char *const seeds[] = {
	    "{\"a\":\"x\\u00e9\\n\",\"b\":-1.5e3}",
	    "{\"b\":null,\"c\":[1,{\"d\":[true]},[]],\"a\":\"\\ud83d\\ude00\"}",
	    " { \"a\" : false , \"b\" : 0.1 , \"z\" : {} } ",
	};
	static const char alphabet[] = "{}[]\",:\\/udnfbe0123456789ab.+- \t\r"
	                               "\xC3\xA9\x01\x80tl";
	const size_t letters = sizeof(alphabet) - 1;
	uint32_t x[4], k, i;
	char s[128];
	size_t n, at;

	for (k = 0; k < 20000; k++) {
		const char *seed = seeds[k % 3];

		n = strlen(seed);
		memcpy(s, seed, n + 1);
		for (i = 0; i <= k / 3 % 3; i++) {
			bt_philox(7, (const uint32_t[4]){k, i, 0, 0}, x);
			at = x[0] % n;
			if (x[1] % 3 == 0) {
				s[at] = alphabet[x[2] % letters];
			} else if (x[1] % 3 == 1) {
				memmove(s + at + 1, s + at, n + 1 - at);
				s[at] = alphabet[x[2] % letters];
				n++;
			} else if (n > 2) {
				memmove(s + at, s + at + 1, n - at);
				n--;
			}
		}
		compare(s, n);
	}
}
