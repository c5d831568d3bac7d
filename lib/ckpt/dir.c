/* SPDX-License-Identifier: MIT */
/* What a model directory holds. */
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ckpt/ckpt_int.h"

#define WHOLE "model.safetensors"
#define INDEX "model.safetensors.index.json"

char *bt_ckpt_join(const char *dir, const char *name)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s/%s", dir, name);
	return bt_buf_detach(&b);
}

/* Names that model directories give to weights of other formats. */
static bool holds_weights(const char *name)
{
	static const char *const patterns[] = {
	    "pytorch_model*.bin",
	    "*.ckpt.index",
	    "*.h5",
	    "*.hdf5",
	    "*.msgpack",
	    "*.gguf",
	    "*.npz",
	    "*.pt",
	    "*.pth",
	    "*.ckpt",
	    "*.keras",
	    "*.safetensors",
	};
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

/* The first file in byte order that looks like weights, or NULL. */
static char *other_weights(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *best = NULL;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (!holds_weights(e->d_name) ||
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
	const char *note = "";

	if (other != NULL)
		note = fnmatch("*.safetensors", other, 0) == 0
		           ? "': give its path to read it"
		           : "', a format that this version does not read";
	bt_error_set(err, BT_EARG, "'%s' has no '%s' and no '%s'%s%.100s%s",
	             dir, WHOLE, INDEX, other != NULL ? "; it holds '" : "",
	             other != NULL ? other : "", note);
	free(other);
	return BT_EARG;
}

int bt_ckpt_look_in(const char *dir, char **path, struct bt_error *err)
{
	static const char *const names[] = {WHOLE, INDEX};
	char *p;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		p = bt_ckpt_join(dir, names[i]);
		if (p == NULL)
			return bt_error_nomem(err, "opening a checkpoint");
		if (access(p, F_OK) == 0) {
			*path = p;
			return BT_OK;
		}
		free(p);
	}
	return nothing_in(dir, err);
}
