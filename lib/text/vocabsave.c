/* SPDX-License-Identifier: MIT */
#include "text/vocabsave.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "io/dirs.h"
#include "io/json.h"
#include "io/modeldir.h"
#include "io/out.h"
#include "text/tok_int.h"

/* Writes the buffer, which is cleared, as DIR/name. */
static int write_file(const char *dir, const char *name, struct bt_buf *b,
                      struct bt_error *err)
{
	char *path = bt_dirs_join(dir, name);
	int r;

	if (path == NULL || b->oom)
		r = bt_error_nomem(err, "writing a vocabulary");
	else
		r = bt_out_whole(path, b->data, b->len, err);
	free(path);
	bt_buf_clear(b);
	return r;
}

static void put_lines(const struct bt_subwords *s, struct bt_buf *b)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		bt_buf_put(b, s->token[i].p, s->token[i].n);
		bt_buf_putc(b, '\n');
	}
}

int bt_vocab_save_lines(const struct bt_subwords *s, const char *path,
                        struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_out *out = NULL;
	int r = bt_out_open(path, BT_OUT_TEXT, &out, err);

	if (r != BT_OK)
		return r;
	put_lines(s, &b);
	r = b.oom ? bt_error_nomem(err, "writing a vocabulary")
	          : bt_out_write(out, b.data, b.len, err);
	bt_buf_clear(&b);
	if (r == BT_OK)
		return bt_out_commit(out, err);
	bt_out_abandon(out);
	return r;
}

static int put_json(const struct bt_subwords *s, struct bt_buf *b,
                    struct bt_error *err)
{
	json_t *v;
	char *text;
	size_t i;

	for (i = 0; i < s->n; i++) {
		v = json_stringn(s->token[i].p, s->token[i].n);
		text = json_dumps(v, JSON_ENCODE_ANY);
		json_decref(v);
		if (text == NULL)
			return bt_error_nomem(err, "writing a vocabulary");
		bt_buf_printf(b, "%s%s:%zu", i == 0 ? "{" : ",", text, i);
		free(text);
	}
	bt_buf_puts(b, "}\n");
	return BT_OK;
}

static int save_pairs(const struct bt_subwords *s, const char *dir,
                      struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const struct bt_subword_merge *m;
	size_t i;
	int r = put_json(s, &b, err);

	if (r == BT_OK)
		r = write_file(dir, BT_FILE_IDS, &b, err);
	if (r != BT_OK) {
		bt_buf_clear(&b);
		return r;
	}
	bt_buf_puts(&b, "#version: 0.2\n");
	for (i = 0; i < s->merges; i++) {
		m = &s->merge[i];
		bt_buf_put(&b, s->token[m->a].p, s->token[m->a].n);
		bt_buf_putc(&b, ' ');
		bt_buf_put(&b, s->token[m->b].p, s->token[m->b].n);
		bt_buf_putc(&b, '\n');
	}
	return write_file(dir, BT_FILE_MERGES, &b, err);
}

static int save_config(enum bt_word_kind kind, bool lower, const char *dir,
                       struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;

	if (kind == BT_WORDS_BYTES)
		bt_buf_puts(&b,
		            "{\"tokenizer_class\": \"RobertaTokenizer\"}\n");
	else
		bt_buf_printf(&b,
		              "{\"do_lower_case\": %s, "
		              "\"tokenizer_class\": \"BertTokenizer\"}\n",
		              lower ? "true" : "false");
	return write_file(dir, BT_FILE_TOKENIZER_CONFIG, &b, err);
}

int bt_vocab_save_dir(const struct bt_subwords *s, enum bt_word_kind kind,
                      bool lower, const char *dir, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	int r;

	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return bt_error_sys(err, errno,
		                    "cannot make the directory '%s'", dir);
	if (kind == BT_WORDS_BYTES) {
		r = save_pairs(s, dir, err);
	} else {
		put_lines(s, &b);
		r = write_file(dir, BT_FILE_VOCAB, &b, err);
	}
	return r == BT_OK ? save_config(kind, lower, dir, err) : r;
}
