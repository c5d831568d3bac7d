/* SPDX-License-Identifier: MIT */
/*
 * Rows in clusters by direction (spherical k-means), as CSV: each row belongs
 * to the centre with the highest cosine, and a centre is the direction of the
 * sum of its rows, each of length 1. The first centres are rows, drawn by
 * k-means++ with several trials each (Arthur and Vassilvitskii, "k-means++: The
 * Advantages of Careful Seeding", SODA 2007). Assigning and moving centres end
 * when no row changes its cluster, or after BT_CLUSTER_ROUNDS.
 */
#ifndef BT_TENSORSTREAM_CLUSTER_H
#define BT_TENSORSTREAM_CLUSTER_H

#include "io/out.h"
#include "tensorstream/frame.h"

#define BT_CLUSTER_ROUNDS 300
#define BT_CLUSTER_MAX 100000

struct bt_cluster_opts {
	size_t clusters; /* fewer come out where fewer rows differ */
	uint64_t seed;
	int threads;
};

struct bt_cluster;

struct bt_cluster *bt_cluster_new(const struct bt_cluster_opts *o);
void bt_cluster_free(struct bt_cluster *c); /* takes NULL */

/* Takes the rows of a frame, as bt_vectors_add. */
int bt_cluster_put(struct bt_cluster *c, const struct bt_frame *f,
                   struct bt_error *err) BT_MUST_USE;

/* Writes a line for each row: id, number of its cluster, from 1 in the order of
 * their first rows, cosine with the centre. Fewer rows than clusters are
 * BT_EFORMAT. */
int bt_cluster_finish(struct bt_cluster *c, struct bt_out *out,
                      struct bt_error *err) BT_MUST_USE;

/* bt_vectors_mixed of the rows. */
bool bt_cluster_mixed(const struct bt_cluster *c);

#endif
