/* SPDX-License-Identifier: MIT */
/* Recognizes the format of a file and calls its reader. */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "ckpt/open_int.h"
#include "ckpt_format/readers.h"
#include "format/tfrecord.h"

static const struct bt_ckpt_reader *const readers[] = {
    &bt_safetensors_read, &bt_torch_zip_read, &bt_torch_legacy_read,
    &bt_npy_read,         &bt_gguf_read,      &bt_tf_bundle_read,
    &bt_hdf5_read,
};

#define READERS (sizeof(readers) / sizeof(readers[0]))

/* What users take for a checkpoint, by its first bytes. */
static const struct {
	const char *magic, *what;
	enum bt_hint hint;
} others[] = {
    {"\x1f\x8b", "is gzip-compressed data: unpack it first", BT_HINT_NONE},
    {"\x28\xb5\x2f\xfd",
     "is zstd-compressed data: unpack it first, unless it is a stream of "
     "tensors",
     BT_HINT_READ_WITH_TENSOR_CAT},
    /* a clone without Git's extension for large files has these instead */
    {BT_LFS_POINTER, BT_LFS_SAYS, BT_HINT_NONE},
};

/* Says what a file is that no reader knows; or NULL. */
static const char *foreign(const struct bt_ckpt_file *f, enum bt_hint *hint)
{
	size_t i, n;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		n = strlen(others[i].magic);
		if (f->size >= n && memcmp(f->data, others[i].magic, n) == 0) {
			*hint = others[i].hint;
			return others[i].what;
		}
	}
	if (bt_tfrecord_begins(f->data, f->size)) {
		*hint = BT_HINT_READ_WITH_TFRECORD_CAT;
		return "holds records and not tensors";
	}
	/* protobuf: a version as field 1, behind it a producer as field 2 */
	if (f->size > 3 && f->data[0] == 0x08 && f->data[1] == 1 &&
	    f->data[2] == 0x12)
		return "is the graph of a SavedModel: the weights are in "
		       "'variables' beside it";
	if (f->size > 3 && f->data[0] == 0x08 && f->data[1] >= 3 &&
	    f->data[1] < 0x80 && f->data[2] == 0x12)
		return "is an ONNX model, which is written but not read here";
	/* ASCII, more of it than a number has by chance */
	for (i = 0; i < f->size && i < 16; i++)
		if (f->data[i] >= 0x80 ||
		    (!isprint(f->data[i]) && !isspace(f->data[i])))
			break;
	return i == 16 ? "is text and not a checkpoint" : NULL;
}

static const struct bt_ckpt_reader *reader_of(const struct bt_ckpt_file *f)
{
	size_t i;

	for (i = 0; i < READERS; i++)
		if (readers[i]->knows(f->data, f->size))
			return readers[i];
	return NULL;
}

int bt_ckpt_read_file(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                      struct bt_error *err)
{
	const struct bt_ckpt_reader *reader = reader_of(f);
	enum bt_hint hint = BT_HINT_NONE;
	const char *what;

	if (reader == NULL) {
		what = foreign(f, &hint);
		if (what != NULL)
			return bt_error_hint(err, hint,
			                     bt_error_set(err, BT_EFORMAT,
			                                  "'%s' %s", f->path,
			                                  what));
		reader = &bt_safetensors_read; /* let it say what is wrong */
	}
	c->format = reader->format;
	return reader->read(c, f, err);
}

bool bt_ckpt_file_known(const struct bt_ckpt_file *f)
{
	return reader_of(f) != NULL;
}
