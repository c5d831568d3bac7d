/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
#include "tokenize/squad_windows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "format/tf_example.h"
#include "format/tfrecord.h"
#include "record/context_words.h"
#include "record/windows.h"
#include "table/squad.h"
#include "unicode/python_str.h"

#define FIRST_ID 1000000000 /* unique_ids count from there */

struct ids {
	int32_t *id; /* [n] */
	size_t n, cap;
};

struct maker {
	const struct bt_squad_windows_opts *o;
	struct bt_tok_scratch *scratch;
	struct bt_out *out;
	struct bt_squad_windows_stats *stats;
	struct bt_example_writer w;
	struct bt_buf context; /* the last one, which words are in */
	struct bt_context_words words;
	size_t *first; /* [words] the first token of each */
	size_t first_cap;
	struct ids tokens, question, answer; /* tokens: of the context */
	int32_t *start, *end; /* [tokens] code points of the context */
	size_t start_cap, end_cap;
	struct bt_buf said, found; /* answers */
	/* features [max_length] */
	int64_t *id, *mask, *segment, *paragraph, *starts, *ends, *most;
};

/* The tokens of the answer, of the context's; may be none, or beside it. */
struct range {
	int64_t first, last;
	bool impossible;
};

/* Appends the tokens of a text. */
static int encode(struct maker *m, struct bt_span text,
                  const struct bt_tok_encode_opts *how, struct ids *to,
                  struct bt_encoding *e, struct bt_error *err)
{
	int r = bt_tok_encode(m->o->tok, m->scratch, text,
	                      (struct bt_span){NULL, 0}, how, e, err);

	if (r != BT_OK || e->n == 0)
		return r;
	if (bt_grow(&to->id, &to->cap, to->n + e->n, sizeof(*to->id)))
		return bt_error_nomem(err, "reading a question");
	memcpy(to->id + to->n, e->ids, e->n * sizeof(*to->id));
	to->n += e->n;
	return BT_OK;
}

/* The tokens of a text. */
static int encode_text(struct maker *m, struct bt_span text, struct ids *to,
                       struct bt_error *err)
{
	const struct bt_tok_encode_opts how = {0};
	struct bt_encoding e;

	to->n = 0;
	return encode(m, text, &how, to, &e, err);
}

static int64_t characters(struct bt_span s)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < s.n; i += bt_utf8_len((uint8_t)s.p[i]))
		n++;
	return n;
}

/* Appends the tokens of a word that begins at code point `at`. */
static int add_word(struct maker *m, struct bt_span word, int64_t at,
                    struct bt_error *err)
{
	const struct bt_tok_encode_opts how = {.offsets = m->o->predicts};
	const size_t before = m->tokens.n;
	struct bt_encoding e;
	size_t i;
	int r = encode(m, word, &how, &m->tokens, &e, err);

	if (r != BT_OK || !how.offsets)
		return r;
	if (bt_grow(&m->start, &m->start_cap, m->tokens.n + 1,
	            sizeof(*m->start)) ||
	    bt_grow(&m->end, &m->end_cap, m->tokens.n + 1, sizeof(*m->end)))
		return bt_error_nomem(err, "reading a question");
	for (i = 0; i < e.n; i++) {
		word.n = e.start[i];
		m->start[before + i] = (int32_t)(at + characters(word));
		word.n = e.end[i];
		m->end[before + i] = (int32_t)(at + characters(word));
	}
	return BT_OK;
}

/* Words and tokens of a context, unless it is the last one again. */
static int read_context(struct maker *m, struct bt_span c, struct bt_error *err)
{
	struct bt_context_words *w = &m->words;
	struct bt_span before;
	int64_t at = 0;
	size_t i;
	int r;

	if (m->context.len == c.n && w->n > 0 &&
	    memcmp(m->context.data, c.p, c.n) == 0)
		return BT_OK;
	bt_buf_reset(&m->context);
	bt_buf_put(&m->context, c.p, c.n);
	if (m->context.oom)
		return bt_error_nomem(err, "reading a question");
	c.p = before.p = bt_buf_at(&m->context, 0);
	m->tokens.n = 0;
	r = bt_context_words_read(w, c, err);
	if (r == BT_OK && bt_grow(&m->first, &m->first_cap, w->n + 1,
	                          sizeof(*m->first)) != BT_OK)
		r = bt_error_nomem(err, "reading a question");
	for (i = 0; r == BT_OK && i < w->n; i++) {
		before.n = (size_t)(w->word[i].p - before.p);
		at += characters(before);
		before.p = w->word[i].p;
		m->first[i] = m->tokens.n;
		r = add_word(m, w->word[i], at, err);
	}
	if (r != BT_OK)
		w->n = 0;
	return r;
}

/* The word that character k of the context is in, or that ends before it: -1
 * before the first. */
static int word_at(const struct maker *m, int64_t k, int64_t *word,
                   struct bt_error *err)
{
	const char *p = bt_buf_at(&m->context, 0), *end = p + m->context.len;
	int64_t i;

	for (i = 0; i < k && p < end; i++)
		p += bt_utf8_len((uint8_t)*p);
	if (p >= end)
		return bt_error_set(err, BT_EFORMAT,
		                    "the answer ends at character %lld, behind "
		                    "the context, which has %lld",
		                    (long long)k + 1, (long long)i);
	*word = bt_context_words_at(&m->words, p);
	return BT_OK;
}

/* Whether words first .. last contain the answer. */
static int contained(struct maker *m, struct bt_span answer, int64_t first,
                     int64_t last, bool *yes, struct bt_error *err)
{
	int64_t i;

	bt_buf_reset(&m->said);
	bt_py_squeeze(answer, &m->said);
	bt_buf_reset(&m->found);
	for (i = first; i <= last; i++) {
		if (i > first)
			bt_buf_puts(&m->found, " ");
		bt_buf_put(&m->found, m->words.word[i].p, m->words.word[i].n);
	}
	if (m->said.oom || m->found.oom)
		return bt_error_nomem(err, "reading a question");
	*yes = m->said.len == 0 ||
	       memmem(bt_buf_at(&m->found, 0), m->found.len,
	              bt_buf_at(&m->said, 0), m->said.len) != NULL;
	return BT_OK;
}

/* Shrinks the range to the first tokens in it that are the answer's. */
static void shrink(const struct maker *m, struct range *at)
{
	const struct ids *a = &m->answer;
	int64_t i, n = (int64_t)a->n;

	for (i = at->first; n > 0 && i + n - 1 <= at->last; i++) {
		if (memcmp(m->tokens.id + i, a->id, a->n * sizeof(*a->id)) != 0)
			continue;
		at->first = i;
		at->last = i + n - 1;
		return;
	}
}

/* Which tokens are the first answer; *found is false if its words do not
 * contain it. */
static int locate(struct maker *m, const struct bt_squad_question *q,
                  struct range *at, bool *found, struct bt_error *err)
{
	int64_t first, last, n = (int64_t)m->words.n;
	int r;

	*found = n > 0;
	if (n == 0)
		return BT_OK;
	r = word_at(m, q->start[0], &first, err);
	if (r == BT_OK)
		r = word_at(m, q->start[0] + characters(q->answer[0]) - 1,
		            &last, err);
	if (r == BT_OK && first < 0) /* Python counts from the end */
		first += n;
	if (r == BT_OK)
		r = contained(m, q->answer[0], first, last, found, err);
	if (r != BT_OK || !*found)
		return r;
	at->first = (int64_t)m->first[first];
	at->last =
	    (int64_t)(last + 1 < n ? m->first[last + 1] : m->tokens.n) - 1;
	r = encode_text(m, q->answer[0], &m->answer, err);
	if (r == BT_OK)
		shrink(m, at);
	return r;
}

/* The answer to train on. */
static int find_answer(struct maker *m, const struct bt_squad_question *q,
                       struct range *at, bool *found, struct bt_error *err)
{
	*found = true;
	*at = (struct range){-1, -1, m->o->negatives && q->impossible};
	if (at->impossible)
		return BT_OK;
	if (q->n != 1)
		return bt_error_hint(
		    err,
		    q->n > 0 || m->o->negatives ? BT_HINT_NONE
		                                : BT_HINT_ONE_ANSWER,
		    bt_error_set(err, BT_EFORMAT,
		                 "it has %zu answers; for training, a "
		                 "question needs exactly one",
		                 q->n));
	return locate(m, q, at, found, err);
}

/* The first answer, where there is one, for the loss of an evaluation. */
static int find_known(struct maker *m, const struct bt_squad_question *q,
                      struct range *at, struct bt_error *err)
{
	const struct range none = {-1, -1, true};
	struct bt_error why = {0};
	bool found;
	int r;

	*at = none;
	if (m->o->scores && (!q->known || (q->n == 0 && !m->o->negatives)))
		return bt_error_set(err, BT_EFORMAT,
		                    "it has no answer to compare with%s",
		                    q->known ? " (version_2_with_negative "
		                               "takes such questions)"
		                             : "");
	if (q->n == 0)
		return BT_OK;
	at->impossible = false;
	r = locate(m, q, at, &found, &why);
	if (r == BT_ENOMEM)
		return bt_error_nomem(err, "reading a question");
	if (r != BT_OK || !found)
		*at = none;
	return BT_OK;
}

/* The part of the context that a window shows: n tokens from that one on. */
struct part {
	size_t number, from, n;
	struct bt_windows_cut cut;
};

/* Fills the lists of features of one window. */
static void fill(struct maker *m, const struct part *p)
{
	const size_t behind = m->question.n + 2, end = behind + p->n;
	size_t i, token;

	for (i = 0; i < (size_t)m->o->max_length; i++) {
		m->id[i] = 0;
		m->mask[i] = i <= end;
		m->segment[i] = i >= behind && i <= end;
		m->paragraph[i] = i == 0 || (i >= behind && i < end);
		m->starts[i] = m->ends[i] = -1;
		m->most[i] = 0;
	}
	m->id[0] = bt_tok_role(m->o->tok, BT_TOK_CLS);
	m->id[behind - 1] = m->id[end] = bt_tok_role(m->o->tok, BT_TOK_SEP);
	for (i = 0; i < m->question.n; i++)
		m->id[1 + i] = m->question.id[i];
	for (i = 0; i < p->n; i++) {
		token = p->from + i;
		m->id[behind + i] = m->tokens.id[token];
		if (!m->o->predicts)
			continue;
		m->starts[behind + i] = m->start[token];
		m->ends[behind + i] = m->end[token];
		m->most[behind + i] =
		    bt_windows_show_most(&p->cut, p->number, token);
	}
}

/* The features of a record to train on, by name. */
static void put_training(struct maker *m, const int64_t *at, int64_t out)
{
	const size_t n = (size_t)m->o->max_length;
	const int64_t zero = 0;
	int64_t id = FIRST_ID + (int64_t)m->stats->records;
	struct bt_example_writer *w = &m->w;

	bt_example_add_int64s(w, "class_index", &zero, 1);
	bt_example_add_int64s(w, "end_positions", &at[1], 1);
	bt_example_add_int64s(w, "input_ids", m->id, n);
	bt_example_add_int64s(w, "input_mask", m->mask, n);
	bt_example_add_int64s(w, "is_impossible", &out, 1);
	bt_example_add_int64s(w, "paragraph_mask", m->paragraph, n);
	bt_example_add_int64s(w, "segment_ids", m->segment, n);
	bt_example_add_int64s(w, "start_positions", &at[0], 1);
	bt_example_add_int64s(w, "unique_ids", &id, 1);
}

/* And of one to predict from. */
static void put_predicting(struct maker *m, const struct bt_squad_question *q,
                           const int64_t *at, int64_t window)
{
	const size_t n = (size_t)m->o->max_length;
	const int64_t zero = 0;
	int64_t id = FIRST_ID + (int64_t)m->stats->records;
	struct bt_example_writer *w = &m->w;

	if (q->known) {
		bt_example_add_int64s(w, "answer_starts", q->start, q->n);
		bt_example_add_texts(w, "answers", q->answer, q->n);
	}
	bt_example_add_int64s(w, "class_index", &zero, 1);
	bt_example_add_text(w, "context", q->context.p, q->context.n);
	if (q->known)
		bt_example_add_int64s(w, "end_position", &at[1], 1);
	bt_example_add_text(w, "id", q->id.p, q->id.n);
	bt_example_add_int64s(w, "input_ids", m->id, n);
	bt_example_add_int64s(w, "input_mask", m->mask, n);
	bt_example_add_int64s(w, "max_context", m->most, n);
	bt_example_add_int64s(w, "paragraph_mask", m->paragraph, n);
	bt_example_add_text(w, "question", q->question.p, q->question.n);
	bt_example_add_int64s(w, "segment_ids", m->segment, n);
	if (q->known)
		bt_example_add_int64s(w, "start_position", &at[0], 1);
	bt_example_add_int64s(w, "token_ends", m->ends, n);
	bt_example_add_int64s(w, "token_starts", m->starts, n);
	bt_example_add_int64s(w, "unique_ids", &id, 1);
	bt_example_add_int64s(w, "window", &window, 1);
}

static int write_window(struct maker *m, const struct bt_squad_question *q,
                        const struct part *p, const struct range *answer,
                        struct bt_error *err)
{
	const int64_t shift = (int64_t)m->question.n + 2 - (int64_t)p->from;
	int64_t at[2] = {0, 0};
	struct bt_span payload;
	bool out = answer->impossible || answer->first < (int64_t)p->from ||
	           answer->last > (int64_t)(p->from + p->n) - 1;

	if (!out) {
		at[0] = answer->first + shift;
		at[1] = answer->last + shift;
	}
	fill(m, p);
	bt_example_begin(&m->w);
	if (m->o->predicts)
		put_predicting(m, q, at, (int64_t)p->number);
	else
		put_training(m, at, out);
	payload = bt_example_finish(&m->w);
	if (payload.p == NULL)
		return bt_error_nomem(err, "writing a record");
	m->stats->records++;
	return bt_tfrecord_write(m->out, payload.p, payload.n, err);
}

static int write_windows(struct maker *m, const struct bt_squad_question *q,
                         const struct range *answer, struct bt_error *err)
{
	const size_t most = (size_t)m->o->max_length;
	const size_t stride = (size_t)m->o->stride, all = m->tokens.n;
	struct part p = {0};
	size_t room;
	int r = BT_OK;

	if (m->question.n + 3 >= most)
		return bt_error_set(err, BT_EFORMAT,
		                    "its %zu tokens and 3 special ones leave "
		                    "no room for the context in %zu (%s)",
		                    m->question.n, most, m->o->limits);
	room = most - m->question.n - 3;
	p.cut =
	    (struct bt_windows_cut){all, room, stride < room ? stride : room};
	if (all == 0 && !m->o->predicts)
		return BT_OK;
	for (;; p.number++, p.from += p.cut.step) {
		p.n = all - p.from < room ? all - p.from : room;
		r = write_window(m, q, &p, answer, err);
		if (r != BT_OK || p.from + p.n == all)
			return r;
	}
}

static int take(void *arg, const struct bt_squad_question *q,
                struct bt_error *err)
{
	struct maker *m = arg;
	const size_t most = (size_t)m->o->max_question;
	struct range answer;
	bool found = true;
	int r = read_context(m, q->context, err);

	if (r == BT_OK)
		r = m->o->predicts ? find_known(m, q, &answer, err)
		                   : find_answer(m, q, &answer, &found, err);
	if (r != BT_OK)
		return r;
	if (!found) {
		if (m->stats->lost++ == 0)
			bt_buf_put(&m->stats->first, q->id.p, q->id.n);
		return BT_OK;
	}
	r = encode_text(m, q->question, &m->question, err);
	if (m->question.n > most)
		m->question.n = most;
	return r == BT_OK ? write_windows(m, q, &answer, err) : r;
}

static void clear(struct maker *m)
{
	bt_tok_scratch_free(m->scratch);
	bt_example_clear(&m->w);
	bt_buf_clear(&m->context);
	bt_buf_clear(&m->said);
	bt_buf_clear(&m->found);
	bt_context_words_clear(&m->words);
	free(m->first);
	free(m->tokens.id);
	free(m->start);
	free(m->end);
	free(m->question.id);
	free(m->answer.id);
	free(m->id);
}

int bt_squad_windows_write(char *const *paths, int n,
                           const struct bt_squad_windows_opts *o,
                           struct bt_out *out, const struct bt_log *log,
                           struct bt_squad_windows_stats *stats,
                           struct bt_error *err)
{
	const struct bt_squad_opts how = {.unchecked = true};
	const size_t length = (size_t)o->max_length;
	struct maker m = {.o = o, .out = out, .stats = stats};
	struct bt_squad_stats read = {0};
	int r;

	m.id = bt_array(7 * length, sizeof(*m.id));
	if (m.id == NULL)
		return bt_error_nomem(err, "writing a record");
	m.mask = m.id + length;
	m.segment = m.mask + length;
	m.paragraph = m.segment + length;
	m.starts = m.paragraph + length;
	m.ends = m.starts + length;
	m.most = m.ends + length;
	r = bt_tok_scratch_new(o->tok, &m.scratch, err);
	if (r == BT_OK)
		r = bt_squad_read(paths, n, &how, take, &m, log, &read, err);
	stats->questions = read.questions;
	if (r == BT_OK && o->once && read.same_id > 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s': %llu question%s the id of an earlier "
		                 "one, and answers are compared by ids",
		                 paths[0], (unsigned long long)read.same_id,
		                 read.same_id == 1 ? " has" : "s have");
	clear(&m);
	return r;
}

int bt_squad_windows_file(char *const *paths, int n,
                          const struct bt_squad_windows_opts *o,
                          const char *path, const struct bt_log *log,
                          uint64_t *records, struct bt_error *err)
{
	struct bt_squad_windows_stats stats = {0};
	struct bt_out *out = NULL;
	int r = bt_out_open(path, BT_OUT_RECORDS, &out, err);

	if (r == BT_OK)
		r = bt_squad_windows_write(paths, n, o, out, log, &stats, err);
	r = bt_out_end(out, r, err);
	if (r == BT_OK)
		bt_log(log, BT_LOG_NOTE,
		       "%llu question%s in %llu window%s of %lld tokens: '%s'",
		       (unsigned long long)stats.questions,
		       bt_plural(stats.questions),
		       (unsigned long long)stats.records,
		       bt_plural(stats.records), (long long)o->max_length,
		       path);
	*records = stats.records;
	bt_squad_windows_stats_clear(&stats);
	return r;
}

void bt_squad_windows_stats_clear(struct bt_squad_windows_stats *stats)
{
	bt_buf_clear(&stats->first);
}
