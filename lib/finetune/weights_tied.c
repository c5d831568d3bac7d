/* SPDX-License-Identifier: MIT */
/* Tensors under other names than those of their parameters: the head for masked
 * tokens that stands in a checkpoint once more, beside the table of words with
 * which it is shared; its bias; all under another family's prefix. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "finetune/weights_int.h"

/* How the matrix and the bias of that head are called in any family. */
static bool is_decoder(const char *name)
{
	return strstr(name, "decoder.") != NULL ||
	       strstr(name, "lm_head.") != NULL ||
	       strstr(name, "vocab_projector.") != NULL;
}

/* The parameter of that shape in the product with the table of words, or -1. */
static int twin(const struct bt_graph *g, const struct bt_named *v)
{
	const struct bt_node *n = g->nodes, *end = n + g->n_nodes;
	int word, bias;

	if (n->op != BT_OP_EMBED)
		return -1;
	word = n->u.embed.word;
	while (n < end && (n->op != BT_OP_LINEAR || n->u.linear.weight != word))
		n++;
	if (n == end)
		return -1;
	bias = n->u.linear.bias;
	if (v->rank == 2 && v->shape[0] == g->params[word].rows &&
	    v->shape[1] == g->params[word].cols)
		return word;
	return bias >= 0 && v->rank == 1 && v->shape[0] == g->params[bias].cols
	           ? bias
	           : -1;
}

/* Both have n elements. */
static int compare(const struct bt_named *a, const struct bt_named *b, size_t n,
                   bool *same, struct bt_error *err)
{
	float *x, *y;
	int r;

	if (a->from->dtype == b->from->dtype && a->from->data != NULL &&
	    b->from->data != NULL && !a->transposed && !b->transposed) {
		*same =
		    memcmp(a->from->data, b->from->data, a->from->bytes) == 0;
		return BT_OK;
	}
	x = bt_array(n, sizeof(*x));
	y = bt_array(n, sizeof(*y));
	r = x == NULL || y == NULL ? bt_error_nomem(err, "loading weights")
	                           : bt_named_to_f32(a, x, err);
	if (r == BT_OK)
		r = bt_named_to_f32(b, y, err);
	if (r == BT_OK)
		*same = memcmp(x, y, n * sizeof(*x)) == 0;
	free(x);
	free(y);
	return r;
}

int bt_weights_tied(const struct bt_weights_gaps *gaps,
                    const struct bt_graph *g, const struct bt_ckpt *c,
                    const struct bt_named *const *of_param,
                    const struct bt_named *v, struct bt_error *err)
{
	const char *name = v->from->name;
	int p = is_decoder(name) ? twin(g, v) : -1, r;
	bool same = true;

	if (p < 0 || of_param[p] == NULL || bt_weights_gaps_may(gaps, name))
		return BT_OK;
	r = compare(v, of_param[p], bt_param_size(&g->params[p]), &same, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "'%s'", bt_ckpt_path(c));
	if (same)
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_ALLOW_UNUSED_OR_UNTIE,
	    bt_error_set(err, BT_EFORMAT,
	                 "'%s' holds the tensor '%s', which differs from '%s', "
	                 "with which the configuration shares it "
	                 "(tie_word_embeddings)",
	                 bt_ckpt_path(c), name, of_param[p]->from->name));
}

int bt_weights_bias(const struct bt_graph *g, const struct bt_named_list *l,
                    const struct bt_named *v)
{
	static const char own[] = "decoder.bias";
	const char *name = bt_names_unwrapped(l, v->from->name), *full;
	size_t n;
	int p;

	if (!bt_str_ends(name, ".bias"))
		return -1;
	n = strlen(name) - strlen("bias");
	for (p = 0; p < g->n_params; p++) {
		full = g->params[p].name;
		if (strncmp(full, name, n) == 0 && strcmp(full + n, own) == 0)
			return p;
	}
	return -1;
}

int bt_weights_by_stem(const struct bt_graph *g, const struct bt_named_list *l,
                       const struct bt_named *v)
{
	const char *name = v->from->name;
	char *full;
	int p;

	if (l->stem == NULL || !bt_str_starts(name, l->stem))
		return -1;
	full = bt_names_plain(l, g->prefix, name + strlen(l->stem));
	p = bt_graph_find(g, full);
	free(full);
	return p;
}
