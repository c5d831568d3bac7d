/* SPDX-License-Identifier: MIT */
/* Optimizers of Model Garden as those of optim/optim.h. */
#include <stdio.h>

#include "base/str.h"
#include "garden/experiment_job_int.h"

#define OPT "trainer.optimizer_config.optimizer."

/* Whether a list of names excludes what is never decayed here, and no more: all
 * biases and norms. */
static bool is_usual(const struct bt_yaml *list)
{
	static const char *const names[] = {"LayerNorm", "layer_norm", "bias"};
	bool norms = false, biases = false;
	size_t i;
	int k;

	for (i = 0; i < list->n; i++) {
		if (list->item[i]->kind != BT_YAML_STR)
			return false;
		k = BT_STR_ROW(list->item[i]->text, names);
		if (k < 0)
			return false;
		norms = norms || k < 2;
		biases = biases || k == 2;
	}
	return norms && biases;
}

static void check_exclusion(const struct bt_garden *c, const char *path,
                            struct bt_error *err)
{
	if (!is_usual(bt_garden_get(c, path)))
		bt_garden_fault(c, path, err,
		                "weights decay but for biases and norms here: "
		                "[LayerNorm, layer_norm, bias]");
}

static void check_off(const struct bt_garden *c, const char *path,
                      struct bt_error *err)
{
	if (bt_garden_bool(c, path))
		bt_garden_fault(c, path, err, "it is not built");
}

/* The number of OPT TYPE.KEY, which must lie in [0, most]. */
static double number(const struct bt_garden *c, const char *type,
                     const char *key, double most, struct bt_error *err)
{
	char path[96];
	double v;

	snprintf(path, sizeof(path), OPT "%s.%s", type, key);
	v = bt_garden_real(c, path, 0);
	if (!(v >= 0 && v <= most))
		bt_garden_fault(c, path, err, "it must lie between 0 and %g",
		                most);
	return v;
}

#define JUST_BELOW_1 (1 - 1e-9)

/* The numbers that Adam, AdamW and LAMB share. */
static void moments(const struct bt_garden *c, const char *type,
                    struct bt_optim_opts *o, struct bt_error *err)
{
	o->kind = BT_OPTIM_ADAM;
	o->beta1 = number(c, type, "beta_1", JUST_BELOW_1, err);
	o->beta2 = number(c, type, "beta_2", JUST_BELOW_1, err);
	o->eps = number(c, type, "epsilon", 1, err);
}

static void adam(const struct bt_garden *c, struct bt_optim_opts *o,
                 struct bt_error *err)
{
	check_off(c, OPT "adam.amsgrad", err);
	moments(c, "adam", o, err);
}

/* Adam with Google's decay of weights. */
static void adamw(const struct bt_garden *c, struct bt_optim_opts *o,
                  struct bt_error *err)
{
	const char *include = OPT "adamw.include_in_weight_decay";

	moments(c, "adamw", o, err);
	check_off(c, OPT "adamw.amsgrad", err);
	o->weight_decay = number(c, "adamw", "weight_decay_rate", 1, err);
	if (bt_garden_get(c, include)->n > 0)
		bt_garden_fault(c, include, err, "only null is built");
	if (o->weight_decay > 0)
		check_exclusion(c, OPT "adamw.exclude_from_weight_decay", err);
	o->clip = number(c, "adamw", "gradient_clip_norm", 1e9, err);
}

static void lamb(const struct bt_garden *c, struct bt_optim_opts *o,
                 struct bt_error *err)
{
	const char *path = OPT "lamb.exclude_from_layer_adaptation";

	moments(c, "lamb", o, err);
	o->kind = BT_OPTIM_LAMB;
	o->weight_decay = number(c, "lamb", "weight_decay_rate", 1, err);
	if (o->weight_decay > 0)
		check_exclusion(c, OPT "lamb.exclude_from_weight_decay", err);
	if (bt_garden_get(c, path)->n > 0)
		check_exclusion(c, path, err);
}

static void sgd(const struct bt_garden *c, struct bt_optim_opts *o,
                struct bt_error *err)
{
	o->kind = BT_OPTIM_SGD;
	check_off(c, OPT "sgd.nesterov", err);
	if (bt_garden_real(c, OPT "sgd.decay", 0) != 0)
		bt_garden_fault(c, OPT "sgd.decay", err,
		                "the rate follows learning_rate alone");
	o->momentum = number(c, "sgd", "momentum", JUST_BELOW_1, err);
}

/* Keras' own clipping, which goes before that of AdamW. */
static void clipping(const struct bt_garden *c, const char *type,
                     struct bt_optim_opts *o, struct bt_error *err)
{
	char path[96];
	double v;

	snprintf(path, sizeof(path), OPT "%s.clipnorm", type);
	if (!bt_garden_is_null(c, path))
		bt_garden_fault(c, path, err,
		                "gradients are clipped by the norm of "
		                "them all: global_clipnorm");
	o->clip_value = number(c, type, "clipvalue", 1e9, err);
	v = number(c, type, "global_clipnorm", 1e9, err);
	snprintf(path, sizeof(path), OPT "%s.global_clipnorm", type);
	if (v > 0 && o->clip > 0)
		bt_garden_fault(c, path, err,
		                "gradient_clip_norm clips already");
	if (v > 0 && o->clip_value > 0)
		bt_garden_fault(c, path, err, "clipvalue is given, too");
	if (v > 0)
		o->clip = v;
}

int bt_experiment_job_optim(const struct bt_garden *c, struct bt_optim_opts *o,
                            struct bt_error *err)
{
	static const struct {
		const char *type;
		void (*read)(const struct bt_garden *c, struct bt_optim_opts *o,
		             struct bt_error *err);
	} kinds[] = {
	    {"adam", adam}, {"adamw", adamw}, {"lamb", lamb}, {"sgd", sgd}};
	const char *type = bt_garden_str(c, OPT "type");
	int i = BT_STR_ROW_BY(type, kinds, type);

	*o = (struct bt_optim_opts)BT_OPTIM_INIT;
	o->clip = o->weight_decay = 0;
	o->clip_rows = true;
	if (i < 0)
		return bt_garden_fault(
		    c, OPT "type", err,
		    "it must be given: adam, adamw, lamb or sgd");
	kinds[i].read(c, o, err);
	clipping(c, type, o, err);
	return err->code;
}
