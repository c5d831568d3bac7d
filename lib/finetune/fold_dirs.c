/* SPDX-License-Identifier: MIT */
#include "finetune/fold_dirs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/adapter_config.h"
#include "format/hub_cache.h"
#include "format/model_files.h"
#include "io/path.h"

void bt_fold_dirs_clear(struct bt_fold_dirs *f)
{
	int i;

	for (i = 0; i < f->n; i++)
		free(f->name[i]);
	memset(f, 0, sizeof(*f));
}

static bool has_config(const char *dir)
{
	char *path = bt_path_join(dir, BT_FILE_CONFIG);
	bool there = bt_path_there(path);

	free(path);
	return there;
}

bool bt_fold_dirs_there(const char *dir)
{
	char *fold = bt_path_join(dir, "fold-1");
	bool there = has_config(fold);

	free(fold);
	return there;
}

static int add(struct bt_opt_list *l, const char *dir, struct bt_error *err)
{
	if (l->n == BT_OPT_LIST_MAX)
		return bt_error_set(err, BT_EARG,
		                    "there are more than %d models",
		                    BT_OPT_LIST_MAX);
	l->item[l->n++] = dir;
	return BT_OK;
}

static int expand(struct bt_opt_list *dirs, struct bt_fold_dirs *f,
                  struct bt_error *err)
{
	struct bt_opt_list all = {.n = 0};
	char name[32], *dir;
	int i, k, r = BT_OK;

	for (i = 0; r == BT_OK && i < dirs->n; i++) {
		dirs->item[i] = bt_hub_cache_find(dirs->item[i]);
		for (k = 1; r == BT_OK && !has_config(dirs->item[i]); k++) {
			snprintf(name, sizeof(name), "fold-%d", k);
			dir = bt_path_join(dirs->item[i], name);
			if (!has_config(dir) || f->n == BT_OPT_LIST_MAX) {
				free(dir);
				break;
			}
			f->name[f->n++] = dir;
			r = add(&all, dir, err);
		}
		if (r == BT_OK && (has_config(dirs->item[i]) || k == 1))
			r = add(&all, dirs->item[i], err);
	}
	if (r == BT_OK)
		*dirs = all;
	return r;
}

int bt_fold_dirs_expand(struct bt_opt_list *dirs,
                        const struct bt_opt_list *adapters,
                        struct bt_fold_dirs *f, struct bt_error *err)
{
	const char *base = dirs->n > 0 ? dirs->item[0] : NULL;
	int i, r;

	if (adapters->n > 0 && dirs->n != 1)
		return bt_error_set(err, BT_EARG,
		                    "adapters change one model, and %d are "
		                    "given",
		                    dirs->n);
	if (adapters->n > 0)
		*dirs = *adapters;
	r = expand(dirs, f, err);
	if (r != BT_OK || adapters->n == 0)
		return r;
	for (i = 0; i < dirs->n; i++)
		if ((r = bt_adapter_expect(dirs->item[i], err)))
			return r;
	bt_adapter_base_set(bt_hub_cache_find(base));
	return BT_OK;
}
