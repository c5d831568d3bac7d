/* SPDX-License-Identifier: MIT */
/*
 * https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html
 * Numbers of the least versions of everything, so that any reader reads it.
 */
#include "ckpt_format/hdf5_write_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/hdf5_int.h"

#define FILL_VALUE 5 /* a message */

/* Entries of a symbol table and of a node of a tree: twice the numbers that
 * the superblock says. */
#define SYMBOLS ((size_t)8)
#define BRANCHES ((size_t)32)
#define SYMBOL_BYTES 40
#define NODE_BYTES (24 + 8 * (2 * BRANCHES + 1))

static void put_zeros(struct bt_buf *b, size_t n)
{
	static const char zeros[SYMBOL_BYTES];
	size_t k;

	for (; n > 0 && !b->oom; n -= k) {
		k = n < sizeof(zeros) ? n : sizeof(zeros);
		bt_buf_put(b, zeros, k);
	}
}

/* Up to a multiple of 8 from start. */
static void pad(struct bt_buf *b, size_t start)
{
	put_zeros(b, (8 - (b->len - start) % 8) % 8);
}

static void set(struct bt_buf *b, size_t at, uint64_t v, size_t n)
{
	if (!b->oom)
		memcpy(bt_buf_at(b, at), &v, n);
}

/* --- object headers: version, how many messages, references, bytes */

struct bt_h5_head bt_h5_head_begin(struct bt_buf *b)
{
	struct bt_h5_head h;

	pad(b, 0);
	h.at = b->len;
	h.messages = 0;
	bt_buf_uint(b, 1, 4);
	bt_buf_uint(b, 1, 4);
	bt_buf_uint(b, 0, 8);
	return h;
}

uint64_t bt_h5_head_end(struct bt_buf *b, struct bt_h5_head h)
{
	set(b, h.at + 2, h.messages, 2);
	set(b, h.at + 8, b->len - h.at - 16, 4);
	return h.at;
}

static size_t begin(struct bt_buf *b, struct bt_h5_head *h, unsigned type)
{
	h->messages++;
	bt_buf_uint(b, type, 8);
	return b->len;
}

static void end(struct bt_buf *b, size_t start)
{
	pad(b, start);
	set(b, start - 6, b->len - start, 2);
}

/* --- types */

static void put_integer(struct bt_buf *b, unsigned size, bool is_signed)
{
	bt_buf_uint(b, 0x10u | (is_signed ? 0x800u : 0), 4);
	bt_buf_uint(b, size, 4);
	bt_buf_uint(b, 0, 2);
	bt_buf_uint(b, 8 * size, 2);
}

/* at: where the exponent begins, behind the mantissa. */
static void put_float(struct bt_buf *b, unsigned size, unsigned at,
                      unsigned bias)
{
	/* little endian, a first bit of the mantissa that is not there, and
	 * where the sign is */
	bt_buf_uint(b, 0x11u | 0x2000u | (8 * size - 1) << 16, 4);
	bt_buf_uint(b, size, 4);
	bt_buf_uint(b, 0, 2);
	bt_buf_uint(b, 8 * size, 2);
	bt_buf_uint(b, at, 1);
	bt_buf_uint(b, 8 * size - 1 - at, 1);
	bt_buf_uint(b, 0, 1);
	bt_buf_uint(b, at, 1);
	bt_buf_uint(b, bias, 4);
}

static const struct {
	char kind;        /* of C's types; 0: there is none */
	uint8_t mantissa; /* bits */
	uint16_t bias;
} types[BT_DTYPES] = {
    [BT_DTYPE_BOOL] = {'b', 0, 0},   [BT_DTYPE_U8] = {'u', 0, 0},
    [BT_DTYPE_U16] = {'u', 0, 0},    [BT_DTYPE_U32] = {'u', 0, 0},
    [BT_DTYPE_U64] = {'u', 0, 0},    [BT_DTYPE_I8] = {'i', 0, 0},
    [BT_DTYPE_I16] = {'i', 0, 0},    [BT_DTYPE_I32] = {'i', 0, 0},
    [BT_DTYPE_I64] = {'i', 0, 0},    [BT_DTYPE_F16] = {'f', 10, 15},
    [BT_DTYPE_BF16] = {'f', 7, 127}, [BT_DTYPE_F32] = {'f', 23, 127},
    [BT_DTYPE_F64] = {'f', 52, 1023}};

static void put_type(struct bt_buf *b, enum bt_dtype d)
{
	unsigned size = bt_dtype_bits(d) / 8;

	if (types[d].kind == 'f') {
		put_float(b, size, types[d].mantissa, types[d].bias);
	} else if (types[d].kind == 'b') {
		/* as h5py does: an enumeration of two bytes */
		bt_buf_uint(b, 0x18u | 2u << 8, 4);
		bt_buf_uint(b, 1, 4);
		put_integer(b, 1, true);
		bt_buf_put(b, "FALSE\0\0\0TRUE\0\0\0\0\0\1", 18);
	} else {
		put_integer(b, size, types[d].kind == 'i');
	}
}

bool bt_h5_has_type(enum bt_dtype d)
{
	return types[d].kind != 0;
}

/* --- arrays */

static void put_space(struct bt_buf *b, int rank, const int64_t *shape)
{
	int d;

	bt_buf_uint(b, 1 | (uint64_t)rank << 8, 8);
	for (d = 0; d < rank; d++)
		bt_buf_uint(b, (uint64_t)shape[d], 8);
}

uint64_t bt_h5_put_array(struct bt_buf *b, const struct bt_tensor *t,
                         size_t *patch)
{
	struct bt_h5_head h = bt_h5_head_begin(b);
	size_t m = begin(b, &h, BT_H5_SPACE);

	put_space(b, t->rank, t->shape);
	end(b, m);
	m = begin(b, &h, BT_H5_TYPE);
	put_type(b, t->dtype);
	end(b, m);
	/* the default: written when it is set, 0 */
	m = begin(b, &h, FILL_VALUE);
	bt_buf_uint(b, 0x01020202, 4);
	bt_buf_uint(b, 0, 4);
	end(b, m);
	m = begin(b, &h, BT_H5_LAYOUT);
	bt_buf_uint(b, 3 | 1 << 8, 2); /* in one piece */
	*patch = b->len;
	bt_buf_uint(b, BT_H5_NOWHERE, 8);
	bt_buf_uint(b, t->bytes, 8);
	end(b, m);
	return bt_h5_head_end(b, h);
}

/* --- attributes */

/* All but the values: the name, the bytes of its type, those of its space. */
static size_t begin_attribute(struct bt_buf *b, struct bt_h5_head *h,
                              const char *key, size_t type, int rank)
{
	size_t n = strlen(key) + 1, m = begin(b, h, BT_H5_ATTRIBUTE);

	bt_buf_uint(b, 1, 2);
	bt_buf_uint(b, n, 2);
	bt_buf_uint(b, type, 2);
	bt_buf_uint(b, 8 + 8 * (size_t)rank, 2);
	bt_buf_put(b, key, n);
	pad(b, m);
	return m;
}

static void put_string_type(struct bt_buf *b, size_t size)
{
	bt_buf_uint(b, 0x13u | 1u << 8, 4); /* ASCII, filled up with NULs */
	bt_buf_uint(b, size, 4);
}

void bt_h5_put_text(struct bt_buf *b, struct bt_h5_head *h, const char *key,
                    const char *text)
{
	size_t m = begin_attribute(b, h, key, 8, 0);

	put_string_type(b, strlen(text));
	put_space(b, 0, NULL);
	bt_buf_puts(b, text);
	end(b, m);
}

static void put_list(struct bt_buf *b, struct bt_h5_head *h, const char *key,
                     const struct bt_span *texts, size_t n, size_t size)
{
	size_t m = begin_attribute(b, h, key, 8, 1), i;
	int64_t shape = (int64_t)n;

	put_string_type(b, size);
	put_space(b, 1, &shape);
	for (i = 0; i < n; i++) {
		bt_buf_put(b, texts[i].p, texts[i].n);
		put_zeros(b, size - texts[i].n);
	}
	end(b, m);
}

void bt_h5_put_texts(struct bt_buf *b, struct bt_h5_head *h, const char *key,
                     const struct bt_span *texts, size_t n)
{
	size_t size = 1, parts, most, i, k, start;
	int64_t none = 0;
	char part[64];

	for (i = 0; i < n; i++)
		size = texts[i].n > size ? texts[i].n : size;
	most = BT_H5_TEXT_MAX / size;
	if (n == 0) { /* NumPy makes numbers of a list of nothing */
		i = begin_attribute(b, h, key, 20, 1);
		start = b->len;
		put_type(b, BT_DTYPE_F64);
		pad(b, start);
		put_space(b, 1, &none);
		end(b, i);
	} else if (n <= most) {
		put_list(b, h, key, texts, n, size);
	} else {
		/* as many parts as are needed, of equal length, the first ones
		 * of one more */
		parts = (n + most - 1) / most;
		for (i = 0; i < parts; i++) {
			k = n / parts + (i < n % parts);
			snprintf(part, sizeof(part), "%s%zu", key, i);
			put_list(b, h, part, texts, k, size);
			texts += k;
		}
	}
}

/* --- groups */

static int by_name(const void *a, const void *b)
{
	return bt_span_compare(((const struct bt_h5_link *)a)->name,
	                       ((const struct bt_h5_link *)b)->name);
}

/* A part of a tree: where it is, and in the heap its last name. */
struct branch {
	uint64_t address;
	uint64_t last;
};

/* The names, at[i] in the heap; returns where the heap is. */
static uint64_t put_heap(struct bt_buf *b, const struct bt_h5_link *links,
                         size_t n, uint64_t *at)
{
	size_t heap = b->len, data, i;

	bt_buf_put(b, "HEAP\0\0\0", 8);
	bt_buf_uint(b, 0, 8); /* bytes, below */
	bt_buf_uint(b, 1, 8); /* nothing is free */
	bt_buf_uint(b, heap + 32, 8);
	data = b->len;
	bt_buf_uint(b, 0, 8); /* the name before all others */
	for (i = 0; i < n; i++) {
		at[i] = b->len - data;
		bt_buf_put(b, links[i].name.p, links[i].name.n);
		bt_buf_uint(b, 0, 1);
		pad(b, data);
	}
	set(b, heap + 8, b->len - data, 8);
	return heap;
}

/* A table for each SYMBOLS of the names; returns how many there are. */
static size_t put_symbols(struct bt_buf *b, const struct bt_h5_link *links,
                          size_t n, const uint64_t *at, struct branch *out)
{
	size_t first, i, k, count = 0;

	for (first = 0; first < n; first += SYMBOLS) {
		k = n - first < SYMBOLS ? n - first : SYMBOLS;
		out[count].address = b->len;
		out[count++].last = at[first + k - 1];
		bt_buf_put(b, "SNOD\1", 6);
		bt_buf_uint(b, k, 2);
		for (i = first; i < first + k; i++) {
			bt_buf_uint(b, at[i], 8);
			bt_buf_uint(b, links[i].address, 8);
			put_zeros(b, 24);
		}
		put_zeros(b, (SYMBOLS - k) * SYMBOL_BYTES);
	}
	return count;
}

/* One level of the tree above the n parts v, which it replaces; returns of how
 * many nodes it is. */
static size_t put_level(struct bt_buf *b, struct branch *v, size_t n, int level)
{
	size_t nodes = n == 0 ? 1 : (n + BRANCHES - 1) / BRANCHES, i, j, k;
	uint64_t first = b->len, before = 0;

	for (i = 0; i < nodes; i++) {
		k = n - i * BRANCHES < BRANCHES ? n - i * BRANCHES : BRANCHES;
		bt_buf_put(b, "TREE", 5);
		bt_buf_uint(b, (uint64_t)level, 1);
		bt_buf_uint(b, k, 2);
		bt_buf_uint(b, i > 0 ? b->len - 8 - NODE_BYTES : BT_H5_NOWHERE,
		            8);
		bt_buf_uint(b,
		            i + 1 < nodes ? first + (i + 1) * NODE_BYTES
		                          : BT_H5_NOWHERE,
		            8);
		bt_buf_uint(b, before, 8);
		for (j = 0; j < k; j++) {
			bt_buf_uint(b, v[i * BRANCHES + j].address, 8);
			bt_buf_uint(b, before = v[i * BRANCHES + j].last, 8);
		}
		put_zeros(b, 16 * (BRANCHES - k));
		v[i].address = first + i * NODE_BYTES;
		v[i].last = before;
	}
	return nodes;
}

struct bt_h5_group bt_h5_put_members(struct bt_buf *b, struct bt_h5_link *links,
                                     size_t n)
{
	struct bt_h5_group g = {BT_H5_NOWHERE, BT_H5_NOWHERE};
	uint64_t *at = bt_array(n, sizeof(*at));
	struct branch *v = bt_array(n / SYMBOLS + 1, sizeof(*v));
	int level = 0;

	if (at == NULL || v == NULL) {
		b->oom = true;
	} else {
		if (n > 1)
			qsort(links, n, sizeof(*links), by_name);
		pad(b, 0);
		g.heap = put_heap(b, links, n, at);
		n = put_symbols(b, links, n, at, v);
		do
			n = put_level(b, v, n, level++);
		while (n > 1);
		g.tree = v[0].address;
	}
	free(at);
	free(v);
	return g;
}

void bt_h5_put_group(struct bt_buf *b, struct bt_h5_head *h,
                     const struct bt_h5_group *g)
{
	size_t m = begin(b, h, BT_H5_SYMBOLS);

	bt_buf_uint(b, g->tree, 8);
	bt_buf_uint(b, g->heap, 8);
	end(b, m);
}

void bt_h5_superblock(struct bt_buf *b, uint64_t root,
                      const struct bt_h5_group *g, uint64_t size)
{
	struct bt_buf s = BT_BUF_INIT;

	bt_buf_put(&s, "\x89HDF\r\n\x1a\n\0\0\0\0\0\10\10\0", 16);
	bt_buf_uint(&s, SYMBOLS / 2, 2);
	bt_buf_uint(&s, BRANCHES / 2, 2);
	bt_buf_uint(&s, 0, 4);
	bt_buf_uint(&s, 0, 8);
	bt_buf_uint(&s, BT_H5_NOWHERE, 8); /* free space */
	bt_buf_uint(&s, size, 8);
	bt_buf_uint(&s, BT_H5_NOWHERE, 8); /* what drivers say */
	bt_buf_uint(&s, 0, 8);             /* the root group has no name */
	bt_buf_uint(&s, root, 8);
	bt_buf_uint(&s, 1, 8); /* what stands here of it: */
	bt_buf_uint(&s, g->tree, 8);
	bt_buf_uint(&s, g->heap, 8);
	memcpy(bt_buf_at(b, 0), s.data, BT_H5_SUPERBLOCK);
	bt_buf_clear(&s);
}
