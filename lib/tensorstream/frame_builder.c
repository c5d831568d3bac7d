/* SPDX-License-Identifier: MIT */
/* Pointers into blocks that still grow are kept as offsets until the end. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tensorstream/frame.h"

void bt_frame_builder_reset(struct bt_frame_builder *m)
{
	m->n = 0;
	bt_buf_reset(&m->data);
	bt_buf_reset(&m->shapes);
}

void bt_frame_builder_clear(struct bt_frame_builder *m)
{
	free(m->t);
	free(m->at);
	free(m->shape_at);
	bt_buf_clear(&m->data);
	bt_buf_clear(&m->shapes);
	memset(m, 0, sizeof(*m));
}

int bt_frame_builder_add(struct bt_frame_builder *m, const char *name,
                         enum bt_dtype dtype, int rank, const int64_t *shape,
                         void **data, struct bt_error *err)
{
	struct bt_tensor *t;
	size_t room, n = m->n;
	int r;

	if (bt_grow(&m->t, &m->t_cap, n + 1, sizeof(*m->t)) != BT_OK ||
	    bt_grow(&m->at, &m->at_cap, n + 1, sizeof(*m->at)) != BT_OK ||
	    bt_grow(&m->shape_at, &m->shape_cap, n + 1, sizeof(*m->shape_at)) !=
	        BT_OK)
		return bt_error_nomem(err, "making tensors");
	t = &m->t[n];
	memset(t, 0, sizeof(*t));
	t->name = name;
	t->dtype = dtype;
	t->rank = rank;
	r = bt_tensor_size(dtype, rank, shape, &t->count, &t->bytes, err);
	if (r != BT_OK)
		return r;
	room = bt_round_up(t->bytes, 8);
	m->shape_at[n] = m->shapes.len;
	bt_buf_put(&m->shapes, shape, (size_t)rank * sizeof(*shape));
	m->at[n] = m->data.len;
	*data = bt_buf_reserve(&m->data, room + 1); /* never of 0 bytes */
	if (*data == NULL || m->shapes.oom)
		return bt_error_nomem(err, "making tensors");
	m->data.len += room;
	m->n++;
	return BT_OK;
}

int bt_frame_builder_ids(struct bt_frame_builder *m, const struct bt_frame *f,
                         size_t from, size_t n, struct bt_error *err)
{
	int64_t size = 0, rows = (int64_t)n + 1, at = 0;
	void *p;
	size_t i;
	int r;

	for (i = 0; i < n; i++)
		size += (int64_t)bt_frame_id(f, from + i).n;
	r = bt_frame_builder_add(m, BT_FRAME_ID, BT_DTYPE_U8, 1, &size, &p,
	                         err);
	if (r != BT_OK)
		return r;
	if (size > 0)
		memcpy(p, bt_frame_id(f, from).p, (size_t)size);
	r = bt_frame_builder_add(m, BT_FRAME_OFFSETS, BT_DTYPE_I64, 1, &rows,
	                         &p, err);
	for (i = 0; i <= n && r == BT_OK; i++) {
		memcpy((char *)p + i * sizeof(at), &at, sizeof(at));
		if (i < n)
			at += (int64_t)bt_frame_id(f, from + i).n;
	}
	return r;
}

int bt_frame_builder_done(struct bt_frame_builder *m,
                          const struct bt_ckpt_note *notes, size_t n_notes,
                          struct bt_frame *f, struct bt_error *err)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		m->t[i].data = bt_buf_at(&m->data, m->at[i]);
		m->t[i].shape = (const int64_t *)(void *)bt_buf_at(
		    &m->shapes, m->shape_at[i]);
	}
	memset(f, 0, sizeof(*f));
	f->s.tensors = m->t;
	f->s.count = m->n;
	f->s.notes = notes;
	f->s.n_notes = n_notes;
	return bt_frame_init(f, err);
}
