/* SPDX-License-Identifier: MIT */
/* Not under emulation: no code depends on the machine; fuzz/unpack is run */
/* Zip archives of one file, and what is refused. */
#include "files.h"

#include <zlib.h>

#include "base/buf.h"
#include "io/in.h"

#define TEXT "some text some text some text\n"

static void put(struct bt_buf *b, unsigned bytes, uint32_t v)
{
	for (; bytes > 0; bytes--, v >>= 8)
		bt_buf_putc(b, (char)(v & 0xff));
}

/* What stands in a file's header and in its entry alike. */
static void put_fields(struct bt_buf *b, bool deflate, const char *text,
                       size_t packed)
{
	put(b, 2, 20);
	put(b, 2, 0); /* flags */
	put(b, 2, deflate ? 8 : 0);
	put(b, 4, 0); /* time */
	put(b, 4,
	    (uint32_t)crc32(0, (const Bytef *)text, (unsigned)strlen(text)));
	put(b, 4, (uint32_t)packed);
	put(b, 4, (uint32_t)strlen(text));
}

static void put_data(struct bt_buf *b, bool packs, const char *text)
{
	size_t n = strlen(text);
	z_stream z = {0};

	if (!packs) {
		bt_buf_put(b, text, n);
		return;
	}
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, 0), Z_OK);
	z.next_in = (void *)(uintptr_t)text;
	z.avail_in = (unsigned)n;
	z.next_out = (void *)bt_buf_reserve(b, n + 64);
	z.avail_out = (unsigned)n + 64;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	b->len += n + 64 - z.avail_out;
	deflateEnd(&z);
}

/* An archive of files of the text, with these names; "" ends them. */
static void make(struct bt_buf *b, bool packs, const char *text,
                 const char *const *names)
{
	struct bt_buf data = BT_BUF_INIT, directory = BT_BUF_INIT;
	size_t i, at;

	bt_buf_reset(b);
	put_data(&data, packs, text);
	for (i = 0; *names[i] != '\0'; i++) {
		at = b->len;
		put(b, 4, 0x04034b50);
		put_fields(b, packs, text, data.len);
		put(b, 2, (uint32_t)strlen(names[i]));
		put(b, 2, 0);
		bt_buf_puts(b, names[i]);
		bt_buf_put(b, data.data, data.len);
		put(&directory, 4, 0x02014b50);
		put(&directory, 2, 20);
		put_fields(&directory, packs, text, data.len);
		put(&directory, 2, (uint32_t)strlen(names[i]));
		put(&directory, 4, 0); /* extra field, comment */
		put(&directory, 4, 0);
		put(&directory, 4, 0);
		put(&directory, 4, (uint32_t)at);
		bt_buf_puts(&directory, names[i]);
	}
	at = b->len;
	bt_buf_put(b, directory.data, directory.len);
	put(b, 4, 0x06054b50);
	put(b, 4, 0);
	put(b, 2, (uint32_t)i);
	put(b, 2, (uint32_t)i);
	put(b, 4, (uint32_t)directory.len);
	put(b, 4, (uint32_t)at);
	put(b, 2, 0);
	bt_buf_clear(&data);
	bt_buf_clear(&directory);
}

/* Reads an archive; what comes out must be the text, or its beginning where
 * that ends in an error. */
static int read_back(const struct bt_buf *b, const char *text,
                     struct bt_error *err)
{
	struct bt_in *in;
	const uint8_t *p;
	size_t got = 0;
	int r;

	bt_error_clear(err);
	file_put("a.zip", b->data, b->len);
	r = bt_in_open("a.zip", &in, err);
	if (r != BT_OK)
		return r;
	r = bt_in_peek(in, 1000, &p, &got, err);
	if (r == BT_OK) {
		assert_int_equal(got, strlen(text));
		assert_memory_equal(p, text, got);
		assert_string_equal(bt_in_packing(in), "zip");
	}
	bt_in_close(in);
	return r;
}

static const char *const one[] = {"a.csv", ""};

TEST(one_file)
{
	static const char *const mac[] = {"__MACOSX/._a", "f/", "f/.DS_Store",
	                                  "f/a.csv", ""};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	int packs;

	for (packs = 0; packs < 2; packs++) {
		make(&b, packs, TEXT, one);
		assert_ok(read_back(&b, TEXT, &err));
		make(&b, packs, "", one);
		assert_ok(read_back(&b, "", &err));
		make(&b, packs, TEXT, mac);
		assert_ok(read_back(&b, TEXT, &err));
	}
	bt_buf_clear(&b);
}

TEST(refused)
{
	static const char *const two[] = {"a.csv", "b.csv", ""};
	static const char *const none[] = {"a/", ""};
	static char many[60][8];
	const char *names[61];
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	size_t i, entry;

	make(&b, true, TEXT, two);
	assert_err(read_back(&b, TEXT, &err), BT_EFORMAT,
	           "several files: 'a.csv', 'b.csv'");
	make(&b, true, TEXT, none);
	assert_err(read_back(&b, TEXT, &err), BT_EFORMAT, "holds no file");
	make(&b, true, TEXT, none + 1); /* the end alone */
	assert_err(read_back(&b, TEXT, &err), BT_EFORMAT, "holds no file");
	for (i = 0; i < 60; i++) {
		snprintf(many[i], sizeof(many[i]), "n%zu", i);
		names[i] = many[i];
	}
	names[60] = "";
	make(&b, true, TEXT, names);
	assert_err(read_back(&b, TEXT, &err), BT_EFORMAT, ", ...");
	make(&b, true, TEXT, one);
	entry = b.len - 22 - 46 - 5;
	b.data[entry + 8] = 1;
	assert_err(read_back(&b, TEXT, &err), BT_EFORMAT, "is encrypted");
	b.data[entry + 8] = 0;
	b.data[entry + 10] = 12;
	assert_err(read_back(&b, TEXT, &err), BT_EFORMAT, "another method");
	b.data[entry + 10] = 8;
	memset(b.data + entry + 24, 0xff, 4);
	assert_err(read_back(&b, TEXT, &err), BT_ELIMIT, "zip64");
	make(&b, true, TEXT, one);
	memset(b.data + b.len - 6, 0xff, 4);
	assert_err(read_back(&b, TEXT, &err), BT_ELIMIT, "zip64");
	bt_buf_clear(&b);
}

/* No size that is said reads more, or makes more, than there is. */
TEST(other_sizes)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	size_t entry, packs;
	int field, more;

	for (packs = 0; packs < 2; packs++)
		for (field = 20; field <= 24; field += 4)
			for (more = -1; more <= 1; more += 2) {
				make(&b, packs, TEXT, one);
				entry = b.len - 22 - 46 - 5;
				b.data[entry + (size_t)field] =
				    (char)(b.data[entry + (size_t)field] +
				           more);
				assert_true(read_back(&b, TEXT, &err) < 0);
			}
	bt_buf_clear(&b);
}

TEST(cut_at_every_byte)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};

	make(&b, true, TEXT, one);
	for (b.len--; b.len >= 4; b.len--)
		assert_true(read_back(&b, TEXT, &err) < 0);
	bt_buf_clear(&b);
}

/* Damage is an error or does not count: times, versions, the header's copy of
 * what the directory says. */
TEST(every_bit_flipped)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	size_t i;
	int bit;

	make(&b, true, TEXT, one);
	for (i = 4; i < b.len; i++)
		for (bit = 0; bit < 8; bit++) {
			b.data[i] = (char)(b.data[i] ^ 1 << bit);
			(void)read_back(&b, TEXT, &err);
			b.data[i] = (char)(b.data[i] ^ 1 << bit);
		}
	bt_buf_clear(&b);
}
