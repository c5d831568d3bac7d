/* SPDX-License-Identifier: MIT */
/* An answer as a tf.Example. */
#include <string.h>

#include "format/tfrecord.h"
#include "predict/predict_int.h"

/* The numbers of the n labels that order names; NULL: in their order. */
static void put_numbers(struct bt_predict *p, const char *name,
                        const int *order, int n)
{
	int i;

	for (i = 0; i < n; i++)
		p->numbers[i] = (float)p->p[order != NULL ? order[i] : i];
	bt_example_add_floats(&p->example, name, p->numbers, (size_t)n);
}

/* The label and its probability, or the labels that hold. */
static void put_answer(struct bt_predict *p)
{
	const char *label;
	size_t n = 0;
	int i;

	if (!p->o.multi) {
		label = p->labels.name[p->order[0]];
		bt_example_add_text(&p->example, "label", label, strlen(label));
		put_numbers(p, "probability", p->order, 1);
		return;
	}
	for (i = 0; i < p->labels.n; i++)
		if (p->on[i])
			p->names[n++] = bt_span(p->labels.name[i]);
	bt_example_add_texts(&p->example, "labels", p->names, n);
}

static void put_top(struct bt_predict *p)
{
	int i;

	for (i = 0; i < p->o.top; i++)
		p->names[i] = bt_span(p->labels.name[p->order[i]]);
	bt_example_add_texts(&p->example, "top_labels", p->names,
	                     (size_t)p->o.top);
	put_numbers(p, "top_probabilities", p->order, p->o.top);
}

int bt_predict_record(struct bt_predict *p, struct bt_span id,
                      struct bt_error *err)
{
	struct bt_span data;

	bt_example_begin(&p->example);
	bt_example_add_text(&p->example, "id", id.p, id.n);
	if (p->o.number)
		put_numbers(p, p->labels.n > 1 ? "values" : "value", NULL,
		            p->labels.n);
	else
		put_answer(p);
	if (p->o.proba)
		put_numbers(p, "probabilities", NULL, p->labels.n);
	if (p->o.top > 0)
		put_top(p);
	data = bt_example_finish(&p->example);
	if (data.p == NULL)
		return bt_error_nomem(err, "printing");
	return bt_tfrecord_write(p->out, data.p, data.n, err);
}
