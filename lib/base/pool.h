/* SPDX-License-Identifier: MIT */
/*
 * A pool of worker threads for loops cut into pieces. How a loop is cut is the
 * caller's affair and must not depend on the number of threads: then the result
 * does not either, whoever runs which piece.
 *
 * Pieces run with subnormal floats taken as and flushed to zero: a CPU may take
 * a hundred times longer over them, and decaying moments of an optimizer end up
 * there.
 *
 * A pool belongs to one thread at a time, the one that calls bt_pool_run and
 * works along. A piece must not call bt_pool_run on its own pool.
 */
#ifndef BT_BASE_POOL_H
#define BT_BASE_POOL_H

#include "base/err.h"

struct bt_pool;

/* Work on one piece; worker is 0 .. threads-1 and picks the caller's scratch
 * memory. */
typedef void bt_piece_fn(void *arg, int piece, int worker);

/* threads = 0: one for each core. The calling thread is worker 0, so
 * threads - 1 are started. Returns 0 or an error; free with bt_pool_free. */
int bt_pool_new(int threads, struct bt_pool **pool,
                struct bt_error *err) BT_MUST_USE;
void bt_pool_free(struct bt_pool *pool);

int bt_pool_threads(const struct bt_pool *pool);

/* Runs fn for piece 0 .. pieces-1, each once, and returns when all are done.
 * Everything written by the pieces is visible to the caller then. */
void bt_pool_run(struct bt_pool *pool, bt_piece_fn *fn, void *arg, int pieces);

#endif
