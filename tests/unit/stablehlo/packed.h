/* SPDX-License-Identifier: MIT */
/* A fixture's batch in rows of a device's program. */
#ifndef PACKED_H
#define PACKED_H

#include "fixture.h"
#include "stablehlo/rows.h"

#define PACKED_SEED 0 /* the engine's of a fixture */

struct packed {
	struct bt_hlo_program p;
	struct bt_hlo_batch b;
	struct bt_hlo_place *place; /* [texts] */
	size_t *text;               /* [texts] rows of texts */
};

/* What text t is to be learned from, whose first token is that; its selected
 * tokens end before the batch's next. */
static inline struct bt_hlo_truth truth_of(const struct fixture *f, size_t t,
                                           size_t first, size_t next)
{
	struct bt_hlo_truth x = {.weight = f->b.loss_scale,
	                         .next = -1,
	                         .next_weight = f->b.next_scale,
	                         .token = f->b.token0 + (uint32_t)first,
	                         .number = f->b.sequence0 + (uint32_t)t};
	const struct bt_node *logits = &f->g.nodes[f->g.logits];
	size_t row = logits->rows == BT_PER_SEQUENCE   ? t
	             : logits->rows == BT_PER_SELECTED ? next
	                                               : first;

	if (f->b.labels != NULL)
		x.labels = f->b.labels + row;
	if (f->b.targets != NULL)
		x.targets = f->b.targets + t * (size_t)logits->cols;
	if (f->b.weights != NULL) {
		x.weight *= f->b.weights[t];
		x.next_weight *= f->b.weights[t];
	}
	if (f->b.teacher != NULL) {
		x.teacher = f->b.teacher;
		x.teacher_row = f->b.teacher_row + row;
	}
	if (f->b.next_labels != NULL)
		x.next = f->b.next_labels[t];
	return x;
}

/* Which text of the batch has the tokens of text t, the first that has. */
static inline int32_t equal_of(const struct fixture *f, size_t t)
{
	const uint32_t *at = f->b.start;
	size_t n = at[t + 1] - at[t], i = 0;

	while (at[i + 1] - at[i] != n ||
	       memcmp(f->b.ids + at[i], f->b.ids + at[t],
	              n * sizeof(*f->b.ids)) != 0)
		i++;
	return (int32_t)i;
}

/* Whether text t of embeddings begins a group. */
static inline bool is_first(const struct fixture *f, size_t t)
{
	return f->b.embedding_loss == BT_EMBEDDING_CLASSES
	           ? t % 2 == 0
	           : f->b.labels[t] == 0;
}

/* What texts of groups are to be learned from: of choices their targets tell
 * the groups, of embeddings their labels. */
static inline void learn_groups(const struct fixture *f, struct packed *k)
{
	bool choices = f->g.nodes[f->g.loss].op == BT_OP_CHOICE_LOSS;
	struct bt_hlo_member m;
	size_t t, n, i, c;

	for (t = 0; t < f->b.sequences; t += n) {
		for (n = 1;
		     choices ? n < (size_t)f->b.targets[2 * t + 1]
		             : t + n < f->b.sequences && !is_first(f, t + n);)
			n++;
		m = (struct bt_hlo_member){.group = (int32_t)t};
		for (i = 0; i < n; i++)
			m.weight +=
			    f->b.loss_scale *
			    (f->b.weights != NULL ? f->b.weights[t + i] : 1);
		for (i = 0; i < n; i++) {
			c = t + i;
			m.pair = i == 0 ? (int32_t)k->text[c + 1] : -1;
			m.equal = equal_of(f, c);
			m.target = choices ? f->b.targets[2 * c] == (float)i
			                   : f->b.targets[c];
			m.weight = choices || i == 0 ? m.weight : 0;
			bt_hlo_batch_group(&k->b, k->text[c], &m);
		}
	}
}

/* Rows of that length; `more` rows than the batch needs. With the backward
 * pass, if it learns. */
static inline void pack_fixture(const struct fixture *f, int length, int more,
                                bool low, bool learns, struct packed *k)
{
	size_t n = f->b.sequences, rows, t, i, s = 0, s0;
	struct bt_hlo_opts o = {.bf16 = low,
	                        .drops = f->b.train,
	                        .smoothing = f->b.smoothing,
	                        .class_weight = f->b.class_weight,
	                        .pos_weight = f->b.pos_weight,
	                        .teacher_weight = f->b.teacher_weight,
	                        .temperature = f->b.temperature,
	                        .embedding_loss = f->b.embedding_loss,
	                        .matryoshka = f->b.matryoshka};
	bool groups = bt_op_groups(&f->g);
	struct bt_hlo_truth truth;
	struct bt_error err = {0};

	memset(k, 0, sizeof(*k));
	k->place = malloc((n + 1) * sizeof(*k->place));
	k->text = malloc((n + 1) * sizeof(*k->text));
	assert_ok(bt_hlo_place(f->b.start, n, length, k->place, &rows, &err));
	o.size.rows = (int)rows + more;
	o.size.length = length;
	o.size.texts = o.size.rows * bt_hlo_row_texts(length);
	o.size.selected = (int)f->b.n_selected;
	if (f->g.loss >= 0 && f->g.nodes[f->g.loss].op == BT_OP_EMBEDDING_LOSS)
		o.size.compared = o.size.texts;
	assert_ok((learns ? bt_hlo_gradients : bt_hlo_forward)(&f->g, &o, &k->p,
	                                                       &err));
	assert_ok(bt_hlo_batch_init(&k->b, &f->g, &o.size, learns, &err));
	if (f->b.teacher != NULL)
		assert_ok(bt_hlo_batch_room(&k->b, BT_HLO_ARG_TEACHER, &err));
	if (learns)
		bt_hlo_batch_random(&k->b, PACKED_SEED, f->b.step, f->b.token0);
	for (t = 0; t < n; t++) {
		i = f->b.start[t];
		k->text[t] =
		    bt_hlo_batch_add(&k->b, &k->place[t], f->b.ids + i,
		                     f->b.types + i, f->b.start[t + 1] - i);
		for (s0 = s; s < f->b.n_selected &&
		             f->b.selected[s] < f->b.start[t + 1];
		     s++)
			assert_true(bt_hlo_batch_select(&k->b, &k->place[t],
			                                f->b.selected[s] - i));
		truth = truth_of(f, t, i, s0);
		if (groups)
			truth.labels = NULL, truth.targets = NULL;
		if (learns)
			bt_hlo_batch_learn(&k->b, &k->place[t], k->text[t],
			                   f->b.start[t + 1] - i, s - s0,
			                   &truth);
	}
	if (learns && groups)
		learn_groups(f, k);
}

static inline void packed_clear(struct packed *k)
{
	bt_hlo_program_clear(&k->p);
	bt_hlo_batch_clear(&k->b);
	free(k->place);
	free(k->text);
}

/* The row of the device's logits that is row i of the fixture's. */
static inline size_t packed_row(const struct fixture *f, const struct packed *k,
                                enum bt_rows rows, size_t i)
{
	size_t t = 0;

	if (rows == BT_PER_SELECTED)
		return i;
	if (rows == BT_PER_SEQUENCE)
		return k->text[i];
	while (i >= f->b.start[t + 1])
		t++;
	return bt_hlo_token(&k->b, &k->place[t]) + i - f->b.start[t];
}

#endif
