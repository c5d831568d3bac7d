/* SPDX-License-Identifier: MIT */
/* What programs put before the names of a whole model: DataParallel, Lightning
 * and torch.compile theirs, and whoever keeps a model as a part of another one
 * the name of that part. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/names_int.h"

const char *const bt_names_prefixes[] = {
    "bert.",   "roberta.", "distilbert.", "electra.", "deberta.",
    "albert.", "mpnet.",   "nomic_bert.", "gte.",     NULL,
};

/* The table of words, as the families call it, and NeoBERT last: its name is
 * also one of other things. */
static const char *const tables[] = {
    "embeddings.word_embeddings.weight",
    "embeddings.tok_embeddings.weight",
    "embed_tokens.weight",
    "encoder.weight",
};

#define N_TABLES (sizeof(tables) / sizeof(tables[0]))

/* How many bytes of name stand before its end; SIZE_MAX: that is not its end.
 */
static size_t before(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return bt_str_ends(name, end) && (n == k || name[n - k - 1] == '.')
	           ? n - k
	           : SIZE_MAX;
}

static const char *without_usual(const char *name)
{
	static const char *const usual[] = {"module.", "_orig_mod.", "model.",
	                                    "new."};
	size_t i;

	for (i = 0; i < 4; i++)
		if (bt_str_starts(name, usual[i])) {
			name += strlen(usual[i]);
			i = (size_t)-1;
		}
	return name;
}

/* How much of a stem is not the prefix of a family; 0 where that is what the
 * names of whole models have. */
static size_t wrapper_of(const char *stem)
{
	size_t usual = (size_t)(without_usual(stem) - stem);
	size_t i, n = SIZE_MAX;

	for (i = 0; bt_names_prefixes[i] != NULL && n == SIZE_MAX; i++)
		n = before(stem, bt_names_prefixes[i]);
	if (n == SIZE_MAX)
		n = strlen(stem);
	return n > usual ? n : 0;
}

/* A model that stands there as itself comes before those that are parts. */
static void note_stem(struct bt_named_list *l, const char *name, size_t n)
{
	char *stem = bt_strndup(name, n);
	size_t wrapper = wrapper_of(stem);

	if (bt_str_is(l->stem, stem)) {
		free(stem);
	} else if (l->stem == NULL || (wrapper == 0 && l->wrapper > 0)) {
		free(l->stem);
		free(l->other_stem);
		l->other_stem = NULL;
		l->stem = stem;
		l->wrapper = wrapper;
	} else if (l->wrapper > 0 && l->other_stem == NULL) {
		l->other_stem = stem;
	} else {
		free(stem);
	}
}

void bt_names_find_stem(struct bt_named_list *l)
{
	size_t i, k, n;

	for (k = 0; k < N_TABLES && l->stem == NULL; k++)
		for (i = 0; i < l->n; i++) {
			n = before(l->v[i].name, tables[k]);
			if (n != SIZE_MAX)
				note_stem(l, l->v[i].name, n);
		}
}

int bt_names_one_model(const struct bt_named_list *l, struct bt_error *err)
{
	if (l->other_stem == NULL)
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_CKPT_DROP_MODEL,
	    bt_error_set(err, BT_EFORMAT,
	                 "'%s' holds several models, whose names begin with "
	                 "'%.100s' and '%.100s'",
	                 bt_ckpt_path(l->ckpt), l->stem, l->other_stem));
}

const char *bt_names_unwrapped(const struct bt_named_list *l, const char *name)
{
	size_t i, n = 0;

	for (i = 0; i < l->wrapper && name[i] == l->stem[i]; i++)
		if (name[i] == '.')
			n = i + 1;
	return without_usual(name + n);
}
