/* SPDX-License-Identifier: MIT */
/* What is told of the examples that a model was most wrong about. */
#include <math.h>
#include <string.h>

#include "evaluate/top_losses_int.h"
#include "format/escape.h"

#define LINE_MOST 300 /* bytes of a text that a line of the report has */
#define IDS_MOST 64

/* An example's parts by their types. */
struct view {
	const struct bt_top_losses_example *x;
	const int32_t *ids;
	const uint8_t *types;
	const float *target, *answer;
	size_t n; /* tokens */
};

static struct view view_of(const struct bt_top_losses_example *x)
{
	return (struct view){.x = x,
	                     .ids = (const int32_t *)bt_buf_at(&x->ids, 0),
	                     .types = (const uint8_t *)bt_buf_at(&x->types, 0),
	                     .target = (const float *)bt_buf_at(&x->targets, 0),
	                     .answer = (const float *)bt_buf_at(&x->answer, 0),
	                     .n = x->types.len};
}

/* Where the second text of a pair begins: with its segment or, where there is
 * but one segment, behind a separator that more follows; n: there is none. */
static size_t second_text(const struct view *v, const struct bt_tok *tok)
{
	int32_t sep = bt_tok_role(tok, BT_TOK_SEP);
	int32_t pad = bt_tok_role(tok, BT_TOK_PAD);
	size_t end = v->n, i;

	for (i = 1; i < v->n; i++)
		if (v->types[i] != v->types[0])
			return i;
	while (end > 0 && (v->ids[end - 1] == sep || v->ids[end - 1] == pad))
		end--;
	for (i = 1; i < end; i++)
		if (v->ids[i] == sep)
			return i;
	return v->n;
}

/* The texts of an example; decoder NULL: none can be made of its tokens. */
struct words {
	const struct bt_tok *tok;
	struct bt_tok_decoder *decoder;
	struct bt_buf made[2];
	struct bt_span text[2];
};

static void words_init(struct words *w, const struct bt_tok *tok)
{
	struct bt_error ignored = {0};

	memset(w, 0, sizeof(*w));
	w->tok = tok;
	if (tok != NULL &&
	    bt_tok_decoder_new(tok, &w->decoder, &ignored) != BT_OK)
		w->decoder = NULL;
}

static void words_clear(struct words *w)
{
	bt_tok_decoder_free(w->decoder);
	bt_buf_clear(&w->made[0]);
	bt_buf_clear(&w->made[1]);
}

static struct bt_span span_of(const struct bt_buf *b)
{
	return (struct bt_span){bt_buf_at(b, 0), b->len};
}

/* How many texts there are, known or made of the tokens; 0: that fails. */
static int find_texts(struct words *w, const struct view *v)
{
	struct bt_error ignored = {0};
	size_t b;
	int i;

	for (i = 0; i < v->x->texts; i++)
		w->text[i] = span_of(&v->x->text[i]);
	if (v->x->texts > 0 || w->decoder == NULL)
		return v->x->texts;
	b = second_text(v, w->tok);
	bt_buf_reset(&w->made[0]);
	bt_buf_reset(&w->made[1]);
	if (bt_tok_decode(w->tok, w->decoder, v->ids, b, true, &w->made[0],
	                  &ignored) != BT_OK ||
	    bt_tok_decode(w->tok, w->decoder, v->ids + b, v->n - b, true,
	                  &w->made[1], &ignored) != BT_OK)
		return 0;
	w->text[0] = span_of(&w->made[0]);
	w->text[1] = span_of(&w->made[1]);
	return b < v->n ? 2 : 1;
}

/* The likeliest class and its probability. */
static int likeliest(const struct bt_top_losses *w, const float *logits,
                     double *p)
{
	int i, best = 0;
	double sum = 0;

	for (i = 1; i < w->labels->n; i++)
		if (logits[i] > logits[best])
			best = i;
	for (i = 0; i < w->labels->n; i++)
		sum += exp((double)logits[i] - (double)logits[best]);
	*p = 1 / sum;
	return best;
}

static double sigmoid(float logit)
{
	return 1 / (1 + exp(-(double)logit));
}

/* Of labels that are true, or predicted: whether label i is one. */
static bool holds(const struct bt_top_losses *w, const struct view *v,
                  bool truth, int i)
{
	return truth ? v->target[i] > 0
	             : (double)v->answer[i] > bt_metrics_bound(w->like);
}

static void put_labels(const struct bt_top_losses *w, const struct view *v,
                       bool truth, struct bt_buf *out)
{
	bool any = false;
	int i;

	for (i = 0; i < w->labels->n; i++) {
		if (!holds(w, v, truth, i))
			continue;
		bt_buf_puts(out, any ? ", " : "");
		bt_escape_line(out, bt_span(w->labels->name[i]), 0);
		bt_buf_printf(out, " (%.4f)", sigmoid(v->answer[i]));
		any = true;
	}
	if (!any)
		bt_buf_puts(out, "(none)");
}

static void put_numbers(const struct bt_top_losses *w, const struct view *v,
                        struct bt_buf *out)
{
	int i;

	for (i = 0; i < w->labels->n; i++) {
		bt_buf_puts(out, i > 0 ? ", " : "");
		if (w->labels->n > 1) {
			bt_escape_line(out, bt_span(w->labels->name[i]), 0);
			bt_buf_putc(out, ' ');
		}
		bt_buf_printf(out, "%.6g -> %.6g", (double)v->target[i],
		              (double)v->answer[i]);
	}
}

static void put_answer(const struct bt_top_losses *w, const struct view *v,
                       struct bt_buf *out)
{
	double p;
	int best;

	if (w->like->number) {
		put_numbers(w, v, out);
	} else if (w->like->multi) {
		put_labels(w, v, true, out);
		bt_buf_puts(out, " -> ");
		put_labels(w, v, false, out);
	} else {
		best = likeliest(w, v->answer, &p);
		bt_escape_line(out, bt_span(w->labels->name[v->x->label]), 0);
		bt_buf_puts(out, " -> ");
		bt_escape_line(out, bt_span(w->labels->name[best]), 0);
		bt_buf_printf(out, " (%.4f)", p);
	}
	bt_buf_putc(out, '\n');
}

static void put_texts(struct words *words, const struct view *v,
                      struct bt_buf *out)
{
	int n = find_texts(words, v), i;
	size_t k;

	for (i = 0; i < n; i++) {
		bt_buf_puts(out, "        ");
		bt_escape_line(out, words->text[i], LINE_MOST);
		bt_buf_putc(out, '\n');
	}
	if (n > 0)
		return;
	bt_buf_puts(out, "        tokens");
	for (k = 0; k < v->n && k < IDS_MOST; k++)
		bt_buf_printf(out, " %d", (int)v->ids[k]);
	bt_buf_puts(out, k < v->n ? " ...\n" : "\n");
}

void bt_top_losses_report(struct bt_top_losses *w, const struct bt_tok *tok,
                          struct bt_buf *out)
{
	const struct bt_top_losses_example *x;
	struct words words;
	struct view v;
	size_t i;

	bt_top_losses_sort(w);
	words_init(&words, tok);
	bt_buf_printf(out, "\nmost wrong: record, %s, truth -> predicted\n",
	              w->like->number ? "squared error" : "loss");
	for (i = 0; i < w->n; i++) {
		x = w->heap[i];
		v = view_of(x);
		bt_buf_printf(out, "%7llu", (unsigned long long)x->number);
		if (x->has_id) {
			bt_buf_puts(out, " (");
			bt_escape_line(
			    out,
			    (struct bt_span){bt_buf_at(&x->id, 0), x->id.len},
			    60);
			bt_buf_putc(out, ')');
		}
		bt_buf_printf(out, w->like->number ? "  %.6g  " : "  %.4f  ",
		              x->loss);
		put_answer(w, &v, out);
		put_texts(&words, &v, out);
	}
	out->oom |= words.made[0].oom || words.made[1].oom;
	words_clear(&words);
}

static json_t *json_labels(const struct bt_top_losses *w, const struct view *v,
                           bool truth)
{
	json_t *all = json_array();
	int i, bad = 0;

	for (i = 0; i < w->labels->n; i++)
		if (holds(w, v, truth, i))
			bad |= json_array_append_new(
			    all,
			    json_pack("{s:s, s:f}", "label", w->labels->name[i],
			              "probability", sigmoid(v->answer[i])));
	if (bad == 0)
		return all;
	json_decref(all);
	return NULL;
}

/* One number, or an object of several by their names. */
static json_t *json_numbers(const struct bt_top_losses *w, const float *from)
{
	json_t *o;
	int i, bad = 0;

	if (w->labels->n == 1)
		return json_real((double)from[0]);
	o = json_object();
	for (i = 0; i < w->labels->n; i++)
		bad |= json_object_set_new(o, w->labels->name[i],
		                           json_real((double)from[i]));
	if (bad == 0)
		return o;
	json_decref(o);
	return NULL;
}

static int json_answer(const struct bt_top_losses *w, const struct view *v,
                       json_t *o)
{
	const char *const *name = (const char *const *)w->labels->name;
	double p;
	int best;

	if (w->like->number)
		return json_object_set_new(o, "value",
		                           json_numbers(w, v->target)) |
		       json_object_set_new(o, "predicted",
		                           json_numbers(w, v->answer));
	if (w->like->multi)
		return json_object_set_new(o, "labels",
		                           json_labels(w, v, true)) |
		       json_object_set_new(o, "predicted",
		                           json_labels(w, v, false));
	best = likeliest(w, v->answer, &p);
	return json_object_set_new(o, "label", json_string(name[v->x->label])) |
	       json_object_set_new(o, "predicted", json_string(name[best])) |
	       json_object_set_new(o, "probability", json_real(p));
}

static int json_texts(struct words *words, const struct view *v, json_t *o)
{
	int n = find_texts(words, v), bad = 0;
	json_t *ids;
	size_t k;

	if (n > 0)
		bad |= json_object_set_new(o, "text",
		                           bt_escape_json(words->text[0]));
	if (n > 1)
		bad |= json_object_set_new(o, "text_b",
		                           bt_escape_json(words->text[1]));
	if (n > 0)
		return bad | (words->made[0].oom || words->made[1].oom);
	ids = json_array();
	for (k = 0; k < v->n; k++)
		bad |= json_array_append_new(ids, json_integer(v->ids[k]));
	return bad | json_object_set_new(o, "tokens", ids);
}

static json_t *json_example(const struct bt_top_losses *w, struct words *words,
                            const struct bt_top_losses_example *x)
{
	struct view v = view_of(x);
	json_t *o = json_object();
	int bad = json_object_set_new(o, "record",
	                              json_integer((json_int_t)x->number));

	if (x->has_id)
		bad |= json_object_set_new(o, "id",
		                           bt_escape_json(span_of(&x->id)));
	bad |= json_object_set_new(o, "loss", json_real(x->loss));
	bad |= json_answer(w, &v, o);
	bad |= json_texts(words, &v, o);
	if (bad == 0)
		return o;
	json_decref(o);
	return NULL;
}

json_t *bt_top_losses_json(struct bt_top_losses *w, const struct bt_tok *tok)
{
	json_t *all = json_array();
	struct words words;
	int bad = 0;
	size_t i;

	bt_top_losses_sort(w);
	words_init(&words, tok);
	for (i = 0; i < w->n; i++)
		bad |= json_array_append_new(
		    all, json_example(w, &words, w->heap[i]));
	words_clear(&words);
	if (bad == 0)
		return all;
	json_decref(all);
	return NULL;
}
