/* SPDX-License-Identifier: MIT */
/* What distinguishes the optimizers before they run. */
#include "base/str.h"
#include "optim/optim.h"

static const struct {
	const char *name;
	double eps, weight_decay;
	int moments, traffic;
} kinds[BT_OPTIMIZERS] = {
    [BT_OPTIM_ADAMW] = {"adamw", 1e-8, 0.01, 2, 7},
    [BT_OPTIM_ADAMW_GOOGLE] = {"adamw-google", 1e-6, 0.01, 2, 7},
    [BT_OPTIM_ADAM] = {"adam", 1e-7, 0, 2, 7},
    [BT_OPTIM_LAMB] = {"lamb", 1e-6, 0.01, 2, 10},
    [BT_OPTIM_SGD] = {"sgd", 0, 0, 1, 5},
};

enum bt_optimizer bt_optim_named(const char *name)
{
	int i = BT_STR_ROW_BY(name, kinds, name);

	return i >= 0 ? (enum bt_optimizer)i : BT_OPTIM_ADAMW;
}

const char *bt_optim_name(enum bt_optimizer kind)
{
	return kinds[kind].name;
}

int bt_optim_moments(enum bt_optimizer kind)
{
	return kinds[kind].moments;
}

int bt_optim_traffic(enum bt_optimizer kind)
{
	return kinds[kind].traffic;
}

int bt_optim_check(const struct bt_optim_opts *o, struct bt_error *err)
{
	bool sgd = o->kind == BT_OPTIM_SGD;

	if (o->momentum >= 0 && !sgd)
		return bt_error_set(err, BT_EARG,
		                    "momentum is only for sgd; %s has beta1",
		                    kinds[o->kind].name);
	if (sgd && (o->beta1 >= 0 || o->beta2 >= 0 || o->eps >= 0))
		return bt_error_set(err, BT_EARG,
		                    "sgd has momentum, but not beta1, beta2 "
		                    "and epsilon");
	return BT_OK;
}

static double or_own(double given, double own)
{
	return given < 0 ? own : given;
}

struct bt_optim_opts bt_optim_complete(const struct bt_optim_opts *given)
{
	struct bt_optim_opts o = *given;

	o.beta1 = or_own(o.beta1, 0.9);
	o.beta2 = or_own(o.beta2, 0.999);
	o.eps = or_own(o.eps, kinds[o.kind].eps);
	o.momentum = or_own(o.momentum, 0.9);
	o.weight_decay = or_own(o.weight_decay, kinds[o.kind].weight_decay);
	return o;
}
