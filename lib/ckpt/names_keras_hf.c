/* SPDX-License-Identifier: MIT */
/*
 * Names that Hugging Face's models for TensorFlow had, and Keras' own, as those
 * of state dicts: "bert/tf_bert_model/bert/encoder/layer_._0/output/dense/
 * kernel:0" is "bert.encoder.layer.0.output.dense.weight". Before the name of
 * the weight stand the layer's group in an HDF5 file and the model's own name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "ckpt/names_int.h"

/* The last component and what it is there. */
static const struct {
	const char *keras, *hf;
	int rank; /* 0: any */
	bool transposed;
} leaves[] = {
    {"kernel:0", "weight", 2, true},
    {"gamma:0", "weight", 1, false},
    {"beta:0", "bias", 1, false},
    {"embeddings:0", "weight", 2, false},
    {"weight:0", "weight", 0, false},
    {"bias:0", "bias", 0, false},
    {"rel_embeddings.weight:0", "rel_embeddings.weight", 2, false},
};

#define LEAVES (sizeof(leaves) / sizeof(leaves[0]))

bool bt_names_is_model(const char *part)
{
	return bt_str_starts(part, "tf_") || bt_str_starts(part, "tfmp_net");
}

/* Where the name of the weight begins: behind what is the model's, or behind a
 * group that is named again. */
static const char *begin(const char *name)
{
	const char *p = name, *start = name, *slash, *next;
	size_t n;

	for (; (slash = strchr(p, '/')) != NULL; p = slash + 1)
		if (bt_names_is_model(p))
			start = slash + 1;
	if (start != name || (slash = strchr(name, '/')) == NULL)
		return start;
	if (bt_str_starts(name, "model_weights/"))
		return begin(slash + 1);
	n = (size_t)(slash - name);
	next = slash + 1;
	return strncmp(name, next, n + 1) == 0 ? next : name;
}

/* Appends a component: behind ___ only what follows counts, and ._. parts a
 * list from its index. */
static void put_component(struct bt_buf *b, const char *p, size_t n)
{
	const char *end = p + n, *q;

	for (q = p; end - q >= 3; q++)
		if (memcmp(q, "___", 3) == 0)
			p = q + 3;
	while (p < end) {
		if (end - p >= 3 && memcmp(p, "_._", 3) == 0) {
			bt_buf_putc(b, '.');
			p += 3;
		} else {
			bt_buf_putc(b, *p++);
		}
	}
	bt_buf_putc(b, '.');
}

char *bt_names_keras(const struct bt_tensor *t, const char *name,
                     bool *transposed)
{
	const char *p = begin(name), *slash;
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	while ((slash = strchr(p, '/')) != NULL) {
		put_component(&b, p, (size_t)(slash - p));
		p = slash + 1;
	}
	for (i = 0; i < LEAVES; i++)
		if (strcmp(p, leaves[i].keras) == 0 &&
		    (leaves[i].rank == 0 || leaves[i].rank == t->rank))
			break;
	if (i == LEAVES || b.len == 0) {
		bt_buf_clear(&b);
		return NULL;
	}
	bt_buf_puts(&b, leaves[i].hf);
	*transposed = leaves[i].transposed;
	return bt_buf_detach(&b);
}
