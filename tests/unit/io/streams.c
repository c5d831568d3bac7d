/* SPDX-License-Identifier: MIT */
/* Inputs, outputs and JSON files. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/json.h"
#include "io/in.h"
#include "io/out.h"

TEST(look_and_skip)
{
	struct bt_error err = {0};
	struct bt_in *in;
	const uint8_t *p;
	size_t got;

	file_put("ten", "0123456789", 10);
	assert_ok(bt_in_open("ten", &in, &err));
	assert_string_equal(bt_in_name(in), "'ten'");
	assert_ok(bt_in_peek(in, 4, &p, &got, &err));
	assert_int_equal(got, 4);
	assert_memory_equal(p, "0123", 4);
	assert_ok(bt_in_peek(in, 11, &p, &got, &err));
	assert_int_equal(got, 10);
	bt_in_skip(in, 7);
	assert_int_equal(bt_in_offset(in), 7);
	assert_ok(bt_in_some(in, 1, &p, &got, &err));
	assert_int_equal(got, 3);
	assert_memory_equal(p, "789", 3);
	bt_in_skip(in, 3);
	assert_ok(bt_in_some(in, 1, &p, &got, &err));
	assert_int_equal(got, 0);
	assert_ok(bt_in_peek(in, 1, &p, &got, &err));
	assert_int_equal(got, 0);
	bt_in_close(in);
	bt_in_close(NULL);
}

/* The bytes of a large input, at any position. */
static uint8_t byte_at(size_t i)
{
	return (uint8_t)(i * 2654435761u >> 13);
}

#define LARGE 5000000

/* Writes LARGE bytes in pieces of growing size. */
static void write_large(int fd)
{
	uint8_t data[70000];
	size_t at = 0, n = 1, i;

	for (; at < LARGE; n = n * 7 % 69997 + 1) {
		if (n > LARGE - at)
			n = LARGE - at;
		for (i = 0; i < n; i++)
			data[i] = byte_at(at + i);
		if (write(fd, data, n) != (ssize_t)n)
			_exit(1);
		at += n;
	}
}

static void check_bytes(const uint8_t *p, size_t n, size_t at)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] != byte_at(at + i))
			fail_msg("byte %zu differs", at + i);
}

/* Looks of every size, beyond a block, at something that comes in pieces. */
TEST(a_pipe_in_pieces)
{
	static const size_t looks[] = {1, 100000, 3, 1 << 20, 17, 3000000, 2};
	struct bt_error err = {0};
	struct bt_in *in;
	const uint8_t *p;
	size_t got, at = 0, i, n;
	int status;
	pid_t pid;

	assert_int_equal(mkfifo("pipe", 0600), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		write_large(open("pipe", O_WRONLY));
		_exit(0);
	}
	assert_ok(bt_in_open("pipe", &in, &err));
	for (i = 0; at < LARGE; i++) {
		n = looks[i % (sizeof(looks) / sizeof(looks[0]))];
		assert_ok(bt_in_peek(in, n, &p, &got, &err));
		assert_int_equal(got, n < LARGE - at ? n : LARGE - at);
		check_bytes(p, got, at);
		n = got / 2 + 1;
		bt_in_skip(in, n);
		at += n;
		assert_int_equal(bt_in_offset(in), at);
	}
	assert_ok(bt_in_some(in, 1, &p, &got, &err));
	assert_int_equal(got, 0);
	bt_in_close(in);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	unlink("pipe");
}

TEST(inputs_that_are_none)
{
	struct bt_error err = {0};
	struct bt_in *in = NULL;
	size_t n = 5;
	char *data = NULL;

	assert_err(bt_in_open("nosuch", &in, &err), BT_EIO,
	           "cannot open 'nosuch': No such file or directory");
	assert_err(bt_in_open(".", &in, &err), BT_EIO,
	           "cannot read '.': Is a directory");
	assert_null(in);
	file_put("five", "12345", 5);
	assert_ok(bt_in_whole("five", 5, &data, &n, &err));
	assert_int_equal(n, 5);
	assert_string_equal(data, "12345");
	free(data);
	data = NULL;
	assert_err(bt_in_whole("five", 4, &data, &n, &err), BT_ELIMIT,
	           "'five' is larger than 4 bytes");
	assert_null(data);
	file_put("five", "", 0);
	assert_ok(bt_in_whole("five", 4, &data, &n, &err));
	assert_int_equal(n, 0);
	assert_string_equal(data, "");
	free(data);
}

static int exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Files in the directory, . and .. left out. */
static int count_files(const char *dir)
{
	char command[64];
	FILE *f;
	int n = 0, c;

	snprintf(command, sizeof(command), "ls -A %s", dir);
	f = popen(command, "r");
	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	assert_int_equal(pclose(f), 0);
	return n;
}

TEST(a_file_appears_when_it_is_whole)
{
	struct bt_error err = {0};
	struct bt_out *out;
	struct stat st;
	mode_t mask = umask(027);

	assert_int_equal(mkdir("d", 0700), 0);
	assert_ok(bt_out_open("d/new", BT_OUT_BINARY, &out, &err));
	assert_string_equal(bt_out_name(out), "'d/new'");
	assert_ok(bt_out_write(out, "some ", 5, &err));
	assert_ok(bt_out_flush(out, &err));
	assert_false(exists("d/new"));
	assert_ok(bt_out_write(out, "bytes", 5, &err));
	assert_int_equal(bt_out_offset(out), 10);
	assert_ok(bt_out_commit(out, &err));
	file_is("d/new", "some bytes");
	assert_int_equal(count_files("d"), 1);
	assert_int_equal(stat("d/new", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	umask(mask);
}

TEST(an_earlier_file_stays)
{
	struct bt_error err = {0};
	struct bt_out *out;

	mkdir("e", 0700);
	assert_ok(bt_out_whole("e/old", "old", 3, &err));
	assert_ok(bt_out_open("e/old", BT_OUT_BINARY, &out, &err));
	assert_ok(bt_out_write(out, "half", 4, &err));
	assert_ok(bt_out_flush(out, &err));
	file_is("e/old", "old");
	bt_out_abandon(out);
	bt_out_abandon(NULL);
	file_is("e/old", "old");
	assert_int_equal(count_files("e"), 1);
	assert_ok(bt_out_whole("e/old", "", 0, &err));
	file_is("e/old", "");
	assert_int_equal(count_files("e"), 1);
}

/* A piece in one of the two ways. */
static int put_piece(struct bt_out *out, const uint8_t *p, size_t n, bool made,
                     struct bt_error *err)
{
	uint8_t *to;

	if (!made || n > BT_OUT_ROOM)
		return bt_out_write(out, p, n, err);
	to = bt_out_room(out, n, err);
	if (to == NULL)
		return err->code;
	memcpy(to, p, n);
	bt_out_made(out, n);
	return BT_OK;
}

/* Writes the n bytes of data in pieces smaller and larger than the buffer, by
 * a thread of its own where behind, with a flush now and then. */
static int put_pieces(const char *name, const uint8_t *data, size_t n,
                      bool behind, struct bt_error *err)
{
	size_t at = 0, piece = 1, k;
	struct bt_out *out;
	int r = BT_OK;

	assert_int_equal(bt_out_open(name, BT_OUT_BINARY, &out, err), 0);
	bt_out_expect(out, n);
	if (behind)
		bt_out_behind(out);
	for (k = 1; at < n && r == BT_OK; k++) {
		if (piece > n - at)
			piece = n - at;
		r = put_piece(out, data + at, piece, k % 3 == 0, err);
		assert_true(r != BT_OK || bt_out_offset(out) == at + piece);
		if (r == BT_OK && k % 64 == 0)
			r = bt_out_flush(out, err);
		at += piece;
		piece = piece * 7 % (k % 16 == 0 ? 699997 : 9973) + 1;
	}
	if (r == BT_OK)
		return bt_out_commit(out, err);
	bt_out_abandon(out);
	return r;
}

TEST(large_output)
{
	size_t n = 4 * LARGE, got, i; /* and so much that a thread is begun */
	struct bt_error err = {0};
	uint8_t *data = malloc(n);
	char *back;
	int behind;

	assert_non_null(data);
	for (i = 0; i < n; i++)
		data[i] = byte_at(i);
	for (behind = 0; behind < 2; behind++) {
		assert_ok(put_pieces("large", data, n, behind, &err));
		back = file_get("large", &got);
		assert_int_equal(got, n);
		assert_memory_equal(back, data, n);
		free(back);
		unlink("large");
		assert_err(put_pieces("/dev/full", data, n, behind, &err),
		           BT_EIO,
		           "cannot write '/dev/full': No space left on device");
		bt_error_clear(&err);
	}
	free(data);
}

/* A limit that is met by the thread: told, later, and nothing is left. */
TEST(behind_a_limit)
{
	struct rlimit old, less = {10 << 20, 10 << 20};
	struct bt_error err = {0};
	uint8_t *data = calloc(4, LARGE);
	struct bt_out *out;

	assert_non_null(data);
	assert_int_equal(mkdir("limit", 0700), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	less.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
	assert_int_equal(put_pieces("limit/x", data, 4 * LARGE, true, &err),
	                 BT_EIO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_string_equal(err.text, "cannot write 'limit/x': File too large");
	bt_error_clear(&err);
	assert_int_equal(count_files("limit"), 0);

	/* left in the middle */
	assert_ok(bt_out_open("limit/x", BT_OUT_BINARY, &out, &err));
	bt_out_behind(out);
	for (less.rlim_cur = 0; less.rlim_cur < 200; less.rlim_cur++)
		assert_ok(bt_out_write(out, data, 99991, &err));
	bt_out_abandon(out);
	assert_int_equal(count_files("limit"), 0);
	free(data);
}

/* Writes the n bytes of data compressed, in pieces. */
static int put_zstd(const char *name, const uint8_t *data, size_t n, int level,
                    int threads, struct bt_error *err)
{
	size_t at = 0, piece = 1;
	struct bt_out *out;

	assert_int_equal(bt_out_open(name, BT_OUT_BINARY, &out, err), 0);
	assert_int_equal(bt_out_zstd(out, level, threads, err), 0);
	for (; at < n; at += piece, piece = piece * 7 % 699997 + 1) {
		if (piece > n - at)
			piece = n - at;
		if (bt_out_write(out, data + at, piece, err) != BT_OK) {
			bt_out_abandon(out);
			return err->code;
		}
	}
	assert_int_equal(bt_out_offset(out), n);
	return bt_out_commit(out, err);
}

static void reads_back(const char *name, const uint8_t *data, size_t n)
{
	struct bt_error err = {0};
	struct bt_in *in;
	const uint8_t *p;
	size_t got;

	assert_ok(bt_in_open(name, &in, &err));
	assert_ok(bt_in_peek(in, n + 1, &p, &got, &err));
	assert_int_equal(got, n);
	assert_memory_equal(p, data, n);
	assert_string_equal(bt_in_packing(in), "zstd");
	bt_in_close(in);
}

/* The same bytes whatever the number of threads. */
TEST(compressed_output)
{
	static const int levels[] = {1, 3, 9};
	struct bt_error err = {0};
	size_t n, m, i, k;
	uint8_t *data = malloc(4 * LARGE);
	char *one, *other;
	int threads;

	assert_non_null(data);
	for (i = 0; i < 4 * LARGE; i++)
		data[i] = byte_at(i) & 31;
	for (k = 0; k < 3; k++) {
		n = k == 2 ? LARGE : 4 * LARGE;
		assert_ok(put_zstd("z1", data, n, levels[k], 1, &err));
		reads_back("z1", data, n);
		one = file_get("z1", &m);
		assert_true(m < n);
		for (threads = 2; threads <= 5; threads++) {
			assert_ok(
			    put_zstd("z", data, n, levels[k], threads, &err));
			other = file_get("z", &i);
			assert_int_equal(i, m);
			assert_memory_equal(one, other, m);
			free(other);
		}
		free(one);
	}
	assert_ok(put_zstd("z", data, 0, BT_OUT_ZSTD_MAX, 2, &err));
	reads_back("z", data, 0);
	assert_err(put_zstd("/dev/full", data, LARGE, 3, 2, &err), BT_EIO,
	           "cannot write '/dev/full': No space left on device");
	free(data);
}

/* What was flushed can be read; what was abandoned has no end. */
TEST(compressed_flush)
{
	struct bt_error err = {0};
	struct bt_out *out;
	struct bt_in *in;
	const uint8_t *p;
	size_t got;
	int fd;

	assert_int_equal(mkfifo("flushed", 0600), 0);
	fd = open("flushed", O_RDWR); /* so that no end waits for the other */
	assert_true(fd >= 0);
	assert_ok(bt_in_open("flushed", &in, &err));
	assert_ok(bt_out_open("flushed", BT_OUT_BINARY, &out, &err));
	close(fd);
	assert_ok(bt_out_zstd(out, 3, 2, &err));
	assert_ok(bt_out_write(out, "text", 4, &err));
	assert_ok(bt_out_flush(out, &err));
	assert_ok(bt_in_peek(in, 4, &p, &got, &err));
	assert_int_equal(got, 4);
	assert_memory_equal(p, "text", 4);
	bt_out_abandon(out);
	assert_err(bt_in_peek(in, 5, &p, &got, &err), BT_ETRUNCATED,
	           "the zstd data is cut short");
	bt_in_close(in);
}

TEST(links_pipes_and_devices)
{
	struct bt_error err = {0};
	struct stat st;
	struct bt_out *out;
	char got[8];
	pid_t pid;
	int fd, status;

	mkdir("f", 0700);
	file_put("f/target", "old", 3);
	assert_int_equal(symlink("f/target", "link"), 0);
	assert_ok(bt_out_whole("link", "new", 3, &err));
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	file_is("f/target", "new");

	assert_int_equal(mkfifo("fifo", 0600), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		fd = open("fifo", O_RDONLY);
		_exit(read(fd, got, 8) == 4 && memcmp(got, "data", 4) == 0 ? 0
		                                                           : 1);
	}
	assert_ok(bt_out_whole("fifo", "data", 4, &err));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(lstat("fifo", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));

	assert_err(bt_out_whole("/dev/full", "x", 1, &err), BT_EIO,
	           "cannot write '/dev/full': No space left on device");
	assert_ok(bt_out_open("/dev/null", BT_OUT_BINARY, &out, &err));
	assert_ok(bt_out_write(out, "x", 1, &err));
	assert_ok(bt_out_commit(out, &err));
}

TEST(outputs_that_cannot_be)
{
	struct bt_error err = {0};
	struct bt_out *out = NULL;

	assert_err(bt_out_open("nosuch/file", BT_OUT_TEXT, &out, &err), BT_EIO,
	           "cannot create 'nosuch/file': No such file or directory");
	assert_err(bt_out_open(".", BT_OUT_TEXT, &out, &err), BT_EIO,
	           "cannot create '.': Is a directory");
	assert_err(bt_out_open("", BT_OUT_TEXT, &out, &err), BT_EIO,
	           "cannot create '': No such file or directory");
	assert_err(bt_out_open("new/", BT_OUT_TEXT, &out, &err), BT_EIO,
	           "cannot create 'new/': Is a directory");
	assert_null(out);
}

/* In a process that is not the superuser, whom nothing is denied. */
TEST(permission_denied)
{
	struct bt_error err = {0};
	struct bt_out *out;
	int status;
	pid_t pid;

	assert_int_equal(mkdir("closed", 0755), 0);
	file_put("closed/old", "old", 3);
	chmod("closed/old", 0444);
	chmod("closed", 0555);
	chmod(".", 0755);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (getuid() == 0 && setuid(65534) != 0)
			_exit(1);
		if (bt_out_open("closed/old", BT_OUT_TEXT, &out, &err) !=
		        BT_EIO ||
		    strcmp(err.text, "cannot create 'closed/old': Permission "
		                     "denied") != 0)
			_exit(2);
		bt_error_clear(&err);
		if (bt_out_open("closed/new", BT_OUT_TEXT, &out, &err) !=
		        BT_EIO ||
		    strstr(err.text, "Permission denied") == NULL)
			_exit(3);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
	chmod("closed", 0755);
	file_is("closed/old", "old");
	assert_int_equal(count_files("closed"), 1);
}

TEST(a_closed_pipe)
{
	struct bt_error err = {0};
	struct bt_out *out;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(mkfifo("broken", 0600), 0);
	fd = open("broken", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_ok(bt_out_open("broken", BT_OUT_BINARY, &out, &err));
	close(fd);
	assert_ok(bt_out_write(out, "x", 1, &err));
	assert_err(bt_out_commit(out, &err), BT_EIO,
	           "cannot write 'broken': Broken pipe");
}

TEST(json_comes_back)
{
	struct bt_error err = {0};
	json_t *o, *back;
	int64_t i = 1;
	double d = 1;
	const char *s = "default";
	bool b = false;
	int flag = -1;

	o = json_pack("{s:i, s:f, s:s, s:b, s:n}", "int", 7, "real", 0.1,
	              "text", "caf\xc3\xa9", "yes", 1, "none");
	assert_non_null(o);
	assert_ok(bt_json_save("x.json", o, &err));
	json_decref(o);
	assert_ok(bt_json_load("x.json", &back, &err));
	assert_ok(bt_json_int(back, "int", 0, 10, &i, &err));
	assert_ok(bt_json_real(back, "real", 0, 1, &d, &err));
	assert_ok(bt_json_str(back, "text", &s, &err));
	assert_ok(bt_json_bool(back, "yes", &b, &err));
	assert_int_equal(i, 7);
	assert_true(d == 0.1);
	assert_string_equal(s, "caf\xc3\xa9");
	assert_true(b);
	assert_ok(bt_json_flag(back, "none", &flag, &err));
	assert_int_equal(flag, -1);
	assert_ok(bt_json_flag(back, "yes", &flag, &err));
	assert_int_equal(flag, 1);
	assert_ok(bt_json_real(back, "int", 0, 10, &d, &err));
	assert_true(d == 7);
	assert_ok(bt_json_int(back, "absent", 0, 10, &i, &err));
	assert_ok(bt_json_int(back, "none", 0, 10, &i, &err));
	assert_int_equal(i, 7);

	assert_err(bt_json_int(back, "int", 0, 6, &i, &err), BT_EFORMAT,
	           "'int' is not a whole number from 0 to 6");
	assert_err(bt_json_int(back, "real", 0, 6, &i, &err), BT_EFORMAT,
	           "'real'");
	assert_err(bt_json_real(back, "text", 0, 6, &d, &err), BT_EFORMAT,
	           "'text' is not a number from 0 to 6");
	assert_err(bt_json_bool(back, "int", &b, &err), BT_EFORMAT,
	           "'int' is neither true nor false");
	assert_err(bt_json_str(back, "yes", &s, &err), BT_EFORMAT,
	           "'yes' is not a string");
	assert_int_equal(i, 7);
	json_decref(back);
}

TEST(bad_json)
{
	static const char twice[] = "{\"a\": 1, \"a\": 2}";
	struct bt_error err = {0};
	json_t *o = NULL;
	int64_t v = 0;

	file_put("bad.json", "{\n\"a\": }", 8);
	assert_err(bt_json_load("bad.json", &o, &err), BT_EFORMAT,
	           "'bad.json' is not valid JSON: line 2");
	file_put("bad.json", "[1]", 3);
	assert_err(bt_json_load("bad.json", &o, &err), BT_EFORMAT,
	           "'bad.json' does not hold a JSON object");
	file_put("bad.json", "", 0);
	assert_err(bt_json_load("bad.json", &o, &err), BT_EFORMAT,
	           "'bad.json' is empty, JSON is expected");
	assert_err(bt_json_load("nosuch.json", &o, &err), BT_EIO,
	           "cannot open 'nosuch.json'");
	assert_err(bt_json_parse("it", twice, strlen(twice), true, &o, &err),
	           BT_EFORMAT, "it is not valid JSON");
	assert_null(o);
	assert_ok(bt_json_parse("it", twice, strlen(twice), false, &o, &err));
	assert_ok(bt_json_int(o, "a", 0, 9, &v, &err));
	assert_int_equal(v, 2);
	json_decref(o);
}
