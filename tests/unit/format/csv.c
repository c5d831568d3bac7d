/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/*
 * The rows of a CSV file. What is read is written down as a text, fields in
 * brackets, bad rows by number, line and kind, and compared with what was
 * expected, or with what a second, naive reader makes of the same bytes.
 */
#include "files.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/sys.h"
#include "format/csv.h"

static const char kinds[] = "-FQNL"; /* by enum bt_csv_fault */

static void put_row(struct bt_buf *b, const struct bt_span *fields, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		bt_buf_putc(b, '[');
		bt_buf_put(b, fields[i].p, fields[i].n);
		bt_buf_putc(b, ']');
	}
	bt_buf_putc(b, ';');
}

/* What bt_csv makes of the file, as a text; the last message in err. */
static int describe(const char *path, const struct bt_csv_opts *opts,
                    struct bt_buf *b, struct bt_error *err)
{
	const struct bt_span *fields;
	struct bt_csv *c;
	char *colon;
	int r;

	bt_buf_reset(b);
	bt_error_clear(err);
	r = bt_csv_open(path, opts, &c, err);
	if (r != BT_OK)
		return r;
	if (bt_csv_names(c) != NULL) {
		bt_buf_putc(b, '#');
		put_row(b, bt_csv_names(c), bt_csv_width(c));
	}
	for (;;) {
		struct bt_error why = {0};

		r = bt_csv_next(c, &fields, &why);
		if (r == 1) {
			put_row(b, fields, bt_csv_width(c));
			continue;
		}
		if (r == 0 || bt_csv_fault(c) == BT_CSV_FINE)
			break;
		assert_int_equal(why.code, r);
		*err = why;
		colon = strchr(why.text, ':');
		assert_non_null(colon);
		*colon = '\0';
		bt_buf_printf(b, "%c %s;", kinds[bt_csv_fault(c)], why.text);
	}
	bt_csv_close(c);
	return r;
}

static void expect_bytes(const char *text, size_t n,
                         const struct bt_csv_opts *opts, const char *wanted)
{
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;

	file_put("x.csv", text, n);
	assert_ok(describe("x.csv", opts, &b, &err));
	assert_string_equal(bt_buf_str(&b), wanted);
	bt_buf_clear(&b);
}

static void expect(const char *text, const struct bt_csv_opts *opts,
                   const char *wanted)
{
	expect_bytes(text, strlen(text), opts, wanted);
}

static const struct bt_csv_opts plain = BT_CSV_OPTS_INIT;

static struct bt_csv_opts bare(void)
{
	struct bt_csv_opts o = plain;

	o.header = false;
	return o;
}

TEST(usual_files)
{
	struct bt_csv_opts o = bare();

	expect("a,b\n1,2\n3,4\n", &plain, "#[a][b];[1][2];[3][4];");
	expect("a,b\r\n1,2\r\n3,4", &plain, "#[a][b];[1][2];[3][4];");
	expect("a,b\r1,2\r3,4\r", &plain, "#[a][b];[1][2];[3][4];");
	expect("\xEF\xBB\xBF"
	       "a,b\n1,2\n",
	       &plain, "#[a][b];[1][2];");
	expect("\n\r\n\ra,b\n\n\n1,2\n\r\n\n", &plain, "#[a][b];[1][2];");
	expect("a,b\n,\n", &plain, "#[a][b];[][];");
	expect("a\n\"\"\nx", &plain, "#[a];[];[x];");
	expect("1,2\n3,4", &o, "[1][2];[3][4];");
	expect("a\n", &plain, "#[a];");
	expect("a", &plain, "#[a];");
}

TEST(blanks_are_data)
{
	expect(" a ,\tb\t\n 1 ,  \n", &plain, "#[ a ][\tb\t];[ 1 ][  ];");
	expect("a,b\n\" 1 \",2 \n", &plain, "#[a][b];[ 1 ][2 ];");
}

TEST(quoted_fields)
{
	expect("a,b\n\"1,\"\"x\"\"\",\"2\n3\r\n4\"\n5,6\n", &plain,
	       "#[a][b];[1,\"x\"][2\n3\r\n4];[5][6];");
	/* a quote inside a field that does not begin with one */
	expect("a,b\n6\" pipe,x\"\"y\n \"1\",2\"\n", &plain,
	       "#[a][b];[6\" pipe][x\"\"y];[ \"1\"][2\"];");
	expect("a,b\n\"1\",\"2\"", &plain, "#[a][b];[1][2];");
}

TEST(without_quoting)
{
	struct bt_csv_opts o = plain;

	o.quotes = false;
	o.delimiter = '\t';
	expect("a\tb\n\"1\t2\"\n\"\t\"\"x\"y\n", &o,
	       "#[a][b];[\"1][2\"];[\"][\"\"x\"y];");
	expect_bytes("a\tb\n1\0\t2\n3\t4\n", 13, &o,
	             "#[a][b];N record 1 (line 2);[3][4];");
}

TEST(bad_rows)
{
	struct bt_csv_opts o = bare();

	expect(
	    "a,b\n1\n1,2\n1,2,3\n3,4\n", &plain,
	    "#[a][b];F record 1 (line 2);[1][2];F record 3 (line 4);[3][4];");
	expect("a,b\n\"1\"x,2\n3,4\n", &plain,
	       "#[a][b];Q record 1 (line 2);[3][4];");
	expect("a,b\n\"1\" ,2\n3,4\n", &plain,
	       "#[a][b];Q record 1 (line 2);[3][4];");
	/* goes on behind the line of the misplaced text */
	expect("a,b\n\"1\n2\"x,\"3\n4,5\n", &plain,
	       "#[a][b];Q record 1 (line 2);[4][5];");
	expect("a,b\n\"1\n2\"x\r4,5\n", &plain,
	       "#[a][b];Q record 1 (line 2);[4][5];");
	/* the first row of all */
	expect("\"1\"x\n1,2\n3\n", &o,
	       "Q record 1 (line 1);[1][2];F record 3 (line 3);");
	expect_bytes("a\n1\0\n\0\n2\n\"\0\n\"\n3", 15, &plain,
	             "#[a];N record 1 (line 2);N record 2 (line 3);[2];"
	             "N record 4 (line 5);[3];");
	expect_bytes("a\n1\0\0\0\0,\0\0\n2\n\"3\"x\0\0\r\n\0\0\0\n4\0", 27,
	             &plain,
	             "#[a];N record 1 (line 2);[2];Q record 3 (line 4);"
	             "N record 4 (line 5);N record 5 (line 6);");
}

/* What follows the line of a quote that is never closed is not lost. */
TEST(quotes_never_closed)
{
	expect("a,b\n1,2\n3,\"4\n5,6\n7,8\n", &plain,
	       "#[a][b];[1][2];Q record 2 (line 3);[5][6];[7][8];");
	expect("a,b\n\"1\n2\",\"3\n4,5", &plain,
	       "#[a][b];Q record 1 (line 2);[4][5];");
	expect("a,b\n1,\"2", &plain, "#[a][b];Q record 1 (line 2);");
	expect("a,b\n1,\"2\r", &plain, "#[a][b];Q record 1 (line 2);");
	expect("a,b\n1,\"2\r\nx\"\"\"\"y,5\n3,4", &plain,
	       "#[a][b];Q record 1 (line 2);[x\"\"\"\"y][5];[3][4];");
}

TEST(messages)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
	    {"a,b\n1,2\n3\n", "record 2 (line 3): 1 field, expected 2"},
	    {"a,b\n\n1,\"2\n3\",4\n",
	     "record 1 (line 3): 3 fields, expected 2 (the row ends on line "
	     "4)"},
	    {"a,b\n\"1\"2,3\n",
	     "record 1 (line 2): text after a closing quote"},
	    {"a,b\n\"1\n\"2,3\n",
	     "record 1 (line 2): text after a closing quote on line 3"},
	    {"a,b\n\"1\n2\",\"3\n4,5",
	     "record 1 (line 2): the quote opened on line 3 is never closed"},
	};
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		file_put("x.csv", cases[i].text, strlen(cases[i].text));
		assert_ok(describe("x.csv", &plain, &b, &err));
		assert_string_equal(err.text, cases[i].message);
	}
	bt_buf_clear(&b);
}

TEST(no_tables)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *message;
	} cases[] = {
	    {"", 0, "'x.csv' is empty"},
	    {"\n\r\n", 3, "'x.csv' is empty"},
	    {"\xEF\xBB\xBF", 3, "'x.csv' is empty"},
	    {"\xFF\xFE"
	     "a\0",
	     4, "cannot read 'x.csv': it is UTF-16 text"},
	    {"\xFE\xFF\0a", 4, "cannot read 'x.csv': it is UTF-16 text"},
	    {"\x1F\x8B\x08\0", 4, "the gzip data is cut short"},
	    {"\x28\xB5\x2F\xFD", 4, "the zstd data is cut short"},
	    {"PK\3\4", 4, "its zip archive has no end"},
	    {"BZh91AY&SY", 10, "it is compressed by bzip2"},
	    {"\xFD"
	     "7zXZ\0",
	     6, "it is compressed by xz"},
	    {"ARROW1\0\0", 8, "it is an Arrow or Feather file"},
	    {"\xFF\xFF\xFF\xFF\x10", 5, "it is an Arrow stream"},
	    {"\n\"a\"b\n", 6,
	     "cannot read 'x.csv': header (line 2): text after a closing"},
	    {"a\0\n", 3, "header (line 1): a NUL byte"},
	    {"\"a", 2,
	     "header (line 1): the quote opened on line 1 is never closed"},
	};
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		file_put("x.csv", cases[i].bytes, cases[i].n);
		if (describe("x.csv", &plain, &b, &err) >= 0 ||
		    strstr(err.text, cases[i].message) == NULL)
			fail_msg("%zu: '%s'", i, err.text);
	}
	assert_err(describe("nosuch", &plain, &b, &err), BT_EIO,
	           "cannot open 'nosuch'");
	bt_buf_clear(&b);
}

TEST(delimiters)
{
	static const char *const bad[] = {"",   "tabs", "\"",       "\n",
	                                  "\r", ";;",   "\xC3\xA9", "\xE9"};
	struct bt_csv_opts o = plain;
	char c = 'x';
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(bt_csv_delimiter(bad[i], &c), BT_EARG);
	assert_int_equal(c, 'x');
	assert_int_equal(bt_csv_delimiter("tab", &c), 0);
	assert_int_equal(c, '\t');
	assert_int_equal(bt_csv_delimiter("\\t", &c), 0);
	assert_int_equal(c, '\t');
	assert_int_equal(bt_csv_delimiter("semicolon", &o.delimiter), 0);
	expect("a;b\n1,5;\"x;y\"\n", &o, "#[a][b];[1,5][x;y];");
	assert_int_equal(bt_csv_delimiter(" ", &o.delimiter), 0);
	expect("a b\n1 \"x y\"\n", &o, "#[a][b];[1][x y];");
	assert_int_equal(bt_csv_delimiter("pipe", &o.delimiter), 0);
	expect("a|b\n1|\n", &o, "#[a][b];[1][];");
}

TEST(limits)
{
	struct bt_csv_opts o = plain;
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;

	o.max_field = 8;
	o.max_columns = 3;
	expect("a,b\n12345678,\"12345678\"\n3,4\n", &o,
	       "#[a][b];[12345678][12345678];[3][4];");
	expect("a,b\n123456789,2\n3,4\n", &o,
	       "#[a][b];L record 1 (line 2);[3][4];");
	expect("a,b\n1,\"123456789\"\n3,4\n", &o,
	       "#[a][b];L record 1 (line 2);[3][4];");
	assert_int_equal(describe("x.csv", &o, &b, &err), 0);
	assert_string_equal(err.text, "record 1 (line 2): a field is longer "
	                              "than 8 bytes");
	expect("a,b\n1,2,3,4\n3,4\n", &o,
	       "#[a][b];L record 1 (line 2);[3][4];");
	assert_int_equal(describe("x.csv", &o, &b, &err), 0);
	assert_string_equal(err.text, "record 1 (line 2): more than 3 fields");
	/* a field that is still open: on at the line after its quote */
	expect("a,b\n\"1\n2345\n6,7\n8\n\",9\n", &o,
	       "#[a][b];L record 1 (line 2);F record 2 (line 3);[6][7];"
	       "F record 4 (line 5);Q record 5 (line 6);");
	assert_int_equal(describe("x.csv", &o, &b, &err), 0);
	o.max_columns = 100;
	expect("a,b\n\"1\n\",\"2\n\",\"3\n\",\"4\n\",\"5\n\",\"6\n\",\"7\n\"\n"
	       "8,9\n",
	       &o, "#[a][b];L record 1 (line 2);Q record 2 (line 9);[8][9];");
	bt_buf_clear(&b);
}

/* Line ends and quotes where a block or a piece of the input ends. */
TEST(at_the_ends_of_blocks)
{
	static const size_t ends[] = {1 << 18, 1 << 20, (1 << 20) + (1 << 18)};
	static const char tail[] = "\",x\r\n\"q\"\"\r\n\",\r\ny,z\r\n";
	struct bt_csv_opts o = plain;
	const struct bt_span *f;
	struct bt_error err = {0};
	struct bt_csv *c;
	size_t i, at, n;
	char *s;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		for (at = 0; at < sizeof(tail) + 4; at++) {
			n = ends[i] - at;
			s = malloc(n + sizeof(tail));
			assert_non_null(s);
			memset(s, 'a', n);
			memcpy(s, "h,i\n\"", 5);
			memcpy(s + n, tail, sizeof(tail));
			file_put("x.csv", s, n + sizeof(tail) - 1);
			free(s);
			assert_ok(bt_csv_open("x.csv", &o, &c, &err));
			assert_int_equal(bt_csv_next(c, &f, &err), 1);
			assert_int_equal(f[0].n, n - 5);
			assert_true(bt_span_equal(f[1], bt_span("x")));
			assert_int_equal(bt_csv_next(c, &f, &err), 1);
			assert_true(bt_span_equal(f[0], bt_span("q\"\r\n")));
			assert_int_equal(f[1].n, 0);
			assert_int_equal(bt_csv_next(c, &f, &err), 1);
			assert_true(bt_span_equal(f[0], bt_span("y")));
			bt_csv_blame(c, &err);
			assert_string_equal(err.text, "record 3 (line 5): ");
			bt_error_clear(&err);
			assert_int_equal(bt_csv_next(c, &f, &err), 0);
			bt_csv_close(c);
		}
}

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_MEANS_SOMETHING 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEMORY_MEANS_SOMETHING 0
#endif
#endif
#ifndef MEMORY_MEANS_SOMETHING
#define MEMORY_MEANS_SOMETHING 1
#endif

/* A hundred MiB in a field, quoted or not, on one line or on many. */
TEST(endless_fields)
{
	static const char *const fills[] = {"abcdefg ", "1234567\n",
	                                    "a,b,c,d,"};
	static const char *const begin[] = {"\"", "", "\""};
	struct bt_error err = {0};
	const struct bt_span *f;
	struct bt_csv *c;
	size_t before = bt_peak_memory(), i, k;
	int status, r;
	pid_t pid;
	FILE *to;

	for (i = 0; i < 3; i++) {
		unlink("endless");
		assert_int_equal(mkfifo("endless", 0600), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			to = fopen("endless", "w");
			fprintf(to, "a\n%s", begin[i]);
			for (k = 0; k < (100 << 20) / 8; k++)
				fwrite(fills[i == 1 ? 0 : i], 1, 8, to);
			fprintf(to, "\nlast\n");
			_exit(fclose(to) == 0 ? 0 : 1);
		}
		assert_ok(bt_csv_open("endless", &plain, &c, &err));
		r = bt_csv_next(c, &f, &err);
		assert_true(r == BT_ELIMIT);
		assert_int_equal(bt_csv_fault(c), BT_CSV_LARGE);
		assert_non_null(strstr(err.text, "16777216"));
		bt_error_clear(&err);
		k = 0;
		while ((r = bt_csv_next(c, &f, &err)) != 0) {
			bt_error_clear(&err);
			k += r == 1;
			if (r == 1 && f[0].n == 4)
				assert_memory_equal(f[0].p, "last", 4);
		}
		assert_true(k >= 1);
		bt_csv_close(c);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	if (MEMORY_MEANS_SOMETHING && getenv("TEST_EMULATOR") == NULL)
		assert_true(bt_peak_memory() - before < (size_t)90 << 20);
}

/* The naive reader: a text in memory, one character at a time. */
struct naive {
	const char *s;
	size_t n, at;
	int line, record;
	size_t width, fields;
	enum bt_csv_fault fault;
	struct bt_buf row, *to;
};

/* Bytes of the line end at i, or 0. */
static size_t line_end(const struct naive *v, size_t i)
{
	if (i >= v->n)
		return 0;
	if (v->s[i] == '\r')
		return i + 1 < v->n && v->s[i + 1] == '\n' ? 2 : 1;
	return v->s[i] == '\n';
}

static void naive_next_line(struct naive *v)
{
	while (v->at < v->n && line_end(v, v->at) == 0)
		v->at++;
	if (v->at < v->n) {
		v->at += line_end(v, v->at);
		v->line++;
	}
}

static char naive_char(struct naive *v)
{
	if (v->s[v->at] != '\0')
		return v->s[v->at];
	if (v->fault == BT_CSV_FINE)
		v->fault = BT_CSV_NUL;
	return ' ';
}

static void naive_fail(struct naive *v)
{
	if (v->fault == BT_CSV_FINE)
		v->fault = BT_CSV_QUOTES;
}

/* Returns false where the row ends by a fault, at the place to go on. */
static bool naive_quoted(struct naive *v)
{
	size_t opened = v->at++, end;
	int line = v->line;
	char c;

	for (;;) {
		if (v->at >= v->n) {
			naive_fail(v);
			v->at = opened;
			v->line = line;
			naive_next_line(v);
			return false;
		}
		end = line_end(v, v->at);
		c = naive_char(v);
		if (end > 0) {
			bt_buf_put(&v->row, v->s + v->at, end);
			v->at += end;
			v->line++;
		} else if (c != '"') {
			bt_buf_putc(&v->row, c);
			v->at++;
		} else if (v->at + 1 < v->n && v->s[v->at + 1] == '"') {
			bt_buf_putc(&v->row, '"');
			v->at += 2;
		} else {
			v->at++;
			break;
		}
	}
	if (v->at >= v->n || line_end(v, v->at) > 0 || v->s[v->at] == ',')
		return true;
	naive_char(v);
	naive_fail(v);
	naive_next_line(v);
	return false;
}

static void naive_row(struct naive *v)
{
	int line = v->line;

	bt_buf_reset(&v->row);
	v->fields = 0;
	v->fault = BT_CSV_FINE;
	v->record++;
	for (;;) {
		v->fields++;
		bt_buf_putc(&v->row, '[');
		if (v->at < v->n && v->s[v->at] == '"') {
			if (!naive_quoted(v))
				break;
		} else {
			while (v->at < v->n && v->s[v->at] != ',' &&
			       line_end(v, v->at) == 0) {
				bt_buf_putc(&v->row, naive_char(v));
				v->at++;
			}
		}
		bt_buf_putc(&v->row, ']');
		if (v->at < v->n && v->s[v->at] == ',') {
			v->at++;
			continue;
		}
		naive_next_line(v);
		break;
	}
	if (v->fault == BT_CSV_FINE && v->width != 0 && v->width != v->fields)
		v->fault = BT_CSV_FIELDS;
	if (v->fault != BT_CSV_FINE) {
		bt_buf_printf(v->to, "%c record %d (line %d);", kinds[v->fault],
		              v->record, line);
		return;
	}
	v->width = v->fields;
	bt_buf_put(v->to, v->row.data, v->row.len);
	bt_buf_putc(v->to, ';');
}

static void naive_describe(const char *s, size_t n, struct bt_buf *to)
{
	struct naive v = {.s = s, .n = n, .line = 1, .to = to};
	size_t end;

	bt_buf_reset(to);
	while (v.at < n) {
		end = line_end(&v, v.at);
		if (end > 0) {
			v.at += end;
			v.line++;
		} else {
			naive_row(&v);
		}
	}
	bt_buf_clear(&v.row);
}

/* Both readers say the same of the text, which is in the file already. */
static void agree(const char *path, const char *s, size_t n)
{
	struct bt_csv_opts o = bare();
	struct bt_buf got = BT_BUF_INIT, wanted = BT_BUF_INIT;
	struct bt_error err = {0};

	naive_describe(s, n, &wanted);
	if (wanted.len == 0)
		assert_err(describe(path, &o, &got, &err), BT_EFORMAT, "empty");
	else
		assert_ok(describe(path, &o, &got, &err));
	if (got.len != wanted.len ||
	    (got.len > 0 && memcmp(got.data, wanted.data, got.len) != 0)) {
		file_put("differs.csv", s, n);
		fail_msg("got %s, wanted %s", bt_buf_str(&got),
		         bt_buf_str(&wanted));
	}
	bt_buf_clear(&got);
	bt_buf_clear(&wanted);
}

/* The same for a text that fits into a pipe, which is faster than a file. */
static void agree_in_pipe(const char *s, size_t n)
{
	char path[32];
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], s, n), n);
	close(fd[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd[0]);
	agree(path, s, n);
	close(fd[0]);
}

/* All texts of up to six characters that matter. */
TEST(every_short_text)
{
	static const char alphabet[] = "a,\"\n\r";
	char s[6];
	size_t n, i;
	int all, v, k;

	for (n = 0, all = 1; n <= sizeof(s); n++, all *= 5)
		for (v = 0; v < all; v++) {
			for (i = 0, k = v; i < n; i++, k /= 5)
				s[i] = alphabet[k % 5];
			agree_in_pipe(s, n);
		}
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

static size_t random_text(char *s, size_t max, unsigned *seed)
{
	static const char alphabet[] = "aab ,,,\"\"\n\n\r\0";
	size_t n = next_random(seed) % max, i;

	for (i = 0; i < n; i++)
		s[i] = alphabet[next_random(seed) % (sizeof(alphabet) - 1)];
	return n;
}

TEST(random_texts)
{
	unsigned seed = 1;
	char s[300];
	size_t n;
	int i;

	for (i = 0; i < 5000; i++) {
		n = random_text(s, sizeof(s), &seed);
		agree_in_pipe(s, n);
	}
}

/* The same through a pipe, a few bytes at a time. */
TEST(random_texts_in_pieces)
{
	unsigned seed = 2;
	char s[100];
	size_t n, at, k;
	int i, fd, status;
	pid_t pid;

	assert_int_equal(mkfifo("pieces", 0600), 0);
	for (i = 0; i < 200; i++) {
		n = random_text(s, sizeof(s), &seed);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			fd = open("pieces", O_WRONLY);
			for (at = 0; at < n; at += k) {
				k = 1 + next_random(&seed) % 3;
				if (k > n - at)
					k = n - at;
				if (write(fd, s + at, k) != (ssize_t)k)
					_exit(1);
				sched_yield();
			}
			_exit(0);
		}
		agree("pieces", s, n);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}
