/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* The wire format of Protocol Buffers: bytes known from its description. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "format/protobuf_wire.h"

struct message {
	uint64_t number;
	struct bt_span text;
	float real;
	double wide;
	bool flag, has;
};

static const struct bt_pb_member members[] = {
    {1, BT_PB_VARINT, offsetof(struct message, number),
     offsetof(struct message, has)},
    {2, BT_PB_LEN, offsetof(struct message, text), 0},
    {3, BT_PB_I32, offsetof(struct message, real), 0},
    {4, BT_PB_I64, offsetof(struct message, wide), 0},
    {500, BT_PB_BOOL, offsetof(struct message, flag), 0},
    {0}};

static bool parse(const void *data, size_t n, struct message *m)
{
	struct bt_pb in = {data, (const uint8_t *)data + n};

	memset(m, 0, sizeof(*m));
	return bt_pb_read(in, members, m);
}

#define PARSE(s, m) parse(s, sizeof(s) - 1, m)

TEST(every_type)
{
	struct message m;

	assert_true(PARSE("\x08\x96\x01\x12\x07testing\x1d\0\0\x80\x3f"
	                  "\x21\0\0\0\0\0\0\xf0\xbf\xa0\x1f\x02",
	                  &m));
	assert_int_equal(m.number, 150);
	assert_true(m.has && m.flag);
	assert_true(bt_span_equal(m.text, bt_span("testing")));
	assert_true(m.real == 1 && m.wide == -1);
	assert_true(PARSE("", &m));
	assert_true(!m.has && m.text.p == NULL);
	assert_true(PARSE("\x12\0", &m));
	assert_true(m.text.p != NULL && m.text.n == 0);
}

/* The last value counts; other fields and other types are passed over. */
TEST(other_fields)
{
	struct message m;

	assert_true(PARSE("\x08\x01\x08\x02\x32\x02\x08\x03", &m));
	assert_int_equal(m.number, 2);
	assert_true(PARSE("\x0a\x01\x05\x0d\1\2\3\4\x10\x05\x18\x01", &m));
	assert_true(!m.has && m.number == 0 && m.text.p == NULL && m.real == 0);
	assert_true(PARSE("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &m));
	assert_true(m.number == UINT64_MAX);
}

TEST(damaged)
{
	static const char whole[] =
	    "\x08\x96\x01\x12\x02hi\x1d\0\0\x80\x3f\x21\0\0\0\0\0\0\xf0\xbf";
	static const size_t ends[] = {0, 3, 7, 12, 21};
	struct message m;
	size_t n, i, k = 0;

	for (n = 0; n < sizeof(whole); n++) {
		bool good = k < 5 && ends[k] == n;
		char *exact = malloc(n + 1); /* nothing after it is read */

		assert_non_null(exact);
		for (i = 0; i < n; i++)
			exact[i + 1] = whole[i];
		assert_int_equal(parse(exact + 1, n, &m), good);
		free(exact);
		k += good;
	}
	assert_false(PARSE("\x00\x01", &m)); /* no field has the number 0 */
	assert_false(PARSE("\x0b\x0c", &m)); /* a group */
	assert_false(PARSE("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &m));
	assert_false(
	    PARSE("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &m));
}

TEST(repeated)
{
	static const uint8_t data[] =
	    "\x08\x01\x12\x01x\x10\x05\x12\0\x12\x02y";
	struct bt_pb in = {data, data + sizeof(data) - 1}, part = in;

	assert_int_equal(bt_pb_next(&in, 2, &part), 1);
	assert_true(bt_span_equal(bt_pb_span(part), bt_span("x")));
	assert_int_equal(bt_pb_next(&in, 2, &part), 1);
	assert_true(part.p == part.end);
	assert_int_equal(bt_pb_next(&in, 2, &part), -1); /* cut short */
	in.p = data;
	in.end = data + 9;
	assert_int_equal(bt_pb_next(&in, 3, &part), 0);
}

/* A length of one byte, of two and of three, each in the next. */
TEST(nested)
{
	static const size_t sizes[] = {0, 1, 127, 128, 16383, 16384, 40000};
	struct bt_buf b = BT_BUF_INIT, text = BT_BUF_INIT;
	struct bt_pb in, part;
	struct message m;
	size_t i, k, at[3];

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		bt_buf_reset(&b);
		bt_buf_reset(&text);
		while (text.len < sizes[i])
			bt_buf_putc(&text, (char)text.len);
		for (k = 0; k < 3; k++)
			at[k] = bt_pb_begin(&b, (uint32_t)k + 7);
		bt_pb_put_uint(&b, 1, sizes[i]);
		bt_pb_put_bytes(&b, 2, text.data, text.len);
		bt_pb_put_fixed(&b, 3, BT_PB_I32, &(float){-2});
		bt_pb_put_fixed(&b, 4, BT_PB_I64, &(double){3});
		while (k-- > 0)
			bt_pb_end(&b, at[k]);
		bt_pb_put_str(&b, 2, "after");
		assert_false(b.oom);
		in.p = (const uint8_t *)bt_buf_at(&b, 0);
		in.end = in.p + b.len;
		part = in;
		memset(&m, 0, sizeof(m));
		assert_true(bt_pb_read(in, members, &m));
		assert_true(bt_span_equal(m.text, bt_span("after")));
		for (k = 0; k < 3; k++, in = part)
			assert_int_equal(
			    bt_pb_next(&in, (uint32_t)k + 7, &part), 1);
		memset(&m, 0, sizeof(m));
		assert_true(bt_pb_read(in, members, &m));
		assert_int_equal(m.number, sizes[i]);
		assert_int_equal(m.text.n, sizes[i]);
		assert_memory_equal(m.text.p, bt_buf_at(&text, 0), sizes[i]);
		assert_true(m.real == -2 && m.wide == 3);
	}
	bt_buf_clear(&b);
	bt_buf_clear(&text);
}
