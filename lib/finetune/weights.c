/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt/names.h"
#include "ckpt_format/safetensors.h"
#include "finetune/weights_int.h"
#include "model/layers.h"

#define SOME ((size_t)256) /* floats that are compared at once */

void bt_weights_report_clear(struct bt_weights_report *r)
{
	bt_buf_clear(&r->fresh_names);
	bt_buf_clear(&r->unused_names);
	memset(r, 0, sizeof(*r));
}

static void list(struct bt_buf *b, const char *name)
{
	if (b->len > 0)
		bt_buf_puts(b, ", ");
	bt_buf_puts(b, name);
}

/* For each parameter the tensor that holds it, or NULL; for each tensor whether
 * one wants it. */
struct match {
	struct bt_named_list named;
	const struct bt_named **of_param;
	bool *used;
	bool *left; /* [parameters] nothing is taken for */
};

static void free_match(struct match *m)
{
	bt_names_clear(&m->named);
	free(m->of_param);
	free(m->used);
	free(m->left);
}

/* The parameter that a tensor holds, -1: none. */
static int find_param(const struct bt_graph *g, const struct bt_named_list *l,
                      const struct bt_named *v)
{
	const char *name = v->from->name;
	char *full = bt_names_plain(l, g->prefix, name);
	int p = bt_graph_find(g, full + strlen(g->prefix));

	if (p < 0) /* in an encoder alone */
		p = bt_graph_find(g, full);
	if (p < 0 && v->known)
		p = bt_graph_find(g, v->name);
	free(full);
	return p;
}

bool bt_weights_has(const struct bt_ckpt *c, const char *name)
{
	struct bt_named_list l;
	const struct bt_named *v;
	bool has = false;

	if (bt_names_init(&l, c, NULL) != BT_OK)
		return false;
	if (bt_names_hf(&l, c, NULL) == BT_OK)
		for (v = l.v; v < l.v + l.n && !has; v++)
			has = strcmp(bt_names_unwrapped(&l, v->from->name),
			             name) == 0 ||
			      (v->known && strcmp(v->name, name) == 0);
	bt_names_clear(&l);
	return has;
}

static int find_tensors(const struct bt_graph *g, const struct bt_ckpt *c,
                        struct match *m, struct bt_error *err)
{
	size_t n = bt_ckpt_count(c), i;
	const struct bt_named *v;
	bool found;
	int p, r;

	m->of_param = bt_array0((size_t)g->n_params, sizeof(*m->of_param));
	m->used = bt_array0(n, sizeof(*m->used));
	if (m->of_param == NULL || m->used == NULL)
		return bt_error_nomem(err, "loading weights");
	r = bt_names_init(&m->named, c, err);
	if (r == BT_OK)
		r = bt_names_hf(&m->named, c, err);
	if (r == BT_OK)
		r = bt_names_one_model(&m->named, err);
	for (i = 0; i < n && r == BT_OK; i++) {
		v = &m->named.v[i];
		m->used[i] = v->again;
		if (v->again)
			continue;
		p = find_param(g, &m->named, v);
		if (p < 0)
			continue;
		if (m->of_param[p] != NULL)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s' holds '%s' twice, also as "
			                    "'%s'",
			                    bt_ckpt_path(c),
			                    m->of_param[p]->from->name,
			                    v->from->name);
		m->of_param[p] = v;
		m->used[i] = true;
	}
	/* the encoder, of which the table of words is the first parameter */
	found = r == BT_OK && m->of_param[0] != NULL;
	for (i = 0; i < n && r == BT_OK; i++) {
		if (m->used[i])
			continue;
		v = &m->named.v[i];
		p = bt_weights_bias(g, &m->named, v);
		if (p < 0 && !found)
			p = bt_weights_by_stem(g, &m->named, v);
		if (p >= 0 && m->of_param[p] == NULL) {
			m->of_param[p] = v;
			m->used[i] = true;
		}
	}
	return r;
}

/* What starts afresh although the checkpoint may hold it. */
static int leave_layers(const struct bt_graph *g, int fresh, struct match *m,
                        struct bt_error *err)
{
	int *layer = bt_array((size_t)g->n_params, sizeof(*layer)), n, i;

	m->left = bt_array0((size_t)g->n_params, sizeof(*m->left));
	n = bt_layers(g, layer);
	for (i = 0; fresh > 0 && i < g->n_params; i++)
		m->left[i] = layer[i] >= n - fresh;
	free(layer);
	if (fresh <= n)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "the model has %d layers with parameters of their "
	                    "own, so %d of them cannot start afresh",
	                    n, fresh);
}

static bool shape_fits(const struct bt_param *p, const struct bt_named *t)
{
	if (p->rank == 1)
		return t->rank == 1 && t->shape[0] == p->cols;
	return t->rank == 2 && t->shape[0] == p->rows && t->shape[1] == p->cols;
}

static int misfit(const struct bt_ckpt *c, const struct bt_param *p,
                  const struct bt_named *t, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *s;
	int i, r;

	for (i = 0; i < t->rank; i++)
		bt_buf_printf(&b, "%s%lld", i > 0 ? ", " : "",
		              (long long)t->shape[i]);
	s = bt_buf_str(&b);
	if (p->rank == 1)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s': tensor '%s' has shape [%s], the "
		                 "configuration asks for [%d]",
		                 bt_ckpt_path(c), t->from->name, s, p->cols);
	else
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s': tensor '%s' has shape [%s], the "
		                 "configuration asks for [%d, %d]",
		                 bt_ckpt_path(c), t->from->name, s, p->rows,
		                 p->cols);
	bt_buf_clear(&b);
	return r;
}

/* How many of the n numbers come before the first that is not finite. */
static size_t n_finite(const float *x, size_t n)
{
	float none[16] = {0}; /* 0 x is 0, but a NaN of a NaN or infinity */
	size_t i, k;

	for (i = 0; i + 16 <= n; i += 16)
		for (k = 0; k < 16; k++)
			none[k] += 0 * x[i + k];
	for (k = 0; k < 16; k++)
		if (isnan(none[k]))
			i = 0;
	while (i < n && isfinite(x[i]))
		i++;
	return i;
}

static int not_finite(const struct bt_ckpt *c, const struct bt_named *t,
                      size_t i, struct bt_error *err)
{
	return bt_error_set(err, BT_ECORRUPT,
	                    "'%s': tensor '%s' holds a NaN or an infinity "
	                    "(element %zu)",
	                    bt_ckpt_path(c), t->from->name, i);
}

/* Puts the numbers into out, or where at is not NULL and they can be used where
 * they stand, their place into *at. */
static int take(const struct bt_ckpt *c, const struct bt_param *p,
                const struct bt_named *t, float *out, const float **at,
                struct bt_error *err)
{
	size_t n = bt_param_size(p), i;
	const float *x = out;
	int r = bt_tensor_verify(t->from, err);

	if (r == BT_OK && at != NULL && t->from->dtype == BT_DTYPE_F32 &&
	    !t->transposed && t->from->data != NULL &&
	    (uintptr_t)t->from->data % sizeof(float) == 0)
		x = t->from->data;
	else if (r == BT_OK)
		r = bt_named_to_f32(t, out, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "'%s'", bt_ckpt_path(c));
	i = n_finite(x, n);
	if (i < n)
		return not_finite(c, t, i, err);
	if (at != NULL)
		*at = x;
	return BT_OK;
}

/* The same in bf16, where they stand. */
static int take_bf16(const struct bt_ckpt *c, const struct bt_param *p,
                     const struct bt_named *t, const uint16_t **at,
                     struct bt_error *err)
{
	size_t n = bt_param_size(p), i;
	const uint16_t *x = t->from->data;
	int r;

	if (t->from->dtype != BT_DTYPE_BF16 || t->transposed || x == NULL ||
	    (uintptr_t)x % sizeof(*x) != 0 || !shape_fits(p, t))
		return BT_OK;
	r = bt_tensor_verify(t->from, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "'%s'", bt_ckpt_path(c));
	for (i = 0; i < n; i++)
		if ((x[i] & 0x7f80) == 0x7f80)
			return not_finite(c, t, i, err);
	*at = x;
	return BT_OK;
}

/* The rows of classes in the checkpoint by which parameter p is taken, or NULL.
 */
static const int *rows_of(const struct bt_param *p,
                          const struct bt_weights_gaps *gaps)
{
	return p->classes && gaps != NULL ? gaps->old_row : NULL;
}

/* The parameter in the sizes that it has in the checkpoint. */
static struct bt_param as_there(const struct bt_param *p,
                                const struct bt_weights_gaps *gaps)
{
	struct bt_param there = *p;

	if (rows_of(p, gaps) != NULL)
		*(p->rank == 2 ? &there.rows : &there.cols) = gaps->n_old;
	return there;
}

/* The rows of the classes that were there, into out unless that is NULL; *taken
 * is their number. */
static int take_classes(const struct bt_ckpt *c, const struct bt_param *p,
                        const struct bt_named *t,
                        const struct bt_weights_gaps *gaps, float *out,
                        int *taken, struct bt_error *err)
{
	struct bt_param there = as_there(p, gaps);
	size_t cols = p->rank == 2 ? (size_t)p->cols : 1;
	size_t n = bt_param_size(p) / cols, i, k;
	const int *row = rows_of(p, gaps), *minus = gaps->minus_row;
	float *x = bt_array(bt_param_size(&there), sizeof(*x));
	int r = BT_OK;

	if (x == NULL)
		return bt_error_nomem(err, "loading weights");
	if (out != NULL)
		r = take(c, &there, t, x, NULL, err);
	*taken = 0;
	for (i = 0; r == BT_OK && i < n; i++) {
		if (row[i] < 0)
			continue;
		(*taken)++;
		if (out != NULL)
			memcpy(out + i * cols, x + (size_t)row[i] * cols,
			       cols * sizeof(*x));
		for (k = 0; out != NULL && minus != NULL && k < cols; k++)
			out[i * cols + k] -= x[(size_t)minus[i] * cols + k];
	}
	free(x);
	return r;
}

/* What no parameter wants. */
static int list_unused(const struct bt_graph *g, const struct bt_ckpt *c,
                       const struct bt_weights_gaps *gaps,
                       const struct match *m, struct bt_weights_report *rep,
                       struct bt_error *err)
{
	const struct bt_named *v;
	const char *name;
	char *plain;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < bt_ckpt_count(c); i++) {
		v = &m->named.v[i];
		name = v->from->name;
		/* buffers that are expected not to be wanted are not listed */
		if (m->used[i] || strstr(name, "position_ids") != NULL)
			continue;
		plain = bt_names_plain(&m->named, g->prefix,
		                       v->known ? v->name : name);
		r = bt_weights_gaps_unused(gaps, g, c, plain, name, err);
		free(plain);
		if (r == BT_OK)
			r = bt_weights_tied(gaps, g, c, m->of_param, v, err);
		rep->unused++;
		list(&rep->unused_names, name);
	}
	return r;
}

static int load_all(const struct bt_graph *g, const struct bt_ckpt *c,
                    bool fresh_head, const struct bt_weights_gaps *gaps,
                    const struct match *m, float *out, const float **at,
                    struct bt_weights_report *rep, struct bt_error *err)
{
	const struct bt_named *t;
	const struct bt_param *p;
	struct bt_param there;
	bool fresh;
	int i, r;

	rep->head_loaded = true;
	for (i = 0; i < g->n_params; i++) {
		p = &g->params[i];
		t = m->of_param[i];
		if (at != NULL)
			at[i] = out + p->offset;
		if (p->apart)
			continue;
		there = as_there(p, gaps);
		fresh = m->left[i] ||
		        (fresh_head && p->head &&
		         (t == NULL || (!shape_fits(&there, t) && p->classes)));
		if (fresh ||
		    (t == NULL && bt_weights_gaps_missing(gaps, p->name))) {
			rep->fresh++;
			list(&rep->fresh_names, p->name);
			if (p->classes)
				rep->head_loaded = false;
			continue;
		}
		if (t == NULL)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s' has no tensor '%s', which "
			                    "the model needs",
			                    bt_ckpt_path(c), p->name);
		if (!shape_fits(&there, t))
			return misfit(c, &there, t, err);
		r = BT_OK;
		if (rows_of(p, gaps) != NULL)
			r = take_classes(c, p, t, gaps,
			                 out != NULL ? out + p->offset : NULL,
			                 &rep->old_classes, err);
		else if (out != NULL)
			r = take(c, p, t, out + p->offset,
			         at != NULL && bt_param_alone(g, i) ? &at[i]
			                                            : NULL,
			         err);
		if (r != BT_OK)
			return r;
		rep->loaded++;
	}
	return BT_OK;
}

int bt_weights_load(const struct bt_graph *g, const struct bt_ckpt *c,
                    bool fresh_head, const struct bt_weights_gaps *gaps,
                    float *out, const float **at, struct bt_weights_report *rep,
                    struct bt_error *err)
{
	struct match m = {0};
	int r;

	memset(rep, 0, sizeof(*rep));
	r = bt_ckpt_verify(c, err);
	if (r == BT_OK)
		r = find_tensors(g, c, &m, err);
	if (r == BT_OK)
		r = leave_layers(g, gaps != NULL ? gaps->fresh_layers : 0, &m,
		                 err);
	if (r == BT_OK)
		r = load_all(g, c, fresh_head, gaps, &m, out, at, rep, err);
	if (r == BT_OK)
		r = list_unused(g, c, gaps, &m, rep, err);
	free_match(&m);
	if (r != BT_OK)
		bt_weights_report_clear(rep);
	return r;
}

/* The tensors of all sets, with memory for their names and shapes. */
struct tensors {
	struct bt_tensor *t;
	int64_t (*shape)[2];
	char **name;
	size_t n;
};

static void free_tensors(struct tensors *a)
{
	size_t i;

	for (i = 0; a->name != NULL && i < a->n; i++)
		free(a->name[i]);
	free(a->t);
	free(a->shape);
	free(a->name);
}

static char *joined(const char *a, const char *b)
{
	struct bt_buf s = BT_BUF_INIT;

	bt_buf_puts(&s, a);
	bt_buf_puts(&s, b);
	return bt_buf_detach(&s);
}

static int make_tensors(struct tensors *a, const struct bt_graph *g,
                        const struct bt_weights_set *sets, int n_sets)
{
	size_t most = (size_t)g->n_params * (size_t)n_sets, i, k;
	const struct bt_param *p;

	a->t = bt_array0(most, sizeof(*a->t));
	a->shape = bt_array(most, sizeof(*a->shape));
	a->name = bt_array0(most, sizeof(*a->name));
	if (a->t == NULL || a->shape == NULL || a->name == NULL)
		return BT_ENOMEM;
	for (k = 0; k < most; k++) {
		p = &g->params[k % (size_t)g->n_params];
		sets += k > 0 && k % (size_t)g->n_params == 0;
		if (sets->trained && p->frozen)
			continue;
		i = a->n++;
		a->name[i] = joined(sets->prefix, p->name);
		a->shape[i][0] = p->rank == 2 ? p->rows : p->cols;
		a->shape[i][1] = p->cols;
		a->t[i].name = a->name[i];
		a->t[i].dtype = BT_DTYPE_F32;
		a->t[i].rank = p->rank;
		a->t[i].shape = a->shape[i];
		a->t[i].data = sets->values + p->offset;
	}
	return BT_OK;
}

int bt_weights_write(struct bt_out *out, const struct bt_graph *g,
                     const struct bt_weights_set *sets, int n_sets,
                     const struct bt_ckpt_note *notes, size_t n_notes,
                     struct bt_error *err)
{
	struct bt_safetensors s = {.notes = notes, .n_notes = n_notes};
	struct tensors a = {0};
	int r = make_tensors(&a, g, sets, n_sets);

	s.tensors = a.t;
	s.count = a.n;
	if (r == BT_OK)
		r = bt_safetensors_write(out, &s, err);
	else
		bt_error_nomem(err, "writing weights");
	free_tensors(&a);
	return r;
}

int bt_weights_save(const char *path, const struct bt_graph *g,
                    const struct bt_weights_set *sets, int n_sets,
                    const struct bt_ckpt_note *notes, size_t n_notes,
                    struct bt_error *err)
{
	struct bt_out *out;
	int r = bt_out_open(path, BT_OUT_BINARY, &out, err);

	if (r != BT_OK)
		return r;
	r = bt_weights_write(out, g, sets, n_sets, notes, n_notes, err);
	return bt_out_end(out, r, err);
}

int bt_weights_find_bf16(const struct bt_graph *g, const struct bt_ckpt *c,
                         int i, const uint16_t **at, struct bt_error *err)
{
	struct match m = {0};
	int r = find_tensors(g, c, &m, err);

	*at = NULL;
	if (r == BT_OK && m.of_param[i] != NULL)
		r = take_bf16(c, &g->params[i], m.of_param[i], at, err);
	free_match(&m);
	return r;
}

/* Moments of rows that were never updated are zeros, and take no memory as long
 * as none are written there. */
static void copy_what_differs(float *to, const float *x, size_t n)
{
	size_t i, some;

	for (i = 0; i < n; i += SOME) {
		some = (n - i < SOME ? n - i : SOME) * sizeof(*x);
		if (memcmp(to + i, x + i, some) != 0)
			memcpy(to + i, x + i, some);
	}
}

int bt_weights_restore(const struct bt_ckpt *c, const struct bt_graph *g,
                       const struct bt_weights_set *sets, int n_sets,
                       struct bt_error *err)
{
	const struct bt_tensor *t;
	const struct bt_param *p;
	const float *at = NULL;
	struct bt_named v;
	char *name;
	int i, k, r;

	for (k = 0; k < n_sets; k++)
		for (i = 0; i < g->n_params; i++) {
			p = &g->params[i];
			if (sets[k].trained && p->frozen)
				continue;
			name = joined(sets[k].prefix, p->name);
			t = bt_ckpt_find(c, name);
			if (t == NULL)
				r = bt_error_set(err, BT_EFORMAT,
				                 "'%s' has no tensor '%s'",
				                 bt_ckpt_path(c), name);
			else if (v = (struct bt_named){.from = t,
			                               .rank = t->rank,
			                               .shape = t->shape},
			         !shape_fits(p, &v))
				r = misfit(c, p, &v, err);
			else
				r = take(c, p, &v, sets[k].values + p->offset,
				         &at, err);
			free(name);
			if (r != BT_OK)
				return r;
			if (at != sets[k].values + p->offset)
				copy_what_differs(sets[k].values + p->offset,
				                  at, bt_param_size(p));
		}
	return BT_OK;
}
