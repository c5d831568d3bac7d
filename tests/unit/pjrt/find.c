/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Shapes of arrays, and which plugins are found where. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "pjrt/pjrt.h"

static struct bt_error err;

TEST(shapes)
{
	struct bt_pjrt_shape a = {BT_PJRT_F32, 2, {2, 3}};
	struct bt_pjrt_shape b = {BT_PJRT_BF16, 0, {0}};
	char text[BT_PJRT_SHAPE_TEXT];
	size_t bytes;

	assert_ok(bt_pjrt_shape_bytes(&a, &bytes, &err));
	assert_int_equal(bytes, 24);
	assert_string_equal(bt_pjrt_shape_text(&a, text), "f32[2,3]");
	assert_ok(bt_pjrt_shape_bytes(&b, &bytes, &err));
	assert_int_equal(bytes, 2);
	assert_string_equal(bt_pjrt_shape_text(&b, text), "bf16[]");
	assert_false(bt_pjrt_shape_equal(&a, &b));
	b = a;
	b.dims[5] = 7; /* not one of its dimensions */
	assert_true(bt_pjrt_shape_equal(&a, &b));

	a.dims[0] = INT64_MAX;
	assert_err(bt_pjrt_shape_bytes(&a, &bytes, &err), BT_EARG, "f32[92233");
	a.dims[0] = -1;
	assert_err(bt_pjrt_shape_bytes(&a, &bytes, &err), BT_EARG, "f32[-1,3]");
	a.n_dims = BT_PJRT_MAX_DIMS + 1;
	assert_err(bt_pjrt_shape_bytes(&a, &bytes, &err), BT_EARG,
	           "7 dimensions");
	a.n_dims = 1;
	a.type = (enum bt_pjrt_type)14;
	assert_err(bt_pjrt_shape_bytes(&a, &bytes, &err), BT_EARG, "type 14");
}

static void plugin_is(const struct bt_pjrt_plugin *p, const char *name,
                      const char *path)
{
	assert_string_equal(p->name, name);
	assert_string_equal(p->path, path);
}

TEST(places)
{
	struct bt_pjrt_plugin *found;
	size_t n;

	mkdir("site", 0700);
	mkdir("site/libtpu", 0700);
	mkdir("site/xla_plugins", 0700);
	mkdir("site/xla_plugins/xla_cpu_pjrt", 0700);
	mkdir("a[b", 0700);
	file_put("site/libtpu/libtpu.so", "", 0);
	file_put("site/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "", 0);
	file_put("a[b/libpjrt_other.so", "", 0);
	file_put("a[b/libz.so", "", 0);
	setenv("BT_PJRT_PATH", "none::site:a[b", 1);
	assert_ok(bt_pjrt_plugins(&found, &n, &err));
	assert_int_equal(n, 3);
	plugin_is(&found[0], "tpu", "site/libtpu/libtpu.so");
	plugin_is(&found[1], "cpu",
	          "site/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so");
	plugin_is(&found[2], "libpjrt_other", "a[b/libpjrt_other.so");
	bt_pjrt_plugins_free(found, n);

	/* The first of a name counts. */
	setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "cpu:/x/y.so,mine:/z.so", 1);
	assert_ok(bt_pjrt_plugins(&found, &n, &err));
	assert_int_equal(n, 4);
	plugin_is(&found[0], "cpu", "/x/y.so");
	plugin_is(&found[1], "mine", "/z.so");
	plugin_is(&found[2], "tpu", "site/libtpu/libtpu.so");
	bt_pjrt_plugins_free(found, n);
}

TEST(what_is_not_there)
{
	struct bt_pjrt *p;

	assert_err(bt_pjrt_open("rocm", NULL, &p, &err), BT_EARG,
	           "found no device plugin 'rocm', only cpu, mine, tpu");
	assert_err(bt_pjrt_open("./none.so", NULL, &p, &err), BT_EIO,
	           "cannot find plugin './none.so'");
	assert_err(bt_pjrt_open("./site/libtpu/libtpu.so", NULL, &p, &err),
	           BT_EIO, "cannot load plugin './site/libtpu/libtpu.so'");
	assert_string_equal(getenv("TPU_SKIP_MDS_QUERY"), "1");

	setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "cpu:/x/y.so,mine", 1);
	assert_err(bt_pjrt_open("cpu", NULL, &p, &err), BT_EARG,
	           "'mine' is not name:path");
	unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
	unsetenv("BT_PJRT_PATH");
	assert_err(bt_pjrt_open("cpu", NULL, &p, &err), BT_EARG,
	           "found no device plugin 'cpu'");
	assert_null(strstr(err.text, "only"));
}

int main(void)
{
	unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
	return run_listed();
}
