/* SPDX-License-Identifier: MIT */
#include "tokenize/job_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "format/tfrecord.h"

#define BLOCK_BYTES ((size_t)4 << 20)
#define BLOCK_TEXTS ((size_t)16384)
#define PIECE_BYTES ((size_t)32 << 10)
#define PIECE_TEXTS ((size_t)256)

int bt_tokenize_new(const struct bt_tok *tok, struct bt_pool *pool,
                    const struct bt_tokenize_opts *opts,
                    struct bt_tokenize **job, struct bt_error *err)
{
	struct bt_tokenize *j = bt_array0(1, sizeof(*j));
	int i, n = bt_pool_threads(pool), r = BT_OK;

	j->tok = tok;
	j->pool = pool;
	j->opts = *opts;
	j->worker = bt_array0((size_t)n, sizeof(*j->worker));
	for (i = 0; r == BT_OK && i < n; i++)
		r = bt_tok_scratch_new(tok, &j->worker[i].scratch, err);
	if (r != BT_OK) {
		bt_tokenize_free(j);
		return r;
	}
	*job = j;
	return BT_OK;
}

void bt_tokenize_free(struct bt_tokenize *j)
{
	size_t i;
	int k;

	if (j == NULL)
		return;
	for (k = 0; k < bt_pool_threads(j->pool); k++) {
		bt_tok_scratch_free(j->worker[k].scratch);
		bt_token_rec_clear(&j->worker[k].rec);
		bt_example_clear(&j->worker[k].example);
		bt_buf_clear(&j->worker[k].payload);
		bt_buf_clear(&j->worker[k].mended[0]);
		bt_buf_clear(&j->worker[k].mended[1]);
		bt_buf_clear(&j->worker[k].prompted);
		bt_tokenize_words_clear(&j->worker[k].words);
		bt_tokenize_question_clear(&j->worker[k].question);
		free(j->worker[k].hot);
	}
	for (i = 0; i < j->pieces_cap; i++) {
		bt_buf_clear(&j->piece[i].out);
		free(j->piece[i].end);
	}
	for (i = 0; i < j->names; i++)
		free(j->name[i]);
	free(j->worker);
	free(j->piece);
	free(j->item);
	free(j->name);
	bt_buf_clear(&j->bytes);
	free(j);
}

int bt_tokenize_add(struct bt_tokenize *j, const void *data, size_t len,
                    const char *file, uint64_t number, struct bt_error *err)
{
	struct bt_tokenize_item *x;
	bool same = j->names > 0 && strcmp(j->name[j->names - 1], file) == 0;

	if (bt_grow(&j->item, &j->items_cap, j->items + 1, sizeof(*j->item)) ||
	    bt_grow(&j->name, &j->names_cap, j->names + 1, sizeof(*j->name)))
		return bt_error_nomem(err, "reading texts");
	if (!same)
		j->name[j->names++] = bt_strndup(file, strlen(file));
	x = &j->item[j->items];
	*x = (struct bt_tokenize_item){.at = j->bytes.len,
	                               .len = len,
	                               .name = j->names - 1,
	                               .number = number};
	bt_buf_put(&j->bytes, data, len);
	if (j->bytes.oom)
		return bt_error_nomem(err, "reading texts");
	j->items++;
	return BT_OK;
}

bool bt_tokenize_full(const struct bt_tokenize *j)
{
	return j->bytes.len >= BLOCK_BYTES || j->items >= BLOCK_TEXTS;
}

static void run_piece(void *arg, int number, int worker)
{
	struct bt_tokenize *j = arg;
	struct bt_tokenize_piece *p = &j->piece[j->own + (size_t)number];
	size_t i;
	int r;

	for (i = p->first; i < p->last; i++) {
		r = bt_tokenize_encode_one(j, &j->worker[worker], &j->item[i],
		                           p);
		if (r == BT_ENOMEM)
			bt_error_nomem(&p->err, "encoding texts");
		if (r != BT_OK) {
			p->bad = i;
			return;
		}
	}
}

/* Opens a new piece that begins with the text first. */
static int add_piece(struct bt_tokenize *j, size_t first)
{
	size_t cap = j->pieces_cap;
	struct bt_tokenize_piece *p;
	int r = bt_grow(&j->piece, &cap, j->pieces + 1, sizeof(*j->piece));

	if (r != BT_OK)
		return r;
	memset(j->piece + j->pieces_cap, 0,
	       (cap - j->pieces_cap) * sizeof(*j->piece));
	j->pieces_cap = cap;
	p = &j->piece[j->pieces++];
	bt_buf_reset(&p->out);
	p->n_end = 0;
	p->first = first;
	memset(&p->stats, 0, sizeof(p->stats));
	bt_error_clear(&p->err);
	return BT_OK;
}

/* Cuts the block into pieces; how does not depend on the threads. */
static int cut_pieces(struct bt_tokenize *j)
{
	size_t i, start = 0;
	struct bt_tokenize_piece *p;

	j->pieces = 0;
	for (i = 0; i < j->items; i++) {
		p = j->pieces > 0 ? &j->piece[j->pieces - 1] : NULL;
		if (p == NULL || i - p->first >= PIECE_TEXTS ||
		    j->item[i].at - start >= PIECE_BYTES) {
			if (add_piece(j, i) != BT_OK)
				return BT_ENOMEM;
			p = &j->piece[j->pieces - 1];
			start = j->item[i].at;
		}
		p->last = i + 1;
	}
	return BT_OK;
}

static int write_piece(struct bt_tokenize *j, const struct bt_tokenize_piece *p,
                       struct bt_out *out, struct bt_error *err)
{
	size_t i, at = 0;
	int r = BT_OK;

	if (j->opts.format != BT_TOKENIZE_TFRECORD)
		return bt_out_write(out, p->out.data, p->out.len, err);
	for (i = 0; r == BT_OK && i < p->n_end; i++) {
		r = bt_tfrecord_write(out, bt_buf_at(&p->out, at),
		                      p->end[i] - at, err);
		at = p->end[i];
	}
	return r;
}

/* Hands over the error of a piece, saying which text it is about. */
static int blame(const struct bt_tokenize *j, const struct bt_tokenize_piece *p,
                 struct bt_error *err)
{
	const struct bt_tokenize_item *x = &j->item[p->bad];

	return bt_error_hint(
	    err, p->err.hint,
	    bt_error_set(err, p->err.code, "%s: %s %llu: %s", j->name[x->name],
	                 j->opts.lines ? "line" : "record",
	                 (unsigned long long)x->number, p->err.text));
}

static void add_stats(struct bt_tokenize_stats *to,
                      const struct bt_tokenize_stats *s)
{
	int k;

	to->texts += s->texts;
	to->records += s->records;
	to->tokens += s->tokens;
	to->unknown += s->unknown;
	if (to->bare_texts == 0)
		to->bare_first = s->bare_first;
	to->bare_texts += s->bare_texts;
	to->empty_texts += s->empty_texts;
	if (to->unknown_texts == 0)
		to->unknown_first = s->unknown_first;
	to->unknown_texts += s->unknown_texts;
	to->windowed_texts += s->windowed_texts;
	to->cut_texts += s->cut_texts;
	to->cut_tokens += s->cut_tokens;
	to->labelled += s->labelled;
	to->weighted += s->weighted;
	to->mended_texts += s->mended_texts;
	to->mended += s->mended;
	to->questions += s->questions;
	to->contexts_cut += s->contexts_cut;
	to->questions_cut += s->questions_cut;
	to->question_tokens_cut += s->question_tokens_cut;
	to->answers_lost += s->answers_lost;
	to->bytes += s->bytes;
	for (k = 0; k < BT_TOKENIZE_LENGTHS; k++)
		to->length[k] += s->length[k];
}

/* The first of the pieces of that rank; with the number of ranks, their number.
 */
static size_t first_piece(const struct bt_tokenize *j, int rank)
{
	return j->pieces * (size_t)rank / (size_t)bt_dist_size(j->opts.dist);
}

/* Encodes this rank's pieces of the block. */
static int encode_block(struct bt_tokenize *j, size_t *end,
                        struct bt_error *err)
{
	int rank = bt_dist_rank(j->opts.dist);
	size_t i;

	if (cut_pieces(j) != BT_OK)
		return bt_error_nomem(err, "encoding texts");
	j->own = first_piece(j, rank);
	*end = first_piece(j, rank + 1);
	bt_pool_run(j->pool, run_piece, j, (int)(*end - j->own));
	for (i = j->own; i < *end; i++)
		if (j->piece[i].err.code != 0)
			return blame(j, &j->piece[i], err);
	return BT_OK;
}

/* Writes this rank's pieces and adds up what they are. */
static int write_block(struct bt_tokenize *j, size_t end, struct bt_out *out,
                       struct bt_tokenize_stats *stats, struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	for (i = j->own; r == BT_OK && i < end; i++) {
		r = write_piece(j, &j->piece[i], out, err);
		add_stats(stats, &j->piece[i].stats);
	}
	return r;
}

struct taking {
	struct bt_tokenize *j;
	struct bt_out *out;
	int r; /* of writing what comes before */
};

/* On rank 0 another one's part: what it is, and as it is to be written. */
static int take(void *ctx, const void *bytes, size_t n, struct bt_error *err)
{
	struct taking *t = ctx;
	struct bt_tokenize_stats stats;

	if (t->r != BT_OK)
		return t->r;
	memcpy(&stats, bytes, sizeof(stats));
	add_stats(&t->j->stats, &stats);
	return bt_out_write(t->out, (const char *)bytes + sizeof(stats),
	                    n - sizeof(stats), err);
}

/* Appends what rank 0 takes of this rank. */
static int pack(struct bt_tokenize *j, size_t end, struct bt_buf *b,
                struct bt_error *err)
{
	struct bt_tokenize_stats stats = {0};
	struct bt_out *out;
	int r;

	bt_buf_put(b, &stats, sizeof(stats)); /* its place */
	out = bt_out_memory(b);
	r = write_block(j, end, out, &stats, err);
	if (r != BT_OK) {
		bt_out_abandon(out);
		return r;
	}
	r = bt_out_commit(out, err);
	memcpy(b->data, &stats, sizeof(stats));
	return r;
}

static uint32_t checksum(const struct bt_tokenize *j)
{
	uint64_t n = j->items;
	uint32_t sum = bt_crc32c(0, &n, sizeof(n));

	return bt_crc32c(sum, bt_buf_at(&j->bytes, 0), j->bytes.len);
}

int bt_tokenize_end_block(struct bt_tokenize *j, int r, struct bt_out *out,
                          bool *over, struct bt_error *err)
{
	struct bt_dist *dist = j->opts.dist;
	bool first = bt_dist_is_first(dist);
	struct taking t = {.j = j, .out = out};
	struct bt_buf b = BT_BUF_INIT;
	size_t end = 0;

	if (r == BT_OK)
		r = encode_block(j, &end, err);
	if (r == BT_OK && !first)
		r = pack(j, end, &b, err);
	r = bt_dist_agree_on(dist, r, dist != NULL ? checksum(j) : 0, err);
	*over = r != BT_OK;
	if (r == BT_OK) {
		if (first)
			t.r = write_block(j, end, out, &j->stats, err);
		else
			j->stats.texts += j->items;
		r = bt_dist_deliver(dist, b.data, b.len, take, &t, err);
		r = t.r != BT_OK ? t.r : r;
	}
	bt_buf_clear(&b);
	bt_buf_reset(&j->bytes);
	j->items = 0;
	return r;
}

int bt_tokenize_write(struct bt_tokenize *j, struct bt_out *out,
                      struct bt_error *err)
{
	bool over;

	return bt_tokenize_end_block(j, BT_OK, out, &over, err);
}

struct bt_tokenize_stats bt_tokenize_stats(const struct bt_tokenize *j)
{
	return j->stats;
}
