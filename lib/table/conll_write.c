/* SPDX-License-Identifier: MIT */
/* Sentences as text records. */
#include <stdlib.h>

#include "base/mem.h"
#include "format/tfrecord.h"
#include "table/conll_int.h"

int bt_conll_list(struct bt_conll_writer *w, const struct bt_conll_texts *t)
{
	size_t i, at = 0;

	if (bt_grow(&w->list, &w->cap, w->n + t->n, sizeof(*w->list)) != BT_OK)
		return BT_ENOMEM;
	for (i = 0; i < t->n; at = t->end[i++])
		w->list[w->n++] =
		    (struct bt_span){bt_buf_at(&t->bytes, at), t->end[i] - at};
	return BT_OK;
}

static int add(struct bt_conll_writer *w, const char *name,
               const struct bt_conll_texts *t)
{
	int e;

	w->n = 0;
	e = bt_conll_list(w, t);
	if (e == BT_OK && w->n > 0)
		bt_example_add_texts(&w->x, name, w->list, w->n);
	return e;
}

/* The words of sentences q[a .. b-1]. */
static int add_words(struct bt_conll_writer *w, const char *name,
                     const struct bt_conll_sentence *q, size_t a, size_t b)
{
	int e = BT_OK;

	for (w->n = 0; e == BT_OK && a < b; a++)
		e = bt_conll_list(w, &q[a].words);
	if (e == BT_OK && w->n > 0)
		bt_example_add_texts(&w->x, name, w->list, w->n);
	return e;
}

int bt_conll_write(struct bt_conll_writer *w, const struct bt_conll_sentence *q,
                   size_t from, size_t k, size_t to, struct bt_error *err)
{
	const struct bt_conll_sentence *s = &q[k];
	struct bt_span payload;

	bt_example_begin(&w->x);
	if (add_words(w, "after", q, k + 1, to) ||
	    add_words(w, "before", q, from, k))
		return bt_error_nomem(err, "reading a sentence");
	if (s->doc.len > 0)
		bt_example_add_text(&w->x, "doc", s->doc.data, s->doc.len);
	bt_example_add_text(&w->x, "id", s->id.data, s->id.len);
	if (add(w, "lines", &s->lines) || add(w, "tags", &s->tags))
		return bt_error_nomem(err, "reading a sentence");
	if (s->text.len > 0)
		bt_example_add_text(&w->x, "text", s->text.data, s->text.len);
	if (add(w, "words", &s->words))
		return bt_error_nomem(err, "reading a sentence");
	payload = bt_example_finish(&w->x);
	if (payload.p == NULL)
		return bt_error_nomem(err, "reading a sentence");
	return bt_tfrecord_write(w->out, payload.p, payload.n, err);
}

void bt_conll_writer_clear(struct bt_conll_writer *w)
{
	free(w->list);
	bt_example_clear(&w->x);
}
