/* SPDX-License-Identifier: MIT */
/* What a model directory holds. */
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "base/mem.h"
#include "ckpt/open_int.h"
#include "ckpt_format/tf_find.h"
#include "format/model_files.h"

/* Names that model directories give to weights, and whether those can be read
 * if their path is given. */
static const struct {
	const char *pattern;
	bool read;
} others[] = {
    {"*.safetensors", true}, {"pytorch_model*.bin", true},
    {"*.pt", true},          {"*.pth", true},
    {"*.ckpt", true},        {"*.npz", true},
    {"*.gguf", true},        {"*.ckpt.index", false},
    {"*.h5", true},          {"*.hdf5", true},
    {"*.msgpack", false},    {"*.keras", false},
    {"*.onnx", false},
};

#define OTHERS (sizeof(others) / sizeof(others[0]))

/* The number of the pattern that a name matches; OTHERS: none. */
static size_t pattern_of(const char *name)
{
	size_t i;

	for (i = 0; i < OTHERS; i++)
		if (fnmatch(others[i].pattern, name, 0) == 0)
			break;
	return i;
}

/* The first file in byte order that looks like weights, or NULL. */
static char *other_weights(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *best = NULL;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (pattern_of(e->d_name) == OTHERS ||
		    (best != NULL && strcmp(e->d_name, best) >= 0))
			continue;
		free(best);
		best = bt_strndup(e->d_name, strlen(e->d_name));
	}
	if (d != NULL)
		closedir(d);
	return best;
}

static int nothing_in(const char *dir, struct bt_error *err)
{
	char *other = other_weights(dir);
	bool read = other != NULL && others[pattern_of(other)].read;
	const char *note = read            ? "'"
	                   : other != NULL ? "', a format that this version "
	                                     "does not read"
	                                   : "";

	bt_error_set(err, BT_EFORMAT,
	             "'%s' has no '%s', no '%s' and no index of such "
	             "files%s%.100s%s",
	             dir, BT_FILE_WEIGHTS, "pytorch_model.bin",
	             other != NULL ? "; it holds '" : "",
	             other != NULL ? other : "", note);
	free(other);
	return bt_error_hint(err, read ? BT_HINT_CKPT_BY_PATH : BT_HINT_NONE,
	                     BT_EFORMAT);
}

int bt_ckpt_find_in(const char *dir, char **path, struct bt_error *err)
{
	const struct bt_model_file *f;
	int r = bt_model_files_find(dir, BT_USE_WEIGHTS, &f, path, err);

	if (r != BT_OK || f != NULL)
		return r;
	r = bt_tf_find_in(dir, path, err);
	if (r != BT_OK || *path != NULL)
		return r;
	return nothing_in(dir, err);
}
