/* SPDX-License-Identifier: MIT */
#ifndef BT_DEVICE_DEVICE_INT_H
#define BT_DEVICE_DEVICE_INT_H

#include "device/device.h"
#include "pjrt/pjrt.h"
#include "stablehlo/rows.h"

/* A compiled program, for one size of batches. */
struct bt_device_program {
	struct bt_hlo_program text; /* without the text itself */
	struct bt_hlo_size size;
	struct bt_pjrt_program *program;
};

#define BT_DEVICE_RESULTS 2

struct bt_device {
	struct bt_pjrt *pjrt;
	const struct bt_graph *g;
	bool bf16;
	struct bt_pjrt_buffer **param; /* [n_params] */
	struct bt_device_program *programs;
	size_t program_cap;
	struct bt_device_report report;

	/* of the last call */
	float *logits, *next;
	size_t logit_cap, next_cap;
};

struct bt_pjrt_shape bt_device_shape(const struct bt_hlo_shape *s);

/* The number of a program for rows of at least that length, and of these many
 * rows and selected tokens, which is compiled if there is none; or an error. */
int bt_device_program(struct bt_device *d, const struct bt_hlo_size *size,
                      struct bt_error *err) BT_MUST_USE;

#endif
