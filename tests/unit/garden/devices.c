/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* What strategies of Model Garden's programs choose, where there are which
 * plugins. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "garden/devices.h"

#define NONE ""
#define CPU "cpu:/c.so"
#define CUDA "cpu:/c.so,cuda:/g.so,tpu:/t.so"

static const struct {
	const char *plugins; /* "name:path,..." */
	const char *strategy, *tpu;
	int64_t gpus;
	const char *plugin; /* chosen; NULL: the CPU */
	int replicas;
	const char
	    *said; /* in the error, or the code of the warning; or NULL */
} cases[] = {
    /* what TensorFlow computes on the CPU where there is no GPU */
    {NONE, "mirrored", NULL, 1, NULL, 0, "no-gpu"},
    {CPU, "Mirrored", NULL, 1, NULL, 0, "no-gpu"},
    {"tpu:/t.so", "mirrored", "", 1, NULL, 0, "no-gpu"},
    {NONE, "one_device", NULL, 1, NULL, 0, "no-gpu"},
    {NONE, "multi_worker_mirrored", NULL, 1, NULL, 0, "no-gpu"},
    {NONE, "mirrored", NULL, 0, NULL, 0, NULL},
    {CPU, "one_device", NULL, 0, NULL, 0, NULL},
    {CUDA, "mirrored", NULL, 0, NULL, 0, "gpu-unused"},
    {CUDA, "off", NULL, 1, NULL, 0, NULL},
    {CUDA, "OFF", NULL, 0, NULL, 0, NULL},
    /* devices */
    {CUDA, "mirrored", NULL, 1, "cuda", 1, NULL},
    {CUDA, "mirrored", NULL, 8, "cuda", 8, NULL},
    {CUDA, "one_device", NULL, 1, "cuda", 1, NULL},
    {CUDA, "multi_worker_mirrored", NULL, 1, "cuda", BT_DEVICE_ALL, NULL},
    {"mine:/m.so,rocm:/r.so", "mirrored", NULL, 2, "rocm", 2, NULL},
    {"cpu:/c.so,mine:/m.so", "mirrored", NULL, 2, "mine", 2, NULL},
    {CUDA, "tpu", "", 1, "tpu", BT_DEVICE_ALL, NULL},
    {CUDA, "TPU", "local", 0, "tpu", BT_DEVICE_ALL, NULL},
    {CUDA, "tpu", "node-1", 0, "tpu", BT_DEVICE_ALL, NULL},
    /* what is not there */
    {NONE, "mirrored", NULL, 2, NULL, -1,
     "strategy mirrored: found no plugin for GPUs"},
    {CPU, "mirrored", NULL, 2, NULL, -1, "GPUs (num_gpus is 2), only for cpu"},
    {NONE, "tpu", "local", 0, NULL, -1,
     "strategy tpu: found no plugin for TPUs"},
    {"cpu:/c.so,cuda:/g.so", "tpu", NULL, 0, NULL, -1,
     "TPUs, only for cpu, cuda"},
    {CUDA, "tpu", "grpc://10.0.0.2:8470", 0, NULL, -1, "is an address"},
    {CUDA, "tpu", "10.0.0.2:8470", 0, NULL, -1, "is an address"},
    {NONE, "parameter_server", NULL, 0, NULL, -1, "several machines"},
    /* what makes no sense */
    {CUDA, "mirrored", "local", 1, NULL, -1, "only the strategy tpu uses"},
    {CUDA, "off", "node-1", 0, NULL, -1, "tpu is 'node-1'"},
    {CUDA, "off", NULL, 2, NULL, -1, "num_gpus is 2"},
    {CUDA, "one_device", NULL, 2, NULL, -1, "num_gpus is 2"},
    {CUDA, "mirrorred", NULL, 1, NULL, -1, "it is not one of off|"},
};

static void keep(void *ctx, const struct bt_log_line *line)
{
	char *code = ctx;

	if (line->level == BT_LOG_WARN) {
		assert_string_equal(code, ""); /* one at most */
		snprintf(code, 64, "%s", line->code);
	}
}

static void check(size_t i)
{
	const struct bt_devices_wish w = {cases[i].strategy, cases[i].tpu,
	                                  cases[i].gpus};
	bool fails = cases[i].replicas == -1 && cases[i].plugin == NULL;
	char code[64] = "";
	const struct bt_log log = {
	    .emit = keep, .ctx = code, .level = BT_LOG_MORE};
	struct bt_error err = {0};
	struct bt_devices d;
	int r;

	setenv("PJRT_NAMES_AND_LIBRARY_PATHS", cases[i].plugins, 1);
	r = bt_devices_choose(&w, &log, &d, &err);
	if (fails) {
		assert_int_equal(r, BT_EARG);
		if (strstr(err.text, cases[i].said) == NULL)
			fail_msg("case %zu: '%s' lacks '%s'", i, err.text,
			         cases[i].said);
	} else {
		assert_ok(r);
		assert_int_equal(d.replicas, cases[i].replicas);
		if (strcmp(code, cases[i].said != NULL ? cases[i].said : "") !=
		    0)
			fail_msg("case %zu: warning '%s'", i, code);
	}
	if (cases[i].plugin != NULL)
		assert_string_equal(d.plugin, cases[i].plugin);
	else
		assert_null(d.plugin);
	bt_devices_clear(&d);
}

TEST(strategies_choose)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(i);
}

TEST(hints_say_how_to_get_it)
{
	struct bt_devices_wish w = {"tpu", NULL, 0};
	struct bt_error err = {0};
	struct bt_devices d;

	setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "", 1);
	assert_int_equal(bt_devices_choose(&w, NULL, &d, &err), BT_EARG);
	assert_non_null(strstr(bt_hint_words(err.hint), "libtpu"));
	memset(&err, 0, sizeof(err));
	w = (struct bt_devices_wish){"mirrored", NULL, 4};
	assert_int_equal(bt_devices_choose(&w, NULL, &d, &err), BT_EARG);
	assert_non_null(strstr(bt_hint_words(err.hint), "jax-cuda13-plugin"));
	assert_non_null(strstr(bt_hint_words(err.hint), "BT_PJRT_PATH"));
}

/* TF_CONFIG names the machines of a cluster, as TensorFlow reads it. */
TEST(clusters_are_refused)
{
	static const struct {
		const char *config;
		bool good;
	} all[] = {
	    {"", true},
	    {"{}", true},
	    {"[]", true},
	    {"{\"cluster\": {\"worker\": [\"a:1\"]}}", true},
	    {"{\"cluster\": {\"worker\": [\"a:1\", \"b:1\"]}}", false},
	    {"{\"cluster\": {\"chief\": [\"a:1\"], \"worker\": [\"b:1\"]}}",
	     false},
	};
	const struct bt_devices_wish w = {"multi_worker_mirrored", NULL, 1};
	struct bt_devices d;
	size_t i;

	setenv("PJRT_NAMES_AND_LIBRARY_PATHS", CUDA, 1);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct bt_error err = {0};

		setenv("TF_CONFIG", all[i].config, 1);
		assert_int_equal(bt_devices_choose(&w, NULL, &d, &err),
		                 all[i].good ? BT_OK : BT_EARG);
		bt_devices_clear(&d);
	}
	unsetenv("TF_CONFIG");
}

TEST(a_list_of_plugins_may_be_wrong)
{
	const struct bt_devices_wish w = {"off", NULL, 0};
	struct bt_error err = {0};
	struct bt_devices d;

	setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "cuda", 1);
	assert_int_equal(bt_devices_choose(&w, NULL, &d, &err), BT_EARG);
	assert_non_null(strstr(err.text, "not name:path"));
}

int main(void)
{
	unsetenv("BT_PJRT_PATH");
	unsetenv("TF_CONFIG");
	return run_listed();
}
