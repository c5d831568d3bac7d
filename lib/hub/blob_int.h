/* SPDX-License-Identifier: MIT */
/*
 * A file on its way from a hub: "PARTIAL" grows, is continued by the next run,
 * and gets its name once it has the size and the hash that the hub told. A lock
 * keeps other processes from writing to the same one.
 */
#ifndef BT_HUB_BLOB_INT_H
#define BT_HUB_BLOB_INT_H

#include <stdbool.h>
#include <stdint.h>

#include "hub/client_int.h"
#include "hub/digest_int.h"
#include "hub/listing.h"

struct bt_hub_blob {
	const struct bt_hub_file *file;
	char *url;
	char *path;    /* to appear under */
	char *partial; /* until then */
	char *lock;    /* a file to lock; the partial one itself, or another */
	bool by_hash;  /* path is of this hash: who has it needs no look */
	bool replace;  /* another file at path is replaced */
	bool there;    /* it was at path before */
	uint64_t have; /* bytes of the partial file; all at the end */
	uint64_t came; /* over the net */
	/* private */
	int fd, lock_fd;
	bool resumed;
	struct bt_digest *digest;
};

extern const struct bt_hub_receiver bt_hub_blob_receiver; /* ctx: a blob */

/* Zero but for what is not private; clear closes what is open and frees all
 * strings. */
void bt_hub_blob_init(struct bt_hub_blob *b, const struct bt_hub_file *file);
void bt_hub_blob_clear(struct bt_hub_blob *b);

/* Looks at what stands at b->path: sets b->there, or refuses another file. */
int bt_hub_blob_look(struct bt_hub_blob *b, struct bt_error *err) BT_MUST_USE;

#endif
