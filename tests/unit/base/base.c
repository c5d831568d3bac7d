/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bitpack.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/opt.h"
#include "base/philox.h"
#include "base/pool.h"
#include "base/softmax.h"
#include "base/suggest.h"
#include "base/sys.h"
#include "files.h"

static void text_put(const char *name, const char *text)
{
	file_put(name, text, strlen(text));
}

static void end_of_memory(void)
{
	bt_cleanup_run();
	_exit(7);
}

/* A process that asks for little until there is none. */
static void use_up(void)
{
	struct rlimit most = {(rlim_t)256 << 20, (rlim_t)256 << 20};
	void *p;

	bt_mem_on_failure(end_of_memory);
	bt_cleanup_note("unfinished");
	if (setrlimit(RLIMIT_AS, &most) != 0)
		_exit(1);
	do
		p = bt_array(BT_SMALL - 1, 1);
	while (p != NULL);
	_exit(2);
}

TEST(little_memory_never_fails)
{
	const char *kind = getenv("TEST_KIND");
	pid_t child;
	int status;

	if (kind != NULL && *kind != '\0')
		skip(); /* the process has another allocator, or another size */
	text_put("unfinished", "x");
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		use_up();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_int_not_equal(access("unfinished", F_OK), 0);
}

TEST(sizes)
{
	size_t n = 7;

	assert_true(bt_size_mul(3, 5, &n));
	assert_int_equal(n, 15);
	assert_false(bt_size_mul(SIZE_MAX / 2, 3, &n));
	assert_false(bt_size_add(SIZE_MAX, 1, &n));
	assert_int_equal(n, 15);
	assert_null(bt_array(SIZE_MAX / 2, 3));
	assert_int_equal(bt_round_up(65, 64), 128);
}

TEST(first_error_stays)
{
	struct bt_error err = {0};

	assert_int_equal(bt_error_set(&err, BT_ECORRUPT, "one %d", 1),
	                 BT_ECORRUPT);
	assert_int_equal(bt_error_set(&err, BT_EIO, "two"), BT_EIO);
	assert_int_equal(err.code, BT_ECORRUPT);
	assert_int_equal(bt_error_prefix(&err, "'f'"), BT_ECORRUPT);
	assert_string_equal(err.text, "'f': one 1");
	assert_int_equal(bt_error_set(NULL, BT_EIO, "nowhere"), BT_EIO);
}

TEST(buf_decimal)
{
	static const int64_t v[] = {0,     9,     10,        -1,
	                            30522, -4096, INT64_MAX, INT64_MIN};
	struct bt_buf b = BT_BUF_INIT;
	char s[32];
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		bt_buf_reset(&b);
		bt_buf_decimal(&b, v[i]);
		snprintf(s, sizeof(s), "%lld", (long long)v[i]);
		assert_string_equal(bt_buf_str(&b), s);
	}
	bt_buf_clear(&b);
}

TEST(buffers)
{
	struct bt_buf b = BT_BUF_INIT;
	char *s;
	int i;

	assert_string_equal(bt_buf_str(&b), "");
	for (i = 0; i < 1000; i++)
		bt_buf_printf(&b, "%d,", i % 10);
	assert_int_equal(b.len, 2000);
	bt_buf_putc(&b, '\0');
	bt_buf_puts(&b, "end");
	assert_int_equal(b.len, 2004);
	s = bt_buf_detach(&b);
	assert_memory_equal(s + 1996, "8,9,\0end", 9);
	free(s);
	assert_int_equal(b.len, 0);
}

TEST(numbers)
{
	int64_t i = 5;
	double d = 5;
	size_t n = 5;
	uint64_t u = 5;

	assert_int_equal(bt_parse_i64("-12", -20, 20, &i), 0);
	assert_int_equal(i, -12);
	assert_int_equal(bt_parse_i64("21", -20, 20, &i), BT_EARG);
	assert_int_equal(bt_parse_i64("1x", -20, 20, &i), BT_EARG);
	assert_int_equal(bt_parse_i64(" 1", -20, 20, &i), BT_EARG);
	assert_int_equal(bt_parse_i64("", -20, 20, &i), BT_EARG);
	assert_int_equal(
	    bt_parse_i64("99999999999999999999", INT64_MIN, INT64_MAX, &i),
	    BT_EARG);
	assert_int_equal(i, -12);
	assert_int_equal(bt_parse_u64("18446744073709551615", &u), 0);
	assert_true(u == UINT64_MAX);
	assert_int_equal(bt_parse_u64("-1", &u), BT_EARG);
	assert_int_equal(bt_parse_f64("1e-4", 0, 1, &d), 0);
	assert_true(d == 1e-4);
	assert_int_equal(bt_parse_f64("nan", 0, 1, &d), BT_EARG);
	assert_int_equal(bt_parse_f64("0x1p3", 0, 10, &d), BT_EARG);
	assert_int_equal(bt_parse_f64("1e999", 0, INFINITY, &d), BT_EARG);
	assert_int_equal(bt_parse_bytes("3", &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(bt_parse_bytes("2k", &n), 0);
	assert_int_equal(n, 2048);
	assert_int_equal(bt_parse_bytes("1G", &n), 0);
	assert_int_equal(n, 1 << 30);
	assert_int_equal(bt_parse_bytes("99999999T", &n), BT_EARG);
	assert_int_equal(bt_parse_bytes("1KB", &n), BT_EARG);
}

TEST(shortest_floats)
{
	static const float v[] = {0.1f, 1.0f / 3, 1e-30f, 16777217.0f, 0.3f};
	char s[32];
	size_t i;

	assert_int_equal(bt_format_f32(s, sizeof(s), 0.1f), 3);
	assert_string_equal(s, "0.1");
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		bt_format_f32(s, sizeof(s), v[i]);
		assert_true(strtof(s, NULL) == v[i]);
	}
	bt_format_f64(s, sizeof(s), 1.0 / 3);
	assert_true(strtod(s, NULL) == 1.0 / 3);
	/* powers of two whose shortest decimal is not the nearest */
	bt_format_f32(s, sizeof(s), ldexpf(1, -96));
	assert_string_equal(s, "1.2621775e-29");
	bt_format_f32(s, sizeof(s), -ldexpf(1, 87));
	assert_string_equal(s, "-1.5474251e+26");
	bt_format_f64(s, sizeof(s), ldexp(1, -44));
	assert_string_equal(s, "5.684341886080802e-14");
	/* numbers with few digits to tell apart, and the largest */
	bt_format_f32(s, sizeof(s), ldexpf(1, -149));
	assert_string_equal(s, "1e-45");
	bt_format_f64(s, sizeof(s), ldexp(1, -1074));
	assert_string_equal(s, "5e-324");
	bt_format_f32(s, sizeof(s), FLT_MAX);
	assert_string_equal(s, "3.4028235e+38");
	bt_format_f32(s, sizeof(s), -0.0f);
	assert_string_equal(s, "-0");
}

/* Known answers published with the generator (Random123, kat_vectors). */
TEST(philox_known_answers)
{
	static const uint32_t ones[4] = {~0u, ~0u, ~0u, ~0u};
	static const uint32_t zeros[4] = {0, 0, 0, 0};
	static const uint32_t pi[4] = {0x243f6a88, 0x85a308d3, 0x13198a2e,
	                               0x03707344};
	uint32_t out[4];

	bt_philox(0, zeros, out);
	assert_int_equal(out[0], 0x6627e8d5);
	assert_int_equal(out[3], 0x9b00dbd8);
	bt_philox(~0ull, ones, out);
	assert_int_equal(out[0], 0x408f276d);
	assert_int_equal(out[3], 0x6d5451fd);
	bt_philox(0x299f31d0a4093822ull, pi, out);
	assert_int_equal(out[0], 0xd16cfe09);
	assert_int_equal(out[3], 0x24126ea1);
}

TEST(random_numbers)
{
	double v[2], sum = 0, squares = 0;
	uint32_t perm[100], seen[100] = {0};
	int i;

	for (i = 0; i < 20000; i++) {
		bt_random_normal(1, BT_PURPOSE_INIT, 0, (uint64_t)i, 2, v);
		assert_true(fabs(v[0]) <= 2 && fabs(v[1]) <= 2);
		sum += v[0] + v[1];
		squares += v[0] * v[0] + v[1] * v[1];
	}
	assert_true(fabs(sum / 40000) < 0.02);
	/* the variance of a normal cut off at two deviations is 0.7737 */
	assert_true(fabs(squares / 40000 - 0.7737) < 0.02);
	bt_random_order(7, BT_PURPOSE_SHUFFLE, 3, perm, 100);
	for (i = 0; i < 100; i++)
		seen[perm[i]]++;
	for (i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	for (i = 0; i < 1000; i++)
		assert_true(bt_random_below(7, 9, 0, (uint64_t)i, 3) < 3);
}

/* Numbers of every width, set and appended, and what stands beside them. */
TEST(packed_numbers)
{
	static const uint32_t max[] = {0, 1, 3, 15, 255, 65535, UINT32_MAX};
	struct bt_bitpack p, grown = BT_BITPACK_INIT;
	size_t k, i;

	for (k = 0; k < sizeof(max) / sizeof(max[0]); k++) {
		assert_int_equal(bt_bitpack_init(&p, 200, max[k]), BT_OK);
		for (i = 0; i < 200; i++)
			assert_int_equal(bt_bitpack_get(&p, i), 0);
		for (i = 0; i < 200; i += 2)
			bt_bitpack_set(&p, i, max[k]);
		for (i = 0; i < 200; i += 4)
			bt_bitpack_set(&p, i, max[k] / 2);
		for (i = 0; i < 200; i++)
			assert_int_equal(bt_bitpack_get(&p, i),
			                 i % 2 ? 0 : max[k] / (i % 4 ? 1 : 2));
		bt_bitpack_clear(&p);
		for (i = 0; i < 99; i++)
			assert_int_equal(
			    bt_bitpack_add(&grown, i % 3 ? 0 : max[k]), BT_OK);
	}
	assert_int_equal(grown.n, k * 99);
	for (i = 0; i < grown.n; i++)
		assert_int_equal(bt_bitpack_get(&grown, i),
		                 i % 99 % 3 ? 0 : max[i / 99]);
	bt_bitpack_clear(&grown);
	assert_int_equal(bt_bitpack_init(&p, 0, 5), BT_OK);
	bt_bitpack_clear(&p);
}

static void count_piece(void *arg, int piece, int worker)
{
	atomic_int *counts = arg;

	(void)worker;
	atomic_fetch_add(&counts[piece], 1);
}

TEST(pool_runs_each_piece_once)
{
	static atomic_int counts[500];
	struct bt_error err = {0};
	struct bt_pool *pool;
	int threads, round, i;

	for (threads = 1; threads <= 5; threads++) {
		assert_ok(bt_pool_new(threads, &pool, &err));
		assert_int_equal(bt_pool_threads(pool), threads);
		memset(counts, 0, sizeof(counts));
		for (round = 0; round < 50; round++)
			bt_pool_run(pool, count_piece, counts, round * 10);
		for (i = 0; i < 490; i++)
			assert_int_equal(counts[i], 50 - 1 - i / 10);
		bt_pool_free(pool);
	}
	bt_pool_free(NULL);
}

struct values {
	struct bt_common common;
	const char *text;
	int64_t length, level;
	double rate, share;
	bool flag;
	struct bt_opt_maybe number;
	const char *kind, *pool;
	struct bt_opt_list models;
};

static const struct bt_opt options[] = {
    BT_STR('t', "text", "COL", "text", values, text),
    BT_INT(0, "length", "N", "length [5]", values, length, 1, 10),
    BT_BARE(BT_OPT_INT, "level", "L", "level", values, level, 1, 19, "3"),
    BT_BARE(BT_OPT_REAL, "share", "S", "share", values, share, .1, 1, ".8"),
    BT_REAL(0, "rate", "X", "rate", values, rate, 0, 1),
    BT_MAYBE("number", "N", "number", values, number),
    BT_FLAG('f', "flag", "flag", values, flag),
    BT_STR(0, "kind", "hf|google", "kind", values, kind),
    BT_BARE(BT_OPT_STR, "pool", "auto|mean", "pool", values, pool, 0, 0,
            "auto"),
    BT_LIST('m', "model", "DIR", "model", values, models),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {"x", "[FILE]", "Does x.", "x y", options};

static struct bt_opt_again again;

static enum bt_opt_result parse(struct values *v, struct bt_error *err,
                                const char *line, int *operand, char **argv,
                                char *copy)
{
	int argc = 0;
	char *word;

	memset(v, 0, sizeof(*v));
	err->code = 0;
	err->text[0] = '\0';
	strcpy(copy, line);
	for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return bt_opt_parse(&tool, argc, argv, v, operand, &again, err);
}

TEST(options_parse)
{
	struct bt_error err = {0};
	char *argv[20], copy[200];
	struct values v;
	int at;

	assert_int_equal(parse(&v, &err,
	                       "x a --length 7 -t col -fvv --rate=.5 -m A "
	                       "--model B --seed 9 -j3 -- -z",
	                       &at, argv, copy),
	                 BT_OPT_RUN);
	assert_null(again.name); /* a list, and a count */
	assert_string_equal(v.text, "col");
	assert_int_equal(v.length, 7);
	assert_true(v.rate == 0.5 && v.flag);
	assert_int_equal(v.common.verbose, 2);
	assert_int_equal(v.common.threads, 3);
	assert_int_equal(v.common.seed, 9);
	assert_int_equal(v.models.n, 2);
	assert_string_equal(v.models.item[1], "B");
	assert_string_equal(argv[at], "a");
	assert_string_equal(argv[at + 1], "-z");
	assert_false(v.number.given);
	assert_int_equal(
	    parse(&v, &err, "x --number 18446744073709551615", &at, argv, copy),
	    BT_OPT_RUN);
	assert_true(v.number.given && v.number.n == UINT64_MAX);
	assert_int_equal(parse(&v, &err, "x --number 0", &at, argv, copy),
	                 BT_OPT_RUN);
	assert_true(v.number.given && v.number.n == 0);
	assert_int_equal(parse(&v, &err, "x -t a --length 3 --length 3 -t b",
	                       &at, argv, copy),
	                 BT_OPT_RUN);
	assert_string_equal(again.before, "a");
	assert_string_equal(again.value, "b");
	assert_int_equal(parse(&v, &err,
	                       "x -t a -m A --override -t b --seed 3 -m B", &at,
	                       argv, copy),
	                 BT_OPT_RUN);
	assert_null(again.name);
	assert_string_equal(v.text, "b");
	assert_int_equal(v.models.n, 2);
	/* two values of one hand, before or behind */
	assert_int_equal(
	    parse(&v, &err, "x --override -t b --seed 3 -t c", &at, argv, copy),
	    BT_OPT_RUN);
	assert_string_equal(again.before, "b");
	assert_int_equal(
	    parse(&v, &err, "x -t a -t b --override -t b", &at, argv, copy),
	    BT_OPT_RUN);
	assert_string_equal(again.value, "b");
	assert_int_equal(parse(&v, &err, "x --help", &at, argv, copy),
	                 BT_OPT_HELP_ASKED);
	assert_int_equal(parse(&v, &err, "x --version", &at, argv, copy),
	                 BT_OPT_VERSION_ASKED);
}

/* A value may follow behind "=" only: the next word is an operand. */
TEST(optional_values)
{
	struct bt_error err = {0};
	char *argv[20], copy[200], help[2000];
	struct values v;
	FILE *f;
	int at;

	assert_int_equal(parse(&v, &err, "x a", &at, argv, copy), BT_OPT_RUN);
	assert_int_equal(v.level, 0);
	assert_int_equal(parse(&v, &err, "x --level 19", &at, argv, copy),
	                 BT_OPT_RUN);
	assert_int_equal(v.level, 3);
	assert_string_equal(argv[at], "19");
	assert_int_equal(parse(&v, &err, "x --level=19 a", &at, argv, copy),
	                 BT_OPT_RUN);
	assert_int_equal(v.level, 19);
	assert_string_equal(argv[at], "a");
	assert_int_equal(parse(&v, &err, "x --share .5", &at, argv, copy),
	                 BT_OPT_RUN);
	assert_true(v.share == .8);
	assert_int_equal(parse(&v, &err, "x --share=.5", &at, argv, copy),
	                 BT_OPT_RUN);
	assert_true(v.share == .5);
	f = fmemopen(help, sizeof(help), "w");
	assert_non_null(f);
	bt_opt_help(&tool, f);
	fclose(f);
	assert_non_null(strstr(help, "--level[=L]"));
	assert_non_null(strstr(help, "--pool [auto|mean]"));
}

/* One of the choices is a value, too, where it is the next word. */
TEST(optional_choice)
{
	static const struct {
		const char *line, *pool, *operand;
	} good[] = {
	    {"x --pool a", "auto", "a"},
	    {"x --pool mean a", "mean", "a"},
	    {"x a --pool mean b", "mean", "a"},
	    {"x --pool=mean auto", "mean", "auto"},
	    {"x --pool -f mean", "auto", "mean"},
	    {"x --pool -- mean", "auto", "mean"},
	    {"x mean --pool", "auto", "mean"},
	};
	const struct bt_opt *row[20];
	struct bt_error err = {0};
	char *argv[20], copy[200];
	struct values v;
	size_t i;
	int at;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(parse(&v, &err, good[i].line, &at, argv, copy),
		                 BT_OPT_RUN);
		assert_string_equal(v.pool, good[i].pool);
		assert_string_equal(argv[at], good[i].operand);
	}
	assert_int_equal(parse(&v, &err, "x --pool maen", &at, argv, copy),
	                 BT_OPT_MISTAKE);
	assert_non_null(strstr(err.text, "did you mean 'mean'"));
	assert_int_equal(
	    parse(&v, &err, "x --pool mean --pool auto", &at, argv, copy),
	    BT_OPT_RUN);
	assert_string_equal(again.before, "mean");
	strcpy(copy, "x");
	argv[0] = copy;
	argv[1] = (char[]){"--pool"};
	argv[2] = (char[]){"mean"};
	argv[3] = NULL;
	bt_opt_rows(&tool, 3, argv, row);
	assert_string_equal(row[2]->name, "pool");
}

TEST(hexadecimal_digits)
{
	assert_int_equal(bt_parse_hex4("00e9"), 0xe9);
	assert_int_equal(bt_parse_hex4("FfFf0"), 0xffff);
	assert_int_equal(bt_parse_hex4("00g0"), -1);
	assert_int_equal(bt_parse_hex4("12"), -1);
	assert_int_equal(bt_parse_hex4(""), -1);
}

TEST(names_that_are_near)
{
	assert_int_equal(bt_suggest_distance("", ""), 0);
	assert_int_equal(bt_suggest_distance("kitten", "sitting"), 3);
	assert_int_equal(bt_suggest_distance("abc", ""), 3);
	assert_int_equal(bt_suggest_distance("label", "lable"), 1);
	assert_int_equal(bt_suggest_distance("ca", "abc"), 3);
	assert_int_equal(bt_suggest_distance("abcd", "badc"), 2);
	assert_true(bt_suggest_words("epochs", "num_train_epochs"));
	assert_true(
	    bt_suggest_words("batch-size", "per_device_train_batch_size"));
	assert_true(bt_suggest_words("learning-rate", "lr"));
	assert_false(bt_suggest_words("learning-rate", "l"));
	assert_false(bt_suggest_words("learning-rate", "lrs"));
	assert_false(bt_suggest_words("batch-size", "size"));
	assert_false(bt_suggest_words("out", "output"));
	assert_false(bt_suggest_words("labels", "l"));
}

TEST(names_of_other_programs)
{
	const struct bt_suggest_known *k = bt_suggest_known_next(NULL, "FP16");

	assert_string_equal(k->ours, "dtype bf16");
	assert_null(bt_suggest_known_next(k, "FP16"));
	k = bt_suggest_known_next(NULL, "max_seq_length");
	assert_string_equal(k->ours, "max-length");
	assert_int_equal(k->instead, BT_HINT_TOKENIZE_LENGTH);
	/* neither the beginning nor the end of a name */
	assert_null(bt_suggest_known_next(NULL, "max-seq"));
	assert_null(bt_suggest_known_next(NULL, "seq-length-x"));
	assert_null(bt_suggest_known_next(NULL, ""));
}

TEST(option_mistakes)
{
	static const char *const cases[][2] = {
	    {"x --nosuch", "unknown option '--nosuch'"},
	    {"x --lengths 3",
	     "unknown option '--lengths'; did you mean '--length'?"},
	    {"x --line_length=3",
	     "'--line_length=3'; did you mean '--length'?"},
	    {"x --flga", "unknown option '--flga'; did you mean '--flag'?"},
	    {"x --l 3", "option '--l' is ambiguous: --length, --level"},
	    {"x --le=3", "option '--le' is ambiguous: --length, --level"},
	    {"x -z", "unknown option '-z'"},
	    {"x --length", "option '--length' needs a value"},
	    {"x -t", "option '-t' needs a value"},
	    {"x --flag=1", "option '--flag=1' takes no value"},
	    {"x --flag True a", "'--flag' takes no value: leave out 'True'"},
	    {"x a --flag 12", "'--flag' takes no value: leave out '12'"},
	    {"x -qq NO", "'--quiet' takes no value: leave it out for 'NO'"},
	    {"x --length 11", "bad value '11' for --length"},
	    {"x --length 5x", "expected a whole number from 1 to 10"},
	    {"x --level=20", "bad value '20' for --level: expected a whole"},
	    {"x --level=", "bad value '' for --level"},
	    {"x --share=2", "bad value '2' for --share: expected a number"},
	    {"x --rate 2", "expected a number from 0 to 1"},
	    {"x --kind bert", "expected hf|google"},
	    {"x --kind h", "expected hf|google"},
	    {"x --kind goggle", "expected hf|google; did you mean 'google'?"},
	    {"x --number -1", "bad value '-1' for --number"},
	    {"x --seed -1", "bad value '-1' for --seed"},
	};
	struct bt_error err = {0};
	char *argv[20], copy[200];
	struct values v;
	size_t i;
	int at;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&v, &err, cases[i][0], &at, argv, copy),
		                 BT_OPT_MISTAKE);
		if (strstr(err.text, cases[i][1]) == NULL)
			fail_msg("%s: %s", cases[i][0], err.text);
	}
}

TEST(available_memory)
{
	static const char *const folders[] = {
	    "m",
	    "m/proc",
	    "m/proc/self",
	    "m/sys",
	    "m/sys/fs",
	    "m/sys/fs/cgroup",
	    "m/sys/fs/cgroup/a",
	    "m/sys/fs/cgroup/a/b",
	    "m/sys/fs/cgroup/memory",
	    "m/sys/fs/cgroup/memory/c",
	};
	size_t i;

	assert_true(bt_available_memory("nosuch") == UINT64_MAX);
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		(void)mkdir(folders[i], 0777);
	text_put("m/proc/meminfo",
	         "MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable:   5000 kB\n");
	assert_true(bt_available_memory("m") == 5000 * 1024);

	/* version 2: a limit of the group, then a lower one above it */
	text_put("m/proc/self/cgroup", "0::/a/b\n");
	text_put("m/sys/fs/cgroup/a/b/memory.max", "3000000\n");
	text_put("m/sys/fs/cgroup/a/b/memory.current", "2000000\n");
	assert_true(bt_available_memory("m") == 1000000);
	text_put("m/sys/fs/cgroup/a/b/memory.stat",
	         "anon 1\ninactive_file 500000\nactive_file 7\n");
	assert_true(bt_available_memory("m") == 1500000);
	text_put("m/sys/fs/cgroup/a/memory.current", "2500000\n");
	text_put("m/sys/fs/cgroup/a/memory.max", "max\n");
	assert_true(bt_available_memory("m") == 1500000);
	text_put("m/sys/fs/cgroup/a/memory.max", "2400000\n");
	assert_true(bt_available_memory("m") == 0);

	/* version 1, with a path that is not there: the mount is the group */
	text_put("m/proc/self/cgroup",
	         "3:cpu:/a/b\n2:memory:/c\n1:name=systemd:/\n");
	text_put("m/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "4000000");
	text_put("m/sys/fs/cgroup/memory/c/memory.usage_in_bytes", "1");
	assert_true(bt_available_memory("m") == 3999999);
	text_put("m/proc/self/cgroup", "2:memory:/host/path\n");
	assert_true(bt_available_memory("m") == 5000 * 1024);
	text_put("m/sys/fs/cgroup/memory/memory.limit_in_bytes",
	         "9223372036854771712");
	text_put("m/sys/fs/cgroup/memory/memory.usage_in_bytes", "77");
	assert_true(bt_available_memory("m") == 5000 * 1024);
	text_put("m/sys/fs/cgroup/memory/memory.limit_in_bytes", "99");
	assert_true(bt_available_memory("m") == 22);
	assert_true(bt_available_memory("") > 0);
}

/* What is quoted in a message does not steer the terminal. */
TEST(messages_are_printable)
{
	char text[] = "a\x1B[31mb\r\n\x7F\xC2\x9B\xC3\xA9\xC2\xA0\xC2";

	bt_printable(text);
	assert_string_equal(text, "a?[31mb????\?\xC3\xA9\xC2\xA0\xC2");
}

TEST(softmax_of_large_numbers)
{
	static const float x[] = {1000, -3, 1000, 7, -INFINITY, 0};
	static const float low[] = {-INFINITY, -2000};

	assert_true(bt_log_sum_exp(x, 3, 2) == 1000 + log(2));
	assert_true(fabs(bt_cross_entropy(x, 3, 2, 1) - log(2)) < 1e-12);
	assert_true(bt_cross_entropy(x + 1, 3, 2, 0) > 10);
	assert_true(bt_log_sum_exp(low, 2, 1) == -2000);
}
