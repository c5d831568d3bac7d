/* SPDX-License-Identifier: MIT */
#include "garden/lr_schedule.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define PI 3.14159265358979323846
#define LR "trainer.optimizer_config.learning_rate."
#define WARM "trainer.optimizer_config.warmup."

static double polynomial(const struct bt_lr_schedule *r, double s)
{
	double d = (double)r->decay, times;

	if (r->cycle) {
		times = ceil(s / d);
		d *= times > 1 ? times : 1;
	} else if (s > d) {
		s = d;
	}
	return (r->initial - r->end) * pow(1 - s / d, r->power) + r->end;
}

static double stepwise(const struct bt_lr_schedule *r, double s)
{
	size_t k;

	for (k = 0; k < r->n && s > r->bound[k]; k++)
		;
	return r->value[k];
}

/* The rate without warm-up. */
static double after(const struct bt_lr_schedule *r, int64_t t)
{
	double s = (double)t - (double)r->offset, d = (double)r->decay, p;

	switch (r->kind) {
	case BT_LR_SCHEDULE_STEPWISE:
		return stepwise(r, s);
	case BT_LR_SCHEDULE_EXPONENTIAL:
		p = s / d;
		return r->initial *
		       pow(r->decay_rate, r->staircase ? floor(p) : p);
	case BT_LR_SCHEDULE_POLYNOMIAL:
		return polynomial(r, s);
	case BT_LR_SCHEDULE_COSINE:
		p = (1 + cos(PI * (s < d ? s : d) / d)) / 2;
		return r->initial * ((1 - r->alpha) * p + r->alpha);
	default:
		return r->initial;
	}
}

double bt_lr_schedule_at(const void *rate, int64_t t)
{
	const struct bt_lr_schedule *r = rate;
	double w = (double)r->warmup, p;

	if (r->warm == BT_LR_SCHEDULE_COLD || t >= r->warmup)
		return after(r, t);
	p = after(r, r->warmup);
	if (r->warm == BT_LR_SCHEDULE_WARM_LINEAR)
		return r->first + (double)t / w * (p - r->first);
	return p * pow((t > 1 ? (double)t : 1) / w, r->wpower);
}

#define NEEDED "it must be given, as a number above 0"

/* Numbers above 0 that have to be given. */
static void need(const struct bt_garden *c, const char *path, double *v,
                 struct bt_error *err)
{
	*v = bt_garden_real(c, path, -1);
	if (!(*v > 0 && isfinite(*v)))
		bt_garden_fault(c, path, err, NEEDED);
}

static void need_steps(const struct bt_garden *c, const char *path, int64_t *v,
                       struct bt_error *err)
{
	*v = bt_garden_int(c, path, -1);
	if (*v <= 0)
		bt_garden_fault(c, path, err, NEEDED);
}

/* A rate in [0, most]; why says that of another. */
static void read_rate(const struct bt_garden *c, const char *path, double most,
                      double *v, const char *why, struct bt_error *err)
{
	*v = bt_garden_real(c, path, 0);
	if (!(*v >= 0 && *v <= most))
		bt_garden_fault(c, path, err, "%s", why);
}

#define NOT_BELOW_0 "it may not be below 0"

/* A list of numbers, whose number it returns; 0 after an error. */
static size_t read_list(const struct bt_garden *c, const char *path, double *v,
                        struct bt_error *err)
{
	const struct bt_yaml *l = bt_garden_get(c, path), *x;
	size_t i;

	if (l->n >= BT_LR_SCHEDULE_PARTS)
		bt_garden_fault(c, path, err, "more than %d parts",
		                BT_LR_SCHEDULE_PARTS - 1);
	for (i = 0; err->code == BT_OK && i < l->n; i++) {
		x = l->item[i];
		v[i] = x->kind == BT_YAML_INT ? (double)x->whole : x->real;
		if (x->kind != BT_YAML_INT && x->kind != BT_YAML_REAL)
			bt_garden_fault(c, path, err, "a number is due, not %s",
			                bt_yaml_kind_name(x->kind));
		else if (!isfinite(v[i]))
			bt_garden_fault(c, path, err, "it must be finite");
	}
	return err->code == BT_OK ? l->n : 0;
}

static void read_stepwise(const struct bt_garden *c, struct bt_lr_schedule *r,
                          struct bt_error *err)
{
	size_t values, i;

	r->n = read_list(c, LR "stepwise.boundaries", r->bound, err);
	values = read_list(c, LR "stepwise.values", r->value, err);
	if (values != r->n + 1)
		bt_garden_fault(c, LR "stepwise.values", err,
		                "%zu values, and %zu boundaries take %zu",
		                values, r->n, r->n + 1);
	for (i = 0; err->code == BT_OK && i < values; i++)
		if (r->value[i] < 0 ||
		    (i > 1 && r->bound[i - 1] <= r->bound[i - 2]))
			bt_garden_fault(c, LR "stepwise", err,
			                "boundaries must rise and values may "
			                "not be below 0");
}

static void read_exponential(const struct bt_garden *c,
                             struct bt_lr_schedule *r, struct bt_error *err)
{
	need(c, LR "exponential.initial_learning_rate", &r->initial, err);
	need_steps(c, LR "exponential.decay_steps", &r->decay, err);
	need(c, LR "exponential.decay_rate", &r->decay_rate, err);
	r->staircase = bt_garden_bool(c, LR "exponential.staircase");
}

static void read_polynomial(const struct bt_garden *c, struct bt_lr_schedule *r,
                            struct bt_error *err)
{
	need(c, LR "polynomial.initial_learning_rate", &r->initial, err);
	need_steps(c, LR "polynomial.decay_steps", &r->decay, err);
	read_rate(c, LR "polynomial.end_learning_rate", DBL_MAX, &r->end,
	          NOT_BELOW_0, err);
	need(c, LR "polynomial.power", &r->power, err);
	r->cycle = bt_garden_bool(c, LR "polynomial.cycle");
}

static void read_cosine(const struct bt_garden *c, struct bt_lr_schedule *r,
                        struct bt_error *err)
{
	need(c, LR "cosine.initial_learning_rate", &r->initial, err);
	need_steps(c, LR "cosine.decay_steps", &r->decay, err);
	read_rate(c, LR "cosine.alpha", 1, &r->alpha,
	          "it must lie between 0 and 1", err);
}

static void read_constant(const struct bt_garden *c, struct bt_lr_schedule *r,
                          struct bt_error *err)
{
	need(c, LR "constant.learning_rate", &r->initial, err);
}

static const struct {
	const char *name, *offset;
	void (*read)(const struct bt_garden *c, struct bt_lr_schedule *r,
	             struct bt_error *err);
} kinds[] = {
    [BT_LR_SCHEDULE_CONSTANT] = {"constant", NULL, read_constant},
    [BT_LR_SCHEDULE_STEPWISE] = {"stepwise", LR "stepwise.offset",
                                 read_stepwise},
    [BT_LR_SCHEDULE_EXPONENTIAL] = {"exponential", LR "exponential.offset",
                                    read_exponential},
    [BT_LR_SCHEDULE_POLYNOMIAL] = {"polynomial", LR "polynomial.offset",
                                   read_polynomial},
    [BT_LR_SCHEDULE_COSINE] = {"cosine", LR "cosine.offset", read_cosine},
};

static void read_warmup(const struct bt_garden *c, struct bt_lr_schedule *r,
                        struct bt_error *err)
{
	const char *type = bt_garden_str(c, WARM "type"), *steps;
	bool linear = strcmp(type, "linear") == 0;

	if (*type == '\0')
		return;
	steps = linear ? WARM "linear.warmup_steps"
	               : WARM "polynomial.warmup_steps";
	r->warmup = bt_garden_int(c, steps, -1);
	if (r->warmup < 0)
		bt_garden_fault(c, steps, err,
		                "it must be given; 0 means without warm-up");
	if (linear) {
		r->warm = BT_LR_SCHEDULE_WARM_LINEAR;
		read_rate(c, WARM "linear.warmup_learning_rate", DBL_MAX,
		          &r->first, NOT_BELOW_0, err);
	} else {
		r->warm = BT_LR_SCHEDULE_WARM_POLYNOMIAL;
		need(c, WARM "polynomial.power", &r->wpower, err);
	}
}

/* Everything that decides the rate, but for the parts of a stepwise one, of
 * which the first few stand for all. */
static void describe(struct bt_lr_schedule *r)
{
	int n = snprintf(r->text, sizeof(r->text),
	                 "%s: %.17g to %.17g, power %.17g, alpha %.17g, decay "
	                 "%.17g in %lld from %lld%s%s; warm-up %d of %lld, "
	                 "%.17g, power %.17g",
	                 kinds[r->kind].name, r->initial, r->end, r->power,
	                 r->alpha, r->decay_rate, (long long)r->decay,
	                 (long long)r->offset, r->cycle ? ", cycle" : "",
	                 r->staircase ? ", staircase" : "", (int)r->warm,
	                 (long long)r->warmup, r->first, r->wpower);
	size_t i;

	for (i = 0; r->kind == BT_LR_SCHEDULE_STEPWISE && i <= r->n &&
	            n < (int)sizeof(r->text) - 60;
	     i++)
		n += snprintf(r->text + n, sizeof(r->text) - (size_t)n,
		              "; %.9g to %.9g", r->value[i],
		              i < r->n ? r->bound[i] : 0.0);
}

int bt_lr_schedule_read(const struct bt_garden *c, struct bt_lr_schedule *r,
                        struct bt_error *err)
{
	const char *type = bt_garden_str(c, LR "type");
	int k = BT_STR_ROW_BY(type, kinds, name);

	memset(r, 0, sizeof(*r));
	if (k < 0)
		return bt_garden_fault(c, LR "type", err, "it must be given");
	r->kind = (enum bt_lr_schedule_kind)k;
	kinds[r->kind].read(c, r, err);
	if (kinds[r->kind].offset != NULL)
		r->offset = bt_garden_int(c, kinds[r->kind].offset, 0);
	read_warmup(c, r, err);
	if (err->code == BT_OK)
		describe(r);
	return err->code;
}
