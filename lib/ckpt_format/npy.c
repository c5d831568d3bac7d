/* SPDX-License-Identifier: MIT */
/*
 * NumPy's arrays: "\x93NUMPY", two bytes of version, the length of a header,
 * this header (a dictionary as Python writes it, with descr, fortran_order and
 * shape), the elements. https://numpy.org/doc/stable/reference/generated/
 * numpy.lib.format.html
 */
#include "ckpt_format/npy.h"

#include <string.h>

#include "base/mem.h"
#include "base/span.h"
#include "ckpt_format/readers.h"

#define HEAD 8 /* magic and version */

/* What a header says. */
struct header {
	const uint8_t *p, *end; /* still to be read */
	enum bt_dtype dtype;
	bool fortran;
	int rank;
	int64_t shape[BT_TENSOR_MAX_RANK];
	bool has_descr, has_order, has_shape;
};

static bool knows(const uint8_t *data, size_t size)
{
	return size >= 6 && memcmp(data, "\x93NUMPY", 6) == 0;
}

static void skip_blanks(struct header *h)
{
	while (h->p < h->end && (*h->p == ' ' || *h->p == '\n'))
		h->p++;
}

/* Steps over the character c and blanks before it, if it comes next. */
static bool comes(struct header *h, char c)
{
	skip_blanks(h);
	if (h->p == h->end || *h->p != (uint8_t)c)
		return false;
	h->p++;
	return true;
}

static bool word(struct header *h, const char *s)
{
	size_t n = strlen(s);

	skip_blanks(h);
	if ((size_t)(h->end - h->p) < n || memcmp(h->p, s, n) != 0)
		return false;
	h->p += n;
	return true;
}

/* A text in quotes of either kind; nothing that we look for has escapes. */
static bool text(struct header *h, const char **s, size_t *n)
{
	const uint8_t *end;

	skip_blanks(h);
	if (h->p == h->end || (*h->p != '\'' && *h->p != '"'))
		return false;
	end = memchr(h->p + 1, *h->p, (size_t)(h->end - h->p) - 1);
	if (end == NULL)
		return false;
	*s = (const char *)h->p + 1;
	*n = (size_t)(end - h->p) - 1;
	h->p = end + 1;
	return true;
}

static int read_descr(struct header *h, struct bt_error *err)
{
	static const struct {
		const char *descr;
		enum bt_dtype dtype;
	} known[] = {
	    {"b1", BT_DTYPE_BOOL}, {"u1", BT_DTYPE_U8},  {"i1", BT_DTYPE_I8},
	    {"i2", BT_DTYPE_I16},  {"u2", BT_DTYPE_U16}, {"f2", BT_DTYPE_F16},
	    {"i4", BT_DTYPE_I32},  {"u4", BT_DTYPE_U32}, {"f4", BT_DTYPE_F32},
	    {"c8", BT_DTYPE_C64},  {"f8", BT_DTYPE_F64}, {"i8", BT_DTYPE_I64},
	    {"u8", BT_DTYPE_U64},
	};
	const char *s;
	size_t i, n;

	h->has_descr = true;
	if (!text(h, &s, &n))
		return bt_error_set(err, BT_EFORMAT,
		                    "its elements are records, not numbers");
	for (i = 0; i < sizeof(known) / sizeof(known[0]) && n == 3; i++)
		if (memcmp(s + 1, known[i].descr, 2) == 0 &&
		    (s[0] == '<' || (s[0] == '|' && s[2] == '1'))) {
			h->dtype = known[i].dtype;
			return BT_OK;
		}
	if (n >= 2 && s[1] == 'O')
		return bt_error_set(err, BT_EFORMAT,
		                    "its elements are pickled objects, which "
		                    "are not data");
	return bt_error_set(err, BT_EFORMAT,
	                    "its elements are of type '%.*s'%s",
	                    (int)(n < 40 ? n : 40), s,
	                    n > 0 && s[0] == '>' ? ", in big-endian order"
	                                         : ", which is not known here");
}

static bool read_number(struct header *h, int64_t *v)
{
	bool any = false;

	*v = 0;
	skip_blanks(h);
	for (; h->p < h->end && *h->p >= '0' && *h->p <= '9'; h->p++) {
		if (*v > (INT64_MAX - 9) / 10)
			return false;
		*v = *v * 10 + (*h->p - '0');
		any = true;
	}
	if (any && h->p < h->end && *h->p == 'L') /* as Python 2 wrote them */
		h->p++;
	return any;
}

static int read_shape(struct header *h, struct bt_error *err)
{
	h->has_shape = true;
	h->rank = 0;
	if (!comes(h, '('))
		return bt_error_set(err, BT_ECORRUPT, "no tuple as 'shape'");
	while (!comes(h, ')')) {
		if (h->rank == BT_TENSOR_MAX_RANK)
			return bt_error_set(err, BT_ECORRUPT,
			                    "more than %d dimensions",
			                    BT_TENSOR_MAX_RANK);
		if (!read_number(h, &h->shape[h->rank++]) ||
		    (!comes(h, ',') && (h->p == h->end || *h->p != ')')))
			return bt_error_set(err, BT_ECORRUPT,
			                    "dimension %d of 'shape' makes no "
			                    "sense",
			                    h->rank - 1);
	}
	return BT_OK;
}

static int read_header(struct header *h, struct bt_error *err)
{
	const char *key;
	size_t n;
	int r = BT_OK;

	if (!comes(h, '{'))
		return bt_error_set(err, BT_ECORRUPT, "no header");
	while (r == BT_OK && !comes(h, '}')) {
		if (!text(h, &key, &n) || !comes(h, ':'))
			return bt_error_set(err, BT_ECORRUPT,
			                    "the header is not valid");
		if (n == 5 && memcmp(key, "descr", n) == 0) {
			r = read_descr(h, err);
		} else if (n == 13 && memcmp(key, "fortran_order", n) == 0) {
			h->has_order = true;
			h->fortran = word(h, "True");
			if (!h->fortran && !word(h, "False"))
				r = bt_error_set(err, BT_ECORRUPT,
				                 "'fortran_order' is neither "
				                 "True nor False");
		} else if (n == 5 && memcmp(key, "shape", n) == 0) {
			r = read_shape(h, err);
		} else {
			r = bt_error_set(err, BT_EFORMAT,
			                 "a header with '%.*s'",
			                 (int)(n < 40 ? n : 40), key);
		}
		if (r == BT_OK && !comes(h, ',') &&
		    (h->p == h->end || *h->p != '}'))
			r = bt_error_set(err, BT_ECORRUPT,
			                 "the header is not valid");
	}
	skip_blanks(h);
	if (r == BT_OK &&
	    (h->p != h->end || !h->has_descr || !h->has_order || !h->has_shape))
		r = bt_error_set(err, BT_ECORRUPT,
		                 "the header lacks 'descr', 'fortran_order' "
		                 "or 'shape', or does not end with them");
	return r;
}

/* Finds the header; *data is where the elements begin. */
static int open_header(struct header *h, const uint8_t **data, size_t *size,
                       struct bt_error *err)
{
	const uint8_t *p = *data;
	size_t width = *size > HEAD && p[6] == 1 ? 2 : 4;
	uint32_t n = 0;

	memset(h, 0, sizeof(*h));
	if (!knows(p, *size))
		return bt_error_set(err, BT_ECORRUPT, "it is not an npy file");
	if (*size < HEAD + width)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "it is cut off in its header");
	if (p[6] < 1 || p[6] > 3 || p[7] != 0)
		return bt_error_set(err, BT_EFORMAT, "version %d.%d of npy",
		                    p[6], p[7]);
	memcpy(&n, p + HEAD, width);
	if (n > *size - HEAD - width)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "it is cut off in its header of %lu bytes",
		                    (unsigned long)n);
	h->p = p + HEAD + width;
	h->end = h->p + n;
	*data = h->end;
	*size -= HEAD + width + n;
	return BT_OK;
}

/* Columns first: the first index steps by one. */
static bool fortran_strides(const struct header *h, int64_t *stride)
{
	size_t step = 1;
	int i;

	for (i = 0; i < h->rank; i++) {
		if (step > INT64_MAX)
			return false;
		stride[i] = (int64_t)step;
		if (!bt_size_mul(step, (size_t)h->shape[i], &step))
			return false;
	}
	return true;
}

static int place(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                 const struct header *h, struct bt_tensor *t,
                 const uint8_t *data, size_t size, struct bt_error *err)
{
	size_t n = (size_t)h->rank;
	int64_t *shape = bt_ckpt_keep(c, 2 * n * sizeof(*shape));
	int r;

	memcpy(shape, h->shape, n * sizeof(*shape));
	t->dtype = h->dtype;
	t->rank = h->rank;
	t->shape = shape;
	r = bt_tensor_size(t->dtype, t->rank, t->shape, &t->count, &t->bytes,
	                   err);
	if (r != BT_OK)
		return r;
	if (t->bytes > size)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "it is cut off: %zu bytes of %zu", size,
		                    t->bytes);
	if (t->bytes < size)
		return bt_error_set(err, BT_ECORRUPT,
		                    "%zu bytes follow behind its %zu elements",
		                    size - t->bytes, t->count);
	if (!h->fortran || t->count == 0)
		return bt_ckpt_place(c, f, t, data, size, 0, NULL, err);
	if (!fortran_strides(h, shape + n))
		return bt_error_set(err, BT_ECORRUPT, "its size overflows");
	return bt_ckpt_place(c, f, t, data, size, 0, shape + n, err);
}

static int add_array(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                     const char *name, size_t n_name, const uint8_t *data,
                     size_t size, struct bt_error *err)
{
	struct bt_tensor *t;
	struct header h;
	int r = bt_ckpt_add_named(c, f, name, n_name, &t, err);

	if (r != BT_OK)
		return r;
	r = open_header(&h, &data, &size, err);
	if (r == BT_OK)
		r = read_header(&h, err);
	if (r == BT_OK)
		r = place(c, f, &h, t, data, size, err);
	return r == BT_OK ? r : bt_error_prefix(err, "array '%.100s'", t->name);
}

static bool ends_npy(const char *name, size_t n)
{
	return n > 4 && memcmp(name + n - 4, ".npy", 4) == 0;
}

int bt_npz_read(struct bt_ckpt *c, struct bt_zip *z, struct bt_error *err)
{
	const struct bt_zip_entry *e;
	const uint8_t *data;
	size_t i;
	int r = BT_OK;

	if (z->n == 0)
		return bt_error_set(err, BT_EFORMAT, "a zip file of nothing");
	for (i = 0; i < z->n; i++)
		if (bt_span_equal(
		        (struct bt_span){z->e[i].name, z->e[i].n_name},
		        bt_span("model.weights.h5")))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "a model of Keras, whose weights are in a file "
			    "within: unzip FILE model.weights.h5");
	for (i = 0; i < z->n; i++)
		if (!ends_npy(z->e[i].name, z->e[i].n_name))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "a zip file that is neither PyTorch's (it has no "
			    "data.pkl) nor NumPy's (it holds '%.*s')",
			    (int)(z->e[i].n_name < 100 ? z->e[i].n_name : 100),
			    z->e[i].name);
	for (i = 0; i < z->n && r == BT_OK; i++) {
		e = &z->e[i];
		r = bt_zip_data(z, c, e, &data, err);
		if (r == BT_OK)
			r = add_array(c, z->f, e->name, e->n_name - 4, data,
			              e->size, err);
	}
	return r;
}

/* The array of a npy file has the name of the file. */
static int read_npy(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                    struct bt_error *err)
{
	const char *slash = strrchr(f->path, '/');
	const char *name = slash != NULL ? slash + 1 : f->path;
	size_t n = strlen(name);
	int r;

	if (ends_npy(name, n))
		n -= 4;
	r = add_array(c, f, name, n, f->data, f->size, err);
	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", f->path);
}

const struct bt_ckpt_reader bt_npy_read = {
    .format = "npy",
    .knows = knows,
    .read = read_npy,
};
