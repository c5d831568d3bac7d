/* SPDX-License-Identifier: MIT */
/* What is reported of the examples that a model was most wrong about. */
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

static struct bt_answered answered(const struct bt_top_losses *w,
                                   const struct view *v)
{
	return (struct bt_answered){w->labels, v->x->label, v->target,
	                            v->answer, w->like->bound};
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
	struct bt_answered a;
	struct words words;
	struct view v;
	size_t i;

	bt_top_losses_sort(w);
	words_init(&words, tok);
	bt_buf_printf(out, "\nmost wrong: record, %s, truth -> predicted\n",
	              w->form->loss);
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
		bt_buf_printf(out,
		              w->form->loss_fixed ? "  %.4f  " : "  %.6g  ",
		              x->loss);
		a = answered(w, &v);
		w->form->show(&a, out);
		bt_buf_putc(out, '\n');
		put_texts(&words, &v, out);
	}
	out->oom |= words.made[0].oom || words.made[1].oom;
	words_clear(&words);
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
	struct bt_answered a = answered(w, &v);
	json_t *o = json_object();
	int bad = json_object_set_new(o, "record",
	                              json_integer((json_int_t)x->number));

	if (x->has_id)
		bad |= json_object_set_new(o, "id",
		                           bt_escape_json(span_of(&x->id)));
	bad |= json_object_set_new(o, "loss", json_real(x->loss));
	w->form->show_json(&a, o);
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
