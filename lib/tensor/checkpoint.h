/* SPDX-License-Identifier: MIT */
/*
 * Reading checkpoints: named tensors in one file or in several. The format is
 * recognised by what a file holds, never by its name: safetensors, PyTorch's
 * (the zip file and the older pickle), NumPy's npy and npz, GGUF,
 * TensorFlow's, HDF5 as Keras writes it. Readers of others join in
 * checkpoint_reader.h.
 *
 * Opening maps the files and reads their headers only, so it is as fast for
 * 5 GB as for 5 KB, and it checks everything that can be checked without
 * reading the data: every tensor that is handed out has a name that no other
 * has, a known type, a shape that fits its bytes, and bytes that lie in the
 * file, and in no other tensor save where PyTorch lets several share a storage.
 * Nothing that a file says is ever run: a pickle is read as data, and what it
 * names must be one of the few things that checkpoints are made of.
 *
 * The data are the mapped file itself, but for deflated entries of npz, which
 * are copies: whoever shortens a file while it is open
 * here kills this process (SIGBUS), and whoever writes into it changes what is
 * read. Replacing a file by rename, as all of our tools do, is safe.
 *
 * An open checkpoint is never changed: threads may share it.
 */
#ifndef BT_TENSOR_CHECKPOINT_H
#define BT_TENSOR_CHECKPOINT_H

#include "base/err.h"
#include "tensor/tensor.h"

struct bt_ckpt;

/* A line of what the writer noted about a checkpoint. */
struct bt_ckpt_note {
	const char *key;
	const char *value;
};

void bt_ckpt_close(struct bt_ckpt *c); /* takes NULL */

/*
 * Reads what the files have checksums of (the CRC-32 of zip files) and compares
 * them: BT_ECORRUPT where one differs. Those that TensorFlow's files have of
 * tensors are bt_tensor_verify's.
 */
int bt_ckpt_verify(const struct bt_ckpt *c, struct bt_error *err) BT_MUST_USE;

/* What was opened, and "safetensors", "pytorch", "npz", "npy", "gguf",
 * "hdf5" or "tensorflow". */
const char *bt_ckpt_path(const struct bt_ckpt *c);
const char *bt_ckpt_format(const struct bt_ckpt *c);

/* How many files hold the tensors. */
size_t bt_ckpt_files(const struct bt_ckpt *c);

/*
 * Tensors 0 .. count-1 in natural order of their names: runs of digits compare
 * as numbers, so layer 2 stands before layer 10. They live as long as c.
 */
size_t bt_ckpt_count(const struct bt_ckpt *c);
const struct bt_tensor *bt_ckpt_tensor(const struct bt_ckpt *c, size_t i);

/* NULL where there is none of that name. */
const struct bt_tensor *bt_ckpt_find(const struct bt_ckpt *c, const char *name);

/* Notes (the __metadata__ of safetensors, what is no tensor of numbers in
 * TensorFlow's) in the order of the file; of several files, those of the first
 * that has any. */
size_t bt_ckpt_notes(const struct bt_ckpt *c);
const struct bt_ckpt_note *bt_ckpt_note(const struct bt_ckpt *c, size_t i);

/* How many entries of the file are no tensors of numbers that can be read, and
 * the note of the first, or NULL. */
size_t bt_ckpt_left_out(const struct bt_ckpt *c,
                        const struct bt_ckpt_note **first);

/* The natural order of names; 0 only for equal ones. */
int bt_ckpt_compare(const char *a, const char *b);

#endif
