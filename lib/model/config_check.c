/* SPDX-License-Identifier: MIT */
/* Reads keys of configurations; refuses those that ask for a variant that is
 * not built. */
#include <stdint.h>
#include <string.h>

#include "format/json.h"
#include "model/family_int.h"

int bt_config_real(const json_t *o, const char *key, double lo, double hi,
                   float *v, struct bt_error *err)
{
	double x = *v;
	int r = bt_json_real(o, key, lo, hi, &x, err);

	*v = (float)x;
	return r;
}

int bt_config_only(const json_t *o, const char *key, const char *built,
                   struct bt_error *err)
{
	const char *v = built;
	int r = bt_json_str(o, key, &v, err);

	if (r == BT_OK && strcmp(v, built) != 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%s '%s' is not supported (only '%s' is)", key,
		                 v, built);
	return r;
}

int bt_config_only_int(const json_t *o, const char *key, int built,
                       struct bt_error *err)
{
	int64_t v = built;
	int r = bt_json_int(o, key, INT64_MIN, INT64_MAX, &v, err);

	if (r == BT_OK && v != built)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%s %lld is not supported (only %d is)", key,
		                 (long long)v, built);
	return r;
}

int bt_config_only_false(const json_t *o, const char *key, struct bt_error *err)
{
	bool v = false;
	int r = bt_json_bool(o, key, &v, err);

	if (r == BT_OK && v)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%s true is not supported (only false is)",
		                 key);
	return r;
}

int bt_config_rotates(const struct bt_config *c, struct bt_error *err)
{
	int d = c->hidden_size / c->heads;

	return d % 2 == 0
	           ? BT_OK
	           : bt_error_set(err, BT_EFORMAT,
	                          "heads of %d columns, which is odd, cannot "
	                          "be rotated",
	                          d);
}
