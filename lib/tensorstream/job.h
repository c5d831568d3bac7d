/* SPDX-License-Identifier: MIT */
/*
 * The work of tensor-cat: streams of tensors passed on frame by frame, chosen
 * from, averaged or compared row by row, and put in one of several forms.
 * BT_TENSORS_NEAREST and BT_TENSORS_CLUSTER use threads.
 */
#ifndef BT_TENSORSTREAM_JOB_H
#define BT_TENSORSTREAM_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "tensorstream/cluster.h"
#include "tensorstream/nearest.h"
#include "tensorstream/text_out.h"
#include "tensorstream/vectors.h"

enum bt_tensors_form {
	BT_TENSORS_STREAM,
	BT_TENSORS_CSV,
	BT_TENSORS_NPY,     /* one tensor */
	BT_TENSORS_JSON,    /* a line a frame: what it holds */
	BT_TENSORS_VERIFY,  /* a line: how much of everything there is */
	BT_TENSORS_COMPARE, /* a line a tensor: how two streams differ */
	BT_TENSORS_NEAREST, /* CSV: the rows of a file nearest to each row */
	BT_TENSORS_CLUSTER  /* CSV: the cluster of each row */
};

struct bt_tensors_opts {
	enum bt_tensors_form form;
	bool files;   /* the inputs are safetensors files, a frame each */
	bool mean;    /* of all inputs, row by row */
	bool softmax; /* logits become probabilities first */
	bool sigmoid; /* each by itself */
	const double *weights;       /* of the inputs in the mean, or NULL */
	const struct bt_span *names; /* only these tensors; NULL: all */
	size_t n_names;
	struct bt_frame_csv_opts csv;
	struct bt_nearest_opts nearest; /* limit and names: those here */
	struct bt_cluster_opts cluster;
	size_t limit;  /* most bytes of a frame, as bt_ts_reader_open */
	size_t memory; /* held for NPY, the rest in a file */
	int level;     /* of compression, of frames that are made here */
	bool counts;   /* expect is how many rows there must be */
	uint64_t expect;
	double tolerance;   /* differences up to this count as none */
	const char *output; /* path, or NULL for standard output */
};

/* What was read. */
struct bt_tensors_sum {
	uint64_t frames, rows, tensors, bytes, streams;
	bool differ; /* the compared streams do */
	bool mixed;  /* embeddings of different models stand side by side */
};

/* paths[0..n-1]; n = 0 is standard input. BT_EARG where an option makes no
 * sense. */
int bt_tensors(const struct bt_tensors_opts *o, char *const *paths, int n,
               struct bt_tensors_sum *sum, struct bt_error *err) BT_MUST_USE;

#endif
