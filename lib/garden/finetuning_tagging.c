/* SPDX-License-Identifier: MIT */
/*
 * Tagged words as Model Garden makes records of them: a sentence whose words do
 * not fit into one record is divided between words, and only the first token of
 * a word carries its label. (tokenize/words.c keeps words and tags as texts,
 * and shows each window what stands around it.)
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/charset.h"
#include "format/tf_example.h"
#include "format/tfrecord.h"
#include "garden/finetuning_int.h"
#include "io/in.h"
#include "io/path.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)
#define NOT_SCORED (-1) /* the label of a token that does not begin a word */

static const struct set {
	const char *name;          /* --tagging_task_name, processor_type */
	const char *labels[18];    /* in the order of their numbers */
	const char *languages[41]; /* of the test data */
} sets[] = {
    {"panx",
     {"O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"},
     {"ar", "he", "vi", "id", "jv", "ms", "tl", "eu", "ml", "ta",
      "te", "af", "nl", "en", "de", "el", "bn", "hi", "mr", "ur",
      "fa", "fr", "it", "pt", "es", "bg", "ru", "ja", "ka", "ko",
      "th", "sw", "yo", "my", "zh", "kk", "tr", "et", "fi", "hu"}},
    {"udpos",
     {"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART",
      "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"},
     {"af", "ar", "bg", "de", "el", "en", "es", "et", "eu", "fa", "fi",
      "fr", "he", "hi", "hu", "id", "it", "ja", "kk", "ko", "mr", "nl",
      "pt", "ru", "ta", "te", "th", "tl", "tr", "ur", "vi", "yo", "zh"}},
};

struct maker {
	const struct bt_finetuning_plan *plan;
	struct bt_finetuning_part *part;
	const struct bt_tok *tok;
	struct bt_tok_scratch *scratch;
	struct bt_example_writer w;
	/* features [max_seq_length]: those of the record that is made */
	int64_t *id, *mask, *segment, *label;
	size_t n, room;         /* tokens in it, and how many it may have */
	int64_t sentence, sub;  /* numbers */
	size_t words;           /* of the sentence so far */
	int columns;            /* of the file's lines; 0: not known yet */
	uint64_t line;          /* its number */
	bool unlabelled;        /* a file has no labels */
	uint64_t sentences;     /* of all files */
	uint64_t divided;       /* of these, into several records */
	uint64_t lost, n_words; /* words that are one unknown token; of so many
	                         */
};

/* The record of the tokens so far; the next one goes on with the sentence. */
static int write_record(struct maker *m, struct bt_error *err)
{
	const size_t length = (size_t)m->plan->f->max_seq_length;
	struct bt_span payload;
	size_t i;

	m->id[0] = bt_tok_role(m->tok, BT_TOK_CLS);
	m->id[m->n + 1] = bt_tok_role(m->tok, BT_TOK_SEP);
	m->label[0] = NOT_SCORED;
	for (i = m->n + 1; i < length; i++)
		m->label[i] = NOT_SCORED;
	for (i = 0; i < length; i++) {
		m->mask[i] = i < m->n + 2;
		if (i >= m->n + 2)
			m->id[i] = 0;
	}
	bt_example_begin(&m->w);
	bt_example_add_int64s(&m->w, "input_ids", m->id, length);
	bt_example_add_int64s(&m->w, "input_mask", m->mask, length);
	bt_example_add_int64s(&m->w, "label_ids", m->label, length);
	bt_example_add_int64s(&m->w, "segment_ids", m->segment, length);
	bt_example_add_int64s(&m->w, "sentence_id", &m->sentence, 1);
	bt_example_add_int64s(&m->w, "sub_sentence_id", &m->sub, 1);
	payload = bt_example_finish(&m->w);
	if (payload.p == NULL)
		return bt_error_nomem(err, "writing a record");
	m->n = 0;
	m->part->records++;
	m->divided += m->sub++ == 1;
	return bt_tfrecord_write(m->part->out, payload.p, payload.n, err);
}

static int end_sentence(struct maker *m, struct bt_error *err)
{
	int r;

	if (m->words == 0)
		return BT_OK;
	r = write_record(m, err);
	m->words = 0;
	m->sub = 0;
	m->sentence++;
	m->sentences++;
	return r;
}

/* A word of no token, or of too many, is an unknown one. */
static int add_word(struct maker *m, struct bt_span word, int64_t label,
                    struct bt_error *err)
{
	const int32_t unknown = bt_tok_role(m->tok, BT_TOK_UNK);
	const struct bt_tok_encode_opts how = {0};
	struct bt_encoding e;
	const int32_t *ids;
	size_t n, i;
	int r = bt_tok_encode(m->tok, m->scratch, word,
	                      (struct bt_span){NULL, 0}, &how, &e, err);

	if (r != BT_OK)
		return r;
	ids = e.ids;
	n = e.n;
	if (n == 0 || n > m->room) {
		ids = &unknown;
		n = 1;
		m->lost++;
	}
	if (m->n + n > m->room)
		r = write_record(m, err);
	if (r != BT_OK)
		return r;
	for (i = 0; i < n; i++) {
		m->id[1 + m->n] = ids[i];
		m->label[1 + m->n++] = i == 0 ? label : NOT_SCORED;
	}
	m->words++;
	m->n_words++;
	return BT_OK;
}

static int find_label(const struct maker *m, struct bt_span name,
                      int64_t *number, struct bt_error *err)
{
	const struct bt_labels *l = &m->plan->labels;
	int k;

	name = bt_span_trim(name, " ");
	k = bt_labels_find(l, name);
	if (k < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "label '%.*s' is not one of %s: '%s' ... "
		                    "'%s'",
		                    (int)(name.n < 60 ? name.n : 60), name.p,
		                    m->plan->processor, l->name[0],
		                    l->name[l->n - 1]);
	*number = k;
	return BT_OK;
}

/* "word TAB label", or "word" where labels are not known. */
static int take_word(struct maker *m, struct bt_span line, struct bt_error *err)
{
	const char *tab = memchr(line.p, '\t', line.n);
	struct bt_span word = {line.p,
	                       tab != NULL ? (size_t)(tab - line.p) : line.n};
	struct bt_span label = {tab, line.n - word.n};
	int columns = tab != NULL ? 2 : 1, r = BT_OK;
	int64_t number = 0;

	if (tab != NULL) {
		label.p++;
		label.n--;
		for (tab = label.p; tab < label.p + label.n; tab++)
			columns += *tab == '\t';
	}
	if (columns > 2)
		return bt_error_set(err, BT_EFORMAT,
		                    "has %d columns, expected a word, a tab "
		                    "and its label",
		                    columns);
	if (m->columns != 0 && columns != m->columns)
		return bt_error_set(err, BT_EFORMAT,
		                    "has %d column%s, the lines before have %d",
		                    columns, bt_plural((size_t)columns),
		                    m->columns);
	m->columns = columns;
	word = bt_span_trim(word, " ");
	if (word.n == 0)
		return bt_error_set(err, BT_EFORMAT, "has an empty word");
	if (columns == 2)
		r = find_label(m, label, &number, err);
	else
		m->unlabelled = true;
	return r == BT_OK ? add_word(m, word, number, err) : r;
}

static int read_lines(struct maker *m, struct bt_in *in, struct bt_error *err)
{
	struct bt_span line = {NULL, 0};
	size_t skip = 0;
	int r;

	while ((r = bt_in_line(in, LINE_MAX_BYTES, &line, &skip, err)) == 1) {
		m->line++;
		if (bt_charset_check(BT_CHARSET_UTF8, line.p, line.n) != line.n)
			r = bt_error_hint(err, BT_HINT_TEXT_ENCODING,
			                  bt_error_set(err, BT_EFORMAT,
			                               "is not valid UTF-8"));
		else if (line.n == 0)
			r = end_sentence(m, err);
		else
			r = take_word(m, line, err);
		if (r != BT_OK)
			return r;
		bt_in_skip(in, skip);
	}
	return r == BT_OK ? end_sentence(m, err) : r;
}

static int read_file(struct maker *m, const char *path, struct bt_error *err)
{
	uint64_t before = m->sentences;
	struct bt_in *in;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	m->line = 0;
	m->columns = 0;
	m->sentence = 0;
	r = read_lines(m, in, err);
	if (r != BT_OK && r != BT_EIO && r != BT_ENOMEM && m->line > 0)
		bt_error_prefix(err, "%s: line %llu", bt_in_name(in),
		                (unsigned long long)m->line);
	if (r == BT_OK && m->sentences == before)
		r = bt_error_set(err, BT_EFORMAT, "%s holds no sentence",
		                 bt_in_name(in));
	bt_in_close(in);
	return r;
}

static void tell(const struct maker *m)
{
	const struct bt_finetuning_part *p = m->part;
	const struct bt_log *log = m->plan->f->log;

	if (m->lost > 0)
		bt_log(log, BT_LOG_NOTE,
		       "%s: %llu of %llu words are one unknown token: they "
		       "have no token, or more than a record",
		       p->key, (unsigned long long)m->lost,
		       (unsigned long long)m->n_words);
	if (m->unlabelled && !bt_str_starts(p->key, "test"))
		bt_log_warn(log, "words-unlabelled", BT_HINT_NONE,
		            "%s: words without labels have the first one, '%s'",
		            p->key, m->plan->labels.name[0]);
	bt_log(log, BT_LOG_NOTE,
	       "%s: %llu record%s of %lld tokens in '%s', from %llu "
	       "sentence%s (%llu divided)",
	       p->key, (unsigned long long)p->records, bt_plural(p->records),
	       (long long)m->plan->f->max_seq_length, p->output,
	       (unsigned long long)m->sentences, bt_plural(m->sentences),
	       (unsigned long long)m->divided);
}

static int make_part(const struct bt_finetuning_plan *plan,
                     struct bt_finetuning_part *part, const struct bt_tok *tok,
                     struct bt_error *err)
{
	const size_t n = (size_t)plan->f->max_seq_length;
	struct maker m = {
	    .plan = plan, .part = part, .tok = tok, .room = n - 2};
	size_t i;
	int r = bt_path_above(part->output, err);

	m.id = bt_array0(4 * n, sizeof(*m.id));
	if (m.id == NULL)
		return bt_error_nomem(err, "writing a record");
	m.mask = m.id + n;
	m.segment = m.mask + n;
	m.label = m.segment + n;
	if (r == BT_OK)
		r = bt_out_open(part->output, BT_OUT_RECORDS, &part->out, err);
	if (r == BT_OK)
		r = bt_tok_scratch_new(tok, &m.scratch, err);
	for (i = 0; r == BT_OK && i < part->n_paths; i++)
		r = read_file(&m, part->paths[i], err);
	if (r == BT_OK)
		r = bt_out_settle(part->out, err);
	if (r == BT_OK)
		tell(&m);
	bt_tok_scratch_free(m.scratch);
	bt_example_clear(&m.w);
	free(m.id);
	return r;
}

int bt_finetuning_tagging_make(const struct bt_finetuning_plan *plan,
                               const struct bt_tok *tok, struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < plan->n; i++)
		r = make_part(plan, &plan->part[i], tok, err);
	return r;
}

/* The number of records of a part, or of none. */
static uint64_t records(const struct bt_finetuning_plan *plan, const char *key)
{
	size_t i;

	for (i = 0; i < plan->n; i++)
		if (strcmp(plan->part[i].key, key) == 0)
			return plan->part[i].records;
	return 0;
}

/* "test_data_size": {"en": 7, ...}, if there are test data. */
static void put_tests(struct bt_buf *b, const struct bt_finetuning_plan *plan)
{
	const struct bt_finetuning_part *p;
	size_t i, n = 0;

	for (i = 0; i < plan->n; i++) {
		p = &plan->part[i];
		if (!bt_str_starts(p->key, "test="))
			continue;
		bt_buf_printf(b, "%s        \"%s\": %llu",
		              n++ == 0 ? "    \"test_data_size\": {\n" : ",\n",
		              p->key + strlen("test="),
		              (unsigned long long)p->records);
	}
	if (n > 0)
		bt_buf_puts(b, "\n    },\n");
}

int bt_finetuning_tagging_metadata(const struct bt_finetuning_plan *plan,
                                   struct bt_error *err)
{
	const struct bt_finetuning *f = plan->f;
	const struct bt_labels *l = &plan->labels;
	struct bt_buf b = BT_BUF_INIT;
	int i, r;

	bt_buf_printf(&b,
	              "{\n"
	              "    \"train_data_size\": %llu,\n"
	              "    \"max_seq_length\": %lld,\n"
	              "    \"num_labels\": %d,\n"
	              "    \"task_type\": \"tagging\",\n"
	              "    \"label_type\": \"int\",\n"
	              "    \"label_shape\": [\n"
	              "        %lld\n"
	              "    ],\n",
	              (unsigned long long)records(plan, "train"),
	              (long long)f->max_seq_length, l->n,
	              (long long)f->max_seq_length);
	if (records(plan, "eval") > 0)
		bt_buf_printf(&b, "    \"eval_data_size\": %llu,\n",
		              (unsigned long long)records(plan, "eval"));
	put_tests(&b, plan);
	for (i = 0; i < l->n; i++)
		bt_buf_printf(&b, "%s        \"%s\"",
		              i == 0 ? "    \"label_list\": [\n" : ",\n",
		              l->name[i]);
	bt_buf_printf(&b,
	              "\n    ],\n"
	              "    \"processor_type\": \"%s\"\n"
	              "}\n",
	              plan->processor);
	r = bt_out_whole(f->meta_data_file_path, b.data, b.len, err);
	bt_buf_clear(&b);
	return r;
}

/* Training or development data: English, or all languages, English first. */
static void add_languages(struct bt_finetuning_plan *plan, const struct set *s,
                          const char *key, const char *output, bool english)
{
	const char *dir = plan->f->input_data_dir;
	const char *pattern =
	    strcmp(key, "train") == 0 ? "train-*.tsv" : "dev-*.tsv";
	struct bt_finetuning_part *p;
	const char *const *l;

	if (!bt_finetuning_given(output))
		return;
	p = bt_finetuning_part(plan, output, NULL);
	snprintf(p->key, sizeof(p->key), "%s", key);
	bt_finetuning_file(p, dir, pattern, "en");
	for (l = s->languages; !english && *l != NULL; l++)
		if (strcmp(*l, "en") != 0)
			bt_finetuning_file(p, dir, pattern, *l);
}

static int add_tests(struct bt_finetuning_plan *plan, const struct set *s,
                     struct bt_error *err)
{
	const char *output = plan->f->test_data_output_path;
	struct bt_finetuning_part *p;
	const char *const *l;

	if (!bt_finetuning_given(output))
		return BT_OK;
	if (strstr(output, "{}") == NULL)
		return bt_error_set(err, BT_EARG,
		                    "--test_data_output_path: %s has test data "
		                    "for each language: put {} into '%s', "
		                    "which the language is put in for",
		                    s->name, output);
	for (l = s->languages; *l != NULL; l++) {
		p = bt_finetuning_part(plan, output, *l);
		snprintf(p->key, sizeof(p->key), "test=%s", *l);
		bt_finetuning_file(p, plan->f->input_data_dir, "test-*.tsv",
		                   *l);
	}
	return BT_OK;
}

int bt_finetuning_tagging(struct bt_finetuning_plan *plan, struct bt_error *err)
{
	const struct bt_finetuning *f = plan->f;
	const struct set *s = &sets[strcmp(f->tagging_task_name, "udpos") == 0];
	const char *const *l;
	int r = BT_OK;

	plan->processor = s->name;
	for (l = s->labels; r >= 0 && *l != NULL; l++)
		r = bt_labels_add(&plan->labels, bt_span(*l), err);
	if (r < 0)
		return r;
	add_languages(plan, s, "train", f->train_data_output_path,
	              f->tagging_only_use_en_train);
	add_languages(plan, s, "eval", f->eval_data_output_path,
	              f->only_use_en_dev);
	return add_tests(plan, s, err);
}
