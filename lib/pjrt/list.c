/* SPDX-License-Identifier: MIT */
/* What there is, in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/out.h"
#include "pjrt/child_int.h"
#include "pjrt/pjrt.h"

static void put_device(const struct bt_pjrt_device *d, struct bt_buf *out)
{
	bt_buf_printf(out, "  device %d: %s", d->id, d->kind);
	if (d->memory > 0)
		bt_buf_printf(out, ", %.1f GB", (double)d->memory / 1e9);
	bt_buf_putc(out, '\n');
}

/* In a process of its own, which ends: nothing is freed. */
static int describe(void *ctx, struct bt_buf *out, struct bt_error *err)
{
	struct bt_pjrt_options o = {.in_process = true};
	const struct bt_pjrt_about *a;
	struct bt_pjrt *p;
	int i, r = bt_pjrt_open(ctx, &o, &p, err);

	if (r != BT_OK)
		return r;
	bt_pjrt_child_begun();
	a = bt_pjrt_about(p);
	bt_buf_printf(out, "  platform %s", a->platform);
	if (strcmp(a->version, a->platform) != 0)
		bt_buf_printf(out, ", %s", a->version);
	bt_buf_printf(out, "; PJRT %d.%d", a->api_major, a->api_minor);
	if (a->stablehlo[0] > 0)
		bt_buf_printf(
		    out, ", StableHLO %" PRId64 ".%" PRId64 ".%" PRId64,
		    a->stablehlo[0], a->stablehlo[1], a->stablehlo[2]);
	bt_buf_putc(out, '\n');
	for (i = 0; i < bt_pjrt_n_devices(p); i++)
		put_device(bt_pjrt_device(p, i), out);
	return BT_OK;
}

int bt_pjrt_list(const char *path, struct bt_error *err)
{
	struct bt_buf out = BT_BUF_INIT;
	struct bt_pjrt_plugin *found;
	struct bt_error why;
	size_t i, n;
	bool begun;
	int r = bt_pjrt_plugins(&found, &n, err);

	if (r != BT_OK)
		return r;
	if (n == 0)
		r = bt_error_hint(err, BT_HINT_DEVICES,
		                  bt_error_set(err, BT_EIO,
		                               "found no device "
		                               "plugin"));
	for (i = 0; i < n; i++) {
		memset(&why, 0, sizeof(why));
		bt_buf_printf(&out, "%s: %s\n", found[i].name, found[i].path);
		if (bt_pjrt_child(describe, found[i].name, &out, &begun,
		                  &why) != BT_OK)
			bt_buf_printf(&out, "  not usable: %s\n", why.text);
	}
	bt_pjrt_plugins_free(found, n);
	if (r == BT_OK)
		r = bt_out_whole(path, bt_buf_at(&out, 0), out.len, err);
	bt_buf_clear(&out);
	return r;
}
