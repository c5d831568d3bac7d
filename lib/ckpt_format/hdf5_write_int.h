/* SPDX-License-Identifier: MIT */
/*
 * The parts of an HDF5 file as h5py writes it by default: groups that are
 * B-trees of symbol tables, object headers of version 1, arrays in one piece.
 * Each function appends a part to a buffer that holds the file from its first
 * byte, and says at which address the part is. Callers look at b->oom once.
 */
#ifndef BT_CKPT_FORMAT_HDF5_WRITE_INT_H
#define BT_CKPT_FORMAT_HDF5_WRITE_INT_H

#include "base/buf.h"
#include "base/span.h"
#include "tensor/tensor.h"

#define BT_H5_SUPERBLOCK 96 /* bytes, to be left free at the front */

/* A member of a group. */
struct bt_h5_link {
	struct bt_span name;
	uint64_t address;
};

/* An object header while its messages are appended. */
struct bt_h5_head {
	size_t at;
	unsigned messages;
};

struct bt_h5_head bt_h5_head_begin(struct bt_buf *b);
uint64_t bt_h5_head_end(struct bt_buf *b, struct bt_h5_head h);

/* An attribute that is a text, and one that is a list of n texts. */
void bt_h5_put_text(struct bt_buf *b, struct bt_h5_head *h, const char *key,
                    const char *text);

/* A list that is too long for one attribute is cut into several, key0, key1
 * and so on. */
void bt_h5_put_texts(struct bt_buf *b, struct bt_h5_head *h, const char *key,
                     const struct bt_span *texts, size_t n);
#define BT_H5_TEXT_MAX 64512 /* bytes of one attribute */

/* Where the members of a group are listed. */
struct bt_h5_group {
	uint64_t tree, heap;
};

/* Lists members, which are put into their order; n may be 0. */
struct bt_h5_group bt_h5_put_members(struct bt_buf *b, struct bt_h5_link *links,
                                     size_t n);

/* What makes an object a group. */
void bt_h5_put_group(struct bt_buf *b, struct bt_h5_head *h,
                     const struct bt_h5_group *g);

/* Whether there is a type for its elements. */
bool bt_h5_has_type(enum bt_dtype dtype);

/* An array; *patch is where in b the address of its values is to be put. */
uint64_t bt_h5_put_array(struct bt_buf *b, const struct bt_tensor *t,
                         size_t *patch);

/* Fills in the front of a file of so many bytes. */
void bt_h5_superblock(struct bt_buf *b, uint64_t root,
                      const struct bt_h5_group *g, uint64_t size);

#endif
