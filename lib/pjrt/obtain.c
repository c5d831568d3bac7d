/* SPDX-License-Identifier: MIT */
/* How a client comes by compiled programs: out of the cache, from processes
 * that compile beside each other, or by compiling here. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "pjrt/cache_int.h"
#include "pjrt/client_int.h"
#include "pjrt/compiler_int.h"

struct obtaining {
	struct bt_pjrt *p;
	struct bt_pjrt_wanted **missing; /* the cache lacks these */
	size_t n, done, width;
	bool together;
	int r; /* of a program that ends all */
	struct bt_error *err;
};

static bool look(struct obtaining *o)
{
	const struct bt_pjrt *p = o->p;

	if (p->watch == NULL || p->watch(p->watch_ctx, o->done, o->n))
		return true;
	o->r = bt_error_set(o->err, BT_ECANCEL, "stopped while compiling");
	return false;
}

/* One more is there, or is not to be had. */
static bool end_one(struct obtaining *o, struct bt_pjrt_wanted *w,
                    enum bt_pjrt_state state)
{
	w->state = state;
	o->done++;
	return look(o);
}

static bool fail(struct obtaining *o, struct bt_pjrt_wanted *w, int code,
                 const char *why)
{
	if (o->together && (code == BT_ENOMEM || code == BT_EIO))
		return end_one(o, w, BT_PJRT_LACKING);
	bt_error_set(o->err, code, "%s", why);
	bt_error_prefix(o->err, "cannot compile program '%s'", w->s->name);
	o->r = code;
	return false;
}

/* In the cache, unless that took nothing before. */
static void keep(struct bt_pjrt *p, const struct bt_pjrt_wanted *w, char *bytes,
                 size_t n)
{
	const struct bt_buf program = {.data = bytes, .len = n};

	if (p->cache != NULL && n > 0 && p->unkept.code == BT_OK)
		bt_pjrt_cache_put(p->cache, &w->key, &program, &p->unkept);
}

/* Takes what a process compiled; false where that is of no use here: from a
 * plugin that cannot load what it made. */
static bool take(struct bt_pjrt *p, struct bt_pjrt_wanted *w,
                 const struct bt_buf *bytes)
{
	struct bt_pjrt_program *x = w->x;
	size_t head = p->costs ? sizeof(x->cost) : 0;

	if (p->costs && bytes->len >= head)
		memcpy(&x->cost, bytes->data, head);
	else if (p->costs ||
	         bt_pjrt_deserialize(p, bytes, &x->loaded, NULL) != BT_OK)
		return false;
	x->origin = BT_PJRT_IN_CHILD;
	keep(p, w, bytes->data + head, bytes->len - head);
	return true;
}

static bool hear(void *ctx, const struct bt_pjrt_answer *a)
{
	struct obtaining *o = ctx;
	struct bt_pjrt_wanted *w;

	if (a == NULL)
		return look(o);
	w = o->missing[a->task];
	if (a->code == BT_OK)
		return !take(o->p, w, a->bytes) || end_one(o, w, BT_PJRT_THERE);
	/* else there is no client in that process: only one can have the
	 * device */
	return a->begun && fail(o, w, a->code, a->why);
}

/* Programs at a time. */
static size_t choose_width(const struct bt_pjrt *p, size_t n)
{
	int64_t device = p->topology == NULL ? p->devices[0].memory : 0;
	uint64_t most[3] = {(uint64_t)bt_cores(),
	                    bt_available_memory("") / BT_PJRT_COMPILE_MEMORY,
	                    UINT64_MAX};
	size_t i, width = n;

	if (device > 0) /* 0: the device does not say */
		most[2] = (uint64_t)(device / BT_PJRT_COMPILE_DEVICE_MEMORY);
	for (i = 0; i < 3; i++)
		width = most[i] < width ? (size_t)most[i] : width;
	return width > 1 ? width : 1;
}

static int compile_elsewhere(struct obtaining *o)
{
	struct bt_pjrt_task *t = bt_array(o->n, sizeof(*t));
	struct bt_error gone = {0};
	size_t i;

	if (t == NULL)
		return bt_error_nomem(o->err, "compiling");
	for (i = 0; i < o->n; i++)
		t[i] = (struct bt_pjrt_task){o->missing[i]->s->text,
		                             o->missing[i]->s->len,
		                             &o->missing[i]->options};
	if (bt_pjrt_compiler_run(o->p->compiler, t, o->n,
	                         choose_width(o->p, o->n), hear, o,
	                         &gone) != BT_OK)
		bt_error_clear(&gone); /* it is compiled here */
	free(t);
	return o->r;
}

static int compile_here(struct obtaining *o, struct bt_pjrt_wanted *w)
{
	struct bt_pjrt *p = o->p;
	const struct bt_pjrt_source *s = w->s;
	struct bt_buf bytes = BT_BUF_INIT;
	struct bt_error why = {0};
	int r;

	w->x->origin = BT_PJRT_IN_PROCESS;
	if (p->costs)
		r = bt_pjrt_costs_here(p, s->text, s->len, &w->options,
		                       &w->x->cost,
		                       p->cache != NULL ? &bytes : NULL, &why);
	else
		r = bt_pjrt_compile_here(p, s->text, s->len, &w->options,
		                         &w->x->loaded, &why);
	if (r == BT_OK && !p->costs && p->cache != NULL &&
	    bt_pjrt_serialize(p, w->x->loaded, &bytes, NULL) != BT_OK)
		bt_buf_clear(&bytes); /* not every plugin can */
	if (r == BT_OK)
		keep(p, w, bytes.data, bytes.len);
	bt_buf_clear(&bytes);
	if (r == BT_OK)
		(void)end_one(o, w, BT_PJRT_THERE);
	else
		(void)fail(o, w, r, why.text);
	return o->r;
}

/* Whether the client has it from an earlier program. */
static bool stays(const struct bt_pjrt *p, struct bt_pjrt_wanted *w)
{
	const struct bt_buf *key;
	size_t i;

	for (i = 0; i < p->n_kept; i++) {
		key = &p->kept[i].key;
		if (key->len != w->key.len ||
		    memcmp(key->data, w->key.data, key->len) != 0)
			continue;
		w->x->loaded = p->kept[i].loaded;
		w->x->stays = true;
		return true;
	}
	return false;
}

/* Lets what was compiled stay. */
static void let_stay(struct bt_pjrt *p, struct bt_pjrt_wanted *w)
{
	if (!p->keeps || w->x->stays || w->x->loaded == NULL ||
	    bt_grow(&p->kept, &p->kept_cap, p->n_kept + 1, sizeof(*p->kept)) !=
	        BT_OK)
		return;
	p->kept[p->n_kept++] = (struct bt_pjrt_kept){w->key, w->x->loaded};
	w->key = (struct bt_buf)BT_BUF_INIT;
	w->x->stays = true;
}

/* Whether it is in the cache, and is loaded from there. */
static bool find(struct bt_pjrt *p, struct bt_pjrt_wanted *w)
{
	struct bt_buf bytes = BT_BUF_INIT;
	bool found;

	bt_pjrt_put_options(p, w->s->replicas, &w->options);
	w->x->origin = BT_PJRT_CACHED;
	if (p->cache == NULL && !p->keeps)
		return false;
	bt_pjrt_cache_key(p, w->s->text, w->s->len, &w->options, &w->key);
	if (p->costs || stays(p, w))
		return !p->costs;
	found = p->cache != NULL &&
	        bt_pjrt_cache_get(p->cache, &w->key, &bytes) &&
	        bt_pjrt_deserialize(p, &bytes, &w->x->loaded, NULL) == BT_OK;
	bt_buf_clear(&bytes);
	return found;
}

int bt_pjrt_obtain(struct bt_pjrt *p, struct bt_pjrt_wanted *w, size_t n,
                   bool together, struct bt_error *err)
{
	struct obtaining o = {.p = p,
	                      .missing = bt_array(n, sizeof(*o.missing)),
	                      .together = together,
	                      .err = err};
	size_t i;

	if (o.missing == NULL)
		return bt_error_nomem(err, "compiling");
	for (i = 0; i < n; i++) {
		if (find(p, &w[i]))
			w[i].state = BT_PJRT_THERE;
		else
			o.missing[o.n++] = &w[i];
	}
	if (o.n > 0 && look(&o) && p->compiler != NULL)
		o.r = compile_elsewhere(&o);
	for (i = 0; i < o.n && o.r == BT_OK; i++)
		if (o.missing[i]->state == BT_PJRT_WANTED)
			o.r = compile_here(&o, o.missing[i]);
	if (o.r != BT_OK && p->watch != NULL)
		(void)p->watch(p->watch_ctx, o.n, o.n);
	for (i = 0; i < n; i++) {
		if (w[i].state == BT_PJRT_THERE)
			let_stay(p, &w[i]);
		bt_buf_clear(&w[i].options);
		bt_buf_clear(&w[i].key);
	}
	free(o.missing);
	return o.r;
}
