/* SPDX-License-Identifier: MIT */
/* What configurations say of rotated queries and keys. */
#include <math.h>
#include <string.h>

#include "format/json.h"
#include "model/family_int.h"

#define TURN 6.283185307179586

/* A factor of more than that or its inverse is a mistake. */
#define MOST 1e6

struct values {
	double factor, attention, fast, slow, mscale, mscale_all, original;
	bool truncate;
};

static int read_values(const json_t *o, const struct bt_config *c,
                       struct values *v, struct bt_error *err)
{
	int r;

	*v = (struct values){.fast = 32,
	                     .slow = 1,
	                     .original = c->max_positions,
	                     .truncate = true};
	if ((r = bt_json_real(o, "factor", 1 / MOST, MOST, &v->factor, err)) ||
	    (r = bt_json_real(o, "attention_factor", 1 / MOST, MOST,
	                      &v->attention, err)) ||
	    (r = bt_json_real(o, "beta_fast", 0, MOST, &v->fast, err)) ||
	    (r = bt_json_real(o, "beta_slow", 0, MOST, &v->slow, err)) ||
	    (r = bt_json_real(o, "mscale", 0, MOST, &v->mscale, err)) ||
	    (r = bt_json_real(o, "mscale_all_dim", 0, MOST, &v->mscale_all,
	                      err)) ||
	    (r = bt_json_real(o, "original_max_position_embeddings", 1, 1e9,
	                      &v->original, err)))
		return r;
	if (v->fast <= 0)
		v->fast = 32;
	if (v->slow <= 0)
		v->slow = 1;
	return bt_json_bool(o, "truncate", &v->truncate, err);
}

static double mscale(double factor, double m)
{
	return factor <= 1 ? 1 : 0.1 * m * log(factor) + 1;
}

/* The column that turns so many times over the original texts. */
static double column(const struct values *v, double turns, int d, float theta)
{
	return d * log(v->original / (turns * TURN)) / (2 * log((double)theta));
}

static void set_yarn(const struct values *v, int d, struct bt_rope *rope)
{
	double low = column(v, v->fast, d, rope->theta);
	double high = column(v, v->slow, d, rope->theta);

	if (v->truncate) {
		low = floor(low);
		high = ceil(high);
	}
	low = fmax(low, 0);
	high = fmin(high, d - 1);
	if (!(low < high || low > high))
		high += 0.001;
	rope->factor = (float)v->factor;
	rope->low = (float)low;
	rope->high = (float)high;
	if (v->attention > 0)
		rope->scale = (float)v->attention;
	else if (v->mscale > 0 && v->mscale_all > 0)
		rope->scale = (float)(mscale(v->factor, v->mscale) /
		                      mscale(v->factor, v->mscale_all));
	else
		rope->scale = (float)mscale(v->factor, 1);
}

/* All columns by the same factor. */
static void set_linear(double factor, struct bt_rope *rope)
{
	rope->factor = (float)factor;
	rope->low = -1;
	rope->high = 0;
}

static int set(const char *type, struct values *v, const struct bt_config *c,
               struct bt_rope *rope, struct bt_error *err)
{
	int d = c->hidden_size / c->heads;
	bool yarn = strcmp(type, "yarn") == 0;

	if (yarn && v->factor <= 0)
		v->factor = c->max_positions / v->original;
	if (v->factor <= 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "rope_type '%s' without a 'factor'", type);
	if (yarn && rope->theta <= 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "rope_type 'yarn' with a rope_theta of 1");
	if (yarn)
		set_yarn(v, d, rope);
	else
		set_linear(v->factor, rope);
	return BT_OK;
}

/* An object within is a rotation of one kind of layers, where they are of one
 * kind, or where that is said elsewhere. */
static int check_flat(json_t *o, struct bt_error *err)
{
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v)
	{
		if (json_is_object(v))
			return bt_error_set(err, BT_EFORMAT,
			                    "an object '%.100s' in what is "
			                    "said of a rotation is not "
			                    "supported here",
			                    key);
	}
	return BT_OK;
}

int bt_config_rope(json_t *o, const struct bt_config *c, struct bt_rope *rope,
                   struct bt_error *err)
{
	const char *type = "default";
	struct values v;
	float part = 1;
	int r;

	if ((r = check_flat(o, err)) ||
	    (r = bt_json_str(o, "type", &type, err)) ||
	    (r = bt_json_str(o, "rope_type", &type, err)) ||
	    (r = bt_config_real(o, "rope_theta", 1, 1e30, &rope->theta, err)) ||
	    (r = bt_config_real(o, "partial_rotary_factor", 0, 1, &part,
	                        err)) ||
	    (r = read_values(o, c, &v, err)))
		return r;
	if (part < 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "partial_rotary_factor %g is not supported "
		                    "(only 1 is)",
		                    (double)part);
	if (strcmp(type, "default") == 0 || strcmp(type, "dynamic") == 0)
		return BT_OK;
	if (strcmp(type, "linear") != 0 && strcmp(type, "yarn") != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "rope_type '%s' is not supported (only "
		                    "'default', 'linear', 'dynamic' and "
		                    "'yarn' are)",
		                    type);
	return set(type, &v, c, rope, err);
}

/* The length of texts before they became longer may stand beside the rotation,
 * and then counts, as in transformers. */
static int with_original(const json_t *o, json_t *rope, struct bt_config *c,
                         struct bt_error *err)
{
	static const char key[] = "original_max_position_embeddings";
	json_t *v = json_object_get(o, key), *both = json_copy(rope);
	int r;

	if (v != NULL && !json_is_null(v))
		json_object_set(both, key, v);
	r = bt_config_rope(both, c, &c->global_rope, err);
	json_decref(both);
	return r;
}

int bt_config_rope_of_all(const json_t *o, struct bt_config *c,
                          struct bt_error *err)
{
	json_t *rope = json_object_get(o, "rope_scaling");
	int r = bt_config_real(o, "rope_theta", 1, 1e30, &c->global_rope.theta,
	                       err);

	if (rope == NULL || json_is_null(rope))
		rope = json_object_get(o, "rope_parameters");
	if (r != BT_OK || rope == NULL || json_is_null(rope))
		return r;
	if (!json_is_object(rope))
		return bt_error_set(err, BT_EFORMAT, "'%s' is not an object",
		                    rope == json_object_get(o, "rope_scaling")
		                        ? "rope_scaling"
		                        : "rope_parameters");
	return with_original(o, rope, c, err);
}
