/* SPDX-License-Identifier: MIT */
/* Not under thread: starts processes, no threads */
/* What programs cost, of a plugin that fails, lies, and is older or newer. */
#include "mock.h"

static const struct bt_pjrt_options board = {.in_process = true,
                                             .topology = "board:2"};

static struct bt_pjrt_source source(int replicas)
{
	static const char text[] = "2\n13 0 1\n11 2 2 3 0\n";
	struct bt_pjrt_source s = {"copy",   text, strlen(text),
	                           replicas, args, 2};

	return s;
}

/* Opens, compiles, closes. */
static int use(const struct bt_pjrt_options *o, int replicas,
               struct bt_pjrt_cost *cost, enum bt_pjrt_origin *origin)
{
	struct bt_pjrt_source s = source(replicas);
	struct bt_pjrt_program *x = NULL;
	struct bt_pjrt *p = NULL;
	int r = bt_pjrt_open(plugin, o, &p, &err);

	r = r != 0 ? r : bt_pjrt_compile(p, &s, &x, &err);
	if (r == 0) {
		*cost = *bt_pjrt_cost(x);
		*origin = bt_pjrt_origin(x);
	}
	bt_pjrt_program_free(x);
	bt_pjrt_close(p);
	all_is_freed();
	return r;
}

static void are_told(const struct bt_pjrt_cost *c)
{
	assert_int_equal(c->arguments, 1000);
	assert_int_equal(c->results, 500);
	assert_int_equal(c->shared, 200);
	assert_int_equal(c->temporaries, 300);
	assert_int_equal(c->code, 50);
	assert_int_equal(c->peak, 1600);
	assert_true(c->flop == 7);
	assert_true(c->seconds >= 0);
}

TEST(of_a_topology)
{
	struct bt_pjrt_options elsewhere = {.topology = "board:2"};
	struct bt_pjrt_cost c;
	enum bt_pjrt_origin origin;

	forget();
	assert_ok(use(&board, 2, &c, &origin));
	are_told(&c);
	assert_int_equal(origin, BT_PJRT_IN_PROCESS);
	*compiled = 0;
	assert_ok(use(&elsewhere, 1, &c, &origin));
	are_told(&c);
	assert_int_equal(origin, BT_PJRT_IN_CHILD);
	assert_int_equal(*compiled, 0);
	assert_err(use(&board, 3, &c, &origin), BT_EARG,
	           "plugin 'mock' has 2 devices, and the program 'copy' is to "
	           "run on 3");
	setenv("MOCK_ABORT", "1", 1);
	assert_err(use(&elsewhere, 1, &c, &origin), BT_EFORMAT,
	           "cannot compile program 'copy': the plugin ended its "
	           "process by signal 6 (Aborted): Check failed: 1 == 2");
	forget();
	setenv("MOCK_FULL", "1", 1);
	assert_err(use(&elsewhere, 1, &c, &origin), BT_ENOMEM,
	           "plugin 'mock': 52.50G of 15.75G");
}

/* Of the devices that are there. */
TEST(of_a_client)
{
	struct bt_pjrt_options there = {.costs = true};
	struct bt_pjrt_cost c;
	enum bt_pjrt_origin origin;

	forget();
	assert_ok(use(&there, 1, &c, &origin));
	are_told(&c);
	assert_int_equal(origin, BT_PJRT_IN_CHILD);
	there.in_process = true;
	assert_ok(use(&there, 1, &c, &origin));
	are_told(&c);
	assert_int_equal(origin, BT_PJRT_IN_PROCESS);
}

TEST(nothing_runs)
{
	struct bt_pjrt_options there = {.in_process = true, .costs = true};
	const struct bt_pjrt_options *all[] = {&board, &there};
	static const float some[6];
	struct bt_pjrt_buffer *b = NULL, *none[2] = {NULL};
	struct bt_pjrt_source s = source(1);
	struct bt_pjrt_program *x;
	struct bt_pjrt *p;
	int i;

	forget();
	for (i = 0; i < 2; i++) {
		assert_ok(bt_pjrt_open(plugin, all[i], &p, &err));
		assert_string_equal(bt_pjrt_about(p)->platform, "mock");
		assert_int_equal(bt_pjrt_n_devices(p), i == 0 ? 2 : 1);
		assert_string_equal(bt_pjrt_device(p, 0)->kind, "mock device");
		assert_int_equal(bt_pjrt_device(p, 0)->memory,
		                 (int64_t)1 << 34);
		assert_err(bt_pjrt_put(p, 0, &args[0].shape, some, sizeof(some),
		                       &b, &err),
		           BT_EARG,
		           "plugin 'mock' compiles only, and takes no arrays");
		assert_ok(bt_pjrt_compile(p, &s, &x, &err));
		assert_err(bt_pjrt_run(x, none, none, &err), BT_EARG,
		           "program 'copy' was compiled for what it costs, and "
		           "cannot run");
		bt_pjrt_program_free(x);
		bt_pjrt_close(p);
	}
}

TEST(versions)
{
	static const int minors[] = {70, 71, 72, 89, 90, 103, 104, 114};
	struct bt_pjrt_cost c;
	enum bt_pjrt_origin origin;
	size_t i;

	for (i = 0; i < sizeof(minors) / sizeof(*minors); i++) {
		forget();
		set("MOCK_MINOR", minors[i]);
		setenv("MOCK_STRICT", "1", 1);
		assert_ok(use(&board, 1, &c, &origin));
		are_told(&c);
	}
	forget();
	set("MOCK_GROWN", 104);
	assert_ok(use(&board, 1, &c, &origin));
	are_told(&c);
	/* a plugin without these functions */
	forget();
	set("MOCK_TABLE", 48 + 8 * 91);
	assert_ok(use(&board, 1, &c, &origin));
	assert_int_equal(c.peak, -1);
	assert_true(c.flop == 7);
}

TEST(lies)
{
	struct bt_pjrt_options none = {.in_process = true,
	                               .topology = "board:0"};
	struct bt_pjrt_cost c;
	enum bt_pjrt_origin origin;

	forget();
	setenv("MOCK_LIE", "topology", 1);
	assert_err(use(&board, 1, &c, &origin), BT_EFORMAT,
	           "topology 'board:2': plugin 'mock' gives no topology");
	setenv("MOCK_LIE", "executable", 1);
	assert_err(use(&board, 1, &c, &origin), BT_EFORMAT,
	           "plugin 'mock' gives no program");
	setenv("MOCK_LIE", "sizes", 1);
	assert_ok(use(&board, 1, &c, &origin));
	assert_int_equal(c.arguments, -1);
	assert_int_equal(c.results, -1);
	assert_int_equal(c.shared, -1);
	assert_int_equal(c.temporaries, -1);
	assert_int_equal(c.code, -1);
	assert_int_equal(c.peak, -1);
	assert_true(c.flop == -1);
	forget();
	assert_err(use(&none, 1, &c, &origin), BT_EFORMAT, "has 0 devices");
	none.topology = "table";
	assert_err(use(&none, 1, &c, &origin), BT_EFORMAT,
	           "topology 'table': plugin 'mock': not a topology");
}

/* A failure that is not told is one of what need not be known, or of an end. */
static bool is_harmless(long fn)
{
	return fn == 25 || fn == 46 || fn == 96 || fn == 40 || fn == 83;
}

TEST(every_call_fails)
{
	struct bt_pjrt_cost c;
	enum bt_pjrt_origin origin;
	long n, reached = 0, told = 0;
	int r;

	forget();
	for (n = 1; reached + 1 >= n; n++) {
		*calls = *failed = 0;
		set("MOCK_FAIL", n);
		r = use(&board, 2, &c, &origin);
		reached = *calls;
		told += r != 0;
		if (r != 0 ? strstr(err.text, "mock function ") == NULL
		           : *failed != 0 && !is_harmless(*failed))
			fail_msg("call %ld, function %ld: '%s'", n, *failed,
			         err.text);
		if (r == 0 && *failed == 96)
			assert_int_equal(c.peak, -1);
		if (r == 0 && *failed == 46)
			assert_true(c.flop == -1);
		bt_error_clear(&err);
	}
	assert_true(n > 14);
	assert_true(told > 8);
}

int main(void)
{
	load_mock();
	return run_listed();
}
