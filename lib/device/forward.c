/* SPDX-License-Identifier: MIT */
/* Texts in batches, one for each replica: while these run, the next are filled.
 * The batches are those of one device, so that their logits are, too. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/device_int.h"

#define BATCH_TOKENS 8192 /* at most */
#define TAIL 8            /* a smaller batch has so many times fewer rows */

/* Batches that run together. */
struct flight {
	struct bt_hlo_batch *b; /* [replicas] */
	int program;            /* or -1: none is under way */
	size_t row0;            /* the first row, of all, and their number: */
	size_t rows;            /* the last batches may have few or none */
	struct bt_pjrt_buffer **results; /* [replicas][the program's] */
};

struct job {
	struct bt_device *d;
	const struct bt_device_texts *t;
	struct bt_hlo_place *place; /* [n] */
	uint32_t *order;            /* [n] texts by their rows */
	uint32_t *row_first;        /* [rows + 1] first of them in a row */
	uint32_t *select_first;     /* [n + 1] first selected token of a text */
	size_t rows;
	int length, all_rows, some_rows; /* of batches, and of smaller ones */
	float *host;                     /* results of a batch */
	size_t host_cap;
};

static size_t tokens_of(const struct job *j, size_t t)
{
	return j->t->start[t + 1] - j->t->start[t];
}

/* The length of rows: that of a program that is there, if the longest text fits
 * it, else the next power of 2. */
static int choose_length(const struct bt_device *d, size_t longest)
{
	int own = 0, z;
	size_t i;

	for (i = 0; i < d->n_programs; i++) {
		z = d->programs[i].size.length;
		if (d->programs[i].kind == BT_DEVICE_FORWARD &&
		    (size_t)z >= longest && (own == 0 || z < own))
			own = z;
	}
	return own != 0 ? own : bt_device_row_length(longest);
}

/* Sorts texts by their rows, keeping their order. */
static int sort_by_rows(struct job *j, struct bt_error *err)
{
	size_t n = j->t->n, t, i, k;

	j->order = bt_array0(n + 1, sizeof(*j->order));
	j->row_first = bt_array0(j->rows + 2, sizeof(*j->row_first));
	j->select_first = bt_array0(n + 2, sizeof(*j->select_first));
	if (j->order == NULL || j->row_first == NULL || j->select_first == NULL)
		return bt_error_nomem(err, "placing texts in rows");
	for (t = 0; t < n; t++)
		j->row_first[j->place[t].row + 1]++;
	for (i = 0; i < j->rows; i++)
		j->row_first[i + 1] += j->row_first[i];
	for (t = 0; t < n; t++)
		j->order[j->row_first[j->place[t].row] + j->place[t].number] =
		    (uint32_t)t;
	for (t = k = 0; t < n; t++) {
		j->select_first[t] = (uint32_t)k;
		while (k < j->t->n_selected &&
		       j->t->selected[k] < j->t->start[t + 1])
			k++;
	}
	j->select_first[n] = (uint32_t)k;
	return BT_OK;
}

static int plan(struct job *j, struct bt_error *err)
{
	size_t longest = 1, t;
	int r;

	for (t = 0; t < j->t->n; t++)
		longest = tokens_of(j, t) > longest ? tokens_of(j, t) : longest;
	if (longest > BATCH_TOKENS)
		return bt_error_set(err, BT_ELIMIT,
		                    "a text of %zu tokens is too long for a "
		                    "device, which takes %d",
		                    longest, BATCH_TOKENS);
	j->length = choose_length(j->d, longest);
	j->all_rows = BATCH_TOKENS / j->length;
	j->some_rows = j->all_rows > TAIL ? j->all_rows / TAIL : 1;
	j->place = bt_array(j->t->n + 1, sizeof(*j->place));
	if (j->place == NULL)
		return bt_error_nomem(err, "placing texts in rows");
	r = bt_hlo_place(j->t->start, j->t->n, j->length, j->place, &j->rows,
	                 err);
	return r == BT_OK ? sort_by_rows(j, err) : r;
}

/* Selected tokens of rows row0 .. end - 1. */
static int selected_in(const struct job *j, size_t row0, size_t end)
{
	size_t i, n = 0;

	for (i = j->row_first[row0]; i < j->row_first[end]; i++)
		n += j->select_first[j->order[i] + 1] -
		     j->select_first[j->order[i]];
	return (int)n;
}

/* The rows of the batch that begins with a row: a full one, or one of several
 * small ones where these take less. */
static int rows_at(const struct job *j, size_t row0)
{
	size_t left = j->rows - row0;

	return left > (size_t)(j->all_rows / 2) ? j->all_rows : j->some_rows;
}

/* The first row of a replica's batch of a flight, one behind the last where it
 * has none. */
static size_t first_row(const struct flight *f, int replica, int rows)
{
	size_t row = f->row0 + (size_t)replica * (size_t)rows;

	return row < f->row0 + f->rows ? row : f->row0 + f->rows;
}

/* The size of the batches of a flight, and how many rows they have: those of as
 * many batches of one size as there are replicas. */
static struct bt_hlo_size plan_flight(const struct job *j, struct flight *f)
{
	struct bt_hlo_size z = {.rows = rows_at(j, f->row0),
	                        .length = j->length};
	size_t end = f->row0;
	int i, n, most = 0;

	for (i = 0;
	     i < j->d->replicas && end < j->rows && rows_at(j, end) == z.rows;
	     i++)
		end += j->rows - end < (size_t)z.rows ? j->rows - end
		                                      : (size_t)z.rows;
	f->rows = end - f->row0;
	for (i = 0; i < j->d->replicas; i++) {
		n = selected_in(j, first_row(f, i, z.rows),
		                first_row(f, i + 1, z.rows));
		most = n > most ? n : most;
	}
	z.texts = z.rows * bt_hlo_row_texts(z.length);
	z.selected = bt_device_room(j->d, most);
	return z;
}

/* A replica's batch. */
static int fill(const struct job *j, struct flight *f, int replica,
                struct bt_error *err)
{
	const struct bt_hlo_size *z = &j->d->programs[f->program].size;
	struct bt_hlo_batch *b = &f->b[replica];
	size_t row0 = first_row(f, replica, z->rows);
	size_t end = first_row(f, replica + 1, z->rows), i, k, t, first;
	struct bt_hlo_place p;
	int r;

	r = bt_hlo_batch_init(b, j->d->g, z, false, err);
	if (r != BT_OK)
		return r;
	for (i = j->row_first[row0]; i < j->row_first[end]; i++) {
		t = j->order[i];
		p = j->place[t];
		p.row -= (uint32_t)row0;
		first = j->t->start[t];
		bt_hlo_batch_add(b, &p, j->t->ids + first, j->t->types + first,
		                 tokens_of(j, t));
		for (k = j->select_first[t]; k < j->select_first[t + 1]; k++)
			(void)bt_hlo_batch_select(b, &p,
			                          j->t->selected[k] - first);
		j->d->report.tokens += tokens_of(j, t);
	}
	j->d->report.places += (uint64_t)z->rows * (uint64_t)z->length;
	return BT_OK;
}

/* Puts the batches on their devices and runs them. */
static int start(const struct job *j, struct flight *f, struct bt_error *err)
{
	struct bt_device *d = j->d;
	const struct bt_device_program *x = &d->programs[f->program];
	int args = x->text.n_args, n = d->replicas * args, i;
	struct bt_pjrt_buffer **in = bt_array0((size_t)n + 1, sizeof(*in));
	const struct bt_hlo_arg *a;
	int r = in == NULL ? bt_error_nomem(err, "running a program") : BT_OK;

	for (i = 0; i < n && r == BT_OK; i++) {
		a = &x->text.args[i % args];
		if (a->source == BT_HLO_ARG_PARAM)
			in[i] = d->param[i / args * d->g->n_params + a->param];
		else
			r = bt_device_put_arg(
			    d, i / args, a,
			    bt_hlo_batch_data(&f->b[i / args], a->source),
			    &in[i], err);
	}
	if (r == BT_OK)
		r = bt_pjrt_run(x->program, in, f->results, err);
	for (i = 0; in != NULL && i < n; i++)
		if (x->text.args[i % args].source != BT_HLO_ARG_PARAM)
			bt_pjrt_buffer_free(in[i]);
	free(in);
	return r;
}

/* Sets the batches that begin with a row, and the number of their program. */
static int choose(const struct job *j, struct flight *f, size_t row0,
                  struct bt_error *err)
{
	struct bt_hlo_size z;

	f->row0 = row0;
	z = plan_flight(j, f);
	f->program = bt_device_program(j->d, BT_DEVICE_FORWARD, &z, err);
	return f->program < 0 ? f->program : BT_OK;
}

/* Fills and starts the batches that begin with a row. */
static int launch(struct job *j, struct flight *f, size_t row0,
                  struct bt_error *err)
{
	int i, r = choose(j, f, row0, err);

	for (i = 0; i < j->d->replicas && r == BT_OK; i++)
		r = fill(j, f, i, err);
	return r == BT_OK ? start(j, f, err) : r;
}

/* Copies the rows of text t out of the results of a batch, which begins with
 * row0. */
static void copy_rows(const struct job *j, const struct bt_hlo_batch *b,
                      size_t row0, size_t t, const float *from,
                      enum bt_rows rows, size_t cols, size_t *selected,
                      float *to)
{
	struct bt_hlo_place p = j->place[t];
	size_t first = t, n = 1, at;

	p.row -= (uint32_t)row0;
	if (rows == BT_PER_SEQUENCE) {
		at = p.row * (size_t)bt_hlo_row_texts(j->length) + p.number;
	} else if (rows == BT_PER_TOKEN) {
		first = j->t->start[t];
		n = tokens_of(j, t);
		at = bt_hlo_token(b, &p);
	} else {
		first = j->select_first[t];
		n = j->select_first[t + 1] - first;
		at = *selected;
		*selected += n;
	}
	memcpy(to + first * cols, from + at * cols, n * cols * sizeof(*to));
}

/* Waits for a result of a replica's batch, and takes it. */
static int take(struct job *j, const struct flight *f, int replica, int k,
                struct bt_error *err)
{
	const struct bt_device_program *x = &j->d->programs[f->program];
	const struct bt_graph *g = j->d->g;
	const struct bt_hlo_shape *s = &x->text.results[k].shape;
	size_t n = (size_t)s->dim[0] * (size_t)s->dim[1], selected = 0;
	size_t row0 = first_row(f, replica, x->size.rows);
	size_t end = first_row(f, replica + 1, x->size.rows), i;
	int r;

	if (row0 == end)
		return BT_OK;
	if (bt_grow(&j->host, &j->host_cap, n, sizeof(*j->host)) != BT_OK)
		return bt_error_nomem(err, "running a program");
	r = bt_pjrt_get(f->results[replica * x->text.n_results + k], j->host,
	                n * sizeof(*j->host), err);
	for (i = j->row_first[row0]; i < j->row_first[end] && r == BT_OK; i++)
		copy_rows(j, &f->b[replica], row0, j->order[i], j->host,
		          g->nodes[k == 0 ? g->logits : g->next_logits].rows,
		          (size_t)s->dim[1], &selected,
		          k == 0 ? j->d->logits : j->d->next);
	return r;
}

/* Waits for batches, and takes their results. */
static int land(struct job *j, struct flight *f, struct bt_error *err)
{
	int k, n = j->d->programs[f->program].text.n_results, i, r = BT_OK;

	for (i = 0; i < j->d->replicas; i++)
		for (k = 0; k < n && r == BT_OK; k++)
			r = take(j, f, i, k, err);
	return r;
}

static int flight_init(const struct job *j, struct flight *f,
                       struct bt_error *err)
{
	size_t n = (size_t)j->d->replicas;

	f->program = -1;
	f->b = bt_array0(n, sizeof(*f->b));
	f->results = bt_array0(n * BT_DEVICE_RESULTS, sizeof(*f->results));
	return f->b == NULL || f->results == NULL
	           ? bt_error_nomem(err, "running a program")
	           : BT_OK;
}

static void flight_clear(const struct job *j, struct flight *f)
{
	int i;

	for (i = 0;
	     f->results != NULL && i < j->d->replicas * BT_DEVICE_RESULTS;
	     i++) {
		bt_pjrt_buffer_free(f->results[i]);
		f->results[i] = NULL;
	}
	for (i = 0; f->b != NULL && i < j->d->replicas; i++)
		bt_hlo_batch_clear(&f->b[i]);
	f->program = -1;
}

static void flight_free(const struct job *j, struct flight *f)
{
	flight_clear(j, f);
	free(f->b);
	free(f->results);
}

/* Goes through the batches for their programs alone, which are noted, or whose
 * costs are printed. */
static int pass(const struct job *j, struct bt_error *err)
{
	struct bt_device *d = j->d;
	struct flight f = {0};
	size_t row0;
	int r = BT_OK;

	for (row0 = 0; row0 < j->rows && r == BT_OK; row0 += f.rows) {
		r = choose(j, &f, row0, err);
		if (r == BT_OK && !d->planning)
			r = bt_device_cost_check(d, &d->programs[f.program],
			                         err);
	}
	return r;
}

/* Has the programs of all batches compiled beside each other. */
static int compile_ahead(const struct job *j, struct bt_error *err)
{
	int r;

	bt_device_plan_begin(j->d);
	r = pass(j, err);
	if (r == BT_OK)
		return bt_device_plan_end(j->d, err);
	j->d->planning = false;
	return r;
}

static int run(struct job *j, struct bt_error *err)
{
	struct flight f[2] = {{0}, {0}};
	size_t row0 = 0;
	int now = 0, r = flight_init(j, &f[0], err);

	if (r == BT_OK)
		r = flight_init(j, &f[1], err);
	while (r == BT_OK && (row0 < j->rows || f[!now].program >= 0)) {
		if (row0 < j->rows) {
			r = launch(j, &f[now], row0, err);
			row0 += f[now].rows;
		}
		now = !now;
		if (r == BT_OK && f[now].program >= 0)
			r = land(j, &f[now], err);
		flight_clear(j, &f[now]);
	}
	flight_free(j, &f[0]);
	flight_free(j, &f[1]);
	return r;
}

/* Room for all logits. */
static int make_room(struct job *j, struct bt_error *err)
{
	const struct bt_graph *g = j->d->g;
	const struct bt_node *n = &g->nodes[g->logits];
	size_t rows = n->rows == BT_PER_SEQUENCE ? j->t->n
	              : n->rows == BT_PER_TOKEN  ? j->t->start[j->t->n]
	                                         : j->t->n_selected;

	if (bt_grow(&j->d->logits, &j->d->logit_cap,
	            (rows + 1) * (size_t)n->cols, sizeof(float)) != BT_OK ||
	    bt_grow(&j->d->next, &j->d->next_cap, 2 * (j->t->n + 1),
	            sizeof(float)) != BT_OK)
		return bt_error_nomem(err, "running a program");
	return BT_OK;
}

int bt_device_forward(struct bt_device *d, const struct bt_device_texts *texts,
                      const float **logits, const float **next,
                      struct bt_error *err)
{
	struct job j = {.d = d, .t = texts};
	bool computes = !d->planning && d->costs.print == NULL;
	int r = plan(&j, err);

	if (r == BT_OK)
		r = computes ? compile_ahead(&j, err) : pass(&j, err);
	if (r == BT_OK && computes)
		r = make_room(&j, err);
	if (r == BT_OK && computes)
		r = run(&j, err);
	*logits = computes ? d->logits : NULL;
	*next = computes && d->g->next_logits >= 0 ? d->next : NULL;
	free(j.place);
	free(j.order);
	free(j.row_first);
	free(j.select_first);
	free(j.host);
	return r;
}
