/* SPDX-License-Identifier: MIT */
/*
 * Questions for training as Model Garden cuts them: the context is divided into
 * words at white space, each word is tokenized by itself, and windows of the
 * tokens stand behind the question. (The windows of tokenize/job.h are those of
 * transformers, which tokenizes the context as a whole.)
 */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "format/tf_example.h"
#include "format/tfrecord.h"
#include "garden/file_patterns.h"
#include "garden/finetuning_int.h"
#include "io/path.h"
#include "record/context_words.h"
#include "table/squad.h"
#include "unicode/python_str.h"

#define FIRST_ID 1000000000 /* unique_ids count from there */

struct ids {
	int32_t *id; /* [n] */
	size_t n, cap;
};

struct maker {
	const struct bt_finetuning *f;
	const struct bt_tok *tok;
	struct bt_tok_scratch *scratch;
	struct bt_finetuning_part *part;
	struct bt_example_writer w;
	struct bt_buf context; /* the last one, which words are in */
	struct bt_context_words words;
	size_t *first; /* [words] the first token of each */
	size_t first_cap;
	struct ids tokens, question, answer; /* tokens: of the context */
	struct bt_buf said, found;           /* answers */
	/* features [max_seq_length] */
	int64_t *id, *mask, *segment, *paragraph;
	struct bt_buf lost; /* id of the first question left out */
	uint64_t n_lost;
};

/* The tokens of the answer, of the context's; may be none, or beside it. */
struct range {
	int64_t first, last;
	bool impossible;
};

/* Appends the tokens of a text. */
static int encode(struct maker *m, struct bt_span text, struct ids *to,
                  struct bt_error *err)
{
	const struct bt_tok_encode_opts how = {0};
	struct bt_encoding e;
	int r = bt_tok_encode(m->tok, m->scratch, text,
	                      (struct bt_span){NULL, 0}, &how, &e, err);

	if (r != BT_OK || e.n == 0)
		return r;
	if (bt_grow(&to->id, &to->cap, to->n + e.n, sizeof(*to->id)))
		return bt_error_nomem(err, "reading a question");
	memcpy(to->id + to->n, e.ids, e.n * sizeof(*to->id));
	to->n += e.n;
	return BT_OK;
}

/* Words and tokens of a context, unless it is the last one again. */
static int read_context(struct maker *m, struct bt_span c, struct bt_error *err)
{
	struct bt_context_words *w = &m->words;
	size_t i;
	int r;

	if (m->context.len == c.n && w->n > 0 &&
	    memcmp(m->context.data, c.p, c.n) == 0)
		return BT_OK;
	bt_buf_reset(&m->context);
	bt_buf_put(&m->context, c.p, c.n);
	if (m->context.oom)
		return bt_error_nomem(err, "reading a question");
	c.p = bt_buf_at(&m->context, 0);
	m->tokens.n = 0;
	r = bt_context_words_read(w, c, err);
	if (r == BT_OK && bt_grow(&m->first, &m->first_cap, w->n + 1,
	                          sizeof(*m->first)) != BT_OK)
		r = bt_error_nomem(err, "reading a question");
	for (i = 0; r == BT_OK && i < w->n; i++) {
		m->first[i] = m->tokens.n;
		r = encode(m, w->word[i], &m->tokens, err);
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

static int64_t characters(struct bt_span s)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < s.n; i += bt_utf8_len((uint8_t)s.p[i]))
		n++;
	return n;
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

/* Which tokens are the answer; *found is false if its words do not contain
 * it. */
static int find_answer(struct maker *m, const struct bt_squad_question *q,
                       struct range *at, bool *found, struct bt_error *err)
{
	int64_t first, last, n = (int64_t)m->words.n;
	int r;

	*found = true;
	*at = (struct range){-1, -1,
	                     m->f->version_2_with_negative && q->impossible};
	if (at->impossible)
		return BT_OK;
	*found = n > 0;
	if (q->n != 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "it has %zu answers; for training, a "
		                    "question needs exactly one%s",
		                    q->n,
		                    q->n > 0 || m->f->version_2_with_negative
		                        ? ""
		                        : " (--version_2_with_negative takes "
		                          "those with is_impossible)");
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
	m->answer.n = 0;
	r = encode(m, q->answer[0], &m->answer, err);
	if (r == BT_OK)
		shrink(m, at);
	return r;
}

/* One window: n tokens of the context from that one on. */
static int write_window(struct maker *m, size_t from, size_t n,
                        const struct range *answer, struct bt_error *err)
{
	const size_t length = (size_t)m->f->max_seq_length;
	const size_t behind = m->question.n + 2, end = behind + n;
	const int64_t shift = (int64_t)behind - (int64_t)from, zero = 0;
	int64_t id = FIRST_ID + (int64_t)m->part->records, out, at[2] = {0, 0};
	struct bt_span payload;
	size_t i;

	for (i = 0; i < length; i++) {
		m->id[i] = 0;
		m->mask[i] = i <= end;
		m->segment[i] = i >= behind && i <= end;
		m->paragraph[i] = i == 0 || (i >= behind && i < end);
	}
	m->id[0] = bt_tok_role(m->tok, BT_TOK_CLS);
	m->id[behind - 1] = m->id[end] = bt_tok_role(m->tok, BT_TOK_SEP);
	for (i = 0; i < m->question.n; i++)
		m->id[1 + i] = m->question.id[i];
	for (i = 0; i < n; i++)
		m->id[behind + i] = m->tokens.id[from + i];
	out = answer->impossible || answer->first < (int64_t)from ||
	      answer->last > (int64_t)(from + n) - 1;
	if (!out) {
		at[0] = answer->first + shift;
		at[1] = answer->last + shift;
	}
	bt_example_begin(&m->w);
	bt_example_add_int64s(&m->w, "class_index", &zero, 1);
	bt_example_add_int64s(&m->w, "end_positions", &at[1], 1);
	bt_example_add_int64s(&m->w, "input_ids", m->id, length);
	bt_example_add_int64s(&m->w, "input_mask", m->mask, length);
	bt_example_add_int64s(&m->w, "is_impossible", &out, 1);
	bt_example_add_int64s(&m->w, "paragraph_mask", m->paragraph, length);
	bt_example_add_int64s(&m->w, "segment_ids", m->segment, length);
	bt_example_add_int64s(&m->w, "start_positions", &at[0], 1);
	bt_example_add_int64s(&m->w, "unique_ids", &id, 1);
	payload = bt_example_finish(&m->w);
	if (payload.p == NULL)
		return bt_error_nomem(err, "writing a record");
	m->part->records++;
	return bt_tfrecord_write(m->part->out, payload.p, payload.n, err);
}

static int write_windows(struct maker *m, const struct range *answer,
                         struct bt_error *err)
{
	const size_t most = (size_t)m->f->max_seq_length;
	const size_t stride = (size_t)m->f->doc_stride;
	size_t room, from, n;
	int r;

	if (m->question.n + 3 >= most)
		return bt_error_set(err, BT_EFORMAT,
		                    "its %zu tokens and 3 special ones leave "
		                    "no room for the context in %zu "
		                    "(--max_seq_length, --max_query_length)",
		                    m->question.n, most);
	room = most - m->question.n - 3;
	for (from = 0; from < m->tokens.n; from += n < stride ? n : stride) {
		n = m->tokens.n - from;
		n = n < room ? n : room;
		r = write_window(m, from, n, answer, err);
		if (r != BT_OK || from + n == m->tokens.n)
			return r;
	}
	return BT_OK;
}

static int take(void *arg, const struct bt_squad_question *q,
                struct bt_error *err)
{
	struct maker *m = arg;
	const size_t most = (size_t)m->f->max_query_length;
	struct range answer;
	bool found;
	int r = read_context(m, q->context, err);

	if (r == BT_OK)
		r = find_answer(m, q, &answer, &found, err);
	if (r != BT_OK)
		return r;
	if (!found) {
		if (m->n_lost++ == 0)
			bt_buf_put(&m->lost, q->id.p, q->id.n);
		return BT_OK;
	}
	m->question.n = 0;
	r = encode(m, q->question, &m->question, err);
	if (m->question.n > most)
		m->question.n = most;
	return r == BT_OK ? write_windows(m, &answer, err) : r;
}

static void tell(struct maker *m, const struct bt_squad_stats *s)
{
	if (m->n_lost > 0)
		bt_log(m->f->log, BT_LOG_WARN,
		       "%llu question%s left out, whose answer is not in the "
		       "words of the context where it should be (first: '%s')",
		       (unsigned long long)m->n_lost, bt_plural(m->n_lost),
		       bt_buf_str(&m->lost));
	bt_log(m->f->log, BT_LOG_NOTE,
	       "train: %llu record%s of %lld tokens in '%s', from %llu "
	       "question%s",
	       (unsigned long long)m->part->records,
	       bt_plural(m->part->records), (long long)m->f->max_seq_length,
	       m->part->output, (unsigned long long)s->questions,
	       bt_plural(s->questions));
}

static void clear(struct maker *m)
{
	bt_tok_scratch_free(m->scratch);
	bt_example_clear(&m->w);
	bt_buf_clear(&m->context);
	bt_buf_clear(&m->said);
	bt_buf_clear(&m->found);
	bt_buf_clear(&m->lost);
	bt_context_words_clear(&m->words);
	free(m->first);
	free(m->tokens.id);
	free(m->question.id);
	free(m->answer.id);
	free(m->id);
}

int bt_finetuning_squad_make(const struct bt_finetuning *f,
                             struct bt_finetuning_part *part,
                             const struct bt_tok *tok, struct bt_error *err)
{
	const struct bt_squad_opts how = {.unchecked = true};
	const size_t n = (size_t)f->max_seq_length;
	struct maker m = {.f = f, .tok = tok, .part = part};
	struct bt_squad_stats stats = {0};
	int r = bt_path_above(part->output, err);

	m.id = bt_array(4 * n, sizeof(*m.id));
	if (m.id == NULL)
		return bt_error_nomem(err, "writing a record");
	m.mask = m.id + n;
	m.segment = m.mask + n;
	m.paragraph = m.segment + n;
	if (r == BT_OK)
		r = bt_out_open(part->output, BT_OUT_BINARY, &part->out, err);
	if (r == BT_OK)
		r = bt_tok_scratch_new(tok, &m.scratch, err);
	if (r == BT_OK)
		r = bt_squad_read(part->paths, (int)part->n_paths, &how, take,
		                  &m, f->log, &stats, err);
	if (r == BT_OK)
		r = bt_out_settle(part->out, err);
	if (r == BT_OK)
		tell(&m, &stats);
	clear(&m);
	return r;
}

int bt_finetuning_squad_metadata(const struct bt_finetuning *f,
                                 uint64_t records, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	int r;

	bt_buf_printf(&b,
	              "{\n"
	              "    \"task_type\": \"bert_squad\",\n"
	              "    \"train_data_size\": %llu,\n"
	              "    \"max_seq_length\": %lld,\n"
	              "    \"max_query_length\": %lld,\n"
	              "    \"doc_stride\": %lld,\n"
	              "    \"version_2_with_negative\": %s\n"
	              "}\n",
	              (unsigned long long)records, (long long)f->max_seq_length,
	              (long long)f->max_query_length, (long long)f->doc_stride,
	              f->version_2_with_negative ? "true" : "false");
	r = bt_out_whole(f->meta_data_file_path, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

/* The *.json of a folder. */
static int add_folder(struct bt_finetuning_part *p, const char *dir,
                      struct bt_error *err)
{
	struct bt_file_patterns files = {0};
	struct bt_buf b = BT_BUF_INIT;
	int i, r;

	bt_buf_printf(&b, "%s/*.json", dir);
	r = bt_file_patterns_find("--translated_squad_data_folder",
	                          bt_buf_str(&b), &files, err);
	for (i = 0; r == BT_OK && i < files.n; i++)
		bt_finetuning_path(p, files.path[i]);
	bt_file_patterns_clear(&files);
	bt_buf_clear(&b);
	return r;
}

int bt_finetuning_squad(struct bt_finetuning_plan *plan, struct bt_error *err)
{
	const struct bt_finetuning *f = plan->f;
	struct bt_finetuning_part *p;

	if (!bt_finetuning_given(f->squad_data_file))
		return bt_error_set(err, BT_EARG,
		                    "--squad_data_file is missing: the JSON "
		                    "file with the questions");
	if (!bt_finetuning_given(f->train_data_output_path))
		return bt_error_set(err, BT_EARG,
		                    "--train_data_output_path is missing: the "
		                    "records to write");
	if (bt_finetuning_given(f->eval_data_output_path) ||
	    bt_finetuning_given(f->test_data_output_path))
		return bt_error_set(err, BT_EARG,
		                    "of questions training data alone are made "
		                    "here: --eval_data_output_path and "
		                    "--test_data_output_path must not be "
		                    "given");
	p = bt_finetuning_part(plan, f->train_data_output_path, NULL);
	strcpy(p->key, "train");
	bt_finetuning_path(p, f->squad_data_file);
	if (!bt_finetuning_given(f->translated_squad_data_folder))
		return BT_OK;
	return add_folder(p, f->translated_squad_data_folder, err);
}
