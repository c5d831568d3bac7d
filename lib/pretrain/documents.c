/* SPDX-License-Identifier: MIT */
#include "pretrain/documents_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "format/charset.h"
#include "io/in.h"
#include "unicode/python_str.h"

#define LINE_MAX_BYTES ((size_t)1 << 30)

struct reading {
	struct bt_documents *d;
	const struct bt_tok *tok;
	struct bt_tok_scratch *scratch;
	struct bt_progress *progress;
	bool open; /* sentences go to the last document */
};

/* str.strip() */
static struct bt_span strip(struct bt_span s)
{
	const uint8_t *p = (const uint8_t *)s.p, *end = p + s.n, *last;

	while (p < end && bt_py_is_space(bt_utf8_get(p)))
		p += bt_utf8_len(*p);
	while (p < end) {
		last = bt_utf8_back(end);
		if (!bt_py_is_space(bt_utf8_get(last)))
			break;
		end = last;
	}
	return (struct bt_span){(const char *)p, (size_t)(end - p)};
}

/* Begins a document if none is open, and adds a sentence to it. */
static int add_sentence(struct reading *x, const struct bt_encoding *e,
                        struct bt_error *err)
{
	struct bt_documents *d = x->d;
	uint64_t at = d->start[d->sentences];

	if (d->sentences == UINT32_MAX - 1)
		return bt_error_set(err, BT_ELIMIT, "more than %u lines",
		                    UINT32_MAX - 1);
	if (bt_grow(&d->start, &d->start_cap, (size_t)d->sentences + 2,
	            sizeof(*d->start)) ||
	    bt_grow(&d->document, &d->cap, (size_t)d->n + 1,
	            sizeof(*d->document)))
		return bt_error_nomem(err, "reading texts");
	if (!x->open)
		d->document[d->n++] = (struct bt_document){d->sentences, 0};
	x->open = true;
	d->document[d->n - 1].n++;
	d->start[++d->sentences] = at + e->n;
	d->unknown += e->unknown;
	return bt_temp_store_put(d->tokens, e->ids, e->n * sizeof(*e->ids),
	                         err);
}

static int add_line(struct reading *x, struct bt_span line,
                    struct bt_error *err)
{
	const struct bt_tok_encode_opts how = {0};
	struct bt_encoding e;
	size_t good = bt_charset_check(BT_CHARSET_UTF8, line.p, line.n);
	int r;

	if (good < line.n)
		return bt_error_set(err, BT_EFORMAT, "byte %zu is not UTF-8",
		                    good + 1);
	line = strip(line);
	if (line.n == 0) {
		x->open = false;
		return BT_OK;
	}
	r = bt_tok_encode(x->tok, x->scratch, line, (struct bt_span){NULL, 0},
	                  &how, &e, err);
	return r != BT_OK || e.n == 0 ? r : add_sentence(x, &e, err);
}

static int read_file(struct reading *x, const char *path, struct bt_error *err)
{
	struct bt_span line;
	uint64_t number = 0;
	size_t skip = 0;
	struct bt_in *in;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	bt_in_ahead(in);
	while ((r = bt_in_line(in, LINE_MAX_BYTES, &line, &skip, err)) == 1) {
		number++;
		r = add_line(x, line, err);
		if (r != BT_OK) {
			bt_error_prefix(err, "%s: line %llu", bt_in_name(in),
			                (unsigned long long)number);
			break;
		}
		bt_in_skip(in, skip);
		if (x->progress != NULL && bt_progress_due(x->progress))
			bt_progress_show(x->progress, "%u lines",
			                 x->d->sentences);
	}
	bt_in_close(in);
	return r;
}

int bt_documents_read(char *const *paths, int n, const struct bt_tok *tok,
                      size_t limit, struct bt_progress *progress,
                      struct bt_documents *d, struct bt_error *err)
{
	struct reading x = {.d = d, .tok = tok, .progress = progress};
	int i, r = bt_tok_scratch_new(tok, &x.scratch, err);

	memset(d, 0, sizeof(*d));
	d->tokens = bt_temp_store_new(limit);
	if (r == BT_OK &&
	    bt_grow(&d->start, &d->start_cap, 1, sizeof(*d->start)))
		r = bt_error_nomem(err, "reading texts");
	if (r == BT_OK)
		d->start[0] = 0;
	for (i = 0; r == BT_OK && i < n; i++)
		r = read_file(&x, paths[i], err);
	bt_tok_scratch_free(x.scratch);
	if (r == BT_OK && d->sentences == 0)
		r = bt_error_set(err, BT_EFORMAT, "'%s'%s no text", paths[0],
		                 n > 1 ? " and the other files hold"
		                       : " holds");
	return r;
}

void bt_documents_clear(struct bt_documents *d)
{
	bt_temp_store_free(d->tokens);
	free(d->start);
	free(d->document);
	memset(d, 0, sizeof(*d));
}

int bt_documents_tokens(struct bt_documents *d, uint64_t from, uint64_t to,
                        int32_t *ids, struct bt_error *err)
{
	size_t bytes = (size_t)(to - from) * sizeof(*ids);
	const void *data;
	int r = bt_temp_store_get(d->tokens, from * sizeof(*ids), bytes, false,
	                          &data, err);

	if (r == BT_OK)
		memcpy(ids, data, bytes);
	return r;
}
