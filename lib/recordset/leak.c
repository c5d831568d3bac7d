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
};

static struct bt_span key_of(const struct bt_leak *l)
{
	return (struct bt_span){l->key.data, l->key.len};
}

static int read_texts(struct bt_leak *l, struct bt_tfrecord *in,
                      struct bt_error *err)
{
	struct bt_text_rec rec;
	const uint8_t *data;
	size_t len;
	int r;

	while ((r = bt_tfrecord_next(in, &data, &len, err)) == 1) {
		if (bt_text_rec_read(data, len, &rec, err) != BT_OK)
			return bt_tfrecord_blame(in, err);
		r = bt_text_rec_key(&rec, &l->key, err);
		if (r == BT_OK)
			r = bt_string_set_disk_add(l->texts, key_of(l), err);
		if (r < 0)
			return r;
	}
	return r;
}

int bt_leak_open(const char *path, size_t memory, struct bt_leak **res,
                 struct bt_error *err)
{
	struct bt_leak *l = bt_array0(1, sizeof(*l));
	struct bt_tfrecord *in = NULL;
	char *paths[1] = {(char *)path};
	int r;

	l->texts = bt_string_set_disk_new(memory);
	r = bt_tfrecord_open(paths, 1, &in, err);
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
	free(l);
}

int bt_leak_look(struct bt_leak *l, const void *data, size_t len,
                 struct bt_buf *out, struct bt_error *err)
{
	struct bt_text_rec rec;
	int r = bt_text_rec_read(data, len, &rec, err);

	if (r == BT_OK)
		r = bt_text_rec_key(&rec, &l->key, err);
	if (r == BT_OK)
		r = bt_string_set_disk_has(l->texts, key_of(l), err);
	if (r != 1)
		return r;
	bt_escape_tabs(out, rec.text_a);
	if (rec.text_b.p != NULL) {
		bt_buf_putc(out, '\t');
		bt_escape_tabs(out, rec.text_b);
	}
	return out->oom ? bt_error_nomem(err, "comparing texts") : 1;
}
