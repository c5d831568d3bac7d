/* SPDX-License-Identifier: MIT */
#include "predict/tags.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "format/csv.h"
#include "format/escape.h"
#include "format/tf_example.h"
#include "metrics/metrics.h"
#include "predict/answer.h"
#include "predict/tag_path.h"
#include "predict/word_place.h"
#include "record/entities.h"
#include "record/record.h"

/* A list of texts out of a payload, and how far it was read. */
struct list {
	struct bt_feature f;
	struct bt_pb at;
};

/* What a payload holds; lists without a name are not there. */
struct sentence {
	struct bt_span id, doc;
	struct bt_span text; /* that has the words; p NULL: not known */
	struct list words, lines;
	bool has_number; /* sentence_id, in place of the id */
	int64_t number;
};

struct bt_tags {
	struct bt_tags_opts o;
	const struct bt_entity_scheme *scheme; /* or NULL, and without: */
	float *logits; /* [n][labels] of the sentence's words so far */
	size_t logits_cap;
	const struct bt_labels *labels;
	struct bt_labels types;         /* of entities */
	struct bt_entity_tag *entities; /* [labels] what each tag is */
	struct bt_out *out;
	struct bt_buf payloads; /* of the block */
	size_t *end;            /* [records] of each in them */
	uint64_t *number;
	size_t end_cap, number_cap;
	size_t words;         /* of the sentence; 0: none is begun */
	uint64_t begun_by;    /* record that the sentence began with */
	bool wordless;        /* a sentence is begun whose words are not in its
	                       * records: it has those whose tokens come until the
	                       * next one begins */
	struct sentence open; /* what such a sentence is known by */
	int *tag;             /* [n] of the sentence's words so far, and */
	float *p;             /* how probable each is */
	size_t n, tag_cap, p_cap;
	uint64_t sentences, all, *count; /* words; [labels] */
	struct bt_word_place *places;    /* [n] of the sentence's words */
	size_t places_cap;
	struct bt_buf row, joined, spans;
};

int bt_tags_new(const struct bt_tags_opts *o, const struct bt_labels *labels,
                struct bt_out *out, struct bt_tags **t, struct bt_error *err)
{
	struct bt_tags *w = bt_array0(1, sizeof(*w));
	int r = BT_OK;

	w->o = *o;
	w->labels = labels;
	w->out = out;
	w->count = bt_array0((size_t)labels->n, sizeof(*w->count));
	*t = w;
	if (w->count == NULL)
		return bt_error_nomem(err, "predicting");
	if (o->scheme != NULL) {
		w->scheme = bt_entity_scheme(o->scheme, err);
		r = w->scheme != NULL
		        ? bt_entity_scheme_check(w->scheme, labels, err)
		        : BT_EARG;
	}
	return r == BT_OK ? bt_entity_tags(labels, &w->types, &w->entities, err)
	                  : r;
}

void bt_tags_free(struct bt_tags *t)
{
	if (t == NULL)
		return;
	bt_buf_clear(&t->payloads);
	bt_buf_clear(&t->row);
	bt_buf_clear(&t->joined);
	bt_buf_clear(&t->spans);
	free(t->places);
	free(t->end);
	free(t->number);
	free(t->tag);
	free(t->logits);
	free(t->p);
	free(t->count);
	free(t->entities);
	bt_labels_clear(&t->types);
	free(t);
}

int bt_tags_look(struct bt_tags *t, size_t k, uint64_t number, const void *data,
                 size_t len, struct bt_error *err)
{
	if (k == 0)
		bt_buf_reset(&t->payloads);
	bt_buf_put(&t->payloads, data, len);
	if (t->payloads.oom ||
	    bt_grow(&t->end, &t->end_cap, k + 1, sizeof(*t->end)) ||
	    bt_grow(&t->number, &t->number_cap, k + 1, sizeof(*t->number)))
		return bt_error_nomem(err, "reading a record");
	t->end[k] = t->payloads.len;
	t->number[k] = number;
	return BT_OK;
}

static int next(struct list *l, struct bt_span *s, struct bt_error *err)
{
	if (l->f.name == NULL)
		return 0;
	return bt_feature_next_text(&l->f, &l->at, &s->p, &s->n, err);
}

static int read_sentence(struct bt_span payload, struct sentence *s,
                         struct bt_error *err)
{
	struct bt_example x;
	struct bt_feature f;
	size_t n = 0;
	int r;

	memset(s, 0, sizeof(*s));
	bt_example_open(&x, payload.p, payload.n);
	while ((r = bt_example_next(&x, &f, err)) == 1) {
		if (bt_feature_is(&f, "id"))
			r = bt_feature_text(&f, &s->id.p, &s->id.n, err);
		else if (bt_feature_is(&f, "doc"))
			r = bt_feature_text(&f, &s->doc.p, &s->doc.n, err);
		else if (bt_feature_is(&f, "text"))
			r = bt_feature_text(&f, &s->text.p, &s->text.n, err);
		else if (bt_feature_is(&f, "words"))
			s->words = (struct list){f, f.list};
		else if (bt_feature_is(&f, "lines"))
			s->lines = (struct list){f, f.list};
		else if (bt_feature_is(&f, "sentence_id") &&
		         f.kind == BT_FEATURE_INT64) {
			r = bt_feature_int64s(&f, &s->number, 1, &n, err);
			s->has_number = r == BT_OK && n == 1;
		}
		if (r < 0)
			return r;
	}
	return r;
}

static size_t count_words(struct list words)
{
	struct bt_span s;
	size_t n = 0;

	while (next(&words, &s, NULL) == 1)
		n++;
	return n;
}

/* A line of columns, the tag and perhaps its probability as columns more,
 * divided as the line is; without a line the tag begins one. */
static void put_columns(struct bt_tags *t, struct bt_span line, const char *tag,
                        float p)
{
	bool tabs = line.n > 0 && memchr(line.p, '\t', line.n) != NULL;
	char between = tabs ? '\t' : ' ', number[32];

	bt_buf_put(&t->row, line.p, line.n);
	if (line.n > 0)
		bt_buf_putc(&t->row, between);
	bt_buf_puts(&t->row, tag);
	bt_format_f32(number, sizeof(number), p);
	if (t->o.proba)
		bt_buf_printf(&t->row, "%c%s", between, number);
	bt_buf_putc(&t->row, '\n');
}

/* The next line of a word; puts the empty ones before it, which end sentences
 * of a document. */
static int next_line(struct bt_tags *t, struct list *lines,
                     struct bt_span *line)
{
	int r;

	while ((r = next(lines, line, NULL)) == 1 && line->n == 0)
		bt_buf_putc(&t->row, '\n');
	return r;
}

static void put_conll(struct bt_tags *t, struct sentence *s)
{
	struct bt_span line = {NULL, 0};
	size_t i;

	if (s->doc.n > 0) {
		put_columns(t, s->doc, "O", 1);
		bt_buf_putc(&t->row, '\n');
	}
	for (i = 0; i < t->n; i++) {
		if (next_line(t, &s->lines, &line) != 1 &&
		    next(&s->words, &line, NULL) != 1 && !t->wordless)
			break;
		put_columns(t, line, t->labels->name[t->tag[i]], t->p[i]);
	}
	bt_buf_putc(&t->row, '\n');
}

static void put_csv(struct bt_tags *t, struct sentence *s)
{
	struct bt_span word = {NULL, 0};
	char number[32];
	size_t i;

	if (t->sentences == 0)
		bt_buf_printf(&t->row, "id,position,word,tag%s\n",
		              t->o.proba ? ",probability" : "");
	for (i = 0; i < t->n; i++) {
		if (next(&s->words, &word, NULL) != 1 && !t->wordless)
			break;
		bt_csv_put(&t->row, s->id, ',');
		bt_buf_printf(&t->row, ",%zu,", i);
		bt_csv_put(&t->row, word, ',');
		bt_buf_putc(&t->row, ',');
		bt_csv_put(&t->row, bt_span(t->labels->name[t->tag[i]]), ',');
		bt_format_f32(number, sizeof(number), t->p[i]);
		if (t->o.proba)
			bt_buf_printf(&t->row, ",%s", number);
		bt_buf_putc(&t->row, '\n');
	}
}

/* Sets t->places to those of the words in their text, which is they with a
 * blank between two where the records have none. */
static int place_words(struct bt_tags *t, struct sentence *s,
                       struct bt_error *err)
{
	struct list words = s->words;
	struct bt_word_place p = {0, 0, 0, 0};
	struct bt_span word;
	size_t i;

	bt_buf_reset(&t->joined);
	if (bt_grow(&t->places, &t->places_cap, t->n, sizeof(*t->places)))
		return bt_error_nomem(err, "printing");
	for (i = 0; i < t->n && next(&words, &word, NULL) == 1; i++) {
		if (s->text.p == NULL)
			bt_word_place_join(&t->joined, word, &p);
		else if (!bt_word_place_find(s->text, word, &p))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "the text of record %llu does not hold word %zu "
			    "behind the words before it",
			    (unsigned long long)t->begun_by, i + 1);
		t->places[i] = p;
	}
	if (s->text.p == NULL)
		s->text =
		    (struct bt_span){bt_buf_at(&t->joined, 0), t->joined.len};
	return t->joined.oom ? bt_error_nomem(err, "printing") : BT_OK;
}

/* One entity: words first to last, and its place in the text, where the words
 * are known. */
static void put_entity(struct bt_tags *t, struct bt_span text, size_t first,
                       size_t last)
{
	struct bt_span type =
	    bt_span(t->types.name[t->entities[t->tag[first]].type]);
	const struct bt_word_place *a = NULL, *b = NULL;
	char number[32];
	float p = 1;
	size_t i;

	for (i = first; i <= last; i++)
		p = t->p[i] < p ? t->p[i] : p;
	bt_buf_puts(&t->row, "{\"type\": ");
	bt_escape_json_text(&t->row, type);
	if (!t->wordless) {
		a = &t->places[first];
		b = &t->places[last];
		bt_buf_puts(&t->row, ", \"text\": ");
		bt_escape_json_text(
		    &t->row,
		    (struct bt_span){text.p + a->byte, b->byte_end - a->byte});
	}
	bt_buf_printf(&t->row, ", \"words\": [%zu, %zu]", first, last + 1);
	if (a != NULL) {
		bt_buf_printf(&t->row, ", \"start\": %zu, \"end\": %zu",
		              a->start, b->end);
		bt_buf_printf(&t->spans, "%s[%zu, %zu, ",
		              t->spans.len > 0 ? ", " : "", a->start, b->end);
		bt_escape_json_text(&t->spans, type);
		bt_buf_putc(&t->spans, ']');
	}
	bt_format_f32(number, sizeof(number), p);
	if (t->o.proba)
		bt_buf_printf(&t->row, ", \"probability\": %s", number);
	bt_buf_putc(&t->row, '}');
}

static void put_entities(struct bt_tags *t, struct bt_span text)
{
	struct bt_entity_tag last = bt_entity_outside, now;
	size_t i, first = 0;
	bool open = false, some = false;

	bt_buf_reset(&t->spans);
	for (i = 0; i <= t->n; i++, last = now) {
		now = i < t->n ? t->entities[t->tag[i]] : bt_entity_outside;
		if (open && bt_entity_ends(last, now)) {
			bt_buf_puts(&t->row, some ? ", " : "");
			put_entity(t, text, first, i - 1);
			open = false;
			some = true;
		}
		if (bt_entity_begins(last, now)) {
			open = true;
			first = i;
		}
	}
}

static int put_jsonl(struct bt_tags *t, struct sentence *s,
                     struct bt_error *err)
{
	bool text = s->text.p != NULL;
	struct bt_span word;
	char number[32];
	size_t i;

	if (!t->wordless && place_words(t, s, err) != BT_OK)
		return err->code;
	bt_buf_puts(&t->row, "{\"id\": ");
	bt_escape_json_text(&t->row, s->id);
	bt_buf_puts(&t->row, ", \"tokens\": [");
	for (i = 0; next(&s->words, &word, NULL) == 1; i++) {
		bt_buf_puts(&t->row, i > 0 ? ", " : "");
		bt_escape_json_text(&t->row, word);
	}
	bt_buf_puts(&t->row, "], \"tags\": [");
	for (i = 0; i < t->n; i++) {
		bt_buf_puts(&t->row, i > 0 ? ", " : "");
		bt_escape_json_text(&t->row,
		                    bt_span(t->labels->name[t->tag[i]]));
	}
	bt_buf_puts(&t->row, t->o.proba ? "], \"probabilities\": [" : "");
	for (i = 0; t->o.proba && i < t->n; i++) {
		bt_format_f32(number, sizeof(number), t->p[i]);
		bt_buf_printf(&t->row, "%s%s", i > 0 ? ", " : "", number);
	}
	bt_buf_puts(&t->row, "], \"entities\": [");
	put_entities(t, s->text);
	if (text) {
		bt_buf_puts(&t->row, "], \"text\": ");
		bt_escape_json_text(&t->row, s->text);
		bt_buf_puts(&t->row, ", \"label\": [");
		bt_buf_put(&t->row, t->spans.data, t->spans.len);
	}
	bt_buf_puts(&t->row, "]}\n");
	return t->spans.oom ? bt_error_nomem(err, "printing") : BT_OK;
}

/* The probability of a tag by its word's logits. */
static float probability(const struct bt_tags *t, const float *logits, int tag)
{
	double sum = 0;
	int i;

	for (i = 0; i < t->labels->n; i++)
		sum += exp((double)logits[i] - (double)logits[tag]);
	return (float)(1 / sum);
}

/* The tags of the sentence, by the scheme. */
static int choose(struct bt_tags *t, struct bt_error *err)
{
	size_t classes = (size_t)t->labels->n, i;
	int r = bt_tag_path(t->scheme, t->entities, t->labels->n, t->logits,
	                    t->n, t->tag, err);

	for (i = 0; r == BT_OK && i < t->n; i++)
		t->p[i] = probability(t, t->logits + i * classes, t->tag[i]);
	return r;
}

/* Hands on the logits of the sentence's words. */
static int put_rows(struct bt_tags *t, const struct sentence *s,
                    struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	for (i = 0; i < t->n && r == BT_OK; i++)
		r = t->o.row(t->o.ctx, t->sentences, s->id, i,
		             t->logits + i * (size_t)t->labels->n, err);
	t->sentences++;
	t->words = 0;
	return r;
}

/* The sentence is complete: writes it. */
static int put(struct bt_tags *t, struct sentence *s, struct bt_error *err)
{
	char number[24];
	size_t i;
	int r = BT_OK;

	if (t->scheme != NULL && t->n > 0 && choose(t, err) != BT_OK)
		return err->code;
	for (i = 0; i < t->n; i++)
		t->count[t->tag[i]]++;
	t->all += t->n;
	if (s->id.p == NULL) {
		snprintf(number, sizeof(number), "%lld",
		         s->has_number ? (long long)s->number
		                       : (long long)t->sentences);
		s->id = bt_span(number);
	}
	if (t->o.format == BT_TAGS_ROWS)
		return put_rows(t, s, err);
	bt_buf_reset(&t->row);
	if (t->o.format == BT_TAGS_CONLL)
		put_conll(t, s);
	else if (t->o.format == BT_TAGS_CSV)
		put_csv(t, s);
	else
		r = put_jsonl(t, s, err);
	t->sentences++;
	t->words = 0;
	if (r == BT_OK && t->row.oom)
		r = bt_error_nomem(err, "printing");
	if (r != BT_OK)
		return r;
	return bt_out_write(t->out, t->row.data, t->row.len, err);
}

static int incomplete(const struct bt_tags *t, struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT,
	                    "the sentence of record %llu has %zu words, but "
	                    "its windows hold only %zu",
	                    (unsigned long long)t->begun_by, t->words, t->n);
}

/* Writes the sentence whose records have no words, if one is begun. */
static int end_wordless(struct bt_tags *t, struct bt_error *err)
{
	int r = t->wordless ? put(t, &t->open, err) : BT_OK;

	t->wordless = false;
	return r;
}

static void begin(struct bt_tags *t, size_t k, const struct sentence *s)
{
	t->n = 0;
	t->words = count_words(s->words);
	t->begun_by = t->number[k];
	t->wordless = s->words.f.name == NULL;
	t->open =
	    (struct sentence){.has_number = s->has_number, .number = s->number};
}

/* One word more, by the logits of its first token. */
static int add_word(struct bt_tags *t, const float *logits,
                    struct bt_error *err)
{
	int classes = t->labels->n;
	int best = bt_metrics_predicted(logits, classes, NULL);
	size_t at = t->n * (size_t)classes;

	if (bt_grow(&t->tag, &t->tag_cap, t->n + 1, sizeof(*t->tag)) ||
	    bt_grow(&t->p, &t->p_cap, t->n + 1, sizeof(*t->p)))
		return bt_error_nomem(err, "predicting");
	if (t->scheme != NULL || t->o.format == BT_TAGS_ROWS) {
		if (bt_grow(&t->logits, &t->logits_cap, at + (size_t)classes,
		            sizeof(*t->logits)))
			return bt_error_nomem(err, "predicting");
		memcpy(t->logits + at, logits,
		       (size_t)classes * sizeof(*logits));
	}
	t->p[t->n] = probability(t, logits, best);
	t->tag[t->n++] = best;
	return BT_OK;
}

int bt_tags_add(struct bt_tags *t, size_t k, bool continues,
                const int32_t *token_label, size_t n, const float *logits,
                struct bt_error *err)
{
	size_t from = k > 0 ? t->end[k - 1] : 0, i;
	struct bt_span payload = {bt_buf_at(&t->payloads, from),
	                          t->end[k] - from};
	struct sentence s;
	int r = read_sentence(payload, &s, err);

	if (r != BT_OK)
		return r;
	if (!continues && t->words > 0)
		return incomplete(t, err);
	if (!continues)
		r = end_wordless(t, err);
	if (t->words == 0 && !t->wordless)
		begin(t, k, &s);
	for (i = 0; i < n && r == BT_OK; i++, logits += t->labels->n)
		if (bt_token_begins(token_label[i]))
			r = add_word(t, logits, err);
	if (r != BT_OK || t->wordless)
		return r;
	if (t->n > t->words)
		return bt_error_set(err, BT_EFORMAT,
		                    "record %llu has more tokens of words than "
		                    "the %zu words in it",
		                    (unsigned long long)t->number[k], t->words);
	return t->n == t->words ? put(t, &s, err) : BT_OK;
}

int bt_tags_finish(struct bt_tags *t, struct bt_error *err)
{
	return t->words > 0 ? incomplete(t, err) : end_wordless(t, err);
}

#define SHOWN 10 /* tags in the line that says how often each was predicted */

void bt_tags_tell(const struct bt_tags *t, const struct bt_log *log)
{
	struct bt_buf b = BT_BUF_INIT;
	int i, shown = 0;

	for (i = 0; i < t->labels->n; i++) {
		if (t->count[i] == 0 ||
		    (shown >= SHOWN && !bt_log_is_heard(log, BT_LOG_MORE)))
			continue;
		bt_buf_puts(&b, shown++ > 0 ? ", " : "");
		bt_labels_put(&b, t->labels, i, 0);
		bt_buf_printf(&b, " %llu", (unsigned long long)t->count[i]);
	}
	bt_log(log, BT_LOG_NOTE, "%llu sentence%s, %llu word%s: predicted %s",
	       (unsigned long long)t->sentences, bt_plural(t->sentences),
	       (unsigned long long)t->all, bt_plural(t->all),
	       bt_buf_str(&b) != NULL ? bt_buf_str(&b) : "nothing");
	bt_answer_facts(t->labels, t->count, bt_log_summary(log));
	bt_buf_clear(&b);
}
