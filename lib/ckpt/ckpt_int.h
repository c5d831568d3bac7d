/* SPDX-License-Identifier: MIT */
/*
 * What the readers of checkpoint formats share. A new format is a struct
 * bt_ckpt_reader in a file of its own and a row in the table in open.c.
 */
#ifndef BT_CKPT_CKPT_INT_H
#define BT_CKPT_CKPT_INT_H

#include "ckpt/ckpt.h"

struct bt_ckpt_file {
	char *path;
	const uint8_t *data;
	size_t size;
	bool mapped;
};

struct bt_ckpt_block; /* memory for names and shapes */

struct bt_ckpt {
	char *path;
	const char *format;
	struct bt_ckpt_file **files;
	size_t n_files, cap_files;
	struct bt_tensor *tensors;
	size_t n, cap;
	struct bt_ckpt_note *notes;
	size_t n_notes, cap_notes;
	struct bt_ckpt_block *blocks;
};

struct bt_ckpt_reader {
	const char *format;

	/* True when the bytes can only be meant to be of this format, sound or
	 * not. */
	bool (*knows)(const uint8_t *data, size_t size);

	/* Adds the tensors and notes of f to c. Errors start with the name of
	 * the file. */
	int (*read)(struct bt_ckpt *c, const struct bt_ckpt_file *f,
	            struct bt_error *err);
};

extern const struct bt_ckpt_reader bt_ckpt_safetensors;

/* Memory that lives as long as c, aligned for an int64_t; NULL when out of
 * memory. */
void *bt_ckpt_keep(struct bt_ckpt *c, size_t n) BT_MUST_USE;
const char *bt_ckpt_keep_str(struct bt_ckpt *c, const char *s) BT_MUST_USE;

/* Appends an empty tensor; NULL when out of memory. */
struct bt_tensor *bt_ckpt_add(struct bt_ckpt *c) BT_MUST_USE;

/* Copies key and value. Returns 0 or BT_ENOMEM. */
int bt_ckpt_add_note(struct bt_ckpt *c, const char *key,
                     const char *value) BT_MUST_USE;

/* Maps a regular file and adds it to c, which owns it. */
int bt_ckpt_map(struct bt_ckpt *c, const char *path,
                const struct bt_ckpt_file **f,
                struct bt_error *err) BT_MUST_USE;

/* Takes back what bt_ckpt_map did; c must forget f. */
void bt_ckpt_unmap(struct bt_ckpt_file *f);

/* Reads one file of tensors into c, in whatever format it is. */
int bt_ckpt_read_file(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                      struct bt_error *err) BT_MUST_USE;

/* Reads the shards that an index file names into c. */
int bt_ckpt_read_index(struct bt_ckpt *c, const struct bt_ckpt_file *index,
                       struct bt_error *err) BT_MUST_USE;

/* The path of what a model directory holds; free() it. */
int bt_ckpt_look_in(const char *dir, char **path,
                    struct bt_error *err) BT_MUST_USE;

/* "dir/name"; NULL when out of memory. */
char *bt_ckpt_join(const char *dir, const char *name) BT_MUST_USE;

/* The formats that are known by their first bytes, for messages; NULL: none. */
const char *bt_ckpt_foreign(const uint8_t *data, size_t size);

#endif
