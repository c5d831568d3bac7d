/* SPDX-License-Identifier: MIT */
#include "tensorstream/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/json.h"

const struct bt_tensor *bt_frame_find(const struct bt_frame *f,
                                      const char *name)
{
	size_t i;

	for (i = 0; i < f->s.count; i++)
		if (strcmp(f->s.tensors[i].name, name) == 0)
			return &f->s.tensors[i];
	return NULL;
}

const char *bt_frame_note(const struct bt_frame *f, const char *key)
{
	size_t i;

	for (i = 0; i < f->s.n_notes; i++)
		if (strcmp(f->s.notes[i].key, key) == 0)
			return f->s.notes[i].value;
	return NULL;
}

bool bt_frame_is_value(const struct bt_frame *f, const struct bt_tensor *t)
{
	return f->id == NULL || (t != f->id && t != f->offsets);
}

size_t bt_frame_values(const struct bt_frame *f, const struct bt_tensor **t)
{
	size_t i, n = 0;

	for (i = 0; i < f->s.count; i++)
		if (bt_frame_is_value(f, &f->s.tensors[i])) {
			*t = &f->s.tensors[i];
			n++;
		}
	return n;
}

static int64_t offset_at(const struct bt_frame *f, size_t i)
{
	int64_t v;

	memcpy(&v, (const char *)f->offsets->data + i * sizeof(v), sizeof(v));
	return v;
}

struct bt_span bt_frame_id(const struct bt_frame *f, size_t i)
{
	struct bt_span s = {NULL, 0};
	size_t at;

	if (f->id == NULL)
		return s;
	at = (size_t)offset_at(f, i);
	s.n = (size_t)offset_at(f, i + 1) - at;
	s.p = f->id->data != NULL ? (const char *)f->id->data + at : "";
	return s;
}

/* Offsets begin at 0, do not fall and end where the ids do. */
static int check_ids(struct bt_frame *f, struct bt_error *err)
{
	int64_t before = 0, here;
	size_t i;

	if (f->id->dtype != BT_DTYPE_U8 || f->id->rank != 1 ||
	    f->offsets->dtype != BT_DTYPE_I64 || f->offsets->rank != 1 ||
	    f->offsets->count == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "'id' is not U8 [bytes] or 'id_offsets' "
		                    "not I64 [rows + 1]");
	f->rows = f->offsets->count - 1;
	for (i = 0; i <= f->rows; i++, before = here) {
		here = offset_at(f, i);
		if (here < before || (i == 0 && here != 0) ||
		    (uint64_t)here > f->id->count)
			return bt_error_set(err, BT_EFORMAT,
			                    "number %zu of 'id_offsets' is "
			                    "wrong",
			                    i);
	}
	if ((uint64_t)before != f->id->count)
		return bt_error_set(err, BT_EFORMAT,
		                    "'id_offsets' do not end with the ids");
	return BT_OK;
}

int bt_frame_init(struct bt_frame *f, struct bt_error *err)
{
	const struct bt_tensor *t = f->s.tensors;
	size_t i;

	f->rows = 0;
	f->whole = false;
	f->id = bt_frame_find(f, BT_FRAME_ID);
	f->offsets = bt_frame_find(f, BT_FRAME_OFFSETS);
	if (f->id == NULL || f->offsets == NULL) {
		f->id = f->offsets = NULL;
		/* the first dimension of a tensor that has bytes: others may
		 * claim any */
		for (i = 0; i < f->s.count && t[i].bytes == 0;)
			i++;
		if (i < f->s.count && t[i].rank > 0)
			f->rows = (size_t)t[i].shape[0];
	} else if (check_ids(f, err) != BT_OK) {
		return BT_EFORMAT;
	}
	for (i = 0; i < f->s.count; i++) {
		/* of types smaller than a byte rows may begin inside of one:
		 * those are none */
		if (!bt_frame_is_value(f, &t[i]) ||
		    (t[i].rank > 0 && (uint64_t)t[i].shape[0] == f->rows &&
		     (f->rows == 0 || t[i].bytes % f->rows == 0)))
			continue;
		if (f->id != NULL)
			return bt_error_set(err, BT_EFORMAT,
			                    "tensor '%.100s' has not a row for "
			                    "each of %zu ids",
			                    t[i].name, f->rows);
		f->whole = true;
		f->rows = 1;
		break;
	}
	return BT_OK;
}

int bt_frame_of(const struct bt_ckpt *c, struct bt_frame *f,
                struct bt_error *err)
{
	memset(f, 0, sizeof(*f));
	f->s.count = bt_ckpt_count(c);
	f->s.n_notes = bt_ckpt_notes(c);
	if (f->s.count > 0) /* they stand one behind the other */
		f->s.tensors = bt_ckpt_tensor(c, 0);
	if (f->s.n_notes > 0)
		f->s.notes = bt_ckpt_note(c, 0);
	return bt_frame_init(f, err);
}

size_t bt_frame_row_count(const struct bt_frame *f, const struct bt_tensor *t)
{
	return f->rows > 0 ? t->count / f->rows : 0;
}

size_t bt_frame_row_bytes(const struct bt_frame *f, const struct bt_tensor *t)
{
	return f->rows > 0 ? t->bytes / f->rows : 0;
}

json_t *bt_frame_labels(const struct bt_frame *f)
{
	const char *text = bt_frame_note(f, BT_FRAME_LABELS);
	json_t *list = text != NULL ? json_loads(text, 0, NULL) : NULL, *v;
	bool texts = json_is_array(list);
	size_t i;

	json_array_foreach(list, i, v)
	{
		texts &= json_is_string(v);
	}
	if (texts)
		return list;
	json_decref(list);
	return NULL;
}

int bt_frame_select(const struct bt_frame *f, const struct bt_span *names,
                    size_t n_names, struct bt_tensor *tensors,
                    struct bt_frame *out, struct bt_error *err)
{
	struct bt_span id = bt_span(BT_FRAME_ID);
	size_t i, k, n = 0;
	bool *found = bt_array0(n_names, sizeof(*found));
	int r = BT_OK;

	for (i = 0; i < f->s.count; i++) {
		struct bt_span name = bt_span(f->s.tensors[i].name);
		bool wanted = false;

		for (k = 0; k < n_names; k++)
			if (bt_span_equal(names[k], name))
				wanted = found[k] = true;
			else if (f->id != NULL &&
			         &f->s.tensors[i] == f->offsets &&
			         bt_span_equal(names[k], id))
				wanted = true;
		if (wanted)
			tensors[n++] = f->s.tensors[i];
	}
	for (k = 0; k < n_names && r == BT_OK; k++)
		if (!found[k])
			r = bt_error_set(err, BT_EFORMAT,
			                 "it lacks tensor '%.*s'",
			                 (int)names[k].n, names[k].p);
	free(found);
	if (r != BT_OK)
		return r;
	*out = *f;
	out->s.tensors = tensors;
	out->s.count = n;
	return bt_frame_init(out, err);
}
