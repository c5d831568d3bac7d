/* SPDX-License-Identifier: MIT */
/*
 * PJRT's C interface, as far as we call it: 0.114, and how it differs from 0.70
 * on. A plugin exports GetPjrtApi, which returns a table of functions; each
 * takes the address of one struct, which begins with its size and with
 * extensions that we have none of, and returns NULL or an error.
 *
 * A function is in the table where the table's size says so. The size of an
 * argument is where its last member ends, which may be less than sizeof.
 */
#ifndef BT_PJRT_PJRT_API_INT_H
#define BT_PJRT_PJRT_API_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Objects of the plugin. */
struct bt_pjrt_failure;
struct bt_pjrt_event;
struct bt_pjrt_client;
struct bt_pjrt_dev;
struct bt_pjrt_description;
struct bt_pjrt_exec;   /* an executable */
struct bt_pjrt_loaded; /* one that is loaded on devices */
struct bt_pjrt_topology;
struct bt_pjrt_array;

/* Their place in the table. */
enum bt_pjrt_fn {
	BT_PJRT_ERROR_DESTROY = 0,
	BT_PJRT_ERROR_MESSAGE = 1,
	BT_PJRT_ERROR_CODE = 2,
	BT_PJRT_PLUGIN_INITIALIZE = 3,
	BT_PJRT_PLUGIN_ATTRIBUTES = 4,
	BT_PJRT_EVENT_DESTROY = 5,
	BT_PJRT_EVENT_IS_READY = 6,
	BT_PJRT_EVENT_AWAIT = 8,
	BT_PJRT_CLIENT_CREATE = 10,
	BT_PJRT_CLIENT_DESTROY = 11,
	BT_PJRT_CLIENT_PLATFORM_NAME = 12,
	BT_PJRT_CLIENT_PLATFORM_VERSION = 14,
	BT_PJRT_CLIENT_ADDRESSABLE_DEVICES = 16,
	BT_PJRT_CLIENT_COMPILE = 20,
	BT_PJRT_BUFFER_FROM_HOST = 22,
	BT_PJRT_DESCRIPTION_ID = 23,
	BT_PJRT_DESCRIPTION_ATTRIBUTES = 25,
	BT_PJRT_DESCRIPTION_KIND = 26,
	BT_PJRT_DEVICE_DESCRIPTION = 29,
	BT_PJRT_DEVICE_MEMORY_STATS = 34,
	BT_PJRT_EXECUTABLE_DESTROY = 40,
	BT_PJRT_EXECUTABLE_NUM_OUTPUTS = 44,
	BT_PJRT_EXECUTABLE_COST = 46,
	BT_PJRT_EXECUTABLE_SERIALIZE = 49,
	BT_PJRT_LOADED_DESTROY = 50,
	BT_PJRT_LOADED_EXECUTABLE = 51,
	BT_PJRT_LOADED_DEVICES = 52,
	BT_PJRT_EXECUTE = 55,
	BT_PJRT_DESERIALIZE = 56,
	BT_PJRT_BUFFER_DESTROY = 58,
	BT_PJRT_BUFFER_TO_HOST = 70,
	BT_PJRT_TOPOLOGY_CREATE = 82,
	BT_PJRT_TOPOLOGY_DESTROY = 83,
	BT_PJRT_TOPOLOGY_PLATFORM_NAME = 84,
	BT_PJRT_TOPOLOGY_PLATFORM_VERSION = 85,
	BT_PJRT_TOPOLOGY_DEVICES = 86,
	BT_PJRT_COMPILE = 89,
	BT_PJRT_EXECUTABLE_OUTPUT_TYPES = 90,
	BT_PJRT_EXECUTABLE_OUTPUT_DIMS = 91,
	BT_PJRT_EXECUTABLE_MEMORY = 96,
	BT_PJRT_FNS = 138
};

struct bt_pjrt_api_version {
	size_t struct_size;
	void *extension;
	int major, minor;
};

struct bt_pjrt_api {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_api_version version;
	struct bt_pjrt_failure *(*fn[])(void *args);
};

/* Functions of which args says only what they are asked about, and get. */
struct bt_pjrt_one_args { /* Event_Await, ..._Destroy */
	size_t struct_size;
	void *extension;
	void *object;
};

struct bt_pjrt_pointer_args { /* Device_GetDescription, ... */
	size_t struct_size;
	void *extension;
	void *object;
	void *value; /* also size_t: NumOutputs */
};

struct bt_pjrt_int_args { /* Error_GetCode, DeviceDescription_Id */
	size_t struct_size;
	void *extension;
	void *object;
	int value;
};

struct bt_pjrt_ready_args { /* Event_IsReady */
	size_t struct_size;
	void *extension;
	void *event;
	bool is_ready;
};

struct bt_pjrt_list_args { /* texts and lists of pointers */
	size_t struct_size;
	void *extension;
	void *object;
	const void *values;
	size_t n;
};

enum bt_pjrt_value_kind {
	BT_PJRT_VALUE_STRING = 0,
	BT_PJRT_VALUE_INT64 = 1,
	BT_PJRT_VALUE_INT64S = 2,
	BT_PJRT_VALUE_FLOAT = 3,
	BT_PJRT_VALUE_BOOL = 4
};

struct bt_pjrt_value {
	size_t struct_size;
	void *extension;
	const char *name;
	size_t name_size;
	int kind;
	union {
		const char *string;
		int64_t int64;
		const int64_t *int64s;
		float f;
		bool b;
	} v;
	size_t size; /* of a string or a list; else 1 */
};

struct bt_pjrt_initialize_args {
	size_t struct_size;
	void *extension;
};

struct bt_pjrt_attributes_args {
	size_t struct_size;
	void *extension;
	const struct bt_pjrt_value *values;
	size_t n;
};

struct bt_pjrt_create_args {
	size_t struct_size;
	void *extension;
	const struct bt_pjrt_value *options;
	size_t n_options;
	void *kv_get, *kv_get_arg, *kv_put, *kv_put_arg;
	struct bt_pjrt_client *client;
	void *kv_try_get, *kv_try_get_arg;
};

struct bt_pjrt_code {
	size_t struct_size;
	void *extension;
	const char *code;
	size_t code_size;
	const char *format;
	size_t format_size;
};

struct bt_pjrt_compile_args {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_client *client;
	const struct bt_pjrt_code *program;
	const char *options;
	size_t options_size;
	struct bt_pjrt_loaded *loaded;
};

struct bt_pjrt_topology_args {
	size_t struct_size;
	void *extension;
	const char *name;
	size_t name_size;
	const struct bt_pjrt_value *options;
	size_t n_options;
	struct bt_pjrt_topology *topology;
};

struct bt_pjrt_ahead_args { /* Compile, without a client */
	size_t struct_size;
	void *extension;
	struct bt_pjrt_topology *topology;
	const struct bt_pjrt_code *program;
	const char *options;
	size_t options_size;
	struct bt_pjrt_client *client;
	struct bt_pjrt_exec *executable;
};

struct bt_pjrt_memory_args { /* bytes on a device, then on its host */
	size_t struct_size;
	void *extension;
	struct bt_pjrt_exec *executable;
	int64_t code, arguments, results, shared, temporaries;
	int64_t host[5];
	int64_t peak;
	int64_t total, allocated, indefinite, unpadded;
};

struct bt_pjrt_analysis_args { /* DeviceDescription_Attributes, too */
	size_t struct_size;
	void *extension;
	void *object;
	size_t n;
	const struct bt_pjrt_value *values;
};

struct bt_pjrt_from_host_args {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_client *client;
	const void *data;
	int type;
	const int64_t *dims;
	size_t n_dims;
	const int64_t *strides;
	size_t n_strides;
	int semantics; /* 0: data is copied before the call returns */
	struct bt_pjrt_dev *device;
	void *memory;
	void *layout;
	struct bt_pjrt_event *done;
	struct bt_pjrt_array *buffer;
};

struct bt_pjrt_memory_stats_args {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_dev *device;
	int64_t in_use, peak;
	bool peak_set;
	int64_t allocs;
	bool allocs_set;
	int64_t largest;
	bool largest_set;
	int64_t limit;
	bool limit_set;
	int64_t rest[14]; /* seven more such pairs */
};

struct bt_pjrt_serialize_args {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_exec *executable;
	const char *bytes;
	size_t n_bytes;
	void *serialized;
	void (*destroy)(void *serialized);
};

struct bt_pjrt_deserialize_args {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_client *client;
	const char *bytes;
	size_t n_bytes;
	struct bt_pjrt_loaded *loaded;
	const char *options;
	size_t options_size;
	void *load_options;
};

struct bt_pjrt_execute_options {
	size_t struct_size;
	void *extension;
	void *send, *receive;
	size_t n_send, n_receive;
	int launch_id;
	const int64_t *kept; /* arguments that are not donated */
	size_t n_kept;
	void *context;
	const char *call_location;
	size_t n_tasks;
	int *task_ids;
	int64_t *incarnation_ids;
	void *multi_slice;
	bool major_to_minor;
	void *hlo_callbacks;
	size_t n_hlo_callbacks;
};

struct bt_pjrt_execute_args {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_loaded *loaded;
	struct bt_pjrt_execute_options *options;
	struct bt_pjrt_array *const *const *arguments;
	size_t n_devices, n_args;
	struct bt_pjrt_array **const *outputs;
	struct bt_pjrt_event **events;
	struct bt_pjrt_dev *device;
};

struct bt_pjrt_output_dims_args {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_exec *executable;
	size_t n_outputs;
	const int64_t *dims;
	const size_t *n_dims;
};

struct bt_pjrt_layout {
	size_t struct_size;
	void *extension;
	struct {
		size_t struct_size;
		void *extension;
		const int64_t *minor_to_major;
		size_t n;
		const int64_t *tile_dims;
		const size_t *tile_sizes;
		size_t n_tiles;
	} tiled;
	int kind; /* 0: tiled */
};

struct bt_pjrt_to_host_args {
	size_t struct_size;
	void *extension;
	struct bt_pjrt_array *buffer;
	const struct bt_pjrt_layout *layout;
	void *data;
	size_t bytes;
	struct bt_pjrt_event *event;
};

/* The size of a struct by its last member. */
#define BT_PJRT_SIZE(type, last)                                               \
	(offsetof(struct type, last) + sizeof(((struct type *)0)->last))

/* Room for the largest argument, with what later plugins append: a struct that
 * is zero behind what we know of it. It is the first member of a union. */
#define BT_PJRT_ROOM 256
#define BT_PJRT_ARGS(type, name)                                               \
	union {                                                                \
		unsigned char room[BT_PJRT_ROOM];                              \
		struct type a;                                                 \
	} name = {{0}}

#define BT_PJRT_AT(type, member, at)                                           \
	_Static_assert(offsetof(struct type, member) == (at),                  \
	               "PJRT: " #type "." #member)
#define BT_PJRT_ENDS(type, last, size)                                         \
	_Static_assert(BT_PJRT_SIZE(type, last) == (size), "PJRT: " #type)

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4,
               "PJRT: 64 bits");
BT_PJRT_AT(bt_pjrt_api, version, 16);
BT_PJRT_AT(bt_pjrt_api, version.major, 32);
BT_PJRT_AT(bt_pjrt_api, version.minor, 36);
BT_PJRT_AT(bt_pjrt_api, fn, 40);
BT_PJRT_ENDS(bt_pjrt_api_version, minor, 24);
BT_PJRT_ENDS(bt_pjrt_one_args, object, 24);
BT_PJRT_ENDS(bt_pjrt_pointer_args, value, 32);
BT_PJRT_ENDS(bt_pjrt_int_args, value, 28);
BT_PJRT_ENDS(bt_pjrt_ready_args, is_ready, 25);
BT_PJRT_ENDS(bt_pjrt_list_args, n, 40);
BT_PJRT_AT(bt_pjrt_value, kind, 32);
BT_PJRT_AT(bt_pjrt_value, v, 40);
BT_PJRT_ENDS(bt_pjrt_value, size, 56);
BT_PJRT_ENDS(bt_pjrt_initialize_args, extension, 16);
BT_PJRT_ENDS(bt_pjrt_attributes_args, n, 32);
BT_PJRT_AT(bt_pjrt_create_args, client, 64);
BT_PJRT_ENDS(bt_pjrt_create_args, kv_try_get_arg, 88);
BT_PJRT_ENDS(bt_pjrt_code, format_size, 48);
BT_PJRT_AT(bt_pjrt_compile_args, options, 32);
BT_PJRT_ENDS(bt_pjrt_compile_args, loaded, 56);
BT_PJRT_AT(bt_pjrt_topology_args, options, 32);
BT_PJRT_ENDS(bt_pjrt_topology_args, topology, 56);
BT_PJRT_AT(bt_pjrt_ahead_args, options, 32);
BT_PJRT_ENDS(bt_pjrt_ahead_args, executable, 64);
BT_PJRT_AT(bt_pjrt_memory_args, shared, 48);
BT_PJRT_AT(bt_pjrt_memory_args, peak, 104);
BT_PJRT_ENDS(bt_pjrt_memory_args, unpadded, 144);
BT_PJRT_ENDS(bt_pjrt_analysis_args, values, 40);
BT_PJRT_AT(bt_pjrt_from_host_args, type, 32);
BT_PJRT_AT(bt_pjrt_from_host_args, dims, 40);
BT_PJRT_AT(bt_pjrt_from_host_args, semantics, 72);
BT_PJRT_AT(bt_pjrt_from_host_args, device, 80);
BT_PJRT_AT(bt_pjrt_from_host_args, done, 104);
BT_PJRT_ENDS(bt_pjrt_from_host_args, buffer, 120);
BT_PJRT_AT(bt_pjrt_memory_stats_args, peak, 32);
BT_PJRT_AT(bt_pjrt_memory_stats_args, allocs, 48);
BT_PJRT_AT(bt_pjrt_memory_stats_args, limit, 80);
BT_PJRT_AT(bt_pjrt_memory_stats_args, limit_set, 88);
BT_PJRT_AT(bt_pjrt_memory_stats_args, rest, 96);
BT_PJRT_ENDS(bt_pjrt_memory_stats_args, rest, 208);
BT_PJRT_AT(bt_pjrt_serialize_args, serialized, 40);
BT_PJRT_ENDS(bt_pjrt_serialize_args, destroy, 56);
BT_PJRT_AT(bt_pjrt_deserialize_args, loaded, 40);
BT_PJRT_ENDS(bt_pjrt_deserialize_args, load_options, 72);
BT_PJRT_AT(bt_pjrt_execute_options, launch_id, 48);
BT_PJRT_AT(bt_pjrt_execute_options, kept, 56);
BT_PJRT_AT(bt_pjrt_execute_options, call_location, 80);
BT_PJRT_AT(bt_pjrt_execute_options, multi_slice, 112);
BT_PJRT_AT(bt_pjrt_execute_options, major_to_minor, 120);
BT_PJRT_AT(bt_pjrt_execute_options, hlo_callbacks, 128);
BT_PJRT_ENDS(bt_pjrt_execute_options, n_hlo_callbacks, 144);
BT_PJRT_AT(bt_pjrt_execute_args, arguments, 32);
BT_PJRT_AT(bt_pjrt_execute_args, outputs, 56);
BT_PJRT_ENDS(bt_pjrt_execute_args, device, 80);
BT_PJRT_AT(bt_pjrt_output_dims_args, dims, 32);
BT_PJRT_ENDS(bt_pjrt_output_dims_args, n_dims, 48);
BT_PJRT_AT(bt_pjrt_layout, tiled.minor_to_major, 32);
BT_PJRT_AT(bt_pjrt_layout, kind, 72);
BT_PJRT_ENDS(bt_pjrt_layout, kind, 76);
BT_PJRT_AT(bt_pjrt_to_host_args, event, 48);
BT_PJRT_ENDS(bt_pjrt_to_host_args, event, 56);

#endif
