/* SPDX-License-Identifier: MIT */
#include "task/detokenize.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/charset.h"
#include "io/in.h"
#include "io/tfrecord.h"
#include "task/tokenize_int.h"

struct job {
	const struct bt_tok *tok;
	const struct bt_detokenize_opts *o;
	struct bt_tok_decoder *decoder;
	struct bt_token_rec rec;
	struct bt_buf text, line;
	int32_t *ids;
	size_t cap;
	uint64_t texts;
};

/* A record's member, if it has it. */
static int put_member(struct bt_buf *out, const char *name, struct bt_span s,
                      struct bt_error *err)
{
	if (s.p == NULL)
		return BT_OK;
	if (bt_charset_check(BT_CHARSET_UTF8, s.p, s.n) != s.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "the %s is not valid UTF-8", name);
	bt_buf_printf(out, "\"%s\": ", name);
	bt_tokenize_put_string(out, s);
	bt_buf_puts(out, ", ");
	return BT_OK;
}

static int put_json(struct job *j, struct bt_span id, struct bt_span label,
                    struct bt_span text, struct bt_error *err)
{
	int r;

	bt_buf_putc(&j->line, '{');
	r = put_member(&j->line, "id", id, err);
	if (r == BT_OK)
		r = put_member(&j->line, "label", label, err);
	bt_buf_puts(&j->line, "\"text\": ");
	bt_tokenize_put_string(&j->line, text);
	bt_buf_putc(&j->line, '}');
	return r;
}

/* Decodes n ids and writes the line. */
static int put(struct job *j, const int32_t *ids, size_t n, struct bt_span id,
               struct bt_span label, struct bt_out *out, struct bt_error *err)
{
	struct bt_span text = {"", 0};
	int r;

	bt_buf_reset(&j->text);
	bt_buf_reset(&j->line);
	r = bt_tok_decode(j->tok, j->decoder, ids, n, j->o->skip_special,
	                  &j->text, err);
	if (r != BT_OK)
		return r;
	if (j->text.len > 0)
		text = (struct bt_span){j->text.data, j->text.len};
	if (j->o->json)
		r = put_json(j, id, label, text, err);
	else if (memchr(text.p, '\n', text.n) != NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "the text has a line end in it: use "
		                    "--format json");
	else
		bt_buf_put(&j->line, text.p, text.n);
	bt_buf_putc(&j->line, '\n');
	if (r == BT_OK && j->line.oom)
		r = bt_error_nomem(err, "decoding tokens");
	if (r == BT_OK)
		r = bt_out_write(out, j->line.data, j->line.len, err);
	j->texts++;
	return r;
}

static int do_record(struct job *j, const uint8_t *data, size_t len,
                     struct bt_out *out, struct bt_error *err)
{
	struct bt_token_rec *rec = &j->rec;
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
	           ? put(j, rec->ids, rec->n, rec->id, rec->label, out, err)
	           : r;
}

static int read_records(struct job *j, char *const *paths, int n,
                        struct bt_out *out, struct bt_error *err)
{
	struct bt_tfrec *in;
	const uint8_t *data;
	size_t len;
	int r = bt_tfrec_open(paths, n, &in, err);

	if (r != BT_OK)
		return r;
	bt_tfrec_expect(in, j->o->expect);
	bt_tfrec_limit(in, j->o->limit);
	while ((r = bt_tfrec_next(in, &data, &len, err)) == 1) {
		r = do_record(j, data, len, out, err);
		if (r == BT_OK)
			continue;
		bt_error_prefix(err, "%s: record %llu", bt_tfrec_file(in),
		                (unsigned long long)bt_tfrec_record(in));
		break;
	}
	if (r == BT_OK && bt_tfrec_total(in) == 0)
		r = bt_error_set(err, BT_EFORMAT, "%s holds no records",
		                 bt_tfrec_file(in));
	bt_tfrec_close(in);
	return r;
}

/* Reads numbers with white space between them. */
static int do_line(struct job *j, const uint8_t *p, size_t len,
                   struct bt_out *out, struct bt_error *err)
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
		if (bt_grow(&j->ids, &j->cap, n + 1, sizeof(*j->ids)) != BT_OK)
			return bt_error_nomem(err, "reading ids");
		j->ids[n++] = (int32_t)v;
	}
	return put(j, j->ids, n, none, none, out, err);
}

static int read_lines(struct job *j, const char *path, struct bt_out *out,
                      struct bt_error *err)
{
	struct bt_span line;
	size_t skip = 0;
	uint64_t number = 0;
	struct bt_in *in;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	bt_in_limit(in, j->o->limit);
	while ((r = bt_in_line(in, BT_TFREC_MAX, &line, &skip, err)) == 1) {
		number++;
		r = do_line(j, (const uint8_t *)line.p, line.n, out, err);
		if (r != BT_OK) {
			bt_error_prefix(err, "%s: line %llu", bt_in_name(in),
			                (unsigned long long)number);
			break;
		}
		bt_in_skip(in, skip);
	}
	bt_in_close(in);
	return r;
}

int bt_detokenize_files(const struct bt_tok *tok,
                        const struct bt_detokenize_opts *o, char *const *paths,
                        int n, struct bt_out *out, uint64_t *texts,
                        struct bt_error *err)
{
	struct job j = {.tok = tok, .o = o};
	int i, r = bt_tok_decoder_new(tok, &j.decoder, err);

	if (r == BT_OK && !o->lines)
		r = read_records(&j, paths, n, out, err);
	else if (r == BT_OK && n == 0)
		r = read_lines(&j, NULL, out, err);
	else
		for (i = 0; r == BT_OK && i < n; i++)
			r = read_lines(&j, paths[i], out, err);
	*texts = j.texts;
	bt_tok_decoder_free(j.decoder);
	bt_token_rec_clear(&j.rec);
	bt_buf_clear(&j.text);
	bt_buf_clear(&j.line);
	free(j.ids);
	return r;
}
