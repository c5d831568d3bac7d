/* SPDX-License-Identifier: MIT */
#ifndef BT_GARDEN_CONFIG_INT_H
#define BT_GARDEN_CONFIG_INT_H

#include "garden/config.h"
#include "garden/config_schema_int.h"

enum { BT_GARDEN_DEFAULT, BT_GARDEN_EXPERIMENT }; /* the first sources */

struct bt_garden {
	const struct bt_garden_experiment *e;
	struct bt_yaml *tree;
	char **source; /* by struct bt_yaml's from */
	size_t n_sources, cap;
};

/* Writes where a value came from (config_query.c). */
void bt_garden_put_origin(const struct bt_garden *c, const struct bt_yaml *v,
                          struct bt_buf *out);

#endif
