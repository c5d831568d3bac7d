/* SPDX-License-Identifier: MIT */
/* Runs programs. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pjrt/client_int.h"

/* The lists that Execute takes, one for each device. */
struct lists {
	struct bt_pjrt_array **args, ***args_of;
	struct bt_pjrt_array **results, ***results_of;
	struct bt_pjrt_event **events;
	struct bt_pjrt_buffer **buffers; /* to become those of the results */
};

/* Waits for all of the events, which are gone then. */
static int wait_all(struct bt_pjrt *p, struct bt_pjrt_event **events, size_t *n,
                    struct bt_error *err)
{
	size_t i;
	int r = BT_OK, one;

	for (i = 0; i < *n; i++) {
		one =
		    bt_pjrt_await(&p->lib, events[i], r == BT_OK ? err : NULL);
		r = r == BT_OK ? one : r;
	}
	*n = 0;
	return r;
}

int bt_pjrt_wait_puts(struct bt_pjrt *p, struct bt_error *err)
{
	p->put_bytes = 0;
	return wait_all(p, p->puts, &p->n_puts, err);
}

/* Waits for a run. */
static int wait_slot(struct bt_pjrt *p, unsigned slot, struct bt_error *err)
{
	int r = wait_all(p, p->under_way[slot], &p->n_under_way[slot], err);

	free(p->under_way[slot]);
	p->under_way[slot] = NULL;
	return r;
}

int bt_pjrt_wait(struct bt_pjrt *p, struct bt_error *err)
{
	int r = bt_pjrt_wait_puts(p, err), one;
	unsigned i;

	for (i = 0; i < BT_PJRT_UNDER_WAY; i++) {
		one = wait_slot(p, (p->next + i) % BT_PJRT_UNDER_WAY,
		                r == BT_OK ? err : NULL);
		r = r == BT_OK ? one : r;
	}
	return r;
}

static bool is_ready(struct bt_pjrt *p, struct bt_pjrt_event *event)
{
	BT_PJRT_ARGS(bt_pjrt_ready_args, u);

	u.a.event = event;
	return event == NULL ||
	       (bt_pjrt_call(&p->lib, BT_PJRT_EVENT_IS_READY, &u,
	                     BT_PJRT_SIZE(bt_pjrt_ready_args, is_ready),
	                     NULL) == BT_OK &&
	        u.a.is_ready);
}

bool bt_pjrt_idle(struct bt_pjrt *p)
{
	unsigned slot;
	size_t i;

	for (slot = 0; slot < BT_PJRT_UNDER_WAY; slot++)
		for (i = 0; i < p->n_under_way[slot]; i++)
			if (!is_ready(p, p->under_way[slot][i]))
				return false;
	return true;
}

int bt_pjrt_failed_before(struct bt_error *err)
{
	if (err != NULL)
		err->code = BT_EIO;
	return BT_EIO;
}

static int check_arg(const struct bt_pjrt_program *x, struct bt_pjrt_buffer *b,
                     int replica, size_t i, struct bt_error *err)
{
	const struct bt_pjrt_arg *arg = &x->args[i];
	char got[BT_PJRT_SHAPE_TEXT], wanted[BT_PJRT_SHAPE_TEXT];
	bool again;

	if (b == NULL || b->array == NULL)
		return bt_error_set(
		    err, BT_EARG, "program '%s': argument %zu is %s", x->name,
		    i, b == NULL ? "missing" : "a spent buffer");
	if (b->p != x->p || b->device != replica)
		return bt_error_set(err, BT_EARG,
		                    "program '%s': argument %zu is on device "
		                    "%d, not %d",
		                    x->name, i, b->device, replica);
	if (!bt_pjrt_shape_equal(&b->shape, &arg->shape))
		return bt_error_set(
		    err, BT_EARG, "program '%s': argument %zu is %s, not %s",
		    x->name, i, bt_pjrt_shape_text(&b->shape, got),
		    bt_pjrt_shape_text(&arg->shape, wanted));
	again = b->stamp == x->p->stamp;
	if (again && (b->donated || arg->donated))
		return bt_error_set(err, BT_EARG,
		                    "program '%s': argument %zu is donated and "
		                    "stands twice",
		                    x->name, i);
	b->stamp = x->p->stamp;
	b->donated = arg->donated;
	return BT_OK;
}

static int check_args(struct bt_pjrt_program *x,
                      struct bt_pjrt_buffer *const *args, struct bt_error *err)
{
	size_t i;
	int d, r = BT_OK;

	x->p->stamp++;
	for (d = 0; r == BT_OK && d < x->replicas; d++)
		for (i = 0; r == BT_OK && i < x->n_args; i++)
			r = check_arg(x, args[(size_t)d * x->n_args + i], d, i,
			              err);
	return r;
}

static void lists_free(struct lists *l, size_t n_results)
{
	size_t i;

	for (i = 0; l->buffers != NULL && i < n_results; i++)
		free(l->buffers[i]);
	free(l->args);
	free(l->args_of);
	free(l->results);
	free(l->results_of);
	free(l->events);
	free(l->buffers);
}

static int lists_make(struct lists *l, const struct bt_pjrt_program *x,
                      struct bt_pjrt_buffer *const *args, struct bt_error *err)
{
	size_t n = (size_t)x->replicas, i, k = n * x->n_results;

	memset(l, 0, sizeof(*l));
	l->args = bt_array(n * x->n_args, sizeof(*l->args));
	l->args_of = bt_array(n, sizeof(*l->args_of));
	l->results = bt_array0(k, sizeof(*l->results));
	l->results_of = bt_array(n, sizeof(*l->results_of));
	l->events = bt_array0(n + x->p->n_puts, sizeof(*l->events));
	l->buffers = bt_array0(k, sizeof(*l->buffers));
	if (l->args == NULL || l->args_of == NULL || l->results == NULL ||
	    l->results_of == NULL || l->events == NULL || l->buffers == NULL) {
		lists_free(l, 0);
		return bt_error_nomem(err, "running a program");
	}
	for (i = 0; i < n * x->n_args; i++)
		l->args[i] = args[i]->array;
	for (i = 0; i < n; i++) {
		l->args_of[i] = l->args + i * x->n_args;
		l->results_of[i] = l->results + i * x->n_results;
	}
	for (i = 0; i < k; i++)
		l->buffers[i] = bt_array0(1, sizeof(*l->buffers[i]));
	return BT_OK;
}

static int execute(struct bt_pjrt_program *x, struct lists *l,
                   struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_execute_args, u);
	BT_PJRT_ARGS(bt_pjrt_execute_options, options);
	size_t i, k = (size_t)x->replicas * x->n_results;
	int r;

	options.a.kept = x->kept;
	options.a.n_kept = x->n_kept;
	u.a.loaded = x->loaded;
	u.a.options = &options.a;
	u.a.arguments = (struct bt_pjrt_array *const *const *)l->args_of;
	u.a.n_devices = (size_t)x->replicas;
	u.a.n_args = x->n_args;
	u.a.outputs = l->results_of;
	u.a.events = l->events;
	r = bt_pjrt_call_execute(&x->p->lib, &u.a, err);
	for (i = 0; r == BT_OK && i < k; i++)
		if (l->results[i] == NULL)
			r = bt_error_set(err, BT_EFORMAT,
			                 "plugin '%s' gives no result %zu",
			                 x->p->lib.name, i % x->n_results);
	return r;
}

/* What was donated is the plugin's, whether or not it took it. */
static void spend(struct bt_pjrt_program *x, struct bt_pjrt_buffer *const *args)
{
	size_t i, n = (size_t)x->replicas * x->n_args;

	for (i = 0; i < n; i++)
		if (x->args[i % x->n_args].donated) {
			bt_pjrt_end(&x->p->lib, BT_PJRT_BUFFER_DESTROY,
			            args[i]->array);
			args[i]->array = NULL;
		}
}

static void hand_out(struct bt_pjrt_program *x, struct lists *l,
                     struct bt_pjrt_buffer **results)
{
	size_t i, k = (size_t)x->replicas * x->n_results;

	for (i = 0; i < k; i++) {
		results[i] = l->buffers[i];
		l->buffers[i] = NULL;
		results[i]->p = x->p;
		results[i]->array = l->results[i];
		results[i]->shape = x->results[i % x->n_results];
		results[i]->device = (int)(i / x->n_results);
	}
}

/* Those of a run, [n], with room for those of what was put there before. */
static void keep_events(struct bt_pjrt *p, struct bt_pjrt_event **events,
                        size_t n)
{
	if (p->n_puts > 0)
		memcpy(events + n, p->puts, p->n_puts * sizeof(*events));
	p->under_way[p->next] = events;
	p->n_under_way[p->next] = n + p->n_puts;
	p->next = (p->next + 1) % BT_PJRT_UNDER_WAY;
	p->n_puts = p->put_bytes = 0;
}

int bt_pjrt_run(struct bt_pjrt_program *x, struct bt_pjrt_buffer *const *args,
                struct bt_pjrt_buffer **results, struct bt_error *err)
{
	struct bt_pjrt *p = x->p;
	struct lists l;
	size_t i, k = (size_t)x->replicas * x->n_results;
	int r = BT_OK;

	if (x->loaded == NULL)
		r = bt_error_set(err, BT_EARG,
		                 "program '%s' was compiled for what it costs, "
		                 "and cannot run",
		                 x->name);
	if (r == BT_OK)
		r = check_args(x, args, err);
	if (r == BT_OK && wait_slot(p, p->next, err) != BT_OK)
		r = bt_pjrt_failed_before(err);
	if (r == BT_OK)
		r = lists_make(&l, x, args, err);
	if (r != BT_OK)
		return r;
	r = execute(x, &l, err);
	spend(x, args);
	keep_events(p, l.events, (size_t)x->replicas);
	l.events = NULL;
	if (r == BT_OK)
		hand_out(x, &l, results);
	else {
		bt_error_prefix(err, "cannot run program '%s'", x->name);
		for (i = 0; i < k; i++)
			bt_pjrt_end(&p->lib, BT_PJRT_BUFFER_DESTROY,
			            l.results[i]);
	}
	lists_free(&l, k);
	return r;
}
