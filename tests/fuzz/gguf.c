/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a GGUF file: a byte of options, of which 1 makes them begin as
 * one, and the file; its tensors as numbers, under the names of this program,
 * and written as GGUF. */
#include "list.h"

#include "ckpt/cast.h"
#include "ckpt/open.h"
#include "ckpt_format/writer.h"

static void write_again(const struct bt_ckpt *c, bool renamed, bool half,
                        bool q8)
{
	struct bt_error err = {0};
	struct bt_named_list l;
	struct bt_cast *r;
	int e;

	if (bt_names_init(&l, c, NULL) != BT_OK)
		return;
	e = renamed ? bt_names_hf(&l, c, &err) : BT_OK;
	if (e == BT_OK)
		e = bt_cast_new(&l, half ? BT_DTYPE_F16 : BT_DTYPES, &r, &err);
	if (e == BT_OK) {
		e = bt_gguf_write(bt_cast_source(r), "/dev/null", "nothing", q8,
		                  &err);
		bt_cast_free(r);
	}
	fuzz_told(e, &err);
	bt_names_clear(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = fuzz_byte(&data, &size);
	struct bt_error err = {0};
	struct bt_ckpt *c;
	uint8_t *p = malloc(size + 1);

	if (p == NULL)
		return 0;
	if (size > 0)
		memcpy(p, data, size);
	if (size >= 8 && (how & 1))
		memcpy(p, "GGUF\3\0\0", 8);
	if (fuzz_told(bt_ckpt_open_memory("input", p, size, &c, &err), &err) ==
	    BT_OK) {
		fuzz_list(c);
		fuzz_values(c);
		write_again(c, (how & 2) != 0, (how & 4) != 0, (how & 8) != 0);
		bt_ckpt_close(c);
	}
	free(p);
	return 0;
}
