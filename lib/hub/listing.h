/* SPDX-License-Identifier: MIT */
/*
 * What a hub says of a model at one commit: the names, sizes and hashes of its
 * files, as GET /api/models/NAME/revision/REVISION?blobs=true answers. Nothing
 * in it is trusted: a name that is not that of a file below the model's
 * directory makes the whole listing an error.
 */
#ifndef BT_HUB_LISTING_H
#define BT_HUB_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BT_HUB_HASH 65 /* hexadecimal, with its NUL */

struct bt_hub_file {
	char *name;             /* below the model's directory */
	bool sized;             /* size is known */
	uint64_t size;          /* bytes */
	char hash[BT_HUB_HASH]; /* SHA-256 of the file (64 digits) or git's
	                         * SHA-1 of it (40); "": not told */
};

struct bt_hub_listing {
	char commit[41];
	struct bt_hub_file *file;
	size_t n;
};

/* Reads the answer; the caller clears l, whatever is returned. */
int bt_hub_listing_read(const char *text, size_t len, struct bt_hub_listing *l,
                        struct bt_error *err) BT_MUST_USE;
void bt_hub_listing_clear(struct bt_hub_listing *l);

/* The file dir/name, where dir may be ""; or NULL. */
struct bt_hub_file *bt_hub_listing_find(const struct bt_hub_listing *l,
                                        const char *dir, const char *name);

/* Takes a hash as an ETag has it, with its quotes, or bare; false: it is of
 * neither kind. */
bool bt_hub_hash_take(const char *tag, char hash[BT_HUB_HASH]);

#endif
