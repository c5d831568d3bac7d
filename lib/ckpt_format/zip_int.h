/* SPDX-License-Identifier: MIT */
/*
 * Zip files, as PyTorch and NumPy write them, read in place: by the central
 * directory, which must agree with what stands before each entry. Entries do
 * not overlap and no two have one name. Errors do not name the file.
 */
#ifndef BT_CKPT_FORMAT_ZIP_INT_H
#define BT_CKPT_FORMAT_ZIP_INT_H

#include "tensor/checkpoint_reader.h"

struct bt_zip_entry {
	const char *name; /* in the file: not ended by a NUL */
	size_t n_name;
	uint64_t at; /* of the header before the data */
	const uint8_t *packed;
	size_t n_packed;
	size_t size;
	uint32_t crc;
	unsigned method;     /* 0: stored, 8: deflated */
	const uint8_t *data; /* once it was asked for */
};

struct bt_zip {
	const struct bt_ckpt_file *f;
	struct bt_zip_entry *e; /* by name */
	size_t n;
	size_t inflated; /* bytes so far */
};

/* True for what begins as a zip file does. */
bool bt_zip_knows(const uint8_t *data, size_t size);

int bt_zip_open(struct bt_zip *z, const struct bt_ckpt_file *f,
                struct bt_error *err) BT_MUST_USE;
void bt_zip_clear(struct bt_zip *z); /* of one that was opened, or zeroed */

/* NULL where there is none of that name. */
const struct bt_zip_entry *bt_zip_find(const struct bt_zip *z, const char *name,
                                       size_t n);

/* Lets bt_ckpt_verify know the checksums of all stored entries. */
int bt_zip_sums(const struct bt_zip *z, struct bt_ckpt *c,
                struct bt_error *err) BT_MUST_USE;

/*
 * The bytes of an entry: those of the file as they are, or of a deflated one a
 * copy that lives as long as c, whose checksum was compared.
 * All copies of a file together have at most BT_ZIP_INFLATED bytes.
 */
#define BT_ZIP_INFLATED ((uint64_t)4 << 30)
int bt_zip_data(struct bt_zip *z, struct bt_ckpt *c,
                const struct bt_zip_entry *e, const uint8_t **data,
                struct bt_error *err) BT_MUST_USE;

#endif
