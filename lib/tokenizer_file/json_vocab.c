/* SPDX-License-Identifier: MIT */
/* The vocabulary of a WordPiece or BPE model in tokenizer.json. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tokenizer_file/tokenizer_json_int.h"

/* A token and its id, for sorting. */
struct entry {
	int64_t id;
	struct bt_span s;
};

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int list_entries(json_t *vocab, struct entry *e, struct bt_error *err)
{
	const char *key;
	size_t i = 0;
	json_t *v;

	json_object_foreach(vocab, key, v)
	{
		e[i].s = bt_span(key);
		e[i].id = json_integer_value(v);
		if (!json_is_integer(v) || e[i].id < 0 ||
		    e[i].id >= (int64_t)BT_VOCAB_MAX)
			return bt_error_set(err, BT_EFORMAT,
			                    "the token '%.100s' has no id "
			                    "from 0 to %zu",
			                    key, BT_VOCAB_MAX - 1);
		i++;
	}
	return BT_OK;
}

int bt_tok_json_vocab(struct bt_tok *t, json_t *vocab,
                      struct bt_fast_vocab *bulk, struct bt_error *err)
{
	size_t n = json_object_size(vocab), i;
	struct entry *e;
	int r;

	if (bulk->kind == BT_FAST_VOCAB_IDS) {
		t->vocab = bulk->vocab;
		memset(&bulk->vocab, 0, sizeof(bulk->vocab));
		return BT_OK;
	}
	if (!json_is_object(vocab) || n == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "the model has no vocabulary");
	e = bt_array(n, sizeof(*e));
	if (e == NULL)
		return bt_error_nomem(err, "reading a vocabulary");
	r = list_entries(vocab, e, err);
	if (r != BT_OK)
		goto out;
	qsort(e, n, sizeof(*e), compare);
	if (e[n - 1].id / 16 > (int64_t)n) {
		r = bt_error_set(err, BT_EFORMAT,
		                 "%zu tokens have ids up to %lld", n,
		                 (long long)e[n - 1].id);
		goto out;
	}
	for (i = 0; r == BT_OK && i < n; i++) {
		if (i > 0 && e[i].id == e[i - 1].id)
			r = bt_error_set(err, BT_EFORMAT,
			                 "the tokens '%.100s' and '%.100s' "
			                 "have the same id %lld",
			                 e[i - 1].s.p, e[i].s.p,
			                 (long long)e[i].id);
		else
			r = bt_vocab_put(&t->vocab, (size_t)e[i].id, e[i].s,
			                 err);
	}
	if (r == BT_OK)
		r = bt_vocab_index(&t->vocab, 0, err);
out:
	free(e);
	return r;
}
