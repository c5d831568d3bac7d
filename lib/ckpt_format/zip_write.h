/* SPDX-License-Identifier: MIT */
/*
 * Writes a zip archive, one member after the other. The same members give the
 * same bytes: they have no date and no owner.
 */
#ifndef BT_CKPT_FORMAT_ZIP_WRITE_H
#define BT_CKPT_FORMAT_ZIP_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "io/out.h"

struct bt_zip_member;

struct bt_zip_writer {
	struct bt_out *out; /* borrowed */
	bool large;         /* sizes stand in the fields of zip64, so there is
	                     * no limit; every reader knows those without */
	bool deflate;       /* members are deflated, else stored */

	struct bt_zip_member *member; /* written so far */
	size_t n, cap;
};

/* Writes a member of these parts, one behind the other. The name is copied; no
 * two members may have the same. BT_ELIMIT where it has no place without
 * zip64; a deflated one has less than 4 GiB in any case. */
int bt_zip_write(struct bt_zip_writer *w, const char *name,
                 const struct bt_span *parts, size_t n,
                 struct bt_error *err) BT_MUST_USE;

/* Writes what stands behind the last member: the directory. */
int bt_zip_write_end(struct bt_zip_writer *w, struct bt_error *err) BT_MUST_USE;

void bt_zip_writer_clear(struct bt_zip_writer *w);

#endif
