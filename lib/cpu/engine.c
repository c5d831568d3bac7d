/* SPDX-License-Identifier: MIT */
#include "cpu/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cpu/engine_int.h"
#include "cpu/roofline.h"

/* The operators on the CPU, by opcode. */
static const struct bt_cpu_op *const ops[BT_OPCODES] = {
    [BT_OP_EMBED] = &bt_cpu_embed,
    [BT_OP_LINEAR] = &bt_cpu_linear,
    [BT_OP_ATTENTION] = &bt_cpu_attention,
    [BT_OP_RESIDUAL_NORM] = &bt_cpu_residual_norm,
    [BT_OP_NORM] = &bt_cpu_norm,
    [BT_OP_ADD] = &bt_cpu_add,
    [BT_OP_GLU] = &bt_cpu_glu,
    [BT_OP_ADAPT] = &bt_cpu_adapt,
    [BT_OP_RELATIVE_POSITIONS] = &bt_cpu_relative_positions,
    [BT_OP_FIRST] = &bt_cpu_first,
    [BT_OP_SELECT] = &bt_cpu_select,
    [BT_OP_MEAN] = &bt_cpu_mean,
    [BT_OP_MAX] = &bt_cpu_max,
    [BT_OP_FLATTEN] = &bt_cpu_flatten,
    [BT_OP_DROPOUT] = &bt_cpu_dropout,
    [BT_OP_LOG_NORMALIZE] = &bt_cpu_log_normalize,
    [BT_OP_SOFTMAX_LOSS] = &bt_cpu_softmax_loss,
    [BT_OP_LOG_LOSS] = &bt_cpu_log_loss,
    [BT_OP_SQUARE_LOSS] = &bt_cpu_square_loss,
    [BT_OP_SIGMOID_LOSS] = &bt_cpu_sigmoid_loss,
    [BT_OP_SPAN_LOSS] = &bt_cpu_span_loss,
    [BT_OP_CHOICE_LOSS] = &bt_cpu_choice_loss,
    [BT_OP_EMBEDDING_LOSS] = &bt_cpu_embedding_loss,
};

bool bt_engine_prefers_bf16(const char *gemm)
{
	enum bt_isa isa;

	return bt_isa(&isa, NULL) == BT_OK && isa >= BT_ISA_AVX512BF16 &&
	       bt_gemm_fast_bf16(gemm);
}

static int new_gemm(const char *name, enum bt_isa isa, bool bf16, int workers,
                    struct bt_gemm **g, struct bt_error *err)
{
	if (name == NULL && isa == BT_ISA_REF)
		name = "ref";
	return bt_gemm_new(name, bf16, workers, g, err);
}

void bt_engine_products(struct bt_buf *out)
{
	bool bf16 = bt_engine_prefers_bf16(NULL);
	struct bt_gemm *g;
	enum bt_isa isa;

	if (bt_isa(&isa, NULL) == BT_OK &&
	    new_gemm(NULL, isa, bf16, 1, &g, NULL) == BT_OK) {
		bt_buf_printf(out, "matrix products: %s by %s\n",
		              bf16 ? "bf16" : "f32", bt_gemm_name(g));
		bt_gemm_free(g);
	}
}

/* Everything of a plan but the engine itself. */
static int plan(struct bt_engine *e, struct bt_error *err)
{
	enum bt_isa isa;
	int i, r = bt_isa(&isa, err);

	if (r != BT_OK)
		return r;
	e->k = bt_kernels_for(isa);
	r = new_gemm(e->o.gemm, isa, e->o.bf16, bt_pool_threads(e->o.pool),
	             &e->gemm, err);
	if (r != BT_OK)
		return r;
	e->run = bt_array0((size_t)e->g->n_nodes, sizeof(*e->run));
	if (e->run == NULL)
		return bt_error_nomem(err, "preparing the model");
	for (i = 0; i < e->g->n_nodes; i++) {
		e->run[i].op = ops[e->g->nodes[i].op];
		if (e->g->nodes[i].op == BT_OP_FLATTEN)
			e->length = (size_t)e->g->nodes[i].u.flatten.length;
	}
	bt_relative_plan(e);
	e->scratch_floats = bt_scratch_need(e);

	r = bt_plan_buffers(e, err);
	if (r == BT_OK && bt_engine_profile_init(e) != BT_OK)
		r = bt_error_nomem(err, "preparing the model");
	return r;
}

int bt_engine_plan(const struct bt_graph *g, const struct bt_engine_opts *o,
                   struct bt_engine **out, struct bt_error *err)
{
	struct bt_engine *e = bt_array0(1, sizeof(*e));
	int r;

	e->g = g;
	e->o = *o;
	if (e->o.max_selected == 0 || e->o.max_selected > e->o.max_tokens)
		e->o.max_selected = e->o.max_tokens;
	r = plan(e, err);
	if (r != BT_OK)
		bt_engine_free(e);
	else
		*out = e;
	return r;
}

int bt_engine_new(const struct bt_graph *g, const struct bt_engine_opts *o,
                  struct bt_engine **out, struct bt_error *err)
{
	struct bt_engine *e;
	int r = bt_engine_plan(g, o, &e, err);

	if (r != BT_OK)
		return r;
	r = bt_engine_allocate(e, err);
	if (r != BT_OK)
		bt_engine_free(e);
	else
		*out = e;
	return r;
}

void bt_engine_free(struct bt_engine *e)
{
	int i;

	if (e == NULL)
		return;
	for (i = 0; e->run != NULL && i < e->g->n_nodes; i++)
		bt_gemm_weight_free(bt_own_weight(e, i));
	bt_gemm_free(e->gemm);
	bt_scratch_free(e);
	bt_rope_free(e);
	bt_roofline_free(e->limits);
	free(e->run);
	free(e->lines);
	free(e->positions);
	free(e->numbers);
	free(e->rel_rows);
	free(e->zeros);
	free(e->param);
	free(e->gives);
	free(e->touched);
	free(e->touch);
	free(e->grad_row);
	bt_arena_clear(&e->params);
	bt_arena_clear(&e->grads);
	bt_arena_clear(&e->activations);
	free(e);
}

float *bt_engine_params(struct bt_engine *e)
{
	return e->params.base;
}

void bt_engine_map_param(struct bt_engine *e, int p, const float *values)
{
	assert(!bt_learns(e) &&
	       (bt_param_alone(e->g, p) || values == e->param[p]));
	e->param[p] = values;
}

int bt_engine_only_words(const struct bt_engine *e)
{
	const struct bt_node *n = e->g->nodes;
	int word, i, k, p, readers = 0;

	if (e->o.train || n->op != BT_OP_EMBED)
		return -1;
	word = n->u.embed.word;
	for (i = 0; i < e->g->n_nodes; i++)
		for (k = 0; (p = bt_node_param(&n[i], k)) >= 0; k++)
			readers += p == word;
	return readers == 1 && bt_param_alone(e->g, word) ? word : -1;
}

void bt_engine_map_words(struct bt_engine *e, const uint16_t *bf16)
{
	e->low_words = bf16;
}

const float *bt_engine_param(struct bt_engine *e, int p)
{
	float *own = (float *)e->params.base + e->g->params[p].offset;

	if (e->low_words != NULL && p == e->g->nodes[0].u.embed.word) {
		e->k->from_bf16(e->low_words, own,
		                bt_param_size(&e->g->params[p]));
		e->low_words = NULL;
	}
	return e->param[p];
}

float *bt_engine_grads(struct bt_engine *e)
{
	return e->grads.base;
}

void bt_engine_zero_grads(struct bt_engine *e)
{
	int p;

	if (e->by_rows)
		bt_forget_rows(e);
	for (p = 0; p < e->g->n_params; p++)
		if (bt_gives(e, p) && !bt_has_rows(e, p))
			memset(bt_grad(e, p), 0,
			       bt_param_size(&e->g->params[p]) * sizeof(float));
}

struct pack {
	struct bt_engine *e;
	bool all; /* else those that are trained */
};

/* The weight that a node is to pack, or NULL. */
static struct bt_gemm_weight *to_pack(const struct pack *a, int node)
{
	const struct bt_node *n = &a->e->g->nodes[node];

	return a->all || (n->op == BT_OP_LINEAR &&
	                  bt_gives(a->e, n->u.linear.weight))
	           ? bt_own_weight(a->e, node)
	           : NULL;
}

/* A list of chunks to pack, found by counting. */
static void pack_piece(void *arg, int piece, int worker)
{
	const struct pack *a = arg;
	struct bt_engine *e = a->e;
	struct bt_gemm_weight *w;
	int i, pass, n;

	for (i = 0; i < e->g->n_nodes; i++) {
		w = to_pack(a, i);
		for (pass = 0; w != NULL && pass < 2; pass++) {
			n = bt_gemm_chunks(w, (enum bt_gemm_pass)pass);
			if (piece < n) {
				bt_engine_fail(
				    e,
				    bt_gemm_pack(
				        w, (enum bt_gemm_pass)pass, piece,
				        bt_param(
				            e, e->g->nodes[i].u.linear.weight),
				        worker));
				return;
			}
			piece -= n;
		}
	}
}

/* 0, or the failure of a piece. */
static int check(struct bt_engine *e, struct bt_error *err)
{
	int code = atomic_exchange(&e->failed, BT_OK);

	if (code == BT_OK)
		return BT_OK;
	return bt_error_set(err, code, "a matrix product by %s failed",
	                    bt_gemm_name(e->gemm));
}

static int pack(struct bt_engine *e, bool all, struct bt_error *err)
{
	struct pack a = {e, all};
	double start = bt_seconds(), packed = 0;
	struct bt_gemm_weight *w;
	int i, pieces = 0;

	for (i = 0; i < e->g->n_nodes; i++) {
		w = to_pack(&a, i);
		if (w == NULL)
			continue;
		packed += (double)bt_gemm_weight_bytes(w);
		pieces += bt_gemm_chunks(w, BT_GEMM_FORWARD) +
		          bt_gemm_chunks(w, BT_GEMM_BACKWARD);
	}
	bt_engine_run(e, pack_piece, &a, pieces);
	if (e->o.profile != NULL)
		bt_profile_add(e->o.profile, e->pack_line, bt_seconds() - start,
		               0, packed * (e->o.bf16 ? 3 : 2));
	return check(e, err);
}

int bt_engine_pack(struct bt_engine *e, struct bt_error *err)
{
	return pack(e, true, err);
}

int bt_engine_pack_trained(struct bt_engine *e, struct bt_error *err)
{
	return pack(e, false, err);
}

static int check_batch(const struct bt_engine *e, const struct bt_batch *b,
                       struct bt_error *err)
{
	size_t t;

	if (b->sequences == 0 || b->sequences > e->o.max_sequences ||
	    b->tokens > e->o.max_tokens || b->n_selected > e->o.max_selected)
		return bt_error_set(
		    err, BT_EARG,
		    "batch of %zu sequences and %zu tokens, %zu of them "
		    "selected, exceeds %zu, %zu and %zu",
		    b->sequences, b->tokens, b->n_selected, e->o.max_sequences,
		    e->o.max_tokens, e->o.max_selected);
	for (t = 0; t < b->sequences && e->length != 0; t++)
		if (b->start[t + 1] - b->start[t] != e->length)
			return bt_error_set(err, BT_EARG,
			                    "sequence %zu of the batch has %u "
			                    "tokens (it must have %zu)",
			                    t, b->start[t + 1] - b->start[t],
			                    e->length);
	for (t = 0; t < b->sequences; t++)
		if (b->start[t + 1] <= b->start[t] ||
		    b->start[t + 1] - b->start[t] > e->o.max_length)
			return bt_error_set(err, BT_EARG,
			                    "sequence %zu of the batch has %u "
			                    "tokens (1 to %zu are possible)",
			                    t, b->start[t + 1] - b->start[t],
			                    e->o.max_length);
	return BT_OK;
}

int bt_engine_forward(struct bt_engine *e, const struct bt_batch *b,
                      struct bt_error *err)
{
	int n, r = check_batch(e, b, err);

	e->bad_sequence = -1;
	if (r != BT_OK)
		return r;
	bt_engine_sample_limits(e);
	e->b = *b;
	e->loss = 0;
	bt_relative_batch(e);
	bt_bind_buffers(e);
	for (n = 0; n < e->g->n_nodes; n++) {
		bt_engine_node(e, n, false);
		if (e->o.detect && bt_check_forward(e, n, err) != BT_OK)
			return BT_ELIMIT;
	}
	return check(e, err);
}

const float *bt_engine_logits(const struct bt_engine *e)
{
	return e->run[e->g->logits].buf[BT_SLOT_F32];
}

const float *bt_engine_next_logits(const struct bt_engine *e)
{
	return e->g->next_logits >= 0
	           ? e->run[e->g->next_logits].buf[BT_SLOT_F32]
	           : NULL;
}

size_t bt_engine_logit_rows(const struct bt_engine *e)
{
	return bt_rows_of(e, &e->g->nodes[e->g->logits]);
}

double bt_engine_loss(const struct bt_engine *e)
{
	return e->loss;
}

/* What the nodes behind the logits would give them. */
static void give_logit_grads(struct bt_engine *e)
{
	if (!e->run[e->g->logits].learns)
		return;
	memcpy(e->run[e->g->logits].buf[BT_SLOT_GRAD], e->b.logit_grads,
	       bt_engine_logit_rows(e) *
	           (size_t)e->g->nodes[e->g->logits].cols * sizeof(float));
}

void bt_engine_on_ready(struct bt_engine *e, bt_engine_ready_fn *fn, void *ctx)
{
	e->ready = fn;
	e->ready_ctx = ctx;
}

/* The end of the parameters of nodes below that one. */
static size_t params_below(const struct bt_engine *e, int node)
{
	const struct bt_param *p;
	size_t end = 0, at;
	int n, k, i;

	for (n = 0; n < node; n++)
		for (k = 0; (i = bt_node_param(&e->g->nodes[n], k)) >= 0; k++) {
			p = &e->g->params[i];
			at = p->offset + bt_param_size(p);
			end = at > end ? at : end;
		}
	return end;
}

int bt_engine_backward(struct bt_engine *e, bool add, struct bt_error *err)
{
	int n;

	e->add = add;
	for (n = e->g->n_nodes - 1; n >= 0; n--) {
		bt_recompute(e, n);
		if (e->b.logit_grads != NULL && n > e->g->logits)
			continue;
		if (e->b.logit_grads != NULL && n == e->g->logits)
			give_logit_grads(e);
		if (!e->run[n].learns)
			continue;
		bt_engine_node(e, n, true);
		if (e->o.detect && bt_check_backward(e, n, err) != BT_OK)
			return BT_ELIMIT;
		if (e->ready != NULL)
			e->ready(e->ready_ctx, params_below(e, n));
	}
	return check(e, err);
}

double bt_engine_flop(const struct bt_engine *e)
{
	double sum = 0;
	int i;

	for (i = 0; i < e->g->n_nodes; i++)
		sum += bt_engine_node_flop(e, i);
	return sum;
}

double bt_engine_backward_flop(const struct bt_engine *e)
{
	double sum = 0;
	int i;

	for (i = 0; i < e->g->n_nodes; i++)
		sum += bt_engine_node_backward_flop(e, i);
	return sum;
}

void bt_engine_limits(const struct bt_engine *e, size_t *tokens,
                      size_t *sequences)
{
	*tokens = e->o.max_tokens;
	*sequences = e->o.max_sequences;
}

struct bt_pool *bt_engine_pool(const struct bt_engine *e)
{
	return e->o.pool;
}

struct bt_engine_memory bt_engine_memory(const struct bt_engine *e)
{
	struct bt_engine_memory m = {0};
	const struct bt_node *n;
	int i;

	m.params = e->g->n_floats * sizeof(float);
	for (i = 0; i < e->g->n_params; i++)
		if (bt_gives(e, i))
			m.grads +=
			    bt_param_size(&e->g->params[i]) * sizeof(float);
	m.activations = e->activation_bytes;
	m.provider = bt_gemm_own_estimate(e->gemm);
	m.scratch = e->scratch_floats * sizeof(float) *
	            (size_t)bt_pool_threads(e->o.pool);
	m.scratch += bt_rope_bytes(e);
	for (i = 0; i < e->g->n_nodes; i++) {
		n = &e->g->nodes[i];
		if (bt_own_weight(e, i) != NULL)
			m.packed += bt_gemm_weight_bytes(e->run[i].weight);
		else if (n->op == BT_OP_LINEAR && e->run[i].packer == i)
			m.packed += bt_gemm_weight_estimate(
			    e->gemm, n->cols, e->g->nodes[n->in[0]].cols,
			    e->run[i].packs_backward);
	}
	return m;
}

const char *bt_engine_warning(const struct bt_engine *e)
{
	return bt_gemm_warning(e->gemm);
}

bool bt_engine_is_bf16(const struct bt_engine *e)
{
	return e->o.bf16;
}

void bt_engine_arithmetic(const struct bt_engine *e, struct bt_buf *out)
{
	bt_buf_printf(out, "products %s by %s, kernels %s",
	              e->o.bf16 ? "bf16" : "f32", bt_gemm_name(e->gemm),
	              bt_isa_name(e->k->isa));
}

void bt_engine_describe(const struct bt_engine *e, struct bt_buf *out)
{
	int threads = bt_pool_threads(e->o.pool);

	bt_engine_arithmetic(e, out);
	bt_buf_printf(out, ", %d thread%s", threads,
	              bt_plural((uint64_t)threads));
	if (e->o.recompute)
		bt_buf_puts(out, ", activations recomputed");
}
