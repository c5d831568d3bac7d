/* SPDX-License-Identifier: MIT */
/* Metrics where every word has a tag (entities.h), as conlleval and seqeval
 * define them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/softmax.h"
#include "metrics/metrics_int.h"
#include "record/entities.h"

struct bt_metrics_tags {
	struct bt_entity_tag *tag; /* [classes] */
	struct bt_labels types;
	uint64_t *right, *found, *given; /* [types]; one block, of right */
	const struct bt_entity_scheme *scheme; /* or NULL */
	struct bt_entity_reader truth, guess;
	bool same; /* an entity that began at the same word in both, with the
	            * same type, has ended in neither */
};

static const struct bt_entity_reader before = {{'O', -1}, false};

static void clear(struct bt_metrics *m)
{
	struct bt_metrics_tags *t = m->tags;

	if (t == NULL)
		return;
	free(t->tag);
	free(t->right);
	bt_labels_clear(&t->types);
	free(t);
	m->tags = NULL;
}

static int name_outputs(struct bt_metrics *m, const struct bt_labels *l,
                        struct bt_error *err)
{
	struct bt_metrics_tags *t = bt_array0(1, sizeof(*t));
	size_t n;
	int r;

	clear(m);
	m->tags = t;
	r = bt_entity_tags(l, &t->types, &t->tag, err);
	n = (size_t)t->types.n;
	t->right = bt_array0(3 * n + 1, sizeof(*t->right));
	if (r == BT_OK && t->right == NULL)
		return bt_error_nomem(err, "counting entities");
	t->found = t->right + n;
	t->given = t->found + n;
	t->truth = t->guess = before;
	return r;
}

static void count(struct bt_metrics_tags *t, struct bt_entity_tag truth,
                  struct bt_entity_tag guess)
{
	int given = t->truth.last.type, found = t->guess.last.type;
	struct bt_entity_step a = bt_entity_next(&t->truth, t->scheme, truth);
	struct bt_entity_step b = bt_entity_next(&t->guess, t->scheme, guess);

	if (t->same && a.ends && b.ends && a.whole && b.whole)
		t->right[given]++;
	if (a.ends && a.whole)
		t->given[given]++;
	if (b.ends && b.whole)
		t->found[found]++;
	if (a.ends || b.ends)
		t->same = false;
	if (a.begins || b.begins)
		t->same = a.begins && b.begins && truth.type == guess.type;
}

/* What is open ends with the text. */
static void begin(struct bt_metrics *m)
{
	count(m->tags, bt_entity_outside, bt_entity_outside);
}

static void reset(struct bt_metrics *m)
{
	struct bt_metrics_tags *t = m->tags;

	memset(t->right, 0, 3 * (size_t)t->types.n * sizeof(*t->right));
	t->truth = t->guess = before;
	t->same = false;
}

static double loss(const struct bt_metrics *m, int truth, const float *targets,
                   const float *logits)
{
	(void)targets;
	return bt_cross_entropy(logits, (size_t)m->classes, 1, (size_t)truth);
}

static int add(struct bt_metrics *m, int truth, const float *targets,
               const float *logits, struct bt_error *err)
{
	int best = bt_metrics_predicted(logits, m->classes, NULL);

	(void)targets;
	(void)err;
	m->hits[truth] += truth == best;
	m->support[truth]++;
	m->predicted[best]++;
	m->loss_sum += loss(m, truth, NULL, logits);
	m->n++;
	count(m->tags, m->tags->tag[truth], m->tags->tag[best]);
	return BT_OK;
}

struct counts {
	uint64_t right, found, given;
};

/* Of type k, those that last to the end of the data included. */
static struct counts count_type(const struct bt_metrics_tags *t, int k)
{
	struct bt_entity_reader truth = t->truth, guess = t->guess;
	struct bt_entity_step a, b;
	bool given, found;

	a = bt_entity_next(&truth, t->scheme, bt_entity_outside);
	b = bt_entity_next(&guess, t->scheme, bt_entity_outside);
	given = a.ends && a.whole && t->truth.last.type == k;
	found = b.ends && b.whole && t->guess.last.type == k;
	return (struct counts){t->right[k] + (t->same && given && found),
	                       t->found[k] + found, t->given[k] + given};
}

static struct bt_class_metrics of_type(const struct bt_metrics_tags *t, int k)
{
	struct counts c = count_type(t, k);

	return bt_metrics_rates(c.right, c.found, c.given);
}

static struct bt_class_metrics of_all(const struct bt_metrics_tags *t)
{
	struct counts all = {0}, c;
	int k;

	for (k = 0; k < t->types.n; k++) {
		c = count_type(t, k);
		all.right += c.right;
		all.found += c.found;
		all.given += c.given;
	}
	return bt_metrics_rates(all.right, all.found, all.given);
}

int bt_metrics_set_scheme(struct bt_metrics *m, const char *name,
                          const struct bt_labels *l, struct bt_error *err)
{
	const struct bt_entity_scheme *s = bt_entity_scheme(name, err);

	if (s == NULL)
		return BT_EARG;
	if (m->tags == NULL)
		return bt_error_set(err, BT_EARG,
		                    "the model does not tag words");
	m->tags->scheme = s;
	return bt_entity_scheme_check(s, l, err);
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	const struct bt_metrics_tags *t = m->tags;
	struct bt_class_metrics all = of_all(t), c;
	double hits = 0;
	int k, present = 0;

	for (k = 0; k < m->classes; k++)
		hits += (double)m->hits[k];
	s->accuracy = bt_metrics_ratio(hits, (double)m->n);
	s->loss = bt_metrics_ratio(m->loss_sum, (double)m->n);
	s->precision = all.precision;
	s->recall = all.recall;
	s->f1 = all.f1;
	for (k = 0; k < t->types.n; k++) {
		c = of_type(t, k);
		present += bt_metrics_average_add(&c, (double)all.support, s);
	}
	bt_metrics_average_end(present, s);
}

static void put_row(struct bt_buf *out, double precision, double recall,
                    double f1, uint64_t support)
{
	bt_buf_printf(out, "  %9.4f  %6.4f  %6.4f  %7llu\n", precision, recall,
	              f1, (unsigned long long)support);
}

static void report(const struct bt_metrics *m,
                   const struct bt_metrics_summary *s, struct bt_buf *out)
{
	const struct bt_metrics_tags *t = m->tags;
	int k, width = bt_labels_width(&t->types);
	struct bt_class_metrics c = of_all(t);
	uint64_t given = c.support;

	bt_buf_printf(out, "%-*s  precision  recall      f1  support\n", width,
	              "entity");
	for (k = 0; k < t->types.n; k++) {
		c = of_type(t, k);
		bt_labels_put(out, &t->types, k, width);
		put_row(out, c.precision, c.recall, c.f1, c.support);
	}
	bt_buf_printf(out, "\n%-*s", width, "micro avg");
	put_row(out, s->precision, s->recall, s->f1, given);
	bt_buf_printf(out, "%-*s", width, "macro avg");
	put_row(out, s->macro_precision, s->macro_recall, s->macro_f1, given);
	bt_buf_printf(out, "%-*s", width, "weighted avg");
	put_row(out, s->weighted_precision, s->weighted_recall, s->weighted_f1,
	        given);
	bt_buf_printf(out, "\naccuracy %.4f  loss %.4f  (%llu words)\n",
	              s->accuracy, s->loss, (unsigned long long)m->n);
}

static int json(const struct bt_metrics *m, const struct bt_labels *l,
                json_t *o)
{
	const struct bt_metrics_tags *t = m->tags;
	json_t *entities = json_array();
	struct bt_class_metrics c;
	int k;

	(void)l;
	for (k = 0; k < t->types.n; k++) {
		c = of_type(t, k);
		json_array_append_new(
		    entities,
		    json_pack("{s:s, s:f, s:f, s:f, s:I}", "type",
		              t->types.name[k], "precision", c.precision,
		              "recall", c.recall, "f1", c.f1, "support",
		              (json_int_t)c.support));
	}
	return json_object_set_new(o, "entities", entities);
}

const struct bt_metrics_kind bt_metrics_tagging = {
    .name = "tagging",
    .bit = BT_METRICS_TAGGING,
    .shown = {{"f1", "F1"}, {"accuracy", "accuracy of words"}},
    .name_outputs = name_outputs,
    .begin = begin,
    .reset = reset,
    .clear = clear,
    .loss = loss,
    .add = add,
    .summary = summary,
    .report_all = report,
    .json = json,
};
