/* SPDX-License-Identifier: MIT */
/*
 * HDF5, as far as Keras and h5py write it: what is shared by the file that
 * walks groups and object headers and the one that reads their messages.
 */
#ifndef BT_CKPT_FORMAT_HDF5_INT_H
#define BT_CKPT_FORMAT_HDF5_INT_H

#include <string.h>

#include "base/buf.h"
#include "tensor/checkpoint_reader.h"

/* Types of messages. */
enum {
	BT_H5_SPACE = 1,
	BT_H5_LINK_INFO = 2,
	BT_H5_TYPE = 3,
	BT_H5_LINK = 6,
	BT_H5_EXTERNAL = 7,
	BT_H5_LAYOUT = 8,
	BT_H5_ATTRIBUTE = 12,
	BT_H5_MORE = 16,
	BT_H5_SYMBOLS = 17
};

#define BT_H5_NOWHERE UINT64_MAX /* an address that is none */

struct bt_h5 {
	struct bt_ckpt *c;
	const struct bt_ckpt_file *f;
	size_t steps;       /* that may still be taken */
	int depth;          /* of groups */
	struct bt_buf path; /* "a/b", of the object that is read */
	struct bt_error *err;
};

/* A message: its bytes, NULL where there is none. */
struct bt_h5_message {
	const uint8_t *p;
	size_t n;
};

/* What the messages of an object header say, as far as it matters. */
struct bt_h5_object {
	struct bt_h5_message space, type, layout, symbols;
	bool external;
};

/* The n bytes at an address; NULL where they are not all in the file. */
static inline const uint8_t *bt_h5_at(const struct bt_h5 *h, uint64_t address,
                                      uint64_t n)
{
	if (address > h->f->size || n > h->f->size - address)
		return NULL;
	return h->f->data + address;
}

/* A number of n bytes, at most 8. */
static inline uint64_t bt_h5_number(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

static inline int bt_h5_corrupt(struct bt_h5 *h, const char *what)
{
	return bt_error_set(h->err, BT_ECORRUPT, "%s is damaged, or cut off",
	                    what);
}

/* Adds the tensor that an object is, under h->path; or a note where it holds no
 * numbers. */
int bt_h5_dataset(struct bt_h5 *h, const struct bt_h5_object *o) BT_MUST_USE;

/* Adds a note of an attribute that is a text, or a list of texts; others are
 * passed over. */
int bt_h5_attribute(struct bt_h5 *h, const uint8_t *p, size_t n) BT_MUST_USE;

#endif
