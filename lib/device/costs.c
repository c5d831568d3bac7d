/* SPDX-License-Identifier: MIT */
/* What programs cost, in words. */
#include <stdio.h>

#include "device/device_int.h"

void bt_device_program_name(const struct bt_device_program *x,
                            struct bt_buf *name)
{
	static const char *const names[] = {"forward",         "gradients",
	                                    "gradients added", "embeddings",
	                                    "update",          "move"};

	bt_buf_puts(name, names[x->kind]);
	if (x->size.rows > 0)
		bt_buf_printf(name, " %d x %d", x->size.rows, x->size.length);
}

/* Bytes of parameters, gradients and moments that are on each device while a
 * program runs, and not its arguments. */
static int64_t held(const struct bt_device *d,
                    const struct bt_device_program *x)
{
	const struct bt_hlo_program *t = &x->text;
	bool sgd = d->learner != NULL && d->learner->o.rule == BT_HLO_SGD;
	bool grads = x->kind == BT_DEVICE_ADDED ||
	             x->kind == BT_DEVICE_UPDATE || x->kind == BT_DEVICE_MOVE;
	int64_t bytes = 0, one;
	int i;

	for (i = 0; i < d->g->n_params; i++) {
		one = (int64_t)bt_param_size(&d->g->params[i]);
		bytes += d->g->params[i].frozen ? one : (3 - sgd + grads) * one;
	}
	if (x->kind == BT_DEVICE_ADDED && d->learner->o.moves)
		bytes += (int64_t)bt_param_size(
		    &d->g->params[d->learner->o.move_param]);
	for (i = 0; i < t->n_args; i++)
		if (t->args[i].source <= BT_HLO_ARG_MOMENT2)
			bytes -= (int64_t)bt_param_size(
			    &d->g->params[t->args[i].param]);
	return bytes * (int64_t)sizeof(float);
}

/* Bytes that a device needs; -1: not told. Some plugins leave temporaries out
 * of the peak. */
static int64_t needed(const struct bt_device *d,
                      const struct bt_device_program *x)
{
	const struct bt_pjrt_cost *c = bt_pjrt_cost(x->program);
	double sum = (double)c->arguments + (double)c->results -
	             (double)c->shared + (double)c->temporaries;
	double most = (double)c->peak;

	if (c->arguments >= 0 && c->results >= 0 && c->shared >= 0 &&
	    c->temporaries >= 0 && sum > most)
		most = sum;
	most += (double)held(d, x);
	return c->peak < 0 || most > 9e18 ? -1 : (int64_t)most;
}

static void put(struct bt_buf *b, int width, double value, double unit,
                int digits)
{
	if (value < 0)
		bt_buf_printf(b, " %*s", width, "-");
	else
		bt_buf_printf(b, " %*.*f", width, digits, value / unit);
}

static void put_head(const struct bt_device *d, struct bt_buf *b)
{
	const struct bt_pjrt_device *one = bt_pjrt_device(d->pjrt, 0);

	bt_buf_printf(b, "%d of %d %s", d->replicas, bt_pjrt_n_devices(d->pjrt),
	              one->kind);
	if (d->costs.topology != NULL)
		bt_buf_printf(b, " (%s)", d->costs.topology);
	if (one->memory > 0)
		bt_buf_printf(b, ", %.0f MB of memory each",
		              (double)one->memory / 1e6);
	bt_buf_printf(b, "\n%-26s %9s %9s %9s %9s %9s %9s %5s %9s %7s\n",
	              "MB on each", "arguments", "results", "temporary", "peak",
	              "beside it", "needed", "fits", "GFLOP", "s");
}

void bt_device_cost_print(struct bt_device *d,
                          const struct bt_device_program *x, const char *why)
{
	const struct bt_pjrt_cost *c;
	struct bt_buf b = BT_BUF_INIT, name = BT_BUF_INIT;
	int64_t memory = bt_pjrt_device(d->pjrt, 0)->memory, need;

	if (!d->told)
		put_head(d, &b);
	d->told = true;
	bt_device_program_name(x, &name);
	bt_buf_printf(&b, "%-26s", bt_buf_str(&name));
	if (why != NULL) {
		bt_buf_printf(&b, " does not fit: %s\n", why);
	} else {
		c = bt_pjrt_cost(x->program);
		need = needed(d, x);
		put(&b, 9, (double)c->arguments, 1e6, 1);
		put(&b, 9, (double)c->results, 1e6, 1);
		put(&b, 9, (double)c->temporaries, 1e6, 1);
		put(&b, 9, (double)c->peak, 1e6, 1);
		put(&b, 9, (double)held(d, x), 1e6, 1);
		put(&b, 9, (double)need, 1e6, 1);
		bt_buf_printf(&b, " %5s",
		              memory <= 0 || need < 0 ? "-"
		              : need <= memory        ? "yes"
		                                      : "no");
		put(&b, 9, c->flop, 1e9, 1);
		put(&b, 7, c->seconds, 1, 1);
		bt_buf_putc(&b, '\n');
	}
	d->costs.print(d->costs.ctx, bt_buf_str(&b));
	bt_buf_clear(&b);
	bt_buf_clear(&name);
}

int bt_device_cost_check(const struct bt_device *d,
                         const struct bt_device_program *x,
                         struct bt_error *err)
{
	int64_t memory = bt_pjrt_device(d->pjrt, 0)->memory;
	int64_t need = needed(d, x);
	struct bt_buf name = BT_BUF_INIT;

	if (memory <= 0 || need <= memory)
		return BT_OK;
	bt_device_program_name(x, &name);
	bt_error_set(err, BT_ENOMEM,
	             "program '%s' needs %.1f MB of the %.1f MB that a device "
	             "has",
	             bt_buf_str(&name), (double)need / 1e6,
	             (double)memory / 1e6);
	bt_buf_clear(&name);
	return BT_ENOMEM;
}
