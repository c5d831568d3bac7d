/* SPDX-License-Identifier: MIT */
/* Not under emulation: no code depends on the machine; fuzz/unpack is run */
/* Compressed inputs: members and frames of every kind, and damage. */
#include "files.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/crc32c.h"
#include "format/tfrecord.h"
#include "io/in.h"

struct packed {
	uint8_t *p;
	size_t n;
};

/* Appends n bytes as a gzip member or as a zstd frame with its checksum. */
static void pack(struct packed *to, bool gzip, const void *data, size_t n)
{
	size_t room = n + n / 8 + 1024, r;
	ZSTD_CCtx *c;
	z_stream z;

	to->p = realloc(to->p, to->n + room);
	assert_non_null(to->p);
	if (!gzip) {
		c = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
		r = ZSTD_compress2(c, to->p + to->n, room, data, n);
		assert_false(ZSTD_isError(r));
		ZSTD_freeCCtx(c);
		to->n += r;
		return;
	}
	memset(&z, 0, sizeof(z));
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
	z.next_in = (void *)(uintptr_t)data;
	z.avail_in = (unsigned)n;
	z.next_out = to->p + to->n;
	z.avail_out = (unsigned)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	to->n += room - z.avail_out;
	deflateEnd(&z);
}

/* Appends n bytes so many times: once allocated, since sanitizers copy all that
 * is reallocated. */
static void repeat(struct packed *to, size_t times, const void *data, size_t n)
{
	to->p = realloc(to->p, to->n + times * n);
	assert_non_null(to->p);
	for (; times > 0; times--, to->n += n)
		memcpy(to->p + to->n, data, n);
}

static void append(struct packed *to, const void *data, size_t n)
{
	repeat(to, 1, data, n);
}

static void release(struct packed *x)
{
	free(x->p);
	memset(x, 0, sizeof(*x));
}

/* Reads a file to its end; its bytes must be the n of data, or the first of
 * them where it ends in an error. */
static int read_back(const char *name, const void *data, size_t n,
                     struct bt_error *err)
{
	struct bt_in *in;
	const uint8_t *p;
	size_t got, at = 0;
	int r;

	bt_error_clear(err);
	r = bt_in_open(name, &in, err);
	if (r != BT_OK)
		return r;
	while ((r = bt_in_some(in, 1, &p, &got, err)) == BT_OK && got > 0) {
		assert_true(got <= n - at);
		assert_memory_equal(p, (const char *)data + at, got);
		got = got > 7 ? got - got / 3 : got;
		bt_in_skip(in, got);
		at += got;
		assert_true(bt_in_offset(in) == at);
	}
	if (r == BT_OK)
		assert_int_equal(at, n);
	bt_in_close(in);
	return r;
}

static void put_and_read(const struct packed *x, const void *data, size_t n)
{
	struct bt_error err = {0};

	file_put("packed", x->p, x->n);
	assert_ok(read_back("packed", data, n, &err));
}

#define LARGE ((size_t)5000000)

/* Compressible, but not by much. */
static uint8_t *large(void)
{
	uint8_t *p = malloc(LARGE);
	size_t i;

	assert_non_null(p);
	for (i = 0; i < LARGE; i++)
		p[i] = (uint8_t)((i * 2654435761u >> 13 & 63) + 32);
	return p;
}

TEST(members_and_frames)
{
	static const uint8_t skip[] = {0x5f, 0x2a, 0x4d, 0x18, 3,  0,
	                               0,    0,    'a',  'b',  'c'};
	static uint8_t many[40000];
	struct packed x = {0}, one = {0};
	uint8_t *data = large();
	size_t at;
	int gzip;

	memset(many, 'x', sizeof(many));
	for (gzip = 0; gzip < 2; gzip++) {
		pack(&x, gzip, data, LARGE);
		put_and_read(&x, data, LARGE);
		release(&x);
		for (at = 0; at < LARGE; at += LARGE / 5) {
			pack(&x, gzip, data + at, LARGE / 5);
			pack(&x, gzip, "", 0);
			if (!gzip)
				append(&x, skip, sizeof(skip));
		}
		put_and_read(&x, data, LARGE);
		release(&x);
		pack(&x, gzip, "", 0);
		put_and_read(&x, "", 0);
		release(&x);
		/* so many that reads end everywhere in them */
		pack(&one, gzip, "x", 1);
		repeat(&x, sizeof(many), one.p, one.n);
		release(&one);
		put_and_read(&x, many, sizeof(many));
		release(&x);
	}
	append(&x, skip, sizeof(skip));
	pack(&x, false, data, 9);
	put_and_read(&x, data, 9);
	release(&x);
	/* a size of nothing but zeros, far larger than any buffer */
	memset(data, 0, LARGE);
	pack(&x, true, data, LARGE);
	put_and_read(&x, data, LARGE);
	release(&x);
	pack(&x, false, data, LARGE);
	put_and_read(&x, data, LARGE);
	release(&x);
	free(data);
}

TEST(names)
{
	static const char *const wanted[] = {"zstd", "gzip"};
	struct bt_error err = {0};
	struct packed x = {0};
	struct bt_in *in;
	const uint8_t *p;
	size_t got;
	char *whole;
	int gzip;

	for (gzip = 0; gzip < 2; gzip++) {
		pack(&x, gzip, "text", 4);
		file_put("packed", x.p, x.n);
		assert_ok(bt_in_open("packed", &in, &err));
		assert_null(bt_in_packing(in));
		assert_ok(bt_in_peek(in, 9, &p, &got, &err));
		assert_int_equal(got, 4);
		assert_string_equal(bt_in_packing(in), wanted[gzip]);
		bt_in_close(in);
		assert_ok(bt_in_whole("packed", 99, &whole, &got, &err));
		assert_int_equal(got, x.n);
		assert_memory_equal(whole, x.p, got);
		free(whole);
		release(&x);
	}
}

/* Byte by byte through a pipe, so that every boundary falls between reads. */
TEST(a_slow_pipe)
{
	struct bt_error err = {0};
	struct packed x = {0};
	uint8_t *data = large();
	int gzip, fd, status;
	size_t i;
	pid_t pid;

	assert_int_equal(mkfifo("pipe", 0600), 0);
	for (gzip = 0; gzip < 2; gzip++) {
		pack(&x, gzip, data, 900);
		pack(&x, gzip, data + 900, 100);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			fd = open("pipe", O_WRONLY);
			for (i = 0; i < x.n; i++)
				if (write(fd, x.p + i, 1) != 1)
					_exit(1);
			_exit(0);
		}
		assert_ok(read_back("pipe", data, 1000, &err));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		release(&x);
	}
	unlink("pipe");
	free(data);
}

/* Three records, compressed. */
static void pack_records(struct packed *x, bool gzip)
{
	static const char *const text[] = {"alpha alpha alpha", "", "beta 1 2"};
	struct bt_error err = {0};
	struct bt_out *out;
	size_t n;
	char *data;
	int i;

	assert_ok(bt_out_open("records", BT_OUT_BINARY, &out, &err));
	for (i = 0; i < 3; i++)
		assert_ok(
		    bt_tfrecord_write(out, text[i], strlen(text[i]), &err));
	assert_ok(bt_out_commit(out, &err));
	data = file_get("records", &n);
	pack(x, gzip, data, n);
	free(data);
}

/* Reads all records of a file; *count says how many. */
static int count_records(char *name, int *count, struct bt_error *err)
{
	struct bt_tfrecord *r;
	const uint8_t *data;
	size_t len;
	int e;

	*count = 0;
	bt_error_clear(err);
	e = bt_tfrecord_open(&name, 1, &r, err);
	if (e != BT_OK)
		return e;
	while ((e = bt_tfrecord_next(r, &data, &len, err)) == 1)
		++*count;
	bt_tfrecord_close(r);
	return e;
}

TEST(cut_at_every_byte)
{
	struct bt_error err = {0};
	struct packed x = {0};
	char where[64], name[] = "cut";
	size_t cut;
	int gzip, count, e;

	for (gzip = 0; gzip < 2; gzip++) {
		pack_records(&x, gzip);
		for (cut = 1; cut < x.n; cut++) {
			file_put(name, x.p, cut);
			e = count_records(name, &count, &err);
			snprintf(where, sizeof(where),
			         "data is cut short at byte %zu of", cut);
			if (e >= 0 ||
			    (cut >= 4 && strstr(err.text, where) == NULL))
				fail_msg("cut at %zu: %d %s", cut, e, err.text);
		}
		file_put(name, x.p, x.n);
		assert_ok(count_records(name, &count, &err));
		assert_int_equal(count, 3);
		release(&x);
	}
}

/*
 * Every damaged bit is an error or one that does not count: gzip's header (the
 * time, the system), bits that fill up the last byte, a larger zstd window.
 */
TEST(every_bit_flipped)
{
	struct bt_error err = {0};
	struct packed x = {0};
	size_t i, n;
	char *data;
	int gzip, bit, r, harmless;

	for (gzip = 0; gzip < 2; gzip++) {
		pack_records(&x, gzip);
		data = file_get("records", &n);
		harmless = 0;
		for (i = 4; i < x.n; i++)
			for (bit = 0; bit < 8; bit++) {
				x.p[i] = (uint8_t)(x.p[i] ^ 1 << bit);
				file_put("flipped", x.p, x.n);
				x.p[i] = (uint8_t)(x.p[i] ^ 1 << bit);
				r = read_back("flipped", data, n, &err);
				if (r == BT_OK)
					harmless++;
				else
					assert_non_null(
					    strstr(err.text, "'flipped'"));
			}
		print_message("%d bits do not count\n", harmless);
		assert_in_range(harmless, 0, gzip ? 6 * 8 + 7 : 16);
		free(data);
		release(&x);
	}
}

TEST(what_follows)
{
	struct bt_error err = {0};
	static const char *const begin[] = {"\x28\xb5\x2f", "\x1f"};
	struct packed x = {0};
	char words[100];
	size_t n;
	int gzip, other;

	for (gzip = 0; gzip < 2; gzip++)
		for (other = 0; other < 3; other++) {
			pack(&x, gzip, "text", 4);
			n = x.n;
			if (other == 0)
				append(&x, "\0", 1);
			else if (other == 1)
				append(&x, "more text", 9);
			else
				pack(&x, !gzip, "text", 4);
			file_put("packed", x.p, x.n);
			snprintf(words, sizeof(words),
			         "cannot read 'packed': %s data: byte %zu of "
			         "the compressed file: something else follows",
			         gzip ? "gzip" : "zstd", n);
			assert_err(read_back("packed", "text", 4, &err),
			           BT_ECORRUPT, words);
			x.n = n;
			append(&x, begin[gzip], gzip ? 1 : 3);
			file_put("packed", x.p, x.n);
			assert_err(read_back("packed", "text", 4, &err),
			           BT_ETRUNCATED, "cut short");
			release(&x);
		}
}

/* A frame that claims a window takes that much memory before its first byte. */
TEST(large_windows)
{
	uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0, 1, 0, 0};
	struct bt_error err = {0};
	int log;

	for (log = 10; log <= 41; log++) {
		frame[5] = (uint8_t)((log - 10) << 3);
		file_put("bomb", frame, sizeof(frame));
		if (log <= 27)
			assert_ok(read_back("bomb", "", 0, &err));
		else
			assert_int_equal(read_back("bomb", "", 0, &err),
			                 log <= 31 ? BT_ELIMIT : err.code);
		assert_true((log <= 27) == (err.code == 0));
	}
	frame[5] = (31 - 10) << 3;
	file_put("bomb", frame, sizeof(frame));
	assert_err(read_back("bomb", "", 0, &err), BT_ELIMIT,
	           "a window of more than 128 MiB");
}

/* Not compressed, though the first bytes say so: the length of a record. */
TEST(a_record_that_looks_so)
{
	static const size_t sizes[] = {0x8b1f, 0x088b1f};
	struct bt_error err = {0};
	struct bt_out *out;
	char name[] = "looks", *data = calloc(1, 0x088b1f);
	int count;
	size_t i;

	for (i = 0; i < 2; i++) {
		assert_ok(bt_out_open(name, BT_OUT_BINARY, &out, &err));
		assert_ok(bt_tfrecord_write(out, data, sizes[i], &err));
		assert_ok(bt_out_commit(out, &err));
		assert_ok(count_records(name, &count, &err));
		assert_int_equal(count, 1);
	}
	free(data);
	file_put(name, "\x1f", 1);
	assert_ok(read_back(name, "\x1f", 1, &err));
	file_put(name, "(", 1);
	assert_ok(read_back(name, "(", 1, &err));
}

/* Checksums of the records are told with bytes of what was compressed. */
TEST(damage_below)
{
	struct bt_error err = {0};
	struct packed x = {0}, twice = {0};
	char name[] = "below", *data;
	size_t n;
	int count;

	pack_records(&x, true);
	release(&x);
	data = file_get("records", &n);
	data[n - 1] ^= 1;
	pack(&x, false, data, n);
	file_put(name, x.p, x.n);
	assert_err(count_records(name, &count, &err), BT_ECORRUPT,
	           "record starts at byte 49 of the decompressed data");
	assert_int_equal(count, 2);
	pack(&twice, true, x.p, x.n);
	file_put(name, twice.p, twice.n);
	assert_err(count_records(name, &count, &err), BT_EFORMAT,
	           "it starts with zstd-compressed data (compressed twice)");
	free(data);
	release(&twice);
	release(&x);
}

#define HUGE_BYTES ((size_t)12 << 20) /* so much that a thread pays */

/* Hardly compressible, so that the packed bytes are many reads. */
static uint8_t *huge(void)
{
	uint8_t *p = malloc(HUGE_BYTES);
	uint32_t x = 1;
	size_t i;

	assert_non_null(p);
	for (i = 0; i < HUGE_BYTES; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)(x >> 25);
	}
	return p;
}

/* Reads to the end in steps of all sizes; *at bytes with the sum *crc. */
static int read_steps(const char *name, bool ahead, size_t *at, uint32_t *crc,
                      struct bt_error *err)
{
	struct bt_in *in;
	const uint8_t *p;
	size_t got, n, k = 0;
	int r;

	bt_error_clear(err);
	assert_int_equal(bt_in_open(name, &in, err), BT_OK);
	if (ahead)
		bt_in_ahead(in);
	*crc = 0;
	for (*at = 0;; *at += got) {
		n = ++k % 7 == 0 ? 3000000 : k * 977 % 100003 + 1;
		r = bt_in_peek(in, n, &p, &got, err);
		if (r != BT_OK || got == 0)
			break;
		*crc = bt_crc32c(*crc, p, got);
		bt_in_skip(in, got);
	}
	bt_in_close(in);
	return r;
}

/* Whatever the input, reading ahead gives the same bytes and the same error. */
TEST(read_ahead)
{
	static const size_t cuts[] = {0, 1, 5, 9, 4000000, 7000000};
	struct bt_error one = {0}, two = {0};
	uint8_t *data = huge();
	struct packed x = {0};
	uint32_t crc, crc2;
	size_t i, at, at2, half = HUGE_BYTES / 2 + 17;
	int gzip;

	for (gzip = 0; gzip < 2; gzip++) {
		pack(&x, gzip, data, half);
		pack(&x, gzip, data + half, HUGE_BYTES - half);
		for (i = 0; i < 2 * sizeof(cuts) / sizeof(*cuts); i++) {
			if (i % 2 == 0) {
				file_put("ahead", x.p, x.n - cuts[i / 2]);
			} else {
				x.p[x.n - cuts[i / 2] - 1] ^= 64;
				file_put("ahead", x.p, x.n);
				x.p[x.n - cuts[i / 2] - 1] ^= 64;
			}
			read_steps("ahead", false, &at, &crc, &one);
			read_steps("ahead", true, &at2, &crc2, &two);
			assert_int_equal(one.code, two.code);
			assert_string_equal(one.text, two.text);
			assert_int_equal(at, at2);
			assert_int_equal(crc, crc2);
			assert_true((i == 0) == (one.code == 0));
			if (i == 0)
				assert_int_equal(
				    crc, bt_crc32c(0, data, HUGE_BYTES));
		}
		release(&x);
	}
	free(data);
}

/* Threads of this process, or 0 where that is not told. */
static int count_threads(void)
{
	char line[256];
	int n = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Threads: %d", &n) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return n;
}

/* The system counts a thread for a moment after it was joined. */
static void wait_for_threads(int n)
{
	struct timespec ms = {0, 1000000};
	int k;

	for (k = 0; k < 5000 && count_threads() != n; k++)
		nanosleep(&ms, NULL);
	assert_int_equal(count_threads(), n);
}

/* Closed anywhere in the middle, the thread is gone; small inputs, and large
 * ones that nobody asked it for, never have one. */
TEST(abandoned)
{
	struct bt_error err = {0};
	uint8_t *data = huge();
	struct packed x = {0};
	int before = count_threads(), k, most;
	struct bt_in *in;
	const uint8_t *p;
	size_t got, at;

	pack(&x, true, data, HUGE_BYTES);
	file_put("abandoned", x.p, x.n);
	for (k = 0; k < 12; k++) {
		assert_ok(bt_in_open("abandoned", &in, &err));
		if (k != 11)
			bt_in_ahead(in);
		for (at = most = 0; at < ((size_t)k << 20); at += got) {
			assert_ok(bt_in_some(in, 1, &p, &got, &err));
			got = got < 100000 ? got : 100000;
			bt_in_skip(in, got);
			if (at > (size_t)k << 19 && most == 0)
				most = count_threads();
		}
		if (before > 0 && (k == 3 || k == 11))
			assert_int_equal(most, before);
		if (before > 0 && k == 10)
			assert_int_equal(most, before + 1);
		bt_in_close(in);
		wait_for_threads(before);
	}
	release(&x);
	free(data);
}

/* A pipe that stays open: what has come is given out at once, and closing does
 * not wait for more. */
TEST(a_silent_pipe)
{
	struct bt_error err = {0};
	uint8_t *data = huge();
	struct packed x = {0};
	int hold[2], status;
	struct bt_in *in;
	const uint8_t *p;
	size_t got, at;
	pid_t pid;
	char c;

	pack(&x, false, data, HUGE_BYTES / 2);
	pack(&x, false, data, HUGE_BYTES / 2);
	assert_int_equal(mkfifo("silent", 0600), 0);
	assert_int_equal(pipe(hold), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = open("silent", O_WRONLY);
		bool ok;

		close(hold[1]);
		ok = write(fd, x.p, x.n) == (ssize_t)x.n;
		/* until the other side is done */
		_exit(read(hold[0], &c, 1) == 0 && ok ? 0 : 1);
	}
	assert_ok(bt_in_open("silent", &in, &err));
	bt_in_ahead(in);
	for (at = 0; at < HUGE_BYTES; at += got) {
		assert_ok(bt_in_some(in, 1, &p, &got, &err));
		assert_memory_equal(p, data + at % (HUGE_BYTES / 2), 1);
		bt_in_skip(in, got);
	}
	assert_int_equal(at, HUGE_BYTES);
	bt_in_close(in);
	close(hold[0]);
	close(hold[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	unlink("silent");
	release(&x);
	free(data);
}

/* The other end of a pipe, in a process of its own that dawdles: it writes n
 * bytes of data, or reads as many and compares. */
static pid_t dawdle(int end, bool writes, const uint8_t *data, size_t n)
{
	struct timespec ms = {0, 10000000};
	pid_t pid = fork();
	uint8_t part[200000];
	ssize_t r = 0;
	size_t at;

	assert_true(pid >= 0);
	if (pid != 0)
		return pid;
	for (at = 0; at < n; at += (size_t)r) {
		nanosleep(&ms, NULL);
		r = n - at < sizeof(part) ? (ssize_t)(n - at)
		                          : (ssize_t)sizeof(part);
		r = writes ? write(end, data + at, (size_t)r)
		           : read(end, part, (size_t)r);
		if (r <= 0 || (!writes && memcmp(part, data + at, (size_t)r)))
			_exit(1);
	}
	_exit(0);
}

/* Descriptors that do not block, as some programs leave them to others. */
TEST(impatient_pipes)
{
	const size_t n = 1000000;
	struct bt_error err = {0};
	uint8_t *data = huge();
	struct bt_out *out;
	struct bt_in *in;
	const uint8_t *p;
	int fds[2], status, old = dup(STDIN_FILENO);
	char name[32];
	size_t got;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = dawdle(fds[1], true, data, n);
	close(fds[1]);
	assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	assert_ok(bt_in_open("-", &in, &err));
	assert_ok(bt_in_peek(in, n + 1, &p, &got, &err));
	assert_int_equal(got, n);
	assert_memory_equal(p, data, n);
	bt_in_close(in);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fds[0]);
	dup2(old, STDIN_FILENO);
	close(old);

	assert_int_equal(pipe(fds), 0);
	pid = dawdle(fds[0], false, data, n);
	close(fds[0]);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", fds[1]);
	assert_ok(bt_out_open(name, BT_OUT_BINARY, &out, &err));
	assert_ok(bt_out_write(out, data, n, &err));
	assert_ok(bt_out_commit(out, &err));
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	free(data);
}

/* A file that somebody still writes: read as far as it goes when it is read,
 * and cut short it is an error. */
TEST(a_growing_file)
{
	struct bt_error err = {0};
	uint8_t *data = huge();
	struct packed x = {0};
	struct bt_in *in;
	const uint8_t *p;
	size_t got, at;
	int k, r;

	pack(&x, true, data, HUGE_BYTES);
	for (k = 0; k < 2; k++) {
		file_put("growing", x.p, x.n / 2);
		assert_ok(bt_in_open("growing", &in, &err));
		bt_in_ahead(in);
		assert_ok(bt_in_peek(in, 10, &p, &got, &err));
		if (k == 0)
			file_put("growing", x.p, x.n);
		for (at = 0; (r = bt_in_some(in, 1, &p, &got, &err)) == BT_OK &&
		             got > 0;
		     at += got)
			bt_in_skip(in, got);
		if (k == 0) {
			assert_int_equal(at, HUGE_BYTES);
		} else {
			assert_int_equal(r, BT_ETRUNCATED);
			assert_non_null(strstr(err.text, "cut short"));
		}
		bt_in_close(in);
	}
	release(&x);
	free(data);
}
