/* SPDX-License-Identifier: MIT */
/* One text: reading its record, encoding it, writing it in the format. */
#include <float.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "format/charset.h"
#include "tokenize/job_int.h"

static struct bt_span head(struct bt_span s)
{
	if (s.n > 100)
		s.n = 100;
	return s;
}

static int number_label(const struct bt_tokenize *j, struct bt_token_rec *rec,
                        struct bt_span label, struct bt_error *err)
{
	bool whole = j->opts.label_type == BT_LABEL_INT, ok;
	char s[64];
	double v = 0;

	ok = bt_span_str(label, s, sizeof(s));
	if (ok && whole)
		ok = bt_parse_i64(s, INT64_MIN, INT64_MAX, &rec->label_id) ==
		     BT_OK;
	else if (ok)
		ok = bt_parse_f64(s, -FLT_MAX, FLT_MAX, &v) == BT_OK;
	if (!ok)
		return bt_error_set(
		    err, BT_EFORMAT, "the label '%.*s' is not a %snumber",
		    (int)head(label).n, label.p, whole ? "whole " : "");
	rec->has_label_id = whole;
	rec->has_label_value = !whole;
	rec->label_value = (float)v;
	return BT_OK;
}

/* Where the labels come from, for messages. */
static const char *labels_of(const struct bt_tokenize *j)
{
	return j->opts.model_labels ? "of the model" : "given";
}

/* Whether a list of labels was split at the comma of a label. */
static bool is_split(const struct bt_labels *l, struct bt_span label)
{
	const char *comma = label.n > 0 ? memchr(label.p, ',', label.n) : NULL;

	if (comma == NULL)
		return false;
	label.n = (size_t)(comma - label.p);
	return bt_labels_find(l, label) >= 0;
}

/* label_ids, of the record's label or the dummy. */
static int fill_label(const struct bt_tokenize *j, struct bt_token_rec *rec,
                      struct bt_error *err)
{
	const struct bt_labels *l = j->opts.labels;
	struct bt_span label = rec->label;

	if (label.p == NULL && j->opts.dummy_label != NULL)
		label = bt_span(j->opts.dummy_label);
	if (label.p == NULL || j->opts.label_type == BT_LABEL_NONE)
		return BT_OK;
	if (j->opts.label_type != BT_LABEL_CLASS)
		return number_label(j, rec, label, err);
	if (l == NULL)
		return BT_OK;
	rec->label_id = bt_labels_find(l, label);
	rec->has_label_id = rec->label_id >= 0;
	if (rec->has_label_id || !j->opts.only_labels)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "the label '%.*s' is not one of the %d labels %s "
	                    "('%s' ... '%s')%s",
	                    (int)head(label).n, label.p, l->n, labels_of(j),
	                    l->name[0], l->name[l->n - 1],
	                    is_split(l, label)
	                        ? "; labels with commas need a file, with one "
	                          "per line"
	                        : "");
}

/* label_ids of any number of labels: 1 for each that the record has, among the
 * labels that were given, its own names of labels, or the model's. */
static int fill_hot(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                    struct bt_token_rec *rec, struct bt_error *err)
{
	const struct bt_labels *l = j->opts.labels;
	const struct bt_feature *names = &rec->name_list;
	struct bt_pb at = rec->label_list.list;
	bool own = names->name != NULL && !j->opts.only_labels;
	size_t n = l != NULL ? (size_t)l->n : 0, i;
	struct bt_pb name = names->list;
	struct bt_span v;
	int r;

	for (n = own ? 0 : n; own; n++)
		if (bt_feature_next_text(names, &name, &v.p, &v.n, NULL) != 1)
			break;
	if (n == 0 || rec->label_list.name == NULL)
		return BT_OK;
	if (bt_grow(&w->hot, &w->hot_cap, n, sizeof(*w->hot)) != BT_OK)
		return BT_ENOMEM;
	memset(w->hot, 0, n * sizeof(*w->hot));
	while ((r = bt_feature_next_text(&rec->label_list, &at, &v.p, &v.n,
	                                 err)) == 1) {
		i = own ? bt_tokenize_find_name(names, v, n)
		        : (size_t)bt_labels_find(l, v);
		if (i < n)
			w->hot[i] = 1;
		else if (own || j->opts.only_labels)
			return bt_error_set(err, BT_EFORMAT,
			                    "the label '%.*s' is not one of "
			                    "the %zu labels %s",
			                    (int)head(v).n, v.p, n,
			                    own ? "of its record"
			                        : labels_of(j));
		else
			return BT_OK;
	}
	rec->hot = w->hot;
	rec->n_hot = n;
	return r;
}

/* label_ids of a record with any number of labels, or with numbers of its own.
 */
static int fill_several(const struct bt_tokenize *j,
                        const struct bt_text_rec *text,
                        struct bt_tokenize_worker *w, struct bt_token_rec *rec,
                        struct bt_error *err)
{
	bool numbers = text->number_list.name != NULL;
	enum bt_label_type type = j->opts.label_type;

	if (type == BT_LABEL_NONE)
		return BT_OK;
	if (type == BT_LABEL_INT || (type == BT_LABEL_FLOAT && !numbers))
		return bt_error_hint(err,
		                     numbers ? BT_HINT_LABEL_TYPE_FLOAT
		                             : BT_HINT_LABEL_TYPE_CLASS,
		                     bt_error_set(err, BT_EFORMAT, "holds %s",
		                                  numbers
		                                      ? "numbers to predict"
		                                      : "multi-label data"));
	if (!numbers)
		return fill_hot(j, w, rec, err);
	rec->id_list = text->number_list;
	return BT_OK;
}

/* The number in an id as "17" or "de-000000017". */
static int fill_example_id(const struct bt_tokenize *j, uint64_t number,
                           struct bt_token_rec *rec, struct bt_error *err)
{
	struct bt_span id = rec->id;
	const char *dash = id.n > 0 ? memchr(id.p, '-', id.n) : NULL;
	char s[32];

	rec->has_example_id = true;
	rec->example_id = (int64_t)number;
	if (!j->opts.number_of_id)
		return BT_OK;
	if (dash != NULL) {
		id.n -= (size_t)(dash + 1 - id.p);
		id.p = dash + 1;
	}
	if (bt_span_str(id, s, sizeof(s)) &&
	    bt_parse_i64(s, 0, INT64_MAX, &rec->example_id) == BT_OK)
		return BT_OK;
	if (rec->id.p == NULL)
		return bt_error_set(err, BT_EFORMAT, "the record has no id");
	return bt_error_set(err, BT_EFORMAT,
	                    "the id '%.*s' has no number in it",
	                    (int)head(rec->id).n, rec->id.p);
}

/* What a token record has beside the tokens: of the text record, and of the
 * model. */
static int fill_record(const struct bt_tokenize *j,
                       const struct bt_tokenize_text *x,
                       struct bt_tokenize_worker *w, struct bt_error *err)
{
	const struct bt_text_rec *text = &x->rec;
	struct bt_token_rec *rec = &w->rec;
	int r;

	rec->id = text->id;
	rec->label = text->label;
	rec->label_list = text->label_list;
	rec->several = text->several;
	rec->name_list = text->name_list;
	rec->has_weight = text->has_weight;
	rec->weight = text->weight;
	if (j->opts.keep_text && text->question.question.p == NULL) {
		rec->text_a = text->text_a;
		if (j->opts.prompt != NULL) {
			rec->text_a.p += strlen(j->opts.prompt);
			rec->text_a.n -= strlen(j->opts.prompt);
		}
		rec->text_b = text->text_b;
	}
	rec->others = text->others;
	rec->tokenizer = bt_span(bt_tok_fingerprint(j->tok));
	/* the data set's number, unless the model or the user has another */
	rec->label_id = text->label_id;
	rec->has_label_id =
	    text->has_label_id && j->opts.label_type == BT_LABEL_CLASS;
	if (x->choices > 0)
		r = bt_tokenize_choice_label(j, x->choices, rec, err);
	else if (bt_text_rec_is_open(text) || text->number_list.name != NULL)
		r = fill_several(j, text, w, rec, err);
	else
		r = fill_label(j, rec, err);
	if (r == BT_OK && j->opts.layout == BT_LAYOUT_GARDEN)
		r = fill_example_id(j, x->number, rec, err);
	return r;
}

static int put_record(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                      const struct bt_tokenize_text *x,
                      struct bt_tokenize_piece *p)
{
	const struct bt_encoding *e = &x->e;
	int r;

	if (bt_token_rec_set(&w->rec, e->ids, e->types, e->n) != BT_OK ||
	    (x->word != NULL &&
	     bt_token_rec_set_words(&w->rec, x->word) != BT_OK) ||
	    (x->place != NULL &&
	     bt_token_rec_set_places(&w->rec, x->place) != BT_OK))
		return BT_ENOMEM;
	w->rec.has_window = x->word != NULL    ? e->windows > 1
	                    : x->place != NULL ? true
	                                       : j->opts.windows;
	w->rec.has_position =
	    x->place != NULL && x->rec.question.answers.name != NULL;
	w->rec.start_position = x->start_position;
	w->rec.end_position = x->end_position;
	w->rec.window = (int64_t)x->window;
	w->rec.label_all = j->opts.label_all;
	w->rec.has_text_number = j->opts.apart || x->choices > 0;
	w->rec.text_number = (int64_t)x->text;
	r = fill_record(j, x, w, &p->err);
	if (r != BT_OK)
		return r;
	w->rec.pad_id = bt_tok_role(j->tok, BT_TOK_PAD);
	bt_buf_reset(&w->payload);
	if ((j->opts.attend_pad &&
	     bt_token_rec_fill(&w->rec, j->opts.pad) != BT_OK) ||
	    bt_token_rec_write(&w->example, &w->rec, j->opts.layout,
	                       j->opts.pad, &w->payload) != BT_OK)
		return BT_ENOMEM;
	bt_buf_put(&p->out, w->payload.data, w->payload.len);
	p->stats.labelled += w->rec.has_label_id || w->rec.has_label_value ||
	                     w->rec.hot != NULL || w->rec.id_list.name != NULL;
	p->stats.weighted += w->rec.has_weight;
	return BT_OK;
}

/* What became of a question. */
static void count_question(struct bt_tokenize_stats *s,
                           const struct bt_encoding *e,
                           const struct bt_tokenize_question *q)
{
	s->questions++;
	s->contexts_cut += e->windows > 1;
	s->questions_cut += e->cut_first > 0;
	s->question_tokens_cut += e->cut_first;
	s->answers_lost += q->has_answer && !q->found;
}

static void count_text(struct bt_tokenize_stats *s, struct bt_tokenize_text *x,
                       const struct bt_tokenize_question *q, size_t bytes)
{
	const struct bt_encoding *e = &x->e;
	bool cut = e->cut > 0;
	size_t n = e->whole;
	int k = 0; /* which power of two n has reached */

	s->texts += x->text == 0;
	if (x->place != NULL)
		count_question(s, e, q);
	else
		s->windowed_texts += e->windows > 1;
	s->cut_texts += x->place == NULL && cut && !x->cut;
	x->cut = x->cut || cut;
	s->cut_tokens += e->cut;
	s->bytes += bytes;
	if (e->bare) {
		if (s->bare_texts++ == 0)
			s->bare_first = x->number + 1;
		s->empty_texts += x->rec.text_a.n + x->rec.text_b.n == 0;
	} else if (!x->known && s->unknown_texts++ == 0) {
		s->unknown_first = x->number + 1;
	}
	while ((n >>= 1) != 0 && k < BT_TOKENIZE_LENGTHS - 1)
		k++;
	s->length[k]++;
}

static bool is_utf8(struct bt_span text)
{
	return bt_charset_check(BT_CHARSET_UTF8, text.p, text.n) == text.n;
}

/* Encodes the texts of x->rec: their first window. */
static int encode_texts(const struct bt_tokenize *j,
                        struct bt_tokenize_worker *w,
                        struct bt_tokenize_text *x, struct bt_error *err)
{
	const struct bt_tok_encode_opts how = {
	    .special = j->opts.special,
	    .max_length = j->opts.max_length,
	    .cut = j->opts.which,
	    .windows = j->opts.windows,
	    .stride = j->opts.stride,
	    .offsets = j->opts.format == BT_TOKENIZE_EXPLAIN ||
	               j->opts.format == BT_TOKENIZE_JSON};
	int r = BT_OK;

	/* a question has it from its first choice on */
	if (j->opts.prompt != NULL && (x->choices == 0 || x->text == 0))
		r = bt_tokenize_prompt(w, j->opts.prompt, &x->rec.text_a);
	if (r == BT_OK)
		r = bt_tok_encode(j->tok, w->scratch, x->rec.text_a,
		                  x->rec.text_b, &how, &x->e, err);
	if (r == BT_EFORMAT &&
	    !(is_utf8(x->rec.text_a) && is_utf8(x->rec.text_b)))
		return bt_error_hint(err, BT_HINT_TEXT_ENCODING_OR_MEND, r);
	if (r == BT_OK && !j->opts.cut && x->e.cut > 0)
		return bt_error_set(err, BT_ELIMIT,
		                    "the text has %zu tokens, more than %zu",
		                    x->e.whole, how.max_length);
	return r;
}

/* Leaves the first text of a pair for now. */
static int take_apart(struct bt_tokenize_text *x, struct bt_error *err)
{
	if (x->word != NULL || x->place != NULL || x->rec.text_b.p == NULL)
		return bt_error_hint(
		    err, BT_HINT_PAIR,
		    bt_error_set(err, BT_EFORMAT,
		                 "is not a pair of texts that could be "
		                 "tokenized apart"));
	x->second = x->rec.text_b;
	x->rec.text_b = (struct bt_span){NULL, 0};
	return BT_OK;
}

/* Reads the text and encodes it: its first window. */
static int encode(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                  const struct bt_tokenize_item *item,
                  struct bt_tokenize_text *x, struct bt_tokenize_piece *p)
{
	const char *data = bt_buf_at(&j->bytes, item->at);
	int r = BT_OK;

	if (j->opts.lines)
		x->rec.text_a = (struct bt_span){data, item->len};
	else
		r = bt_text_rec_read(data, item->len, &x->rec, &p->err);
	if (r == BT_OK && j->opts.mend) {
		if (bt_tokenize_mend(w, 0, &x->rec.text_a, &x->mended) !=
		        BT_OK ||
		    bt_tokenize_mend(w, 1, &x->rec.text_b, &x->mended) != BT_OK)
			return BT_ENOMEM;
	}
	if (r == BT_OK && x->rec.word_list.name != NULL) {
		r = bt_tokenize_words(j, w, x, &p->err);
		if (r == BT_OK)
			r = bt_tokenize_words_window(j, w, x);
	}
	if (r == BT_OK && x->rec.question.question.p != NULL) {
		r = bt_tokenize_question(j, w, x, &p->err);
		if (r == BT_OK)
			r = bt_tokenize_question_window(j, w, x);
	}
	if (r == BT_OK && j->opts.label_all && x->word == NULL)
		r = bt_error_hint(&p->err, BT_HINT_TASK_WORDS,
		                  bt_error_set(&p->err, BT_EFORMAT,
		                               "holds no words, all of whose "
		                               "tokens are to be labelled"));
	if (r == BT_OK && x->rec.choice_list.name != NULL)
		r = bt_tokenize_choices(j, w, x, &p->err);
	if (r == BT_OK && j->opts.apart)
		r = take_apart(x, &p->err);
	if (r != BT_OK || x->word != NULL || x->place != NULL)
		return r;
	return encode_texts(j, w, x, &p->err);
}

static bool has_known(const struct bt_tokenize *j,
                      const struct bt_tokenize_text *x)
{
	size_t special = j->opts.special
	                     ? bt_tok_specials(j->tok, x->rec.text_b.p != NULL)
	                     : 0;

	return x->word != NULL || x->e.n > x->e.unknown + special;
}

static int put(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
               struct bt_tokenize_text *x, struct bt_tokenize_piece *p)
{
	int r = BT_OK;

	x->known = (x->window > 0 && x->known) || has_known(j, x);

	if (j->opts.format == BT_TOKENIZE_TFRECORD) {
		r = put_record(j, w, x, p);
	} else if (j->opts.format == BT_TOKENIZE_JSON) {
		r = bt_tokenize_put_json(j, x, &p->out, &p->err);
	} else if (j->opts.format == BT_TOKENIZE_EXPLAIN) {
		bt_tokenize_explain(j->tok, x, &p->out);
	} else {
		bt_tokenize_put_ids(j, &x->e, " ", &p->out);
		bt_buf_putc(&p->out, '\n');
	}
	p->stats.records++;
	p->stats.tokens += x->e.n;
	p->stats.unknown += x->e.unknown;
	if (r == BT_OK)
		r = bt_grow(&p->end, &p->end_cap, p->n_end + 1,
		            sizeof(*p->end));
	if (r == BT_OK)
		p->end[p->n_end++] = p->out.len;
	return p->out.oom ? BT_ENOMEM : r;
}

/* The text of a field of the record, which becomes text_a. */
static int find_field(const struct bt_tokenize *j,
                      const struct bt_tokenize_item *item,
                      struct bt_tokenize_text *x, struct bt_error *err)
{
	const char *name = j->opts.fields[x->text - 2];
	struct bt_span *text = &x->rec.text_a;
	struct bt_example example;
	struct bt_feature f;
	int r;

	text->p = NULL;
	bt_example_open(&example, bt_buf_at(&j->bytes, item->at), item->len);
	while ((r = bt_example_next(&example, &f, err)) == 1)
		if (bt_feature_is(&f, name) &&
		    (r = bt_feature_text(&f, &text->p, &text->n, err)))
			return r;
	if (r == BT_OK && text->p == NULL)
		r = bt_error_hint(
		    err, BT_HINT_KEEP_FIELDS,
		    bt_error_set(err, BT_EFORMAT, "has no field '%s'", name));
	return r;
}

/* The further texts of a pair that is apart, or choices, each a record. */
static int encode_others(const struct bt_tokenize *j,
                         struct bt_tokenize_worker *w,
                         const struct bt_tokenize_item *item,
                         struct bt_tokenize_text *x,
                         struct bt_tokenize_piece *p)
{
	size_t n = x->choices > 0  ? x->choices
	           : j->opts.apart ? 2 + j->opts.n_fields
	                           : 1;
	int r = BT_OK;

	for (x->text = 1; r == BT_OK && x->text < n; x->text++) {
		if (x->choices > 0) {
			r = bt_tokenize_choice_next(j, w, x, &p->err);
		} else {
			x->rec.text_a = x->second;
			if (x->text > 1)
				r = find_field(j, item, x, &p->err);
			if (r == BT_OK && x->text > 1 && j->opts.mend)
				r = bt_tokenize_mend(w, 0, &x->rec.text_a,
				                     &x->mended);
		}
		if (r == BT_OK)
			r = encode_texts(j, w, x, &p->err);
		if (r == BT_OK)
			r = put(j, w, x, p);
		if (r == BT_OK)
			count_text(&p->stats, x, &w->question, 0);
	}
	return r;
}

int bt_tokenize_encode_one(const struct bt_tokenize *j,
                           struct bt_tokenize_worker *w,
                           const struct bt_tokenize_item *item,
                           struct bt_tokenize_piece *p)
{
	struct bt_tokenize_text x = {.number = j->stats.texts +
	                                       (uint64_t)(item - j->item)};
	int r = encode(j, w, item, &x, p);

	if (r == BT_OK)
		r = put(j, w, &x, p);
	while (r == BT_OK && ++x.window < x.e.windows) {
		r = x.word != NULL ? bt_tokenize_words_window(j, w, &x)
		                   : bt_tok_window(j->tok, w->scratch, x.window,
		                                   &x.e, &p->err);
		if (r == BT_OK && x.place != NULL)
			r = bt_tokenize_question_window(j, w, &x);
		if (r == BT_OK)
			r = put(j, w, &x, p);
	}
	if (r == BT_OK)
		count_text(&p->stats, &x, &w->question, item->len);
	if (r == BT_OK)
		r = encode_others(j, w, item, &x, p);
	p->stats.mended += x.mended;
	p->stats.mended_texts += x.mended > 0;
	return r;
}
