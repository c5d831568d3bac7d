/* SPDX-License-Identifier: MIT */
/* The files of a model directory that stand beside its weights. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "ckpt/ckpt_int.h"
#include "ckpt/recast.h"
#include "io/in.h"
#include "io/out.h"

#define FILE_MAX ((size_t)256 << 20)

/* Where they stand, and where that is not below the same name, where they go.
 */
static const char *const names[][2] = {
    {"config.json", NULL},
    {"bert_config.json", NULL},
    {"tokenizer.json", NULL},
    {"tokenizer_config.json", NULL},
    {"special_tokens_map.json", NULL},
    {"added_tokens.json", NULL},
    {"vocab.txt", NULL},
    {"assets/vocab.txt", "vocab.txt"},
    {"vocab.json", NULL},
    {"merges.txt", NULL},
    {"sentencepiece.bpe.model", NULL},
    {"spiece.model", NULL},
    {"spm.model", NULL},
    {"tokenizer.model", NULL},
    {"modules.json", NULL},
    {"sentence_bert_config.json", NULL},
    {"config_sentence_transformers.json", NULL},
    {"1_Pooling/config.json", NULL}, /* which modules.json names */
};

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Makes the directory that a file is to stand in. */
static int make_parent(const char *path, struct bt_error *err)
{
	char *dir = strdup(path), *slash;
	int r = BT_OK;

	if (dir == NULL)
		return bt_error_nomem(err, "copying files");
	slash = strrchr(dir, '/');
	if (slash != NULL && slash != dir) {
		*slash = '\0';
		if (mkdir(dir, 0777) != 0 && errno != EEXIST)
			r = bt_error_sys(err, errno, "cannot make '%s'", dir);
	}
	free(dir);
	return r;
}

static int copy(const char *from, const char *to, struct bt_error *err)
{
	char *data;
	size_t n;
	int r = bt_in_whole(from, FILE_MAX, &data, &n, err);

	if (r != BT_OK)
		return r;
	r = bt_out_whole(to, data, n, err);
	free(data);
	return r;
}

char *bt_recast_directory_of(const char *path)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *slash = strrchr(path, '/');
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		bt_buf_puts(&b, path);
	else if (slash == NULL)
		bt_buf_putc(&b, '.');
	else
		bt_buf_put(&b, path, (size_t)(slash - path) + (slash == path));
	return bt_buf_detach(&b);
}

int bt_recast_beside(const char *from, const char *dir, int *copied,
                     struct bt_error *err)
{
	char *src = bt_recast_directory_of(from), *a = NULL, *b = NULL;
	size_t i;
	int r = src == NULL ? bt_error_nomem(err, "copying files") : BT_OK;

	*copied = 0;
	for (i = 0; i < sizeof(names) / sizeof(names[0]) && r == BT_OK; i++) {
		a = bt_ckpt_join(src, names[i][0]);
		b = bt_ckpt_join(dir, names[i][names[i][1] != NULL]);
		if (a == NULL || b == NULL) {
			r = bt_error_nomem(err, "copying files");
		} else if (is_file(a) && !is_file(b)) {
			r = make_parent(b, err);
			if (r == BT_OK)
				r = copy(a, b, err);
			++*copied;
		}
		free(a);
		free(b);
	}
	free(src);
	return r;
}
