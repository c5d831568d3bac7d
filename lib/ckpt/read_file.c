/* SPDX-License-Identifier: MIT */
/* Recognizes the format of a file and calls its reader. */
#include <ctype.h>
#include <string.h>

#include "ckpt/open_int.h"
#include "ckpt_format/readers.h"
#include "format/tfrecord.h"

static const struct bt_ckpt_reader *const readers[] = {
    &bt_safetensors_read, &bt_torch_zip_read, &bt_torch_legacy_read,
    &bt_npy_read,         &bt_gguf_read,      &bt_tf_bundle_read,
    &bt_hdf5_read,
};

#define READERS (sizeof(readers) / sizeof(readers[0]))
/* True if it begins with ASCII, more of it than a number has by chance. */
static bool is_text(const struct bt_ckpt_file *f)
{
	size_t i;

	for (i = 0; i < f->size && i < 16; i++)
		if (f->data[i] >= 0x80 ||
		    (!isprint(f->data[i]) && !isspace(f->data[i])))
			return false;
	return i == 16;
}

/* Says what a file is that no reader knows; or NULL. */
static const char *foreign(const struct bt_ckpt_file *f, enum bt_hint *hint)
{
	static const uint8_t gzip[] = {0x1F, 0x8B},
	                     zstd[] = {0x28, 0xB5, 0x2F, 0xFD};

	if (f->size >= sizeof(gzip) && memcmp(f->data, gzip, sizeof(gzip)) == 0)
		return "is gzip-compressed data: unpack it first";
	if (f->size >= sizeof(zstd) &&
	    memcmp(f->data, zstd, sizeof(zstd)) == 0) {
		*hint = BT_HINT_READ_WITH_TENSOR_CAT;
		return "is zstd-compressed data: unpack it first, unless it is "
		       "a stream of tensors";
	}
	if (bt_tfrecord_begins(f->data, f->size)) {
		*hint = BT_HINT_READ_WITH_TFRECORD_CAT;
		return "holds records and not tensors";
	}
	if (is_text(f))
		return "is text and not a checkpoint";
	return NULL;
}

static const struct bt_ckpt_reader *reader_of(const struct bt_ckpt_file *f)
{
	size_t i;

	for (i = 0; i < READERS; i++)
		if (readers[i]->knows(f->data, f->size))
			return readers[i];
	return NULL;
}

/* What a clone without Git's extension for large files has in their place. */
static bool is_pointer(const struct bt_ckpt_file *f)
{
	static const char first[] = "version https://git-lfs.";

	return f->size >= sizeof(first) - 1 &&
	       memcmp(f->data, first, sizeof(first) - 1) == 0;
}

int bt_ckpt_read_file(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                      struct bt_error *err)
{
	const struct bt_ckpt_reader *reader = reader_of(f);
	enum bt_hint hint = BT_HINT_NONE;
	const char *what;

	if (is_pointer(f))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' only says where Git LFS keeps the "
		                    "file: git lfs pull fetches it",
		                    f->path);
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
