/* SPDX-License-Identifier: MIT */
#include "io/write_behind_int.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "io/thread_int.h"

#define BLOCKS 4

struct bt_write_behind {
	struct bt_atomic_file *place;
	pthread_t thread;
	struct {
		uint8_t *data; /* [size] */
		size_t n;
	} block[BLOCKS];

	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned given, written; /* blocks so far; these guarded by lock */
	int error;               /* errno of the first write that failed */
	bool stop;
};

static void *run(void *arg)
{
	struct bt_write_behind *b = arg;
	unsigned i;
	int error = 0;

	pthread_mutex_lock(&b->lock);
	for (;;) {
		while (b->given == b->written && !b->stop)
			pthread_cond_wait(&b->changed, &b->lock);
		if (b->given == b->written)
			break;
		i = b->written % BLOCKS;
		pthread_mutex_unlock(&b->lock);
		if (error == 0)
			error = bt_atomic_file_write(b->place, b->block[i].data,
			                             b->block[i].n);
		pthread_mutex_lock(&b->lock);
		b->error = error;
		b->written++;
		pthread_cond_signal(&b->changed);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

static void clear(struct bt_write_behind *b)
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		free(b->block[i].data);
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->changed);
	free(b);
}

struct bt_write_behind *bt_write_behind_new(struct bt_atomic_file *p,
                                            size_t size)
{
	struct bt_write_behind *b = bt_array0(1, sizeof(*b));
	int i;

	b->place = p;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	for (i = 0; i < BLOCKS; i++)
		b->block[i].data = bt_array(size, 1);
	/* the signal of a pipe without a reader comes to who writes, and ends
	 * all */
	if (bt_io_thread(&b->thread, run, b, SIGPIPE))
		return b;
	clear(b);
	return NULL;
}

int bt_write_behind_give(struct bt_write_behind *b, uint8_t **block, size_t n)
{
	uint8_t *data = *block;
	unsigned i;
	int error;

	pthread_mutex_lock(&b->lock);
	while (b->given - b->written == BLOCKS)
		pthread_cond_wait(&b->changed, &b->lock);
	i = b->given % BLOCKS;
	*block = b->block[i].data;
	b->block[i].data = data;
	b->block[i].n = n;
	b->given++;
	error = b->error;
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
	return error;
}

int bt_write_behind_wait(struct bt_write_behind *b)
{
	int error;

	pthread_mutex_lock(&b->lock);
	while (b->given != b->written)
		pthread_cond_wait(&b->changed, &b->lock);
	error = b->error;
	pthread_mutex_unlock(&b->lock);
	return error;
}

void bt_write_behind_free(struct bt_write_behind *b)
{
	if (b == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	b->stop = true;
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	clear(b);
}
