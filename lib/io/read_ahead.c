/* SPDX-License-Identifier: MIT */
#include "io/read_ahead_int.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/thread_int.h"

#define BLOCKS 4
#define BLOCK ((size_t)1 << 18) /* all of them stay in a cache */

struct block {
	uint8_t *data; /* [BLOCK] */
	size_t len;    /* 0: the end, or an error */
	int status;
	struct bt_error err;
};

struct bt_read_ahead {
	struct bt_decompress *u;
	bool threaded;
	pthread_t thread;
	int wake[2]; /* closing [1] ends the thread's wait for input */
	struct block block[BLOCKS];
	unsigned n; /* of them in use: one without the thread */
	size_t pos; /* bytes used of the block that is read */

	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned filled, used; /* blocks so far, guarded by lock */
	bool stop;
};

static void fill(struct bt_read_ahead *a, struct block *b)
{
	bt_error_clear(&b->err);
	b->len = 0;
	b->status = bt_decompress_read(a->u, b->data, BLOCK, &b->len, &b->err);
	if (b->status != BT_OK)
		b->len = 0;
}

static void *run(void *arg)
{
	struct bt_read_ahead *a = arg;
	struct block *b;
	bool go = true;

	while (go) {
		pthread_mutex_lock(&a->lock);
		while (a->filled - a->used == a->n && !a->stop)
			pthread_cond_wait(&a->changed, &a->lock);
		go = !a->stop;
		b = &a->block[a->filled % a->n];
		pthread_mutex_unlock(&a->lock);
		if (!go)
			break;
		fill(a, b);
		go = b->len > 0;
		pthread_mutex_lock(&a->lock);
		a->filled++;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

struct bt_read_ahead *bt_read_ahead_new(struct bt_decompress *u)
{
	struct bt_read_ahead *a = bt_array0(1, sizeof(*a));

	a->u = u;
	a->n = 1;
	a->wake[0] = a->wake[1] = -1;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	a->block[0].data = bt_array(BLOCK, 1);
	return a;
}

static void close_wake(struct bt_read_ahead *a)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (a->wake[i] >= 0)
			close(a->wake[i]);
		a->wake[i] = -1;
	}
}

void bt_read_ahead_start(struct bt_read_ahead *a)
{
	int i;

	for (i = 1; i < BLOCKS; i++)
		if (a->block[i].data == NULL)
			a->block[i].data = bt_array(BLOCK, 1);
	if (a->threaded || pipe(a->wake) != 0)
		return;
	/* the block that is read now stays the first */
	a->filled -= a->used;
	a->used = 0;
	a->n = BLOCKS;
	fcntl(a->wake[0], F_SETFD, FD_CLOEXEC);
	fcntl(a->wake[1], F_SETFD, FD_CLOEXEC);
	bt_decompress_wake(a->u, a->wake[0]);
	a->threaded = bt_io_thread(&a->thread, run, a, 0);
	if (a->threaded)
		return;
	bt_decompress_wake(a->u, -1);
	close_wake(a);
}

/* The next block, waited for or made. */
static struct block *next(struct bt_read_ahead *a)
{
	struct block *b = &a->block[a->used % a->n];

	pthread_mutex_lock(&a->lock);
	while (a->filled == a->used && a->threaded)
		pthread_cond_wait(&a->changed, &a->lock);
	if (a->filled == a->used) {
		fill(a, b);
		a->filled++;
	}
	pthread_mutex_unlock(&a->lock);
	return b;
}

int bt_read_ahead_read(struct bt_read_ahead *a, uint8_t *dst, size_t size,
                       size_t *got, struct bt_error *err)
{
	struct block *b = next(a);
	size_t n = b->len - a->pos;

	if (b->len == 0) {
		/* the last one, which is not given back */
		*got = 0;
		if (b->status == BT_OK)
			return BT_OK;
		return bt_error_set(err, b->status, "%s", b->err.text);
	}
	n = n < size ? n : size;
	memcpy(dst, b->data + a->pos, n);
	a->pos += n;
	*got = n;
	if (a->pos < b->len)
		return BT_OK;
	a->pos = 0;
	pthread_mutex_lock(&a->lock);
	a->used++;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return BT_OK;
}

static void stop(struct bt_read_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	close(a->wake[1]);
	a->wake[1] = -1;
	pthread_join(a->thread, NULL);
}

void bt_read_ahead_free(struct bt_read_ahead *a)
{
	int i;

	if (a == NULL)
		return;
	if (a->threaded)
		stop(a);
	close_wake(a);
	for (i = 0; i < BLOCKS; i++)
		free(a->block[i].data);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	free(a);
}
