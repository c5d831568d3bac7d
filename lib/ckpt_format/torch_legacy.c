/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's files before 1.6: five pickles, one behind the other (a magic
 * number, the version, the machine, the object, the keys of its storages), then
 * for each key in that order how many elements it has, and these.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/span.h"
#include "ckpt_format/readers.h"
#include "ckpt_format/torch_tensors_int.h"

static const uint8_t magic[15] = {0x80, 0x02, 0x8a, 0x0a, 0x6c,
                                  0xfc, 0x9c, 0x46, 0xf9, 0x20,
                                  0x6a, 0xa8, 0x50, 0x19, '.'};

/* A storage in the file. */
struct stored {
	const struct bt_pk_storage *s;
	const uint8_t *data;
	size_t order; /* in the pickle */
};

struct source {
	struct stored *s; /* by key, each once */
	size_t n;
};

static bool knows(const uint8_t *data, size_t size)
{
	return size >= sizeof(magic) && memcmp(data, magic, 14) == 0;
}

static int compare(const void *a, const void *b)
{
	const struct bt_pk_storage *s = ((const struct stored *)a)->s;
	const struct bt_pk_storage *t = ((const struct stored *)b)->s;

	return bt_span_compare(
	    (struct bt_span){(const char *)s->key, s->n_key},
	    (struct bt_span){(const char *)t->key, t->n_key});
}

static int by_key(const void *a, const void *b)
{
	const struct stored *s = a, *t = b;
	int r = compare(a, b);

	return r != 0 ? r : (s->order > t->order) - (s->order < t->order);
}

static int find(void *ctx, const struct bt_pk_storage *p, const uint8_t **data,
                size_t *size, struct bt_error *err)
{
	struct stored key = {.s = p}, *s;
	struct source *source = ctx;

	s = bsearch(&key, source->s, source->n, sizeof(*s), compare);
	if (s == NULL || s->data == NULL)
		return bt_error_set(err, BT_ECORRUPT,
		                    "its storage is not in the file");
	if (s->s->n != p->n || s->s->dtype != p->dtype)
		return bt_error_set(err, BT_ECORRUPT,
		                    "its storage is described in two ways");
	if (!bt_torch_bytes(p, size))
		return bt_error_set(err, BT_ECORRUPT,
		                    "the size of its storage overflows");
	*data = s->data;
	return BT_OK;
}

/* The storages that the pickle speaks of, each once. */
static int list(const struct bt_pickle *k, struct source *source,
                struct bt_error *err)
{
	size_t i, n = 0;

	source->s = bt_array0(k->n_storages, sizeof(*source->s));
	if (source->s == NULL)
		return bt_error_nomem(err, "reading a pickle");
	for (i = 0; i < k->n_storages; i++) {
		source->s[i].s = &k->storages[i];
		source->s[i].order = i;
	}
	qsort(source->s, k->n_storages, sizeof(*source->s), by_key);
	for (i = 0; i < k->n_storages; i++)
		if (n == 0 || compare(&source->s[n - 1], &source->s[i]) != 0)
			source->s[n++] = source->s[i];
	source->n = n;
	return BT_OK;
}

/* Reads the place of the storage with that key at *p and steps over it. */
static int locate(struct source *source, const struct bt_pickle *keys,
                  uint32_t key, const uint8_t **p, const uint8_t *end,
                  struct bt_error *err)
{
	const struct bt_pk_value *v = &keys->v[key];
	struct bt_pk_storage named = {0};
	struct stored wanted = {.s = &named}, *s;
	char name[41] = "";
	uint64_t n;
	size_t size;

	if (v->kind != BT_PK_TEXT)
		return bt_error_set(err, BT_ECORRUPT,
		                    "a storage whose key is not text");
	named.key = v->u.text;
	named.n_key = v->n;
	memcpy(name, v->u.text, v->n < 40 ? v->n : 40);
	s = bsearch(&wanted, source->s, source->n, sizeof(*s), compare);
	if (s == NULL || s->data != NULL)
		return bt_error_set(
		    err, BT_ECORRUPT,
		    "storage '%s' is of no tensor, or there twice", name);
	if (end - *p < 8)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "it is cut off before storage '%s'", name);
	memcpy(&n, *p, 8);
	*p += 8;
	if (n != s->s->n)
		return bt_error_set(err, BT_ECORRUPT,
		                    "storage '%s' has %llu elements, not %llu",
		                    name, (unsigned long long)n,
		                    (unsigned long long)s->s->n);
	if (!bt_torch_bytes(s->s, &size) || size > (size_t)(end - *p))
		return bt_error_set(err, BT_ETRUNCATED,
		                    "it is cut off in storage '%s', of %llu %s",
		                    name, (unsigned long long)n,
		                    bt_dtype_name(s->s->dtype));
	s->data = *p;
	*p += size;
	return BT_OK;
}

static int locate_all(struct source *source, const struct bt_pickle *keys,
                      const uint8_t *p, const uint8_t *end,
                      struct bt_error *err)
{
	uint32_t c;
	int r = BT_OK;

	if (keys->v[keys->top].kind != BT_PK_LIST)
		return bt_error_set(err, BT_ECORRUPT,
		                    "it lists no keys of storages");
	for (c = keys->v[keys->top].u.list.head; c != BT_PK_END && r == BT_OK;
	     c = keys->cells[c].next)
		r = locate(source, keys, keys->cells[c].value, &p, end, err);
	if (r == BT_OK && p != end)
		r = bt_error_set(err, BT_ECORRUPT,
		                 "%zu bytes follow behind its last storage",
		                 (size_t)(end - p));
	return r;
}

/* The pickles before the object: protocol 1001, a little-endian machine. */
static int check_head(const struct bt_pickle *version,
                      const struct bt_pickle *machine, struct bt_error *err)
{
	const struct bt_pk_value *v = &version->v[version->top];
	uint32_t little = BT_PK_END;

	if (v->kind != BT_PK_INT || v->u.i != 1001)
		return bt_error_set(err, BT_EFORMAT,
		                    "a version of PyTorch's files that is not "
		                    "1001");
	if (machine->v[machine->top].kind == BT_PK_DICT)
		little = bt_pk_get(machine, machine->top, "little_endian");
	if (little == BT_PK_END || machine->v[little].kind != BT_PK_BOOL)
		return bt_error_set(err, BT_ECORRUPT,
		                    "it does not say the order of its bytes");
	if (machine->v[little].u.i == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "its bytes are not in little-endian order");
	return BT_OK;
}

static int read_legacy(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                       struct bt_error *err)
{
	struct bt_pickle k[5] = {{0}};
	struct source s = {NULL, 0};
	struct bt_torch_source source = {find, &s};
	const uint8_t *p = f->data, *end = p + f->size;
	size_t used = 0;
	int i, r = BT_OK;

	for (i = 0; i < 5 && r == BT_OK; i++) {
		r = bt_pickle_read(&k[i], p, (size_t)(end - p), &used, err);
		p += used;
	}
	if (r == BT_OK)
		r = check_head(&k[1], &k[2], err);
	if (r == BT_OK)
		r = list(&k[3], &s, err);
	if (r == BT_OK)
		r = locate_all(&s, &k[4], p, end, err);
	if (r == BT_OK)
		r = bt_torch_add(c, f, &k[3], &source, err);
	for (i = 0; i < 5; i++)
		bt_pickle_clear(&k[i]);
	free(s.s);
	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", f->path);
}

const struct bt_ckpt_reader bt_torch_legacy_read = {
    .format = "pytorch",
    .knows = knows,
    .read = read_legacy,
};
