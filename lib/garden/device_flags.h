/* SPDX-License-Identifier: MIT */
/*
 * Flags by which all programs of Model Garden say what they run on. Where and
 * on how many devices counts (garden/devices.h); how, is the plugin's matter.
 */
#ifndef BT_GARDEN_DEVICE_FLAGS_H
#define BT_GARDEN_DEVICE_FLAGS_H

#include "garden/devices.h"
#include "garden/flags.h"

struct bt_device_flags {
	const char *strategy, *tpu, *hosts, *all_reduce, *thread_mode;
	struct bt_opt_list gin_file, gin_param;
	int64_t gpus, task, gpu_threads, data_threads;
	bool xla, eager;
};

#define BT_DEVICE_FLAGS_INIT                                                   \
	{                                                                      \
		.strategy = "mirrored", .gpus = 1                              \
	}

/* What the flags choose. */
int bt_device_flags_choose(const struct bt_device_flags *f,
                           const struct bt_log *log, struct bt_devices *d,
                           struct bt_error *err) BT_MUST_USE;

/* Rows for the member device of struct s. */
#define BT_DEVICE_FLAGS(s)                                                     \
	BT_FLAG_ROW(BT_FLAG_ENUM, "distribution_strategy",                     \
	            BT_DEVICES_STRATEGIES, "what computes [mirrored]", s,      \
	            device.strategy, .alias = "ds", .fold = true,              \
	            .blank = true),                                            \
	    BT_FLAG_ROW(BT_FLAG_STR, "tpu", "NAME",                            \
	                "TPU of the strategy tpu: local, its name", s,         \
	                device.tpu, .blank = true),                            \
	    BT_FLAG_NUMBER(BT_FLAG_INT, "num_gpus",                            \
	                   "GPUs of the strategy mirrored; 0: the CPU [1]", s, \
	                   device.gpus, 0, 4096, .alias = "ng",                \
	                   .blank = true),                                     \
	    BT_FLAG_ROW(BT_FLAG_STR, "worker_hosts", "LIST", "other machines", \
	                s, device.hosts, .idle = true, .refuse = "*",          \
	                .why =                                                 \
	                    "devices of one machine compute together, not of " \
	                    "several machines"),                               \
	    BT_FLAG_NUMBER(BT_FLAG_INT, "task_index", "index of this machine", \
	                   s, device.task, -1, 1 << 20, .idle = true),         \
	    BT_FLAG_ROW(BT_FLAG_ENUM, "all_reduce_alg",                        \
	                "nccl|hierarchical_copy|ring",                         \
	                "how gradients are summed up; the plugin chooses", s,  \
	                device.all_reduce, .alias = "ara", .idle = true),      \
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
