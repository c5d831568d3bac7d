/* SPDX-License-Identifier: MIT */
/*
 * On what programs of Model Garden run, by the words of its distribute_utils
 * (get_distribution_strategy), as plugins and their devices. Where TensorFlow
 * finds no GPU, mirrored and one_device with one GPU compute on the CPU, as
 * TensorFlow 2.20 does; several GPUs that are not there are an error, as is a
 * TPU.
 */
#ifndef BT_GARDEN_DEVICES_H
#define BT_GARDEN_DEVICES_H

#include <stdint.h>

#include "base/err.h"
#include "base/log.h"

#define BT_DEVICES_STRATEGIES                                                  \
	"off|one_device|mirrored|parameter_server|multi_worker_mirrored|tpu"

struct bt_devices_wish {
	const char *strategy; /* one of BT_DEVICES_STRATEGIES, in any case */
	const char *tpu;      /* a TPU's name or address; NULL or "": none */
	int64_t gpus;         /* num_gpus */
};

/* As bt_device_open takes them. */
struct bt_devices {
	char *plugin; /* NULL: the CPU, without a plugin */
	int replicas;
};

/* Warns where the CPU takes the place of a GPU. BT_EARG where what is asked for
 * is not there, or makes no sense. Of plugins for GPUs it takes cuda, rocm,
 * else one whose name is neither tpu nor cpu. No plugin is opened. */
int bt_devices_choose(const struct bt_devices_wish *w, const struct bt_log *log,
                      struct bt_devices *d, struct bt_error *err) BT_MUST_USE;

void bt_devices_clear(struct bt_devices *d);

#endif
