/* SPDX-License-Identifier: MIT */
/* What reads the index of a TensorFlow checkpoint: tfbundle.c, and for
 * variables that were saved in parts tfparts.c. */
#ifndef BT_CKPT_TFREAD_INT_H
#define BT_CKPT_TFREAD_INT_H

#include "ckpt/tf_int.h"

/* Bytes of a shard that belong to one key. */
struct bt_tfplace {
	uint64_t shard, begin, end;
	const char *name;
};

struct bt_tfshard {
	bool looked;
	const struct bt_ckpt_file *f; /* NULL: missing */
	const char *path;             /* NULL: the index has no name */
};

/* A part of a variable, at start and as long as length in each dimension. */
struct bt_tfslice {
	const int64_t *start, *length;
	const uint8_t *data; /* NULL: the file is missing */
};

/* A variable that was saved in parts. */
struct bt_tfwhole {
	size_t tensor; /* index */
	struct bt_pb message;
	size_t slices;
	int64_t *numbers; /* starts and lengths */
	struct bt_tfslice *slice;
	size_t n;     /* parts found */
	size_t count; /* their elements */
	bool missing;
};

struct bt_tfread {
	struct bt_ckpt *c;
	const struct bt_ckpt_file *f;
	struct bt_tfshard *shards;
	size_t n_shards; /* 0 before the header */
	struct bt_tfplace *places;
	size_t n_places, cap_places;
	struct bt_tfpart *parts;
	size_t n_parts, cap_parts;
	struct bt_tfwhole *wholes;
	size_t n_wholes, cap_wholes;
};

/* "'index': tensor 'name' what" */
int bt_tfread_bad(const struct bt_tfread *r, const char *name, const char *what,
                  struct bt_error *err);

/* Where the bytes of an entry are, and in which file; *p is NULL where that is
 * missing. */
int bt_tfread_locate(struct bt_tfread *r, const char *name,
                     const struct bt_tfentry *e, const uint8_t **p,
                     const char **file, struct bt_error *err) BT_MUST_USE;

/* Finds all parts, and that they make a whole; puts them together, for which
 * they must not share bytes; forgets them. */
int bt_tfwhole_find(struct bt_tfread *r, struct bt_tfwhole *w,
                    struct bt_error *err) BT_MUST_USE;
int bt_tfwhole_read(struct bt_tfread *r, struct bt_tfwhole *w,
                    struct bt_error *err) BT_MUST_USE;
void bt_tfwhole_clear(struct bt_tfwhole *w);

#endif
