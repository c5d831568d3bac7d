/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt_format/safetensors.h"
#include "ckpt_format/writer.h"
#include "format/json.h"

/* A tensor on its way out. */
struct row {
	const struct bt_tensor *t;
	size_t index; /* in the caller's list */
	size_t bytes;
};

static int by_rank(const void *a, const void *b)
{
	const struct bt_tensor *s = ((const struct row *)a)->t;
	const struct bt_tensor *t = ((const struct row *)b)->t;

	if (s->dtype != t->dtype)
		return s->dtype > t->dtype ? -1 : 1;
	return strcmp(s->name, t->name);
}

static int make_rows(const struct bt_safetensors *s, struct row *rows,
                     struct bt_error *err)
{
	const struct bt_tensor *t;
	size_t i, count;
	int r;

	for (i = 0; i < s->count; i++) {
		t = &s->tensors[i];
		rows[i].t = t;
		rows[i].index = i;
		r = bt_tensor_size(t->dtype, t->rank, t->shape, &count,
		                   &rows[i].bytes, err);
		if (r != BT_OK) {
			bt_error_prefix(err, "tensor '%.100s'", t->name);
			return BT_EFORMAT;
		}
		if (t->data == NULL && t->from == NULL && s->fill == NULL &&
		    rows[i].bytes != 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "tensor '%.100s' has no data",
			                    t->name);
	}
	qsort(rows, s->count, sizeof(*rows), by_rank);
	return BT_OK;
}

/* The entry of one tensor; its bytes are begin .. end-1 of the data. */
static int add_entry(json_t *header, const struct bt_tensor *t, size_t begin,
                     size_t end, struct bt_error *err)
{
	json_t *name = json_string(t->name), *shape;
	int i;

	if (name == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "the name of tensor '%.100s' is not UTF-8",
		                    t->name);
	json_decref(name);
	if (strcmp(t->name, "__metadata__") == 0 ||
	    json_object_get(header, t->name) != NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "two tensors cannot be named '%.100s'",
		                    t->name);
	shape = json_array();
	for (i = 0; i < t->rank; i++)
		json_array_append_new(shape, json_integer(t->shape[i]));
	json_object_set_new(header, t->name,
	                    json_pack("{s:s,s:o,s:[I,I]}", "dtype",
	                              bt_dtype_name(t->dtype), "shape", shape,
	                              "data_offsets", (json_int_t)begin,
	                              (json_int_t)end));
	return BT_OK;
}

static int add_notes(json_t *header, const struct bt_safetensors *s,
                     struct bt_error *err)
{
	json_t *notes;
	size_t i;

	if (s->n_notes == 0)
		return BT_OK;
	notes = json_object();
	json_object_set_new(header, "__metadata__", notes);
	for (i = 0; i < s->n_notes; i++)
		if (json_object_set_new(notes, s->notes[i].key,
		                        json_string(s->notes[i].value)) != 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "the note '%.100s' is not UTF-8",
			                    s->notes[i].key);
	return BT_OK;
}

static int make_header(const struct bt_safetensors *s, const struct row *rows,
                       json_t *header, size_t *bytes, struct bt_error *err)
{
	size_t i, begin = 0, end;
	int r = add_notes(header, s, err);

	for (i = 0; i < s->count && r == BT_OK; i++) {
		if (!bt_size_add(begin, rows[i].bytes, &end) || end > INT64_MAX)
			return bt_error_set(err, BT_EFORMAT,
			                    "the size of all tensors "
			                    "overflows");
		r = add_entry(header, rows[i].t, begin, end, err);
		begin = end;
	}
	*bytes = begin;
	return r;
}

static int write_header(struct bt_out *out, const json_t *header,
                        struct bt_error *err)
{
	static const char blanks[] = "       "; /* 7 at most */
	char *text = json_dumps(header, JSON_COMPACT);
	uint64_t n, padded;
	int r;

	if (text == NULL)
		return bt_error_nomem(err, "writing a checkpoint");
	n = strlen(text);
	padded = (n + 7) & ~(uint64_t)7;
	if (padded > BT_SAFETENSORS_HEADER_MAX)
		r = bt_error_set(err, BT_ELIMIT,
		                 "the header of %s would be %llu bytes long "
		                 "(at most %d)",
		                 bt_out_name(out), (unsigned long long)padded,
		                 BT_SAFETENSORS_HEADER_MAX);
	else
		r = bt_out_write(out, &padded, sizeof(padded), err);
	if (r == BT_OK)
		r = bt_out_write(out, text, n, err);
	if (r == BT_OK)
		r = bt_out_write(out, blanks, padded - n, err);
	free(text);
	return r;
}

static int write_data(struct bt_out *out, const struct bt_safetensors *s,
                      const struct row *row, struct bt_error *err)
{
	uint64_t before = bt_out_offset(out);
	int r;

	if (row->bytes == 0 || row->t->data != NULL || row->t->from != NULL)
		return bt_tensor_put(out, row->t, row->bytes, err);
	r = s->fill(s->ctx, row->index, out, err);
	if (r == BT_OK && bt_out_offset(out) - before != row->bytes)
		return bt_error_set(
		    err, BT_EARG,
		    "tensor '%.100s' got %llu bytes instead of %zu",
		    row->t->name,
		    (unsigned long long)(bt_out_offset(out) - before),
		    row->bytes);
	return r;
}

static int write_rows(struct bt_out *out, const struct bt_safetensors *s,
                      struct row *rows, json_t *header, struct bt_error *err)
{
	int r = make_rows(s, rows, err);
	size_t i, bytes = 0;

	if (r == BT_OK)
		r = make_header(s, rows, header, &bytes, err);
	if (r == BT_OK) {
		bt_out_expect(out, bytes);
		r = write_header(out, header, err);
	}
	for (i = 0; i < s->count && r == BT_OK; i++)
		r = write_data(out, s, &rows[i], err);
	return r;
}

int bt_safetensors_write(struct bt_out *out, const struct bt_safetensors *s,
                         struct bt_error *err)
{
	struct row *rows = bt_array0(s->count, sizeof(*rows));
	json_t *header;
	int r;

	if (rows == NULL)
		return bt_error_nomem(err, "writing a checkpoint");
	header = json_object();
	r = write_rows(out, s, rows, header, err);
	json_decref(header);
	free(rows);
	return r;
}

int bt_safetensors_save(const char *path, const struct bt_safetensors *s,
                        struct bt_error *err)
{
	struct bt_out *out;
	int r = bt_out_open(path, BT_OUT_BINARY, &out, err);

	if (r != BT_OK)
		return r;
	if (s->behind)
		bt_out_behind(out);
	r = bt_safetensors_write(out, s, err);
	if (r != BT_OK) {
		bt_out_abandon(out);
		return r;
	}
	return bt_out_commit(out, err);
}
