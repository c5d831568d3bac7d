/* SPDX-License-Identifier: MIT */
/* The files of a checkpoint, mapped into memory. */
#ifndef BT_TENSOR_MAP_H
#define BT_TENSOR_MAP_H

#include "tensor/checkpoint_reader.h"

/* Maps a regular file and adds it to c, which owns it. */
int bt_ckpt_map(struct bt_ckpt *c, const char *path,
                const struct bt_ckpt_file **f,
                struct bt_error *err) BT_MUST_USE;

/* Adds bytes in memory, which must outlive c, as a file. NULL when out of
 * memory. */
const struct bt_ckpt_file *bt_ckpt_add_memory(struct bt_ckpt *c,
                                              const char *path,
                                              const void *data,
                                              size_t size) BT_MUST_USE;

/* Closes and frees f. */
void bt_ckpt_unmap(struct bt_ckpt_file *f);

/* Takes f, which holds no tensor, out of the list of files and unmaps it. */
void bt_ckpt_drop_file(struct bt_ckpt *c, const struct bt_ckpt_file *f);

/*
 * Copies n bytes from data, which lie in a file of c or elsewhere in memory.
 * To read a file once and in order is faster through a descriptor than through
 * the map, whose pages have to be found one by one. A file that was cut off
 * meanwhile gives BT_ETRUNCATED and not a signal.
 */
int bt_ckpt_fetch(const struct bt_ckpt *c, const void *data, size_t n,
                  void *out, struct bt_error *err) BT_MUST_USE;

#endif
