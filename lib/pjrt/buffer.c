/* SPDX-License-Identifier: MIT */
/* Arrays on devices. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pjrt/client_int.h"

static int check_bytes(const struct bt_pjrt_shape *shape, size_t bytes,
                       struct bt_error *err)
{
	char text[BT_PJRT_SHAPE_TEXT];
	size_t needed;
	int r = bt_pjrt_shape_bytes(shape, &needed, err);

	if (r == BT_OK && needed != bytes)
		r = bt_error_set(err, BT_EARG,
		                 "an array of the shape %s has %zu bytes, not "
		                 "%zu",
		                 bt_pjrt_shape_text(shape, text), needed,
		                 bytes);
	return r;
}

/* Keeps the event of what was put on a device for who waits for the next run.
 * The plugin has a copy until then, so not too much may be under way. */
static int keep_event(struct bt_pjrt *p, struct bt_pjrt_event *event,
                      size_t bytes, struct bt_error *err)
{
	int r = bt_grow(&p->puts, &p->put_cap, p->n_puts + 1, sizeof(*p->puts));

	if (r != BT_OK)
		return bt_pjrt_await(&p->lib, event, err);
	p->puts[p->n_puts++] = event;
	p->put_bytes += bytes;
	return p->put_bytes > BT_PJRT_PUT_BYTES ? bt_pjrt_wait_puts(p, err)
	                                        : BT_OK;
}

int bt_pjrt_put(struct bt_pjrt *p, int device,
                const struct bt_pjrt_shape *shape, const void *data,
                size_t bytes, struct bt_pjrt_buffer **buffer,
                struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_from_host_args, u);
	struct bt_pjrt_buffer *b;
	int r = check_bytes(shape, bytes, err);

	if (r != BT_OK)
		return r;
	if (device < 0 || device >= p->n_devices)
		return bt_error_set(err, BT_EARG,
		                    "plugin '%s' has no device %d: it has %d",
		                    p->lib.name, device, p->n_devices);
	if (p->costs)
		return bt_error_set(err, BT_EARG,
		                    "plugin '%s' compiles only, and takes no "
		                    "arrays",
		                    p->lib.name);
	u.a.client = p->client;
	u.a.data = data;
	u.a.type = (int)shape->type;
	u.a.dims = shape->dims;
	u.a.n_dims = (size_t)shape->n_dims;
	u.a.device = p->devs[device];
	r = bt_pjrt_call(&p->lib, BT_PJRT_BUFFER_FROM_HOST, &u,
	                 BT_PJRT_SIZE(bt_pjrt_from_host_args, buffer), err);
	if (r != BT_OK)
		return r;
	r = keep_event(p, u.a.done, bytes, err);
	if (r == BT_OK && u.a.buffer == NULL)
		r = bt_error_set(err, BT_EFORMAT, "plugin '%s' gives no buffer",
		                 p->lib.name);
	if (r != BT_OK) {
		bt_pjrt_end(&p->lib, BT_PJRT_BUFFER_DESTROY, u.a.buffer);
		return r;
	}
	b = bt_array0(1, sizeof(*b));
	b->p = p;
	b->array = u.a.buffer;
	b->shape = *shape;
	b->device = device;
	*buffer = b;
	return BT_OK;
}

/* Some plugins keep the device's order of dimensions where none is given. */
static void rows_first(struct bt_pjrt_layout *layout, int64_t *order, int n)
{
	int i;

	for (i = 0; i < n; i++)
		order[i] = n - 1 - i;
	memset(layout, 0, sizeof(*layout));
	layout->struct_size = BT_PJRT_SIZE(bt_pjrt_layout, kind);
	layout->tiled.struct_size = sizeof(layout->tiled);
	layout->tiled.minor_to_major = order;
	layout->tiled.n = (size_t)n;
}

int bt_pjrt_get(struct bt_pjrt_buffer *b, void *data, size_t bytes,
                struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_to_host_args, u);
	char text[BT_PJRT_SHAPE_TEXT];
	int64_t order[BT_PJRT_MAX_DIMS];
	struct bt_pjrt_layout layout;
	int r = check_bytes(&b->shape, bytes, err);

	if (r != BT_OK)
		return r;
	if (b->array == NULL)
		return bt_error_set(err, BT_EARG, "a spent buffer is read");
	rows_first(&layout, order, b->shape.n_dims);
	u.a.buffer = b->array;
	u.a.layout = &layout;
	/* The first call asks for the size. */
	r = bt_pjrt_call(&b->p->lib, BT_PJRT_BUFFER_TO_HOST, &u,
	                 BT_PJRT_SIZE(bt_pjrt_to_host_args, event), err);
	if (r == BT_OK && u.a.bytes != bytes)
		r = bt_error_set(
		    err, BT_EFORMAT,
		    "plugin '%s' says that an array of the shape %s has %zu "
		    "bytes",
		    b->p->lib.name, bt_pjrt_shape_text(&b->shape, text),
		    u.a.bytes);
	if (r != BT_OK)
		return r;
	u.a.data = data;
	u.a.event = NULL;
	r = bt_pjrt_call(&b->p->lib, BT_PJRT_BUFFER_TO_HOST, &u,
	                 BT_PJRT_SIZE(bt_pjrt_to_host_args, event), err);
	return r == BT_OK ? bt_pjrt_await(&b->p->lib, u.a.event, err) : r;
}

void bt_pjrt_buffer_free(struct bt_pjrt_buffer *b)
{
	if (b == NULL)
		return;
	bt_pjrt_end(&b->p->lib, BT_PJRT_BUFFER_DESTROY, b->array);
	free(b);
}
