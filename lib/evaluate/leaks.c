/* SPDX-License-Identifier: MIT */
#include "evaluate/leaks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dedup/minhash.h"
#include "format/charset.h"
#include "format/tfrecord.h"
#include "record/record.h"

/* For the known texts, and for those evaluated; the rest goes to files. */
#define MEMORY ((size_t)32 << 20)

struct pair {
	double similarity;
	uint64_t record;
	char *text, *other;
};

struct bt_leaks {
	const char *path;
	const struct bt_tok *tok;
	struct bt_tok_decoder *decoder;
	struct bt_minhash *known, *evaluated;
	struct bt_token_rec rec; /* the last one */
	struct bt_buf text, other;
	uint64_t texts, equal, similar, repeated;
	double nearest; /* of the known texts to the last one; 0: none */
	bool again;     /* the last one is like an evaluated one */
	struct pair pair[BT_LEAKS_SHOWN];
	size_t n;
};

/* Reads a record; l->text is its text then. */
static int read_text(struct bt_leaks *l, const void *data, size_t len,
                     struct bt_error *err)
{
	int r = bt_token_rec_read(data, len, &l->rec, err);

	if (r != BT_OK)
		return r;
	bt_buf_reset(&l->text);
	return bt_tok_decode(l->tok, l->decoder, l->rec.ids, l->rec.n, true,
	                     &l->text, err);
}

static struct bt_span text_of(const struct bt_leaks *l)
{
	return (struct bt_span){bt_buf_at(&l->text, 0), l->text.len};
}

/* Known texts may be like each other. */
static int pass(void *arg, const struct bt_minhash_pair *pair,
                struct bt_error *err)
{
	(void)arg, (void)pair, (void)err;
	return BT_OK;
}

static int read_known(struct bt_leaks *l, struct bt_error *err)
{
	struct bt_span none = {"", 0};
	char *paths[1] = {(char *)l->path};
	struct bt_tfrecord *in = NULL;
	const uint8_t *data;
	size_t len;
	int r = bt_tfrecord_open(paths, 1, &in, err);

	while (r == BT_OK &&
	       (r = bt_tfrecord_next(in, &data, &len, err)) == 1) {
		r = read_text(l, data, len, err);
		if (r != BT_OK)
			r = bt_tfrecord_blame(in, err);
		else
			r = bt_minhash_pairs(l->known, none, text_of(l), pass,
			                     NULL, err);
	}
	bt_tfrecord_close(in);
	return r;
}

int bt_leaks_open(const char *path, const struct bt_tok *tok,
                  struct bt_leaks **leaks, struct bt_error *err)
{
	struct bt_leaks *l = bt_array0(1, sizeof(*l));
	int r = bt_tok_decoder_new(tok, &l->decoder, err);

	l->path = path;
	l->tok = tok;
	l->known = bt_minhash_new(BT_LEAKS_SIMILAR, MEMORY);
	l->evaluated = bt_minhash_new(BT_LEAKS_SIMILAR, MEMORY);
	if (r == BT_OK)
		r = read_known(l, err);
	if (r == BT_OK)
		*leaks = l;
	else
		bt_leaks_close(l);
	return r;
}

void bt_leaks_close(struct bt_leaks *l)
{
	size_t i;

	if (l == NULL)
		return;
	for (i = 0; i < l->n; i++) {
		free(l->pair[i].text);
		free(l->pair[i].other);
	}
	bt_tok_decoder_free(l->decoder);
	bt_minhash_free(l->known);
	bt_minhash_free(l->evaluated);
	bt_token_rec_clear(&l->rec);
	bt_buf_clear(&l->text);
	bt_buf_clear(&l->other);
	free(l);
}

static int meet_known(void *arg, const struct bt_minhash_pair *pair,
                      struct bt_error *err)
{
	struct bt_leaks *l = arg;

	(void)err;
	if (pair->similarity > l->nearest) {
		l->nearest = pair->similarity;
		bt_buf_reset(&l->other);
		bt_buf_put(&l->other, pair->text.p, pair->text.n);
	}
	return BT_OK;
}

static int meet_evaluated(void *arg, const struct bt_minhash_pair *pair,
                          struct bt_error *err)
{
	struct bt_leaks *l = arg;

	(void)pair, (void)err;
	l->again = true;
	return BT_OK;
}

/* Keeps the pair at hand among the most similar ones, the earlier first. */
static void keep(struct bt_leaks *l, uint64_t number)
{
	size_t i = l->n;

	while (i > 0 && l->pair[i - 1].similarity < l->nearest)
		i--;
	if (i == BT_LEAKS_SHOWN)
		return;
	if (l->n == BT_LEAKS_SHOWN) {
		l->n--;
		free(l->pair[l->n].text);
		free(l->pair[l->n].other);
	}
	memmove(&l->pair[i + 1], &l->pair[i], (l->n - i) * sizeof(*l->pair));
	l->n++;
	l->pair[i] = (struct pair){
	    l->nearest, number, bt_strndup(bt_buf_str(&l->text), l->text.len),
	    bt_strndup(bt_buf_str(&l->other), l->other.len)};
}

int bt_leaks_look(struct bt_leaks *l, uint64_t number, const void *data,
                  size_t len, struct bt_error *err)
{
	struct bt_span none = {"", 0};
	int r = read_text(l, data, len, err);

	l->nearest = 0;
	l->again = false;
	if (r == BT_OK)
		r = bt_minhash_find(l->known, text_of(l), meet_known, l, err);
	if (r == BT_OK)
		r = bt_minhash_pairs(l->evaluated, none, text_of(l),
		                     meet_evaluated, l, err);
	if (r == BT_OK && (l->text.oom || l->other.oom))
		r = bt_error_nomem(err, "comparing texts");
	if (r != BT_OK)
		return r;
	l->texts++;
	l->repeated += l->again;
	l->equal += l->nearest >= 1;
	l->similar += l->nearest > 0 && l->nearest < 1;
	if (l->nearest > 0)
		keep(l, number);
	return BT_OK;
}

void bt_leaks_report(const struct bt_leaks *l, struct bt_buf *out)
{
	bt_buf_printf(
	    out,
	    "\ntexts that may be known: of %llu, %llu are in '%s', %llu "
	    "similar to one there, %llu repeated\n",
	    (unsigned long long)l->texts, (unsigned long long)l->equal, l->path,
	    (unsigned long long)l->similar, (unsigned long long)l->repeated);
}

json_t *bt_leaks_json(const struct bt_leaks *l)
{
	json_t *pairs = json_array(), *o;
	struct bt_buf path = BT_BUF_INIT;
	const struct pair *p;

	bt_charset_mend(&path, l->path, strlen(l->path));

	for (p = l->pair; p < l->pair + l->n; p++)
		json_array_append_new(pairs,
		                      json_pack("{sf sI ss ss}", "similarity",
		                                p->similarity, "record",
		                                (json_int_t)p->record, "text",
		                                p->text, "other", p->other));
	o = json_pack("{ss sI sI sI sI so}", "file", bt_buf_str(&path), "texts",
	              (json_int_t)l->texts, "equal", (json_int_t)l->equal,
	              "similar", (json_int_t)l->similar, "repeated",
	              (json_int_t)l->repeated, "pairs", pairs);
	bt_buf_clear(&path);
	return o;
}
