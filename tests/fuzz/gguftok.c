/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a tokenizer.json of which a GGUF file is to tell: a byte, the
 * number of tokens that the model has, and the file. */
#include "fuzz.h"

#include "ckpt_format/gguf_int.h"
#include "format/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t rows = fuzz_byte(&data, &size);
	struct bt_gguf_notes notes = {BT_BUF_INIT, 0};
	struct bt_error err = {0};
	json_t *o;

	if (fuzz_told(bt_json_parse("input", (const char *)data, size, false,
	                            &o, &err),
	              &err) != BT_OK)
		return 0;
	fuzz_told(bt_gguf_note_tokenizer_json(o, rows + 1, &notes, &err), &err);
	bt_buf_clear(&notes.b);
	json_decref(o);
	return 0;
}
