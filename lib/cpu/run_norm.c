/* SPDX-License-Identifier: MIT */
/*
 * residual_norm, norm and embed, which ends in the same norm, or in none: then
 * its z is its output. SAVED holds z, which of norm is its input and stands in
 * the output where nothing is learnt, SAVED2 the mean and 1/sqrt(var + eps) of
 * each row. Backward, each piece of rows sums its
 * own share of dgamma and dbeta into WORK, and the shares are added up in
 * order.
 */
#include <string.h>

#include "cpu/engine_int.h"

#define ROWS BT_EMBED_ROWS
#define SUM_ROWS ((size_t)64) /* rows that share sums in the backward pass */
#define COLUMNS 64            /* of a piece that adds up or scatters */

struct job {
	struct bt_engine *e;
	int node;
	size_t rows;
	struct bt_norm a;
	float *dgamma, *dbeta; /* NULL: not wanted */
};

static void plan_stats(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_slot_plan *p = e->run[node].plan;
	size_t rows = bt_max_rows(e, n), h = (size_t)n->cols;

	p[BT_SLOT_SAVED2].size = rows * 2 * sizeof(float);
	if (e->o.train)
		p[BT_SLOT_WORK].size = (size_t)bt_row_pieces(rows, SUM_ROWS) *
		                       2 * h * sizeof(float);
}

static void plan_norm(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	plan_stats(e, node);
	if (e->o.train)
		e->run[node].plan[BT_SLOT_SAVED].size =
		    bt_max_rows(e, n) * (size_t)n->cols * sizeof(float);
	else
		e->run[node].need_f32 = true;
}

static struct job make_job(struct bt_engine *e, int node, int gamma, int beta,
                           float eps)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_node_run *r = &e->run[node];
	struct job j = {.e = e, .node = node, .rows = bt_rows_of(e, n)};

	j.a.cols = (size_t)n->cols;
	j.a.gamma = gamma >= 0 ? bt_param(e, gamma) : NULL;
	j.a.beta = beta >= 0 ? bt_param(e, beta) : e->zeros;
	j.a.eps = eps;
	j.a.z = r->buf[e->o.train ? BT_SLOT_SAVED : BT_SLOT_F32];
	j.a.stats = r->buf[BT_SLOT_SAVED2];
	j.a.y = r->buf[BT_SLOT_F32];
	j.a.y_bf16 = r->buf[BT_SLOT_BF16];
	j.a.dy = r->buf[BT_SLOT_GRAD];
	if (bt_gives(e, gamma))
		j.dgamma = bt_grad(e, gamma);
	if (bt_gives(e, beta))
		j.dbeta = bt_grad(e, beta);
	return j;
}

static void zero_outputs(const struct job *j)
{
	bt_zero_tail(j->a.y, j->rows, j->a.cols, false);
	bt_zero_tail(j->a.y_bf16, j->rows, j->a.cols, true);
}

static void norm_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;

	j->e->k->norm(&j->a, (size_t)piece * ROWS,
	              bt_piece_end(j->rows, ROWS, piece),
	              j->e->scratch[worker]);
}

static void back_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	size_t h = j->a.cols;
	float *sums = (float *)j->e->run[j->node].buf[BT_SLOT_WORK] +
	              (size_t)piece * 2 * h;

	memset(sums, 0, 2 * h * sizeof(*sums));
	j->e->k->norm_back(&j->a, (size_t)piece * SUM_ROWS,
	                   bt_piece_end(j->rows, SUM_ROWS, piece), sums,
	                   sums + h, j->e->scratch[worker]);
}

/* Adds up the shares of COLUMNS columns. */
static void sum_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	const struct bt_engine *e = j->e;
	const float *sums = e->run[j->node].buf[BT_SLOT_WORK];
	size_t h = j->a.cols, c = (size_t)piece * COLUMNS;
	size_t n = h - c < COLUMNS ? h - c : COLUMNS;
	int i, shares = bt_row_pieces(j->rows, SUM_ROWS);

	(void)worker;
	if (j->dgamma != NULL && !bt_adds(e, j->node))
		memset(j->dgamma + c, 0, n * sizeof(float));
	if (j->dbeta != NULL && !bt_adds(e, j->node))
		memset(j->dbeta + c, 0, n * sizeof(float));
	for (i = 0; i < shares; i++, sums += 2 * h) {
		if (j->dgamma != NULL)
			e->k->axpy(1.0f, sums + c, j->dgamma + c, n);
		if (j->dbeta != NULL)
			e->k->axpy(1.0f, sums + h + c, j->dbeta + c, n);
	}
}

static int column_pieces(size_t h)
{
	return (int)((h + COLUMNS - 1) / COLUMNS);
}

static void back(struct job *j)
{
	bt_engine_run(j->e, back_piece, j, bt_row_pieces(j->rows, SUM_ROWS));
	if (j->dgamma != NULL || j->dbeta != NULL)
		bt_engine_run(j->e, sum_piece, j, column_pieces(j->a.cols));
}

static void plan_residual(struct bt_engine *e, int node)
{
	/* the second input may come in any type */
	e->run[e->g->nodes[node].in[0]].need_f32 = true;
	plan_norm(e, node);
}

static struct job residual_job(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_node_run *in0 = &e->run[n->in[0]], *in1 = &e->run[n->in[1]];
	struct job j =
	    make_job(e, node, n->u.norm.gamma, n->u.norm.beta, n->u.norm.eps);

	j.a.residual = in0->buf[BT_SLOT_F32];
	j.a.x_bf16 = !in1->need_f32;
	j.a.x = in1->buf[j.a.x_bf16 ? BT_SLOT_BF16 : BT_SLOT_F32];
	j.a.drop = bt_node_dropout(e, node, n->u.norm.dropout);
	j.a.drop_out = bt_node_dropout(e, node, 0);
	j.a.dresidual = in0->buf[BT_SLOT_GRAD];
	j.a.add_residual = !e->run[node].stores_grad[0];
	j.a.dx = in1->buf[BT_SLOT_GRAD];
	j.a.dx_bf16 = in1->grad_bf16;
	return j;
}

static void forward_residual(struct bt_engine *e, int node)
{
	struct job j = residual_job(e, node);

	bt_engine_run(e, norm_piece, &j, bt_row_pieces(j.rows, ROWS));
	zero_outputs(&j);
}

static void backward_residual(struct bt_engine *e, int node)
{
	struct job j = residual_job(e, node);

	back(&j);
}

const struct bt_cpu_op bt_cpu_residual_norm = {plan_residual, forward_residual,
                                               backward_residual};

static void plan_norm_of(struct bt_engine *e, int node)
{
	e->run[e->g->nodes[node].in[0]].need_f32 = true;
	plan_stats(e, node);
}

static struct job norm_job(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_node_run *in = &e->run[n->in[0]];
	struct job j =
	    make_job(e, node, n->u.norm.gamma, n->u.norm.beta, n->u.norm.eps);

	j.a.z = in->buf[BT_SLOT_F32];
	j.a.rms = n->u.norm.rms;
	j.a.drop = j.a.drop_out = bt_node_dropout(e, node, 0);
	j.a.dresidual = in->buf[BT_SLOT_GRAD];
	j.a.add_residual = !e->run[node].stores_grad[0];
	return j;
}

static void forward_norm(struct bt_engine *e, int node)
{
	struct job j = norm_job(e, node);

	bt_engine_run(e, norm_piece, &j, bt_row_pieces(j.rows, ROWS));
	zero_outputs(&j);
}

static void backward_norm(struct bt_engine *e, int node)
{
	struct job j = norm_job(e, node);

	back(&j);
}

const struct bt_cpu_op bt_cpu_norm = {plan_norm_of, forward_norm,
                                      backward_norm};

/* True for an embed node that ends in its sum. */
static bool is_bare(const struct bt_node *n)
{
	return n->u.embed.gamma < 0;
}

static void plan_embed(struct bt_engine *e, int node)
{
	if (is_bare(&e->g->nodes[node]))
		e->run[node].need_f32 = true;
	else
		plan_norm(e, node);
}

static struct job embed_job(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct job j = make_job(e, node, n->u.embed.gamma, n->u.embed.beta,
	                        n->u.embed.eps);

	j.a.drop = bt_node_dropout(e, node, 0);
	j.a.drop_out = bt_node_dropout(e, node, n->u.embed.dropout);
	if (is_bare(n))
		j.a.z = j.a.y;
	/* dz takes the place of the gradient it is made from, row by row */
	j.a.dresidual = e->run[node].buf[BT_SLOT_GRAD];
	return j;
}

/* Tokens row0 .. row1 - 1 have rows 0, 1, ... of `to`. */
static void low_rows(const struct bt_engine *e, size_t row0, size_t row1,
                     size_t cols, float *to)
{
	for (; row0 < row1; row0++, to += cols)
		e->k->from_bf16(e->low_words + (size_t)e->b.ids[row0] * cols,
		                to, cols);
}

static void embed_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_embed m = {.cols = j->a.cols};
	size_t row0 = (size_t)piece * ROWS;
	size_t row1 = bt_piece_end(j->rows, ROWS, piece);

	m.word = e->b.words != NULL ? e->b.words : bt_param(e, n->u.embed.word);
	m.ids = (e->b.words != NULL ? e->numbers : e->b.ids) + row0;
	if (e->b.words == NULL && e->low_words != NULL) {
		low_rows(e, row0, row1, m.cols, e->scratch[worker]);
		m.word = e->scratch[worker];
		m.ids = e->numbers;
	}
	m.position = n->u.embed.position >= 0 ? bt_param(e, n->u.embed.position)
	                                      : e->zeros;
	m.type = n->u.embed.type >= 0 ? bt_param(e, n->u.embed.type) : NULL;
	m.positions = e->positions + row0;
	m.types = e->b.types + row0;
	e->k->embed(&m, j->a.z + row0 * m.cols, 0, row1 - row0);
	if (!is_bare(n))
		norm_piece(arg, piece, worker);
	else if (j->a.y_bf16 != NULL)
		e->k->to_bf16(j->a.z + row0 * m.cols,
		              j->a.y_bf16 + row0 * m.cols,
		              (row1 - row0) * m.cols);
}

/* True for a token that the model takes for padding; see bt_op_embed. */
static bool is_pad(const struct bt_engine *e, const struct bt_node *n, size_t i)
{
	return e->b.ids[i] == n->u.embed.pad;
}

static void count_positions(struct bt_engine *e, const struct bt_node *n)
{
	int32_t first = n->u.embed.position0, next;
	size_t t, i;

	for (t = 0; t < e->b.sequences; t++) {
		next = first;
		for (i = e->b.start[t]; i < e->b.start[t + 1]; i++)
			e->positions[i] =
			    first > 0 && is_pad(e, n, i) ? first - 1 : next++;
	}
}

static void forward_embed(struct bt_engine *e, int node)
{
	struct job j = embed_job(e, node);

	if (e->g->nodes[node].u.embed.position >= 0)
		count_positions(e, &e->g->nodes[node]);
	bt_engine_run(e, embed_piece, &j, bt_row_pieces(j.rows, ROWS));
	zero_outputs(&j);
}

/* Sets a row of a table's gradient to zero in columns c .. c+n-1. */
static void zero_rows(float *d, size_t rows, size_t h, size_t c, size_t n)
{
	size_t i;

	for (i = 0; i < rows; i++)
		memset(d + i * h + c, 0, n * sizeof(*d));
}

/* Column c of the gradient of table p, or NULL where that is not wanted. */
static float *column(const struct bt_engine *e, int p, size_t c)
{
	return bt_gives(e, p) ? bt_grad(e, p) + c : NULL;
}

/* Adds the rows of dz to the rows of the tables they came from, COLUMNS columns
 * a piece, tokens in order. */
static void scatter_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t h = j->a.cols, c = (size_t)piece * COLUMNS, t;
	size_t w = h - c < COLUMNS ? h - c : COLUMNS;
	float *word = column(e, n->u.embed.word, c);
	const int32_t *row = e->grad_row;
	float *position = column(e, n->u.embed.position, c);
	float *type = column(e, n->u.embed.type, c);
	const float *dz = j->a.dresidual + c;
	bool pad;

	(void)worker;
	for (t = 0; t < j->rows; t++, dz += h) {
		pad = is_pad(e, n, t);
		if (word != NULL && !pad)
			e->k->axpy(1.0f, dz, word + (size_t)row[t] * h, w);
		if (position != NULL && (!pad || n->u.embed.position0 == 0))
			e->k->axpy(1.0f, dz,
			           position + (size_t)e->positions[t] * h, w);
		if (type != NULL)
			e->k->axpy(1.0f, dz, type + e->b.types[t] * h, w);
	}
}

void bt_forget_rows(struct bt_engine *e)
{
	while (e->n_touched > 0)
		e->touch[e->touched[--e->n_touched]] = 0;
}

int bt_engine_word_table(const struct bt_engine *e)
{
	const struct bt_node *n = &e->g->nodes[0];

	return n->op == BT_OP_EMBED && !e->tied && bt_gives(e, n->u.embed.word)
	           ? n->u.embed.word
	           : -1;
}

void bt_engine_by_rows(struct bt_engine *e, bool by_rows)
{
	int word = bt_engine_word_table(e);

	if (word < 0 || e->by_rows == by_rows)
		return;
	bt_forget_rows(e);
	if (!by_rows) /* rows of others lie in the table */
		memset(bt_grad(e, word), 0,
		       bt_param_size(&e->g->params[word]) * sizeof(float));
	e->by_rows = by_rows;
}

struct bt_row_grads bt_engine_row_grads(const struct bt_engine *e)
{
	return (struct bt_row_grads){
	    e->touched, bt_grad(e, e->g->nodes[0].u.embed.word), e->n_touched};
}

/* Before the first gradients of an update: clears what the last one left. The
 * word table is large, so only the rows that were touched. */
static void clear_tables(struct bt_engine *e, const struct bt_node *n)
{
	size_t h = (size_t)n->cols, i;
	float *word = bt_grad(e, n->u.embed.word);

	for (i = 0; i < e->n_touched && !e->tied && !e->by_rows; i++)
		memset(word + (size_t)e->touched[i] * h, 0, h * sizeof(*word));
	bt_forget_rows(e);
	if (bt_gives(e, n->u.embed.position))
		zero_rows(bt_grad(e, n->u.embed.position),
		          (size_t)e->g->params[n->u.embed.position].rows, h, 0,
		          h);
	if (bt_gives(e, n->u.embed.type))
		zero_rows(bt_grad(e, n->u.embed.type),
		          (size_t)e->g->params[n->u.embed.type].rows, h, 0, h);
}

/* The squares of the rows that were added, each by itself. */
static void count_squares(struct bt_engine *e, const struct job *j)
{
	const float *dz = j->a.dresidual;
	size_t h = j->a.cols, t;

	if (!e->add)
		e->row_squares = 0;
	for (t = 0; t < j->rows; t++, dz += h)
		if (!is_pad(e, &e->g->nodes[j->node], t))
			e->row_squares += e->k->sum_squares(dz, h);
}

double bt_engine_sparse_excess(const struct bt_engine *e)
{
	double sum = 0;
	size_t h = (size_t)e->g->nodes[0].cols, i;
	int table = bt_engine_word_table(e);
	const float *word;

	if (!e->o.sparse_norm || table < 0)
		return 0;
	word = bt_grad(e, table);
	for (i = 0; i < e->n_touched; i++)
		sum += e->k->sum_squares(
		    word + (e->by_rows ? i : (size_t)e->touched[i]) * h, h);
	return e->row_squares - sum;
}

/* Finds the rows of the table's gradient of the batch's tokens; new ones begin
 * with zeros. */
static void touch_rows(struct bt_engine *e, const struct bt_node *n)
{
	size_t h = (size_t)n->cols, t;
	float *word = bt_grad(e, n->u.embed.word);
	int32_t id;

	for (t = 0; t < e->b.tokens; t++) {
		id = e->b.ids[t];
		if (e->touch[id] == 0) {
			if (e->by_rows)
				memset(word + e->n_touched * h, 0,
				       h * sizeof(*word));
			e->touched[e->n_touched++] = id;
			e->touch[id] = (int32_t)e->n_touched;
		}
		e->grad_row[t] = e->by_rows ? e->touch[id] - 1 : id;
	}
}

static void backward_embed(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct job j = embed_job(e, node);

	if (!is_bare(n))
		back(&j);
	if (e->b.word_grads != NULL)
		memcpy(e->b.word_grads, j.a.dresidual,
		       j.rows * j.a.cols * sizeof(float));
	if (!bt_learns(e))
		return;
	if (!e->add)
		clear_tables(e, n);
	if (bt_gives(e, n->u.embed.word))
		touch_rows(e, n);
	bt_engine_run(e, scatter_piece, &j, column_pieces(j.a.cols));
	if (e->o.sparse_norm)
		count_squares(e, &j);
}

const struct bt_cpu_op bt_cpu_embed = {plan_embed, forward_embed,
                                       backward_embed};
