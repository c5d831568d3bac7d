/* SPDX-License-Identifier: MIT */
/* Unigram models of tokenizer.json, and what they have in common with those of
 * SentencePiece's own files. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/json.h"
#include "tokenizer/normalizers.h"
#include "tokenizer_file/json_score_int.h"
#include "tokenizer_file/tokenizer_json_int.h"

/* Of the scores as floats, which those of SentencePiece are: the last bits are
 * others where they came by way of a tokenizer.json. */
static uint32_t crc_of(const double *score, size_t n)
{
	double part[256];
	uint32_t crc = 0;
	size_t i, k;

	for (i = 0; i < n; i += k) {
		for (k = 0; k < 256 && i + k < n; k++)
			part[k] =
			    (float)fmax(-FLT_MAX, fmin(score[i + k], FLT_MAX));
		crc = bt_tok_crc_more(crc, part, k * sizeof(*part));
	}
	return crc;
}

int bt_tok_set_unigram(struct bt_tok *t, double *score, int64_t unknown,
                       bool bytes, struct bt_error *err)
{
	size_t n = t->vocab.n;
	uint32_t crc = crc_of(score, n);
	int r = bt_vocab_index(&t->vocab, 0, err);

	if (r == BT_OK && (unknown < 0 || (size_t)unknown >= n))
		r = bt_error_set(
		    err, BT_EFORMAT,
		    "unk_id %lld is not the id of one of %zu tokens",
		    (long long)unknown, n);
	if (r != BT_OK) {
		free(score);
		return r;
	}
	t->kind = BT_TOK_UNIGRAM;
	bt_buf_printf(&t->steps, " unigram=%08x unk=%d bytes=%d", crc,
	              (int)unknown, bytes);
	r = bt_tok_set_role(t, BT_TOK_UNK, t->vocab.token[unknown], err);
	if (r != BT_OK) {
		free(score);
		return r;
	}
	return bt_tok_model_unigram(&t->vocab, score, (int32_t)unknown, bytes,
	                            &t->model, err);
}

/* [["piece", -3.14], ...] */
static int read_pieces(struct bt_tok *t, const json_t *vocab, double *score,
                       struct bt_error *err)
{
	const json_t *v, *piece, *number;
	struct bt_span s;
	size_t i;
	int r;

	json_array_foreach(vocab, i, v)
	{
		piece = json_array_get(v, 0);
		number = json_array_get(v, 1);
		if (!json_is_string(piece) || !json_is_number(number) ||
		    json_array_size(v) != 2)
			return bt_error_set(err, BT_EFORMAT,
			                    "vocab[%zu] is not a piece and its "
			                    "score",
			                    i);
		s = bt_json_text(piece);
		score[i] = json_is_real(number)
		               ? bt_json_score_reread(json_real_value(number))
		               : json_number_value(number);
		r = bt_vocab_put(&t->vocab, i, s, err);
		if (r != BT_OK)
			return r;
	}
	return BT_OK;
}

/* The vocabulary and its scores, which are to be freed. */
static int take_pieces(struct bt_tok *t, const json_t *vocab,
                       struct bt_fast_vocab *bulk, double **score,
                       struct bt_error *err)
{
	size_t n = json_array_size(vocab);
	int r;

	if (bulk->kind == BT_FAST_VOCAB_SCORES) {
		t->vocab = bulk->vocab;
		*score = bulk->score;
		memset(&bulk->vocab, 0, sizeof(bulk->vocab));
		bulk->score = NULL;
		return BT_OK;
	}
	if (n == 0 || n > BT_VOCAB_MAX)
		return bt_error_set(err, BT_EFORMAT,
		                    "the model has a vocabulary of %zu tokens",
		                    n);
	*score = bt_array(n, sizeof(**score));
	if (*score == NULL)
		return bt_error_nomem(err, "reading a vocabulary");
	r = read_pieces(t, vocab, *score, err);
	if (r != BT_OK)
		free(*score);
	return r;
}

int bt_tok_json_unigram(struct bt_tok *t, json_t *o, struct bt_fast_vocab *bulk,
                        struct bt_error *err)
{
	static const char *const known[] = {"type", "unk_id", "vocab",
	                                    "byte_fallback", NULL};
	int64_t unknown = -1;
	json_t *vocab = json_object_get(o, "vocab");
	bool bytes = false;
	double *score;
	int r;

	if ((r = bt_tok_only("model", o, known, err)) ||
	    (r = bt_json_int(o, "unk_id", 0, INT32_MAX, &unknown, err)) ||
	    (r = bt_json_bool(o, "byte_fallback", &bytes, err)) ||
	    (r = take_pieces(t, vocab, bulk, &score, err)))
		return r;
	return bt_tok_set_unigram(t, score, unknown, bytes, err);
}
