/* SPDX-License-Identifier: MIT */
/* A batch that is learned from, in pieces that are divided among devices. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/device_int.h"

/* What text t is to be learned from; its logits begin with row `selected` where
 * these are of selected tokens. */
static struct bt_hlo_truth truth_of(const struct bt_device *d,
                                    const struct bt_device_batch *b, size_t t,
                                    size_t selected)
{
	enum bt_rows rows = d->g->nodes[d->g->logits].rows;
	uint32_t first = b->texts.start[t];
	size_t row = rows == BT_PER_SEQUENCE   ? t
	             : rows == BT_PER_SELECTED ? selected
	                                       : first;
	float weight = b->weights != NULL ? b->weights[t] : 1;
	struct bt_hlo_truth x = {.weight = b->loss_scale * weight,
	                         .next = -1,
	                         .next_weight = b->next_scale * weight,
	                         .token = b->token0 + first,
	                         .number = b->sequence0 + (uint32_t)t};

	if (b->logit_grads != NULL)
		x.grads = b->logit_grads +
		          row * (size_t)d->g->nodes[d->g->logits].cols;
	if (d->learner->o.given || bt_op_groups(d->g))
		return x; /* see bt_device_fill_groups */
	if (b->labels != NULL)
		x.labels = b->labels + row;
	if (b->targets != NULL)
		x.targets = b->targets + t * b->n_targets;
	if (b->teacher != NULL) {
		x.teacher = b->teacher;
		x.teacher_row = b->teacher_row + row;
	}
	if (b->next_labels != NULL)
		x.next = b->next_labels[t];
	return x;
}

/* Selected tokens before a text. */
static size_t selected_before(const struct bt_device_texts *x, size_t text)
{
	size_t low = 0, high = x->n_selected, k;

	while (low < high) {
		k = (low + high) / 2;
		if (x->selected[k] < x->start[text])
			low = k + 1;
		else
			high = k;
	}
	return low;
}

/* The texts of a replica in their order, so that selected tokens are in
 * theirs. */
static void fill(const struct bt_device *d, const struct bt_device_part *p,
                 int replica)
{
	const struct bt_device_batch *b = p->b;
	const struct bt_device_texts *x = &b->texts;
	struct bt_hlo_batch *to = &p->x[replica];
	size_t t = bt_device_first(p, replica);
	size_t end = bt_device_first(p, replica + 1);
	size_t k = selected_before(x, t), first, n, k0, text;
	size_t pairs = d->learner->o.r_drop > 0;
	struct bt_hlo_truth truth;

	bt_hlo_batch_random(to, d->learner->o.seed, b->step,
	                    b->token0 + (uint32_t)k);
	for (; t < end; t++) {
		first = x->start[t];
		n = x->start[t + 1] - first;
		text = bt_hlo_batch_add(to, &p->place[t], x->ids + first,
		                        x->types + first, n);
		for (k0 = k;
		     k < x->n_selected && x->selected[k] < x->start[t + 1]; k++)
			(void)bt_hlo_batch_select(to, &p->place[t],
			                          x->selected[k] - first);
		truth = truth_of(d, b, t, k0);
		truth.other = bt_hlo_text(to, &p->place[t ^ pairs]);
		bt_hlo_batch_learn(to, &p->place[t], text, n, k - k0, &truth);
	}
}

static const void *batch_source(const void *ctx, int replica,
                                enum bt_hlo_source source)
{
	const struct bt_device_part *p = ctx;

	return bt_hlo_batch_data(&p->x[replica], source);
}

/* The size of a piece's program; its texts are placed for that. */
static int choose_size(struct bt_device *d, const struct bt_device_part *p,
                       struct bt_hlo_size *z, struct bt_error *err)
{
	const struct bt_device_texts *x = &p->b->texts;
	size_t most = 0, n;
	int i;

	for (i = 0; i < d->replicas; i++) {
		n = selected_before(x, bt_device_first(p, i + 1)) -
		    selected_before(x, bt_device_first(p, i));
		most = n > most ? n : most;
	}
	z->selected = bt_device_room(d, (int)most);
	i = bt_device_fit(&d->learner->sizes, &p->v, &p->piece, p->place, z,
	                  err);
	z->texts = z->rows * bt_hlo_row_texts(z->length);
	z->compared = d->learner->o.given ? 0 : bt_device_compared(d, z->texts);
	return i;
}

/* Copies the logits of a replica's texts to where all of them go. */
static int take_logits(struct bt_device *d, const struct bt_device_part *p,
                       int replica, struct bt_error *err)
{
	struct bt_pjrt_buffer **from = &d->learner->logits[replica];
	size_t cols = (size_t)d->g->nodes[d->g->logits].cols;
	size_t n = (size_t)p->x[replica].size.texts * cols, t;
	size_t end = bt_device_first(p, replica + 1);
	int r;

	if (bt_grow(&d->logits, &d->logit_cap, n, sizeof(*d->logits)) != BT_OK)
		return bt_error_nomem(err, "running a program");
	r = bt_pjrt_get(*from, d->logits, n * sizeof(*d->logits), err);
	bt_pjrt_buffer_free(*from);
	*from = NULL;
	for (t = bt_device_first(p, replica); t < end && r == BT_OK; t++)
		memcpy(p->logits + t * cols,
		       d->logits + bt_hlo_text(p->x, &p->place[t]) * cols,
		       cols * sizeof(*d->logits));
	return r;
}

/* Sets the arguments of a replica. */
static int fill_replica(const struct bt_device *d,
                        const struct bt_device_part *p,
                        const struct bt_hlo_size *z, int replica,
                        struct bt_error *err)
{
	struct bt_hlo_batch *x = &p->x[replica];
	int r = bt_hlo_batch_init(x, d->g, z, true, err);

	if (r == BT_OK && p->b->teacher != NULL)
		r = bt_hlo_batch_room(x, BT_HLO_ARG_TEACHER, err);
	if (r == BT_OK && p->b->logit_grads != NULL)
		r = bt_hlo_batch_room(x, BT_HLO_ARG_LOGIT_GRADS, err);
	if (r == BT_OK)
		fill(d, p, replica);
	return r;
}

static int run_filled(struct bt_device *d, struct bt_device_part *p,
                      int program, struct bt_error *err)
{
	const struct bt_hlo_size *z = &d->programs[program].size;
	const uint32_t *start = p->b->texts.start;
	int i, r = BT_OK;

	p->x = bt_array0((size_t)d->replicas, sizeof(*p->x));
	if (p->x == NULL)
		return bt_error_nomem(err, "placing texts in rows");
	for (i = 0; i < d->replicas && r == BT_OK; i++)
		r = fill_replica(d, p, z, i, err);
	if (r == BT_OK && bt_op_groups(d->g) && !d->learner->o.given)
		r = bt_device_fill_groups(p, err);
	if (r == BT_OK)
		r = bt_device_run(d, program, batch_source, p, err);
	for (i = 0; i < d->replicas && p->logits != NULL && r == BT_OK; i++)
		r = take_logits(d, p, i, err);
	for (i = 0; i < d->replicas; i++)
		bt_hlo_batch_clear(&p->x[i]);
	free(p->x);
	if (r != BT_OK)
		return r;
	d->report.tokens += start[p->piece.end] - start[p->piece.first];
	d->report.places +=
	    (uint64_t)d->replicas * (uint64_t)z->rows * (uint64_t)z->length;
	return BT_OK;
}

static int run_piece(struct bt_device *d, struct bt_device_part *p, bool add,
                     struct bt_error *err)
{
	struct bt_hlo_size z = {0};
	int program, r = choose_size(d, p, &z, err);

	if (r != BT_OK)
		return r;
	program = bt_device_program(d,
	                            p->embeds ? BT_DEVICE_EMBED
	                            : add     ? BT_DEVICE_ADDED
	                                      : BT_DEVICE_GRADIENTS,
	                            &z, err);
	if (program < 0 || d->planning)
		return program < 0 ? program : BT_OK;
	return d->costs.print != NULL
	           ? bt_device_cost_check(d, &d->programs[program], err)
	           : run_filled(d, p, program, err);
}

/* Whether a piece that was too large for the device can be run as smaller
 * ones: what it was to be added to must be there. Halves their limit. */
static bool shrink(struct bt_device *d, struct bt_device_part *p, bool add)
{
	struct bt_device_learner *l = d->learner;
	int i;

	for (i = 0;
	     add && d->costs.print == NULL && i < d->replicas * d->g->n_params;
	     i++)
		if (!d->g->params[i % d->g->n_params].frozen &&
		    l->grad[i] == NULL)
			return false;
	if (l->places == SIZE_MAX ||
	    p->piece.end <=
	        bt_device_least(&p->v, p->piece.first, p->b->texts.n))
		return false;
	while (l->places / 2 >= p->piece.rows * (size_t)p->piece.length)
		l->places /= 2;
	l->places /= 2;
	p->v.places = l->places;
	return true;
}

/* What texts that are neighbours are of each other, to be freed: passes over
 * one, or an anchor and its pair. */
static int32_t *number_pairs(size_t n)
{
	int32_t *number = bt_array(n + 1, sizeof(*number));
	size_t i;

	for (i = 0; number != NULL && i < n; i++)
		number[i] = (int32_t)(i % 2);
	return number;
}

/* Runs a batch, in pieces; p has what to do with it. */
static int run_pieces(struct bt_device *d, struct bt_device_part *p, bool add,
                      struct bt_error *err)
{
	const struct bt_device_learning *o = &d->learner->o;
	bool groups = bt_op_groups(d->g) && !o->given;
	bool pairs = o->r_drop > 0 ||
	             (groups && o->embedding_loss == BT_EMBEDDING_CLASSES);
	int32_t *pair = pairs ? number_pairs(p->b->texts.n) : NULL;
	size_t end = 0, n = p->b->texts.n;
	bool adds;
	int r = BT_OK;

	p->v = (struct bt_device_division){.start = p->b->texts.start,
	                                   .number = pairs    ? pair
	                                             : groups ? p->b->labels
	                                                      : NULL,
	                                   .replicas = d->replicas,
	                                   .places = d->learner->places};
	p->place = bt_array(n + 1, sizeof(*p->place));
	if (p->place == NULL || (pairs && pair == NULL))
		r = bt_error_nomem(err, "placing texts in rows");
	while (end < n && r == BT_OK) {
		r = bt_device_piece(&p->v, end, n, p->place, &p->piece, err);
		if (r != BT_OK)
			break;
		r = run_piece(d, p, add || end > 0, err);
		adds = d->learner->is_moved || (!p->embeds && (add || end > 0));
		if (r == BT_ENOMEM && shrink(d, p, adds)) {
			bt_error_clear(err);
			r = BT_OK;
			continue;
		}
		end = p->piece.end;
	}
	free(p->place);
	free(pair);
	return r;
}

int bt_device_gradients(struct bt_device *d, const struct bt_device_batch *b,
                        bool add, struct bt_error *err)
{
	struct bt_device_part p = {.b = b};

	if (!add)
		d->learner->row_squares = 0;
	return run_pieces(d, &p, add, err);
}

int bt_device_embed(struct bt_device *d, const struct bt_device_batch *b,
                    float *logits, struct bt_error *err)
{
	struct bt_device_part p = {.b = b, .embeds = true, .logits = logits};

	return run_pieces(d, &p, false, err);
}
