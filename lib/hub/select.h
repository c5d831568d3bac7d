/* SPDX-License-Identifier: MIT */
/*
 * Which files of a model the tools read: configuration, tokenizer, what
 * sentence-transformers adds, and one form of the weights, the first in the
 * order in which a model directory is read (format/model_files.h). Where there
 * are none, an adapter's (format/adapter_config.h).
 */
#ifndef BT_HUB_SELECT_H
#define BT_HUB_SELECT_H

#include "hub/listing.h"

struct bt_hub_selection {
	struct bt_hub_file **file; /* of the listing, each once */
	size_t n, cap;
	bool weights; /* some of them are the weights */
	char *base;   /* the model that they change, as adapter_config.json
	               * names it; NULL: they are no adapter, or of none */
};

/* Gives the whole text of a file that says which others are needed: the list of
 * modules, the index of shards, adapter_config.json. *text is freed here. */
typedef int bt_hub_text(void *ctx, struct bt_hub_file *f, char **text,
                        size_t *len, struct bt_error *err);

/* The caller clears s, whatever is returned: so for both. */
int bt_hub_select(const struct bt_hub_listing *l, bt_hub_text *text, void *ctx,
                  struct bt_hub_selection *s, struct bt_error *err) BT_MUST_USE;

/* Of a data set: the tables by their names' endings, or, if there are patterns,
 * all files whose names fnmatch() one of them, where '*' matches a '/', too; in
 * the order of the listing. A pattern without a file is BT_EFORMAT. */
int bt_hub_select_data(const struct bt_hub_listing *l,
                       const char *const *patterns, size_t n,
                       struct bt_hub_selection *s,
                       struct bt_error *err) BT_MUST_USE;
void bt_hub_selection_clear(struct bt_hub_selection *s);

#endif
