/* SPDX-License-Identifier: MIT */
#include "ckpt/average.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt/cast.h"
#include "ckpt/open.h"
#include "tensor/checkpoint.h"

/* The tensor of the name and the form of t, which is of the checkpoint at
 * `first`. */
static int counterpart(const struct bt_ckpt *c, const struct bt_tensor *t,
                       const char *first, const struct bt_tensor **out,
                       struct bt_error *err)
{
	const struct bt_tensor *o = bt_ckpt_find(c, t->name);

	*out = o;
	if (o == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' has no tensor '%s', which '%s' has",
		                    bt_ckpt_path(c), t->name, first);
	if (o->rank != t->rank ||
	    memcmp(o->shape, t->shape, (size_t)t->rank * sizeof(*t->shape)) !=
	        0 ||
	    bt_cast_applies(o->dtype) != bt_cast_applies(t->dtype))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s': tensor '%s' has another shape or "
		                    "type than in '%s'",
		                    bt_ckpt_path(c), t->name, first);
	return BT_OK;
}

static struct bt_named as_it_is(const struct bt_tensor *t)
{
	return (struct bt_named){.from = t, .rank = t->rank, .shape = t->shape};
}

/* Whether the elements are the same, of whatever type. */
static int check_same(const struct bt_tensor *a, const struct bt_tensor *b,
                      const char *path, struct bt_error *err)
{
	struct bt_named x = as_it_is(a), y = as_it_is(b);
	void *p = bt_array(a->bytes + 1, 2);
	int r;

	if (p == NULL)
		return bt_error_nomem(err, "averaging tensors");
	if (a->dtype != b->dtype)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s': tensor '%s' has another type", path,
		                 a->name);
	else if (!(r = bt_named_read(&x, p, err)) &&
	         !(r = bt_named_read(&y, (char *)p + a->bytes, err)) &&
	         memcmp(p, (char *)p + a->bytes, a->bytes) != 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s': tensor '%s' holds no floating-point "
		                 "numbers and is not the same",
		                 path, a->name);
	free(p);
	return r;
}

/* Adds the elements of t, by way of x. */
static int add(const struct bt_tensor *t, float *x, double *sum,
               struct bt_error *err)
{
	struct bt_named v = as_it_is(t);
	size_t i;
	int r = bt_named_to_f32(&v, x, err);

	for (i = 0; r == BT_OK && i < t->count; i++)
		sum[i] += (double)x[i];
	return r;
}

/* In x, the mean. */
static int average(const struct bt_tensor *t, const char *first,
                   struct bt_ckpt *const *c, int n, float *x,
                   struct bt_error *err)
{
	double *sum = bt_array0(t->count + 1, sizeof(*sum));
	const struct bt_tensor *o;
	size_t i;
	int k, r;

	if (sum == NULL)
		return bt_error_nomem(err, "averaging tensors");
	r = add(t, x, sum, err);
	for (k = 0; r == BT_OK && k < n; k++) {
		r = counterpart(c[k], t, first, &o, err);
		if (r == BT_OK)
			r = add(o, x, sum, err);
	}
	for (i = 0; r == BT_OK && i < t->count; i++)
		x[i] = (float)(sum[i] / (n + 1));
	free(sum);
	return r;
}

/* Lets the list hold the mean in place of its tensor. */
static int replace(struct bt_named_list *l, struct bt_named *v,
                   struct bt_ckpt *const *c, int n, struct bt_error *err)
{
	const char *first = bt_ckpt_path(l->ckpt);
	const struct bt_tensor *t = v->from, *o;
	struct bt_named_made *m;
	int k, r = BT_OK;

	if (!bt_cast_applies(t->dtype)) {
		for (k = 0; r == BT_OK && k < n; k++)
			if (!(r = counterpart(c[k], t, first, &o, err)))
				r = check_same(t, o, bt_ckpt_path(c[k]), err);
		return r;
	}
	m = bt_array0(1, sizeof(*m));
	m->next = l->made;
	l->made = m;
	m->tensor = (struct bt_tensor){.name = t->name,
	                               .dtype = BT_DTYPE_F32,
	                               .rank = t->rank,
	                               .shape = t->shape,
	                               .count = t->count,
	                               .bytes = t->count * sizeof(float)};
	m->tensor.data = m->data = bt_array(t->count + 1, sizeof(float));
	if (m->data == NULL)
		return bt_error_nomem(err, "averaging tensors");
	v->from = &m->tensor;
	return average(t, first, c, n, m->data, err);
}

static int check_counts(const struct bt_ckpt *a, const struct bt_ckpt *b,
                        struct bt_error *err)
{
	if (bt_ckpt_count(a) == bt_ckpt_count(b))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "'%s' has %zu tensors and '%s' %zu: they are not "
	                    "of one model",
	                    bt_ckpt_path(a), bt_ckpt_count(a), bt_ckpt_path(b),
	                    bt_ckpt_count(b));
}

int bt_ckpt_average(struct bt_named_list *l, const char *const *others, int n,
                    struct bt_error *err)
{
	struct bt_ckpt **c = bt_array0((size_t)n, sizeof(*c));
	int r = BT_OK, open = 0;
	size_t i;

	for (; r == BT_OK && open < n; open += r == BT_OK)
		if (!(r = bt_ckpt_open(others[open], &c[open], err)) &&
		    !(r = check_counts(l->ckpt, c[open], err)))
			r = bt_ckpt_verify(c[open], err);
	for (i = 0; r == BT_OK && i < l->n; i++)
		r = replace(l, &l->v[i], c, n, err);
	for (i = 0; i < (size_t)n; i++)
		if (c[i] != NULL)
			bt_ckpt_close(c[i]);
	free(c);
	return r;
}
