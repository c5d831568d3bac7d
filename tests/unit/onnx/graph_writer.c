/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Models of ONNX with their arrays inside and beside. */
#include "files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "onnx/graph_writer.h"

#define ROWS 600
#define COLS 500 /* together more than 1 MiB */
#define TINY_AT (65536 + (ROWS * COLS * 4 + 4095) / 4096 * 4096)

static float large[ROWS * COLS], small[300], tiny[3] = {7, 8, 9};

/* (x + small) large' + tiny, whose shapes do not fit: that is nothing to who
 * writes it. */
static struct bt_onnx *make(void)
{
	static const char *const dims[] = {"n", "500"};
	struct bt_onnx *o = bt_onnx_new("test");
	int x, i;

	assert_non_null(o);
	for (i = 0; i < ROWS * COLS; i++)
		large[i] = (float)i;
	for (i = 0; i < 300; i++)
		small[i] = (float)-i;
	x = bt_onnx_input(o, "x", BT_ONNX_FLOAT, dims, 2);
	x = bt_onnx_op(o, "Add", x,
	               bt_onnx_floats(o, "small", small, 0, 300, false),
	               BT_ONNX_NONE);
	x = bt_onnx_op(o, "MatMul", x,
	               bt_onnx_floats(o, "large", large, ROWS, COLS, true),
	               BT_ONNX_NONE);
	x = bt_onnx_op(o, "Add", x,
	               bt_onnx_floats(o, "tiny", tiny, 0, 3, false),
	               BT_ONNX_NONE);
	x = bt_onnx_op(o, "Mul", x, bt_onnx_float(o, 0.3f), BT_ONNX_NONE);
	bt_onnx_output(o, x, BT_ONNX_FLOAT, dims, 2);
	return o;
}

static void save(const char *path, size_t most, bool wanted)
{
	struct bt_onnx *o = make();
	struct bt_error err = {0};
	bool beside = !wanted;

	assert_ok(bt_onnx_save(o, path, most, &beside, &err));
	assert_int_equal(beside, wanted);
	bt_onnx_free(o);
}

static bool holds(const char *data, size_t n, const char *text)
{
	size_t m = strlen(text), i;

	for (i = 0; i + m <= n; i++)
		if (memcmp(data + i, text, m) == 0)
			return true;
	return false;
}

/* What fits exactly stays one file, one byte more does not. */
TEST(limit)
{
	size_t n, m;
	char *p, *q;

	save("one.onnx", BT_ONNX_MOST, false);
	p = file_get("one.onnx", &n);
	assert_int_not_equal(access("one.onnx.data", F_OK), 0);
	save("two.onnx", n, false);
	assert_int_not_equal(access("two.onnx.data", F_OK), 0);
	q = file_get("two.onnx", &m);
	assert_int_equal(n, m);
	assert_memory_equal(p, q, n);
	save("two.onnx", n - 1, true);
	free(q);
	q = file_get("two.onnx", &m);
	assert_true(m < 2000);
	assert_true(holds(q, m, "two.onnx.data"));
	free(p);
	free(q);
}

/* Arrays stand where the model says: small ones on a page, large ones on what
 * Windows maps, numbers of the graph in the model. */
TEST(places)
{
	size_t n, m, i, j;
	char *p, *q, number[5] = "";
	float v;

	assert_int_equal(mkdir("in", 0777), 0);
	save("in/model.onnx", 0, true);
	p = file_get("in/model.onnx", &n);
	q = file_get("in/model.onnx.data", &m);
	assert_int_equal(m, TINY_AT + sizeof(tiny));
	assert_memory_equal(q, small, sizeof(small));
	for (i = sizeof(small); i < 65536; i++)
		assert_int_equal(q[i], 0);
	assert_memory_equal(q + TINY_AT, tiny, sizeof(tiny));
	for (i = 0; i < COLS; i++)
		for (j = 0; j < ROWS; j++) {
			memcpy(&v, q + 65536 + (i * ROWS + j) * 4, 4);
			assert_true(v == large[j * COLS + i]);
		}
	v = 0.3f;
	memcpy(number, &v, 4);
	assert_true(holds(p, n, number));
	assert_true(holds(p, n, "\x12\x0fmodel.onnx.data"));
	assert_true(holds(p, n,
	                  "\n\x06offset\x12\x05"
	                  "65536"));
	assert_true(holds(p, n,
	                  "\n\x06length\x12\x07"
	                  "1200000"));
	assert_true(holds(p, n,
	                  "\n\x06offset\x12\x01"
	                  "0"));
	free(p);
	free(q);
}

/* Where the second file cannot be, the first is not. */
TEST(both_or_none)
{
	struct bt_onnx *o = make();
	struct bt_error err = {0};
	bool beside;

	assert_int_equal(mkdir("odd.onnx.data", 0777), 0);
	assert_true(bt_onnx_save(o, "odd.onnx", 0, &beside, &err) < 0);
	assert_int_not_equal(access("odd.onnx", F_OK), 0);
	err.code = 0;
	assert_true(bt_onnx_save(o, "no/odd.onnx", 0, &beside, &err) < 0);
	assert_err(bt_onnx_save(o, "-", 0, &beside, &err), BT_EARG,
	           "standard output");
	bt_onnx_free(o);
}
