/* SPDX-License-Identifier: MIT */
#include "finetune/calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/file_use.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"

#define MOST 1e9 /* a number in the file */

void bt_calibration_clear(struct bt_calibration *c)
{
	free(c->scale);
	free(c->bias);
	memset(c, 0, sizeof(*c));
}

int bt_calibration_init(struct bt_calibration *c, size_t n,
                        struct bt_error *err)
{
	size_t k;

	memset(c, 0, sizeof(*c));
	c->scale = bt_array(n, sizeof(*c->scale));
	c->bias = bt_array0(n, sizeof(*c->bias));
	if (c->scale == NULL || c->bias == NULL) {
		bt_calibration_clear(c);
		return bt_error_nomem(err, "calibrating");
	}
	for (k = 0; k < n; k++)
		c->scale[k] = 1;
	c->n = n;
	return BT_OK;
}

uint32_t bt_calibration_weights(const struct bt_graph *g, struct bt_engine *e)
{
	uint32_t crc = 0;
	int i;

	for (i = 0; i < g->n_params; i++)
		crc = bt_crc32c(crc, bt_engine_param(e, i),
		                bt_param_size(&g->params[i]) * sizeof(float));
	return crc;
}

/* A list of n numbers. */
static int read_numbers(const json_t *o, const char *key, size_t n, double *to,
                        struct bt_error *err)
{
	const json_t *list = json_object_get(o, key), *x;
	size_t i;

	if (json_array_size(list) != n)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is not a list of %zu numbers", key,
		                    n);
	for (i = 0; i < n; i++) {
		x = json_array_get(list, i);
		if (!json_is_number(x) || fabs(json_number_value(x)) > MOST)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s' holds something else than "
			                    "numbers up to %g",
			                    key, MOST);
		to[i] = json_number_value(x);
	}
	return BT_OK;
}

static int check_labels(const json_t *o, const struct bt_labels *l,
                        struct bt_error *err)
{
	const json_t *list = json_object_get(o, "labels");
	struct bt_span name;
	int k;

	for (k = 0; k < l->n; k++) {
		name = bt_json_text(json_array_get(list, (size_t)k));
		if (name.p == NULL || !bt_span_equal(name, bt_span(l->name[k])))
			break;
	}
	if (k == l->n && json_array_size(list) == (size_t)l->n)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "'labels' are not the model's %d labels", l->n);
}

static int read_sets(const json_t *o, struct bt_label_sets *s,
                     struct bt_error *err)
{
	const char *method = "lac";
	int r;

	if (o == NULL)
		return BT_OK;
	if ((r = bt_json_str(o, "method", &method, err)) ||
	    (r = bt_json_real(o, "coverage", 0, 1, &s->coverage, err)) ||
	    (r = bt_json_real(o, "limit", 0, 2, &s->limit, err)))
		return r;
	s->cumulative = strcmp(method, "aps") == 0;
	return BT_OK;
}

static int read_members(const json_t *o, const struct bt_labels *l,
                        struct bt_calibration *c, struct bt_error *err)
{
	static const char *const methods[] = {"none", "temperature", "vector"};
	const char *method = methods[0];
	int64_t examples = 0, weights = 0;
	int i, r;

	if ((r = check_labels(o, l, err)) ||
	    (r = bt_calibration_init(c, (size_t)l->n, err)) ||
	    (r = read_numbers(o, "scale", c->n, c->scale, err)) ||
	    (r = read_numbers(o, "bias", c->n, c->bias, err)) ||
	    (r = bt_json_str(o, "method", &method, err)) ||
	    (r = bt_json_int(o, "examples", 0, INT64_MAX, &examples, err)) ||
	    (r = bt_json_int(o, "weights", 0, UINT32_MAX, &weights, err)))
		return r;
	i = BT_STR_ROW(method, methods);
	if (i < 0)
		return bt_error_set(err, BT_EFORMAT, "unknown method");
	c->method = methods[i];
	c->examples = (uint64_t)examples;
	c->weights = (uint32_t)weights;
	return read_sets(json_object_get(o, "sets"), &c->sets, err);
}

int bt_calibration_parse(const json_t *o, const struct bt_labels *l,
                         struct bt_calibration *c, struct bt_error *err)
{
	int r;

	memset(c, 0, sizeof(*c));
	r = read_members(o, l, c, err);
	if (r != BT_OK)
		bt_calibration_clear(c);
	return r;
}

int bt_calibration_read(const char *dir, const struct bt_graph *g,
                        struct bt_engine *e, const struct bt_labels *l,
                        struct bt_calibration *c, struct bt_error *err)
{
	json_t *o;
	int r;

	bt_file_use_own(true); /* what is fitted anew takes its place */
	r = bt_json_load_in(dir, BT_FILE_CALIBRATION, &o, err);
	bt_file_use_own(false);
	memset(c, 0, sizeof(*c));
	if (r != BT_OK || o == NULL)
		return r;
	r = bt_calibration_parse(o, l, c, err);
	json_decref(o);
	if (r != BT_OK)
		return bt_error_prefix(err, "'%s/" BT_FILE_CALIBRATION "'",
		                       dir);
	if (c->weights == bt_calibration_weights(g, e))
		return BT_OK;
	bt_calibration_clear(c);
	c->is_of_another = true;
	return BT_OK;
}

static json_t *numbers(const double *x, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, json_real(x[i]));
	return list;
}

int bt_calibration_write(const char *dir, const struct bt_calibration *c,
                         const struct bt_labels *l, json_t *more,
                         struct bt_error *err)
{
	char *path = bt_path_join(dir, BT_FILE_CALIBRATION);
	json_t *names = json_array(), *o;
	int k, r;

	for (k = 0; k < l->n; k++)
		json_array_append_new(names, json_string(l->name[k]));
	o = json_pack("{s:s, s:I, s:I, s:o, s:o, s:o}", "method", c->method,
	              "examples", (json_int_t)c->examples, "weights",
	              (json_int_t)c->weights, "labels", names, "scale",
	              numbers(c->scale, c->n), "bias", numbers(c->bias, c->n));
	if (o != NULL && c->sets.coverage > 0)
		json_object_set_new(
		    o, "sets",
		    json_pack("{s:s, s:f, s:f}", "method",
		              c->sets.cumulative ? "aps" : "lac", "coverage",
		              c->sets.coverage, "limit", c->sets.limit));
	if (o == NULL || (more != NULL && json_object_update(o, more) != 0))
		r = bt_error_nomem(err, "writing JSON");
	else
		r = bt_json_save(path, o, err);
	json_decref(o);
	free(path);
	return r;
}

void bt_calibration_log(const struct bt_calibration *c, const char *dir,
                        const struct bt_log *log)
{
	if (c->is_of_another)
		bt_log_warn(log, "calibration-stale", BT_HINT_CALIBRATE,
		            "'%s/" BT_FILE_CALIBRATION
		            "' was fitted to other weights and is not used",
		            dir);
	else if (c->n > 0 && strcmp(c->method, "none") != 0)
		bt_log(log, BT_LOG_MORE,
		       "'%s': logits are calibrated (%s, on %llu examples)",
		       dir, c->method, (unsigned long long)c->examples);
}

void bt_calibration_apply(const struct bt_calibration *c, const float *z,
                          float *out)
{
	size_t k;

	for (k = 0; k < c->n; k++)
		out[k] = (float)(c->scale[k] * (double)z[k] + c->bias[k]);
}

struct applying {
	const struct bt_calibration *c;
	float *row; /* [c->n] */
	bt_forward_fn *fn;
	void *ctx;
};

static int apply(void *ctx, size_t i, const float *logits, struct bt_error *err)
{
	const struct applying *a = ctx;

	bt_calibration_apply(a->c, logits, a->row);
	return a->fn(a->ctx, i, a->row, err);
}

int bt_calibration_forward(const struct bt_calibration *c, struct bt_engine *e,
                           const struct bt_dataset *d, struct bt_gather *g,
                           size_t classes, bt_forward_fn *fn, void *ctx,
                           double *flop, struct bt_error *err)
{
	struct applying a = {.c = c, .fn = fn, .ctx = ctx};
	int r;

	if (c->n == 0)
		return bt_forward(e, d, g, classes, fn, ctx, flop, err);
	a.row = bt_array(c->n, sizeof(*a.row));
	if (a.row == NULL)
		return bt_error_nomem(err, "calibrating");
	r = bt_forward(e, d, g, classes, apply, &a, flop, err);
	free(a.row);
	return r;
}
