/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* The layers of parameters, by their names. */
#include "test.h"

#include <string.h>

#include "model/layers.h"

#define MOST 8

static void expect(const char *const *names, const int *want, int layers)
{
	struct bt_param params[MOST] = {0};
	struct bt_graph g = {.params = params};
	int layer[MOST], i;

	for (; names[g.n_params] != NULL; g.n_params++) {
		params[g.n_params].name = (char *)names[g.n_params];
		params[g.n_params].head =
		    strncmp(names[g.n_params], "head.", 5) == 0;
	}
	assert_int_equal(bt_layers(&g, layer), layers);
	for (i = 0; i < g.n_params; i++)
		if (layer[i] != want[i])
			fail_msg("%s: layer %d, not %d", names[i], layer[i],
			         want[i]);
}

TEST(of_names)
{
	expect(
	    (const char *const[]){"embeddings.word_embeddings.weight",
	                          "embeddings.LayerNorm.bias",
	                          "encoder.layer.0.attention.self.query.weight",
	                          "encoder.layer.0.output.dense.bias",
	                          "encoder.layer.10.output.dense.bias",
	                          "pooler.dense.weight", "head.0.weight", NULL},
	    (const int[]){-1, -1, 0, 0, 10, 11, 11}, 11);
	/* numbers within words, and the head's, are none of a layer */
	expect((const char *const[]){"model.embeddings2.w",
	                             "model.layers.3.mlp_norm1.weight",
	                             "model.final_norm.weight", "head.7.weight",
	                             "classifier.weight", NULL},
	       (const int[]){-1, 3, 4, 4, 4}, 4);
	/* layers that share their parameters are one */
	expect(
	    (const char *const[]){
	        "albert.embeddings.w",
	        "albert.encoder.albert_layer_groups.0.albert_layers.0.ffn.weight",
	        "albert.pooler.weight", NULL},
	    (const int[]){-1, 0, 1}, 1);
}
