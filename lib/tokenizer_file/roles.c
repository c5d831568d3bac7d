/* SPDX-License-Identifier: MIT */
/* Which tokens are the special ones: unknown, [CLS], [SEP], padding, mask. */
#include <stdlib.h>

#include "base/mem.h"
#include "tokenizer_file/reader.h"

const char *const bt_tok_role_key[BT_TOK_ROLES] = {
    "unk_token", "cls_token", "sep_token", "pad_token", "mask_token"};

int bt_tok_set_role(struct bt_tok *t, enum bt_tok_role role, struct bt_span s,
                    struct bt_error *err)
{
	char *copy;

	if (bt_span_has_nul(s))
		return bt_error_set(err, BT_EFORMAT,
		                    "a NUL in '%s' is not supported",
		                    bt_tok_role_key[role]);
	copy = bt_strndup(s.p, s.n);
	if (copy == NULL)
		return bt_error_nomem(err, "reading a tokenizer");
	free(t->role_name[role]);
	t->role_name[role] = copy;
	return BT_OK;
}

/* Names that tokens of the roles go by, besides BERT's. */
static const char *const other_name[BT_TOK_ROLES][4] = {
    [BT_TOK_CLS] = {"<s>", "<cls>", "<bos>", "<|begin_of_text|>"},
    [BT_TOK_SEP] = {"</s>", "<sep>", "<eos>", "<|end_of_text|>"},
    [BT_TOK_PAD] = {"<pad>", "<|pad|>"},
    [BT_TOK_MASK] = {"<mask>", "<|mask|>"},
    [BT_TOK_UNK] = {"<unk>"},
};

int bt_tok_guess_roles(struct bt_tok *t, struct bt_error *err)
{
	int i, k, r = BT_OK;

	for (i = 0; i < BT_TOK_ROLES; i++) {
		if (bt_tok_id(t, bt_span(t->role_name[i])) >= 0)
			continue;
		for (k = 0; k < 4 && other_name[i][k] != NULL; k++)
			if (bt_tok_id(t, bt_span(other_name[i][k])) >= 0)
				break;
		if (k < 4 && other_name[i][k] != NULL)
			r = bt_tok_set_role(t, (enum bt_tok_role)i,
			                    bt_span(other_name[i][k]), err);
		if (r != BT_OK)
			return r;
	}
	/* Llama's and its like have no padding: as one does there */
	if (t->kind == BT_TOK_BPE &&
	    bt_tok_id(t, bt_span(t->role_name[BT_TOK_PAD])) < 0)
		r = bt_tok_set_role(t, BT_TOK_PAD,
		                    bt_span(t->role_name[BT_TOK_SEP]), err);
	return r;
}
