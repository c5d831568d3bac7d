/* SPDX-License-Identifier: MIT */
/* Where the files go: Hugging Face's cache, or a plain directory. */
#ifndef BT_HUB_PLACE_INT_H
#define BT_HUB_PLACE_INT_H

#include "hub/blob_int.h"
#include "hub/fetch.h"

struct bt_hub_place {
	const struct bt_hub_job *job;
	char *folder; /* in the cache; NULL: a plain directory */
	char *locks;  /* there */
	char *dir;    /* that will have them */
};

/* The caller clears p, whatever is returned. */
int bt_hub_place_init(struct bt_hub_place *p, const struct bt_hub_job *job,
                      const char *commit, struct bt_error *err) BT_MUST_USE;
void bt_hub_place_clear(struct bt_hub_place *p);

/* Sets the paths of a blob and makes the folders they are in. */
int bt_hub_place_blob(const struct bt_hub_place *p, struct bt_hub_blob *b,
                      struct bt_error *err) BT_MUST_USE;

/* In the cache: the link to a file that has come. */
int bt_hub_place_link(const struct bt_hub_place *p, const struct bt_hub_file *f,
                      struct bt_error *err) BT_MUST_USE;

/* In the cache: what the revision's name stands for, when all is there. */
int bt_hub_place_refer(const struct bt_hub_place *p, const char *commit,
                       struct bt_error *err) BT_MUST_USE;

#endif
