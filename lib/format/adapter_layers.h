/* SPDX-License-Identifier: MIT */
/*
 * Layers that have another name in an adapter than in the files of a model: of
 * GTE and Nomic BERT, transformers' classes, which peft adapts, have a layer
 * each for what files have as one matrix.
 */
#ifndef BT_FORMAT_ADAPTER_LAYERS_H
#define BT_FORMAT_ADAPTER_LAYERS_H

#define BT_ADAPTER_PARTS 3 /* of a layer at most */

/*
 * The name in an adapter, to be freed, of part k of a layer of a model's file;
 * *parts is how many there are, which have the same number of rows each. Most
 * layers have one part, with their own name.
 */
char *bt_adapter_layer_name(const char *layer, int k, int *parts);

/*
 * The other way: the i-th name, from 0 on, to be freed, that the layer of an
 * adapter may have in a model's file, if not its own, and which part of that it
 * is; NULL: that was all.
 */
char *bt_adapter_layer_file(const char *layer, int i, int *part, int *parts);

#endif
