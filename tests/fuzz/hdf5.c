/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as an HDF5 file: a byte of options, of which 1 makes the file say
 * that it is as long as it is, and the file; its tensors under all names, and
 * written as HDF5. */
#include "list.h"

#include "ckpt/cast.h"
#include "ckpt/open.h"

static void write_as(const struct bt_ckpt *c, enum bt_names names,
                     const char *family)
{
	struct bt_error err = {0};
	struct bt_named_list l;
	struct bt_cast *r;
	int e;

	if (bt_names_init(&l, c, NULL) != BT_OK)
		return;
	e = names == BT_NAMES_KEEP ? BT_OK : bt_names_hf(&l, c, &err);
	if (e == BT_OK && names != BT_NAMES_KEEP)
		e = bt_names_to(&l, names, family, 1, &err);
	if (e == BT_OK)
		e = bt_cast_new(&l, BT_DTYPES, &r, &err);
	if (e == BT_OK) {
		e = bt_keras_h5_write(bt_cast_source(r), "/dev/null",
		                      names != BT_NAMES_KEEP, &err);
		bt_cast_free(r);
	}
	fuzz_told(e, &err);
	bt_names_clear(&l);
}

static void use(const struct bt_ckpt *c, bool half)
{
	struct bt_named_list l;
	struct bt_cast *r;
	const void *data;
	size_t i;

	if (bt_names_init(&l, c, NULL) != BT_OK)
		return;
	if (bt_names_hf(&l, c, NULL) == BT_OK &&
	    bt_cast_new(&l, half ? BT_DTYPE_F16 : BT_DTYPES, &r, NULL) ==
	        BT_OK) {
		for (i = 0; i < l.n; i++)
			if (bt_cast_source(r)->bytes(r, i, &data, NULL) ==
			    BT_OK)
				fuzz_read(data,
				          bt_cast_source(r)->tensors[i].bytes);
		bt_cast_free(r);
	}
	bt_names_clear(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = fuzz_byte(&data, &size);
	struct bt_error err = {0};
	struct bt_ckpt *c;
	uint64_t length = size;
	uint8_t *p = malloc(size + 1);

	if (p == NULL)
		return 0;
	if (size > 0)
		memcpy(p, data, size);
	if (size >= 48)
		memcpy(p, "\x89HDF\r\n\x1a\n", 8);
	if (size >= 48 && (how & 1))
		memcpy(p + (p[8] == 0 ? 40 : 28), &length, 8);
	if (fuzz_told(bt_ckpt_open_memory("input", p, size, &c, &err), &err) ==
	    BT_OK) {
		fuzz_list(c);
		use(c, (how & 2) != 0);
		write_as(c,
		         how & 16  ? BT_NAMES_KEEP
		         : how & 4 ? BT_NAMES_KERAS
		                   : BT_NAMES_H5,
		         how & 8 ? "roberta" : "bert");
		bt_ckpt_close(c);
	}
	free(p);
	return 0;
}
