/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's files since 1.6, and which zip file is one: a folder of any name
 * with data.pkl, the pickle, and in data/ an entry for each storage.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "ckpt_format/npy.h"
#include "ckpt_format/readers.h"
#include "ckpt_format/torch_tensors_int.h"
#include "ckpt_format/zip_int.h"

struct source {
	struct bt_ckpt *c;
	struct bt_zip *z;
	const char *top; /* with its slash */
	size_t n_top;
	struct bt_buf name;
};

/* Names of entries are shorter than 64 KiB. */
static const struct bt_zip_entry *find_entry(struct source *s, const char *in,
                                             const void *name, size_t n)
{
	bt_buf_reset(&s->name);
	bt_buf_put(&s->name, s->top, s->n_top);
	bt_buf_puts(&s->name, in);
	bt_buf_put(&s->name, name, n < 65536 ? n : 65536);
	return bt_zip_find(s->z, s->name.data, s->name.len);
}

static int find(void *ctx, const struct bt_pk_storage *p, const uint8_t **data,
                size_t *size, struct bt_error *err)
{
	struct source *s = ctx;
	const struct bt_zip_entry *e = find_entry(s, "data/", p->key, p->n_key);

	if (e == NULL)
		return bt_error_set(err, BT_ECORRUPT,
		                    "the zip file lacks its entry '%.100s'",
		                    bt_buf_str(&s->name));
	if (!bt_torch_bytes(p, size) || e->size != *size)
		return bt_error_set(err, BT_ECORRUPT,
		                    "zip entry '%.100s' holds %zu bytes, not "
		                    "%llu of %s",
		                    bt_buf_str(&s->name), e->size,
		                    (unsigned long long)p->n,
		                    bt_dtype_name(p->dtype));
	return bt_zip_data(s->z, s->c, e, data, err);
}

static int check_order(struct source *s, struct bt_error *err)
{
	const struct bt_zip_entry *e = find_entry(s, "byteorder", "", 0);
	const uint8_t *p;
	int r;

	if (e == NULL)
		return BT_OK; /* older ones are little endian */
	r = bt_zip_data(s->z, s->c, e, &p, err);
	if (r == BT_OK && (e->size != 6 || memcmp(p, "little", 6) != 0))
		r = bt_error_set(err, BT_EFORMAT,
		                 "its bytes are not in little-endian order");
	return r;
}

static int read_torch(struct bt_ckpt *c, struct bt_zip *z,
                      const struct bt_zip_entry *e, struct bt_error *err)
{
	struct source s = {.c = c, .z = z, .top = e->name};
	struct bt_torch_source source = {find, &s};
	struct bt_pickle k = {0};
	const uint8_t *data;
	size_t used;
	int r;

	s.n_top = e->n_name - strlen("data.pkl");
	r = check_order(&s, err);
	if (r == BT_OK)
		r = bt_zip_data(z, c, e, &data, err);
	if (r == BT_OK)
		r = bt_pickle_read(&k, data, e->size, &used, err);
	if (r == BT_OK && used != e->size)
		r = bt_error_set(err, BT_ECORRUPT,
		                 "the pickle ends at byte %zu of %zu", used,
		                 e->size);
	if (r == BT_OK)
		r = bt_torch_add(c, z->f, &k, &source, err);
	bt_pickle_clear(&k);
	bt_buf_clear(&s.name);
	return r;
}

/* The pickle in the one folder that has such an entry. */
static const struct bt_zip_entry *pickle_of(const struct bt_zip *z)
{
	static const char name[] = "/data.pkl";
	size_t i, n = sizeof(name) - 1;
	const struct bt_zip_entry *e;

	for (i = 0; i < z->n; i++) {
		e = &z->e[i];
		if (e->n_name > n &&
		    memcmp(e->name + e->n_name - n, name, n) == 0 &&
		    memchr(e->name, '/', e->n_name - n) == NULL)
			return e;
	}
	return NULL;
}

static int read_zip(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                    struct bt_error *err)
{
	const struct bt_zip_entry *pickle;
	struct bt_zip z;
	int r = bt_zip_open(&z, f, err);

	if (r == BT_OK) {
		pickle = pickle_of(&z);
		c->format = pickle != NULL ? "pytorch" : "npz";
		r = pickle != NULL ? read_torch(c, &z, pickle, err)
		                   : bt_npz_read(c, &z, err);
		if (r == BT_OK)
			r = bt_zip_sums(&z, c, err);
		bt_zip_clear(&z);
	}
	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", f->path);
}

const struct bt_ckpt_reader bt_torch_zip_read = {
    .format = "zip",
    .knows = bt_zip_knows,
    .read = read_zip,
};
