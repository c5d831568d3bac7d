/* SPDX-License-Identifier: MIT */
/*
 * Flags by which all programs of Model Garden say what they run on. Here it is
 * the CPU of this machine, so they ask for what cannot be, or change nothing.
 */
#ifndef BT_GARDEN_DEVICE_FLAGS_H
#define BT_GARDEN_DEVICE_FLAGS_H

#include "garden/flags.h"

struct bt_device_flags {
	const char *strategy, *tpu, *hosts, *all_reduce, *thread_mode;
	struct bt_opt_list gin_file, gin_param;
	int64_t gpus, task, gpu_threads, data_threads;
	bool xla, eager;
};

#define BT_DEVICE_NO_TPU "no TPU can be used: everything runs on the CPU"

/* Rows for the member device of struct s. */
#define BT_DEVICE_FLAGS(s)                                                     \
	BT_FLAG_ROW(BT_FLAG_ENUM, "distribution_strategy",                     \
	            "off|one_device|mirrored|parameter_server|"                \
	            "multi_worker_mirrored|tpu",                               \
	            "device; always the CPU", s, device.strategy,              \
	            .alias = "ds", .fold = true, .idle = true,                 \
	            .refuse = "parameter_server|multi_worker_mirrored|tpu",    \
	            .why = "everything runs on this machine's CPU"),           \
	    BT_FLAG_ROW(BT_FLAG_STR, "tpu", "NAME", "TPU address", s,          \
	                device.tpu, .idle = true, .refuse = "*",               \
	                .why = BT_DEVICE_NO_TPU),                              \
	    BT_FLAG_NUMBER(BT_FLAG_INT, "num_gpus", "number of GPUs", s,       \
	                   device.gpus, 0, 1 << 20, .alias = "ng",             \
	                   .idle = true),                                      \
	    BT_FLAG_ROW(BT_FLAG_STR, "worker_hosts", "LIST", "other machines", \
	                s, device.hosts, .idle = true, .refuse = "*",          \
	                .why = "everything runs on this machine"),             \
	    BT_FLAG_NUMBER(BT_FLAG_INT, "task_index", "index of this machine", \
	                   s, device.task, -1, 1 << 20, .idle = true),         \
	    BT_FLAG_ROW(BT_FLAG_STR, "all_reduce_alg", "NAME",                 \
	                "algorithm to sum gradients", s, device.all_reduce,    \
	                .alias = "ara", .idle = true),                         \
	    BT_FLAG_ROW(BT_FLAG_STR, "tf_gpu_thread_mode", "NAME",             \
	                "GPU thread mode", s, device.thread_mode,              \
	                .alias = "gt_mode", .idle = true),                     \
	    BT_FLAG_NUMBER(BT_FLAG_INT, "per_gpu_thread_count",                \
	                   "threads per GPU", s, device.gpu_threads, 0,        \
	                   1 << 20, .alias = "pgtc", .idle = true),            \
	    BT_FLAG_NUMBER(BT_FLAG_INT, "datasets_num_private_threads",        \
	                   "threads for input", s, device.data_threads, 0,     \
	                   1 << 20, .idle = true),                             \
	    BT_FLAG_ROW(BT_FLAG_BOOL, "enable_xla", NULL, "compile with XLA",  \
	                s, device.xla, .idle = true),                          \
	    BT_FLAG_ROW(BT_FLAG_BOOL, "run_eagerly", NULL, "without a graph",  \
	                s, device.eager, .idle = true),                        \
	    BT_FLAG_ROW(BT_FLAG_MULTI, "gin_file", "FILE", "gin bindings", s,  \
	                device.gin_file, .refuse = "*",                        \
	                .why = "gin's bindings are not read here"),            \
	    BT_FLAG_ROW(BT_FLAG_MULTI, "gin_param", "BINDING",                 \
	                "a gin binding", s, device.gin_param, .refuse = "*",   \
	                .why = "gin's bindings are not read here")

#endif
