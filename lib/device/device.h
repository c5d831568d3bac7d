/* SPDX-License-Identifier: MIT */
/*
 * Runs a graph's forward pass on devices behind a PJRT plugin, which all have
 * its parameters. Any number of texts are packed into rows of a fixed length
 * (stablehlo/rows.h) and run in batches of a fixed number of rows, one on each
 * device at a time; answers come in the texts' order, and are the same with any
 * number of devices as far as the plugin computes the same on each. Programs
 * are compiled when a batch needs them, and there are few: for two numbers of
 * rows and each length, a power of 2, that texts do not fit without.
 */
#ifndef BT_DEVICE_DEVICE_H
#define BT_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "op/graph.h"

struct bt_device;

/* plugin: a name or the path of a file, as bt_pjrt_open takes it. replicas: its
 * devices that compute together, at least 1 (0: 1), or all of them; it has
 * fewer: BT_EARG. Call it before threads run. */
#define BT_DEVICE_ALL (-1)
int bt_device_open(const char *plugin, int replicas, struct bt_device **d,
                   struct bt_error *err) BT_MUST_USE;

/* To learn what programs cost, and run none. */
struct bt_device_costs {
	const char *topology; /* as bt_pjrt_open takes it; NULL: that of the
	                       * plugin's devices that are there */
	void (*print)(void *ctx, const char *line); /* NULL: not wanted */
	void *ctx;
};

/*
 * As bt_device_open. Parameters and moments that this device is loaded with are
 * ignored and may be NULL; bt_device_forward, bt_device_gradients and
 * bt_device_update compile their programs, which are kept for later runs where
 * there is no topology, print what each takes, and give NULL or zeros. What of
 * gradients does not fit into the device's memory, beside what else is there,
 * is compiled in smaller pieces, as it would run; BT_ENOMEM where that does not
 * help.
 */
int bt_device_open_costs(const char *plugin, int replicas,
                         const struct bt_device_costs *costs,
                         struct bt_device **d,
                         struct bt_error *err) BT_MUST_USE;
void bt_device_close(struct bt_device *d); /* takes NULL */

/* For several models, one after the other, after which bt_device_unload leaves
 * the device as it was opened: programs that two of them have in common are
 * compiled once. */
void bt_device_keep_programs(struct bt_device *d);
void bt_device_unload(struct bt_device *d);

int bt_device_replicas(const struct bt_device *d);

/* As the plugin says itself: "cpu" or "cuda", and the kind of the first device,
 * "NVIDIA H200". */
const char *bt_device_platform(const struct bt_device *d);
const char *bt_device_name(const struct bt_device *d);

/* Places for tokens on each device at most, of a program that learns; a batch
 * that needs more is run in pieces. 4,096 of BERT-base take some 4 GB. GPUs,
 * which need more to be busy, have 16,384. */
size_t bt_device_places(const struct bt_device *d);

/* Copies the parameters of a graph, parameter i at param[i], to the device.
 * Products are of bf16 operands, or f32. The graph must outlive the device. */
int bt_device_load(struct bt_device *d, const struct bt_graph *g,
                   const float *const *param, bool bf16,
                   struct bt_error *err) BT_MUST_USE;

/* Text t has tokens start[t] .. start[t + 1] - 1. */
struct bt_device_texts {
	size_t n;
	const uint32_t *start; /* [n + 1] */
	const int32_t *ids;
	const uint8_t *types;
	const uint32_t *selected; /* [n_selected] tokens in rising order */
	size_t n_selected;
};

/*
 * The logits of all texts: rows of them in the texts' order, as many as texts,
 * tokens or selected tokens, whatever the graph has. next: the second ones, [n]
 * [2], of a graph that has them, or NULL. Both are valid until the next call.
 */
int bt_device_forward(struct bt_device *d, const struct bt_device_texts *texts,
                      const float **logits, const float **next,
                      struct bt_error *err) BT_MUST_USE;

/*
 * Programs are compiled when something needs them: those that one call of
 * bt_device_forward needs beside each other (bt_pjrt_compile_all). To do so
 * with those of several calls, begin to plan: bt_device_forward,
 * bt_device_gradients and bt_device_update then compute nothing, give NULL or
 * zeros, and note which programs they need. bt_device_plan_end compiles what
 * was noted meanwhile, unless it is one program alone. What the memory is too
 * small for is no error here: it is compiled again when it is needed.
 */
void bt_device_plan_begin(struct bt_device *d);
int bt_device_plan_end(struct bt_device *d, struct bt_error *err) BT_MUST_USE;

/* Called whenever programs are compiled, as a bt_pjrt_watch; BT_ECANCEL where
 * it returns false. */
void bt_device_watch(struct bt_device *d,
                     bool (*watch)(void *ctx, size_t done, size_t of),
                     void *ctx);

/* The directory in which compiled programs are kept for later runs, or NULL;
 * and why it did not take one, or NULL. */
const char *bt_device_cache(const struct bt_device *d);
const char *bt_device_unkept(const struct bt_device *d);

/* Of all calls so far, with the model that is loaded. */
struct bt_device_report {
	uint64_t tokens;        /* of texts */
	uint64_t places;        /* for tokens, filled or not */
	int programs, cached;   /* and how many of them came from a cache */
	double compile_seconds; /* getting them took */
};
struct bt_device_report bt_device_report(const struct bt_device *d);

/* "products f32 by cpu ('/x/y.so', StableHLO 1.13.3)"; "by 2 of cpu" with
 * replicas. */
void bt_device_describe(const struct bt_device *d, bool bf16,
                        struct bt_buf *out);

#endif
