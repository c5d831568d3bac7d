/* SPDX-License-Identifier: MIT */
#include "model/layers.h"

#include <ctype.h>
#include <stdlib.h>

/* The first part of a name that is a number, or -1. */
static int number_in(const char *name)
{
	const char *p = name;
	char *end;
	long n;

	for (; *p != '\0'; p++) {
		if (!isdigit((unsigned char)*p) || (p > name && p[-1] != '.'))
			continue;
		n = strtol(p, &end, 10);
		if (*end == '.' || *end == '\0')
			return (int)n;
	}
	return -1;
}

int bt_layers(const struct bt_graph *g, int *layer)
{
	int n = 0, i;

	for (i = 0; i < g->n_params; i++) {
		layer[i] =
		    g->params[i].head ? -1 : number_in(g->params[i].name);
		if (layer[i] >= n)
			n = layer[i] + 1;
	}
	/* parameters are declared in the order of the forward pass */
	for (i = g->n_params - 1;
	     i >= 0 && (layer[i] < 0 || g->params[i].apart); i--)
		if (layer[i] < 0)
			layer[i] = n;
	return n;
}
