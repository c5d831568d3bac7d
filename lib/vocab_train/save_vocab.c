/* SPDX-License-Identifier: MIT */
#include "vocab_train/save_vocab.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/out.h"
#include "io/path.h"

#define MAX_FILES 3

/* One file of a vocabulary, and the function that makes its bytes. */
struct part {
	int (*put)(const struct bt_vocab_out *v, const struct bt_trainer *s,
	           struct bt_buf *b, struct bt_error *err);
	struct bt_out *out;
};

struct bt_vocab_out {
	struct part part[MAX_FILES];
	int parts;
	char *dir; /* that is created when the vocabulary is written, or NULL */
	bool made; /* it was created */
	enum bt_word_kind kind;
	bool lower;
};

static int put_lines(const struct bt_vocab_out *v, const struct bt_trainer *s,
                     struct bt_buf *b, struct bt_error *err)
{
	size_t i;

	(void)v;
	(void)err;
	for (i = 0; i < s->n; i++) {
		bt_buf_put(b, s->token[i].p, s->token[i].n);
		bt_buf_putc(b, '\n');
	}
	return BT_OK;
}

static int put_json(const struct bt_vocab_out *v, const struct bt_trainer *s,
                    struct bt_buf *b, struct bt_error *err)
{
	json_t *token;
	char *text;
	size_t i;

	(void)v;
	for (i = 0; i < s->n; i++) {
		token = json_stringn(s->token[i].p, s->token[i].n);
		text = json_dumps(token, JSON_ENCODE_ANY);
		json_decref(token);
		if (text == NULL)
			return bt_error_nomem(err, "writing a vocabulary");
		bt_buf_printf(b, "%s%s:%zu", i == 0 ? "{" : ",", text, i);
		free(text);
	}
	bt_buf_puts(b, "}\n");
	return BT_OK;
}

static int put_pairs(const struct bt_vocab_out *v, const struct bt_trainer *s,
                     struct bt_buf *b, struct bt_error *err)
{
	const struct bt_trainer_merge_rule *m;
	size_t i;

	(void)v;
	(void)err;
	bt_buf_puts(b, "#version: 0.2\n");
	for (i = 0; i < s->merges; i++) {
		m = &s->merge[i];
		bt_buf_put(b, s->token[m->a].p, s->token[m->a].n);
		bt_buf_putc(b, ' ');
		bt_buf_put(b, s->token[m->b].p, s->token[m->b].n);
		bt_buf_putc(b, '\n');
	}
	return BT_OK;
}

static int put_config(const struct bt_vocab_out *v, const struct bt_trainer *s,
                      struct bt_buf *b, struct bt_error *err)
{
	(void)s;
	(void)err;
	if (v->kind == BT_WORDS_BYTES)
		bt_buf_puts(b, "{\"tokenizer_class\": \"RobertaTokenizer\"}\n");
	else
		bt_buf_printf(b,
		              "{\"do_lower_case\": %s, "
		              "\"tokenizer_class\": \"BertTokenizer\"}\n",
		              v->lower ? "true" : "false");
	return BT_OK;
}

int bt_vocab_out_file(const char *path, struct bt_vocab_out **out,
                      struct bt_error *err)
{
	struct bt_vocab_out *v = bt_array0(1, sizeof(*v));
	int r;

	v->part[0].put = put_lines;
	v->parts = 1;
	r = bt_out_open(path, BT_OUT_TEXT, &v->part[0].out, err);
	if (r == BT_OK)
		*out = v;
	else
		bt_vocab_out_abandon(v);
	return r;
}

static const char *main_file(const struct bt_vocab_out *v)
{
	return v->kind == BT_WORDS_BYTES ? BT_FILE_IDS : BT_FILE_VOCAB;
}

/* A model's vocabulary is not replaced, and a tokenizer of another kind would
 * be read in place of this one. */
static int check_dir(const struct bt_vocab_out *v, const char *dir,
                     struct bt_error *err)
{
	const struct bt_model_file *weights, *tokens;
	int r = bt_model_files_find(dir, BT_USE_WEIGHTS, &weights, NULL, err);

	if (r == BT_OK)
		r = bt_model_files_find(dir, BT_USE_OPENS, &tokens, NULL, err);
	if (r != BT_OK)
		return r;
	if (weights != NULL)
		return bt_error_set(err, BT_EARG,
		                    "'%s' holds a model ('%s'), whose "
		                    "vocabulary stays as it is: write to "
		                    "another directory",
		                    dir, weights->name);
	if (tokens != NULL && strcmp(tokens->name, main_file(v)) != 0)
		return bt_error_set(err, BT_EARG,
		                    "'%s' holds another tokenizer ('%s'): "
		                    "write to another directory",
		                    dir, tokens->name);
	return BT_OK;
}

static int open_parts(struct bt_vocab_out *v, const char *dir,
                      struct bt_error *err)
{
	bool bytes = v->kind == BT_WORDS_BYTES;
	const char *name[MAX_FILES] = {main_file(v), BT_FILE_TOKENIZER_CONFIG,
	                               BT_FILE_MERGES};
	char *path;
	int r = check_dir(v, dir, err);

	v->part[0].put = bytes ? put_json : put_lines;
	v->part[1].put = put_config;
	v->part[2].put = put_pairs;
	for (; r == BT_OK && v->parts < (bytes ? 3 : 2); v->parts++) {
		path = bt_path_join(dir, name[v->parts]);
		r = bt_out_open(path, BT_OUT_TEXT, &v->part[v->parts].out, err);
		free(path);
	}
	return r;
}

static int make_dir(const char *dir, bool *made, struct bt_error *err)
{
	*made = mkdir(dir, 0777) == 0;
	return *made || errno == EEXIST
	           ? BT_OK
	           : bt_error_sys(err, errno, "cannot create directory '%s'",
	                          dir);
}

int bt_vocab_out_dir(const char *dir, enum bt_word_kind kind, bool lower,
                     struct bt_vocab_out **out, struct bt_error *err)
{
	struct bt_vocab_out *v = bt_array0(1, sizeof(*v));
	bool made = false;
	int r = make_dir(dir, &made, err);

	v->kind = kind;
	v->lower = lower;
	/* it would be left behind if the process were killed */
	if (made && rmdir(dir) == 0)
		v->dir = bt_strndup(dir, strlen(dir));
	else if (r == BT_OK)
		r = open_parts(v, dir, err);
	if (r == BT_OK)
		*out = v;
	else
		bt_vocab_out_abandon(v);
	return r;
}

static int fill(const struct bt_vocab_out *v, const struct part *p,
                const struct bt_trainer *s, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	int r = p->put(v, s, &b, err);

	if (r == BT_OK)
		r = b.oom ? bt_error_nomem(err, "writing a vocabulary")
		          : bt_out_write(p->out, b.data, b.len, err);
	bt_buf_clear(&b);
	return r == BT_OK ? bt_out_settle(p->out, err) : r;
}

int bt_vocab_out_save(struct bt_vocab_out *v, const struct bt_trainer *s,
                      struct bt_error *err)
{
	struct part *p;
	int i, r = BT_OK;

	if (v->dir != NULL) {
		r = make_dir(v->dir, &v->made, err);
		if (r == BT_OK)
			r = open_parts(v, v->dir, err);
	}
	for (i = 0; r == BT_OK && i < v->parts; i++)
		r = fill(v, &v->part[i], s, err);
	for (i = 0; r == BT_OK && i < v->parts; i++) {
		p = &v->part[i];
		r = bt_out_commit(p->out, err);
		p->out = NULL;
		if (r == BT_OK)
			v->made = false; /* not empty any more */
	}
	bt_vocab_out_abandon(v);
	return r;
}

void bt_vocab_out_abandon(struct bt_vocab_out *v)
{
	int i;

	if (v == NULL)
		return;
	for (i = 0; i < v->parts; i++)
		bt_out_abandon(v->part[i].out);
	if (v->made)
		(void)rmdir(v->dir);
	free(v->dir);
	free(v);
}
