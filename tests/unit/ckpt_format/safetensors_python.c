/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ckpt_format/safetensors.h"

/* The safetensors package opens what we write. */
TEST(opened_by_python)
{
	static const char script[] =
	    "import numpy as np\n"
	    "from safetensors import safe_open\n"
	    "f = safe_open('ours', 'np')\n"
	    "assert f.metadata() == {'format': 'pt'}\n"
	    "assert set(f.keys()) == {'h', 'layer \\\"x\\\" \u00e9', 's', 'z'}\n"
	    "h = f.get_tensor('h')\n"
	    "assert h.dtype == np.float16 and h.tolist() == [[1, -2, 0.5]]\n"
	    "i = f.get_tensor('layer \\\"x\\\" \u00e9')\n"
	    "assert i.dtype == np.int64 and i.tolist() == [-1, 2**62]\n"
	    "s = f.get_tensor('s')\n"
	    "assert s.shape == () and s == np.float32(0.1)\n"
	    "assert f.get_tensor('z').shape == (2, 0)\n";
	static const int64_t h_shape[] = {1, 3}, i_shape[] = {2},
	                     z_shape[] = {2, 0};
	static const uint16_t h[] = {0x3c00, 0xc000, 0x3800};
	static const int64_t i[] = {-1, (int64_t)1 << 62};
	static const float scalar = 0.1f;
	static const struct bt_tensor t[] = {
	    {.name = "z", .dtype = BT_DTYPE_F64, .rank = 2, .shape = z_shape},
	    {.name = "s", .dtype = BT_DTYPE_F32, .data = &scalar},
	    {.name = "layer \"x\" \u00e9",
	     .dtype = BT_DTYPE_I64,
	     .rank = 1,
	     .shape = i_shape,
	     .data = i},
	    {.name = "h",
	     .dtype = BT_DTYPE_F16,
	     .rank = 2,
	     .shape = h_shape,
	     .data = h},
	};
	static const struct bt_ckpt_note note = {"format", "pt"};
	struct bt_safetensors s = {
	    .tensors = t, .count = 4, .notes = &note, .n_notes = 1};
	struct bt_error err = {0};
	char command[2048];

	assert_ok(bt_safetensors_save("ours", &s, &err));
	snprintf(command, sizeof(command), "\"$PEER_PYTHON\" -c \"%s\"",
	         script);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const char *python = getenv("PEER_PYTHON");

	/* cmocka would call a skipped test failed */
	if (python == NULL || python[0] == '\0') {
		puts("1..1\nok 1 - opened_by_python # SKIP PEER_PYTHON is not "
		     "set");
		return 0;
	}
	return run_listed();
}
