/* SPDX-License-Identifier: MIT */
/* Programs in a plugin's hands: compiled, written, read again. */
#include "format/protobuf_wire.h"
#include "pjrt/client_int.h"

/* CompileOptionsProto of XLA. Numbers that are left out are 0, which is no
 * number of replicas. */
void bt_pjrt_put_options(const struct bt_pjrt *p, int replicas,
                         struct bt_buf *to)
{
	size_t build = bt_pb_begin(to, 3), assignment, column, ids;
	int i;

	bt_pb_put_uint(to, 1, UINT64_MAX); /* device_ordinal: -1, none */
	bt_pb_put_uint(to, 4, (uint64_t)replicas);
	bt_pb_put_uint(to, 5, 1); /* partitions */
	assignment = bt_pb_begin(to, 9);
	bt_pb_put_uint(to, 1, (uint64_t)replicas);
	bt_pb_put_uint(to, 2, 1);
	column = bt_pb_begin(to, 3);
	ids = bt_pb_begin(to, 1);
	for (i = 0; i < replicas; i++)
		bt_pb_put_varint(to, (uint64_t)p->devices[i].id);
	bt_pb_end(to, ids);
	bt_pb_end(to, column);
	bt_pb_end(to, assignment);
	bt_pb_end(to, build);
}

struct bt_pjrt_code bt_pjrt_code_of(const char *text, size_t len)
{
	return (struct bt_pjrt_code){
	    .struct_size = BT_PJRT_SIZE(bt_pjrt_code, format_size),
	    .code = text,
	    .code_size = len,
	    .format = "mlir",
	    .format_size = 4};
}

int bt_pjrt_compile_here(struct bt_pjrt *p, const char *text, size_t len,
                         const struct bt_buf *options,
                         struct bt_pjrt_loaded **loaded, struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_compile_args, u);
	struct bt_pjrt_code code = bt_pjrt_code_of(text, len);
	int r;

	u.a.client = p->client;
	u.a.program = &code;
	u.a.options = options->data;
	u.a.options_size = options->len;
	r = bt_pjrt_call(&p->lib, BT_PJRT_CLIENT_COMPILE, &u,
	                 BT_PJRT_SIZE(bt_pjrt_compile_args, loaded), err);
	if (r == BT_OK && u.a.loaded == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "plugin '%s' gives no program", p->lib.name);
	*loaded = u.a.loaded;
	return r;
}

int bt_pjrt_serialize(struct bt_pjrt *p, struct bt_pjrt_loaded *loaded,
                      struct bt_buf *out, struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_serialize_args, u);
	void *exec;
	int r = bt_pjrt_ask_pointer(&p->lib, BT_PJRT_LOADED_EXECUTABLE, loaded,
	                            &exec, err);

	if (r != BT_OK)
		return r;
	u.a.executable = exec;
	r = bt_pjrt_call(&p->lib, BT_PJRT_EXECUTABLE_SERIALIZE, &u,
	                 BT_PJRT_SIZE(bt_pjrt_serialize_args, destroy), err);
	if (r == BT_OK) {
		bt_buf_put(out, u.a.bytes, u.a.n_bytes);
		if (u.a.destroy != NULL)
			u.a.destroy(u.a.serialized);
	}
	bt_pjrt_end(&p->lib, BT_PJRT_EXECUTABLE_DESTROY, exec);
	if (r == BT_OK && out->oom)
		r = bt_error_nomem(err, "keeping a compiled program");
	return r;
}

int bt_pjrt_deserialize(struct bt_pjrt *p, const struct bt_buf *bytes,
                        struct bt_pjrt_loaded **loaded, struct bt_error *err)
{
	BT_PJRT_ARGS(bt_pjrt_deserialize_args, u);
	int r;

	u.a.client = p->client;
	u.a.bytes = bytes->data;
	u.a.n_bytes = bytes->len;
	r = bt_pjrt_call(&p->lib, BT_PJRT_DESERIALIZE, &u,
	                 BT_PJRT_SIZE(bt_pjrt_deserialize_args, load_options),
	                 err);
	if (r == BT_OK && u.a.loaded == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "plugin '%s' gives no program", p->lib.name);
	*loaded = u.a.loaded;
	return r;
}
