/* SPDX-License-Identifier: MIT */
#include "tensor/checkpoint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "tensor/map.h"

#define BLOCK ((size_t)1 << 16)

struct bt_ckpt_block {
	struct bt_ckpt_block *next;
	size_t used, size;
	int64_t bytes[];
};

void *bt_ckpt_keep(struct bt_ckpt *c, size_t n)
{
	struct bt_ckpt_block *b = c->blocks;
	size_t size, bytes;
	void *p;

	if (!bt_size_add(n, 7, &size))
		return NULL;
	size &= ~(size_t)7;
	if (b == NULL || b->size - b->used < size) {
		bytes = size > BLOCK ? size : BLOCK;
		if (!bt_size_add(bytes, sizeof(*b), &n))
			return NULL;
		b = bt_array(n, 1);
		if (b == NULL)
			return NULL;
		b->next = c->blocks;
		b->used = 0;
		b->size = bytes;
		c->blocks = b;
	}
	p = (char *)b->bytes + b->used;
	b->used += size;
	return p;
}

const char *bt_ckpt_keep_str(struct bt_ckpt *c, const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = bt_ckpt_keep(c, n);

	if (p != NULL)
		memcpy(p, s, n);
	return p;
}

struct bt_tensor *bt_ckpt_add(struct bt_ckpt *c)
{
	struct bt_tensor *t;

	if (bt_grow(&c->tensors, &c->cap, c->n + 1, sizeof(*t)) != BT_OK)
		return NULL;
	t = &c->tensors[c->n++];
	memset(t, 0, sizeof(*t));
	return t;
}

int bt_ckpt_add_note(struct bt_ckpt *c, const char *key, const char *value)
{
	struct bt_ckpt_note note = {bt_ckpt_keep_str(c, key),
	                            bt_ckpt_keep_str(c, value)};

	if (note.key == NULL || note.value == NULL ||
	    bt_grow(&c->notes, &c->cap_notes, c->n_notes + 1, sizeof(note)) !=
	        BT_OK)
		return BT_ENOMEM;
	c->notes[c->n_notes++] = note;
	return BT_OK;
}

int bt_ckpt_leave_out(struct bt_ckpt *c, const char *name, const char *what)
{
	if (c->left_out++ == 0)
		c->first_left_out = c->n_notes;
	else if (c->n_notes >= BT_CKPT_NOTES_MAX)
		return BT_OK;
	return bt_ckpt_add_note(c, name, what);
}

int bt_ckpt_add_sum(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                    const char *name, size_t n_name, const uint8_t *data,
                    size_t size, uint32_t crc)
{
	if (bt_grow(&c->sums, &c->cap_sums, c->n_sums + 1, sizeof(*c->sums)) !=
	    BT_OK)
		return BT_ENOMEM;
	c->sums[c->n_sums++] =
	    (struct bt_ckpt_sum){f, name, n_name, data, size, crc};
	return BT_OK;
}

/* By reads, not by the mapping, which would stay in memory. */
static int sum_of(const struct bt_ckpt *c, const struct bt_ckpt_sum *s,
                  uint32_t *crc, struct bt_error *err)
{
	uint8_t block[BLOCK];
	int r = BT_OK;
	size_t at, n;

	*crc = 0;
	for (at = 0; at < s->size && r == BT_OK; at += n) {
		n = s->size - at < BLOCK ? s->size - at : BLOCK;
		r = bt_ckpt_fetch(c, s->data + at, n, block, err);
		if (r == BT_OK)
			*crc = (uint32_t)crc32_z(*crc, block, n);
	}
	return r;
}

int bt_ckpt_verify(const struct bt_ckpt *c, struct bt_error *err)
{
	const struct bt_ckpt_sum *s;
	uint32_t crc;
	size_t i;
	int r;

	for (i = 0; i < c->n_sums; i++) {
		s = &c->sums[i];
		r = sum_of(c, s, &crc, err);
		if (r != BT_OK)
			return r;
		if (crc != s->crc)
			return bt_error_set(
			    err, BT_ECORRUPT,
			    "'%s': the checksum of '%.*s' differs: its %zu "
			    "bytes are damaged",
			    s->f->path,
			    (int)(s->n_name < 100 ? s->n_name : 100), s->name,
			    s->size);
	}
	return BT_OK;
}

void bt_ckpt_close(struct bt_ckpt *c)
{
	struct bt_ckpt_block *b, *next;
	size_t i;

	if (c == NULL)
		return;
	for (i = 0; i < c->n_files; i++)
		bt_ckpt_unmap(c->files[i]);
	for (b = c->blocks; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	free(c->files);
	free(c->tensors);
	free(c->notes);
	free(c->sums);
	free(c->path);
	free(c);
}

struct bt_ckpt *bt_ckpt_new(const char *path)
{
	struct bt_ckpt *c = bt_array0(1, sizeof(*c));

	c->path = bt_strndup(path, strlen(path));
	return c;
}

static int by_tensor_name(const void *a, const void *b)
{
	return bt_ckpt_compare(((const struct bt_tensor *)a)->name,
	                       ((const struct bt_tensor *)b)->name);
}

int bt_ckpt_opened(struct bt_ckpt *c, int r, struct bt_ckpt **res,
                   struct bt_error *err)
{
	if (r != BT_OK) {
		if (err != NULL)
			bt_printable(err->text);
		bt_ckpt_close(c);
		return r;
	}
	if (c->n > 1)
		qsort(c->tensors, c->n, sizeof(*c->tensors), by_tensor_name);
	*res = c;
	return BT_OK;
}

const char *bt_ckpt_path(const struct bt_ckpt *c)
{
	return c->path;
}

const char *bt_ckpt_format(const struct bt_ckpt *c)
{
	return c->format;
}

size_t bt_ckpt_files(const struct bt_ckpt *c)
{
	return c->n_files;
}

size_t bt_ckpt_count(const struct bt_ckpt *c)
{
	return c->n;
}

const struct bt_tensor *bt_ckpt_tensor(const struct bt_ckpt *c, size_t i)
{
	return &c->tensors[i];
}

static int by_name(const void *name, const void *tensor)
{
	return bt_ckpt_compare(name, ((const struct bt_tensor *)tensor)->name);
}

const struct bt_tensor *bt_ckpt_find(const struct bt_ckpt *c, const char *name)
{
	if (c->n == 0)
		return NULL;
	return bsearch(name, c->tensors, c->n, sizeof(*c->tensors), by_name);
}

size_t bt_ckpt_notes(const struct bt_ckpt *c)
{
	return c->n_notes;
}

const struct bt_ckpt_note *bt_ckpt_note(const struct bt_ckpt *c, size_t i)
{
	return &c->notes[i];
}

size_t bt_ckpt_left_out(const struct bt_ckpt *c,
                        const struct bt_ckpt_note **first)
{
	*first = c->left_out > 0 ? &c->notes[c->first_left_out] : NULL;
	return c->left_out;
}

int bt_ckpt_compare(const char *a, const char *b)
{
	const char *p = a, *q = b;
	size_t n, m;
	int r;

	while (*p != '\0' && *q != '\0') {
		if (!isdigit((unsigned char)*p) ||
		    !isdigit((unsigned char)*q)) {
			if (*p != *q)
				return (unsigned char)*p < (unsigned char)*q
				           ? -1
				           : 1;
			p++;
			q++;
			continue;
		}
		p += strspn(p, "0");
		q += strspn(q, "0");
		n = strspn(p, "0123456789");
		m = strspn(q, "0123456789");
		r = n != m ? (n < m ? -1 : 1) : memcmp(p, q, n);
		if (r != 0)
			return r;
		p += n;
		q += n;
	}
	if (*p != *q)
		return *p == '\0' ? -1 : 1;
	return strcmp(a, b); /* "a01" and "a1" */
}
