/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints, their statistics and their differences as people and programs
 * read them. Text is appended to a buffer, whose oom the caller checks; names
 * in it cannot give orders to a terminal. JSON is one object and a newline; in
 * it numbers that are not finite are null.
 */
#ifndef BT_CKPT_INSPECT_H
#define BT_CKPT_INSPECT_H

#include <regex.h>

#include "base/buf.h"
#include "io/out.h"
#include "tensor/stats.h"

/* Some tensors of a checkpoint, in its order. */
struct bt_inspect_view {
	const struct bt_ckpt *ckpt;
	const struct bt_tensor **t;
	size_t n;
};

/* Those whose name holds a match of pattern; NULL takes all. */
int bt_inspect_view_init(struct bt_inspect_view *v, const struct bt_ckpt *c,
                         const regex_t *pattern,
                         struct bt_error *err) BT_MUST_USE;
void bt_inspect_view_clear(struct bt_inspect_view *v);

/* One line on what dir/config.json says the model is; nothing where dir is a
 * file or has no such file. */
int bt_inspect_config(struct bt_buf *b, const char *dir,
                      struct bt_error *err) BT_MUST_USE;

/* A line for each tensor, then the totals. s is NULL, or has the statistics of
 * the tensors of v. */
void bt_inspect_list(struct bt_buf *b, const struct bt_inspect_view *v,
                     const struct bt_tensor_stats *s);
void bt_inspect_list_json(struct bt_buf *b, const struct bt_inspect_view *v,
                          const struct bt_tensor_stats *s);

/* The modules that the names tell, each with the totals of all below it, and in
 * them the tensors; of depth levels, 0: all. */
void bt_inspect_tree(struct bt_buf *b, const struct bt_inspect_view *v,
                     int depth);
void bt_inspect_tree_json(struct bt_buf *b, const struct bt_inspect_view *v,
                          int depth);

/*
 * What is wrong with the values: a line for each tensor that holds NaN or Inf.
 * Returns how many there are. Where none is, the text says so unless quiet.
 */
size_t bt_inspect_check(struct bt_buf *b, const struct bt_inspect_view *v,
                        const struct bt_tensor_stats *s, bool quiet);
size_t bt_inspect_check_json(struct bt_buf *b, const struct bt_inspect_view *v,
                             const struct bt_tensor_stats *s);

/* The same object for a checkpoint that could not be opened. */
void bt_inspect_damage_json(struct bt_buf *b, const char *path,
                            const char *text);

/* The rows of bt_stats_diff that differ, then a summary unless quiet. Return
 * how many differ. */
size_t bt_inspect_diff(struct bt_buf *b, const struct bt_tensor_diff *rows,
                       size_t n, bool quiet);
size_t bt_inspect_diff_json(struct bt_buf *b, const struct bt_ckpt *a,
                            const struct bt_ckpt *c,
                            const struct bt_tensor_diff *rows, size_t n);

/* The values of a tensor: a line for each row, that is for each index but the
 * last. Decimals are the shortest that read back as the same number. */
int bt_inspect_values(struct bt_out *out, const struct bt_tensor *t,
                      struct bt_error *err) BT_MUST_USE;

/* The tensor as a file of NumPy, BT_EFORMAT where that has no such type; and as
 * a tensor stream of one frame. */
int bt_inspect_npy(struct bt_out *out, const struct bt_tensor *t,
                   struct bt_error *err) BT_MUST_USE;
int bt_inspect_stream(struct bt_out *out, const struct bt_tensor *t,
                      struct bt_error *err) BT_MUST_USE;

#endif
