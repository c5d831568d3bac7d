/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as the table with the labels of three rows, and as embeddings. */
#include "fuzz.h"

#include "tensorstream/embeddings.h"

static void read_labels(const struct bt_vectors *v)
{
	struct bt_row_labels l;
	struct bt_error err = {0};
	size_t i;

	if (fuzz_told(bt_row_labels_read("labels.csv", "label", v, &l, &err),
	              &err) != BT_OK)
		return;
	for (i = 0; i < v->n; i++)
		FUZZ_CHECK(l.of[i] < bt_string_set_count(l.names));
	bt_row_labels_clear(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static size_t end[] = {1, 2, 3};
	struct bt_vectors v = {.n = 3, .width = 1, .id_end = end};
	struct bt_vectors read = {.as_they_are = true};
	struct bt_error err = {0};
	struct bt_in *in;
	bool is;

	v.named = fuzz_byte(&data, &size) & 1 ? 3 : 0;
	bt_buf_puts(&v.ids, "abc");
	fuzz_put("labels.csv", data, size);
	read_labels(&v);
	bt_buf_clear(&v.ids);
	if (bt_in_open("labels.csv", &in, &err) != BT_OK)
		return 0;
	if (bt_embeddings_begin(in, &is, &err) == BT_OK && is &&
	    fuzz_told(bt_embeddings_read("labels.csv", &read, &err), &err) ==
	        BT_OK)
		FUZZ_CHECK(read.n == 0 || read.width > 0);
	bt_in_close(in);
	bt_vectors_clear(&read);
	return 0;
}
