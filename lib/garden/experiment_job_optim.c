/* SPDX-License-Identifier: MIT */
/* Optimizers of Model Garden as those of train/optim.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "garden/experiment_job_int.h"

#define OPT "trainer.optimizer_config.optimizer."

/* Whether a list of names excludes what is never decayed here, and no more: all
 * biases and norms. */
static bool is_usual(const struct bt_yaml *list)
{
	static const char *const names[] = {"LayerNorm", "layer_norm", "bias"};
	bool norms = false, biases = false;
	size_t i, k;

	for (i = 0; i < list->n; i++) {
		if (list->item[i]->kind != BT_YAML_STR)
			return false;
		for (k = 0; k < 3; k++)
			if (strcmp(list->item[i]->text, names[k]) == 0)
				break;
		if (k == 3)
			return false;
		norms = norms || k < 2;
		biases = biases || k == 2;
	}
	return norms && biases;
}

static int check_exclusion(const struct bt_garden *c, const char *path,
                           struct bt_error *err)
{
	if (is_usual(bt_garden_get(c, path)))
		return BT_OK;
	return bt_garden_fault(c, path, BT_EARG, err,
	                       "weights decay but for biases and norms here: "
	                       "[LayerNorm, layer_norm, bias]");
}

/* path's number, which must lie in [0, most]. */
static int number(const struct bt_garden *c, const char *path, double most,
                  double *v, struct bt_error *err)
{
	*v = bt_garden_real(c, path, 0);
	if (*v >= 0 && *v <= most)
		return BT_OK;
	return bt_garden_fault(c, path, BT_EARG, err,
	                       "it must lie between 0 and %g", most);
}

#define JUST_BELOW_1 (1 - 1e-9)

/* What Adam, AdamW and LAMB share; `at` is "…adamw.". */
static int moments(const struct bt_garden *c, const char *at,
                   struct bt_optim_opts *o, struct bt_error *err)
{
	char path[96];
	int r;

	snprintf(path, sizeof(path), "%sbeta_1", at);
	r = number(c, path, JUST_BELOW_1, &o->beta1, err);
	if (r != BT_OK)
		return r;
	snprintf(path, sizeof(path), "%sbeta_2", at);
	r = number(c, path, JUST_BELOW_1, &o->beta2, err);
	if (r != BT_OK)
		return r;
	snprintf(path, sizeof(path), "%sepsilon", at);
	return number(c, path, 1, &o->eps, err);
}

static int adam(const struct bt_garden *c, struct bt_optim_opts *o,
                struct bt_error *err)
{
	o->kind = BT_OPTIM_ADAM;
	if (bt_garden_bool(c, OPT "adam.amsgrad"))
		return bt_garden_fault(c, OPT "adam.amsgrad", BT_EARG, err,
		                       "it is not built");
	return moments(c, OPT "adam.", o, err);
}

static int adamw(const struct bt_garden *c, struct bt_optim_opts *o,
                 struct bt_error *err)
{
	int r = moments(c, OPT "adamw.", o, err);

	o->kind = BT_OPTIM_ADAM; /* with Google's decay of weights */
	if (r == BT_OK && bt_garden_bool(c, OPT "adamw.amsgrad"))
		r = bt_garden_fault(c, OPT "adamw.amsgrad", BT_EARG, err,
		                    "it is not built");
	if (r == BT_OK)
		r = number(c, OPT "adamw.weight_decay_rate", 1,
		           &o->weight_decay, err);
	if (r == BT_OK &&
	    bt_garden_get(c, OPT "adamw.include_in_weight_decay")->n > 0)
		r = bt_garden_fault(c, OPT "adamw.include_in_weight_decay",
		                    BT_EARG, err, "only null is built");
	if (r == BT_OK && o->weight_decay > 0)
		r = check_exclusion(c, OPT "adamw.exclude_from_weight_decay",
		                    err);
	if (r == BT_OK)
		r = number(c, OPT "adamw.gradient_clip_norm", 1e9, &o->clip,
		           err);
	return r;
}

static int lamb(const struct bt_garden *c, struct bt_optim_opts *o,
                struct bt_error *err)
{
	const char *path = OPT "lamb.exclude_from_layer_adaptation";
	int r = moments(c, OPT "lamb.", o, err);

	o->kind = BT_OPTIM_LAMB;
	if (r == BT_OK)
		r = number(c, OPT "lamb.weight_decay_rate", 1, &o->weight_decay,
		           err);
	if (r == BT_OK && o->weight_decay > 0)
		r = check_exclusion(c, OPT "lamb.exclude_from_weight_decay",
		                    err);
	if (r == BT_OK && bt_garden_get(c, path)->n > 0 &&
	    !is_usual(bt_garden_get(c, path)))
		r = check_exclusion(c, path, err);
	return r;
}

static int sgd(const struct bt_garden *c, struct bt_optim_opts *o,
               struct bt_error *err)
{
	o->kind = BT_OPTIM_SGD;
	if (bt_garden_bool(c, OPT "sgd.nesterov"))
		return bt_garden_fault(c, OPT "sgd.nesterov", BT_EARG, err,
		                       "it is not built");
	if (bt_garden_real(c, OPT "sgd.decay", 0) != 0)
		return bt_garden_fault(c, OPT "sgd.decay", BT_EARG, err,
		                       "the rate follows learning_rate alone");
	return number(c, OPT "sgd.momentum", JUST_BELOW_1, &o->momentum, err);
}

/* Keras' own clipping, which goes before that of AdamW. */
static int clipping(const struct bt_garden *c, const char *type,
                    struct bt_optim_opts *o, struct bt_error *err)
{
	char path[96];
	double v;
	int r;

	snprintf(path, sizeof(path), OPT "%s.clipnorm", type);
	if (!bt_garden_is_null(c, path))
		return bt_garden_fault(c, path, BT_EARG, err,
		                       "gradients are clipped by the norm of "
		                       "them all: global_clipnorm");
	snprintf(path, sizeof(path), OPT "%s.clipvalue", type);
	r = number(c, path, 1e9, &o->clip_value, err);
	if (r != BT_OK)
		return r;
	snprintf(path, sizeof(path), OPT "%s.global_clipnorm", type);
	r = number(c, path, 1e9, &v, err);
	if (r == BT_OK && v > 0 && o->clip > 0)
		r = bt_garden_fault(c, path, BT_EARG, err,
		                    "gradient_clip_norm clips already");
	if (r == BT_OK && v > 0 && o->clip_value > 0)
		r = bt_garden_fault(c, path, BT_EARG, err,
		                    "clipvalue is given, too");
	if (r == BT_OK && v > 0)
		o->clip = v;
	return r;
}

int bt_experiment_job_optim(const struct bt_garden *c, struct bt_optim_opts *o,
                            struct bt_error *err)
{
	static const struct {
		const char *type;
		int (*read)(const struct bt_garden *c, struct bt_optim_opts *o,
		            struct bt_error *err);
	} kinds[] = {
	    {"adam", adam}, {"adamw", adamw}, {"lamb", lamb}, {"sgd", sgd}};
	const char *type = bt_garden_str(c, OPT "type");
	size_t i;
	int r;

	*o = (struct bt_optim_opts)BT_OPTIM_INIT;
	o->clip = o->weight_decay = 0;
	o->clip_rows = true;
	for (i = 0; i < 4; i++)
		if (strcmp(kinds[i].type, type) == 0) {
			r = kinds[i].read(c, o, err);
			return r == BT_OK ? clipping(c, type, o, err) : r;
		}
	return bt_garden_fault(c, OPT "type", BT_EARG, err,
	                       "it must be given: adam, adamw, lamb or sgd");
}
