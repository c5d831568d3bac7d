/* SPDX-License-Identifier: MIT */
#include "ckpt_format/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/readers.h"
#include "format/json.h"
#include "tensor/map.h"

#define PREFIX 8 /* the length of the header */

static uint64_t header_length(const uint8_t *data)
{
	uint64_t n;

	memcpy(&n, data, sizeof(n));
	return n;
}

static bool knows(const uint8_t *data, size_t size)
{
	return size > PREFIX && data[PREFIX] == '{' &&
	       header_length(data) <= BT_SAFETENSORS_HEADER_MAX;
}

static int check_prefix(const struct bt_ckpt_file *f, struct bt_error *err)
{
	uint64_t n;

	if (f->size < PREFIX)
		return bt_error_set(
		    err, BT_ETRUNCATED,
		    "'%s' ends inside the length of its header: "
		    "%zu bytes",
		    f->path, f->size);
	n = header_length(f->data);
	if (n > BT_SAFETENSORS_HEADER_MAX)
		return bt_error_set(
		    err, BT_ELIMIT,
		    "'%s' is not a safetensors file, or is damaged: "
		    "a header of %llu bytes (at most %d)",
		    f->path, (unsigned long long)n, BT_SAFETENSORS_HEADER_MAX);
	if (n > f->size - PREFIX)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "'%s' ends inside its header: %llu bytes "
		                    "of %llu",
		                    f->path,
		                    (unsigned long long)(f->size - PREFIX),
		                    (unsigned long long)n);
	if (n == 0 || f->data[PREFIX] != '{')
		return bt_error_set(
		    err, BT_ECORRUPT,
		    "'%s' is not a safetensors file, or is damaged: "
		    "the header of %llu bytes is not a JSON object",
		    f->path, (unsigned long long)n);
	return BT_OK;
}

static int read_shape(struct bt_ckpt *c, const json_t *v, struct bt_tensor *t,
                      struct bt_error *err)
{
	size_t i, n = json_array_size(v);
	int64_t *shape;

	if (!json_is_array(v))
		return bt_error_set(err, BT_ECORRUPT, "no list as 'shape'");
	if (n > BT_TENSOR_MAX_RANK)
		return bt_error_set(err, BT_ECORRUPT,
		                    "%zu dimensions are more than %d", n,
		                    BT_TENSOR_MAX_RANK);
	shape = bt_ckpt_keep(c, n * sizeof(*shape));
	for (i = 0; i < n; i++) {
		if (!json_is_integer(json_array_get(v, i)))
			return bt_error_set(
			    err, BT_ECORRUPT,
			    "dimension %zu is not a whole number", i);
		shape[i] = json_integer_value(json_array_get(v, i));
	}
	t->rank = (int)n;
	t->shape = shape;
	return bt_tensor_size(t->dtype, t->rank, t->shape, &t->count, &t->bytes,
	                      err);
}

static int read_place(const uint8_t *data, size_t size, const json_t *v,
                      struct bt_tensor *t, struct bt_error *err)
{
	const json_t *from = json_array_get(v, 0), *to = json_array_get(v, 1);
	long long begin, end;

	if (json_array_size(v) != 2 || !json_is_integer(from) ||
	    !json_is_integer(to))
		return bt_error_set(err, BT_ECORRUPT,
		                    "no two whole numbers as 'data_offsets'");
	begin = json_integer_value(from);
	end = json_integer_value(to);
	if (begin < 0 || end < begin)
		return bt_error_set(err, BT_ECORRUPT,
		                    "data_offsets [%lld, %lld] are not valid",
		                    begin, end);
	if ((uint64_t)end > size)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "data_offsets [%lld, %lld] lie outside of "
		                    "the file, which holds %zu bytes of data: "
		                    "was it copied or fetched whole?",
		                    begin, end, size);
	if ((uint64_t)(end - begin) != t->bytes)
		return bt_error_set(err, BT_ECORRUPT,
		                    "data_offsets [%lld, %lld] hold %lld "
		                    "bytes, its shape needs %zu (%zu of %s)",
		                    begin, end, end - begin, t->bytes, t->count,
		                    bt_dtype_name(t->dtype));
	t->data = data + begin;
	return BT_OK;
}

static int read_tensor(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                       const char *name, const json_t *v, struct bt_error *err)
{
	size_t skip = PREFIX + (size_t)header_length(f->data);
	const char *dtype = json_string_value(json_object_get(v, "dtype"));
	struct bt_tensor *t;
	int r = bt_ckpt_add_named(c, f, name, strlen(name), &t, err);

	if (r != BT_OK)
		return r;
	if (dtype == NULL)
		return bt_error_set(err, BT_ECORRUPT, "no text as 'dtype'");
	if (bt_dtype_parse(dtype, &t->dtype) != BT_OK)
		return bt_error_set(err, BT_ECORRUPT,
		                    "dtype '%.40s' is unknown", dtype);
	r = read_shape(c, json_object_get(v, "shape"), t, err);
	if (r == BT_OK)
		r = read_place(f->data + skip, f->size - skip,
		               json_object_get(v, "data_offsets"), t, err);
	return r;
}

static int read_notes(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                      json_t *notes, struct bt_error *err)
{
	bool first = c->n_notes == 0;
	const char *key;
	json_t *v;

	if (json_is_null(notes))
		return BT_OK;
	if (!json_is_object(notes))
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s': __metadata__ is not a JSON object",
		                    f->path);
	json_object_foreach(notes, key, v)
	{
		if (!json_is_string(v))
			return bt_error_set(err, BT_ECORRUPT,
			                    "'%s': '%.100s' in __metadata__ is "
			                    "not text",
			                    f->path, key);
		if (first &&
		    bt_ckpt_add_note(c, key, json_string_value(v)) != BT_OK)
			return bt_error_nomem(err, "reading a header");
	}
	return BT_OK;
}

static int by_place(const void *a, const void *b)
{
	const struct bt_tensor *s = a, *t = b;
	const uint8_t *p = s->data, *q = t->data;

	if (p != q)
		return p < q ? -1 : 1;
	return (s->bytes > t->bytes) - (s->bytes < t->bytes);
}

/* The data of the tensors t[0..n-1] must fill the file without a gap and
 * without sharing a byte. */
static int check_places(const struct bt_ckpt_file *f, struct bt_tensor *t,
                        size_t n, struct bt_error *err)
{
	const uint8_t *data = f->data + PREFIX + header_length(f->data);
	const char *before = NULL;
	size_t i, begin, end = 0, size = f->size - (size_t)(data - f->data);

	if (n > 1)
		qsort(t, n, sizeof(*t), by_place);
	for (i = 0; i < n; i++) {
		begin = (size_t)((const uint8_t *)t[i].data - data);
		if (begin != end && before == NULL)
			return bt_error_set(err, BT_ECORRUPT,
			                    "'%s': tensor '%.100s', the first, "
			                    "begins at byte %zu of the data, "
			                    "not at 0",
			                    f->path, t[i].name, begin);
		if (begin != end)
			return bt_error_set(
			    err, BT_ECORRUPT,
			    "'%s': tensor '%.100s' begins at byte %zu of the "
			    "data, but '%.100s' ends at %zu: %s",
			    f->path, t[i].name, begin, before, end,
			    begin < end ? "they overlap" : "a gap");
		end = begin + t[i].bytes;
		before = t[i].name;
	}
	if (end != size)
		return bt_error_set(err, BT_ECORRUPT,
		                    "'%s': the tensors end at byte %zu of the "
		                    "data, but the file holds %zu bytes of "
		                    "data",
		                    f->path, end, size);
	return BT_OK;
}

static int read_entries(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                        json_t *header, struct bt_error *err)
{
	size_t first = c->n;
	const char *name;
	json_t *v;
	int r;

	json_object_foreach(header, name, v)
	{
		if (strcmp(name, "__metadata__") == 0) {
			r = read_notes(c, f, v, err);
		} else {
			r = read_tensor(c, f, name, v, err);
			if (r != BT_OK)
				bt_error_prefix(err, "'%s': tensor '%.100s'",
				                f->path, name);
		}
		if (r != BT_OK)
			return r;
	}
	return check_places(f, c->n ? c->tensors + first : NULL, c->n - first,
	                    err);
}

static int read_safetensors(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                            struct bt_error *err)
{
	struct bt_error why = {0};
	json_t *header;
	int r = check_prefix(f, err);

	if (r != BT_OK)
		return r;
	if (bt_json_parse("header", (const char *)f->data + PREFIX,
	                  (size_t)header_length(f->data), true, &header,
	                  &why) != BT_OK)
		return bt_error_set(err, BT_ECORRUPT, "'%s': %s", f->path,
		                    why.text);
	r = read_entries(c, f, header, err);
	json_decref(header);
	return r;
}

const struct bt_ckpt_reader bt_safetensors_read = {
    .format = "safetensors",
    .knows = knows,
    .read = read_safetensors,
};

int bt_safetensors_open(const char *name, const void *data, size_t size,
                        struct bt_ckpt **res, struct bt_error *err)
{
	struct bt_ckpt *c = bt_ckpt_new(name);
	const struct bt_ckpt_file *f = bt_ckpt_add_memory(c, name, data, size);
	int r = read_safetensors(c, f, err);

	c->format = bt_safetensors_read.format;
	return bt_ckpt_opened(c, r, res, err);
}
