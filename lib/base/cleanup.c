/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#define PATHS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *paths[PATHS];

/* Puts `to` where `from` stands. */
static void replace(const char *from, const char *to)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < PATHS && paths[i] != from; i++)
		;
	if (i < PATHS)
		paths[i] = to;
	pthread_mutex_unlock(&lock);
}

void bt_cleanup_note(const char *path)
{
	replace(NULL, path);
}

void bt_cleanup_forget(const char *path)
{
	replace(path, NULL);
}

void bt_cleanup_run(void)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < PATHS; i++)
		if (paths[i] != NULL)
			(void)unlink(paths[i]);
	pthread_mutex_unlock(&lock);
}
