/* SPDX-License-Identifier: MIT */
/*
 * Several processes that do one job: ranks, which mpirun or srun started and
 * which talk by MPI. MPI moves bytes and never adds: its sums would depend on
 * the number of ranks. Who owns a part of an array receives what all ranks have
 * of it (bt_dist_begin_hand_over), adds that up in the order of dist/shards.h,
 * and gives the result to all (bt_dist_share).
 *
 * A null struct bt_dist * stands for one process, which has nothing to say to
 * anybody. Else the functions below bt_dist_size are collective: all ranks call
 * them in one order, with the same sizes, each from one thread. They do not
 * fail: a connection that breaks ends all processes, with MPI's message.
 *
 * The library of MPI is loaded when a job has several ranks, and only then, so
 * that programs start as fast as without it.
 */
#ifndef BT_DIST_DIST_H
#define BT_DIST_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/tool.h"

struct bt_dist;

/* How ranks meet before a tool does anything, for bt_tool_share_work. Whoever
 * exits after that without bt_dist_end parts from the others or, where these go
 * on, ends them. */
extern const struct bt_tool_ranks bt_dist_ranks;

/* Joins the other ranks; *d is NULL where this process is the only one. BT_EARG
 * where it is not and cannot talk to them. */
int bt_dist_open(struct bt_dist **d, struct bt_error *err) BT_MUST_USE;

/* The end of a tool: returns that status or, if err is an error, that one's,
 * after its message. If all ranks come here within a moment they part, and rank
 * 0 alone has printed the message; else the error is of this rank, which ends
 * the others. Other ranks than 0 return BT_EXIT_DONE: a launcher ends all when
 * one fails, and rank 0 may still have to write what it tells. */
int bt_dist_end(struct bt_dist *d, const struct bt_tool *tool, int status,
                struct bt_error *err);

int bt_dist_rank(const struct bt_dist *d);
int bt_dist_size(const struct bt_dist *d);

/* Whether this is rank 0, which alone writes files and messages. */
static inline bool bt_dist_is_first(const struct bt_dist *d)
{
	return bt_dist_rank(d) == 0;
}

/* BT_EARG where ranks are to read standard input, which only one of them has,
 * or a pipe by its name. None is standard input, too. */
int bt_dist_check_inputs(const struct bt_dist *d, char *const *paths, int n,
                         struct bt_error *err) BT_MUST_USE;

/* r is this rank's result and, if it is not BT_OK, *err its error. Returns the
 * result of the first rank that has an error, which then all have in *err, that
 * of another rank than 0 with its number; BT_OK if none has. */
int bt_dist_agree(struct bt_dist *d, int r, struct bt_error *err) BT_MUST_USE;

/* The same where each rank looks at a part of what all read, in the order of
 * their numbers: an error of the data has no number of a rank, and others
 * (BT_EIO, BT_ENOMEM) have. checksum: of what this rank has read; BT_ECORRUPT
 * where they differ. */
int bt_dist_agree_on(struct bt_dist *d, int r, uint32_t checksum,
                     struct bt_error *err) BT_MUST_USE;

/* BT_ECORRUPT, "rank 1 `what` than rank 0", where checksums of ranks differ. */
int bt_dist_same(struct bt_dist *d, uint32_t checksum, const char *what,
                 struct bt_error *err) BT_MUST_USE;

/* The largest of the ranks' values. */
int bt_dist_most(struct bt_dist *d, int value);

/* n bytes from rank 0 to all. */
void bt_dist_tell(struct bt_dist *d, void *p, size_t n);

/*
 * An array of elements of `size` bytes is divided: rank r has elements at[r] ..
 * at[r + 1] - 1. These go to all, or to rank 0, into the array there. At most
 * INT_MAX elements.
 */
void bt_dist_share(struct bt_dist *d, void *all, size_t size, const size_t *at);
void bt_dist_collect(struct bt_dist *d, void *all, size_t size,
                     const size_t *at);

/*
 * Rank r has n[r] arrays of the same form, and all know n. Elements at[q] ..
 * at[q + 1] - 1 of those of other ranks go to rank q, where they lie in `parts`
 * one behind the other, in the order of the ranks. Array k of each rank that
 * has so many, NULL where this one has not, goes some elements at a time, while
 * others may still be computed: elements `from` .. to - 1, at most INT_MAX,
 * wherever they go, in calls that all ranks make alike, but not at the same
 * time. `array` and `parts` stay as they are until bt_dist_end_hand_over, which
 * waits. In between messages move on while bt_dist_move_on is called.
 */
void bt_dist_begin_hand_over(struct bt_dist *d, const float *array, int k,
                             const int *n, const size_t *at, size_t from,
                             size_t to, float *parts);
void bt_dist_move_on(struct bt_dist *d);
void bt_dist_end_hand_over(struct bt_dist *d);

/* What rank 0 does with n bytes of another rank. Returns 0 or an error. */
typedef int bt_dist_take_fn(void *ctx, const void *bytes, size_t n,
                            struct bt_error *err);

/* The bytes of each other rank than 0 go to that, which calls `take` for one
 * rank after the other, in the order of their numbers, and holds those of one
 * at a time. Returns, on rank 0, the first error of take. */
int bt_dist_deliver(struct bt_dist *d, const void *bytes, size_t n,
                    bt_dist_take_fn *take, void *ctx,
                    struct bt_error *err) BT_MUST_USE;

/* Seconds so far in bt_dist_share and in handing over, and in waiting for the
 * last rank where they agree. */
struct bt_dist_times {
	double exchanging, waiting;
};
struct bt_dist_times bt_dist_times(const struct bt_dist *d);

/* Bytes of such arrays that this rank sent to others. */
uint64_t bt_dist_sent(const struct bt_dist *d);

#endif
