/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Every kernel of every instruction set of this machine against plain C, at all
 * small lengths, with guard pages. Tolerances: what rounding in another order
 * and the fitted exponential may give, in units of the values' size. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test.h"

#include <math.h>
#include <stdio.h>

#include "base/pool.h"
#include "cpu/kernels_int.h"
#include "guard.h"

#define LENGTHS 68 /* 0 .. 67: all tails of four vectors of 16 and more */

static const struct bt_kernels *k;
static const struct bt_kernels *const ref = &bt_kernels_ref;

static float *array(size_t n, float scale, uint64_t seed)
{
	float *x = guard_new(n, sizeof(*x));

	fill_random(x, n, scale, seed);
	return x;
}

/* An array of either type. */
static void *values(bool low, size_t n, float scale, uint64_t seed)
{
	uint16_t *h;
	float *x;
	size_t i;

	if (!low)
		return array(n, scale, seed);
	x = malloc((n + 1) * sizeof(*x));
	fill_random(x, n, scale, seed);
	h = guard_new(n, sizeof(*h));
	for (i = 0; i < n; i++)
		h[i] = bt_f32_to_bf16(x[i]);
	free(x);
	return h;
}

static float at(bool low, const void *x, size_t i)
{
	return low ? bt_bf16_to_f32(((const uint16_t *)x)[i])
	           : ((const float *)x)[i];
}

/* |got - want| <= tolerance * max(1, |want|), and one bf16 step for bf16. */
static void close_to(const char *what, bool low, const void *got,
                     const void *want, size_t n, float tolerance)
{
	float g, w, bound;
	size_t i;

	for (i = 0; i < n; i++) {
		g = at(low, got, i);
		w = at(low, want, i);
		bound =
		    tolerance * fmaxf(1, fabsf(w)) + (low ? fabsf(w) / 128 : 0);
		if (!(fabsf(g - w) <= bound))
			fail_msg("%s %s: element %zu of %zu is %.9g, not %.9g",
			         bt_isa_name(k->isa), what, i, n, (double)g,
			         (double)w);
	}
}

/* Of the lengths for attention slow builds take some, with all remainders that
 * a case asks for: the pages guard each kernel in any build. */
static size_t step(void)
{
	return slow_build() ? 7 : 1;
}

static void end_of_case(void)
{
	assert_int_equal(guard_free_all(), 0);
}

TEST(conversions)
{
	static const float special[] = {
	    0.0f,    -0.0f,  INFINITY,    -INFINITY,   NAN,   1.0f,
	    3.4e38f, 1e-40f, 1.00390625f, 1.01171875f, -2.5f, 65504.0f};
	size_t n, i, ns = sizeof(special) / sizeof(special[0]);
	uint16_t *a, *b;
	float *x, *y;

	for (n = 0; n < LENGTHS; n++) {
		x = array(n, 100, n);
		for (i = 0; i < n && n > 20; i++)
			x[i] = special[i % ns];
		a = guard_new(n, sizeof(*a));
		b = guard_new(n, sizeof(*b));
		k->to_bf16(x, a, n);
		ref->to_bf16(x, b, n);
		for (i = 0; i < n; i++) /* AVX512_BF16 has none below these */
			if (k->isa >= BT_ISA_AVX512BF16 && (b[i] & 0x7f80) == 0)
				b[i] &= 0x8000;
		assert_memory_equal(a, b, n * sizeof(*a));
		y = guard_new(n, sizeof(*y));
		k->from_bf16(a, y, n);
		ref->from_bf16(b, x, n);
		assert_memory_equal(x, y, n * sizeof(*x));
		end_of_case();
	}
	assert_int_equal(bt_f32_to_bf16(1.00390625f),
	                 0x3f80); /* half: to even */
	assert_int_equal(bt_f32_to_bf16(1.01171875f), 0x3f82);
}

TEST(dropout_is_the_same_everywhere)
{
	struct bt_dropout d = bt_dropout_make(0.1f, 12345678901ull, 7, 300, 5);
	size_t n, dropped = 0, i, total = 0;
	float *a, *b;

	for (n = 0; n < 400; n += n < LENGTHS ? 1 : 13) {
		a = guard_new(n, sizeof(*a));
		b = guard_new(n, sizeof(*b));
		k->dropout(&d, (uint32_t)n, n, a);
		ref->dropout(&d, (uint32_t)n, n, b);
		assert_memory_equal(a, b, n * sizeof(*a));
		for (i = 0; i < n; i++, total++)
			dropped += a[i] == 0;
		end_of_case();
	}
	assert_true(fabs((double)dropped / (double)total - 0.1) < 0.02);
	d = bt_dropout_make(0, 1, 1, 1, 1);
	a = guard_new(5, sizeof(*a));
	k->dropout(&d, 0, 5, a);
	assert_true(a[0] == 1 && a[4] == 1);
	end_of_case();
}

TEST(embeddings)
{
	static const int32_t ids[3] = {2, 0, 1}, positions[3] = {0, 1, 1};
	static const uint8_t types[3] = {1, 0, 1};
	struct bt_embed a = {0};
	float *x, *y;
	size_t n;

	for (n = 1; n < LENGTHS; n++) {
		a.cols = n;
		a.word = array(3 * n, 1, 1);
		a.position = array(2 * n, 1, 2);
		a.type = n % 2 ? array(2 * n, 1, 3) : NULL;
		a.ids = ids;
		a.positions = positions;
		a.types = types;
		x = guard_new(3 * n, sizeof(*x));
		y = guard_new(3 * n, sizeof(*y));
		k->embed(&a, x, 0, 3);
		ref->embed(&a, y, 0, 3);
		close_to("embed", false, x, y, 3 * n, 1e-6f);
		end_of_case();
	}
}

/* One norm of `rows` x n by both tables. */
static void norm_case(size_t rows, size_t n, bool low, bool add, bool rms)
{
	struct bt_norm a = {.cols = n, .eps = 1e-6f, .x_bf16 = low, .rms = rms},
	               b;
	size_t all = rows * n, room = 2 * bt_drop_room(n);
	float *scratch = guard_new(room, sizeof(float));
	float *g1 = array(n, 1, 21), *g2 = array(n, 1, 21);
	float *b1 = array(n, 1, 22), *b2 = array(n, 1, 22);

	a.residual = array(all, 2, 11);
	a.x = values(low, all, 2, 12);
	a.gamma = array(n, 2, 13);
	a.beta = array(n, 2, 14);
	a.drop = bt_dropout_make(0.2f, 1, 2, 3, 4);
	a.drop_out = bt_dropout_make(add ? 0.1f : 0, 5, 6, 7, 8);
	a.dy = array(all, 1, 15);
	a.add_residual = add;
	a.dx_bf16 = low;
	b = a;
#define BOTH(field, n, type)                                                   \
	a.field = guard_new(n, sizeof(type)),                                  \
	b.field = guard_new(n, sizeof(type))
	BOTH(z, all, float);
	BOTH(stats, 2 * rows, float);
	BOTH(y, all, float);
	BOTH(y_bf16, all, uint16_t);
	BOTH(dx, all, float);
#undef BOTH
	a.dx = values(low, all, 1, 16);
	b.dx = values(low, all, 1, 16);
	a.dresidual = array(all, 1, 17);
	b.dresidual = array(all, 1, 17);
	k->norm(&a, 0, rows, scratch);
	ref->norm(&b, 0, rows, scratch);
	close_to("norm z", false, a.z, b.z, all, 1e-6f);
	close_to("norm stats", false, a.stats, b.stats, 2 * rows, 2e-5f);
	close_to("norm", false, a.y, b.y, all, 1e-4f);
	close_to("norm bf16", true, a.y_bf16, b.y_bf16, all, 1e-4f);
	b.stats = a.stats; /* the same point for both */
	k->norm_back(&a, 0, rows, g1, b1, scratch);
	ref->norm_back(&b, 0, rows, g2, b2, scratch);
	if (n > 1) { /* one column: 0 times 1/sqrt(eps), mere rounding */
		close_to("norm dresidual", false, a.dresidual, b.dresidual, all,
		         2e-3f);
		close_to("norm dx", low, a.dx, b.dx, all, 2e-3f);
		close_to("norm dgamma", false, g1, g2, n, 1e-4f);
	}
	close_to("norm dbeta", false, b1, b2, n, 1e-5f);
	end_of_case();
}

TEST(norms)
{
	size_t n;

	for (n = 1; n < LENGTHS; n++)
		norm_case(3, n, n % 2, n % 3 == 0, n % 5 < 2);
	norm_case(5, 384, false, true, false);
	norm_case(5, 768, true, false, true);
}

static void sum_case(size_t rows, size_t n, bool low, bool both)
{
	struct bt_sum a = {.cols = n, .x_bf16 = low, .dx_bf16 = low}, b;
	float *scratch = guard_new(bt_drop_room(n), sizeof(float));
	size_t all = rows * n;

	a.residual = array(all, 1, 1);
	a.x = values(low, all, 1, 2);
	a.drop = bt_dropout_make(n % 4 ? 0.2f : 0, 5, 6, 7, 8);
	a.dy = array(all, 1, 3);
	a.add_residual = both;
	b = a;
	a.y = array(all, 0, 4);
	b.y = array(all, 0, 4);
	a.y_bf16 = values(true, all, 0, 5);
	b.y_bf16 = values(true, all, 0, 5);
	a.dx = values(low, all, 0, 6);
	b.dx = values(low, all, 0, 6);
	a.dresidual = array(all, 1, 7);
	b.dresidual = array(all, 1, 7);
	k->add(&a, 0, rows, scratch);
	ref->add(&b, 0, rows, scratch);
	close_to("add", false, a.y, b.y, all, 1e-6f);
	close_to("add, low", true, a.y_bf16, b.y_bf16, all, 1e-6f);
	if (both)
		a.y = NULL;
	else
		a.y_bf16 = NULL;
	k->add(&a, 0, rows, scratch);
	k->add_back(&a, 1, rows, scratch);
	ref->add_back(&b, 1, rows, scratch);
	close_to("add, dx", low, a.dx, b.dx, all, 1e-6f);
	close_to("add, dresidual", false, a.dresidual, b.dresidual, all, 1e-6f);
	end_of_case();
}

static void gated_case(size_t rows, size_t n, bool low, enum bt_activation act)
{
	struct bt_glu a = {.act = act,
	                   .cols = n,
	                   .gate = rows % 2 * n,
	                   .other = (rows + 1) % 2 * n,
	                   .x_bf16 = low,
	                   .dy_bf16 = low,
	                   .dx_bf16 = low},
	              b;
	float *scratch = guard_new(2 * n, sizeof(float));
	size_t all = rows * n;

	a.x = values(low, 2 * all, 2, 1);
	a.dy = values(low, all, 1, 2);
	b = a;
	a.y = array(all, 0, 3);
	b.y = array(all, 0, 3);
	a.y_bf16 = values(true, all, 0, 4);
	b.y_bf16 = values(true, all, 0, 4);
	a.dx = values(low, 2 * all, 0, 5);
	b.dx = values(low, 2 * all, 0, 5);
	k->glu(&a, 0, rows, scratch);
	ref->glu(&b, 0, rows, scratch);
	close_to("gated", false, a.y, b.y, all, 4e-6f);
	close_to("gated, low", true, a.y_bf16, b.y_bf16, all, 4e-6f);
	k->glu_back(&a, 1, rows, scratch);
	ref->glu_back(&b, 1, rows, scratch);
	close_to("gated, dx", low, a.dx, b.dx, 2 * all, 6e-6f);
	end_of_case();
}

TEST(sums_and_gates)
{
	int act;
	size_t n;

	for (n = 1; n < LENGTHS; n++) {
		sum_case(3, n, n % 2, n % 3);
		for (act = BT_ACT_NONE; act < BT_ACTIVATIONS; act++)
			gated_case(2 + n / 2 % 2, n, n % 2,
			           (enum bt_activation)act);
	}
}

TEST(activations)
{
	int act;
	size_t n;
	void *x, *dy, *a, *b;
	bool low;

	for (act = BT_ACT_NONE; act < BT_ACTIVATIONS; act++)
		for (n = 0; n < LENGTHS; n++) {
			low = n % 2;
			x = values(low, 3 * n, n > 40 ? 12 : 3, n);
			dy = values(low, 3 * n, 1, n + 1);
			a = values(low, 3 * n, 1, 2);
			b = values(low, 3 * n, 1, 2);
			k->act(act, low, x, a, 3, n, n);
			ref->act(act, low, x, b, 3, n, n);
			close_to("act", low, a, b, 3 * n, 2e-6f);
			k->act_back(act, low, x, dy, a, 3, n, n);
			ref->act_back(act, low, x, dy, b, 3, n, n);
			close_to("act_back", low, a, b, 3 * n, 3e-6f);
			/* a column range of wider rows, in place */
			if (n > 4) {
				k->act(act, low, x, x, 2, n - 4, n);
				ref->act(act, low, x, b, 2, n - 4, n);
			}
			end_of_case();
		}
}

#define LARGE 801 /* from -100 to 100 */

struct large {
	float x[LARGE], dy[LARGE], y[LARGE], dx[LARGE];
	enum bt_activation act;
};

static void large_piece(void *arg, int piece, int worker)
{
	struct large *l = arg;

	(void)piece;
	(void)worker;
	k->act(l->act, false, l->x, l->y, 1, LARGE, LARGE);
	k->act_back(l->act, false, l->x, l->dy, l->dx, 1, LARGE, LARGE);
}

/* As an engine calls it, where subnormal numbers are flushed to zero. */
TEST(activations_of_large)
{
	float y[LARGE], dx[LARGE];
	struct bt_pool *pool;
	struct large l;
	int act, i;

	assert_int_equal(bt_pool_new(1, &pool, NULL), BT_OK);
	for (i = 0; i < LARGE; i++) {
		l.x[i] = (float)(i - LARGE / 2) / 4;
		l.dy[i] = 1;
	}
	for (act = BT_ACT_NONE; act < BT_ACTIVATIONS; act++) {
		l.act = (enum bt_activation)act;
		memcpy(l.dx, l.dy, sizeof(l.dx));
		memcpy(dx, l.dy, sizeof(dx));
		bt_pool_run(pool, large_piece, &l, 1);
		ref->act(l.act, false, l.x, y, 1, LARGE, LARGE);
		ref->act_back(l.act, false, l.x, l.dy, dx, 1, LARGE, LARGE);
		close_to("act", false, l.y, y, LARGE, 2e-6f);
		close_to("act_back", false, l.dx, dx, LARGE, 3e-6f);
	}
	bt_pool_free(pool);
}

TEST(ranges)
{
	struct bt_adamw w = {.beta1 = .9f,
	                     .beta2 = .999f,
	                     .fresh1 = .1f,
	                     .fresh2 = .001f,
	                     .rate = 1,
	                     .correct2 = 31.6f,
	                     .eps = 1e-8f,
	                     .keep = .999f,
	                     .grad_scale = .5f,
	                     .limit = .3f};
	float *x, *y, *z, *p1, *m1, *v1, *p2, *m2, *v2;
	void *h;
	size_t n, i;

	for (n = 0; n < 3000; n += n < LENGTHS ? 1 : 531) {
		x = array(n, 1, 1);
		y = array(n, 1, 2);
		z = array(n, 1, 2);
		k->axpy(0.5f, x, y, n);
		ref->axpy(0.5f, x, z, n);
		close_to("axpy", false, y, z, n, 1e-6f);
		assert_true(fabs(k->sum_squares(x, n) -
		                 ref->sum_squares(x, n)) <= 1e-5 * (double)n);
		h = values(n % 2, 3 * n, 1, 5);
		k->column_sums(n % 2, h, 3, n, n, y);
		ref->column_sums(n % 2, h, 3, n, n, z);
		close_to("column_sums", false, y, z, n, 1e-5f);
		p1 = array(n, 1, 6);
		p2 = array(n, 1, 6);
		m1 = array(n, 1, 7);
		m2 = array(n, 1, 7);
		v1 = array(n, 1, 8);
		for (i = 0; i < n; i++)
			v1[i] = fabsf(v1[i]);
		v2 = guard_new(n, sizeof(*v2));
		memcpy(v2, v1, n * sizeof(*v2));
		k->adamw(&w, p1, m1, v1, x, n);
		ref->adamw(&w, p2, m2, v2, x, n);
		close_to("adamw p", false, p1, p2, n, 1e-5f);
		close_to("adamw m", false, m1, m2, n, 1e-6f);
		close_to("adamw v", false, v1, v2, n, 1e-6f);
		end_of_case();
	}
}

/* Steps without a gradient are those with one of zeros, bit by bit. */
TEST(idle_steps)
{
	enum { STEPS = 3 };
	struct bt_adamw w[STEPS];
	float *zeros, *p[2], *m[2], *v[2];
	size_t n, i, size;
	int s, live;

	for (s = 0; s < STEPS; s++)
		w[s] = (struct bt_adamw){.beta1 = .9f,
		                         .beta2 = .99f,
		                         .fresh1 = .1f,
		                         .fresh2 = .01f,
		                         .rate = .3f / (float)(s + 1),
		                         .correct2 = 3 - (float)s,
		                         .eps = 1e-8f,
		                         .keep = .97f + .01f * (float)s,
		                         .grad_scale = .7f,
		                         .limit = s > 0 ? INFINITY : 1};
	for (n = 0; n < 2 * LENGTHS; n++) {
		live = n % 2;
		size = n * sizeof(float);
		zeros = guard_new(n, sizeof(*zeros));
		memset(zeros, 0, size);
		for (s = 0; s < 2; s++) {
			p[s] = array(n, 1, 6);
			m[s] = array(n, 1, 7);
			v[s] = array(n, 1, 8);
			for (i = 0; i < n; i++) {
				m[s][i] = live ? m[s][i] : 0;
				v[s][i] = live ? fabsf(v[s][i]) : 0;
			}
		}
		for (s = 0; s < STEPS; s++)
			k->adamw(&w[s], p[0], m[0], v[0], zeros, n);
		k->adamw_idle(w, STEPS, p[1], live ? m[1] : NULL,
		              live ? v[1] : NULL, n);
		assert_memory_equal(p[0], p[1], size);
		assert_memory_equal(m[0], m[1], size);
		assert_memory_equal(v[0], v[1], size);
		end_of_case();
	}
}

/* The other optimizers against the definition, with tails of any length. */
TEST(optimizers)
{
	struct bt_adamw w = {.beta1 = .9f,
	                     .beta2 = .999f,
	                     .fresh1 = .1f,
	                     .fresh2 = .001f,
	                     .rate = .1f,
	                     .correct2 = 31.6f,
	                     .eps = 1e-6f,
	                     .keep = .999f,
	                     .decay = .01f,
	                     .grad_scale = .5f,
	                     .limit = .3f};
	struct bt_sgd s = {.9f, .1f, .01f, .5f, .3f};
	float *g, *p1, *p2, *m1, *m2, *v1, *v2;
	double a[2], b[2];
	size_t n, i;

	for (n = 0; n < 3000; n += n < LENGTHS ? 1 : 531) {
		g = array(n, 1, 1);
		p1 = array(n, 1, 6);
		p2 = array(n, 1, 6);
		m1 = array(n, 1, 7);
		m2 = array(n, 1, 7);
		v1 = array(n, 1, 8);
		v2 = array(n, 1, 8);
		for (i = 0; i < n; i++)
			v1[i] = v2[i] = fabsf(v1[i]);
		k->sgd(&s, p1, m1, g, n);
		ref->sgd(&s, p2, m2, g, n);
		close_to("sgd p", false, p1, p2, n, 1e-6f);
		close_to("sgd m", false, m1, m2, n, 1e-6f);
		a[0] = b[0] = 1;
		a[1] = b[1] = 2;
		k->lamb(&w, p1, m1, v1, g, n, a);
		ref->lamb(&w, p2, m2, v2, g, n, b);
		close_to("lamb m", false, m1, m2, n, 1e-6f);
		close_to("lamb v", false, v1, v2, n, 1e-6f);
		assert_true(fabs(a[0] - b[0]) <= 1e-5 * b[0]);
		assert_true(fabs(a[1] - b[1]) <= 1e-4 * b[1]);
		k->lamb_apply(&w, p1, m1, v1, n);
		ref->lamb_apply(&w, p2, m2, v2, n);
		close_to("lamb p", false, p1, p2, n, 1e-5f);
		end_of_case();
	}
}

/* Three steps of three parameters; values from PyTorch's AdamW. */
TEST(adamw_known_answers)
{
	static const float g[3][3] = {
	    {.1f, .2f, -.3f}, {0, -.1f, .4f}, {.5f, .5f, .5f}};
	static const float want[3][3] = {{.899f, -2.098f, .5995f},
	                                 {.8310952f, -2.1225357f, .5795494f},
	                                 {.7574727f, -2.1871362f, .52321f}};
	float p[3] = {1, -2, .5f}, m[3] = {0}, v[3] = {0};
	struct bt_adamw a = {.beta1 = .9f,
	                     .beta2 = .999f,
	                     .fresh1 = .1f,
	                     .fresh2 = .001f,
	                     .eps = 1e-8f,
	                     .keep = .999f,
	                     .grad_scale = 1,
	                     .limit = INFINITY};
	int t;

	for (t = 0; t < 3; t++) {
		a.rate = (float)(.1 / (1 - pow(.9, t + 1)));
		a.correct2 = (float)(1 / sqrt(1 - pow(.999, t + 1)));
		k->adamw(&a, p, m, v, g[t], 3);
		close_to("adamw", false, p, want[t], 3, 1e-6f);
	}
}

/* A pass reads nothing of the scratch that it has not written: that is NaN. */
static void spoil(const struct bt_attend *a)
{
	memset(a->scratch, 0xff,
	       bt_attend_scratch(a->q_rows, a->n, a->d, a->rel_row != NULL) *
	           sizeof(*a->scratch));
}

static void attend(const struct bt_kernels *table, const struct bt_attend *a)
{
	spoil(a);
	table->attend(a);
}

/* The backward pass of a head, or of two that share keys and values. */
static void attend_back(const struct bt_kernels *table, struct bt_attend *a,
                        bool shared)
{
	spoil(a);
	if (shared) {
		a->continues = true;
		table->attend_back(a);
		a->continues = false;
		a->resumes = true;
	}
	table->attend_back(a);
}

/* A head of q_rows x n x d by both tables, inside wider rows. */
static void attend_case(size_t q_rows, size_t n, size_t d, bool low,
                        size_t window)
{
	size_t q_ld = d + 3, kv_ld = 2 * d + 1, o_ld = d + 2;
	size_t nq = (q_rows - 1) * q_ld + d, nkv = (n - 1) * kv_ld + 2 * d;
	size_t no = (q_rows - 1) * o_ld + d, es = low ? 2 : 4;
	struct bt_attend a = {.q_rows = q_rows,
	                      .n = n,
	                      .d = d,
	                      .q_ld = q_ld,
	                      .kv_ld = kv_ld,
	                      .o_ld = o_ld,
	                      .lse_ld = 2,
	                      .window = window,
	                      .bf16 = low},
	                 b;
	float tolerance = low ? 2e-2f : 2e-5f;

	a.scale = 1.0f / sqrtf((float)d);
	a.q = values(low, nq, 3, 1);
	a.k = values(low, nkv, 3, 2);
	a.v = (const char *)a.k + d * es;
	a.drop = bt_dropout_make(n % 2 ? 0.1f : 0, 9, 8, 7, 6);
	a.scratch =
	    guard_new(bt_attend_scratch(q_rows, n, d, false), sizeof(float));
	a.dout = values(low, no, 1, 3);
	if (d % 2 == 0 && n % 2 != 0)
		a.rotary = array(n * d, 1, 10);
	a.neighbours = n % 8 > 4;
	b = a;
	a.o = values(low, no, 0, 4);
	b.o = values(low, no, 0, 4);
	a.lse = array(2 * q_rows, 0, 5);
	b.lse = array(2 * q_rows, 0, 5);
	a.dq = values(low, nq, 0, 6);
	b.dq = values(low, nq, 0, 6);
	a.dk = values(low, nkv, 0, 7);
	b.dk = values(low, nkv, 0, 7);
	a.dv = (char *)a.dk + d * es;
	b.dv = (char *)b.dk + d * es;
	if (n % 3 == 0) {
		a.bias = b.bias = array(q_rows + n - 1, 1, 8) + q_rows - 1;
		a.dbias = array(q_rows + n - 1, 1, 9) + q_rows - 1;
		b.dbias = array(q_rows + n - 1, 1, 9) + q_rows - 1;
	}
	attend(k, &a);
	attend(ref, &b);
	close_to("attend", low, a.o, b.o, no, tolerance);
	/* products of bf16 round what was rotated */
	close_to("attend lse", false, a.lse, b.lse, 2 * q_rows,
	         low && a.rotary != NULL ? tolerance : 2e-5f);
	attend_back(k, &a, n % 4 == 1);
	attend_back(ref, &b, n % 4 == 1);
	close_to("attend dq", low, a.dq, b.dq, nq, tolerance);
	close_to("attend dk, dv", low, a.dk, b.dk, nkv, tolerance);
	if (a.bias != NULL) /* sums of what rounded scores give */
		close_to("attend dbias", false, a.dbias - (q_rows - 1),
		         b.dbias - (q_rows - 1), q_rows + n - 1,
		         low && a.rotary != NULL ? 2 * tolerance : tolerance);
	end_of_case();
}

/* Places of distances: 2 span rows, buckets beyond 3. */
static void places_case(size_t q_rows, size_t n, size_t d, bool low, int which)
{
	const int32_t span = 6, far = (int32_t)n + 40;
	size_t rows = 2 * (size_t)span, dw = bt_round_up(d, 16), ld = 2 * d + 1;
	size_t nq = q_rows * d, nkv = n * 2 * d, nd = rows * dw;
	struct bt_attend a = {.q_rows = q_rows, .n = n, .d = d, .bf16 = low}, b;
	int32_t *place = guard_new(2 * (size_t)far + 1, sizeof(*place)), i, x;
	/* scores of 30 and more are rounded to 2e-6 before the exponential,
	 * and a row adds up as many as n pairs */
	float tolerance = low ? 2e-2f : n < 500 ? 6e-5f : 2e-4f;

	for (i = -far; i <= far; i++) {
		x = abs(i) < 3 ? i : i < 0 ? -3 + i / 20 : 3 + i / 20;
		x += 100 + span;
		place[far + i] = x < 100               ? 100
		                 : x >= 100 + 2 * span ? 99 + 2 * span
		                                       : x;
	}
	a.q_ld = a.o_ld = d;
	a.kv_ld = 2 * d;
	a.lse_ld = 1;
	a.scale = 0.3f;
	a.q = values(low, nq, 2, 1);
	a.k = values(low, nkv, 2, 2);
	a.v = (const char *)a.k + d * (low ? 2 : 4);
	a.rel_row = place + far;
	a.rel_row0 = 100;
	a.rel_ld = ld;
	if (which & 1)
		a.rel_k = values(low, rows * ld, 2, 3);
	if (which & 2)
		a.rel_q = values(low, rows * ld, 2, 4);
	a.drop = bt_dropout_make(n % 2 ? 0.1f : 0, 9, 8, 7, 6);
	a.scratch =
	    guard_new(bt_attend_scratch(q_rows, n, d, true), sizeof(float));
	a.dout = values(low, nq, 1, 5);
	b = a;
	a.o = values(low, nq, 0, 6);
	b.o = values(low, nq, 0, 6);
	a.lse = array(q_rows, 0, 7);
	b.lse = array(q_rows, 0, 7);
	a.dq = values(low, nq, 0, 8);
	b.dq = values(low, nq, 0, 8);
	a.dk = values(low, nkv, 0, 9);
	b.dk = values(low, nkv, 0, 9);
	a.dv = (char *)a.dk + d * (low ? 2 : 4);
	b.dv = (char *)b.dk + d * (low ? 2 : 4);
	a.drel_k = array(nd, 0, 10);
	b.drel_k = array(nd, 0, 10);
	a.drel_q = array(nd, 0, 11);
	b.drel_q = array(nd, 0, 11);
	attend(k, &a);
	attend(ref, &b);
	close_to("places", low, a.o, b.o, nq, tolerance);
	close_to("places lse", false, a.lse, b.lse, q_rows, 2e-5f);
	attend_back(k, &a, false);
	attend_back(ref, &b, false);
	close_to("places dq", low, a.dq, b.dq, nq, tolerance);
	close_to("places dk, dv", low, a.dk, b.dk, nkv, tolerance);
	close_to("dplace_k", false, a.drel_k, b.drel_k, nd, tolerance);
	close_to("dplace_q", false, a.drel_q, b.drel_q, nd, tolerance);
	end_of_case();
}

TEST(attention_with_places)
{
	static const size_t dims[] = {1, 16, 24, 64};
	size_t n, i;

	for (n = 1; n < LENGTHS; n += step())
		for (i = 0; i < 4; i++)
			places_case(n % 5 ? n : 1, n, dims[i], n % 3 == 0,
			            1 + (int)(n + i) % 3);
	places_case(150, 150, 32, false, 3);
	places_case(1, 150, 32, false, 3);
	places_case(270, 530, 16, false, 3);
}

TEST(attention)
{
	static const size_t dims[] = {1, 7, 16, 32, 33, 64};
	size_t n, i;

	for (n = 1; n < LENGTHS; n += step())
		for (i = 0; i < sizeof(dims) / sizeof(dims[0]); i++)
			attend_case(n % 5 ? n : 1, n, dims[i], (n + i) % 2,
			            n % 4 * i);
	attend_case(130, 130, 64, false, 0);
	attend_case(131, 131, 64, false, 64);
	attend_case(255, 255, 64, false, 20);
	attend_case(258, 258, 24, true, 1);
	attend_case(1, 200, 32, true, 0);
	attend_case(1, 201, 32, true, 64);
	/* several blocks of keys (512) and groups of queries (256), the last of
	 * each small; some rows of a tile that see nothing of a block */
	attend_case(270, 534, 33, true, 0);
	attend_case(270, 1035, 16, false, 0);
	attend_case(400, 652, 16, true, 250);
	attend_case(1, 1037, 64, false, 0);
	attend_case(1, 1036, 64, true, 700);
	if (slow_build())
		return;
	attend_case(531, 531, 33, false, 0);
	attend_case(400, 651, 16, false, 250);
	attend_case(270, 1037, 32, true, 0);
	attend_case(400, 651, 32, true, 250);
}

/* Element (row, n) of a packed matrix, as kernels.h says where it is. */
static float unpacked(const struct bt_pack *a, size_t row, size_t n)
{
	size_t rows = a->bf16 ? 32 : 16, i = row % rows, j = n % a->n_block, e;

	e = row / rows * a->k_stride + n / a->n_block * a->n_stride;
	e +=
	    a->bf16 ? (i / 2 * a->n_block + j) * 2 + i % 2 : i * a->n_block + j;
	return at(a->bf16, a->dst, e);
}

static void pack_case(size_t rows, size_t cols, size_t block, bool low,
                      bool along_k)
{
	struct bt_pack a = {
	    .k = rows, .n = cols, .bf16 = low, .n_block = block};
	size_t step = low ? 32 : 16, k_blocks = (rows + step - 1) / step;
	size_t n_blocks = (cols + block - 1) / block, i, j;
	size_t each = step * block;
	float *src = array(rows * cols, 1, 11), x;

	a.src = src;
	a.k_step = along_k ? 1 : cols;
	a.n_step = along_k ? rows : 1;
	a.k_stride = each;
	a.n_stride = each * k_blocks;
	a.dst = guard_new(k_blocks * n_blocks * each, low ? 2 : 4);
	memset(a.dst, 0xff, k_blocks * n_blocks * each * (low ? 2 : 4));
	k->pack(&a);
	for (i = 0; i < k_blocks * step; i++)
		for (j = 0; j < n_blocks * block; j++) {
			x = i < rows && j < cols
			        ? src[i * a.k_step + j * a.n_step]
			        : 0;
			if (low)
				x = bt_bf16_to_f32(bt_f32_to_bf16(x));
			if (unpacked(&a, i, j) != x)
				fail_msg("pack %zu x %zu in blocks of %zu "
				         "(%s, along %s): [%zu][%zu] is %g, "
				         "not %g",
				         rows, cols, block,
				         low ? "bf16" : "f32",
				         along_k ? "k" : "n", i, j,
				         (double)unpacked(&a, i, j), (double)x);
		}
	end_of_case();
}

TEST(packing)
{
	static const size_t blocks[] = {64, 48, 16, 8};
	size_t rows, i, way;

	for (i = 0; i < 4; i++)
		for (rows = 1; rows < 100; rows += rows < LENGTHS ? 1 : 9)
			for (way = 0; way < 4; way++)
				pack_case(rows, 1 + rows * 37 % 150, blocks[i],
				          way & 1, way & 2);
}

/* The second operand of a product as the kernels of t want it. */
static float *panels(const struct bt_kernels *t, const float *w, size_t n,
                     size_t depth)
{
	struct bt_pack a = bt_product_layout(t, depth, n);

	a.src = w;
	a.k_step = 1;
	a.n_step = depth;
	a.dst = guard_new(bt_product_floats(&a), sizeof(float));
	t->pack(&a);
	return a.dst;
}

/* What stands between the rows of C must stay; a row by itself gives the same
 * bits as among others. */
static void product_case(size_t m, size_t n, size_t depth, bool add, bool bias)
{
	size_t row = n + 1, room = (m - 1) * row + n, r;
	struct bt_multiply p = {.m = m,
	                        .n = n,
	                        .k = depth,
	                        .a = array(m * depth, 1, 1),
	                        .a_row = depth,
	                        .c_row = row,
	                        .add = add,
	                        .bias = bias ? array(n, 1, 3) : NULL};
	float *w = array(n * depth, 1, 2), *got = array(room, 1, 4);
	float *want = array(room, 1, 4), *alone = array(n, 1, 5);

	p.b = panels(ref, w, n, depth);
	p.c = want;
	ref->product(&p);
	p.b = panels(k, w, n, depth);
	p.c = got;
	k->product(&p);
	close_to("product", false, got, want, room, depth > 40 ? 1e-4f : 1e-5f);
	for (r = 0, p.m = 1; r < m && !add; r++, p.a += depth) {
		p.c = alone;
		k->product(&p);
		assert_memory_equal(alone, got + r * row, n * sizeof(*got));
	}
	end_of_case();
}

static void product_at_case(size_t m, size_t n, size_t depth, bool add)
{
	size_t row = n + 1, room = (m - 1) * row + n;
	struct bt_multiply p = {
	    .m = m,
	    .n = n,
	    .k = depth,
	    .a = array((depth - 1) * (m + 2) + m, 1, 1),
	    .a_row = m + 2,
	    .b = array((depth - 1) * row + n, 1, 2),
	    .b_row = row,
	    .c_row = row,
	    .add = add,
	    .scratch = guard_new(BT_PRODUCT_SCRATCH, sizeof(float))};
	float *got = array(room, 1, 4), *want = array(room, 1, 4);

	p.c = want;
	ref->product_at(&p);
	p.c = got;
	k->product_at(&p);
	close_to("product of A'", false, got, want, room,
	         depth > 40 ? 1e-4f : 1e-5f);
	end_of_case();
}

TEST(products)
{
	static const size_t columns[] = {1, 5, 16, 31, 48, 50, 97};
	static const size_t depths[] = {1, 2, 16, 37};
	size_t m, i, j;

	for (m = 1; m < 28; m++)
		for (i = 0; i < 7; i++)
			for (j = 0; j < 4; j++) {
				product_case(m, columns[i], depths[j], m % 2,
				             m % 3);
				product_at_case(m, columns[i], depths[j],
				                m % 2);
			}
	/* more than a block of each */
	product_case(100, 50, 800, false, true);
	product_case(101, 17, 385, true, true);
	product_case(7, 400, 768, false, false);
	product_at_case(400, 200, 20, false);
	product_at_case(10, 400, 30, true);
	product_at_case(30, 40, 800, false);
}

/* NaN must come out where NaN goes in, or a diverged run is hidden. */
TEST(nan_stays)
{
	float x[40], y[40], v[40 * 16], lse[2];
	uint16_t low[40];
	float *scratch =
	    guard_new(bt_attend_scratch(1, 40, 16, 0), sizeof(float));
	struct bt_attend a = {.q_rows = 1, .n = 40, .d = 16, .q_ld = 16};
	size_t i;

	for (i = 0; i < 40; i++)
		x[i] = i == 17 ? NAN : 0.5f;
	k->act(BT_ACT_GELU, false, x, y, 1, 40, 40);
	assert_true(isnan(y[17]));
	k->act(BT_ACT_GELU_TANH, false, x, y, 1, 40, 40);
	assert_true(isnan(y[17]));
	k->act(BT_ACT_SILU, false, x, y, 1, 40, 40);
	assert_true(isnan(y[17]));
	for (i = 0; i < 40; i++)
		low[i] = bt_f32_to_bf16(x[i]);
	k->act(BT_ACT_GELU, true, low, low, 1, 40, 40);
	assert_true(isnan(bt_bf16_to_f32(low[17])) &&
	            !isnan(bt_bf16_to_f32(low[16])));
	assert_true(isnan(k->sum_squares(x, 40)));
	fill_random(v, 40 * 16, 1, 1);
	a.kv_ld = a.o_ld = 16;
	a.q = x + 3;
	a.k = a.v = v;
	a.o = y;
	a.lse = lse;
	a.lse_ld = 1;
	a.scale = 1;
	a.drop.scale = 1;
	a.scratch = scratch;
	k->attend(&a);
	assert_true(isnan(y[0]));
	end_of_case();
}

/* Every bf16 number: the value is the nearest, or next to it where that is
 * nearly as near; the plain kernel's tail ends at f32's last place of 1. */
TEST(gelu_of_each)
{
	uint16_t *x = guard_new(65536, sizeof(*x));
	uint16_t *y = guard_new(65536, sizeof(*y));
	double v, want;
	size_t i;

	for (i = 0; i < 65536; i++)
		x[i] = (uint16_t)i;
	k->act(BT_ACT_GELU, true, x, y, 1, 65536, 65536);
	for (i = 0; i < 65536; i++) {
		v = (double)bt_bf16_to_f32(x[i]);
		if (isnan(v) || fabs(v) > 10 || fabs(v) < 1e-30)
			continue;
		want = v * erfc(-v * M_SQRT1_2) / 2;
		if (fabs(want) < 1e-30)
			continue;
		if (!(fabs((double)bt_bf16_to_f32(y[i]) - want) <=
		      fabs(want) * (1.0 / 256 + 3e-4) + 1e-6))
			fail_msg("%s: GELU(%g) is %g, not %g",
			         bt_isa_name(k->isa), v,
			         (double)bt_bf16_to_f32(y[i]), want);
	}
	end_of_case();
}

int main(void)
{
	enum bt_isa isa;
	struct bt_error err = {0};

	/* one instruction set a run: tests/numbers/instruction-sets.t goes
	 * through all of them with BT_ISA */
	if (bt_isa(&isa, &err) != BT_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	k = bt_kernels_for(isa);
	return run_listed();
}
