/* SPDX-License-Identifier: MIT */
#include "recordset/leak.h"

#include <stdlib.h>

#include "base/mem.h"
#include "dedup/string_set_disk.h"
#include "format/escape.h"
#include "format/tfrecord.h"
#include "record/record.h"

struct bt_leak {
	struct bt_string_set_disk *texts; /* keys */
	struct bt_buf key;
	enum { UNKNOWN, TEXTS, TOKENS } kind; /* as the first record is */
	struct bt_text_rec text;              /* the last record */
	struct bt_token_rec tokens;
};

static struct bt_span key_of(const struct bt_leak *l)
{
	return (struct bt_span){l->key.data, l->key.len};
}

/* Reads a record; l->key is then its text's, or that of its tokens. */
static int read_key(struct bt_leak *l, const void *data, size_t len,
                    struct bt_error *err)
{
	struct bt_token_rec *t = &l->tokens;
	int r;

	if (l->kind == UNKNOWN)
		l->kind = bt_token_rec_read(data, len, t, NULL) == BT_OK
		              ? TOKENS
		              : TEXTS;
	if (l->kind == TEXTS) {
		r = bt_text_rec_read(data, len, &l->text, err);
		return r == BT_OK ? bt_text_rec_key(&l->text, &l->key, err) : r;
	}
	r = bt_token_rec_read(data, len, t, err);
	if (r != BT_OK)
		return r;
	bt_buf_reset(&l->key);
	bt_buf_put(&l->key, t->ids, t->n * sizeof(*t->ids));
	bt_buf_put(&l->key, t->types, t->n);
	return l->key.oom ? bt_error_nomem(err, "comparing tokens") : BT_OK;
}

static int read_texts(struct bt_leak *l, struct bt_tfrecord *in,
                      struct bt_error *err)
{
	const uint8_t *data;
	size_t len;
	int r;

	while ((r = bt_tfrecord_next(in, &data, &len, err)) == 1) {
		if (read_key(l, data, len, err) != BT_OK)
			return bt_tfrecord_blame(in, err);
		r = bt_string_set_disk_add(l->texts, key_of(l), err);
		if (r < 0)
			return r;
	}
	return r;
}

int bt_leak_open(const char *path, size_t memory, struct bt_in_limit *limit,
                 struct bt_leak **res, struct bt_error *err)
{
	struct bt_leak *l = bt_array0(1, sizeof(*l));
	struct bt_tfrecord *in = NULL;
	char *paths[1] = {(char *)path};
	int r;

	l->texts = bt_string_set_disk_new(memory);
	r = bt_tfrecord_open(paths, 1, &in, err);
	if (r == BT_OK && limit != NULL)
		bt_tfrecord_limit(in, limit);
	if (r == BT_OK)
		r = read_texts(l, in, err);
	bt_tfrecord_close(in);
	if (r == BT_OK)
		*res = l;
	else
		bt_leak_close(l);
	return r;
}

void bt_leak_close(struct bt_leak *l)
{
	if (l == NULL)
		return;
	bt_string_set_disk_free(l->texts);
	bt_buf_clear(&l->key);
	bt_token_rec_clear(&l->tokens);
	free(l);
}

int bt_leak_look(struct bt_leak *l, const void *data, size_t len,
                 struct bt_buf *out, struct bt_error *err)
{
	int r = read_key(l, data, len, err);
	size_t i;

	if (r == BT_OK)
		r = bt_string_set_disk_has(l->texts, key_of(l), err);
	if (r != 1)
		return r;
	if (l->kind == TOKENS) {
		for (i = 0; i < l->tokens.n; i++)
			bt_buf_printf(out, "%s%d", i > 0 ? " " : "",
			              l->tokens.ids[i]);
	} else {
		bt_escape_tabs(out, l->text.text_a);
	}
	if (l->kind == TEXTS && l->text.text_b.p != NULL) {
		bt_buf_putc(out, '\t');
		bt_escape_tabs(out, l->text.text_b);
	}
	return out->oom ? bt_error_nomem(err, "comparing texts") : 1;
}
