/* SPDX-License-Identifier: MIT */
/*
 * GGUF, versions 2 and 3: a magic number, the version, how many tensors and how
 * many notes; the notes, each a key, a type and a value; of each tensor its
 * name, dimensions (the last index first), type and offset; then, at a multiple
 * of the alignment, the data.
 * https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/readers.h"

#define NEST_MAX 4    /* arrays of arrays */
#define NOTE_MAX 4096 /* bytes */
#define NOTES_MAX 65536

enum {
	U8,
	I8,
	U16,
	I16,
	U32,
	I32,
	F32,
	BOOL,
	STRING,
	ARRAY,
	U64,
	I64,
	F64,
	TYPES
};

static const size_t widths[TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

struct in {
	struct bt_ckpt *c;
	const struct bt_ckpt_file *f;
	const uint8_t *p, *end;
	uint64_t alignment;
	struct bt_error *err;
};

/* A tensor and where it says that it is. */
struct place {
	size_t tensor; /* index */
	uint64_t offset;
	uint32_t type;
	size_t bytes; /* in the file */
};

static bool knows(const uint8_t *data, size_t size)
{
	return size >= 4 && memcmp(data, "GGUF", 4) == 0;
}

static int take(struct in *in, uint64_t n, const uint8_t **p)
{
	if (n > (size_t)(in->end - in->p))
		return bt_error_set(in->err, BT_ETRUNCATED,
		                    "it is cut off, or damaged, at byte %zu",
		                    (size_t)(in->p - in->f->data));
	*p = in->p;
	in->p += n;
	return BT_OK;
}

static int u32(struct in *in, uint32_t *v)
{
	const uint8_t *p = NULL;
	int r = take(in, sizeof(*v), &p);

	if (r == BT_OK)
		memcpy(v, p, sizeof(*v));
	return r;
}

static int u64(struct in *in, uint64_t *v)
{
	const uint8_t *p = NULL;
	int r = take(in, sizeof(*v), &p);

	if (r == BT_OK)
		memcpy(v, p, sizeof(*v));
	return r;
}

static int string(struct in *in, const char **s, size_t *n)
{
	const uint8_t *p = NULL;
	uint64_t len = 0;
	int r = u64(in, &len);

	if (r == BT_OK)
		r = take(in, len, &p);
	if (r == BT_OK) {
		*s = (const char *)p;
		*n = (size_t)len;
	}
	return r;
}

static int corrupt(struct in *in, const char *why)
{
	return bt_error_set(in->err, BT_ECORRUPT, "%s, at byte %zu", why,
	                    (size_t)(in->p - in->f->data));
}

static int skip_array(struct in *in, int depth)
{
	const uint8_t *p = NULL;
	const char *s;
	uint32_t type = 0;
	uint64_t n = 0, i;
	size_t len;
	int r = u32(in, &type);

	if (r == BT_OK)
		r = u64(in, &n);
	if (r != BT_OK)
		return r;
	if (type >= TYPES || depth > NEST_MAX)
		return corrupt(in, "an array of an unknown type");
	if (widths[type] > 0)
		return n > SIZE_MAX / widths[type]
		           ? corrupt(in, "an array too long")
		           : take(in, n * widths[type], &p);
	for (i = 0; i < n && r == BT_OK; i++)
		r = type == STRING ? string(in, &s, &len)
		                   : skip_array(in, depth + 1);
	return r;
}

/* A number as text. */
static void format(char *s, size_t size, uint32_t type, const uint8_t *p)
{
	uint64_t u = 0;
	float f;
	double d;

	memcpy(&u, p, widths[type]);
	memcpy(&f, &u, sizeof(f));
	memcpy(&d, &u, sizeof(d));
	switch (type) {
	case I8:
		snprintf(s, size, "%d", (int8_t)u);
		break;
	case I16:
		snprintf(s, size, "%d", (int16_t)u);
		break;
	case I32:
		snprintf(s, size, "%" PRId32, (int32_t)u);
		break;
	case I64:
		snprintf(s, size, "%" PRId64, (int64_t)u);
		break;
	case F32:
		snprintf(s, size, "%.9g", (double)f);
		break;
	case F64:
		snprintf(s, size, "%.17g", d);
		break;
	case BOOL:
		snprintf(s, size, "%s", u != 0 ? "true" : "false");
		break;
	default:
		snprintf(s, size, "%" PRIu64, u);
	}
}

static int add_note(struct in *in, const char *key, size_t n_key, const char *s,
                    size_t n)
{
	char *k, *v;
	int r = BT_ENOMEM;

	if (n_key > NOTE_MAX || n > NOTE_MAX)
		return BT_OK; /* a template, not a note */
	k = bt_strndup(key, n_key);
	v = bt_strndup(s, n);
	if (k != NULL && v != NULL)
		r = bt_ckpt_add_note(in->c, k, v);
	free(k);
	free(v);
	if (r != BT_OK)
		return bt_error_nomem(in->err, "reading a header");
	return BT_OK;
}

static int read_value(struct in *in, uint32_t type, const char **s, size_t *n,
                      char *text, size_t size, const uint8_t **p)
{
	int r;

	if (type == STRING)
		return string(in, s, n);
	r = take(in, widths[type], p);
	if (r == BT_OK) {
		format(text, size, type, *p);
		*s = text;
		*n = strlen(text);
	}
	return r;
}

static int read_note(struct in *in)
{
	static const char alignment[] = "general.alignment";
	const char *key = "", *s = "";
	const uint8_t *p = NULL;
	size_t n_key = 0, n = 0;
	uint32_t type = 0, v;
	char text[64];
	int r = string(in, &key, &n_key);

	if (r == BT_OK)
		r = u32(in, &type);
	if (r != BT_OK)
		return r;
	if (type >= TYPES)
		return corrupt(in, "a note of an unknown type");
	if (type == ARRAY)
		return skip_array(in, 0);
	r = read_value(in, type, &s, &n, text, sizeof(text), &p);
	if (r != BT_OK)
		return r;
	if (type == U32 && n_key == sizeof(alignment) - 1 &&
	    memcmp(key, alignment, n_key) == 0) {
		memcpy(&v, p, sizeof(v));
		if (v == 0 || (v & (v - 1)) != 0)
			return corrupt(in,
			               "an alignment that is not a power of "
			               "two");
		in->alignment = v;
	}
	return add_note(in, key, n_key, s, n);
}

static int set_type(struct in *in, struct bt_tensor *t, uint32_t type)
{
	static const struct {
		uint32_t type;
		enum bt_dtype dtype;
	} known[] = {
	    {0, BT_DTYPE_F32},  {1, BT_DTYPE_F16},  {8, BT_DTYPE_F32},
	    {24, BT_DTYPE_I8},  {25, BT_DTYPE_I16}, {26, BT_DTYPE_I32},
	    {27, BT_DTYPE_I64}, {28, BT_DTYPE_F64}, {30, BT_DTYPE_BF16},
	};
	static const char *const others[] = {
	    [2] = "Q4_0",  [3] = "Q4_1",  [6] = "Q5_0",  [7] = "Q5_1",
	    [9] = "Q8_1",  [10] = "Q2_K", [11] = "Q3_K", [12] = "Q4_K",
	    [13] = "Q5_K", [14] = "Q6_K", [15] = "Q8_K"};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].type == type) {
			t->dtype = known[i].dtype;
			return BT_OK;
		}
	if (type < sizeof(others) / sizeof(others[0]) && others[type] != NULL)
		return bt_error_set(in->err, BT_EFORMAT,
		                    "its type %s is not read: F32, F16, BF16, "
		                    "F64, Q8_0 and integers are",
		                    others[type]);
	return bt_error_set(in->err, BT_EFORMAT, "its type %lu is not known",
	                    (unsigned long)type);
}

static int read_shape(struct in *in, struct bt_tensor *t)
{
	int64_t *shape;
	uint64_t d = 0;
	uint32_t n = 0, i;
	int r = u32(in, &n);

	if (r != BT_OK)
		return r;
	if (n > BT_TENSOR_MAX_RANK)
		return corrupt(in, "too many dimensions");
	shape = bt_ckpt_keep(in->c, n * sizeof(*shape));
	if (shape == NULL)
		return bt_error_nomem(in->err, "reading a header");
	for (i = 0; i < n && r == BT_OK; i++) {
		r = u64(in, &d);
		if (r == BT_OK && d > INT64_MAX)
			r = corrupt(in, "a dimension too large");
		if (r == BT_OK)
			shape[n - 1 - i] = (int64_t)d;
	}
	t->rank = (int)n;
	t->shape = shape;
	return r;
}

static int read_info(struct in *in, struct place *p)
{
	struct bt_tensor *t;
	const char *name = "";
	size_t n = 0;
	int r = string(in, &name, &n);

	if (r == BT_OK)
		r = bt_ckpt_add_named(in->c, in->f, name, n, &t, in->err);
	if (r != BT_OK)
		return r;
	p->tensor = in->c->n - 1;
	r = read_shape(in, t);
	if (r == BT_OK)
		r = u32(in, &p->type);
	if (r == BT_OK)
		r = set_type(in, t, p->type);
	if (r == BT_OK)
		r = u64(in, &p->offset);
	if (r == BT_OK && p->offset % in->alignment != 0)
		r = corrupt(in, "data that are not aligned");
	return r == BT_OK
	           ? r
	           : bt_error_prefix(in->err, "tensor '%.100s'", t->name);
}

/* Gives a tensor its data, which begin at in->p. */
static int place(struct in *in, struct place *p)
{
	struct bt_tensor *t = &in->c->tensors[p->tensor];
	size_t size = (size_t)(in->end - in->p);
	int r;

	if (p->offset > size)
		r = bt_error_set(in->err, BT_ETRUNCATED,
		                 "it begins behind the end of the file");
	else if (p->type == 8)
		r = bt_ckpt_place_q8(in->c, t, in->p + p->offset,
		                     size - (size_t)p->offset, in->err);
	else
		r = bt_ckpt_place(in->c, in->f, t, in->p + p->offset,
		                  size - (size_t)p->offset, 0, NULL, in->err);
	if (r != BT_OK)
		return bt_error_prefix(in->err, "tensor '%.100s'", t->name);
	p->bytes = p->type == 8 ? t->count / 32 * 34 : t->bytes;
	return BT_OK;
}

static int by_offset(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->offset != q->offset)
		return p->offset < q->offset ? -1 : 1;
	return (p->bytes > q->bytes) - (p->bytes < q->bytes);
}

static int place_all(struct in *in, struct place *places, size_t n)
{
	const struct bt_tensor *t;
	uint64_t end = 0;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < n && r == BT_OK; i++)
		r = place(in, &places[i]);
	if (n > 1 && r == BT_OK)
		qsort(places, n, sizeof(*places), by_offset);
	for (i = 0; i < n && r == BT_OK; i++) {
		t = &in->c->tensors[places[i].tensor];
		if (places[i].bytes == 0)
			continue;
		if (places[i].offset < end)
			r = bt_error_set(in->err, BT_ECORRUPT,
			                 "tensor '%.100s' overlaps another",
			                 t->name);
		end = places[i].offset + places[i].bytes;
	}
	return r;
}

static int read_tensors(struct in *in, uint64_t n)
{
	size_t first = in->c->n, i, skip;
	struct place *places;
	const uint8_t *p = NULL;
	int r = BT_OK;

	if (n > (size_t)(in->end - in->p) / 24) /* what each takes at least */
		return corrupt(in, "more tensors than the file has room for");
	places = bt_array(n, sizeof(*places));
	if (places == NULL)
		return bt_error_nomem(in->err, "reading a header");
	for (i = 0; i < n && r == BT_OK; i++)
		r = read_info(in, &places[i]);
	skip = (size_t)(-(uint64_t)(in->p - in->f->data) & (in->alignment - 1));
	if (r == BT_OK && n > 0)
		r = take(in, skip, &p);
	if (r == BT_OK)
		r = place_all(in, places, (size_t)n);
	free(places);
	return r == BT_OK ? bt_ckpt_check_names(in->c, first, in->err) : r;
}

static int read_all(struct in *in)
{
	const uint8_t *p = NULL;
	uint32_t version = 0;
	uint64_t n_tensors = 0, n_notes = 0, i;
	int r = take(in, 4, &p);

	if (r == BT_OK)
		r = u32(in, &version);
	if (r == BT_OK && version != 2 && version != 3)
		return bt_error_set(in->err, BT_EFORMAT,
		                    "version %lu of GGUF; 2 and 3 are read",
		                    (unsigned long)version);
	if (r == BT_OK)
		r = u64(in, &n_tensors);
	if (r == BT_OK)
		r = u64(in, &n_notes);
	if (r == BT_OK && n_notes > NOTES_MAX)
		r = bt_error_set(in->err, BT_ELIMIT, "%llu notes (at most %d)",
		                 (unsigned long long)n_notes, NOTES_MAX);
	for (i = 0; i < n_notes && r == BT_OK; i++)
		r = read_note(in);
	return r == BT_OK ? read_tensors(in, n_tensors) : r;
}

static int read_gguf(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                     struct bt_error *err)
{
	struct in in = {c, f, f->data, f->data + f->size, 32, err};
	int r = read_all(&in);

	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", f->path);
}

const struct bt_ckpt_reader bt_gguf_read = {
    .format = "gguf",
    .knows = knows,
    .read = read_gguf,
};
