/* SPDX-License-Identifier: MIT */
#include "predict/span_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "format/charset.h"
#include "format/csv.h"
#include "format/escape.h"
#include "predict/predict.h"

void bt_span_files_clear(struct bt_span_files *f)
{
	bt_questions_clear(&f->questions);
	bt_buf_clear(&f->row);
}

static int close_file(struct bt_out *out, int r, struct bt_error *err)
{
	if (r == BT_OK && out != NULL)
		return bt_out_commit(out, err);
	bt_out_abandon(out);
	return r;
}

int bt_span_files_close(struct bt_span_files *f, int r, struct bt_error *err)
{
	r = close_file(f->nbest, r, err);
	r = close_file(f->null_odds, r, err);
	f->nbest = f->null_odds = NULL;
	return r;
}

static int flush(struct bt_span_files *f, struct bt_out *to,
                 struct bt_error *err)
{
	int r;

	if (f->row.oom)
		return bt_error_nomem(err, "printing");
	r = bt_out_write(to, f->row.data, f->row.len, err);
	bt_buf_reset(&f->row);
	return r;
}

/* A character in a string of JSON, in ASCII. */
static void put_character(struct bt_buf *b, uint32_t c)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *at = c != 0 && c < 0x80 ? strchr(plain, (int)c) : NULL;

	if (at != NULL)
		bt_buf_printf(b, "\\%c", letter[at - plain]);
	else if (c >= 0x20 && c < 0x7f)
		bt_buf_putc(b, (char)c);
	else if (c < 0x10000)
		bt_buf_printf(b, "\\u%04x", (unsigned)c);
	else
		bt_buf_printf(b, "\\u%04x\\u%04x",
		              (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
		              (unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
}

static void put_text(struct bt_buf *b, struct bt_span s)
{
	struct bt_buf mended = BT_BUF_INIT;
	size_t i;

	bt_charset_mend(&mended, s.p, s.n);
	bt_buf_putc(b, '"');
	for (i = 0; i < mended.len; i += bt_utf8_len((uint8_t)mended.data[i]))
		put_character(b, bt_utf8_get((uint8_t *)mended.data + i));
	bt_buf_putc(b, '"');
	b->oom |= mended.oom;
	bt_buf_clear(&mended);
}

static void put_number(struct bt_buf *b, double v)
{
	char s[32];

	bt_format_f64(s, sizeof(s), v);
	bt_buf_printf(b, "%s%s", s,
	              s[strspn(s, "-0123456789")] == '\0' ? ".0" : "");
}

/* The key of a member of the object that is the file. */
static void put_key(struct bt_span_files *f, struct bt_span id)
{
	bt_buf_puts(&f->row, f->n > 0 ? ",\n    " : "{\n    ");
	put_text(&f->row, id);
	bt_buf_puts(&f->row, ": ");
}

/* A member of an answer: its name behind what comes before. */
static void put_member(struct bt_buf *b, const char *before, const char *name)
{
	bt_buf_printf(b, "%s            \"%s\": ", before, name);
}

/* An answer with its members, in the order of run_squad or of run_qa. */
static void put_answer(struct bt_buf *b, const struct bt_spans_answer *a,
                       bool google)
{
	if (google) {
		put_member(b, "", "text");
		put_text(b, a->text);
		put_member(b, ",\n", "probability");
		put_number(b, a->probability);
	}
	put_member(b, google ? ",\n" : "", "start_logit");
	put_number(b, (double)a->start_logit);
	put_member(b, ",\n", "end_logit");
	put_number(b, (double)a->end_logit);
	if (!google) {
		put_member(b, ",\n", "text");
		put_text(b, a->text);
		put_member(b, ",\n", "probability");
		put_number(b, a->probability);
	}
}

static int put_nbest(struct bt_span_files *f, struct bt_span id,
                     const struct bt_spans *s, struct bt_error *err)
{
	const struct bt_spans_answer *a;
	struct bt_buf *b = &f->row;

	put_key(f, id);
	for (a = s->answer; a < s->answer + s->n; a++) {
		bt_buf_puts(b, a == s->answer ? "[\n        {\n"
		                              : ",\n        {\n");
		put_answer(b, a, f->o.google != NULL);
		bt_buf_puts(b, "\n        }");
	}
	bt_buf_puts(b, "\n    ]");
	return flush(f, f->nbest, err);
}

static int put_odds(struct bt_span_files *f, struct bt_span id,
                    const struct bt_spans *s, struct bt_error *err)
{
	put_key(f, id);
	put_number(&f->row, s->null_odds);
	return flush(f, f->null_odds, err);
}

static void put_line(struct bt_span_files *f, struct bt_span id,
                     const struct bt_spans *s)
{
	const struct bt_spans_answer *a = s->predicted;
	struct bt_buf *b = &f->row;

	bt_buf_puts(b, "{\"id\": ");
	bt_escape_json_text(b, id);
	bt_buf_puts(b, ", \"answer\": ");
	bt_escape_json_text(b, a->text);
	if (a->start >= 0)
		bt_buf_printf(b, ", \"start\": %ld, \"end\": %ld",
		              (long)a->start, (long)a->end);
	else
		bt_buf_puts(b, ", \"start\": null, \"end\": null");
	bt_buf_puts(b, ", \"probability\": ");
	put_number(b, a->probability);
	if (f->may_lack) {
		bt_buf_puts(b, ", \"null_odds\": ");
		put_number(b, s->null_odds);
	}
	bt_buf_puts(b, "}\n");
}

static void put_fields(struct bt_span_files *f, struct bt_span a,
                       struct bt_span b)
{
	char delimiter = f->o.delimiter != 0 ? f->o.delimiter : ',';

	bt_csv_put(&f->row, a, delimiter);
	bt_buf_putc(&f->row, delimiter);
	bt_csv_put(&f->row, b, delimiter);
	bt_buf_putc(&f->row, '\n');
}

static void put_row(struct bt_span_files *f, struct bt_span id,
                    const struct bt_spans *s)
{
	if (f->n == 0)
		put_fields(f, f->column[0], f->column[1]);
	put_fields(f, id, s->predicted->text);
}

/* Writes question i, whose first record is rec. */
static int put(void *ctx, uint64_t i, const struct bt_token_rec *rec,
               struct bt_spans *spans, struct bt_error *err)
{
	struct bt_span_files *f = ctx;
	struct bt_span id = rec->id;
	char number[24];
	int r = bt_spans_finish(spans, f->may_lack, rec->question.context, err);

	if (id.p == NULL) {
		f->numbered = true;
		snprintf(number, sizeof(number), "%llu", (unsigned long long)i);
		id = bt_span(number);
	} else {
		f->named = true;
	}
	if (r == BT_OK && f->nbest != NULL)
		r = put_nbest(f, id, spans, err);
	if (r == BT_OK && f->null_odds != NULL)
		r = put_odds(f, id, spans, err);
	if (r != BT_OK)
		return r;
	if (f->o.format == BT_SPAN_JSON) {
		put_key(f, id);
		put_text(&f->row, spans->predicted->text);
	} else if (f->o.format == BT_SPAN_JSONL) {
		put_line(f, id, spans);
	} else {
		put_row(f, id, spans);
	}
	f->n++;
	f->lacking += spans->predicted->text.n == 0;
	return flush(f, f->out, err);
}

static bool is_same(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Whether two files would be one. */
static bool collide(const struct bt_span_files_opts *o)
{
	return is_same(o->nbest, "-") || is_same(o->null_odds, "-") ||
	       is_same(o->nbest, o->null_odds) ||
	       is_same(o->nbest, o->output) || is_same(o->null_odds, o->output);
}

int bt_span_files_open(struct bt_span_files *f,
                       const struct bt_span_files_opts *o, struct bt_out *out,
                       struct bt_error *err)
{
	struct bt_spans_opts s = {.best = (size_t)o->best,
	                          .longest = (size_t)o->max_answer,
	                          .google = o->google};
	int r;

	memset(f, 0, sizeof(*f));
	f->o = *o;
	f->out = out;
	f->may_lack = o->null_odds != NULL || !isnan(o->null_threshold);
	if (!isnan(o->null_threshold))
		s.threshold = o->null_threshold;
	if (collide(o))
		return bt_error_set(err, BT_EARG,
		                    "answers, the best answers and null odds "
		                    "need files of their own");
	r = bt_csv_two_names(o->header != NULL ? o->header : "id,answer",
	                     f->column, err);
	if (r == BT_OK)
		r = bt_questions_init(&f->questions, &s, put, f, err);
	if (r == BT_OK && o->nbest != NULL)
		r = bt_out_open(o->nbest, BT_OUT_TEXT, &f->nbest, err);
	if (r == BT_OK && o->null_odds != NULL)
		r = bt_out_open(o->null_odds, BT_OUT_TEXT, &f->null_odds, err);
	return r;
}

static int end(struct bt_span_files *f, struct bt_out *out,
               struct bt_error *err)
{
	bt_buf_puts(&f->row, f->n > 0 ? "\n}\n" : "{}\n");
	return flush(f, out, err);
}

int bt_span_files_finish(struct bt_span_files *f, struct bt_error *err)
{
	int r = bt_questions_finish(&f->questions, err);

	if (r == BT_OK && f->o.format == BT_SPAN_JSON)
		r = end(f, f->out, err);
	if (r == BT_OK && f->nbest != NULL)
		r = end(f, f->nbest, err);
	if (r == BT_OK && f->null_odds != NULL)
		r = end(f, f->null_odds, err);
	return r;
}

void bt_span_files_tell(const struct bt_span_files *f, const struct bt_log *log)
{
	if (f->numbered)
		bt_predict_tell_numbered(f->named, log);
	bt_log(log, BT_LOG_NOTE, "%llu questions, %llu without an answer",
	       (unsigned long long)f->n, (unsigned long long)f->lacking);
}
