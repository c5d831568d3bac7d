/* SPDX-License-Identifier: MIT */
/* What the messages of HDF5's object headers say of arrays and of texts. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/hdf5_int.h"

#define NOTE_MAX 4096 /* bytes */

enum { FIXED, FLOAT, TIME, STRING, OPAQUE = 5, ENUM = 8, VLEN };

/* Classes of layouts. */
enum { COMPACT, CONTIGUOUS, CHUNKED };

struct space {
	int rank;
	bool none; /* it has no elements at all */
	const uint8_t *dims;
};

/* A message of a version that came later than what is read here. */
static int newer(struct bt_h5 *h, const char *what, int version)
{
	return bt_error_set(h->err, BT_EFORMAT,
	                    "version %d of HDF5's %s, which is not read: write "
	                    "the file again with h5py without libver='latest'",
	                    version, what);
}

static int read_space(struct bt_h5 *h, const struct bt_h5_message *m,
                      struct space *s)
{
	size_t at = m->n >= 4 && m->p[0] == 1 ? 8 : 4;

	if (m->n < at || m->p[0] < 1)
		return bt_h5_corrupt(h, "a dataspace");
	if (m->p[0] > 2)
		return newer(h, "dataspace", m->p[0]);
	s->rank = m->p[1];
	s->none = m->p[0] == 2 && m->p[3] == 2;
	s->dims = m->p + at;
	if (s->rank > 32 || (m->n - at) / 8 < (size_t)s->rank)
		return bt_h5_corrupt(h, "a dataspace");
	return BT_OK;
}

/* Whether p, the properties of a floating-point type, are those: where the
 * exponent begins, its bits, those of the mantissa, and what it is biased by.
 */
static bool is_float(const uint8_t *p, unsigned at, unsigned bits,
                     unsigned mantissa, unsigned bias)
{
	return bt_h5_number(p, 2) == 0 &&
	       bt_h5_number(p + 2, 2) == at + bits + 1 && p[4] == at &&
	       p[5] == bits && p[6] == 0 && p[7] == mantissa &&
	       bt_h5_number(p + 8, 4) == bias;
}

static bool float_type(const uint8_t *p, size_t size, enum bt_dtype *d)
{
	if (size == 4 && is_float(p, 23, 8, 23, 127))
		*d = BT_DTYPE_F32;
	else if (size == 2 && is_float(p, 10, 5, 10, 15))
		*d = BT_DTYPE_F16;
	else if (size == 2 && is_float(p, 7, 8, 7, 127))
		*d = BT_DTYPE_BF16;
	else if (size == 8 && is_float(p, 52, 11, 52, 1023))
		*d = BT_DTYPE_F64;
	else
		return false;
	return true;
}

static bool integer_type(size_t size, bool is_signed, enum bt_dtype *d)
{
	static const enum bt_dtype types[4][2] = {{BT_DTYPE_U8, BT_DTYPE_I8},
	                                          {BT_DTYPE_U16, BT_DTYPE_I16},
	                                          {BT_DTYPE_U32, BT_DTYPE_I32},
	                                          {BT_DTYPE_U64, BT_DTYPE_I64}};
	int i = 0;

	while (i < 4 && size != (size_t)1 << i)
		i++;
	if (i < 4)
		*d = types[i][is_signed];
	return i < 4;
}

/* h5py's bool is an enumeration of bytes. *known is false where a type is none
 * of numbers. */
static int read_type(struct bt_h5 *h, const struct bt_h5_message *m,
                     enum bt_dtype *d, bool *known)
{
	unsigned class, size;

	*known = false;
	if (m->n < 8)
		return bt_h5_corrupt(h, "a datatype");
	class = m->p[0] & 15;
	size = (unsigned)bt_h5_number(m->p + 4, 4);
	if (class == FIXED || class == FLOAT) {
		if (m->p[1] & 1)
			return bt_error_set(h->err, BT_EFORMAT,
			                    "its numbers are big-endian, which "
			                    "is not read");
		if (m->n < (class == FIXED ? 12u : 20u))
			return bt_h5_corrupt(h, "a datatype");
	}
	if (class == FIXED)
		*known = bt_h5_number(m->p + 8, 2) == 0 &&
		         bt_h5_number(m->p + 10, 2) == 8 * size &&
		         integer_type(size, (m->p[1] & 8) != 0, d);
	else if (class == FLOAT)
		*known = float_type(m->p + 8, size, d);
	else if (class == ENUM && size == 1) {
		*d = BT_DTYPE_BOOL;
		*known = true;
	}
	/* h5py's form of NumPy types that HDF5 lacks: Keras' bfloat16 */
	else if (class == OPAQUE && size == 2) {
		*d = BT_DTYPE_BF16;
		*known = true;
	}
	return BT_OK;
}

static int refuse_layout(struct bt_h5 *h, int class)
{
	if (class == CHUNKED)
		return bt_error_set(h->err, BT_EFORMAT,
		                    "it is stored in chunks, which are not "
		                    "read: h5repack -f NONE -l CONTI OLD NEW "
		                    "makes one piece of it");
	return bt_error_set(h->err, BT_EFORMAT,
	                    "it is put together of other arrays, which is not "
	                    "read");
}

/* Layouts of versions 1 and 2: the class stands behind the rank, the dimensions
 * behind the address. */
static int old_layout(struct bt_h5 *h, const struct bt_h5_message *m,
                      uint64_t *address, struct bt_h5_message *data)
{
	size_t at;

	if (m->n < 16)
		return bt_h5_corrupt(h, "a layout");
	if (m->p[2] > CONTIGUOUS)
		return refuse_layout(h, m->p[2]);
	if (m->p[2] == CONTIGUOUS) {
		*address = bt_h5_number(m->p + 8, 8);
		return BT_OK;
	}
	at = 8 + 4 * (size_t)m->p[1];
	if (m->n < at + 4)
		return bt_h5_corrupt(h, "a layout");
	data->n = (size_t)bt_h5_number(m->p + at, 4);
	if (data->n > m->n - at - 4)
		return bt_h5_corrupt(h, "a layout");
	data->p = m->p + at + 4;
	return BT_OK;
}

/* Where the elements are: at *address, or *data inside the header. */
static int read_layout(struct bt_h5 *h, const struct bt_h5_message *m,
                       uint64_t *address, struct bt_h5_message *data)
{
	if (m->n < 4 || m->p[0] < 1)
		return bt_h5_corrupt(h, "a layout");
	if (m->p[0] < 3)
		return old_layout(h, m, address, data);
	if (m->p[1] > CONTIGUOUS)
		return refuse_layout(h, m->p[1]);
	if (m->p[0] > 4)
		return newer(h, "layout", m->p[0]);
	if (m->p[1] == CONTIGUOUS) {
		if (m->n < 18)
			return bt_h5_corrupt(h, "a layout");
		*address = bt_h5_number(m->p + 2, 8);
		return BT_OK;
	}
	data->n = (size_t)bt_h5_number(m->p + 2, 2);
	if (data->n > m->n - 4)
		return bt_h5_corrupt(h, "a layout");
	data->p = m->p + 4;
	return BT_OK;
}

static int place(struct bt_h5 *h, const struct bt_h5_object *o,
                 struct bt_tensor *t)
{
	struct bt_h5_message data = {NULL, 0};
	uint64_t address = BT_H5_NOWHERE;
	int r = read_layout(h, &o->layout, &address, &data);

	if (r != BT_OK)
		return r;
	if (data.p == NULL && address != BT_H5_NOWHERE) {
		data.p = bt_h5_at(h, address, 0);
		if (data.p == NULL)
			return bt_error_set(h->err, BT_ETRUNCATED,
			                    "it begins behind the end of the "
			                    "file");
		data.n = h->f->size - (size_t)address;
	}
	if (data.p == NULL) {
		r = bt_tensor_size(t->dtype, t->rank, t->shape, &t->count,
		                   &t->bytes, h->err);
		if (r == BT_OK && t->count > 0)
			return bt_error_set(h->err, BT_EFORMAT,
			                    "its values were never written");
		data.p = h->f->data;
	}
	return r == BT_OK ? bt_ckpt_place(h->c, h->f, t, data.p, data.n, 0,
	                                  NULL, h->err)
	                  : r;
}

static int add_tensor(struct bt_h5 *h, const struct bt_h5_object *o,
                      const struct space *s, enum bt_dtype dtype)
{
	struct bt_tensor *t;
	int64_t *shape;
	int d, r;

	r = bt_ckpt_add_named(h->c, h->f, h->path.data, h->path.len, &t,
	                      h->err);
	if (r != BT_OK)
		return r;
	shape = bt_ckpt_keep(h->c, (size_t)s->rank * sizeof(*shape));
	for (d = 0; d < s->rank; d++)
		shape[d] = (int64_t)bt_h5_number(s->dims + 8 * d, 8);
	t->dtype = dtype;
	t->rank = s->rank;
	t->shape = shape;
	return place(h, o, t);
}

int bt_h5_dataset(struct bt_h5 *h, const struct bt_h5_object *o)
{
	enum bt_dtype dtype;
	struct space s;
	unsigned class;
	bool known;
	int r;

	if (o->space.p == NULL || o->type.p == NULL || h->path.len == 0)
		return bt_h5_corrupt(h, "an array");
	if (o->external)
		return bt_error_set(h->err, BT_EFORMAT,
		                    "its values stand in other files, which "
		                    "are not read");
	r = read_space(h, &o->space, &s);
	if (r == BT_OK)
		r = read_type(h, &o->type, &dtype, &known);
	if (r != BT_OK)
		return r;
	if (known && !s.none)
		return add_tensor(h, o, &s, dtype);
	class = o->type.p[0] & 15;
	return bt_ckpt_leave_out(h->c, bt_buf_str(&h->path),
	                         s.none ? "no values"
	                         : class == STRING || class == VLEN
	                             ? "text"
	                             : "no numbers of a known type") == BT_OK
	           ? BT_OK
	           : bt_error_nomem(h->err, "reading a header");
}

/* An object of a global heap, where texts of any length stand. */
static bool heap_object(const struct bt_h5 *h, uint64_t address, unsigned index,
                        struct bt_h5_message *res)
{
	const uint8_t *p = bt_h5_at(h, address, 16), *end;
	uint64_t size;

	if (p == NULL || memcmp(p, "GCOL", 4) != 0)
		return false;
	size = bt_h5_number(p + 8, 8);
	if (size < 16 || bt_h5_at(h, address, size) == NULL)
		return false;
	end = p + size;
	for (p += 16; end - p >= 16; p += bt_round_up((size_t)size, 8)) {
		size = bt_h5_number(p + 8, 8);
		res->p = p += 16;
		res->n = (size_t)size;
		if (bt_h5_number(p - 16, 2) == 0 || size > (size_t)(end - p))
			return false;
		if (bt_h5_number(p - 16, 2) == index)
			return true;
		if (bt_round_up((size_t)size, 8) > (size_t)(end - p))
			return false;
	}
	return false;
}

/* Appends a text of size bytes at p, which ends where a NUL does. */
static void put_text(struct bt_buf *b, const uint8_t *p, size_t size)
{
	const uint8_t *end = memchr(p, '\0', size);

	if (b->len > 0)
		bt_buf_puts(b, ", ");
	bt_buf_put(b, p, end != NULL ? (size_t)(end - p) : size);
}

/* The parts of an attribute. */
struct attribute {
	const char *name;
	size_t n_name;
	struct bt_h5_message type, space, data;
};

static bool cut_attribute(const uint8_t *p, size_t n, struct attribute *a)
{
	size_t step = p[0] == 1 ? 8 : 1, at = p[0] == 3 ? 9 : 8;
	size_t len[3], i;
	const uint8_t *part[3];

	for (i = 0; i < 3; i++)
		len[i] = (size_t)bt_h5_number(p + 2 + 2 * i, 2);
	for (i = 0; i < 3; i++) {
		if (at > n || len[i] > n - at)
			return false;
		part[i] = p + at;
		at += bt_round_up(len[i], step);
	}
	if (at > n || len[0] == 0)
		return false;
	a->name = (const char *)part[0];
	a->n_name = len[0];
	a->type = (struct bt_h5_message){part[1], len[1]};
	a->space = (struct bt_h5_message){part[2], len[2]};
	a->data = (struct bt_h5_message){p + at, n - at};
	return true;
}

/* Puts the texts of an attribute into b; false where it has others. */
static bool texts(const struct bt_h5 *h, const struct attribute *a, size_t n,
                  struct bt_buf *b)
{
	unsigned class = a->type.p[0] & 15;
	size_t size = (size_t)bt_h5_number(a->type.p + 4, 4), i;
	struct bt_h5_message s;
	const uint8_t *p = a->data.p;

	if (size == 0 || n > a->data.n / size ||
	    !(class == STRING ||
	      (class == VLEN && size == 16 && (a->type.p[1] & 15) == 1)))
		return false;
	for (i = 0; i < n && b->len <= NOTE_MAX; i++, p += size) {
		if (class == STRING) {
			put_text(b, p, size);
			continue;
		}
		if (!heap_object(h, bt_h5_number(p + 4, 8),
		                 (unsigned)bt_h5_number(p + 12, 4), &s) ||
		    bt_h5_number(p, 4) > s.n)
			return false;
		put_text(b, s.p, (size_t)bt_h5_number(p, 4));
	}
	return true;
}

int bt_h5_attribute(struct bt_h5 *h, const uint8_t *p, size_t n)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error ignored = {0}, *err = h->err;
	struct attribute a;
	struct space s;
	uint64_t count = 1;
	char key[128];
	int d, r;

	if (n < 9 || p[0] < 1 || p[0] > 3 || (p[0] > 1 && (p[1] & 3)) ||
	    !cut_attribute(p, n, &a) || a.type.n < 8)
		return BT_OK;
	h->err = &ignored;
	r = read_space(h, &a.space, &s);
	h->err = err;
	if (r != BT_OK || s.none || h->c->n_notes >= BT_CKPT_NOTES_MAX)
		return BT_OK;
	for (d = 0; d < s.rank && count <= 65536; d++)
		count = bt_h5_number(s.dims + 8 * d, 8) > 65536
		            ? 65537
		            : count * bt_h5_number(s.dims + 8 * d, 8);
	snprintf(key, sizeof(key), "%.*s", (int)a.n_name, a.name);
	r = BT_OK;
	if (count <= 65536 && texts(h, &a, (size_t)count, &b) &&
	    b.len <= NOTE_MAX && bt_buf_str(&b) != NULL)
		r = bt_ckpt_add_note(h->c, key, bt_buf_str(&b)) == BT_OK
		        ? BT_OK
		        : bt_error_nomem(h->err, "reading a header");
	bt_buf_clear(&b);
	return r;
}
