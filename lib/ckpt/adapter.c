/* SPDX-License-Identifier: MIT */
#include "ckpt/adapter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/names_int.h"
#include "format/adapter_layers.h"
#include "tensor/checkpoint_reader.h"

/* A tensor of the base model, by a name that models with a head and without
 * one have in common. */
struct target {
	char *name;
	const struct bt_named *named;
	struct bt_tensor *tensor;
	unsigned changed; /* bit k: part k is; REPLACED: all of it */
	float *w;         /* the matrix, once it is changed */
};

#define REPLACED (~0u)

/* What a pair of matrices changes. */
struct change {
	const struct bt_tensor *a, *b;
	struct target *t;
	int part, parts; /* of its rows */
};

struct merge {
	struct bt_ckpt *base;
	const struct bt_ckpt *adapter;
	const struct bt_adapter_config *config;
	struct bt_named_list list; /* of base */
	struct target *targets;    /* by name */
	size_t n;
	struct bt_buf parts; /* "/encoder/": first parts of names of layers
	                      * that are changed */
};

/* The name as a bare encoder has it, to be freed, and the prefix that this
 * lacks, or NULL. */
static char *bare(const struct merge *m, const char *name, const char **prefix)
{
	char *plain = bt_names_plain(&m->list, "", name);
	const char *const *p = bt_names_prefixes;
	size_t n;

	while (*p != NULL && !bt_str_starts(plain, *p))
		p++;
	if (*p != NULL) {
		n = strlen(*p);
		memmove(plain, plain + n, strlen(plain + n) + 1);
	}
	*prefix = *p;
	return plain;
}

/* The prefix that the file itself has. */
static const char *prefix_of(const struct merge *m, const struct bt_named *v)
{
	const char *prefix;

	free(bare(m, v->from->name, &prefix));
	return prefix;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct target *)a)->name,
	              ((const struct target *)b)->name);
}

static int by_text(const void *name, const void *target)
{
	return strcmp(name, ((const struct target *)target)->name);
}

static int find_targets(struct merge *m, struct bt_error *err)
{
	struct bt_ckpt *c = m->base;
	const struct bt_named *v;
	const char *ignored;
	size_t i;
	int r;

	/* room for what is added, so that no tensor moves */
	if (bt_grow(&c->tensors, &c->cap, c->n + bt_ckpt_count(m->adapter),
	            sizeof(*c->tensors)) != BT_OK)
		return bt_error_nomem(err, "merging an adapter");
	r = bt_names_init(&m->list, c, err);
	if (r == BT_OK)
		r = bt_names_hf(&m->list, c, err);
	if (r != BT_OK)
		return r;
	m->targets = bt_array(m->list.n, sizeof(*m->targets));
	if (m->targets == NULL && m->list.n > 0)
		return bt_error_nomem(err, "merging an adapter");
	for (i = 0; i < m->list.n; i++) {
		v = &m->list.v[i];
		if (!v->again)
			m->targets[m->n++] = (struct target){
			    bare(m, v->name, &ignored), v,
			    c->tensors + (v->from - c->tensors), 0, NULL};
	}
	if (m->n > 1)
		qsort(m->targets, m->n, sizeof(*m->targets), by_name);
	return BT_OK;
}

/* The tensor of that name: an encoder without a head is of any family. */
static struct target *find(const struct merge *m, const char *name)
{
	const char *prefix, *own;
	char *key = bare(m, name, &prefix);
	struct target *t = NULL;

	if (m->n > 0)
		t = bsearch(key, m->targets, m->n, sizeof(*t), by_text);
	free(key);
	own = t != NULL ? prefix_of(m, t->named) : prefix;
	return own == prefix || own == NULL || prefix == NULL ? t : NULL;
}

/* Notes, or asks for, the part of a name before the first point. */
static void note_part(struct merge *m, const char *name)
{
	const char *prefix;
	char *key = bare(m, name, &prefix);

	bt_buf_printf(&m->parts, "/%.*s/", (int)strcspn(key, "."), key);
	free(key);
}

static bool has_part(const struct merge *m, const char *name)
{
	struct bt_buf part = BT_BUF_INIT;
	const char *prefix;
	char *key = bare(m, name, &prefix);
	bool has;

	bt_buf_printf(&part, "/%.*s/", (int)strcspn(key, "."), key);
	has = m->parts.len > 0 && strstr(m->parts.data, part.data) != NULL;
	bt_buf_clear(&part);
	free(key);
	return has;
}

static int claim(struct target *t, unsigned parts, struct bt_error *err)
{
	if ((t->changed & parts) != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "it changes '%.200s' twice",
		                    t->named->name);
	t->changed |= parts;
	return BT_OK;
}

static bool is_matrix(const struct bt_tensor *t)
{
	return t->rank == 2 && bt_dtype_is_real(t->dtype);
}

/* The numbers of a tensor, which must be finite; free() them. */
static int read_f32(const struct bt_tensor *t, float **x, struct bt_error *err)
{
	size_t i;
	int r = bt_tensor_verify(t, err);

	*x = NULL;
	if (r != BT_OK)
		return r;
	*x = bt_array(t->count, sizeof(**x));
	if (*x == NULL && t->count > 0)
		return bt_error_nomem(err, "merging an adapter");
	r = bt_tensor_to_f32(t, 0, t->count, *x, err);
	for (i = 0; r == BT_OK && i < t->count; i++)
		if (!isfinite((*x)[i]))
			r = bt_error_set(err, BT_ECORRUPT,
			                 "tensor '%.200s' holds a NaN or an "
			                 "infinity (element %zu)",
			                 t->name, i);
	if (r == BT_OK)
		return r;
	free(*x);
	*x = NULL;
	return r;
}

/* w (rows, columns) + scale * b (rows, rank) a (rank, columns) */
static void add_product(float *w, const float *a, const float *b, size_t rows,
                        size_t cols, size_t rank, float scale)
{
	size_t i, j, k;
	float x;

	for (i = 0; i < rows; i++, w += cols)
		for (k = 0; k < rank; k++) {
			x = scale * b[i * rank + k];
			for (j = 0; j < cols; j++)
				w[j] += x * a[k * cols + j];
		}
}

/* The matrix as Hugging Face has it, in memory of the checkpoint. */
static int read_base(struct merge *m, const struct bt_named *v, float **w,
                     struct bt_error *err)
{
	size_t bytes;
	int r = bt_tensor_verify(v->from, err);

	*w = bt_size_mul(v->from->count, sizeof(**w), &bytes)
	         ? bt_ckpt_keep(m->base, bytes)
	         : NULL;
	if (r == BT_OK && *w == NULL)
		r = bt_error_nomem(err, "merging an adapter");
	return r == BT_OK ? bt_named_to_f32(v, *w, err) : r;
}

/* Puts a changed matrix in the place of what the file holds, in its form. */
static int put_base(struct target *t, struct bt_error *err)
{
	const struct bt_named *v = t->named;
	size_t i, k, rows = v->rows, cols = v->cols;
	float *w = t->w, *copy;

	if (v->transposed) {
		copy = bt_array(t->tensor->count, sizeof(*copy));
		if (copy == NULL)
			return bt_error_nomem(err, "merging an adapter");
		memcpy(copy, w, t->tensor->count * sizeof(*w));
		for (i = 0; i < rows; i++)
			for (k = 0; k < cols; k++)
				w[i * cols + k] = copy[k * rows + i];
		free(copy);
	}
	t->tensor->dtype = BT_DTYPE_F32;
	t->tensor->bytes = t->tensor->count * sizeof(*w);
	t->tensor->data = w;
	t->tensor->from = NULL;
	t->tensor->has_crc = false;
	return BT_OK;
}

static int misfit(const struct change *c, struct bt_error *err)
{
	const int64_t *w = c->t->named->shape, *a = c->a->shape,
	              *b = c->b->shape;

	return bt_error_set(err, BT_EFORMAT,
	                    "the change by '%.200s' is [%lld, %lld] times "
	                    "[%lld, %lld], but the model has [%lld, %lld] "
	                    "there",
	                    c->a->name, (long long)b[0], (long long)b[1],
	                    (long long)a[0], (long long)a[1],
	                    (long long)(w[0] / c->parts), (long long)w[1]);
}

/* W of a layer, or some rows of it, by A and B. */
static int change(struct merge *m, const struct change *c, struct bt_error *err)
{
	const struct bt_adapter_config *o = m->config;
	const struct bt_named *v = c->t->named;
	int64_t rank = c->a->shape[0], rows = v->shape[0] / c->parts;
	float *a = NULL, *b = NULL;
	int r = BT_OK;

	if (c->b->shape[1] != rank || c->b->shape[0] != rows ||
	    c->a->shape[1] != v->shape[1] || v->shape[0] % c->parts != 0)
		return misfit(c, err);
	if (rank < 1 || (rank != o->rank && !o->ranks))
		return bt_error_set(err, BT_EFORMAT,
		                    "the change by '%.200s' has rank %lld, but "
		                    "adapter_config.json says 'r' %lld",
		                    c->a->name, (long long)rank,
		                    (long long)o->rank);
	if (c->t->w == NULL)
		r = read_base(m, v, &c->t->w, err);
	if (!r && !(r = read_f32(c->a, &a, err)) &&
	    !(r = read_f32(c->b, &b, err)))
		add_product(c->t->w + c->part * rows * v->shape[1], a, b,
		            (size_t)rows, (size_t)v->shape[1], (size_t)rank,
		            (float)bt_adapter_scale(o, rank));
	free(a);
	free(b);
	return r;
}

/* Finds the weight of a layer, by one of its names. */
static void find_layer(struct merge *m, const char *layer, struct change *c)
{
	struct bt_buf weight = BT_BUF_INIT;
	char *name;
	int i;

	c->part = 0;
	c->parts = 1;
	bt_buf_printf(&weight, "%s.weight", layer);
	c->t = find(m, bt_buf_str(&weight));
	for (i = 0;
	     c->t == NULL && (name = bt_adapter_layer_file(layer, i, &c->part,
	                                                   &c->parts)) != NULL;
	     i++) {
		bt_buf_reset(&weight);
		bt_buf_printf(&weight, "%s.weight", name);
		c->t = find(m, bt_buf_str(&weight));
		free(name);
	}
	bt_buf_clear(&weight);
}

/* The pair of matrices of a layer, from its A on. */
static int add_pair(struct merge *m, const struct bt_tensor *a,
                    const char *name, struct bt_error *err)
{
	char *layer = bt_strndup(name, strlen(name) - strlen(BT_ADAPTER_A));
	struct change c = {.a = a};
	struct bt_buf s = BT_BUF_INIT;
	int r;

	bt_buf_printf(&s, BT_ADAPTER_PREFIX "%s" BT_ADAPTER_B, layer);
	c.b = bt_ckpt_find(m->adapter, bt_buf_str(&s));
	bt_buf_clear(&s);
	find_layer(m, layer, &c);
	if (c.b == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "it holds '%.200s', but not the other matrix "
		                 "of that layer, lora_B",
		                 a->name);
	else if (!is_matrix(a) || !is_matrix(c.b))
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%.200s' and its lora_B are not both "
		                 "matrices of real numbers",
		                 a->name);
	else if (c.t == NULL || c.t->named->rank != 2)
		r = bt_error_set(err, BT_EFORMAT,
		                 "it changes the layer '%.200s', which the "
		                 "model '%s' does not have",
		                 layer, bt_ckpt_path(m->base));
	else if (!(r = claim(c.t, 1u << c.part, err)))
		r = change(m, &c, err);
	if (r == BT_OK && !has_part(m, name))
		note_part(m, name);
	free(layer);
	return r;
}

/* A tensor that takes the place of the model's, or that this lacks. */
static int replace(struct merge *m, const struct bt_tensor *from,
                   const char *name, struct bt_error *err)
{
	struct target *t = find(m, name);
	struct bt_tensor *to;
	int64_t *shape;
	void *data;
	int r = bt_tensor_verify(from, err);

	if (r == BT_OK && t != NULL)
		r = claim(t, REPLACED, err);
	else if (r == BT_OK && has_part(m, name))
		r = bt_error_set(err, BT_EFORMAT,
		                 "it holds '%.200s', but the model '%s' does "
		                 "not have it",
		                 from->name, bt_ckpt_path(m->base));
	if (r != BT_OK)
		return r;
	to = t != NULL ? t->tensor : bt_ckpt_add(m->base);
	data = bt_ckpt_keep(m->base, from->bytes);
	shape = bt_ckpt_keep(m->base, (size_t)from->rank * sizeof(*shape));
	if (to == NULL || data == NULL || shape == NULL)
		return bt_error_nomem(err, "merging an adapter");
	if (from->rank > 0)
		memcpy(shape, from->shape, (size_t)from->rank * sizeof(*shape));
	*to = *from;
	to->name = bt_ckpt_keep_str(m->base, name);
	to->file = bt_ckpt_keep_str(m->base, from->file);
	to->shape = shape;
	to->data = data;
	to->from = NULL;
	to->has_crc = false;
	return bt_tensor_read(from, 0, from->count, data, err);
}

/* The name without what stands for peft's wrapper of a layer; free() it. */
static char *unwrapped(const char *name)
{
	static const char wrapper[] = ".base_layer.";
	char *s = bt_strndup(name, strlen(name)), *at = strstr(s, wrapper);

	if (at != NULL)
		memmove(at, at + sizeof(wrapper) - 2,
		        strlen(at + sizeof(wrapper) - 2) + 1);
	return s;
}

/* Whether the adapter has A of the layer that name is B of. */
static bool has_other(const struct merge *m, const struct bt_tensor *b)
{
	struct bt_buf s = BT_BUF_INIT;
	bool has;

	bt_buf_puts(&s, b->name);
	s.data[s.len - strlen(BT_ADAPTER_B) + strlen(".lora_")] = 'A';
	has = bt_ckpt_find(m->adapter, bt_buf_str(&s)) != NULL;
	bt_buf_clear(&s);
	return has;
}

/* A pair of matrices, at its A. */
static int add_change(struct merge *m, const struct bt_tensor *t,
                      struct bt_error *err)
{
	const char *name = t->name + strlen(BT_ADAPTER_PREFIX);

	if (!bt_str_starts(t->name, BT_ADAPTER_PREFIX))
		return bt_error_set(err, BT_EFORMAT,
		                    "the name of '%.200s' does not begin with "
		                    "'" BT_ADAPTER_PREFIX "'",
		                    t->name);
	if (bt_str_ends(name, BT_ADAPTER_A))
		return add_pair(m, t, name, err);
	if (bt_str_ends(name, BT_ADAPTER_B))
		return has_other(m, t)
		           ? BT_OK
		           : bt_error_set(err, BT_EFORMAT,
		                          "it holds '%.200s', but not the "
		                          "other matrix of that layer, "
		                          "lora_A",
		                          t->name);
	if (strstr(name, ".lora_") != NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%.200s' changes the model in a way that "
		                    "is not read: only pairs of lora_A.weight "
		                    "and lora_B.weight are",
		                    t->name);
	return BT_OK;
}

/* All else. */
static int add_rest(struct merge *m, const struct bt_tensor *t,
                    struct bt_error *err)
{
	char *name;
	int r;

	if (strstr(t->name, ".lora_") != NULL)
		return BT_OK;
	name = unwrapped(t->name + strlen(BT_ADAPTER_PREFIX));
	r = replace(m, t, name, err);
	free(name);
	return r;
}

static int merge(struct merge *m, struct bt_error *err)
{
	size_t n = bt_ckpt_count(m->adapter), i;
	int r = find_targets(m, err);

	if (r == BT_OK && n == 0)
		r = bt_error_set(err, BT_EFORMAT, "it holds no tensor");
	for (i = 0; r == BT_OK && i < n; i++)
		r = add_change(m, bt_ckpt_tensor(m->adapter, i), err);
	for (i = 0; r == BT_OK && i < n; i++)
		r = add_rest(m, bt_ckpt_tensor(m->adapter, i), err);
	for (i = 0; r == BT_OK && i < m->n; i++)
		if (m->targets[i].w != NULL)
			r = put_base(&m->targets[i], err);
	if (r == BT_OK)
		r = bt_ckpt_check_names(m->base, 0, err);
	return r == BT_OK
	           ? r
	           : bt_error_prefix(err, "'%s'", bt_ckpt_path(m->adapter));
}

int bt_adapter_merge(struct bt_ckpt **base, const struct bt_ckpt *adapter,
                     const struct bt_adapter_config *c, const char *path,
                     struct bt_error *err)
{
	struct merge m = {.base = *base, .adapter = adapter, .config = c};
	size_t i;
	int r = merge(&m, err);

	for (i = 0; i < m.n; i++)
		free(m.targets[i].name);
	free(m.targets);
	bt_names_clear(&m.list);
	bt_buf_clear(&m.parts);
	free(m.base->path);
	m.base->path = bt_strndup(path, strlen(path));
	*base = NULL;
	return bt_ckpt_opened(m.base, r, base, err);
}
