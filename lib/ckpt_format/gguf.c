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
#include "base/span.h"
#include "ckpt_format/gguf_int.h"
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
	int r; /* of the first error; nothing is read after it */
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

/* The next n bytes, NULL where there are not so many. */
static const uint8_t *take(struct in *in, uint64_t n)
{
	const uint8_t *p = in->p;

	if (in->r == BT_OK && n > (size_t)(in->end - in->p))
		in->r = bt_error_set(in->err, BT_ETRUNCATED,
		                     "it is cut off, or damaged, at byte %zu",
		                     (size_t)(in->p - in->f->data));
	if (in->r != BT_OK)
		return NULL;
	in->p += n;
	return p;
}

/* The next n bytes as a number; n is at most 8. */
static uint64_t number(struct in *in, size_t n)
{
	const uint8_t *p = take(in, n);
	uint64_t v = 0;

	if (p != NULL)
		memcpy(&v, p, n);
	return v;
}

static struct bt_span string(struct in *in)
{
	uint64_t n = number(in, 8);
	const char *p = (const char *)take(in, n);

	return (struct bt_span){p, p != NULL ? (size_t)n : 0};
}

static void corrupt(struct in *in, const char *why)
{
	if (in->r == BT_OK)
		in->r = bt_error_set(in->err, BT_ECORRUPT, "%s, at byte %zu",
		                     why, (size_t)(in->p - in->f->data));
}

static void skip_array(struct in *in, int depth)
{
	uint32_t type = (uint32_t)number(in, 4);
	uint64_t n = number(in, 8), i;

	if (type >= TYPES || depth > NEST_MAX)
		corrupt(in, "an array of an unknown type");
	else if (widths[type] > 0 && n > SIZE_MAX / widths[type])
		corrupt(in, "an array too long");
	else if (widths[type] > 0)
		(void)take(in, n * widths[type]);
	else
		for (i = 0; i < n && in->r == BT_OK; i++)
			if (type == STRING)
				(void)string(in);
			else
				skip_array(in, depth + 1);
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

static void add_note(struct in *in, struct bt_span key, struct bt_span value)
{
	char k[NOTE_MAX + 1], v[NOTE_MAX + 1];

	if (in->r != BT_OK || key.n > NOTE_MAX || value.n > NOTE_MAX)
		return; /* the latter is a template, not a note */
	snprintf(k, sizeof(k), "%.*s", (int)key.n, key.p);
	snprintf(v, sizeof(v), "%.*s", (int)value.n, value.p);
	if (bt_ckpt_add_note(in->c, k, v) != BT_OK)
		in->r = bt_error_nomem(in->err, "reading a header");
}

static void read_note(struct in *in)
{
	struct bt_span key = string(in), value;
	uint32_t type = (uint32_t)number(in, 4);
	const uint8_t *p;
	char text[64];
	uint32_t v;

	if (type >= TYPES) {
		corrupt(in, "a note of an unknown type");
	} else if (type == ARRAY) {
		skip_array(in, 0);
	} else if (type == STRING) {
		value = string(in);
		add_note(in, key, value);
	} else if ((p = take(in, widths[type])) != NULL) {
		if (type == U32 &&
		    bt_span_equal(key, bt_span("general.alignment"))) {
			memcpy(&v, p, sizeof(v));
			if (v == 0 || (v & (v - 1)) != 0)
				corrupt(in, "an alignment that is not a power "
				            "of two");
			in->alignment = v;
		}
		format(text, sizeof(text), type, p);
		add_note(in, key, bt_span(text));
	}
}

const struct bt_gguf_type bt_gguf_types[BT_GGUF_TYPES] = {
    {0, BT_DTYPE_F32},  {1, BT_DTYPE_F16},  {8, BT_DTYPE_F32},
    {24, BT_DTYPE_I8},  {25, BT_DTYPE_I16}, {26, BT_DTYPE_I32},
    {27, BT_DTYPE_I64}, {28, BT_DTYPE_F64}, {30, BT_DTYPE_BF16},
};

static int set_type(struct in *in, struct bt_tensor *t, uint32_t type)
{
	static const char *const others[] = {
	    [2] = "Q4_0",  [3] = "Q4_1",  [6] = "Q5_0",  [7] = "Q5_1",
	    [9] = "Q8_1",  [10] = "Q2_K", [11] = "Q3_K", [12] = "Q4_K",
	    [13] = "Q5_K", [14] = "Q6_K", [15] = "Q8_K"};
	size_t i;

	for (i = 0; i < BT_GGUF_TYPES; i++)
		if (bt_gguf_types[i].number == type) {
			t->dtype = bt_gguf_types[i].dtype;
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

static void read_shape(struct in *in, struct bt_tensor *t)
{
	uint32_t n = (uint32_t)number(in, 4), i;
	int64_t *shape;
	uint64_t d;

	if (n > BT_TENSOR_MAX_RANK) {
		corrupt(in, "too many dimensions");
		return;
	}
	shape = bt_ckpt_keep(in->c, n * sizeof(*shape));
	for (i = 0; i < n; i++) {
		d = number(in, 8);
		if (d > INT64_MAX)
			corrupt(in, "a dimension too large");
		shape[n - 1 - i] = (int64_t)d;
	}
	t->rank = (int)n;
	t->shape = shape;
}

static int read_info(struct in *in, struct place *p)
{
	struct bt_span name = string(in);
	struct bt_tensor *t;

	if (in->r == BT_OK)
		in->r = bt_ckpt_add_named(in->c, in->f, name.p, name.n, &t,
		                          in->err);
	if (in->r != BT_OK)
		return in->r;
	p->tensor = in->c->n - 1;
	read_shape(in, t);
	p->type = (uint32_t)number(in, 4);
	if (in->r == BT_OK)
		in->r = set_type(in, t, p->type);
	p->offset = number(in, 8);
	if (p->offset % in->alignment != 0)
		corrupt(in, "data that are not aligned");
	if (in->r != BT_OK)
		bt_error_prefix(in->err, "tensor '%.100s'", t->name);
	return in->r;
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
	p->bytes = p->type == 8 ? t->count / 32 * 34 : t->bytes;
	return r == BT_OK
	           ? r
	           : bt_error_prefix(in->err, "tensor '%.100s'", t->name);
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
	size_t first = in->c->n, i;
	struct place *places;
	int r;

	if (n > (size_t)(in->end - in->p) / 24) /* what each takes at least */
		corrupt(in, "more tensors than the file has room for");
	if (in->r != BT_OK)
		return in->r;
	places = bt_array(n, sizeof(*places));
	if (places == NULL)
		return bt_error_nomem(in->err, "reading a header");
	for (i = 0; i < n && in->r == BT_OK; i++)
		in->r = read_info(in, &places[i]);
	if (n > 0)
		(void)take(in, -(uint64_t)(in->p - in->f->data) &
		                   (in->alignment - 1));
	r = in->r == BT_OK ? place_all(in, places, (size_t)n) : in->r;
	free(places);
	return r == BT_OK ? bt_ckpt_check_names(in->c, first, in->err) : r;
}

static int read_all(struct in *in)
{
	uint64_t version, tensors, notes, i;

	(void)take(in, 4);
	version = number(in, 4);
	if (in->r == BT_OK && version != 2 && version != 3)
		return bt_error_set(in->err, BT_EFORMAT,
		                    "version %lu of GGUF; 2 and 3 are read",
		                    (unsigned long)version);
	tensors = number(in, 8);
	notes = number(in, 8);
	if (in->r == BT_OK && notes > NOTES_MAX)
		return bt_error_set(in->err, BT_ELIMIT,
		                    "%llu notes (at most %d)",
		                    (unsigned long long)notes, NOTES_MAX);
	for (i = 0; i < notes && in->r == BT_OK; i++)
		read_note(in);
	return read_tensors(in, tensors);
}

static int read_gguf(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                     struct bt_error *err)
{
	struct in in = {c, f, f->data, f->data + f->size, 32, BT_OK, err};
	int r = read_all(&in);

	return r == BT_OK ? r : bt_error_prefix(err, "'%s'", f->path);
}

const struct bt_ckpt_reader bt_gguf_read = {
    .format = "gguf",
    .knows = knows,
    .read = read_gguf,
};
