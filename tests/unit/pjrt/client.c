/* SPDX-License-Identifier: MIT */
/* Not under thread: starts processes, no threads */
/* The client against a plugin that fails, lies, and is older or newer. */
#include "mock.h"

#include <dirent.h>
#include <unistd.h>

#include "files.h"
#include "io/path.h"

/* Two results: a copy of argument 1, and one of argument 0. */
static const char program[] = "2\n13 0 1\n11 2 2 3 0\n";
static const float some[6] = {1, 2, 3, 4, 5, 6};
static const uint16_t y = 0x4049;

static const struct bt_pjrt_options here = {.in_process = true};

static void clear_cache(void)
{
	assert_int_equal(system("rm -rf cache"), 0);
}

static struct bt_pjrt_source source(const char *text, int replicas)
{
	struct bt_pjrt_source s = {"copy",   text, strlen(text),
	                           replicas, args, 2};

	return s;
}

/* A whole use of a client on one or two devices: the first error of it. */
static int use(const struct bt_pjrt_options *o, int replicas)
{
	struct bt_pjrt_source s = source(program, replicas);
	struct bt_pjrt_buffer *in[4] = {NULL}, *out[4] = {NULL};
	struct bt_pjrt_program *copy = NULL;
	struct bt_pjrt *p = NULL;
	uint16_t got_y = 0;
	float got_x[6] = {0};
	int r, d, i;

	r = bt_pjrt_open(plugin, o, &p, &err);
	r = r != 0 ? r : bt_pjrt_compile(p, &s, &copy, &err);
	for (d = 0; d < replicas; d++) {
		r = r != 0 ? r
		           : bt_pjrt_put(p, d, &args[0].shape, some,
		                         sizeof(some), &in[2 * d], &err);
		r = r != 0 ? r
		           : bt_pjrt_put(p, d, &args[1].shape, &y, sizeof(y),
		                         &in[2 * d + 1], &err);
	}
	r = r != 0 ? r : bt_pjrt_run(copy, in, out, &err);
	r = r != 0 ? r : bt_pjrt_wait(p, &err);
	for (d = 0; d < replicas && r == 0; d++) {
		r = bt_pjrt_get(out[2 * d], &got_y, sizeof(got_y), &err);
		r = r != 0 ? r
		           : bt_pjrt_get(out[2 * d + 1], got_x, sizeof(got_x),
		                         &err);
		if (r == 0) {
			assert_int_equal(got_y, y);
			assert_memory_equal(got_x, some, sizeof(some));
		}
	}
	for (i = 0; i < 4; i++) {
		bt_pjrt_buffer_free(in[i]);
		bt_pjrt_buffer_free(out[i]);
	}
	bt_pjrt_program_free(copy);
	bt_pjrt_close(p);
	return r;
}

TEST(about)
{
	struct bt_pjrt_options two = {.cpu_devices = 2, .in_process = true};
	const struct bt_pjrt_about *a;
	struct bt_pjrt *p;

	forget();
	setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "cpu:none.so,", 1);
	assert_err(bt_pjrt_open("cpu", &two, &p, &err), BT_EIO,
	           "cannot load plugin 'none.so'");
	unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
	assert_ok(bt_pjrt_open(plugin, &two, &p, &err));
	a = bt_pjrt_about(p);
	assert_string_equal(a->plugin, "mock");
	assert_string_equal(a->path, plugin);
	assert_string_equal(a->platform, "mock");
	/* the first line, and nothing that steers a terminal */
	assert_string_equal(a->version, "mock 7?[31m");
	assert_int_equal(a->api_major, 0);
	assert_int_equal(a->api_minor, 114);
	assert_int_equal(a->stablehlo[2], 3);
	assert_int_equal(bt_pjrt_n_devices(p), 1);
	assert_string_equal(bt_pjrt_device(p, 0)->kind, "mock device");
	assert_int_equal(bt_pjrt_device(p, 0)->memory, (int64_t)1 << 34);
	bt_pjrt_close(p);
	bt_pjrt_close(NULL);
	all_is_freed();
}

TEST(versions)
{
	static const int minors[] = {70, 71,  75,  76,  77,  78,  80,  90, 96,
	                             97, 107, 108, 110, 111, 112, 113, 114};
	size_t i;

	for (i = 0; i < sizeof(minors) / sizeof(*minors); i++) {
		forget();
		set("MOCK_MINOR", minors[i]);
		setenv("MOCK_STRICT", "1", 1); /* no retry gets it right */
		assert_ok(use(&here, 1));
		all_is_freed();
	}
	forget();
	set("MOCK_MINOR", 200);
	for (i = 8; i <= 104; i += 8) {
		set("MOCK_GROWN", (long)i);
		assert_ok(use(&here, 1));
		all_is_freed();
	}
	/* longer than there is room for */
	set("MOCK_GROWN", 250);
	assert_err(use(&here, 1), BT_EFORMAT,
	           "plugin 'mock': Unexpected PJRT_Some_Args size: expected ");
	all_is_freed();
}

TEST(versions_refused)
{
	forget();
	set("MOCK_MAJOR", 1);
	assert_err(use(&here, 1), BT_EFORMAT, "speaks version 1.114 of PJRT");
	forget();
	set("MOCK_MINOR", 69);
	assert_err(use(&here, 1), BT_EFORMAT,
	           "speaks version 0.69 of PJRT, not 0.70 or later");
	forget();
	set("MOCK_TABLE", 16);
	assert_err(use(&here, 1), BT_EFORMAT, "functions has 16 bytes");
	set("MOCK_TABLE", 48 + 8 * 90);
	assert_err(use(&here, 1), BT_EFORMAT, "functions has 768 bytes");
	set("MOCK_TABLE", 0);
	assert_err(use(&here, 1), BT_EFORMAT, "gives no table of functions");
	all_is_freed();
}

/* What may fail without harm: the memory of a device is not told, an object is
 * not freed, and the cache is not used. */
static bool is_harmless(long fn, bool cached)
{
	return fn == 34 || fn == 5 || fn == 11 || fn == 40 || fn == 50 ||
	       fn == 58 || (cached && (fn == 14 || fn == 49 || fn == 51));
}

static void sweep(const struct bt_pjrt_options *o, int replicas, bool again)
{
	long n, reached = 0;
	int r;

	for (n = 1; reached + 1 >= n; n++) {
		if (o->cache != NULL && !again)
			clear_cache();
		*calls = *failed = 0;
		set("MOCK_FAIL", n);
		r = use(o, replicas);
		reached = *calls;
		if (r != 0 && strstr(err.text, "mock function ") == NULL)
			fail_msg("call %ld: '%s'", n, err.text);
		if (r == 0 && *failed != 0 &&
		    !is_harmless(*failed, o->cache != NULL) &&
		    !(again && *failed == 56))
			fail_msg("call %ld, function %ld: no error", n,
			         *failed);
		if (r != 0)
			assert_null(strstr(err.text, "second line"));
		bt_error_clear(&err);
		all_is_freed();
	}
	assert_true(n > 30);
}

/* Each call fails once. */
TEST(every_call_fails)
{
	struct bt_pjrt_options two = {.cpu_devices = 2, .in_process = true};
	struct bt_pjrt_options cached = {.cache = "cache", .in_process = true};

	forget();
	sweep(&here, 1, false);
	set("MOCK_DEVICES", 2);
	sweep(&two, 2, false);
	forget();
	sweep(&cached, 1, false);
	forget();
	assert_ok(use(&cached, 1));
	sweep(&cached, 1, true);
}

TEST(late_errors)
{
	struct bt_pjrt_source s = source(program, 1);
	struct bt_pjrt_buffer *in[2], *out[4][2];
	struct bt_pjrt_program *copy;
	struct bt_pjrt *p;
	int i;

	forget();
	setenv("MOCK_LATE", "1", 1);
	assert_err(use(&here, 1), BT_EFORMAT, "plugin 'mock': the run failed");
	all_is_freed();

	/* the third run waits for the first */
	assert_ok(bt_pjrt_open(plugin, &here, &p, &err));
	assert_ok(bt_pjrt_compile(p, &s, &copy, &err));
	assert_ok(bt_pjrt_put(p, 0, &args[1].shape, &y, 2, &in[1], &err));
	for (i = 0; i < 4; i++) {
		assert_ok(
		    bt_pjrt_put(p, 0, &args[0].shape, some, 24, &in[0], &err));
		if (i == 2)
			assert_err(bt_pjrt_run(copy, in, out[i], &err), BT_EIO,
			           "the run failed");
		else
			assert_ok(bt_pjrt_run(copy, in, out[i], &err));
		if (i == 0)
			unsetenv("MOCK_LATE");
		bt_pjrt_buffer_free(in[0]);
	}
	assert_ok(bt_pjrt_wait(p, &err));
	for (i = 0; i < 4; i++) {
		if (i != 2) {
			bt_pjrt_buffer_free(out[i][0]);
			bt_pjrt_buffer_free(out[i][1]);
		}
	}
	bt_pjrt_buffer_free(in[1]);
	bt_pjrt_program_free(copy);
	bt_pjrt_close(p);
	all_is_freed();
}

TEST(lies)
{
	static const struct {
		const char *what, *says;
	} lie[] = {
	    {"bytes", "says that an array of the shape bf16[] has 3 bytes"},
	    {"outputs", "gives 3 results with 2 types and 2 shapes"},
	    {"types", "result 0: elements of type 99 of PJRT are not known"},
	    {"dims", "result 0: an array has 7 dimensions"},
	    {"null", "plugin 'mock' gives no buffer"},
	};
	struct bt_pjrt_options two = {.cpu_devices = 2, .in_process = true};
	size_t i;

	forget();
	for (i = 0; i < sizeof(lie) / sizeof(*lie); i++) {
		setenv("MOCK_LIE", lie[i].what, 1);
		assert_err(use(&here, 1), BT_EFORMAT, lie[i].says);
		all_is_freed();
	}
	setenv("MOCK_LIE", "devices", 1);
	set("MOCK_DEVICES", 2);
	assert_err(use(&two, 2), BT_EFORMAT,
	           "runs the program on other devices");
	setenv("MOCK_LIE", "results", 1);
	assert_err(
	    use(&two, 2), BT_EFORMAT,
	    "cannot run program 'copy': plugin 'mock' gives no result 1");
	forget();
	set("MOCK_DEVICES", 0);
	assert_err(use(&here, 1), BT_EFORMAT, "has 0 devices");
	all_is_freed();
}

TEST(arguments_are_checked)
{
	struct bt_pjrt_arg wide[2] = {args[0], args[1]};
	struct bt_pjrt_shape turned = {BT_PJRT_F32, 2, {3, 2}};
	struct bt_pjrt_shape counts = {BT_PJRT_S32, 2, {2, 3}};
	struct bt_pjrt_source s = source(program, 1), two = source(program, 2);
	struct bt_pjrt_buffer *in[2], *out[2], *b, *other[2];
	struct bt_pjrt_program *copy;
	struct bt_pjrt *p;

	forget();
	set("MOCK_DEVICES", 2);
	assert_ok(bt_pjrt_open(plugin, &here, &p, &err));
	assert_err(bt_pjrt_put(p, 0, &args[0].shape, some, 20, &b, &err),
	           BT_EARG,
	           "an array of the shape f32[2,3] has 24 bytes, not 20");
	assert_err(bt_pjrt_put(p, 2, &args[0].shape, some, 24, &b, &err),
	           BT_EARG, "has no device 2: it has 2");
	two.replicas = 3;
	assert_err(bt_pjrt_compile(p, &two, &copy, &err), BT_EARG,
	           "has 2 devices, and the program 'copy' is to run on 3");
	wide[1].shape.dims[0] = -5;
	wide[1].shape.n_dims = 1;
	s.args = wide;
	assert_err(bt_pjrt_compile(p, &s, &copy, &err), BT_EARG,
	           "program 'copy': argument 1: an array cannot have the shape "
	           "bf16[-5]");
	s.args = args;
	assert_ok(bt_pjrt_compile(p, &s, &copy, &err));
	assert_int_equal(bt_pjrt_origin(copy), BT_PJRT_IN_PROCESS);

	assert_ok(bt_pjrt_put(p, 0, &args[0].shape, some, 24, &in[0], &err));
	assert_ok(bt_pjrt_put(p, 0, &args[1].shape, &y, 2, &in[1], &err));
	other[0] = in[0];
	other[1] = NULL;
	assert_err(bt_pjrt_run(copy, other, out, &err), BT_EARG,
	           "program 'copy': argument 1 is missing");
	other[1] = in[0];
	assert_err(bt_pjrt_run(copy, other, out, &err), BT_EARG,
	           "argument 1 is f32[2,3], not bf16[]");
	assert_ok(bt_pjrt_put(p, 1, &args[0].shape, some, 24, &b, &err));
	other[0] = b;
	assert_err(bt_pjrt_run(copy, other, out, &err), BT_EARG,
	           "argument 0 is on device 1, not 0");
	bt_pjrt_buffer_free(b);
	assert_ok(bt_pjrt_put(p, 0, &turned, some, 24, &b, &err));
	other[0] = b;
	assert_err(bt_pjrt_run(copy, other, out, &err), BT_EARG,
	           "argument 0 is f32[3,2], not f32[2,3]");
	bt_pjrt_buffer_free(b);
	assert_ok(bt_pjrt_put(p, 0, &counts, some, 24, &b, &err));
	other[0] = b;
	assert_err(bt_pjrt_run(copy, other, out, &err), BT_EARG,
	           "argument 0 is i32[2,3], not f32[2,3]");
	bt_pjrt_buffer_free(b);

	/* what was donated is spent, what was not can be given again */
	assert_ok(bt_pjrt_run(copy, in, out, &err));
	assert_err(bt_pjrt_get(in[0], (float[6]){0}, 24, &err), BT_EARG,
	           "a spent buffer is read");
	bt_pjrt_buffer_free(out[0]);
	bt_pjrt_buffer_free(in[0]);
	in[0] = out[1];
	assert_ok(bt_pjrt_run(copy, in, out, &err));
	assert_err(bt_pjrt_run(copy, in, out, &err), BT_EARG,
	           "argument 0 is a spent buffer");
	bt_pjrt_buffer_free(out[0]);
	bt_pjrt_buffer_free(out[1]);
	bt_pjrt_program_free(copy);

	/* one buffer twice, donated once */
	wide[0] = wide[1] = args[0];
	wide[1].donated = false;
	s.args = wide;
	assert_ok(bt_pjrt_compile(p, &s, &copy, &err));
	assert_ok(bt_pjrt_put(p, 0, &args[0].shape, some, 24, &b, &err));
	other[0] = other[1] = b;
	assert_err(bt_pjrt_run(copy, other, out, &err), BT_EARG,
	           "argument 1 is donated and stands twice");
	bt_pjrt_buffer_free(b);
	bt_pjrt_program_free(copy);
	bt_pjrt_buffer_free(in[0]);
	bt_pjrt_buffer_free(in[1]);
	bt_pjrt_close(p);
	all_is_freed();
}

static enum bt_pjrt_origin origin(struct bt_pjrt *p, const char *text)
{
	struct bt_pjrt_source s = source(text, 1);
	enum bt_pjrt_origin from;
	struct bt_pjrt_program *x;

	assert_ok(bt_pjrt_compile(p, &s, &x, &err));
	from = bt_pjrt_origin(x);
	bt_pjrt_program_free(x);
	return from;
}

TEST(compiles_elsewhere)
{
	struct bt_pjrt_source bad = source("a program", 1);
	struct bt_pjrt_source aborts = source("abort", 1);
	struct bt_pjrt_program *x;
	struct bt_pjrt *p;

	forget();
	set("MOCK_PARENT", (long)getpid());
	assert_ok(bt_pjrt_open(plugin, NULL, &p, &err));
	*compiled = 0;
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	assert_int_equal(*compiled, 0);
	assert_err(bt_pjrt_compile(p, &bad, &x, &err), BT_EFORMAT,
	           "cannot compile program 'copy': plugin 'mock': this is no "
	           "program");
	assert_null(strstr(err.text, "second line"));
	assert_err(bt_pjrt_compile(p, &aborts, &x, &err), BT_EFORMAT,
	           "cannot compile program 'copy': the plugin ended its "
	           "process by signal 6 (Aborted): Check failed: 1 == 2");
	assert_int_equal(*compiled, 0);
	/* it goes on */
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	bt_pjrt_close(p);
	all_is_freed();
	assert_ok(use(NULL, 1));

	/* where only one process can have the device */
	setenv("MOCK_ALONE", "1", 1);
	assert_ok(bt_pjrt_open(plugin, NULL, &p, &err));
	assert_int_equal(origin(p, program), BT_PJRT_IN_PROCESS);
	bt_pjrt_close(p);
	set("MOCK_EXIT", 3);
	assert_ok(bt_pjrt_open(plugin, NULL, &p, &err));
	assert_int_equal(origin(p, program), BT_PJRT_IN_PROCESS);
	bt_pjrt_close(p);

	/* one that cannot be opened ends a process, and it is not this one */
	setenv("MOCK_DIES", "1", 1);
	assert_err(bt_pjrt_open(plugin, NULL, &p, &err), BT_EFORMAT,
	           "': the plugin ended its process by signal 6 (Aborted): "
	           "Check failed: device_ok");

	/* and where what was compiled cannot be loaded */
	forget();
	set("MOCK_FAIL_FN", 56);
	assert_ok(bt_pjrt_open(plugin, NULL, &p, &err));
	assert_int_equal(origin(p, program), BT_PJRT_IN_PROCESS);
	bt_pjrt_close(p);
	all_is_freed();
}

/* The one file of the cache. */
static char *entry(void)
{
	static char path[600];
	struct dirent *e;
	DIR *d = opendir("cache");
	int n = 0;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL)
		if (e->d_name[0] != '.') {
			snprintf(path, sizeof(path), "cache/%s", e->d_name);
			n++;
		}
	closedir(d);
	assert_int_equal(n, 1);
	return path;
}

TEST(cache)
{
	struct bt_pjrt_options o = {.cache = "cache"}, nowhere = o;
	struct bt_pjrt *p;
	size_t n, again_n, i;
	char *whole, *again;

	forget();
	clear_cache();
	assert_ok(bt_pjrt_open(plugin, &o, &p, &err));
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	assert_int_equal(origin(p, program), BT_PJRT_CACHED);
	whole = file_get(entry(), &n);

	/* a damaged entry is compiled again, and whole after that */
	for (i = 0; i < n; i += i < 32 ? 1 : 97) {
		whole[i] ^= 4;
		file_put(entry(), whole, n);
		whole[i] ^= 4;
		assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
		again = file_get(entry(), &again_n);
		assert_int_equal(again_n, n);
		assert_memory_equal(again, whole, n);
		free(again);
	}
	for (i = 0; i < n; i += i < 32 ? 1 : 97) {
		file_put(entry(), whole, i);
		assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	}
	file_put(entry(), whole, n);
	assert_int_equal(origin(p, program), BT_PJRT_CACHED);
	free(whole);

	/* it is that program's, and that plugin's */
	assert_int_equal(origin(p, "2\n13 0 1\n11 2 2 3 0\n "),
	                 BT_PJRT_IN_CHILD);
	bt_pjrt_close(p);
	assert_ok(use(&o, 1));
	set("MOCK_MINOR", 90);
	assert_ok(bt_pjrt_open(plugin, &o, &p, &err));
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	setenv("XLA_FLAGS", "--fast", 1);
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	unsetenv("XLA_FLAGS");
	bt_pjrt_close(p);

	/* a place that takes nothing does no harm, and says why */
	file_put("file", "", 0);
	nowhere.cache = "file/cache";
	assert_ok(bt_pjrt_open(plugin, &nowhere, &p, &err));
	assert_null(bt_pjrt_unkept(p));
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	assert_non_null(strstr(bt_pjrt_unkept(p), "'file"));
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	bt_pjrt_close(p);
	all_is_freed();
	clear_cache();
}

/* A client that keeps programs has them without a cache, until it is closed. */
TEST(programs_stay)
{
	struct bt_pjrt *p;

	forget();
	assert_ok(bt_pjrt_open(plugin, NULL, &p, &err));
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	bt_pjrt_keep_programs(p);
	assert_int_equal(origin(p, program), BT_PJRT_IN_CHILD);
	assert_int_equal(origin(p, program), BT_PJRT_CACHED);
	assert_int_equal(origin(p, "2\n13 0 1\n11 2 2 3 0\n "),
	                 BT_PJRT_IN_CHILD);
	assert_int_equal(origin(p, program), BT_PJRT_CACHED);
	bt_pjrt_close(p);
	all_is_freed();
}

TEST(cache_place)
{
	char *dir;

	setenv("HOME", "/home/x", 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("BT_PJRT_CACHE");
	dir = bt_pjrt_cache_dir();
	assert_string_equal(dir, "/home/x/.cache/bertutils/pjrt");
	free(dir);
	setenv("XDG_CACHE_HOME", "/c", 1);
	dir = bt_pjrt_cache_dir();
	assert_string_equal(dir, "/c/bertutils/pjrt");
	free(dir);
	setenv("BT_PJRT_CACHE", "here", 1);
	dir = bt_pjrt_cache_dir();
	assert_string_equal(dir, "here");
	free(dir);
}

/* As Python's packages lie: the plugin, and the toolkit that it needs. The last
 * test, since nothing is forked after it. */
TEST(toolkit)
{
	static const char path[] = "site/jax_plugins/cuda13/cuda_plugin.so";
	struct bt_pjrt *p;
	int round;

	assert_ok(bt_path_above(path, &err));
	assert_ok(bt_path_above("site/nvidia/cuda_nvcc/bin/ptxas", &err));
	assert_int_equal(symlink(plugin, path), 0);
	assert_ok(bt_pjrt_open(path, &here, &p, &err));
	bt_pjrt_close(p);
	assert_string_equal(getenv("XLA_FLAGS"),
	                    "--xla_gpu_exclude_nondeterministic_ops=true "
	                    "--xla_gpu_enable_triton_gemm=false");

	file_put("site/nvidia/cuda_nvcc/bin/ptxas", "", 0);
	setenv("XLA_FLAGS", "--xla_gpu_enable_triton_gemm=true", 1);
	for (round = 0; round < 2; round++) {
		assert_ok(bt_pjrt_open(path, &here, &p, &err));
		bt_pjrt_close(p);
		assert_string_equal(getenv("XLA_FLAGS"),
		                    "--xla_gpu_enable_triton_gemm=true "
		                    "--xla_gpu_exclude_nondeterministic_ops="
		                    "true --xla_gpu_cuda_data_dir="
		                    "site/jax_plugins/cuda13/../../nvidia/"
		                    "cuda_nvcc");
	}
	unsetenv("XLA_FLAGS");
	all_is_freed();
}

int main(void)
{
	load_mock();
	unsetenv("XLA_FLAGS");
	return run_listed();
}
