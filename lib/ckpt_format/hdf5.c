/* SPDX-License-Identifier: MIT */
/*
 * HDF5 files, as Keras and h5py write them: a superblock that says where the
 * root group is; groups, which are B-trees of symbol table nodes whose names
 * stand in a heap, or links in the group's own header; object headers, lists of
 * messages that go on in other places. Written here and not left to libhdf5,
 * because that follows whatever a file says, and because tensors that stand in
 * one piece need no library: they are used where they are mapped.
 * https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html
 */
#include <string.h>

#include "ckpt_format/hdf5_int.h"
#include "ckpt_format/readers.h"

#define MAGIC "\x89HDF\r\n\x1a\n"
#define DEPTH_MAX 32
#define PATH_MAX_BYTES 4096
#define LEVELS_MAX 16 /* of a B-tree */
#define CHUNKS_MAX 64 /* of an object header */

static bool knows(const uint8_t *data, size_t size)
{
	return size >= 8 && memcmp(data, MAGIC, 8) == 0;
}

/* Counts the parts of the file that are looked at: each is at some address of
 * its own, unless the file leads us round and round. */
static int step(struct bt_h5 *h)
{
	if (h->steps == 0)
		return bt_error_set(h->err, BT_ECORRUPT,
		                    "its groups form a cycle");
	h->steps--;
	return BT_OK;
}

static int visit(struct bt_h5 *h, uint64_t address);

/* The object of that name in the group that is being read. */
static int visit_link(struct bt_h5 *h, const char *name, size_t n,
                      uint64_t address)
{
	size_t len = h->path.len;
	int r;

	if (len > 0)
		bt_buf_putc(&h->path, '/');
	bt_buf_put(&h->path, name,
	           n <= PATH_MAX_BYTES ? n : PATH_MAX_BYTES + 1);
	if (h->depth >= DEPTH_MAX || h->path.len > PATH_MAX_BYTES)
		return bt_error_set(h->err, BT_ELIMIT,
		                    "groups more than %d deep, or names too "
		                    "long",
		                    DEPTH_MAX);
	h->depth++;
	r = visit(h, address);
	h->depth--;
	if (r == BT_OK) /* else it tells what could not be read */
		h->path.len = len;
	return r;
}

/* A link in the header of a group; those that are not to an object of this file
 * are passed over. */
static int read_link(struct bt_h5 *h, const uint8_t *p, size_t n)
{
	size_t at = 2, width, len;
	unsigned flags;

	if (n < 2 || p[0] != 1)
		return bt_h5_corrupt(h, "a link");
	flags = p[1];
	if (flags & 8) {
		if (n < 3)
			return bt_h5_corrupt(h, "a link");
		if (p[at++] != 0)
			return BT_OK;
	}
	at += (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0);
	width = (size_t)1 << (flags & 3);
	if (at + width > n)
		return bt_h5_corrupt(h, "a link");
	len = (size_t)bt_h5_number(p + at, width);
	at += width;
	if (n - at < 8 || len > n - at - 8)
		return bt_h5_corrupt(h, "a link");
	return visit_link(h, (const char *)p + at, len,
	                  bt_h5_number(p + at + len, 8));
}

/* Links that stand neither in a B-tree nor in the header. */
static int read_link_info(struct bt_h5 *h, const uint8_t *p, size_t n)
{
	size_t at = n >= 2 && (p[1] & 1) ? 10 : 2;

	if (n < at + 8)
		return bt_h5_corrupt(h, "a group");
	if (bt_h5_number(p + at, 8) == BT_H5_NOWHERE)
		return BT_OK;
	return bt_error_set(
	    h->err, BT_EFORMAT,
	    "a group of the newer form with many members, which "
	    "is not read: write the file again with h5py "
	    "without libver='latest'");
}

/* flags 2: only the place of the message stands here. */
static int take(struct bt_h5 *h, struct bt_h5_object *o, unsigned type,
                unsigned flags, const uint8_t *p, size_t n)
{
	struct bt_h5_message *const kept[] = {[BT_H5_SPACE] = &o->space,
	                                      [BT_H5_TYPE] = &o->type,
	                                      [BT_H5_LAYOUT] = &o->layout,
	                                      [BT_H5_SYMBOLS] = &o->symbols};
	int r = step(h);

	if (r != BT_OK)
		return r;
	if (flags & 2)
		return type == BT_H5_SPACE || type == BT_H5_TYPE ||
		               type == BT_H5_LAYOUT
		           ? bt_error_set(h->err, BT_EFORMAT,
		                          "a header that shares parts with "
		                          "others, which is not read")
		           : BT_OK;
	if (type <= BT_H5_SYMBOLS && kept[type] != NULL)
		*kept[type] = (struct bt_h5_message){p, n};
	o->external |= type == BT_H5_EXTERNAL;
	if (type == BT_H5_LINK)
		return read_link(h, p, n);
	if (type == BT_H5_LINK_INFO)
		return read_link_info(h, p, n);
	if (type == BT_H5_ATTRIBUTE && h->depth <= 1)
		return bt_h5_attribute(h, p, n);
	return BT_OK;
}

/* The pieces of an object header that are still to be read. */
struct chunks {
	uint64_t address[CHUNKS_MAX], size[CHUNKS_MAX];
	size_t n;
};

/* The messages from p on; head bytes are before each, and their form is that of
 * version 1 where they are 8. */
static int read_messages(struct bt_h5 *h, struct bt_h5_object *o,
                         struct chunks *k, const uint8_t *p, size_t size,
                         size_t head)
{
	const uint8_t *end = p + size;
	unsigned type, flags;
	size_t n, width = head == 8 ? 2 : 1; /* of the type */
	int r = BT_OK;

	while (r == BT_OK && (size_t)(end - p) >= head) {
		type = (unsigned)bt_h5_number(p, width);
		n = (size_t)bt_h5_number(p + width, 2);
		flags = p[width + 2];
		p += head;
		if (n > (size_t)(end - p) ||
		    (type == BT_H5_MORE && (n < 16 || k->n == CHUNKS_MAX)))
			return bt_h5_corrupt(h, "an object header");
		if (type == BT_H5_MORE) {
			k->address[k->n] = bt_h5_number(p, 8);
			k->size[k->n++] = bt_h5_number(p + 8, 8);
		} else {
			r = take(h, o, type, flags, p, n);
		}
		p += n;
	}
	return r;
}

static int read_v1(struct bt_h5 *h, uint64_t address, struct bt_h5_object *o)
{
	const uint8_t *p = bt_h5_at(h, address, 16);
	struct chunks k = {.n = 1};
	size_t i;
	int r = BT_OK;

	if (p == NULL || p[0] != 1)
		return bt_h5_corrupt(h, "an object header");
	k.address[0] = address + 16;
	k.size[0] = bt_h5_number(p + 8, 4);
	for (i = 0; i < k.n && r == BT_OK; i++) {
		p = bt_h5_at(h, k.address[i], k.size[i]);
		r = p == NULL
		        ? bt_h5_corrupt(h, "an object header")
		        : read_messages(h, o, &k, p, (size_t)k.size[i], 8);
	}
	return r;
}

static int read_v2(struct bt_h5 *h, uint64_t address, struct bt_h5_object *o)
{
	const uint8_t *p = bt_h5_at(h, address, 6);
	struct chunks k = {.n = 0};
	size_t i, at, width, head;
	uint64_t size;
	int r;

	if (p == NULL || p[4] != 2)
		return bt_h5_corrupt(h, "an object header");
	at = 6 + (p[5] & 32 ? 16 : 0) + (p[5] & 16 ? 4 : 0);
	width = (size_t)1 << (p[5] & 3);
	head = p[5] & 4 ? 6 : 4;
	p = bt_h5_at(h, address, at + width);
	if (p == NULL)
		return bt_h5_corrupt(h, "an object header");
	size = bt_h5_number(p + at, width);
	p = bt_h5_at(h, address + at + width, size);
	if (p == NULL)
		return bt_h5_corrupt(h, "an object header");
	r = read_messages(h, o, &k, p, (size_t)size, head);
	for (i = 0; i < k.n && r == BT_OK; i++) {
		p = bt_h5_at(h, k.address[i], k.size[i]);
		if (p == NULL || k.size[i] < 8 || memcmp(p, "OCHK", 4) != 0)
			return bt_h5_corrupt(h, "an object header");
		r = read_messages(h, o, &k, p + 4, (size_t)k.size[i] - 8, head);
	}
	return r;
}

/* The heap with the names of a group. */
struct heap {
	const uint8_t *p;
	size_t n;
};

static int read_symbols(struct bt_h5 *h, const struct heap *heap,
                        uint64_t address)
{
	const uint8_t *p = bt_h5_at(h, address, 8), *name;
	uint64_t at, object;
	size_t n, i;
	int r = step(h);

	if (r != BT_OK)
		return r;
	if (p == NULL || memcmp(p, "SNOD", 4) != 0)
		return bt_h5_corrupt(h, "a group");
	n = (size_t)bt_h5_number(p + 6, 2);
	p = bt_h5_at(h, address + 8, 40 * n);
	if (p == NULL)
		return bt_h5_corrupt(h, "a group");
	for (i = 0; i < n && r == BT_OK; i++, p += 40) {
		at = bt_h5_number(p, 8);
		object = bt_h5_number(p + 8, 8);
		if (at >= heap->n)
			return bt_h5_corrupt(h, "a group");
		name = memchr(heap->p + at, '\0', heap->n - (size_t)at);
		if (name == NULL)
			return bt_h5_corrupt(h, "a group");
		if (bt_h5_number(p + 16, 4) == 2)
			continue; /* a symbolic link */
		r = visit_link(h, (const char *)heap->p + at,
		               (size_t)(name - heap->p) - (size_t)at, object);
	}
	return r;
}

static int read_tree(struct bt_h5 *h, const struct heap *heap, uint64_t address,
                     int level)
{
	const uint8_t *p = bt_h5_at(h, address, 24);
	size_t n, i;
	int r = step(h);

	if (r != BT_OK)
		return r;
	if (p == NULL || memcmp(p, "TREE", 4) != 0 || p[4] != 0 ||
	    p[5] > LEVELS_MAX || (level >= 0 && p[5] != level))
		return bt_h5_corrupt(h, "a group");
	level = p[5];
	n = (size_t)bt_h5_number(p + 6, 2);
	p = bt_h5_at(h, address + 24, 16 * n + 8);
	if (p == NULL)
		return bt_h5_corrupt(h, "a group");
	for (i = 0; i < n && r == BT_OK; i++) {
		address = bt_h5_number(p + 16 * i + 8, 8);
		r = level > 0 ? read_tree(h, heap, address, level - 1)
		              : read_symbols(h, heap, address);
	}
	return r;
}

static int read_group(struct bt_h5 *h, const struct bt_h5_message *m)
{
	const uint8_t *p;
	struct heap heap;

	if (m->n < 16)
		return bt_h5_corrupt(h, "a group");
	p = bt_h5_at(h, bt_h5_number(m->p + 8, 8), 32);
	if (p == NULL || memcmp(p, "HEAP", 4) != 0)
		return bt_h5_corrupt(h, "a group");
	heap.n = (size_t)bt_h5_number(p + 8, 8);
	heap.p = bt_h5_at(h, bt_h5_number(p + 24, 8), heap.n);
	if (heap.p == NULL)
		return bt_h5_corrupt(h, "a group");
	return read_tree(h, &heap, bt_h5_number(m->p, 8), -1);
}

static int visit(struct bt_h5 *h, uint64_t address)
{
	const uint8_t *p = bt_h5_at(h, address, 4);
	struct bt_h5_object o = {0};
	int r = step(h);

	if (r != BT_OK)
		return r;
	if (p != NULL && memcmp(p, "OHDR", 4) == 0)
		r = read_v2(h, address, &o);
	else
		r = read_v1(h, address, &o);
	if (r == BT_OK && o.symbols.p != NULL)
		r = read_group(h, &o.symbols);
	if (r == BT_OK && o.layout.p != NULL)
		r = bt_h5_dataset(h, &o);
	return r;
}

/* The address of the root group, behind the superblock's sizes and flags. */
static int read_superblock(struct bt_h5 *h, uint64_t *root)
{
	const uint8_t *p = bt_h5_at(h, 0, 48);
	size_t sizes, base;

	if (p == NULL)
		return bt_h5_corrupt(h, "its superblock");
	if (p[8] > 3)
		return bt_error_set(h->err, BT_EFORMAT,
		                    "version %d of HDF5's superblock; 0 to 3 "
		                    "are read",
		                    p[8]);
	sizes = p[8] < 2 ? 13 : 9;
	base = p[8] < 2 ? 24 + 4 * (size_t)p[8] : 12;
	if (p[sizes] != 8 || p[sizes + 1] != 8)
		return bt_error_set(
		    h->err, BT_EFORMAT,
		    "addresses of %d and lengths of %d bytes; 8 "
		    "and 8 are read",
		    p[sizes], p[sizes + 1]);
	p = bt_h5_at(h, base, 48);
	if (p == NULL || bt_h5_number(p, 8) != 0)
		return bt_h5_corrupt(h, "its superblock");
	if (bt_h5_number(p + 16, 8) > h->f->size)
		return bt_error_set(h->err, BT_ETRUNCATED,
		                    "it is cut off: it should have %llu bytes, "
		                    "not %zu",
		                    (unsigned long long)bt_h5_number(p + 16, 8),
		                    h->f->size);
	*root = bt_h5_number(p + (base == 12 ? 24 : 40), 8);
	return BT_OK;
}

static int read_hdf5(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                     struct bt_error *err)
{
	struct bt_h5 h = {c, f, f->size / 4, 0, BT_BUF_INIT, err};
	size_t first = c->n;
	uint64_t root = 0;
	int r = read_superblock(&h, &root);

	if (r == BT_OK) {
		r = visit(&h, root);
		if (r != BT_OK && h.path.len > 0)
			bt_error_prefix(err, "'%.100s'", bt_buf_str(&h.path));
	}
	if (r == BT_OK)
		r = bt_ckpt_check_names(c, first, err);
	bt_buf_clear(&h.path);
	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", f->path);
}

const struct bt_ckpt_reader bt_hdf5_read = {
    .format = "hdf5",
    .knows = knows,
    .read = read_hdf5,
};
