/* SPDX-License-Identifier: MIT */
#include "model/freeze.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/layers.h"

/* Item by item: false behind the last. *what moves on; free *item. */
static bool next_item(const char **what, char **item)
{
	size_t n = strcspn(*what, ",");

	if (**what == '\0')
		return false;
	*item = bt_strndup(*what, n);
	*what += n + ((*what)[n] == ',');
	return true;
}

static int compile(regex_t *re, const char *pattern, struct bt_error *err)
{
	int e = regcomp(re, pattern, REG_EXTENDED | REG_NOSUB);
	char why[160];

	if (e == 0 && *pattern != '\0')
		return BT_OK;
	if (e == 0) {
		regfree(re);
		return bt_error_set(err, BT_EARG,
		                    "an empty name of what is "
		                    "to be frozen");
	}
	regerror(e, re, why, sizeof(why));
	return bt_error_set(err, BT_EARG, "bad pattern '%.100s': %s", pattern,
	                    why);
}

int bt_freeze_check(const char *what, struct bt_error *err)
{
	int r = *what == '\0'
	            ? bt_error_set(err, BT_EARG, "nothing to freeze is named")
	            : BT_OK;
	regex_t re;
	char *item;

	while (r == BT_OK && next_item(&what, &item)) {
		r = compile(&re, item, err);
		if (r == BT_OK)
			regfree(&re);
		free(item);
	}
	return r;
}

/* Those of layers below the first `layers`. */
static int freeze_layers(struct bt_graph *g, const int *layer, int n,
                         int layers, struct bt_error *err)
{
	int i, found = 0;

	if (layers > n)
		return bt_error_set(err, BT_EARG,
		                    "the model has %d layers with parameters "
		                    "of their own, so %d of them cannot be "
		                    "frozen",
		                    n, layers);
	for (i = 0; i < g->n_params; i++)
		if (layer[i] < layers && !g->params[i].head) {
			g->params[i].frozen = true;
			found++;
		}
	return found > 0
	           ? BT_OK
	           : bt_error_set(err, BT_EARG, "the model has no embeddings");
}

static int freeze_pattern(struct bt_graph *g, const char *pattern,
                          struct bt_error *err)
{
	int r, i, found = 0;
	regex_t re;

	if ((r = compile(&re, pattern, err)))
		return r;
	for (i = 0; i < g->n_params; i++)
		if (regexec(&re, g->params[i].name, 0, NULL, 0) == 0) {
			g->params[i].frozen = true;
			found++;
		}
	regfree(&re);
	if (found > 0)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "no parameter to freeze is called '%.100s' (the "
	                    "first is '%s', the last '%s')",
	                    pattern, g->params[0].name,
	                    g->params[g->n_params - 1].name);
}

static int freeze_item(struct bt_graph *g, const int *layer, int n,
                       const char *item, struct bt_error *err)
{
	size_t digits = strspn(item, "0123456789");

	if (strcmp(item, "embeddings") == 0)
		return freeze_layers(g, layer, n, 0, err);
	if (digits > 0 && digits < 7 && item[digits] == '\0')
		return freeze_layers(g, layer, n, atoi(item), err);
	return freeze_pattern(g, item, err);
}

int bt_freeze(struct bt_graph *g, const char *what, struct bt_error *err)
{
	int *layer = bt_array((size_t)g->n_params, sizeof(*layer));
	int n = bt_layers(g, layer), r = BT_OK;
	char *item;

	while (r == BT_OK && next_item(&what, &item)) {
		r = freeze_item(g, layer, n, item, err);
		free(item);
	}
	free(layer);
	if (r == BT_OK && bt_graph_trained(g) == 0)
		r = bt_error_set(err, BT_EARG,
		                 "all parameters are frozen: none is left to "
		                 "be trained");
	return r;
}
