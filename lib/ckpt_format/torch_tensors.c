/* SPDX-License-Identifier: MIT */
#include "ckpt_format/torch_tensors_int.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define DEPTH_MAX 64
#define STEPS_MAX                                                              \
	((size_t)1 << 22) /* what stands in two places counts twice            \
	                   */

struct walk {
	struct bt_ckpt *c;
	const struct bt_ckpt_file *f;
	const struct bt_pickle *k;
	const struct bt_torch_source *source;
	struct bt_buf path;
	size_t steps;
	struct bt_error *err;
};

bool bt_torch_bytes(const struct bt_pk_storage *s, size_t *bytes)
{
	return s->n <= SIZE_MAX &&
	       bt_size_mul((size_t)s->n, bt_dtype_bits(s->dtype) / 8, bytes);
}

/* A list of numbers, kept. */
static int64_t *keep_numbers(struct walk *w, uint32_t list)
{
	const struct bt_pickle *k = w->k;
	int64_t *v = bt_ckpt_keep(w->c, k->v[list].n * sizeof(*v));
	uint32_t c, i = 0;

	for (c = k->v[list].u.list.head; c != BT_PK_END; c = k->cells[c].next)
		v[i++] = k->v[k->cells[c].value].u.i;
	return v;
}

static int place(struct walk *w, const struct bt_pk_tensor *p,
                 struct bt_tensor *t)
{
	const struct bt_pk_storage *s = &w->k->storages[p->storage];
	size_t width = bt_dtype_bits(s->dtype) / 8, size;
	const uint8_t *data;
	int r = w->source->find(w->source->ctx, s, &data, &size, w->err);

	if (r != BT_OK)
		return r;
	t->dtype = p->dtype;
	t->rank = (int)w->k->v[p->size].n;
	t->shape = keep_numbers(w, p->size);
	/* first is within the storage, whose size was checked */
	return bt_ckpt_place(w->c, w->f, t, data + s->first * width,
	                     size - (size_t)s->first * width, p->offset,
	                     keep_numbers(w, p->stride), w->err);
}

static int add_tensor(struct walk *w, uint32_t value)
{
	const char *name = w->path.len > 0 ? w->path.data : "tensor";
	size_t n = w->path.len > 0 ? w->path.len : 6;
	struct bt_tensor *t;
	int r = bt_ckpt_add_named(w->c, w->f, name, n, &t, w->err);

	if (r != BT_OK)
		return r;
	r = place(w, &w->k->tensors[w->k->v[value].u.at], t);
	if (r != BT_OK)
		bt_error_prefix(w->err, "tensor '%.100s'", t->name);
	return r;
}

/* Puts a key, or where it is BT_PK_END the number of a list's member, behind
 * the path. */
static int add_key(struct walk *w, uint32_t key, size_t i)
{
	const struct bt_pk_value *v = &w->k->v[key == BT_PK_END ? 0 : key];

	if (w->path.len > 0)
		bt_buf_putc(&w->path, '.');
	if (key == BT_PK_END)
		bt_buf_printf(&w->path, "%zu", i);
	else if (v->kind == BT_PK_TEXT && v->n < 4096)
		bt_buf_put(&w->path, v->u.text, v->n);
	else if (v->kind == BT_PK_INT)
		bt_buf_printf(&w->path, "%lld", (long long)v->u.i);
	else
		return bt_error_set(w->err, BT_EFORMAT,
		                    "a tensor under a key that is neither a "
		                    "short text nor a number");
	return BT_OK;
}

static bool holds_more(const struct walk *w, uint32_t value)
{
	enum bt_pk_kind kind = w->k->v[value].kind;

	return kind == BT_PK_TENSOR || kind == BT_PK_LIST || kind == BT_PK_DICT;
}

static int walk(struct walk *w, uint32_t value, int depth)
{
	const struct bt_pk_value *v = &w->k->v[value];
	const struct bt_pk_cell *cells = w->k->cells;
	size_t len = w->path.len, i = 0;
	uint32_t c, key = BT_PK_END;
	int r = BT_OK;

	if (v->kind == BT_PK_TENSOR)
		return add_tensor(w, value);
	if (depth > DEPTH_MAX)
		return bt_error_set(w->err, BT_ELIMIT,
		                    "containers in containers, more than %d "
		                    "deep",
		                    DEPTH_MAX);
	for (c = v->u.list.head; c != BT_PK_END && r == BT_OK;
	     c = cells[c].next, i++) {
		if (++w->steps > STEPS_MAX)
			return bt_error_set(w->err, BT_ELIMIT,
			                    "more than %zu members", STEPS_MAX);
		if (v->kind == BT_PK_DICT) {
			key = cells[c].value;
			c = cells[c].next;
		}
		if (!holds_more(w, cells[c].value))
			continue;
		r = add_key(w, key, i);
		if (r == BT_OK)
			r = walk(w, cells[c].value, depth + 1);
		w->path.len = len;
	}
	return r;
}

static bool holds_tensor(const struct bt_pickle *k, uint32_t dict)
{
	uint32_t c;

	for (c = k->v[dict].u.list.head; c != BT_PK_END; c = k->cells[c].next)
		if (k->v[k->cells[c].value].kind == BT_PK_TENSOR)
			return true;
	return false;
}

/* The part of a training checkpoint that is the model. */
static uint32_t model_of(const struct bt_pickle *k)
{
	static const char *const keys[] = {"state_dict", "model_state_dict",
	                                   "model", "module"};
	uint32_t part;
	size_t i;

	if (k->v[k->top].kind != BT_PK_DICT || holds_tensor(k, k->top))
		return k->top;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		part = bt_pk_get(k, k->top, keys[i]);
		if (part != BT_PK_END && k->v[part].kind == BT_PK_DICT &&
		    holds_tensor(k, part))
			return part;
	}
	return k->top;
}

int bt_torch_add(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                 const struct bt_pickle *k, const struct bt_torch_source *s,
                 struct bt_error *err)
{
	struct walk w = {.c = c, .f = f, .k = k, .source = s, .err = err};
	uint32_t top = model_of(k);
	size_t first = c->n;
	int r = BT_OK;

	if (holds_more(&w, top))
		r = walk(&w, top, 0);
	bt_buf_clear(&w.path);
	if (r == BT_OK)
		r = bt_ckpt_check_names(c, first, err);
	if (r == BT_OK && c->n == first)
		r = bt_error_set(err, BT_EFORMAT, "it holds no tensor");
	return r;
}
