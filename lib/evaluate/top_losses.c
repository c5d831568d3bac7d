/* SPDX-License-Identifier: MIT */
#include "evaluate/top_losses_int.h"

#include <stdlib.h>

#include "base/mem.h"

struct bt_top_losses *bt_top_losses_new(size_t most,
                                        const struct bt_metrics *like,
                                        const struct bt_answer_form *form,
                                        const struct bt_labels *labels)
{
	struct bt_top_losses *w = bt_array0(1, sizeof(*w));

	w->most = most;
	w->like = like;
	w->form = form;
	w->labels = labels;
	return w;
}

static void free_example(struct bt_top_losses_example *x)
{
	bt_buf_clear(&x->text[0]);
	bt_buf_clear(&x->text[1]);
	bt_buf_clear(&x->id);
	bt_buf_clear(&x->ids);
	bt_buf_clear(&x->types);
	bt_buf_clear(&x->targets);
	bt_buf_clear(&x->answer);
	free(x);
}

void bt_top_losses_free(struct bt_top_losses *w)
{
	size_t i;

	if (w == NULL)
		return;
	for (i = 0; i < w->n; i++)
		free_example(w->heap[i]);
	free(w->heap);
	free(w);
}

/* Below 0 where x is less wrong than y. */
static int compare(const struct bt_top_losses_example *x,
                   const struct bt_top_losses_example *y)
{
	if (x->loss != y->loss)
		return x->loss < y->loss ? -1 : 1;
	return (x->number < y->number) - (x->number > y->number);
}

static void swap(struct bt_top_losses *w, size_t i, size_t k)
{
	struct bt_top_losses_example *x = w->heap[i];

	w->heap[i] = w->heap[k];
	w->heap[k] = x;
}

static void rise(struct bt_top_losses *w, size_t i)
{
	for (; i > 0 && compare(w->heap[i], w->heap[(i - 1) / 2]) < 0;
	     i = (i - 1) / 2)
		swap(w, i, (i - 1) / 2);
}

static void sink(struct bt_top_losses *w, size_t i)
{
	size_t k;

	for (; (k = 2 * i + 1) < w->n; i = k) {
		if (k + 1 < w->n && compare(w->heap[k + 1], w->heap[k]) < 0)
			k++;
		if (compare(w->heap[i], w->heap[k]) < 0)
			return;
		swap(w, i, k);
	}
}

/* A copy of n bytes; false when out of memory. */
static bool copy(struct bt_buf *b, const void *from, size_t n)
{
	bt_buf_reset(b);
	if (n > 0)
		bt_buf_put(b, from, n);
	return !b->oom;
}

static bool fill(struct bt_top_losses *w, struct bt_top_losses_example *x,
                 const struct bt_top_losses_record *rec,
                 const struct bt_dataset *d, size_t k, const float *answer)
{
	size_t at = (size_t)d->start[k], n = bt_dataset_length(d, k);
	size_t width = (size_t)w->labels->n * sizeof(*answer);
	struct bt_span id = bt_dataset_id(d, k);

	x->has_id = id.p != NULL;
	x->label = d->label[k];
	x->texts = (rec->text[0].p != NULL) + (rec->text[1].p != NULL);
	return copy(&x->text[0], rec->text[0].p, rec->text[0].n) &&
	       copy(&x->text[1], rec->text[1].p, rec->text[1].n) &&
	       copy(&x->id, id.p, id.n) &&
	       copy(&x->ids, d->ids + at, n * sizeof(*d->ids)) &&
	       copy(&x->types, d->types + at, n) &&
	       copy(&x->answer, answer, width) &&
	       copy(&x->targets, d->width > 0 ? bt_dataset_target(d, k) : NULL,
	            d->width * sizeof(*d->target));
}

int bt_top_losses_add(struct bt_top_losses *w,
                      const struct bt_top_losses_record *rec,
                      const struct bt_dataset *d, size_t k, const float *answer,
                      struct bt_error *err)
{
	struct bt_top_losses_example *x, this = {.number = rec->number};
	bool full = w->n == w->most;

	this.loss = w->like->kind->loss(w->like, d->label[k],
	                                bt_dataset_target(d, k), answer);
	if (full && compare(&this, w->heap[0]) < 0)
		return BT_OK;
	if (full) {
		x = w->heap[0];
	} else {
		if (bt_grow(&w->heap, &w->cap, w->n + 1,
		            sizeof(struct bt_top_losses_example *)) != BT_OK)
			return bt_error_nomem(err, "keeping examples");
		x = w->heap[w->n++] = bt_array0(1, sizeof(*x));
	}
	if (!fill(w, x, rec, d, k, answer))
		return bt_error_nomem(err, "keeping examples");
	x->number = rec->number;
	x->loss = this.loss;
	if (full)
		sink(w, 0);
	else
		rise(w, w->n - 1);
	return BT_OK;
}

static int worst_first(const void *a, const void *b)
{
	const struct bt_top_losses_example *const *x = a, *const *y = b;

	return compare(*y, *x);
}

void bt_top_losses_sort(struct bt_top_losses *w)
{
	if (w->n > 1 && !w->sorted)
		qsort(w->heap, w->n, sizeof(struct bt_top_losses_example *),
		      worst_first);
	w->sorted = true;
}
