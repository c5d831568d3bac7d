/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a tensor stream: refused, or safe to use. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ckpt/open.h"
#include "ckpt_format/tensor_stream_read.h"
#include "tensorstream/text_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Looks at every number of a frame. */
static void use(const struct bt_ckpt *c)
{
	struct bt_error err = {0};
	const struct bt_tensor *t;
	double v;
	size_t i, k;

	for (i = 0; i < bt_ckpt_count(c); i++) {
		t = bt_ckpt_tensor(c, i);
		for (k = 0; k < t->count && bt_dtype_is_real(t->dtype); k++)
			if (bt_tensor_to_f64(t, k, 1, &v, &err) != BT_OK)
				abort();
	}
}

/* As text and as an array. */
static void print(const struct bt_frame *f, struct bt_out *out)
{
	struct bt_frame_csv_opts o = {true, f->s.n_notes > 0, NULL};
	struct bt_error err = {0};
	struct bt_frame_csv *c;
	struct bt_frame_npy *n = bt_frame_npy_new(1 << 20);

	if (bt_frame_csv_new(&o, &c, &err) != BT_OK)
		abort();
	(void)!bt_frame_csv_put(c, f, out, &err);
	if (bt_frame_npy_put(n, f, &err) == BT_OK)
		(void)!bt_frame_npy_write(n, out, &err);
	(void)!bt_frame_json(f, 1, 0, out, &err);
	bt_frame_csv_free(c);
	bt_frame_npy_free(n);
}

static void use_rows(const struct bt_ckpt *c)
{
	struct bt_frame_builder m = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_frame f, g;
	struct bt_out *out;

	out = bt_out_memory(&b);
	if (bt_frame_of(c, &f, &err) == BT_OK) {
		print(&f, out);
		if (f.id != NULL &&
		    (bt_frame_builder_ids(&m, &f, 0, f.rows, &err) != BT_OK ||
		     bt_frame_builder_done(&m, NULL, 0, &g, &err) != BT_OK ||
		     g.rows != f.rows))
			abort();
	}
	bt_out_abandon(out);
	bt_buf_clear(&b);
	bt_frame_builder_clear(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bt_error err = {0};
	const struct bt_ckpt *c;
	struct bt_ts_reader *t;
	struct bt_ckpt *blob;
	char path[32];
	int fd = memfd_create("input", 0), r;

	/* a checksum keeps most bytes away from what is behind it */
	if (bt_ckpt_open_memory("blob", data, size, &blob, &err) == BT_OK) {
		use(blob);
		use_rows(blob);
		bt_ckpt_close(blob);
	}
	err.code = 0;
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = bt_ts_reader_open(path, (size_t)1 << 20, &t, &err);
	if (r == BT_OK) {
		while ((r = bt_ts_reader_next(t, &c, &err)) == 1) {
			use(c);
			use_rows(c);
		}
		bt_ts_reader_close(t);
	}
	if (r != BT_OK && (err.code != r || err.text[0] == '\0'))
		abort(); /* refused without a word */
	close(fd);
	return 0;
}
