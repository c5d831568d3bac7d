/* SPDX-License-Identifier: MIT */
/* Tokens become text again: a list of strings goes through the decoder's steps,
 * each of which makes another. */
#include "tokenizer/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "format/charset.h"
#include "tokenizer/bpe.h"
#include "tokenizer/encode.h"

void bt_decoder_clear(struct bt_decoder *d)
{
	int i;

	for (i = 0; i < d->n; i++) {
		free(d->step[i].a);
		bt_normalizer_free(d->step[i].norm);
	}
	free(d->unknown);
	memset(d, 0, sizeof(*d));
}

int bt_decoder_add(struct bt_decoder *d, enum bt_decoder_kind kind,
                   struct bt_span a, bool flag, struct bt_normalizer *norm,
                   struct bt_error *err)
{
	struct bt_decoder_step *s = &d->step[d->n];
	char *copy = NULL;
	int r = BT_OK;

	if (d->n == BT_DECODER_STEPS)
		r = bt_error_set(err, BT_ELIMIT,
		                 "the decoder has more than %d steps",
		                 BT_DECODER_STEPS);
	else if (bt_span_has_nul(a))
		r = bt_error_set(err, BT_EFORMAT,
		                 "a NUL in a step is not supported");
	else if (a.p != NULL && (copy = bt_strndup(a.p, a.n)) == NULL)
		r = bt_error_nomem(err, "reading a tokenizer");
	if (r != BT_OK) {
		bt_normalizer_free(norm);
		return r;
	}
	*s = (struct bt_decoder_step){
	    .kind = kind, .a = copy, .flag = flag, .norm = norm};
	d->n++;
	return BT_OK;
}

/* Strings, one behind the other. */
struct list {
	struct bt_buf text;
	size_t *end, n, cap;
};

struct bt_tok_decoder {
	struct list list[2];
	struct bt_buf work[2];
	struct bt_offset_text normed;
	int16_t byte[0x144]; /* that a character stands for, or -1 */
};

int bt_tok_decoder_new(const struct bt_tok *t, struct bt_tok_decoder **decoder,
                       struct bt_error *err)
{
	struct bt_tok_decoder *d;
	uint16_t c[256];
	int i;

	if (t->decode.unknown != NULL)
		return bt_error_set(err, BT_EFORMAT, "'%s': %s", t->path,
		                    t->decode.unknown);
	d = bt_array0(1, sizeof(*d));
	memset(d->byte, -1, sizeof(d->byte));
	bt_byte_chars(c);
	for (i = 0; i < 256; i++)
		d->byte[c[i]] = (int16_t)i;
	*decoder = d;
	return BT_OK;
}

void bt_tok_decoder_free(struct bt_tok_decoder *d)
{
	int i;

	if (d == NULL)
		return;
	for (i = 0; i < 2; i++) {
		bt_buf_clear(&d->list[i].text);
		free(d->list[i].end);
		bt_buf_clear(&d->work[i]);
	}
	bt_offset_text_clear(&d->normed);
	free(d);
}

/* Lack of memory is noted in text.oom. */
static void end_string(struct list *l)
{
	if (bt_grow(&l->end, &l->cap, l->n + 1, sizeof(*l->end)) != BT_OK)
		l->text.oom = true;
	else
		l->end[l->n++] = l->text.len;
}

static struct bt_span string(const struct list *l, size_t i)
{
	size_t from = i > 0 ? l->end[i - 1] : 0;

	return (struct bt_span){bt_buf_at(&l->text, from), l->end[i] - from};
}

static bool starts(struct bt_span s, const char *with, size_t n)
{
	return s.n >= n && memcmp(s.p, with, n) == 0;
}

/* Appends s with each `from` as `to`: an empty one stands before and behind
 * each character. */
static void replace(struct bt_buf *out, struct bt_span s, const char *from,
                    const char *to)
{
	size_t n = strlen(from), len;

	while (s.n > 0) {
		if (n == 0 || starts(s, from, n))
			bt_buf_puts(out, to);
		len = n == 0 ? bt_utf8_len((uint8_t)*s.p) : 1;
		if (n > 0 && starts(s, from, n))
			len = n;
		else
			bt_buf_put(out, s.p, len);
		s.p += len;
		s.n -= len;
	}
	if (n == 0)
		bt_buf_puts(out, to);
}

/* Takes away the spaces that English text does not have. */
static void clean_up(struct bt_tok_decoder *d, struct bt_buf *out)
{
	static const char *const change[][2] = {
	    {" .", "."},     {" ?", "?"},           {" !", "!"},
	    {" ,", ","},     {" ' ", "'"},          {" n't", "n't"},
	    {" 'm", "'m"},   {" do not", " don't"}, {" 's", "'s"},
	    {" 've", "'ve"}, {" 're", "'re"},
	};
	struct bt_span s;
	size_t i;
	int k = 0;

	for (i = 0; i < sizeof(change) / sizeof(change[0]); i++, k = !k) {
		s = (struct bt_span){d->work[k].data, d->work[k].len};
		bt_buf_reset(&d->work[!k]);
		replace(&d->work[!k], s, change[i][0], change[i][1]);
	}
	bt_buf_put(out, d->work[k].data, d->work[k].len);
	out->oom |= d->work[0].oom || d->work[1].oom;
}

static void do_wordpiece(struct bt_tok_decoder *d,
                         const struct bt_decoder_step *x, struct bt_span s,
                         size_t i, struct bt_buf *out)
{
	struct bt_buf *to = x->flag ? &d->work[0] : out;
	size_t n = strlen(x->a);

	if (x->flag)
		bt_buf_reset(to);
	if (i > 0 && starts(s, x->a, n)) {
		s.p += n;
		s.n -= n;
	} else if (i > 0) {
		bt_buf_putc(to, ' ');
	}
	bt_buf_put(to, s.p, s.n);
	if (x->flag && to->len > 0)
		clean_up(d, out);
}

/* The bytes that s is written for, or its own. */
static void put_bytes(const struct bt_tok_decoder *d, struct bt_span s,
                      struct bt_buf *out)
{
	const uint8_t *p = (const uint8_t *)s.p, *end = p + s.n;
	size_t before = out->len;
	uint32_t c;

	for (; p < end; p += bt_utf8_len(*p)) {
		c = bt_utf8_get(p);
		if (c >= 0x144 || d->byte[c] < 0) {
			out->len = before;
			bt_buf_put(out, s.p, s.n);
			return;
		}
		bt_buf_putc(out, (char)d->byte[c]);
	}
}

/* All strings become one. */
static void do_bytes(struct bt_tok_decoder *d, const struct list *from,
                     struct list *to)
{
	struct bt_buf *all = &d->work[0];
	size_t i;

	bt_buf_reset(all);
	for (i = 0; i < from->n; i++)
		put_bytes(d, string(from, i), all);
	bt_charset_mend(&to->text, all->data, all->len);
	to->text.oom |= all->oom;
	end_string(to);
}

static int hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

/* The byte of "<0x41>", or -1. */
static int byte_of(struct bt_span s)
{
	int high, low;

	if (s.n != 6 || memcmp(s.p, "<0x", 3) != 0 || s.p[5] != '>')
		return -1;
	high = s.p[3] == '+' ? 0 : hex(s.p[3]);
	low = hex(s.p[4]);
	return high < 0 || low < 0 ? -1 : 16 * high + low;
}

/* Ends a run of bytes: as a string if they are UTF-8. */
static void end_bytes(struct bt_buf *run, struct list *to)
{
	size_t i;

	if (run->len == 0)
		return;
	to->text.oom |= run->oom;
	if (bt_charset_check(BT_CHARSET_UTF8, run->data, run->len) ==
	    run->len) {
		bt_buf_put(&to->text, run->data, run->len);
		end_string(to);
	} else {
		for (i = 0; i < run->len; i++) {
			bt_buf_puts(&to->text, "\xef\xbf\xbd");
			end_string(to);
		}
	}
	bt_buf_reset(run);
}

static void do_fallback(struct bt_tok_decoder *d, const struct list *from,
                        struct list *to)
{
	struct bt_buf *run = &d->work[0];
	struct bt_span s;
	size_t i;
	int byte;

	bt_buf_reset(run);
	for (i = 0; i < from->n; i++) {
		s = string(from, i);
		byte = byte_of(s);
		if (byte >= 0) {
			bt_buf_putc(run, (char)byte);
			continue;
		}
		end_bytes(run, to);
		bt_buf_put(&to->text, s.p, s.n);
		end_string(to);
	}
	end_bytes(run, to);
}

static void do_strip(const struct bt_decoder_step *x, struct bt_span s,
                     struct bt_buf *out)
{
	size_t n = strlen(x->a), k;

	for (k = 0; k < x->start && starts(s, x->a, n); k++) {
		s.p += n;
		s.n -= n;
	}
	for (k = 0;
	     k < x->stop && s.n >= n && memcmp(s.p + s.n - n, x->a, n) == 0;
	     k++)
		s.n -= n;
	bt_buf_put(out, s.p, s.n);
}

static int do_replace(struct bt_tok_decoder *d, const struct bt_decoder_step *x,
                      struct bt_span s, struct bt_buf *out)
{
	int r = BT_NORMALIZER_SAME;

	d->normed.n = 0;
	d->normed.want_src = d->normed.hard = false;
	if (s.n > 0)
		r = x->norm->ops->run(x->norm, (const uint8_t *)s.p, 0, s.n,
		                      &d->normed);
	if (r == BT_NORMALIZER_SAME)
		bt_buf_put(out, s.p, s.n);
	else if (r == BT_OK && d->normed.n > 0)
		bt_buf_put(out, d->normed.text, d->normed.n);
	return r == BT_NORMALIZER_SAME ? BT_OK : r;
}

/* A step that makes one string of each. */
static int do_each(struct bt_tok_decoder *d, const struct bt_decoder_step *x,
                   struct bt_span s, size_t i, size_t n, struct bt_buf *out)
{
	if (x->kind == BT_DECODER_REPLACE)
		return do_replace(d, x, s, out);
	if (x->kind == BT_DECODER_WORDPIECE)
		do_wordpiece(d, x, s, i, out);
	else if (x->kind == BT_DECODER_METASPACE)
		replace(out, s, x->a, i == 0 && x->flag ? "" : " ");
	else if (x->kind == BT_DECODER_BPE)
		replace(out, s, x->a, i + 1 == n ? "" : " ");
	else if (x->kind == BT_DECODER_STRIP)
		do_strip(x, s, out);
	else
		bt_buf_put(out, s.p, s.n);
	return BT_OK;
}

static int do_step(struct bt_tok_decoder *d, const struct bt_decoder_step *x,
                   const struct list *from, struct list *to)
{
	size_t i;
	int r = BT_OK;

	bt_buf_reset(&to->text);
	to->n = 0;
	if (x->kind == BT_DECODER_BYTES) {
		do_bytes(d, from, to);
	} else if (x->kind == BT_DECODER_FALLBACK) {
		do_fallback(d, from, to);
	} else {
		for (i = 0; r == BT_OK && i < from->n; i++) {
			r = do_each(d, x, string(from, i), i, from->n,
			            &to->text);
			if (x->kind != BT_DECODER_FUSE)
				end_string(to);
		}
		if (x->kind == BT_DECODER_FUSE)
			end_string(to);
	}
	return to->text.oom ? BT_ENOMEM : r;
}

/* Added tokens are in the order of their ids. */
static bool is_special(const struct bt_tok *t, int32_t id)
{
	size_t lo = 0, hi = t->tokens, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->token[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->tokens && t->token[lo].id == id && t->token[lo].special;
}

static int list_tokens(const struct bt_tok *t, const int32_t *ids, size_t n,
                       bool skip, struct list *l, struct bt_error *err)
{
	struct bt_span s;
	size_t i;

	bt_buf_reset(&l->text);
	l->n = 0;
	for (i = 0; i < n; i++) {
		s = (struct bt_span){NULL, 0};
		if (ids[i] >= 0 && (size_t)ids[i] < t->vocab.n)
			s = t->vocab.token[ids[i]];
		if (s.p == NULL)
			return bt_error_set(err, BT_EFORMAT,
			                    "%d is not an id of the %zu tokens",
			                    (int)ids[i], t->vocab.n);
		if (skip && is_special(t, ids[i]))
			continue;
		bt_buf_put(&l->text, s.p, s.n);
		end_string(l);
	}
	return l->text.oom ? bt_error_nomem(err, "decoding tokens") : BT_OK;
}

int bt_tok_decode(const struct bt_tok *t, struct bt_tok_decoder *d,
                  const int32_t *ids, size_t n, bool skip_special,
                  struct bt_buf *out, struct bt_error *err)
{
	struct bt_span s;
	size_t i;
	int k = 0, step;
	int r = list_tokens(t, ids, n, skip_special, &d->list[0], err);

	if (r != BT_OK)
		return r;
	for (step = 0; step < t->decode.n; step++, k = !k)
		if (do_step(d, &t->decode.step[step], &d->list[k],
		            &d->list[!k]) != BT_OK)
			return d->normed.hard
			           ? bt_error_set(err, BT_ELIMIT,
			                          BT_TOK_TOO_HARD)
			           : bt_error_nomem(err, "decoding tokens");
	for (i = 0; i < d->list[k].n; i++) {
		s = string(&d->list[k], i);
		if (i > 0 && t->decode.n == 0)
			bt_buf_putc(out, ' ');
		bt_buf_put(out, s.p, s.n);
	}
	return out->oom ? bt_error_nomem(err, "decoding tokens") : BT_OK;
}
