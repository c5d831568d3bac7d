/* SPDX-License-Identifier: MIT */
/* Any bytes as a tensor stream: refused, or safe to use.
 * Build: clang -Ilib -fsanitize=fuzzer,address,undefined tests/fuzz/tensors.c
 *        lib/base/?*.c lib/io/?*.c lib/ckpt/?*.c -ljansson -lzstd -lz -lm */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ckpt/tsin.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bt_error err = {0};
	const struct bt_ckpt *c;
	struct bt_tsin *t;
	char path[32];
	int fd = memfd_create("input", 0), r;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (bt_tsin_open(path, (size_t)1 << 20, &t, &err) != BT_OK)
		abort();
	while ((r = bt_tsin_next(t, &c, &err)) == 1)
		use(c);
	if (r != BT_OK && (err.code != r || err.text[0] == '\0'))
		abort(); /* refused without a word */
	bt_tsin_close(t);
	close(fd);
	return 0;
}
