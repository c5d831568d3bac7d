/* SPDX-License-Identifier: MIT */
/* Inputs that make their reader wait, and outputs that others read at once. */
#include "files.h"

#include <unistd.h>

#include "io/in.h"
#include "io/out.h"

/* Counts its calls; an error from the third on. */
static int count_idle(void *ctx, struct bt_error *err)
{
	int *n = ctx;

	return ++*n < 3 ? BT_OK : bt_error_set(err, BT_EIO, "no more");
}

TEST(an_idle_pipe)
{
	struct bt_error err = {0};
	struct bt_span line;
	char path[32];
	size_t skip;
	int fd[2], n = 0;
	struct bt_in *in;

	assert_int_equal(pipe(fd), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd[0]);
	assert_ok(bt_in_open(path, &in, &err));
	bt_in_idle(in, count_idle, &n);
	assert_int_equal(write(fd[1], "a\nb\nc", 5), 5);
	assert_int_equal(bt_in_line(in, 10, &line, &skip, &err), 1);
	bt_in_skip(in, skip);
	assert_int_equal(bt_in_line(in, 10, &line, &skip, &err), 1);
	assert_memory_equal(line.p, "b", 1);
	assert_int_equal(n, 0); /* what is there is read first */
	bt_in_skip(in, skip);
	n = 2;
	assert_int_equal(bt_in_line(in, 10, &line, &skip, &err), BT_EIO);
	assert_string_equal(err.text, "no more");
	n = 0;
	close(fd[1]);
	assert_int_equal(bt_in_line(in, 10, &line, &skip, &err), 1);
	assert_memory_equal(line.p, "c", 1);
	bt_in_skip(in, skip);
	assert_int_equal(bt_in_line(in, 10, &line, &skip, &err), 0);
	assert_int_equal(n, 0); /* nor is the end waited for */
	bt_in_close(in);
	close(fd[0]);
}

TEST(an_idle_stream)
{
	static const char much[48 << 10];
	struct bt_error err = {0};
	const uint8_t *p;
	char path[32];
	struct bt_in *in;
	int fd[2], n = 0;
	size_t got;

	assert_int_equal(pipe(fd), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd[0]);
	assert_ok(bt_in_open(path, &in, &err));
	bt_in_idle(in, count_idle, &n);
	assert_int_equal(write(fd[1], much, sizeof(much)), sizeof(much));
	assert_ok(bt_in_peek(in, sizeof(much), &p, &got, &err));
	assert_int_equal(n, 0);
	n = 2;
	bt_in_skip(in, got);
	assert_int_equal(bt_in_peek(in, 1, &p, &got, &err), BT_EIO);
	bt_in_close(in);
	close(fd[0]);
	close(fd[1]);
}

TEST(an_idle_file)
{
	struct bt_error err = {0};
	const uint8_t *p;
	struct bt_in *in;
	size_t got;
	int n = 0;

	file_put("ten", "0123456789", 10);
	assert_ok(bt_in_open("ten", &in, &err));
	bt_in_idle(in, count_idle, &n);
	assert_ok(bt_in_peek(in, 11, &p, &got, &err));
	assert_int_equal(got, 10);
	assert_int_equal(n, 0);
	bt_in_close(in);
}

/* A byte order mark has two bytes; the second is not waited for where the first
 * is none of it. */
TEST(an_idle_pipe_of_text)
{
	struct bt_error err = {0};
	enum bt_utf16 order = BT_UTF16_NONE;
	char path[32];
	struct bt_in *in;
	int fd[2], n = 2;

	assert_int_equal(pipe(fd), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd[0]);
	assert_ok(bt_in_open(path, &in, &err));
	bt_in_idle(in, count_idle, &n);
	assert_int_equal(write(fd[1], "\n", 1), 1);
	assert_ok(bt_in_utf16(in, &order, &err));
	assert_int_equal(n, 2);
	bt_in_close(in);
	close(fd[0]);
	close(fd[1]);
}

TEST(live_outputs)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_out *out;

	assert_ok(bt_out_open("/dev/null", BT_OUT_TEXT, &out, &err));
	assert_true(bt_out_is_live(out));
	assert_ok(bt_out_zstd(out, 1, 1, &err));
	assert_false(bt_out_is_live(out));
	bt_out_abandon(out);
	assert_ok(bt_out_open("later", BT_OUT_TEXT, &out, &err));
	assert_false(bt_out_is_live(out));
	bt_out_abandon(out);
	out = bt_out_memory(&b);
	assert_false(bt_out_is_live(out));
	bt_out_abandon(out);
	bt_buf_clear(&b);
}

/* What is in the pipe when records were written, and flushed if so, and then
 * committed or abandoned. */
static size_t left_in_pipe(enum bt_out_kind kind, bool flush, bool commit)
{
	struct bt_error err = {0};
	char path[32], got[64];
	struct bt_out *out;
	ssize_t n;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd[1]);
	assert_ok(bt_out_open(path, kind, &out, &err));
	assert_ok(bt_out_write(out, "0123456789", 10, &err));
	if (flush)
		assert_ok(bt_out_flush(out, &err));
	if (commit)
		assert_ok(bt_out_commit(out, &err));
	else
		bt_out_abandon(out);
	close(fd[1]);
	n = read(fd[0], got, sizeof(got));
	close(fd[0]);
	assert_true(n >= 0);
	return (size_t)n;
}

TEST(abandoned_records)
{
	assert_int_equal(left_in_pipe(BT_OUT_RECORDS, false, true), 10);
	assert_int_equal(left_in_pipe(BT_OUT_RECORDS, true, true), 10);
	assert_int_equal(left_in_pipe(BT_OUT_RECORDS, true, false), 14);
	assert_int_equal(left_in_pipe(BT_OUT_RECORDS, false, false), 4);
	assert_int_equal(left_in_pipe(BT_OUT_BINARY, true, false), 10);
	assert_int_equal(left_in_pipe(BT_OUT_TEXT, true, false), 10);
}
