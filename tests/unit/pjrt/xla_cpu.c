/* SPDX-License-Identifier: MIT */
/* Not under thread: the plugin's threads are not known to it */
/* The client against XLA's own plugin for CPUs, where BT_PJRT_PATH has it. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/half.h"
#include "base/sys.h"
#include "pjrt/pjrt.h"

#define N 96 /* rows and columns */

static struct bt_error err;

static struct bt_pjrt *client(int devices, const char *cache)
{
	struct bt_pjrt_options o = {.cpu_devices = devices, .cache = cache};
	struct bt_pjrt *p;

	assert_ok(bt_pjrt_open("cpu", &o, &p, &err));
	return p;
}

static struct bt_pjrt_program *compiled(struct bt_pjrt *p, const char *text,
                                        const struct bt_pjrt_arg *args,
                                        size_t n, int replicas)
{
	struct bt_pjrt_source s = {"test",   text, strlen(text),
	                           replicas, args, n};
	struct bt_pjrt_program *x;

	assert_ok(bt_pjrt_compile(p, &s, &x, &err));
	return x;
}

static float a32[N * N], b32[N * N], got[N * N];
static uint16_t a16[N * N], b16[N * N];

/* a times b, of elements of that type, as f32. */
static void product(const char *type, enum bt_pjrt_type t, const void *a,
                    const void *b, size_t bytes)
{
	struct bt_pjrt_arg args[2] = {{{t, 2, {N, N}}, false},
	                              {{t, 2, {N, N}}, false}};
	struct bt_pjrt *p = client(1, NULL);
	struct bt_pjrt_buffer *in[2], *out;
	struct bt_pjrt_program *x;
	char text[600];

	snprintf(text, sizeof(text),
	         "func.func @main(%%a: tensor<%dx%dx%s>, %%b: "
	         "tensor<%dx%dx%s>) -> tensor<%dx%dxf32> {\n"
	         "  %%c = stablehlo.dot_general %%a, %%b, contracting_dims = "
	         "[1] x [0] : (tensor<%dx%dx%s>, tensor<%dx%dx%s>) -> "
	         "tensor<%dx%dxf32>\n  return %%c : tensor<%dx%dxf32>\n}\n",
	         N, N, type, N, N, type, N, N, N, N, type, N, N, type, N, N, N,
	         N);
	x = compiled(p, text, args, 2, 1);
	assert_int_equal(bt_pjrt_origin(x), BT_PJRT_IN_CHILD);
	assert_ok(bt_pjrt_put(p, 0, &args[0].shape, a, bytes, &in[0], &err));
	assert_ok(bt_pjrt_put(p, 0, &args[1].shape, b, bytes, &in[1], &err));
	assert_ok(bt_pjrt_run(x, in, &out, &err));
	memset(got, 0, sizeof(got));
	assert_ok(bt_pjrt_get(out, got, sizeof(got), &err));
	bt_pjrt_buffer_free(in[0]);
	bt_pjrt_buffer_free(in[1]);
	bt_pjrt_buffer_free(out);
	bt_pjrt_program_free(x);
	bt_pjrt_close(p);
}

static void got_is_the_product(void)
{
	double sum, size;
	int i, j, k;

	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++) {
			for (sum = size = 0, k = 0; k < N; k++) {
				sum += (double)a32[i * N + k] * b32[k * N + j];
				size += fabs((double)a32[i * N + k] *
				             b32[k * N + j]);
			}
			if (!(fabs(got[i * N + j] - sum) <= 2e-6 * size))
				fail_msg("[%d,%d]: %g, not %g", i, j,
				         (double)got[i * N + j], sum);
		}
}

TEST(products)
{
	int i;

	for (i = 0; i < N * N; i++) {
		/* not symmetric: a transposed result differs */
		a32[i] = sinf((float)i * 0.7f);
		b32[i] = cosf((float)i * 1.3f) + 0.2f;
	}
	product("f32", BT_PJRT_F32, a32, b32, sizeof(a32));
	got_is_the_product();
	for (i = 0; i < N * N; i++) {
		a16[i] = bt_f32_to_bf16(a32[i]);
		b16[i] = bt_f32_to_bf16(b32[i]);
		a32[i] = bt_bf16_to_f32(a16[i]);
		b32[i] = bt_bf16_to_f32(b16[i]);
	}
	product("bf16", BT_PJRT_BF16, a16, b16, sizeof(a16));
	got_is_the_product();
}

TEST(devices_add_up)
{
	static const char text[] =
	    "module @sum attributes {mhlo.num_replicas = 2 : i32} {\n"
	    "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
	    "  %s = \"stablehlo.all_reduce\"(%x) ({\n"
	    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
	    "    %c = stablehlo.add %a, %b : tensor<f32>\n"
	    "    stablehlo.return %c : tensor<f32>\n"
	    "  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}\n"
	    "    : (tensor<3xf32>) -> tensor<3xf32>\n"
	    "  return %s : tensor<3xf32>\n}}\n";
	const struct bt_pjrt_arg arg = {{BT_PJRT_F32, 1, {3}}, false};
	static const float x[2][3] = {{1, 2, 3}, {10, 20, 40}};
	struct bt_pjrt *p = client(2, NULL);
	struct bt_pjrt_program *sum;
	struct bt_pjrt_buffer *in[2], *out[2];
	float result[3];
	int d;

	assert_int_equal(bt_pjrt_n_devices(p), 2);
	sum = compiled(p, text, &arg, 1, 2);
	for (d = 0; d < 2; d++)
		assert_ok(
		    bt_pjrt_put(p, d, &arg.shape, x[d], 12, &in[d], &err));
	assert_ok(bt_pjrt_run(sum, in, out, &err));
	for (d = 0; d < 2; d++) {
		assert_ok(bt_pjrt_get(out[d], result, 12, &err));
		assert_true(result[0] == 11 && result[1] == 22 &&
		            result[2] == 43);
		bt_pjrt_buffer_free(in[d]);
		bt_pjrt_buffer_free(out[d]);
	}
	bt_pjrt_program_free(sum);
	bt_pjrt_close(p);
}

#define LARGE ((int64_t)32 << 20) /* floats: 128 MB */

/* Adds 1 to a large array a few times. Returns by how much the most memory that
 * this process ever held grew. */
static size_t grown(struct bt_pjrt *p, bool donated)
{
	static const char text[] =
	    "func.func @main(%x: tensor<33554432xf32> {tf.aliasing_output = 0 "
	    ": i32}) -> tensor<33554432xf32> {\n"
	    "  %1 = stablehlo.constant dense<1.0> : tensor<33554432xf32>\n"
	    "  %s = stablehlo.add %x, %1 : tensor<33554432xf32>\n"
	    "  return %s : tensor<33554432xf32>\n}\n";
	struct bt_pjrt_arg arg = {{BT_PJRT_F32, 1, {LARGE}}, donated};
	struct bt_pjrt_program *add = compiled(p, text, &arg, 1, 1);
	float *x = calloc((size_t)LARGE, sizeof(*x));
	struct bt_pjrt_buffer *in, *out;
	size_t before;
	int i;

	assert_non_null(x);
	assert_ok(
	    bt_pjrt_put(p, 0, &arg.shape, x, (size_t)LARGE * 4, &in, &err));
	memset(x, 1, (size_t)LARGE * 4);
	before = bt_peak_memory();
	for (i = 0; i < 3; i++) {
		assert_ok(bt_pjrt_run(add, &in, &out, &err));
		assert_ok(bt_pjrt_wait(p, &err));
		bt_pjrt_buffer_free(in);
		in = out;
	}
	before = bt_peak_memory() - before;
	assert_ok(bt_pjrt_get(in, x, (size_t)LARGE * 4, &err));
	assert_true(x[0] == 3 && x[LARGE - 1] == 3);
	bt_pjrt_buffer_free(in);
	bt_pjrt_program_free(add);
	free(x);
	return before;
}

TEST(donation_leaves_no_copy)
{
	struct bt_pjrt *p = client(1, NULL);
	size_t donated = grown(p, true), copied = grown(p, false);

	print_message("# donated: %zu MB more, else %zu MB\n", donated >> 20,
	              copied >> 20);
	assert_true(donated < 32u << 20);
	assert_true(copied > 96u << 20);
	bt_pjrt_close(p);
}

TEST(wrong_programs)
{
	static const char bad[] =
	    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
	    "  %s = stablehlo.add %x, %nothing : tensor<4xf32>\n"
	    "  return %s : tensor<4xf32>\n}\n";
	const struct bt_pjrt_arg arg = {{BT_PJRT_F32, 1, {4}}, false};
	struct bt_pjrt_source s = {"bad", bad, strlen(bad), 1, &arg, 1};
	struct bt_pjrt *p = client(1, NULL);
	struct bt_pjrt_program *x;

	assert_err(bt_pjrt_compile(p, &s, &x, &err), BT_EFORMAT,
	           "cannot compile program 'bad': plugin 'cpu': ");
	print_message("# %s\n", err.text);
	assert_null(strchr(err.text, '\n'));
	bt_pjrt_close(p);
}

/* A program that takes a while to compile. */
static void long_program(struct bt_buf *b)
{
	int i;

	bt_buf_puts(b, "func.func @main(%0: tensor<64x64xf32>) -> "
	               "tensor<64x64xf32> {\n");
	for (i = 1; i < 240; i += 2)
		bt_buf_printf(b,
		              "  %%%d = stablehlo.dot_general %%%d, %%0, "
		              "contracting_dims = [1] x [0] : "
		              "(tensor<64x64xf32>, tensor<64x64xf32>) -> "
		              "tensor<64x64xf32>\n"
		              "  %%%d = stablehlo.tanh %%%d : "
		              "tensor<64x64xf32>\n",
		              i, i - 1, i + 1, i);
	bt_buf_printf(b, "  return %%%d : tensor<64x64xf32>\n}\n", i - 1);
}

TEST(cached_program_is_equal)
{
	const struct bt_pjrt_arg arg = {{BT_PJRT_F32, 2, {64, 64}}, false};
	static float x[64 * 64], result[3][64 * 64];
	struct bt_pjrt_buffer *in, *out;
	struct bt_buf text = BT_BUF_INIT;
	struct bt_pjrt_program *prog;
	struct bt_pjrt *p;
	int i;

	long_program(&text);
	for (i = 0; i < 64 * 64; i++)
		x[i] = sinf((float)i) / 4;
	for (i = 0; i < 3; i++) {
		p = client(1, i < 2 ? "cache" : NULL);
		prog = compiled(p, bt_buf_str(&text), &arg, 1, 1);
		assert_int_equal(bt_pjrt_origin(prog),
		                 i == 1 ? BT_PJRT_CACHED : BT_PJRT_IN_CHILD);
		assert_ok(
		    bt_pjrt_put(p, 0, &arg.shape, x, sizeof(x), &in, &err));
		assert_ok(bt_pjrt_run(prog, &in, &out, &err));
		assert_ok(bt_pjrt_get(out, result[i], sizeof(x), &err));
		bt_pjrt_buffer_free(in);
		bt_pjrt_buffer_free(out);
		bt_pjrt_program_free(prog);
		bt_pjrt_close(p);
	}
	bt_buf_clear(&text);
	assert_memory_equal(result[0], result[1], sizeof(x));
	assert_memory_equal(result[0], result[2], sizeof(x));
}

int main(void)
{
	struct bt_pjrt_plugin *found = NULL;
	size_t n = 0, i;
	bool there = false;

	if (bt_pjrt_plugins(&found, &n, NULL) == BT_OK)
		for (i = 0; i < n; i++)
			there = there || strcmp(found[i].name, "cpu") == 0;
	bt_pjrt_plugins_free(found, n);
	if (!there) {
		printf("1..1\nok 1 - XLA for CPUs # SKIP BT_PJRT_PATH has no "
		       "plugin for CPUs\n");
		return 0;
	}
	return run_listed();
}
