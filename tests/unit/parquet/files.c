/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* The committed files of several writers: each row is what stands beside it,
 * from the file and from a pipe; texts agree with the objects. */
#include "files.h"

#include <dirent.h>
#include <jansson.h>

#include "base/buf.h"
#include "parquet/parquet.h"

#define MAX ((size_t)1 << 20)

static const char *folder(void)
{
	static char path[4096];
	const char *top = getenv("TEST_TOP");

	snprintf(path, sizeof(path), "%s/tests/data/parquet",
	         top != NULL ? top : ".");
	return path;
}

static struct bt_parquet *open_file(const char *path)
{
	struct bt_error err = {0};
	struct bt_parquet *p;
	struct bt_in *in;

	assert_ok(bt_in_open(path, &in, &err));
	assert_int_equal(bt_parquet_begins(in, &err), 1);
	assert_ok(bt_parquet_open(in, MAX, NULL, &p, &err));
	return p;
}

static void want_every(struct bt_parquet *p)
{
	struct bt_error err = {0};
	size_t i;

	for (i = 0; i < bt_parquet_width(p); i++)
		assert_ok(bt_parquet_want(p, i, &err));
}

/* The rows of the file beside it; NULL behind the last one. */
static json_t *next_expected(FILE *f)
{
	char line[65536];

	if (fgets(line, sizeof(line), f) == NULL)
		return NULL;
	return json_loads(line, 0, NULL);
}

static void compare(const char *path, FILE *expected)
{
	struct bt_parquet *p = open_file(path);
	struct bt_error err = {0};
	json_t *row, *want;
	int rows = 0;

	want_every(p);
	rewind(expected);
	while ((want = next_expected(expected)) != NULL) {
		assert_int_equal(bt_parquet_row(p), rows++);
		if (bt_parquet_next_object(p, &row, &err) != 1)
			fail_msg("%s: row %d: %s", path, rows, err.text);
		if (!json_equal(row, want))
			fail_msg("%s: row %d:\n%s\nexpected\n%s", path, rows,
			         json_dumps(row, 0), json_dumps(want, 0));
		json_decref(row);
		json_decref(want);
	}
	assert_int_equal(bt_parquet_next_object(p, &row, &err), 0);
	assert_true(rows > 0);
	bt_parquet_close(p);
}

/* A text is its JSON, or what this would be in Python. */
static void same_text(const json_t *v, struct bt_span text)
{
	char number[32];

	if (json_is_null(v)) {
		assert_true(text.p == NULL || text.n == 3);
	} else if (json_is_string(v)) {
		assert_int_equal(text.n, json_string_length(v));
		assert_memory_equal(text.p, json_string_value(v), text.n);
	} else if (json_is_integer(v)) {
		snprintf(number, sizeof(number), "%lld",
		         (long long)json_integer_value(v));
		assert_int_equal(text.n, strlen(number));
		assert_memory_equal(text.p, number, text.n);
	} else if (json_is_real(v)) {
		assert_true(bt_span_str(text, number, sizeof(number)));
		assert_true(strtod(number, NULL) == json_real_value(v));
	} else {
		assert_string_equal(
		    json_is_true(v) ? "true" : "false",
		    bt_span_str(text, number, sizeof(number)) ? number : "");
	}
}

static void same_texts(const char *path, FILE *expected)
{
	struct bt_parquet *p = open_file(path);
	struct bt_error err = {0};
	const struct bt_span *fields;
	char name[100];
	json_t *want, *v;
	size_t i;

	want_every(p);
	rewind(expected);
	while ((want = next_expected(expected)) != NULL) {
		assert_int_equal(bt_parquet_next(p, &fields, &err), 1);
		for (i = 0; i < bt_parquet_width(p); i++) {
			assert_true(bt_span_str(bt_parquet_names(p)[i], name,
			                        sizeof(name)));
			v = json_object_get(want, name);
			if (v != NULL && !json_is_array(v))
				same_text(v, fields[i]);
		}
		json_decref(want);
	}
	bt_parquet_close(p);
}

static void through_pipe(const char *path, FILE *expected)
{
	char command[5000];

	(void)remove("pipe");
	snprintf(command, sizeof(command), "mkfifo pipe; cat '%s' >pipe &",
	         path);
	assert_int_equal(system(command), 0);
	compare("pipe", expected);
}

static bool is_parquet(const char *name)
{
	size_t n = strlen(name);

	return n > 8 && strcmp(name + n - 8, ".parquet") == 0;
}

TEST(all_files)
{
	struct dirent *e;
	DIR *d = opendir(folder());
	char path[8192], beside[8192];
	int files = 0;
	FILE *f;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		if (!is_parquet(e->d_name) ||
		    strcmp(e->d_name, "brotli.parquet") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder(), e->d_name);
		snprintf(beside, sizeof(beside), "%.*s.jsonl",
		         (int)strlen(path) - 8, path);
		f = fopen(beside, "r");
		assert_non_null(f);
		compare(path, f);
		if (strstr(path, "list") == NULL && strstr(path, "map") == NULL)
			same_texts(path, f);
		if (files++ % 8 == 0)
			through_pipe(path, f);
		fclose(f);
	}
	closedir(d);
	assert_true(files > 20);
}

TEST(lists_as_texts)
{
	static const char *const wanted[] = {"0 a 0 bb 0", "0", "null", "",
	                                     NULL};
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	const struct bt_span *f;
	struct bt_parquet *p;
	char path[8192];
	size_t i;
	int k, r;

	snprintf(path, sizeof(path), "%s/lists.parquet", folder());
	p = open_file(path);
	assert_int_equal(bt_parquet_want_all(p, "nothing", &err), 0);
	assert_int_equal(bt_parquet_want_all(p, "tokens", &err), 1);
	assert_int_equal(bt_parquet_lists(p, 0), 0);
	assert_int_equal(bt_parquet_lists(p, 1), 1);
	for (k = 0; wanted[k] != NULL; k++) {
		bt_buf_reset(&b);
		r = bt_parquet_next(p, &f, &err);
		if (k == 3) {
			assert_int_equal(bt_parquet_fault(p),
			                 BT_PARQUET_NESTED);
			assert_err(r, BT_EFORMAT,
			           "record 4 (row group 2): 'tokens' has a "
			           "null in a list");
		} else {
			assert_int_equal(r, 1);
		}
		for (i = 0; r == 1 && i < f[1].n; i++)
			bt_buf_printf(&b,
			              f[1].p[i] != '\0' ? "%c"
			              : i == 0          ? "0%c"
			                                : " 0%c",
			              f[1].p[i] != '\0' ? f[1].p[i]
			              : i + 1 < f[1].n  ? ' '
			                                : '\0');
		while (b.len > 0 && b.data[b.len - 1] == '\0')
			b.len--;
		assert_string_equal(r == 1 && f[1].p == NULL ? "null"
		                                             : bt_buf_str(&b),
		                    wanted[k]);
	}
	bt_buf_clear(&b);
	bt_parquet_close(p);
}

TEST(not_read)
{
	struct bt_error err = {0};
	const struct bt_span *f;
	struct bt_parquet *p;
	char path[8192];

	snprintf(path, sizeof(path), "%s/brotli.parquet", folder());
	p = open_file(path);
	assert_ok(bt_parquet_want(p, 0, &err));
	assert_err(bt_parquet_next(p, &f, &err), BT_EFORMAT,
	           "column 'text': its compression, Brotli, is not read: "
	           "write the file again with zstd");
	bt_parquet_close(p);
}

TEST(limits)
{
	struct bt_in_limit limit = {30, 30};
	struct bt_error err = {0};
	const struct bt_span *f;
	struct bt_parquet *p;
	struct bt_in *in;
	char path[8192];
	int r, rows = 0;

	snprintf(path, sizeof(path), "%s/plain-v1.parquet", folder());
	assert_ok(bt_in_open(path, &in, &err));
	assert_ok(bt_parquet_open(in, 30, &limit, &p, &err));
	assert_ok(bt_parquet_want(p, 0, &err));
	while ((r = bt_parquet_next(p, &f, &err)) == 1)
		rows++;
	assert_err(r, BT_ELIMIT, "more than the 30 bytes allowed");
	assert_true(rows > 5);
	bt_parquet_close(p);
	p = open_file(path);
	bt_parquet_close(p);
	assert_ok(bt_in_open(path, &in, &err));
	assert_ok(bt_parquet_open(in, 30, NULL, &p, &err));
	assert_ok(bt_parquet_want(p, 0, &err));
	for (rows = 0; (r = bt_parquet_next(p, &f, &err)) != 0; rows++)
		if (r < 0) {
			assert_int_equal(bt_parquet_fault(p), BT_PARQUET_LARGE);
			assert_err(r, BT_EFORMAT, "'text' has too many bytes");
		}
	assert_int_equal(rows, 40);
	bt_parquet_close(p);
}

/* Reads x.parquet to its end, or to where it is refused: 0 or an error. */
static int read_all(void)
{
	struct bt_error err = {0};
	struct bt_parquet *p = NULL;
	struct bt_in *in;
	json_t *row;
	size_t i;
	int r;

	assert_ok(bt_in_open("x.parquet", &in, &err));
	r = bt_parquet_open(in, MAX, NULL, &p, &err);
	for (i = 0; r == BT_OK && i < bt_parquet_width(p); i++)
		r = bt_parquet_want(p, i, &err);
	if (r != BT_OK) {
		assert_int_equal(err.code, r);
		bt_parquet_close(p);
		return r;
	}
	while ((r = bt_parquet_next_object(p, &row, &err)) == 1)
		json_decref(row);
	assert_true(r == 0 || err.text[0] != '\0');
	bt_parquet_close(p);
	return r;
}

/* Cut at every byte, and with every byte changed. */
TEST(damage)
{
	char path[8192], *data;
	size_t n, i, refused = 0;

	snprintf(path, sizeof(path), "%s/plain-v2-snappy.parquet", folder());
	data = file_get(path, &n);
	for (i = 0; i < n; i++) {
		file_put("x.parquet", data, i);
		assert_true(read_all() < 0);
	}
	for (i = 0; i < n; i++) {
		data[i] ^= 0x55;
		file_put("x.parquet", data, n);
		refused += read_all() < 0;
		data[i] ^= 0x55;
	}
	file_put("x.parquet", data, n);
	assert_int_equal(read_all(), 0);
	free(data);
	/* its pages have checksums; much of the rest is not read */
	assert_true(refused > n * 2 / 3);
}

/* For comparisons with other readers: the rows as JSON Lines. */
static int print(const char *path)
{
	struct bt_error err = {0};
	struct bt_parquet *p = open_file(path);
	json_t *row;
	int r;

	want_every(p);
	while ((r = bt_parquet_next_object(p, &row, &err)) == 1) {
		if (json_dumpf(row, stdout, JSON_COMPACT) != 0)
			return 1;
		putchar('\n');
		json_decref(row);
	}
	if (r < 0)
		fprintf(stderr, "%s\n", err.text);
	bt_parquet_close(p);
	return r != 0;
}

int main(int argc, char **argv)
{
	return argc == 2 ? print(argv[1]) : run_listed();
}
