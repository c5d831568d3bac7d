/* SPDX-License-Identifier: MIT */
#include "tokenize/detokenize.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "base/str.h"
#include "format/escape.h"
#include "format/tfrecord.h"
#include "io/in.h"
#include "tokenize/job_int.h"

#define BLOCK_BYTES ((size_t)4 << 20)
#define BLOCK_ITEMS ((size_t)16384)
#define PIECE_ITEMS ((size_t)256)

/* A record or line of the block. */
struct item {
	size_t at, len; /* in the block's bytes */
	uint64_t number;
};

/* A run of them that one thread decodes. */
struct piece {
	size_t first, last;
	struct bt_buf out;
	struct bt_error err;
	size_t bad; /* the item that err is about */
};

/* What each thread works with. */
struct worker {
	struct bt_tok_decoder *decoder;
	struct bt_token_rec rec;
	struct bt_buf text;
	int32_t *ids;
	size_t cap;
};

struct job {
	const struct bt_tok *tok;
	const struct bt_detokenize_opts *o;
	struct bt_pool *pool;
	struct bt_out *out;
	struct worker *worker; /* one for each thread */
	char *name;            /* of the file that the block is of */
	struct bt_buf bytes;
	struct item item[BLOCK_ITEMS];
	size_t items;
	struct piece piece[BLOCK_ITEMS / PIECE_ITEMS];
	uint64_t texts;
};

static int put_json(struct bt_buf *out, struct bt_span id, struct bt_span label,
                    struct bt_span text, struct bt_error *err)
{
	int r;

	bt_buf_putc(out, '{');
	r = bt_tokenize_put_member(out, "id", id, err);
	if (r == BT_OK)
		r = bt_tokenize_put_member(out, "label", label, err);
	bt_buf_puts(out, "\"text\": ");
	bt_escape_quoted(out, text, false);
	bt_buf_putc(out, '}');
	return r;
}

/* Decodes n ids and appends the line; *out is as it was where that fails. */
static int put(const struct job *j, struct worker *w, const int32_t *ids,
               size_t n, struct bt_span id, struct bt_span label,
               struct bt_buf *out, struct bt_error *err)
{
	struct bt_span text = {"", 0};
	size_t before = out->len;
	int r;

	bt_buf_reset(&w->text);
	r = bt_tok_decode(j->tok, w->decoder, ids, n, j->o->skip_special,
	                  &w->text, err);
	if (r != BT_OK)
		return r;
	if (w->text.len > 0)
		text = (struct bt_span){w->text.data, w->text.len};
	if (j->o->json)
		r = put_json(out, id, label, text, err);
	else if (memchr(text.p, '\n', text.n) != NULL)
		return bt_error_hint(
		    err, BT_HINT_DETOKENIZE_JSON,
		    bt_error_set(err, BT_EFORMAT,
		                 "the text has a line end in it"));
	else
		bt_buf_put(out, text.p, text.n);
	bt_buf_putc(out, '\n');
	if (r == BT_OK && out->oom)
		r = bt_error_nomem(err, "decoding tokens");
	if (r != BT_OK)
		out->len = before;
	return r;
}

static int do_record(const struct job *j, struct worker *w, const uint8_t *data,
                     size_t len, struct bt_buf *out, struct bt_error *err)
{
	struct bt_token_rec *rec = &w->rec;
	const char *ours = bt_tok_fingerprint(j->tok);
	int r = bt_token_rec_read(data, len, rec, err);

	if (r == BT_OK && rec->tokenizer.p != NULL &&
	    !bt_span_equal(rec->tokenizer, bt_span(ours)))
		r = bt_error_set(err, BT_EFORMAT,
		                 "its tokens are another tokenizer's "
		                 "(fingerprint %.*s, this one's is %s)",
		                 rec->tokenizer.n < 100 ? (int)rec->tokenizer.n
		                                        : 100,
		                 rec->tokenizer.p, ours);
	return r == BT_OK
	           ? put(j, w, rec->ids, rec->n, rec->id, rec->label, out, err)
	           : r;
}

/* Reads numbers with white space between them. */
static int do_line(const struct job *j, struct worker *w, const uint8_t *p,
                   size_t len, struct bt_buf *out, struct bt_error *err)
{
	const struct bt_span none = {NULL, 0};
	const uint8_t *end = p + len, *from;
	size_t n = 0;
	uint64_t v;

	while (p < end) {
		if (*p == ' ' || *p == '\t' || *p == '\r') {
			p++;
			continue;
		}
		from = p;
		for (v = 0; p < end && *p >= '0' && *p <= '9'; p++)
			if (v <= INT32_MAX)
				v = 10 * v + (unsigned)(*p - '0');
		if (from == p || v > INT32_MAX ||
		    (p < end && *p != ' ' && *p != '\t' && *p != '\r'))
			return bt_error_set(err, BT_EFORMAT,
			                    "no id at byte %zu: expected whole "
			                    "numbers with spaces between them",
			                    len - (size_t)(end - from));
		if (bt_grow(&w->ids, &w->cap, n + 1, sizeof(*w->ids)) != BT_OK)
			return bt_error_nomem(err, "reading ids");
		w->ids[n++] = (int32_t)v;
	}
	return put(j, w, w->ids, n, none, none, out, err);
}

/* Stops at the first that fails. */
static void run_piece(void *arg, int number, int worker)
{
	struct job *j = arg;
	struct worker *w = &j->worker[worker];
	struct piece *p = &j->piece[number];
	const struct item *x;
	const uint8_t *data;
	int r = BT_OK;

	for (p->bad = p->first; p->bad < p->last; p->bad++) {
		x = &j->item[p->bad];
		data = (const uint8_t *)bt_buf_at(&j->bytes, x->at);
		r = j->o->lines
		        ? do_line(j, w, data, x->len, &p->out, &p->err)
		        : do_record(j, w, data, x->len, &p->out, &p->err);
		if (r != BT_OK)
			return;
	}
}

/* Decodes the block and writes it, up to the first that fails. */
static int flush(struct job *j, struct bt_error *err)
{
	size_t n = (j->items + PIECE_ITEMS - 1) / PIECE_ITEMS, i;
	struct piece *p;
	int r = BT_OK;

	for (i = 0; i < n; i++) {
		p = &j->piece[i];
		p->first = i * PIECE_ITEMS;
		p->last = i + 1 < n ? p->first + PIECE_ITEMS : j->items;
		bt_buf_reset(&p->out);
		bt_error_clear(&p->err);
	}
	bt_pool_run(j->pool, run_piece, j, (int)n);
	for (i = 0; r == BT_OK && i < n; i++) {
		p = &j->piece[i];
		j->texts += p->bad - p->first;
		if (p->out.len > 0)
			r = bt_out_write(j->out, p->out.data, p->out.len, err);
		if (r == BT_OK && p->err.code != 0)
			r = bt_error_hint(
			    err, p->err.hint,
			    bt_error_set(
			        err, p->err.code, "%s: %s %llu: %s", j->name,
			        j->o->lines ? "line" : "record",
			        (unsigned long long)j->item[p->bad].number,
			        p->err.text));
	}
	bt_buf_reset(&j->bytes);
	j->items = 0;
	return r;
}

/* Adds to the block, which is decoded first where it is full or of another
 * file. */
static int add(struct job *j, const char *name, const void *data, size_t len,
               uint64_t number, struct bt_error *err)
{
	bool same = bt_str_is(j->name, name);
	int r = BT_OK;

	if (!same || j->items == BLOCK_ITEMS || j->bytes.len >= BLOCK_BYTES)
		r = flush(j, err);
	if (r != BT_OK)
		return r;
	if (!same) {
		free(j->name);
		j->name = bt_strndup(name, strlen(name));
	}
	j->item[j->items++] = (struct item){j->bytes.len, len, number};
	bt_buf_put(&j->bytes, data, len);
	return j->bytes.oom ? bt_error_nomem(err, "reading tokens") : BT_OK;
}

/* What came so far goes on, since more is waited for. */
static int hand_on(void *ctx, struct bt_error *err)
{
	struct job *j = ctx;
	int r = flush(j, err);

	return r == BT_OK ? bt_out_flush(j->out, err) : r;
}

/* What was read before a failure comes before it. */
static int finish(struct job *j, int r, const struct bt_error *why,
                  struct bt_error *err)
{
	int e = r == BT_OK || why->code != 0 ? flush(j, err) : BT_OK;

	if (e == BT_OK && why->code != 0)
		return bt_error_hint(
		    err, why->hint,
		    bt_error_set(err, why->code, "%s", why->text));
	return r == BT_OK ? e : r;
}

static int read_records(struct job *j, char *const *paths, int n,
                        struct bt_error *err)
{
	struct bt_error why = {0};
	struct bt_tfrecord *in;
	const uint8_t *data;
	size_t len;
	int r = bt_tfrecord_open(paths, n, &in, err);

	if (r != BT_OK)
		return r;
	bt_tfrecord_expect(in, j->o->expect);
	bt_tfrecord_limit(in, j->o->limit);
	if (bt_out_is_live(j->out))
		bt_tfrecord_idle(in, hand_on, j);
	while ((r = bt_tfrecord_next(in, &data, &len, &why)) == 1) {
		r = add(j, bt_tfrecord_file(in), data, len,
		        bt_tfrecord_record(in), err);
		if (r != BT_OK)
			break;
	}
	r = finish(j, r, &why, err);
	if (r == BT_OK && bt_tfrecord_total(in) == 0)
		r = bt_tfrecord_none(in, err);
	bt_tfrecord_close(in);
	return r;
}

static int read_lines(struct job *j, const char *path, struct bt_error *err)
{
	struct bt_error why = {0};
	struct bt_span line;
	size_t skip = 0;
	uint64_t number = 0;
	struct bt_in *in;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	bt_in_limit(in, j->o->limit);
	if (bt_out_is_live(j->out))
		bt_in_idle(in, hand_on, j);
	while ((r = bt_in_line(in, BT_TFRECORD_MAX, &line, &skip, &why)) == 1) {
		r = add(j, bt_in_name(in), line.p, line.n, ++number, err);
		if (r != BT_OK)
			break;
		bt_in_skip(in, skip);
	}
	r = finish(j, r, &why, err);
	bt_in_close(in);
	return r;
}

static int begin(struct job *j, int threads, struct bt_error *err)
{
	int i, r = bt_pool_new(threads, &j->pool, err);

	if (r != BT_OK)
		return r;
	threads = bt_pool_threads(j->pool);
	j->worker = bt_array0((size_t)threads, sizeof(*j->worker));
	for (i = 0; r == BT_OK && i < threads; i++)
		r = bt_tok_decoder_new(j->tok, &j->worker[i].decoder, err);
	return r;
}

static void end(struct job *j)
{
	struct worker *w;
	size_t i;
	int k;

	for (k = 0; j->worker != NULL && k < bt_pool_threads(j->pool); k++) {
		w = &j->worker[k];
		bt_tok_decoder_free(w->decoder);
		bt_token_rec_clear(&w->rec);
		bt_buf_clear(&w->text);
		free(w->ids);
	}
	for (i = 0; i < BLOCK_ITEMS / PIECE_ITEMS; i++)
		bt_buf_clear(&j->piece[i].out);
	bt_buf_clear(&j->bytes);
	bt_pool_free(j->pool);
	free(j->worker);
	free(j->name);
}

int bt_detokenize_files(const struct bt_tok *tok,
                        const struct bt_detokenize_opts *o, char *const *paths,
                        int n, struct bt_out *out, uint64_t *texts,
                        struct bt_error *err)
{
	struct job *j = bt_array0(1, sizeof(*j));
	int i, r;

	j->tok = tok;
	j->o = o;
	j->out = out;
	r = begin(j, o->threads, err);
	if (r == BT_OK && !o->lines)
		r = read_records(j, paths, n, err);
	else if (r == BT_OK && n == 0)
		r = read_lines(j, NULL, err);
	else
		for (i = 0; r == BT_OK && i < n; i++)
			r = read_lines(j, paths[i], err);
	*texts = j->texts;
	end(j);
	free(j);
	return r;
}
