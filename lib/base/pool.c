/* SPDX-License-Identifier: MIT */
/*
 * A round is announced by raising `round`; whoever works claims pieces by
 * counting `left` down and reports by counting `unfinished` down. A round ends
 * with its last piece, whether all workers came or not: on a machine that does
 * other things, one may be long in coming. `fn`, `arg` and `pieces` are read
 * only by who has claimed a piece, and so never while they are written.
 *
 * Between rounds a worker spins for a while, since the next round of a training
 * step is microseconds away, and then sleeps on a condition variable. Who spins
 * lets others have the core where there are any.
 */
#define _GNU_SOURCE
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/sys.h"

#define SPIN_SECONDS 2e-4
#define SPINS 64 /* a microsecond or a few */

struct worker {
	struct bt_pool *pool;
	pthread_t thread;
	int index;
};

struct bt_pool {
	int threads;
	struct worker *workers; /* threads - 1 */
	int started;

	bt_piece_fn *fn;
	void *arg;
	int pieces;
	atomic_int left;
	atomic_int unfinished;
	atomic_uint round;
	atomic_bool stop;

	pthread_mutex_t lock;
	pthread_cond_t wake;
	int sleepers; /* under lock */
};

/* The floating-point mode of this thread; FLUSH switches subnormals off. */
#if defined(__x86_64__)
#define FLUSH 0x8040u /* MXCSR: flush to zero, denormals are zero */

static inline uint64_t get_mode(void)
{
	return __builtin_ia32_stmxcsr();
}

static inline void set_mode(uint64_t mode)
{
	__builtin_ia32_ldmxcsr((unsigned)mode);
}
#elif defined(__aarch64__)
#define FLUSH (1u << 24) /* FPCR.FZ */

static inline uint64_t get_mode(void)
{
	uint64_t mode;

	__asm__ volatile("mrs %0, fpcr" : "=r"(mode));
	return mode;
}

static inline void set_mode(uint64_t mode)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(mode));
}
#else
#define FLUSH 0u

static inline uint64_t get_mode(void)
{
	return 0;
}

static inline void set_mode(uint64_t mode)
{
	(void)mode;
}
#endif

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

static void work(struct bt_pool *p, int worker)
{
	int left;

	while ((left = atomic_fetch_sub(&p->left, 1)) > 0) {
		p->fn(p->arg, p->pieces - left, worker);
		atomic_fetch_sub(&p->unfinished, 1);
	}
}

/* Waits until the round is no longer `seen`; returns which it is. */
static unsigned await_round(struct bt_pool *p, unsigned seen)
{
	double until = bt_seconds() + SPIN_SECONDS;
	unsigned now;
	int i;

	do {
		for (i = 0; i < SPINS; i++) {
			now = atomic_load(&p->round);
			if (now != seen)
				return now;
			relax();
		}
		sched_yield();
	} while (bt_seconds() < until);
	pthread_mutex_lock(&p->lock);
	p->sleepers++;
	while ((now = atomic_load(&p->round)) == seen)
		pthread_cond_wait(&p->wake, &p->lock);
	p->sleepers--;
	pthread_mutex_unlock(&p->lock);
	return now;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct bt_pool *p = w->pool;
	unsigned seen = 0;

	set_mode(get_mode() | FLUSH);
	for (;;) {
		seen = await_round(p, seen);
		if (atomic_load(&p->stop))
			return NULL;
		work(p, w->index);
	}
}

static void announce(struct bt_pool *p)
{
	pthread_mutex_lock(&p->lock);
	atomic_fetch_add(&p->round, 1);
	if (p->sleepers > 0)
		pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
}

int bt_pool_new(int threads, struct bt_pool **pool, struct bt_error *err)
{
	struct bt_pool *p = bt_array0(1, sizeof(*p));
	struct worker *w;
	int i, n = threads > 0 ? threads : bt_cores();

	p->threads = n;
	p->workers = bt_array0((size_t)n, sizeof(*p->workers));
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	for (i = 0; i < n - 1; i++) {
		w = &p->workers[i];
		w->pool = p;
		w->index = i + 1;
		if (pthread_create(&w->thread, NULL, worker_main, w) != 0) {
			bt_pool_free(p);
			return bt_error_set(err, BT_EIO,
			                    "cannot start %d threads", n);
		}
		p->started++;
	}
	*pool = p;
	return BT_OK;
}

void bt_pool_free(struct bt_pool *p)
{
	int i;

	if (p == NULL)
		return;
	atomic_store(&p->stop, true);
	announce(p);
	for (i = 0; i < p->started; i++)
		pthread_join(p->workers[i].thread, NULL);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->wake);
	free(p->workers);
	free(p);
}

int bt_pool_threads(const struct bt_pool *p)
{
	return p->threads;
}

void bt_pool_run(struct bt_pool *p, bt_piece_fn *fn, void *arg, int pieces)
{
	uint64_t mode = get_mode();
	int i, spins = 0;

	set_mode(mode | FLUSH);
	if (p->threads == 1 || pieces <= 1) {
		for (i = 0; i < pieces; i++)
			fn(arg, i, 0);
		set_mode(mode);
		return;
	}
	p->fn = fn;
	p->arg = arg;
	p->pieces = pieces;
	atomic_store(&p->unfinished, pieces);
	atomic_store(&p->left, pieces);
	announce(p);
	work(p, 0);
	while (atomic_load(&p->unfinished) != 0) {
		relax();
		if (++spins > SPINS) {
			sched_yield();
			spins = 0;
		}
	}
	set_mode(mode);
}
