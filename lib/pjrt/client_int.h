/* SPDX-License-Identifier: MIT */
/* What a client is made of. */
#ifndef BT_PJRT_CLIENT_INT_H
#define BT_PJRT_CLIENT_INT_H

#include "base/buf.h"
#include "pjrt/pjrt.h"
#include "pjrt/plugin_int.h"

/* Bytes that may be under way to devices, where the plugin keeps a copy. */
#define BT_PJRT_PUT_BYTES ((size_t)16 << 20)

/* Runs that may be under way: of a training run the gradients of one batch,
 * since each keeps its memory until it is done, and an update. */
#define BT_PJRT_UNDER_WAY 2

/* What was compiled, and out of what (cache_int.h). */
struct bt_pjrt_kept {
	struct bt_buf key;
	struct bt_pjrt_loaded *loaded;
};

struct bt_pjrt {
	struct bt_pjrt_lib lib;
	struct bt_pjrt_client *client;     /* NULL: */
	struct bt_pjrt_topology *topology; /* compiled for alone, or NULL */
	bool costs;
	struct bt_pjrt_about about;
	struct bt_pjrt_dev **devs; /* the client's; of a topology: what
	                            * describes them */
	struct bt_pjrt_device *devices;
	int n_devices;
	char *cache;            /* NULL: none */
	struct bt_error unkept; /* why it takes nothing */
	bool keeps;             /* programs stay: */
	struct bt_pjrt_kept *kept;
	size_t n_kept, kept_cap;
	bt_pjrt_watch *watch; /* NULL: none */
	void *watch_ctx;
	struct bt_pjrt_compiler *compiler; /* NULL: none */

	/* Events of the runs that nobody has waited for: of each device, and of
	 * what was put there before. */
	struct bt_pjrt_event **under_way[BT_PJRT_UNDER_WAY];
	size_t n_under_way[BT_PJRT_UNDER_WAY];
	unsigned next; /* where those of the next run go */

	/* Of what was put on devices since the last run. */
	struct bt_pjrt_event **puts;
	size_t n_puts, put_cap, put_bytes;

	uint64_t stamp; /* of the run whose arguments are checked */
};

struct bt_pjrt_buffer {
	struct bt_pjrt *p;
	struct bt_pjrt_array *array; /* NULL: spent */
	struct bt_pjrt_shape shape;
	int device;
	uint64_t stamp; /* the run that it is an argument of */
	bool donated;   /* and whether it is given up there */
};

struct bt_pjrt_program {
	struct bt_pjrt *p;
	char *name;
	struct bt_pjrt_loaded *loaded; /* NULL: cannot run */
	bool stays;                    /* loaded is the client's */
	struct bt_pjrt_cost cost;
	enum bt_pjrt_origin origin;
	int replicas;
	struct bt_pjrt_arg *args;
	size_t n_args;
	int64_t *kept; /* arguments that are not donated */
	size_t n_kept;
	struct bt_pjrt_shape *results;
	size_t n_results;
};

#define BT_PJRT_COST_NONE                                                      \
	{                                                                      \
		-1, -1, -1, -1, -1, -1, -1, -1                                 \
	}

/* Waits for what was put on devices since the last run. */
int bt_pjrt_wait_puts(struct bt_pjrt *p, struct bt_error *err) BT_MUST_USE;

/* A program, and the options of its compilation, as a plugin takes them. */
struct bt_pjrt_code bt_pjrt_code_of(const char *text, size_t len);
void bt_pjrt_put_options(const struct bt_pjrt *p, int replicas,
                         struct bt_buf *to);

/* Compiles in this process. */
int bt_pjrt_compile_here(struct bt_pjrt *p, const char *text, size_t len,
                         const struct bt_buf *options,
                         struct bt_pjrt_loaded **loaded,
                         struct bt_error *err) BT_MUST_USE;

int bt_pjrt_serialize(struct bt_pjrt *p, struct bt_pjrt_loaded *loaded,
                      struct bt_buf *out, struct bt_error *err) BT_MUST_USE;

/* Loads a serialized program on the devices that it was compiled for. */
int bt_pjrt_deserialize(struct bt_pjrt *p, const struct bt_buf *bytes,
                        struct bt_pjrt_loaded **loaded,
                        struct bt_error *err) BT_MUST_USE;

/* Appends what the plugin for NVIDIA's GPUs must know of a card that is not
 * here, "h100", or of several, "h100:8": its description, and how they stand.
 * BT_EARG: it is not known. */
int bt_pjrt_card(const char *name, struct bt_buf *target, struct bt_buf *shape,
                 struct bt_error *err) BT_MUST_USE;

/* Describes devices that need not be there. */
int bt_pjrt_topology_open(struct bt_pjrt *p, const char *name,
                          struct bt_error *err) BT_MUST_USE;

/* Compiles in this process for what it costs; program, unless it is NULL, gets
 * the serialized program, or nothing where the plugin cannot do that. */
int bt_pjrt_costs_here(struct bt_pjrt *p, const char *text, size_t len,
                       const struct bt_buf *options, struct bt_pjrt_cost *cost,
                       struct bt_buf *program,
                       struct bt_error *err) BT_MUST_USE;

/* A program that is asked for, and what became of it. */
enum bt_pjrt_state {
	BT_PJRT_WANTED,
	BT_PJRT_THERE,
	BT_PJRT_LACKING /* there was too little memory */
};
struct bt_pjrt_wanted {
	const struct bt_pjrt_source *s;
	struct bt_pjrt_program *x; /* as yet without what is compiled */
	enum bt_pjrt_state state;
	struct bt_buf options, key;
};

/*
 * Takes programs from the cache, or compiles them, beside each other where that
 * can be, and puts them there. together: one for which there is too little
 * memory becomes LACKING; else that is an error.
 */
int bt_pjrt_obtain(struct bt_pjrt *p, struct bt_pjrt_wanted *w, size_t n,
                   bool together, struct bt_error *err) BT_MUST_USE;

#endif
