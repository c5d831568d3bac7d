/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/*
 * Record streams, plain and with recovery: any bytes, or, since no fuzzer
 * guesses checksums, a stream that is built as the input says: records, and
 * bytes that are none between them.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "base/crc32c.h"
#include "format/tfrecord.h"

static char name[] = "input.tfrecord";
static char *const paths[] = {name, name};

static void put_record(struct bt_buf *b, const uint8_t *p, uint64_t n)
{
	uint32_t crc;
	uint8_t head[8];

	memcpy(head, &n, 8);
	bt_buf_put(b, head, 8);
	crc = bt_crc32c_mask(bt_crc32c(0, head, 8));
	bt_buf_put(b, &crc, 4);
	bt_buf_put(b, p, n);
	crc = bt_crc32c_mask(bt_crc32c(0, p, n));
	bt_buf_put(b, &crc, 4);
}

/* Returns whether all of it are records; *n is how many. */
static bool build(struct bt_buf *b, const uint8_t *p, size_t size, uint64_t *n)
{
	bool pure = true;
	size_t len;

	for (*n = 0; size > 0; p += len, size -= len) {
		unsigned op = fuzz_byte(&p, &size);

		len = op >> 2 < size ? op >> 2 : size;
		if ((op & 3) != 0) {
			put_record(b, p, len);
			++*n;
			/* cut, or a bit flipped */
			pure = pure && (op & 3) == 1;
			if ((op & 3) == 2)
				b->len -= len < 5 ? len : 5;
			else if ((op & 3) == 3)
				b->data[b->len - 3 - len / 2] ^= 16;
		} else if (len > 0) {
			bt_buf_put(b, p, len);
			pure = false;
		}
	}
	return pure;
}

static uint64_t read_all(int files, bool recover, int *end)
{
	struct bt_error err = {0};
	const uint8_t *data;
	struct bt_tfrecord *r;
	uint64_t n = 0;
	size_t len;

	*end = fuzz_told(bt_tfrecord_open(paths, files, &r, &err), &err);
	if (*end != BT_OK)
		return 0;
	if (recover)
		bt_tfrecord_recover(r, NULL);
	while ((*end = fuzz_told(bt_tfrecord_next(r, &data, &len, &err),
	                         &err)) == 1) {
		fuzz_read(data, len);
		n++;
	}
	FUZZ_CHECK(bt_tfrecord_total(r) == n);
	bt_tfrecord_close(r);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = fuzz_byte(&data, &size);
	struct bt_buf b = BT_BUF_INIT;
	int files = 1 + (how >> 1 & 1), end, end2;
	uint64_t built = 0, n, m;
	bool pure = false;

	if (how & 1)
		pure = build(&b, data, size, &built);
	else
		bt_buf_put(&b, data, size);
	fuzz_put(name, b.data, b.len);
	n = read_all(files, false, &end);
	m = read_all(files, true, &end2);
	/* what reads well is whole, and recovery finds what reading finds */
	FUZZ_CHECK(!pure || (end == 0 && n == built * (unsigned)files));
	FUZZ_CHECK(end != 0 || (end2 == 0 && m == n));
	FUZZ_CHECK(m >= n);
	bt_buf_clear(&b);
	return 0;
}
