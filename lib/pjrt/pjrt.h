/* SPDX-License-Identifier: MIT */
/*
 * Runs StableHLO programs through plugins that speak PJRT's C interface: one
 * shared library for each kind of device (TPUs, GPUs, XLA for CPUs). This is a
 * client of that interface: it finds and opens plugins, compiles, moves arrays
 * and runs programs. It knows nothing of models.
 *
 *	struct bt_pjrt *p = NULL;
 *	struct bt_pjrt_program *add = NULL;
 *	struct bt_pjrt_buffer *in[2] = {NULL}, *out[1] = {NULL};
 *	struct bt_pjrt_arg args[2] = {
 *	    {{BT_PJRT_F32, 1, {4}}, true}, // x, donated
 *	    {{BT_PJRT_F32, 1, {4}}, false} // y
 *	};
 *	struct bt_pjrt_source source = {.name = "add", .text = text,
 *	    .len = strlen(text), .replicas = 1, .args = args, .n_args = 2};
 *
 *	r = bt_pjrt_open("cpu", NULL, &p, err);
 *	r = r ? r : bt_pjrt_compile(p, &source, &add, err);
 *	r = r ? r : bt_pjrt_put(p, 0, &args[0].shape, x, sizeof(x), &in[0],
 *	                        err);
 *	r = r ? r : bt_pjrt_put(p, 0, &args[1].shape, y, sizeof(y), &in[1],
 *	                        err);
 *	r = r ? r : bt_pjrt_run(add, in, out, err);
 *	r = r ? r : bt_pjrt_get(out[0], sum, sizeof(sum), err);
 *	bt_pjrt_buffer_free(in[0]);
 *	bt_pjrt_buffer_free(in[1]);
 *	bt_pjrt_buffer_free(out[0]);
 *	bt_pjrt_program_free(add);
 *	bt_pjrt_close(p);
 *
 * where text is
 *
 *	func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32},
 *	                %y: tensor<4xf32>) -> tensor<4xf32> {
 *	  %s = stablehlo.add %x, %y : tensor<4xf32>
 *	  return %s : tensor<4xf32>
 *	}
 *
 * Buffers and programs are freed before their client is closed. One thread at a
 * time uses a client and what belongs to it.
 *
 * Nothing here connects anywhere; TPU_SKIP_MDS_QUERY=1 is set before Google's
 * library is loaded, unless the variable is there, so that it does not either.
 */
#ifndef BT_PJRT_PJRT_H
#define BT_PJRT_PJRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_pjrt;         /* a client: a plugin and its devices */
struct bt_pjrt_program; /* a compiled program, on devices of a client */
struct bt_pjrt_buffer;  /* an array on a device */

/* Types of elements, by PJRT's numbers. */
enum bt_pjrt_type {
	BT_PJRT_PRED = 1, /* a byte, 0 or 1 */
	BT_PJRT_S8 = 2,
	BT_PJRT_S16 = 3,
	BT_PJRT_S32 = 4,
	BT_PJRT_S64 = 5,
	BT_PJRT_U8 = 6,
	BT_PJRT_U16 = 7,
	BT_PJRT_U32 = 8,
	BT_PJRT_U64 = 9,
	BT_PJRT_F16 = 10,
	BT_PJRT_F32 = 11,
	BT_PJRT_F64 = 12,
	BT_PJRT_BF16 = 13
};

#define BT_PJRT_MAX_DIMS 6

/* The type and dimensions of an array, the outermost first; a scalar has 0. */
struct bt_pjrt_shape {
	enum bt_pjrt_type type;
	int n_dims;
	int64_t dims[BT_PJRT_MAX_DIMS];
};

/* Its bytes, dense. Returns 0, or BT_EARG where it makes no sense. */
int bt_pjrt_shape_bytes(const struct bt_pjrt_shape *s, size_t *bytes,
                        struct bt_error *err) BT_MUST_USE;

bool bt_pjrt_shape_equal(const struct bt_pjrt_shape *a,
                         const struct bt_pjrt_shape *b);

/* "f32[2,3]", for messages. */
#define BT_PJRT_SHAPE_TEXT 160
const char *bt_pjrt_shape_text(const struct bt_pjrt_shape *s,
                               char text[BT_PJRT_SHAPE_TEXT]);

/* ---- Plugins ---- */

struct bt_pjrt_plugin {
	char *name; /* "cpu", "cuda", "tpu", ... */
	char *path;
};

/*
 * The plugins that are there, without loading any; *found is to be freed with
 * bt_pjrt_plugins_free. They are, in this order, and a name counts once:
 *
 * PJRT_NAMES_AND_LIBRARY_PATHS, as JAX reads it: "name:path,name:path".
 *
 * BT_PJRT_PATH, directories with ':' between them. In each of them plugins lie
 * as pip installs them, so that it may be a Python's site-packages:
 * libtpu/libtpu.so, xla_plugins/X/Y.so, jax_plugins/X/Y.so; and files of which
 * the name has "pjrt" in it and ends in ".so". These plugins are named by what
 * their file's name has in it: tpu, cuda, rocm, cpu; else by the file's name.
 */
int bt_pjrt_plugins(struct bt_pjrt_plugin **found, size_t *n,
                    struct bt_error *err) BT_MUST_USE;
void bt_pjrt_plugins_free(struct bt_pjrt_plugin *found, size_t n);

/*
 * Writes what they are and which devices they have to a file, or to standard
 * output for NULL. Each is asked in a process of its own: one that cannot be
 * used is listed with the reason. BT_EIO where there are none.
 *
 *	cpu: /x/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so
 *	  platform cpu; PJRT 0.81, StableHLO 1.13.3
 *	  device 0: cpu
 */
int bt_pjrt_list(const char *path, struct bt_error *err) BT_MUST_USE;

/* ---- Clients ---- */

struct bt_pjrt_options {
	/* Devices that XLA's plugin for CPUs makes out of this machine; 0: 1.
	 * Others have the devices that they have. */
	int cpu_devices;

	/* Where compiled programs are kept, a directory that is made. NULL:
	 * nowhere. */
	const char *cache;

	/* Makes the client and compiles in this process alone, where a plugin
	 * that aborts ends it. So it is after a client for NVIDIA's or AMD's
	 * GPUs was made here, whose driver does not outlive a fork. */
	bool in_process;

	/* Programs are compiled, whether the cache has them or not, for what
	 * they cost (bt_pjrt_cost): they cannot run and nothing is put on
	 * devices. They are kept in the cache. */
	bool costs;

	/* So are they for devices that need not be there, of this name, as the
	 * plugin spells it: "v5e:2x2" are four chips of a TPU, and not kept.
	 * NULL: for those that are. */
	const char *topology;
};

/* Where compiled programs are kept unless one says otherwise: $BT_PJRT_CACHE,
 * or bertutils/pjrt in $XDG_CACHE_HOME or ~/.cache. To be freed; NULL where
 * none of these is set. It may be removed at any time. */
char *bt_pjrt_cache_dir(void);

/*
 * plugin is a name that bt_pjrt_plugins finds, or the path of a file, with a
 * '/' in it. o may be NULL: all as said for 0. Call it early, before much
 * memory is in use and before threads run: a process of its own makes a client
 * first and ends, since plugins abort where a device is not as they expect it
 * (BT_EFORMAT), and another waits to compile, since compilers do, too.
 */
int bt_pjrt_open(const char *plugin, const struct bt_pjrt_options *o,
                 struct bt_pjrt **p, struct bt_error *err) BT_MUST_USE;

/* Frees it; takes NULL. */
void bt_pjrt_close(struct bt_pjrt *p);

/* From now on what is compiled stays until the client is closed, also when its
 * program is freed, for later programs of the same text, which are CACHED. */
void bt_pjrt_keep_programs(struct bt_pjrt *p);

struct bt_pjrt_about {
	char *plugin;   /* its name */
	char *path;     /* its file */
	char *platform; /* as it says itself, "cpu" or "cuda" */
	char *version;  /* the first line of what it says of its version */
	int api_major, api_minor;
	int64_t stablehlo[3]; /* its version; 0 where it does not say */
};

struct bt_pjrt_device {
	int id;
	char *kind;     /* "NVIDIA H200", "TPU v5 lite", "cpu" */
	int64_t memory; /* bytes that programs may use; 0 where it is not told
	                 */
};

/* Borrowed from the client. */
const struct bt_pjrt_about *bt_pjrt_about(const struct bt_pjrt *p);

/* The devices that this process may use; below they are numbered from 0. */
int bt_pjrt_n_devices(const struct bt_pjrt *p);
const struct bt_pjrt_device *bt_pjrt_device(const struct bt_pjrt *p, int i);

/* ---- Programs ---- */

struct bt_pjrt_arg {
	struct bt_pjrt_shape shape;
	bool donated; /* its buffer is given up when the program runs, so that
	               * results may take its place: what the program itself
	               * marks (tf.aliasing_output) and is not donated here is
	               * copied */
};

struct bt_pjrt_source {
	const char *name; /* for messages */
	const char *text; /* a module of StableHLO, as text; static shapes only
	                   */
	size_t len;
	int replicas; /* devices that run it together, 0 .. replicas - 1 */
	const struct bt_pjrt_arg *args; /* the arguments of @main, in order */
	size_t n_args;
};

/*
 * Compiles, in a process of its own where that can be had, or takes what was
 * compiled earlier from the cache. A program that the plugin refuses is
 * BT_EFORMAT, with the first line of what it says.
 */
int bt_pjrt_compile(struct bt_pjrt *p, const struct bt_pjrt_source *source,
                    struct bt_pjrt_program **program,
                    struct bt_error *err) BT_MUST_USE;
void bt_pjrt_program_free(struct bt_pjrt_program *program); /* takes NULL */

/* Memory of the machine that one of several programs has for itself while it is
 * compiled. */
#define BT_PJRT_COMPILE_MEMORY ((uint64_t)2 << 30)

/* And of each device that tells its memory: a process for each tries kernels
 * there. */
#define BT_PJRT_COMPILE_DEVICE_MEMORY ((int64_t)4 << 30)

/*
 * As bt_pjrt_compile, n of them beside each other: as many at a time as there
 * are cores and as the memory above allows. What is compiled is the same. An
 * error names its program and ends what the others are at; then all are NULL.
 *
 * A program for which there is too little memory, here or on a device, is NULL
 * and no error: others took some, and bt_pjrt_compile tries it alone.
 */
int bt_pjrt_compile_all(struct bt_pjrt *p, const struct bt_pjrt_source *sources,
                        size_t n, struct bt_pjrt_program **programs,
                        struct bt_error *err) BT_MUST_USE;

/* Told how many of the programs are done that the cache lacks: before the first
 * is, after each, and a few times a second where another process compiles; the
 * last time done is `of`, whatever came. False ends the compiling: BT_ECANCEL.
 */
typedef bool bt_pjrt_watch(void *ctx, size_t done, size_t of);
void bt_pjrt_set_watch(struct bt_pjrt *p, bt_pjrt_watch *watch, void *ctx);

/* The directory in which programs are kept, or NULL; and why it did not take
 * one that was compiled, or NULL: then no more are put there. */
const char *bt_pjrt_cache(const struct bt_pjrt *p);
const char *bt_pjrt_unkept(const struct bt_pjrt *p);

/* Where it came from. */
enum bt_pjrt_origin {
	BT_PJRT_IN_PROCESS, /* compiled in this process */
	BT_PJRT_IN_CHILD,   /* compiled in a process of its own */
	BT_PJRT_CACHED
};
enum bt_pjrt_origin bt_pjrt_origin(const struct bt_pjrt_program *program);

/* What a program takes on each of its devices, as the plugin tells it; -1 where
 * it does not. */
struct bt_pjrt_cost {
	int64_t arguments, results; /* bytes */
	int64_t shared;      /* of the results, in the place of arguments */
	int64_t temporaries; /* bytes; XLA's for CPUs are not in the peak */
	int64_t code;
	int64_t peak;   /* bytes in use at once, arguments included */
	double flop;    /* operations of a run */
	double seconds; /* that compiling took */
};

/* Of a program of a client that was opened for that, else all -1. A device with
 * too little memory is found when compiling, BT_ENOMEM, where the compiler
 * knows it; buffers that other programs leave there are not counted. */
const struct bt_pjrt_cost *bt_pjrt_cost(const struct bt_pjrt_program *program);

/*
 * Starts the program. Of R replicas with A arguments and K results, args[r * A
 * + a] is argument a of replica r, a buffer on device r, and results[r * K + k]
 * becomes result k, a new buffer there. Types and dimensions are checked.
 *
 * A donated argument is spent after that, also where the run failed: its buffer
 * can only be freed. A buffer may be given once where it is donated.
 *
 * It returns before the program is done: two runs at most are under way. An
 * error of one is given by bt_pjrt_wait, by bt_pjrt_get of a result, or, as
 * BT_EIO, by the run after the next.
 */
int bt_pjrt_run(struct bt_pjrt_program *program,
                struct bt_pjrt_buffer *const *args,
                struct bt_pjrt_buffer **results,
                struct bt_error *err) BT_MUST_USE;

/* Waits for all runs of a client, and for what was put on its devices. */
int bt_pjrt_wait(struct bt_pjrt *p, struct bt_error *err) BT_MUST_USE;

/* Makes an error of an earlier run one that says nothing of the next, BT_EIO:
 * that lacks no memory because another did. */
int bt_pjrt_failed_before(struct bt_error *err);

/* Whether no run is under way. Some plugins, such as XLA's for CPUs, do small
 * runs before bt_pjrt_run returns. */
bool bt_pjrt_idle(struct bt_pjrt *p);

/* ---- Buffers ---- */

/* Copies an array of the shape, dense and in C's order, to a device; data is
 * free again on return. BT_EARG unless bytes is the shape's. It may return
 * before the array is there: an error after that is given as one of the next
 * run. */
int bt_pjrt_put(struct bt_pjrt *p, int device,
                const struct bt_pjrt_shape *shape, const void *data,
                size_t bytes, struct bt_pjrt_buffer **buffer,
                struct bt_error *err) BT_MUST_USE;

/* Waits for the array and copies it here, in C's order. */
int bt_pjrt_get(struct bt_pjrt_buffer *buffer, void *data, size_t bytes,
                struct bt_error *err) BT_MUST_USE;

/* Takes NULL. */
void bt_pjrt_buffer_free(struct bt_pjrt_buffer *buffer);

#endif
